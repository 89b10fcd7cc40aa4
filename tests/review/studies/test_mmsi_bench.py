"""MMSI-Bench's study by its page: writing in its format, reviews, questions that come back, exports, time tiers."""

import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import Client, Serve, Served, run_model
from tolman import benchmarks
from tolman.features.analyses.config import HumansConfig
from tolman.features.analyses.run_analyses import analyze_humans
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.ingest.media_pool import bring_in, read_pool
from tolman.item_table import read_items
from tolman.review.accounts import Person
from tolman.review.console import acts
from tolman.review.console.acts import LEAVE_OUT, REOPEN
from tolman.review.forms import QuestionFormat
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.projects.study_projects import start_named
from tolman.review.store import Project, Task, User
from tolman.review.store.pool import key_of
from tolman.review.tasks import current_items

FORMAT = QuestionFormat(options=4, pictures=2, more_pictures=("MSR",))
CATEGORY = "Attribute (Meas.)"
Pool = dict[str, str]


@pytest.fixture
def served(pool: Path, tmp_path: Path, serve: Serve, database: str | None) -> Served:
    """A server with the study on a new benchmark."""
    running = serve(tmp_path / "fresh", database, pool=pool)
    assert start_named(running.site, "mmsi-bench").links == ()
    return running


def names(pool: Path) -> Pool:
    return {medium.original: key_of(medium) for medium in read_pool(pool)}


def join(served: Served, role: str, name: str, project: int) -> Client:
    """Somebody who has read the instructions of a part and agreed."""
    client = served.person(role, name)
    page = client.get(f"/projects/{project}/work")
    assert page.url.path == f"/studies/{project}", page.text
    client.post(f"/studies/{project}", agreed="1")
    return client


def send(client: Client, path: str, chosen: list[str], **changes: Any) -> Any:
    """Submit a question about some media, whose answer is B."""
    fields = {
        "tab": "one", "seen": "99", "seconds": "3", "category": CATEGORY, "kind": "choice",
        "question": "How long is the table?", "option": ["1 m", "2 m", "3 m", "4 m"], "answer": "B",
        "step": ["The table is as long as two doors are wide.", "A door is 1 m wide, so it is 2 m."], "needed": chosen,
    } | {f"has-{key}": "1" for key in chosen}  # fmt: skip
    return client.post(path, **(fields | changes))


def choose(client: Client, path: str, *chosen: str) -> None:
    for key in chosen:
        client.post(f"{path}/edit", do=f"add:{key}", tab="one", seen=99)


def write(client: Client, chosen: list[str], **changes: Any) -> None:
    path = client.get("/projects/1/work").url.path
    choose(client, path, *chosen)
    done = send(client, path, chosen, **changes)
    assert done.status_code == 200, done.text
    assert done.url.path != path


def next_part(served: Served, owner: Client, project: int, part: str) -> None:
    page = owner.get(f"/studies/{project}/about").text
    assert f"Start the next part: {part}" in page
    owner.post(f"/studies/{project}/next", part=part)


def decide(client: Client, project: int, verdict: str, reason: str = "", **fields: str) -> str:
    """Answer the next question with B and decide; its text."""
    path = client.get(f"/projects/{project}/work").url.path
    assert path.startswith("/review/"), path
    client.post(f"{path}/answer", answer="B", seconds=2)
    assert client.last is not None
    heading = re.search(r'<h1 class="question"[^>]*>.*?<span class="text">(.*?)</span>', client.last.text, re.S)
    done = client.post(f"{path}/decide", verdict=verdict, reason=reason, seconds=3, **fields)
    assert done.status_code == 200, done.text
    assert heading is not None
    return unescape(heading.group(1)).strip()


def shown_problems(page: str) -> list[str]:
    return re.findall(r"In this study [^<]*", unescape(page))


@pytest.mark.parametrize(
    ("task", "options", "media", "sentence"),
    [
        (CATEGORY, "abcd", ["image"] * 2, None),
        ("MSR", "abcd", ["image"] * 5, None),
        (CATEGORY, "ab", ["image"] * 3, "In this study a question of the type 'Attribute (Meas.)' has 4 different options and exactly 2 pictures; this one has 2 options and 3 pictures."),
        ("MSR", "abcd", ["image"], "In this study a question of the type 'MSR' has 2 pictures or more; this one has 1 picture."),
        (CATEGORY, "abcd", ["video"], "In this study a question of the type 'Attribute (Meas.)' has exactly 2 pictures; this one has 0 pictures and 1 video."),
        (CATEGORY, ["x", "X.", "y", "z"], ["image"] * 2, "In this study a question of the type 'Attribute (Meas.)' has 4 different options; this one has 4 options, some alike."),
        (CATEGORY, "", None, "In this study a question has 4 different options; this one has 0 options."),
    ],
)  # fmt: skip
def test_a_format_is_told_in_one_sentence(
    task: str, options: Any, media: list[str] | None, sentence: str | None
) -> None:
    assert FORMAT.problem(task, tuple(options), media) == sentence


@pytest.mark.full
@pytest.mark.parametrize("database", [None])
def test_the_study_takes_questions_in_its_format_alone(served: Served, pool: Path) -> None:
    ann, media = join(served, "annotator", "Ann", 1), names(pool)
    three = [media[f"turn/{n:03d}.png"] for n in (5, 6, 7)]
    path = ann.get("/projects/1/work").url.path
    choose(ann, path, *three)
    refused = send(ann, path, three, option=["1 m", "2 m"])
    assert refused.status_code == 422
    whole = f"In this study a question of the type '{CATEGORY}' has 4 different options and exactly 2 pictures; this one has 2 options and 3 pictures."
    assert whole in shown_problems(refused.text)
    many = send(ann, path, three)
    assert [told.split("; ")[1] for told in shown_problems(many.text)[:1]] == ["this one has 3 pictures."]
    film = next(key for name, key in media.items() if name.endswith(".mp4"))
    for key in three:
        ann.post(f"{path}/edit", do=f"drop:{key}", tab="one", seen=99)
    choose(ann, path, film)
    video = send(ann, path, [film])
    assert "this one has 0 pictures and 1 video." in shown_problems(video.text)[0]
    ann.post(f"{path}/edit", do=f"drop:{film}", tab="one", seen=99)
    choose(ann, path, *three)
    steps = ["The table is as long as two doors.", "A door is 1 m wide.", "So the table is 2 m."]
    assert send(ann, path, three, category="MSR", step=steps).url.path != path


@pytest.mark.full
def test_a_discarded_question_comes_back_is_revised_and_reviewed_again(
    served: Served, pool: Path, tmp_path: Path
) -> None:
    media = names(pool)
    pairs = [[media[f"turn/{n:03d}.png"], media[f"turn/{n + 1:03d}.png"]] for n in range(4, 12, 2)]
    ann, ben = join(served, "annotator", "Ann", 1), join(served, "annotator", "Ben", 1)
    write(ann, pairs[0])
    write(ann, pairs[1], question="How high is the lamp?", category="MSR", step=["a lamp", "is high", "2 m high"])
    write(ben, pairs[2], question="How deep is the shelf?")
    assert "Reviewers about your questions" not in ann.get("/").text
    owner = served.person("owner", "Olga")
    next_part(served, owner, 1, "Review")
    reviewers = [join(served, "reviewer", name, 2) for name in ("Rae", "Rob", "Ron")]
    for number, client in enumerate(reviewers):
        for _ in range(3):
            path = client.get("/projects/2/work").url.path
            client.post(f"{path}/answer", answer="B", seconds=2)
            assert client.last is not None
            if "table" in client.last.text.split("</h1>")[0]:
                reason = ["The pictures do not tell.", "One picture is enough.", "The pictures do not tell."][number]
                client.post(f"{path}/decide", verdict="discard", reason=reason, seconds=2)
            else:
                client.post(f"{path}/decide", verdict="approve", seconds=2)

    home = unescape(ann.get("/").text)
    assert "1 is waiting" in home or "waiting" in home
    assert "Came back to be revised: “How long is the table?” The pictures do not tell.; One picture is enough." in home
    assert "Reviewers about your questions" not in ben.get("/").text
    assert "How long is the table" not in ben.get("/projects/1/work").text  # it is its writer's
    page = ann.get("/projects/1/work")
    assert "A question that came back" in page.text
    assert "One picture is enough." in page.text
    assert ">How long is the table?</textarea>" in page.text
    served.clock.ahead += 8 * 3600  # it is kept for its writer
    assert "A question that came back" not in ben.get("/projects/1/work").text
    refused = send(ann, page.url.path, pairs[0], option=["1 m", "2 m"])
    assert "this one has 2 options." in shown_problems(refused.text)[0]
    again = send(ann, page.url.path, pairs[0], question="How long is the longer table?")
    assert again.url.path != page.url.path, again.text
    home = unescape(ann.get("/").text)
    assert "Discarded, and revised since: “How long is the table?”" in home
    assert "Came back" not in home
    progress = unescape(owner.get("/projects/1/progress").text)
    assert "Questions that came back" in progress

    assert [decide(client, 2, "approve") for client in reviewers] == ["How long is the longer table?"] * 3
    assert all(client.get("/projects/2/work").url.path == "/projects/2/work" for client in reviewers)
    done = publish(served.site, tmp_path / "own-v1", "MMSI-Bench: annotation: Review")
    assert (done.items, done.verdicts) == (3, {"approve": 3})
    texts = {item.question for item in read_items(tmp_path / "own-v1" / "items.parquet")}
    assert texts == {"How long is the longer table?", "How high is the lamp?", "How deep is the shelf?"}
    with served.site.database.read() as db:  # one question, of the same id, in both parts
        revised = db.scalars(select(Task).where(Task.project_id == 1, Task.key.startswith("revise-"))).all()
        assert [task.open for task in revised] == [False]


@pytest.mark.full
@pytest.mark.parametrize("database", [None])
def test_what_is_discarded_twice_comes_back_twice_until_the_owner_leaves_it_out(served: Served, pool: Path) -> None:
    media = names(pool)
    pair = [media["turn/004.png"], media["turn/005.png"]]
    ann = join(served, "annotator", "Ann", 1)
    write(ann, pair)
    owner = served.person("owner", "Olga")
    next_part(served, owner, 1, "Review")
    reviewers = [join(served, "reviewer", name, 2) for name in ("Rae", "Rob", "Ron")]
    for attempt in range(2):
        for client in reviewers:
            decide(client, 2, "discard", f"No {attempt}.")
        page = ann.get("/projects/1/work")
        assert f"No {attempt}." in page.text
        if attempt == 0:
            send(ann, page.url.path, pair, question="How long is the desk?")
    assert ">How long is the desk?</textarea>" in page.text
    keys = sorted(task.key for task in served.scalars(select(Task).where(Task.key.startswith("revise-"))))
    assert [key.rsplit("@")[1] for key in keys] == ["1", "2"]
    with served.site.database.read() as db:
        (version,) = current_items(db, db.get_one(Project, 2))
        olga = db.scalars(select(User).where(User.name == "Olga")).one()
    by = Person(olga.id, olga.name, "owner")
    acts.begin_act(served.site, 2, by, REOPEN, [version.id], reason="Let us see.")
    acts.begin_act(served.site, 2, by, LEAVE_OUT, [version.id], reason="Hopeless.")
    assert "Hopeless" not in ann.get("/").text
    send(ann, page.url.path, pair, question="How long is the bed?")
    assert all(client.get("/projects/2/work").url.path == "/projects/2/work" for client in reviewers)


@pytest.mark.parametrize("database", [None])
def test_a_reviewers_revision_keeps_the_format_and_its_writer_is_told(served: Served, pool: Path) -> None:
    media = names(pool)
    ann = join(served, "annotator", "Ann", 1)
    write(ann, [media["turn/004.png"], media["turn/005.png"]])
    owner = served.person("owner", "Olga")
    next_part(served, owner, 1, "Review")
    reviewers = [join(served, "reviewer", name, 2) for name in ("Rae", "Rob", "Ron")]
    fields = {"question": "How long is this table?", "answer": "B", "reasoning": "Two doors."}
    path = reviewers[0].get("/projects/2/work").url.path
    reviewers[0].post(f"{path}/answer", answer="B", seconds=2)
    refused = reviewers[0].post(f"{path}/decide", verdict="revise", reason="Which?", options="1 m\n2 m", **fields)
    assert refused.status_code == 422
    assert "In this study a question has 4 different options; this one has 2 options." in unescape(refused.text)
    for client in reviewers:
        path = client.get("/projects/2/work").url.path
        client.post(f"{path}/answer", answer="B", seconds=2)
        client.post(f"{path}/decide", verdict="revise", reason="Which?", options="1 m\n2 m\n3 m\n4 m", **fields)
    told = "Revised by reviewers: “How long is the table?” Which?"
    assert told in unescape(ann.get("/").text)


@pytest.mark.full
@pytest.mark.parametrize("database", [None])
def test_the_written_benchmark_is_scored_as_mmsi_bench_with_people_and_models_in_one_table(
    served: Served, pool: Path, tmp_path: Path
) -> None:
    media = names(pool)
    ann = join(served, "annotator", "Ann", 1)
    for number, task in enumerate((CATEGORY, "Motion (Cam.)", "MSR", "MSR")):
        chosen = [media[f"turn/{n:03d}.png"] for n in range(4 + 2 * number, 6 + 2 * number)]
        write(ann, chosen, category=task, question=f"What of {number}?", step=["the first", "the second", "the third"])
    owner = served.person("owner", "Olga")
    next_part(served, owner, 1, "Review")
    for name in ("Rae", "Rob", "Ron"):
        client = join(served, "reviewer", name, 2)
        for _ in range(4):
            again = "What of 3?" in client.get("/projects/2/work").text
            decide(client, 2, "discard" if again else "approve", "It was asked before.")
    publish(served.site, tmp_path / "own-v1", "MMSI-Bench: annotation: Review")
    card = json.loads((tmp_path / "own-v1" / "benchmark.json").read_text())
    assert card["scoring_profile"] == "mmsi-bench"
    opened = benchmarks.get(str(tmp_path / "own-v1"))
    assert opened.scored_like == "MMSI-Bench"
    assert [rules.name for rules in opened.rule_sets] == [r.name for r in benchmarks.get("mmsi-bench").rule_sets]

    next_part(served, owner, 2, "Time tiers")
    with served.site.database.read() as db:
        assert db.get_one(Project, 3).name == "MMSI-Bench: annotation: Time tiers"
    link = re.search(r'/join/3/[^"< ]+', owner.get("/studies/3/about").text)
    assert link is not None
    tiers = {"What of 0?": (5.0, "easy"), "What of 1?": (40.0, "medium"), "What of 2?": (110.0, "hard")}
    for pace in (1.0, 1.5):
        client = served.visitor()
        client.get(link.group(0))
        assert not re.search(r"how\s+hard", client.last.text)  # no page has a control for it
        client.post(client.last.url.path, agreed="1")
        seen = []
        while (page := client.get("/projects/3/work")).url.path.startswith("/study/"):
            (question,) = [question for question in tiers if question in page.text]
            seconds = pace * tiers[question][0]
            served.clock.ahead += seconds
            client.post(page.url.path, answer="B", seconds=seconds, shown="ready")
            seen.append(question)
        assert sorted(seen) == sorted(tiers)  # what was discarded is asked nobody
    done = export_runs(served.site, tmp_path / "people", "MMSI-Bench: annotation: Time tiers")
    assert done.benchmark is not None
    assert json.loads((done.benchmark / "benchmark.json").read_text())["scoring_profile"] == "mmsi-bench"
    people = tuple(folder.path for folder in done.folders)
    found = analyze_humans(HumansConfig(runs=people, out=tmp_path / "tiers"))
    named = {version.item: version.content["question"] for version in served.told(current_items, 3)}
    timed = {named[row["id"]]: row["tier"] for row in found.difficulty.frame.iter_rows(named=True)}
    assert timed == {question: tier for question, (_, tier) in tiers.items()}
    assert len(found.people) == 2
    assert all(figure.value == 100 for figure in found.average.values())
    asked = run_model(tmp_path / "own-v1", "baseline/random", tmp_path / "random")
    shown = report(ReportConfig(runs=(*people, asked))).report  # on the export and in the timed part: one table
    assert {"people, average of 2", "baseline/random"} <= {row.name for row in shown.rows}


@pytest.mark.full
def test_questions_about_a_flat_folder_of_photos_have_intervals(
    pool_folder: Path, tmp_path: Path, serve: Serve
) -> None:
    shutil.copytree(pool_folder.parent / "raw" / "turn", tmp_path / "photos")
    bring_in([tmp_path / "photos"], tmp_path / "pool", source="My photos", licence="CC BY 4.0")
    served = serve(tmp_path / "fresh", pool=tmp_path / "pool")
    start_named(served.site, "mmsi-bench")
    ann, media = join(served, "annotator", "Ann", 1), names(tmp_path / "pool")
    for number in range(8):
        chosen = [media[f"{n:03d}.png"] for n in range(4 + 2 * number, 6 + 2 * number)]
        write(ann, chosen, question=f"What of {number}?", step=["the first", "the second", "the third"])
    publish(served.site, tmp_path / "out")
    scenes = {item.scene for item in read_items(tmp_path / "out" / "items.parquet")}
    assert scenes == {f"My photos/{4 + 2 * n:03d}.png" for n in range(8)}
    asked = run_model(tmp_path / "out", "baseline/random", tmp_path / "random")
    rows = [row for row in report(ReportConfig(runs=(asked,))).report.rows if row.name == "baseline/random"]
    assert all(row.figures["average"].interval is not None for row in rows)
    assert rows
