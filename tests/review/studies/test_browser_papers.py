"""The papers' studies from their files, in Chromium: what people did comes out as the papers' tables of people."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from making import make_pool
from reviewing import Client, Served, enter, serving, settings_of, until
from tolman.benchmarks.site.site_rows import CATEGORIES
from tolman.features.analyses.config import HumansConfig
from tolman.features.analyses.run_analyses import analyze_humans
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review.projects.project_export import export_runs
from tolman.review.projects.study_projects import start_named
from tolman.review.server import owner_link
from tolman.review.store.schema import Project
from tolman.review.studies.study_records import records
from tolman.review.tasks.work import current_items

pytestmark = pytest.mark.full
BY_KEYBOARD = 6
"""Questions that each person answers in the browser by keyboard; the rest is sent as a browser sends it."""


def make(folder: Path, profile: str, tasks: dict[str, int], kinds: tuple[str, ...] = ()) -> Path:
    """A benchmark scored like a paper's, with so many questions of each task about one small picture."""
    (folder / "images").mkdir(parents=True)
    Image.new("RGB", (32, 24), "blue").save(folder / "images" / "a.png")
    drawn = random.Random(0)
    made = []
    for task, count in tasks.items():
        for number in range(count):
            options = [f"{task} thing {number} {letter}" for letter in ("one", "two", "three", "four")]
            fields: dict[str, Any] = {"kind": "choice", "options": options, "answer": drawn.choice("ABCD")}
            if task in kinds:
                fields = {"kind": "number", "unit": "count", "answer": str(drawn.randrange(2, 9))}
            made.append(
                Item.model_validate(
                    {
                        "id": f"{task} {number}", "question": f"What of {task} {number}?", "task": task, "scene": f"s{number}",
                        "media": [{"kind": "image", "path": "images/a.png"}], "labels": {"category": task}, **fields,
                    }
                )
            )  # fmt: skip
    write_items(folder / "items.parquet", made)
    (folder / "benchmark.json").write_text(
        f'{{"name": "{folder.name}", "title": "Like {profile}", "scoring_profile": "{profile}"}}'
    )
    return folder


def cookie_client(page: Any, served: Served) -> Client:
    """The browser's own session without the browser."""
    (cookie,) = [c["value"] for c in page.context.cookies() if c["name"] == "tolman"]
    client = served.visitor()
    client.http.cookies.set("tolman", cookie)
    return client


def question_of(text: str) -> str:
    """The id of the question that a page asks: its words after 'What of'."""
    found = re.search(r"What of (.+?)\?", unescape(text))
    assert found is not None
    return found.group(1)


def by_keyboard(page: Any, answer: str) -> None:
    before = page.locator("h1.question").inner_text()
    until(page, lambda: page.locator("[data-shown-state]").input_value() == "ready")
    if page.locator("#answer").count():
        page.locator("#answer").fill(answer)
    else:
        page.keyboard.press(answer.lower())
    page.keyboard.press("Enter")
    page.locator("main h1", has_not_text=before).first.wait_for()


def begin(page: Any, link: str) -> None:
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Begin").click()
    page.locator("h1.question").first.wait_for()


def go_through(
    page: Any, served: Served, project: int, answer: Any, *, skip: tuple[str, ...] = (), seconds: Any = None,
    keyboard: int = BY_KEYBOARD, rests: list[str] | None = None,
) -> list[str]:  # fmt: skip
    """Answer all there is: the first by keyboard, the rest over HTTP in the same session, the end in the browser."""
    asked = []
    for _ in range(keyboard):
        if not page.locator("h1.question").count():
            break
        asked.append(question_of(page.locator("h1.question").inner_text()))
        by_keyboard(page, answer(asked[-1]))
    client = cookie_client(page, served)
    client.get("/account")
    while not (shown := client.get(f"/projects/{project}/work")).url.path.endswith("/end"):
        path = shown.url.path
        if path.endswith("/break"):
            client.post(path)
            if rests is not None:
                rests.append(path)
            continue
        asked.append(question_of(shown.text))
        served.clock.ahead += 3 if seconds is None else seconds(asked[-1])
        if asked[-1] in skip:
            client.post(f"{path}/skip", reason="can't tell")
        else:
            spent = 3 if seconds is None else seconds(asked[-1])
            client.post(path, answer=answer(asked[-1]), seconds=spent, shown="ready")
    page.goto(f"/projects/{project}/work")
    page.get_by_text("You have come to the end").wait_for()
    return asked


@pytest.fixture
def site_served(tmp_path: Path) -> Iterator[Served]:
    bench = make(tmp_path / "likesite", "site", dict.fromkeys(CATEGORIES, 53))
    settings, clock = settings_of(bench, tmp_path / "store", None)
    with serving(settings, clock) as running:
        yield running


def test_sites_human_level_by_seven_people_of_fifty_questions_a_task(
    browser: Any, site_served: Served, tmp_path: Path
) -> None:
    served = site_served
    (path,) = start_named(served.site, "site").links
    truths = {item.id: item.answer for item in served.site.loaded.items}
    wrong: list[dict[str, bool]] = []
    rests: list[str] = []
    for person in range(7):
        context = browser.new_context(base_url=served.url, viewport={"width": 1180, "height": 760})
        page = context.new_page()
        begin(page, served.url + path)
        page.keyboard.press("a" if person == 6 else "c")  # the last one has to practise once more
        page.keyboard.press("Enter")
        page.get_by_text("From left to right: cup, bowl, plate.").wait_for()
        page.get_by_role("link", name="Go on").click()
        if person == 6:
            page.get_by_role("button", name="Submit").wait_for()
            page.keyboard.press("c")
            page.keyboard.press("Enter")
            page.get_by_text("Right. You answered").wait_for()
            page.get_by_role("link", name="Go on").click()
        page.get_by_text("1 of 300", exact=True).wait_for()
        drawn = random.Random(person)
        missed = {item: drawn.random() < 0.1 + 0.05 * person for item in truths}
        wrong.append(missed)

        def answer(item: str, missed: dict[str, bool] = missed) -> str:
            return "ABCD"[("ABCD".index(truths[item]) + missed[item]) % 4]

        skip = (f"{CATEGORIES[0]} 7", f"{CATEGORIES[0]} 8") if person == 2 else ()
        before = len(rests)
        asked = go_through(page, served, 1, answer, skip=skip, rests=rests)
        assert len(rests) - before == 3  # after 75, 150 and 225 questions
        assert len(asked) == len(set(asked)) == 300
        assert all(sum(one.startswith(f"{task} ") for one in asked) == 50 for task in CATEGORIES)
        missed_here = {item: missed[item] for item in asked if item not in skip}
        wrong[-1] = missed_here
        context.close()
    done = export_runs(served.site, tmp_path / "people")
    assert len(done.folders) == 7
    assert not done.excluded
    found = analyze_humans(HumansConfig(runs=tuple(folder.path for folder in done.folders)))
    assert len(found.people) == 7
    columns = [column.key for column in found.columns][1:7]
    assert columns == ["count", "loc", "3d_inf", "multiv", "rel", "mov"]
    for column, task in zip(columns, CATEGORIES, strict=True):
        # Chance-adjusted accuracy of four options: (right - 1/4) / (1 - 1/4), averaged over people.
        own = [[bad for item, bad in missed.items() if item.startswith(f"{task} ")] for missed in wrong]
        figures = [100 * (1 - sum(bads) / len(bads) - 0.25) / 0.75 for bads in own]
        assert found.average[column].value == pytest.approx(sum(figures) / 7, abs=1e-6), task
        assert found.average[column].people == 7
        assert found.average[column].interval is not None
    assert found.difficulty is not None
    shown = report(ReportConfig(runs=tuple(folder.path for folder in done.folders))).report
    (together,) = [row for row in shown.rows if row.name == "people, average of 7"]
    assert together.figures["overall"].value == pytest.approx(found.average["overall"].value)
    assert together.figures["overall"].interval is not None
    assert any("skipped 2 of 2,100 questions" in note for note in shown.notes)


@pytest.fixture
def mmsi_served(tmp_path: Path) -> Iterator[Served]:
    settings, clock = settings_of(tmp_path / "fresh", tmp_path / "store", None, pool=make_pool(tmp_path / "media"))
    with serving(settings, clock) as running:
        yield running


def write_one(page: Any, number: int, pictures: tuple[str, str]) -> None:
    """Write question `number`, whose answer is B."""
    page.get_by_text("Choose what the question is about").wait_for()
    for name in pictures:
        page.get_by_label("Words", exact=True).fill(name)
        page.get_by_text("1 found").wait_for()
        page.get_by_role("button", name=f"Choose {name}", exact=True).press("Enter")
        page.get_by_role("img", name=name).first.wait_for()
    for place in (0, 1):
        page.get_by_role("checkbox", name="Without this picture").nth(place).press("Space")
    page.get_by_label("Category").select_option("Motion (Cam.)")
    page.get_by_label("Question (write").fill(f"What of motion {number}?")
    for letter, text in zip("ABCD", ("left", "right", "up", "not at all"), strict=True):
        page.get_by_label(f"Option {letter}", exact=True).fill(f"{text} {number}")
    page.get_by_role("radio", name="B is right").press("Space")
    page.get_by_label("Step 1", exact=True).fill("The lamp moves to the left, so the camera turned to the right.")
    page.get_by_label("Type of step 1").select_option("grounding")
    page.get_by_text("Nothing is missing").wait_for()
    page.get_by_role("button", name="Submit the question").press("Enter")
    page.get_by_text(f"{number % 2 + 2} of", exact=False).first.wait_for()


def person(browser: Any, served: Served, role: str, name: str) -> Any:
    context = browser.new_context(base_url=served.url, viewport={"width": 1180, "height": 1000})
    page = context.new_page()
    enter(page, served, role, name)
    return page


def told_first(page: Any, project: int) -> None:
    """Nobody works before they have read the instructions."""
    page.goto(f"/projects/{project}/work")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Begin").click()


def test_mmsis_annotation_from_writing_to_time_tiers(browser: Any, mmsi_served: Served, tmp_path: Path) -> None:
    served = mmsi_served
    assert start_named(served.site, "mmsi-bench").links == ()  # nobody answers yet
    for name, numbers in (("Ann", (0, 1)), ("Ben", (2, 3))):
        page = person(browser, served, "annotator", name)
        told_first(page, 1)
        for number in numbers:
            write_one(page, number, (f"turn/{2 * number + 4:03d}.png", f"turn/{2 * number + 5:03d}.png"))
        if name == "Ann":
            page.context.close()
    ben = page
    owner = browser.new_context(base_url=served.url).new_page()
    owner.goto(owner_link(served.site, served.url))
    owner.get_by_role("button", name="Sign in").click()
    owner.get_by_role("link", name="Study of MMSI-Bench: annotation: Write").click()
    owner.get_by_role("button", name="Start the next part: Review").click()
    owner.get_by_role("heading", name="MMSI-Bench: annotation: Review").wait_for()

    for name in ("Rae", "Rob", "Ron"):
        page = person(browser, served, "reviewer", name)
        told_first(page, 2)
        for _ in range(4):
            page.get_by_role("button", name="Answer and compare").wait_for()
            number = question_of(page.locator("h1.question").inner_text())
            until(page, lambda page=page: page.locator("[data-shown-state]").input_value() == "ready")
            page.keyboard.press("b")
            page.keyboard.press("Enter")
            page.get_by_role("button", name="Decide").wait_for()
            page.locator("h1.question").focus()
            before = page.url
            if number == "motion 3":
                page.keyboard.press("d")
                page.get_by_label("Reason", exact=True).fill("One picture is enough.")
                page.get_by_role("button", name="Decide").click()
            else:
                page.keyboard.press("p")
                page.keyboard.press("Enter")
            until(page, lambda page=page, before=before: page.url != before)
        page.get_by_role("heading", name="Nothing is left to do").wait_for()
        page.context.close()
    with served.site.database.read() as db:
        assert len(current_items(db, db.get_one(Project, 2))) == 4
    ben.goto("/")
    ben.get_by_text("Came back to be revised: “What of motion 3?” One picture is enough.").wait_for()
    ben.get_by_role("link", name="Go on with MMSI-Bench: annotation: Write").click()
    ben.get_by_role("heading", name="A question that came back").wait_for()
    ben.get_by_text("One picture is enough.").wait_for()
    assert ben.get_by_label("Question (write").input_value() == "What of motion 3?"
    ben.get_by_role("button", name="One more option").click()
    ben.get_by_text("this one has 5 options.").wait_for()
    ben.context.close()
    owner.goto("/studies/2/about")
    owner.get_by_role("button", name="Start the next part: Time tiers").click()
    owner.get_by_role("heading", name="MMSI-Bench: annotation: Time tiers").wait_for()
    link = owner.get_by_label("The link for people").input_value()

    slow = {"motion 0": 5.0, "motion 1": 40.0, "motion 2": 110.0}
    for pace in (1.0, 1.5):
        page = browser.new_context(base_url=served.url).new_page()
        begin(page, link)
        asked = go_through(
            page, served, 3, lambda item: "B", keyboard=0, seconds=lambda item, pace=pace: pace * slow[item]
        )
        assert sorted(asked) == sorted(slow)  # what was discarded is asked nobody
        page.context.close()
    done = export_runs(served.site, tmp_path / "people")
    assert done.benchmark == tmp_path / "people-benchmark"
    found = analyze_humans(HumansConfig(runs=tuple(folder.path for folder in done.folders), out=tmp_path / "tiers"))
    assert found.difficulty is not None
    with served.site.database.read() as db:
        named = {v.item: v.content["question"] for v in current_items(db, db.get_one(Project, 3))}
    tiers = {named[row["id"]]: row["tier"] for row in found.difficulty.frame.iter_rows(named=True)}
    assert tiers == {"What of motion 0?": "easy", "What of motion 1?": "medium", "What of motion 2?": "hard"}
    assert len(found.people) == 2
    assert all(figure.value == 100 for figure in found.average.values())


@pytest.fixture
def spatialbench_served(tmp_path: Path) -> Iterator[Served]:
    tasks = {"object_counting": 2, "relative_direction": 2, "affordance": 2}
    bench = make(tmp_path / "likespatial", "spatialbench", tasks, kinds=("object_counting",))
    settings, clock = settings_of(bench, tmp_path / "store", None)
    with serving(settings, clock) as running:
        yield running


def test_spatialbenchs_two_rounds_and_its_human_level(
    browser: Any, spatialbench_served: Served, tmp_path: Path
) -> None:
    served = spatialbench_served
    assert start_named(served.site, "spatialbench").links == ()
    truths = {item.id: item.answer for item in served.site.loaded.items}
    first, wrong = "affordance 0", "affordance 1"

    page = person(browser, served, "annotator", "Ann")
    told_first(page, 1)
    for _ in truths:
        page.get_by_role("button", name="Answer and compare").wait_for()
        item = question_of(page.locator("h1.question").inner_text())
        until(page, lambda: page.locator("[data-shown-state]").input_value() == "ready")
        answer = truths[item] if item != wrong else "ABCD"[("ABCD".index(truths[item]) + 1) % 4]
        if page.locator("#answer").count():
            page.locator("#answer").fill(answer)
        else:
            page.keyboard.press(answer.lower())
        page.get_by_label("Key frames").fill("1")
        page.get_by_label("What settles it").fill("It is seen in the picture.")
        page.get_by_role("button", name="Answer and compare").click()
        page.get_by_role("button", name="Decide").wait_for()
        for box in page.locator("input[name=fine]").all():
            box.check()
        if item == first:
            page.locator("input[name=fine]").first.uncheck()
            page.get_by_label("Problem with point 1").fill("The picture is dark.")
        page.locator("input[name=verdict][value=approve]").check()
        before = page.url
        page.get_by_role("button", name="Decide").click()
        until(page, lambda before=before: page.url != before)
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    page.context.close()

    page = person(browser, served, "annotator", "Bob")
    told_first(page, 1)
    third = []
    while not page.get_by_role("heading", name="Nothing is left to do").count():
        page.get_by_role("heading", name="You have the last word").wait_for()
        third.append(question_of(page.locator("h1.question").inner_text()))
        for box in page.locator("input[name=fine]").all():
            box.check()
        verdict = "discard" if third[-1] == wrong else "approve"
        page.locator(f"input[name=verdict][value={verdict}]").check()
        if verdict == "discard":
            page.get_by_label("Reason", exact=True).fill("It can't be told.")
        before = page.url
        page.get_by_role("button", name="Decide").click()
        until(page, lambda before=before: page.url != before)
        until(page, lambda: page.locator("h1").count() > 0)
    assert sorted(third) == [first, wrong]
    page.context.close()

    owner = browser.new_context(base_url=served.url).new_page()
    owner.goto(owner_link(served.site, served.url))
    owner.get_by_role("button", name="Sign in").click()
    owner.get_by_role("heading", name="Work", exact=True).wait_for()
    owner.goto("/studies/1/about")
    owner.get_by_role("button", name="Start the next part: Human level").click()
    owner.get_by_role("heading", name="SpatialBench: verification: Human level").wait_for()
    link = owner.get_by_label("The link for people").input_value()
    for number in range(3):
        page = browser.new_context(base_url=served.url).new_page()
        begin(page, link)

        def answer(item: str, number: int = number) -> str:
            if item.startswith("object_counting"):
                return str(int(truths[item]) * (1 + number))
            return truths[item]

        spent = {item: 4.0 + 3 * place for place, item in enumerate(truths)}
        assert wrong not in go_through(page, served, 2, answer, keyboard=1, seconds=spent.__getitem__)
        page.context.close()
    done = export_runs(served.site, tmp_path / "people")
    assert (len(done.folders), done.excluded, done.benchmark) == (3, {}, None)
    found = analyze_humans(HumansConfig(runs=tuple(folder.path for folder in done.folders)))
    assert found.average["object_counting"].value == pytest.approx(100 / 3)
    assert found.average["relative_direction"].value == 100
    assert found.average["score"].people == 3
    with served.site.database.read() as db:
        assert all(not one.excluded for one in records(db, db.get_one(Project, 2)))
