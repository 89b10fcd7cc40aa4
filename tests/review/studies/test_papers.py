"""The papers' studies run through by scripted people, and every number that the page of studies states about them."""

import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Collection
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import ROOT, Client, Serve, Served
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS
from tolman.benchmarks.site.site_rows import CATEGORIES
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, LEVELS
from tolman.curate.asking import Reply
from tolman.curate.candidates import Candidate, write_lines
from tolman.curate.stages import Verdict, review_row
from tolman.features.analyses.config import HumansConfig
from tolman.features.analyses.run_analyses import analyze_humans
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review import studies
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.projects.study_projects import start_named
from tolman.review.store import Decision, ItemVersion, Project, Task
from tolman.review.studies import STUDY_FILES, StudyPart
from tolman.review.studies.participants import participants
from tolman.review.tasks import current_items

PAGE = (ROOT / "docs" / "review" / "studies.md").read_text(encoding="utf-8")
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "a tenth": 10}


def row_of(study: str) -> str:
    """What the page says of a study."""
    found = re.search(rf"^\| `{study}` \| (.*) \|$", PAGE, re.MULTILINE)
    assert found is not None
    return found.group(1)


def part(study: str, name: str = "") -> StudyPart:
    return next(one for one in STUDY_FILES.open(study).parts if one.name == name)


def number(text: str, pattern: str) -> int:
    """The number that a text states, in digits or in words."""
    found = re.search(pattern, text)
    assert found is not None, (text, pattern)
    return WORDS.get(found.group(1)) or int(found.group(1))


def test_every_number_of_the_page_is_the_file_s() -> None:
    said, asked = row_of("site"), part("site").sample
    assert asked is not None
    assert (number(said, r"(\d+) people"), number(said, r"(\d+) questions")) == (asked.people, asked.each) == (7, 50)
    assert number(said, r"each of (\w+) categories") == len(CATEGORIES)
    assert ("all the same" in said) == (asked.overlap == asked.people)

    said, write, review, timed = (
        row_of("mmsi-bench"),
        *(part("mmsi-bench", n) for n in ("Write", "Review", "Time tiers")),
    )
    assert (write.mode, review.mode, timed.mode) == ("write", "review", "study")
    assert "how hard" not in timed.instructions
    assert write.format is not None
    assert timed.sample is not None
    assert number(said, r"writing (\d+) questions") == write.settings["questions"]
    assert number(said, r"of (\w+) options") == write.format.options
    assert number(said, r"and (\w+) pictures") == write.format.pictures
    assert write.format.more_pictures == ("MSR",)
    assert "MSR" in TASKS
    assert review.settings == {"people": number(said, r"(\w+) reviewers"), "back": 1}
    assert "comes back to its writer" in said
    assert number(said, r"(\w+) people against") == timed.sample.people == timed.sample.overlap

    said, verify, level = row_of("spatialbench"), part("spatialbench", "Verify"), part("spatialbench", "Human level")
    assert level.sample is not None
    assert number(said, r"in (\w+) rounds") == 2
    assert (number(said, r"levels (\d)"), number(said, r"levels \d to (\d)")) == (verify.settings["level"], len(LEVELS))
    assert number(said, r"and (a tenth)") == verify.settings["share"]
    assert number(said, r"level of (\d+) people") == level.sample.people == level.sample.overlap
    for study in STUDY_FILES.names:
        assert STUDY_FILES.open(study).scoring_profile == study


def test_the_page_s_copy_of_sites_file_and_its_defaults_are_the_package_s() -> None:
    shown = tomllib.loads(PAGE.rsplit("```toml\n", 1)[1].split("```")[0])
    (asked,) = shown["parts"]
    sample = part("site").sample
    assert sample is not None
    assert asked["sample"] == {name: getattr(sample, name) for name in ("people", "by", "each", "overlap")}
    assert (shown["title"], shown["seed"]) == (STUDY_FILES.open("site").title, STUDY_FILES.open("site").seed)
    plain = StudyPart.model_validate({"sample": {"people": 1}})
    assert plain.sample is not None
    assert f"| {plain.time.least_seconds} s, no limits |" in PAGE
    assert f"an abandoned form goes to another person ({plain.sample.hours:g})" in PAGE
    assert ", ".join(f'"{reason}"' for reason in plain.skip) in PAGE


def questions(tasks: dict[str, int], numbers: tuple[str, ...] = ()) -> list[Item]:
    drawn, made = random.Random(0), []
    for task, count in tasks.items():
        for place in range(count):
            options = tuple(f"{task} {place} {letter}" for letter in ("one", "two", "three", "four"))
            fields: dict[str, Any] = {"kind": "choice", "options": options, "answer": drawn.choice("ABCD")}
            if task in numbers:
                fields = {"kind": "number", "unit": "count", "answer": str(drawn.randrange(2, 9))}
            name = f"{task} {place}"
            made.append(Item(id=name, question=f"What of {name}?", task=task, scene=f"s{len(made) % 9}", **fields))
    return made


def bench(folder: Path, items: list[Item], profile: str | None = None) -> Path:
    folder.mkdir()
    write_items(folder / "items.parquet", items)
    card = {"name": folder.name, "title": folder.name} | ({"scoring_profile": profile} if profile else {})
    (folder / "benchmark.json").write_text(json.dumps(card))
    return folder


def asked_on(text: str) -> str:
    found = re.search(r"What of (.+?)\?", unescape(text))
    assert found is not None
    return found.group(1)


def come(served: Served, path: str) -> Client:
    client = served.visitor()
    client.get(path)
    client.post(path, agreed="yes")
    return client


def answer_all(
    served: Served, client: Client, project: int, given: Any, practice: str = "C", skip: Collection[str] = ()
) -> tuple[list[str], int]:
    """Answer all there is, practising as told; the questions in their order, and the number of breaks."""
    asked, breaks, practised = [], 0, iter(practice)
    while not (page := client.get(f"/projects/{project}/work")).url.path.endswith("/end"):
        path = page.url.path
        served.clock.ahead += 4
        if path.endswith("/break"):
            breaks += 1
            client.post(path)
        elif "What of" not in page.text:
            client.post(path, answer=next(practised), seconds=3, shown="ready")
        else:
            asked.append(asked_on(page.text))
            assert asked.count(asked[-1]) == 1
            if asked[-1] in skip:
                client.post(f"{path}/skip", reason="can't tell")
            else:
                client.post(path, answer=given(asked[-1]), seconds=3, shown="ready")
    assert "You have come to the end" in page.text
    assert next(practised, None) is None
    return asked, breaks


def nominal_alpha(units: list[list[str]]) -> float:
    """Krippendorff's alpha of nominal labels from its definition: 1 less observed over expected disagreement."""
    units = [unit for unit in units if len(unit) > 1]
    every = [label for unit in units for label in unit]
    observed = sum(2 * sum(a != b for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in units) / len(every)
    expected = 2 * sum(a != b for a, b in combinations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - observed / expected


def test_sites_forms_are_seven_times_the_same_three_hundred(tmp_path: Path, serve: Serve) -> None:
    folder = bench(tmp_path / "own", questions(dict.fromkeys(CATEGORIES, 53)))
    served = serve(folder)
    (path,) = start_named(served.site, "site").links
    first = served.visitor().get(path).text
    assert "practice" in first.casefold()
    people = [come(served, path) for _ in range(7)]
    late = served.visitor()
    assert "All places of this study are taken" in unescape(late.get(path).text)
    with served.site.database.read() as db:
        project = db.get_one(Project, 1)
        keys = {task.id: task.key for task in db.scalars(select(Task).where(Task.stage == "study"))}
        forms = [[keys[n] for n in one.content["tasks"]] for one in participants(db, project)]
    assert len(people) == len(forms) == 7
    assert {len(form) for form in forms} == {300}
    assert len({frozenset(form) for form in forms}) == 1
    assert len({tuple(form) for form in forms}) == 7  # in orders of their own
    assert Counter(key.rsplit(" ", 1)[0] for key in forms[0]) == dict.fromkeys(CATEGORIES, 50)


@pytest.mark.full
def test_sites_human_level_by_seven_people(tmp_path: Path, serve: Serve) -> None:
    """The package's study with a fifth of its questions, and breaks to match."""
    text = Path(studies.__file__).with_name("site.toml").read_text(encoding="utf-8")
    for whole, fifth in (("each = 50 ", "each = 10 "), ("every = 75\n", "every = 15\n")):
        assert whole in text
        text = text.replace(whole, fifth)
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    folder = bench(tmp_path / "own", questions(dict.fromkeys(CATEGORIES, 13)), "site")
    wrong: list[dict[str, bool]] = []
    served = serve(folder)
    (path,) = start_named(served.site, str(tmp_path / "site.toml")).links
    truths = {item.id: item.answer for item in served.site.loaded.items}
    for person in range(7):
        drawn = random.Random(person)
        missed = {item: drawn.random() < 0.1 + 0.05 * person for item in truths}

        def answer(item: str, missed: dict[str, bool] = missed) -> str:
            return "ABCD"[("ABCD".index(truths[item]) + missed[item]) % 4]

        skip = sorted(wrong[0])[:2] if person == 2 else ()
        practice = "AC" if person == 6 else "C"  # the last one has to practise once more
        asked, breaks = answer_all(served, come(served, path), 1, answer, practice, skip)
        assert (len(asked), breaks) == (60, 3)  # after 15, 30 and 45 questions
        wrong.append({item: missed[item] for item in asked if item not in skip})
    done = export_runs(served.site, tmp_path / "people")
    assert (len(done.folders), done.excluded) == (7, {})
    runs = tuple(folder.path for folder in done.folders)
    found = analyze_humans(HumansConfig(runs=runs))
    columns = [column.key for column in found.columns][1:7]
    assert columns == ["count", "loc", "3d_inf", "multiv", "rel", "mov"]
    for column, task in zip(columns, CATEGORIES, strict=True):
        # Chance-adjusted accuracy of four options: (right - 1/4) / (1 - 1/4), averaged over people.
        own = [[bad for item, bad in missed.items() if item.startswith(f"{task} ")] for missed in wrong]
        figures = [100 * (1 - sum(bads) / len(bads) - 0.25) / 0.75 for bads in own]
        assert found.average[column].value == pytest.approx(sum(figures) / 7, abs=1e-6), task
        assert found.average[column].people == 7
        assert found.average[column].interval is not None
    shown = report(ReportConfig(runs=runs)).report
    (together,) = [row for row in shown.rows if row.name == "people, average of 7"]
    assert together.figures["overall"].value == pytest.approx(found.average["overall"].value)
    assert together.figures["overall"].interval is not None
    assert any("skipped 2 of 420 questions" in note for note in shown.notes)


def verify(client: Client, given: Any, discard: str = "") -> list[str]:
    """Answer, go through the checklist and approve or discard, as long as there is something."""
    seen = []
    while (page := client.get("/projects/1/work")).url.path.startswith("/verify/"):
        path, item = page.url.path, asked_on(page.text)
        seen.append(item)
        assert len(seen) < 60
        if f"{path}/answer" in page.text:
            page = client.post(f"{path}/answer", answer=given(item), frames="", trace="It is seen.", seconds=3)
        points = page.text.count('name="fine"')
        verdict = {"verdict": "discard", "reason": "It can't be told."} if item == discard else {"verdict": "approve"}
        done = client.post(f"{path}/decide", seconds=3, fine=[str(n) for n in range(points)], **verdict)
        assert done.status_code == 200, done.text
    return seen


@pytest.mark.full
def test_spatialbench_by_two_models_two_rounds_and_thirty_three_people(tmp_path: Path, serve: Serve) -> None:
    items = questions(dict.fromkeys(LEVEL_OF, 1), ("object_counting", "object_size", "room_size", "absolute_distance"))
    truths, tasks = {item.id: item.answer for item in items}, {item.id: item.task for item in items}
    reply = {item.id: Reply({"answer": item.answer, "evidence": "There.", "frames": []}) for item in items}
    rows = [
        review_row(Candidate.model_validate(item.model_dump() | {"source": "s"}), ["m/one", "m/two"],
                   [reply[item.id]] * 2, Verdict("approved"))
        for item in items
    ]  # fmt: skip
    write_lines(tmp_path / "review.jsonl", rows)
    high = {name for name, task in tasks.items() if list(LEVELS).index(LEVEL_OF[task]) + 1 >= 3}
    served = serve(bench(tmp_path / "own", items, "spatialbench"), verify=(tmp_path / "review.jsonl",))
    assert start_named(served.site, "spatialbench").links == ()
    with served.site.database.read() as db:
        alone = set(db.scalars(select(ItemVersion.item).join(Decision, Decision.item_id == ItemVersion.id)))
        reasons = {task.key.split("@")[0]: task.content["reasons"] for task in db.scalars(select(Task))}
    assert len(high) == 6
    assert not alone & high
    assert high == {name for name, why in reasons.items() if any(one.startswith("level ") for one in why)}
    drawn = {name for name, why in reasons.items() if why == ["drawn for a spot check"]}
    assert alone | high | drawn == set(truths)
    assert len(drawn) <= 4  # a tenth of 9 is expected

    wrong = sorted(high)[0]

    def annotator(name: str) -> Client:
        client = served.person("annotator", name)
        client.get("/projects/1/work")
        client.post("/studies/1", agreed="yes")
        return client

    def second(item: str) -> str:
        return truths[item] if item != wrong else "ABCD"[("ABCD".index(truths[item]) + 1) % 4]

    assert set(verify(annotator("Ann"), second)) == high | drawn  # the first round
    assert verify(annotator("Bob"), second, wrong) == [wrong]  # the second round settles what differs
    progress = unescape(served.person("owner", "Olga").get("/projects/1/progress").text)
    choices = [name for name in high | drawn if truths[name] in "ABCD"]
    first, other = Counter(truths[n] for n in choices), Counter(second(n) for n in choices)
    chance = sum(first[letter] * other[letter] for letter in "ABCD") / len(choices) ** 2
    kappa = ((len(choices) - 1) / len(choices) - chance) / (1 - chance)
    assert re.search(rf"Cohen.s kappa of answers to choices.*?<td[^>]*>\s*{kappa:.2f}\s*<", progress, re.S)
    done = publish(served.site, tmp_path / "verified", "SpatialBench: verification: Verify")
    assert done.items == len(items) - 1  # without what was discarded
    assert '"scoring_profile": "spatialbench"' in (tmp_path / "verified" / "benchmark.json").read_text()

    owner = served.person("owner", "Olaf")
    owner.get("/studies/1/about")
    page = owner.post("/studies/1/next", part="Human level").text
    link = re.search(r"/join/2/[^\"< ]+", page)
    assert link is not None
    told: dict[str, list[str]] = {}
    for person in range(33):
        letters = random.Random(person)

        def given(item: str, letters: random.Random = letters) -> str:
            right = truths[item]
            said = right if letters.random() < 0.7 else (letters.choice("ABCD") if right in "ABCD" else "99")
            told.setdefault(item, []).append(said)
            return said

        asked, breaks = answer_all(served, come(served, link.group(0)), 2, given, practice="")
        assert (len(asked), breaks) == (14, 0)
        assert wrong not in asked
    assert {len(given) for given in told.values()} == {33}
    progress = unescape(owner.get("/projects/2/progress").text)
    alpha = nominal_alpha(list(told.values()))
    assert re.search(rf"Krippendorff.s alpha.*?<td[^>]*>\s*{alpha:.2f}\s*<", progress, re.S)
    assert len(served.told(current_items, 2)) == 14
    runs = export_runs(served.site, tmp_path / "people", "SpatialBench: verification: Human level")
    assert len(runs.folders) == 33
    found = analyze_humans(HumansConfig(runs=tuple(folder.path for folder in runs.folders)))
    assert found.average["score"].people == 33
    (counting,) = [
        name for name, task in tasks.items() if task == "object_counting"
    ]  # anything but the truth is far off
    assert found.average["object_counting"].value == pytest.approx(100 * told[counting].count(truths[counting]) / 33)
