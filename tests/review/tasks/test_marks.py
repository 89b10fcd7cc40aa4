"""Answers that may not rest on what was asked: marked, shown, left out where somebody wants that."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sqlalchemy import select

from reviewing import TRUTHS, Served, answer_all, item_on, items, review
from tolman.features.review.compute import export_review_runs, export_reviewed
from tolman.features.review.config import ReviewConfig
from tolman.features.review.render import show_exported, show_marked
from tolman.review.modes.answering import answers
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.store import Assignment, Project, Submission, Task
from tolman.review.tasks.decisions import agreement, votes_of


def _marks(served: Served) -> dict[str, list[str]]:
    with served.site.database.read() as db:
        rows = db.execute(select(Task.key, Submission.marks).join(Task, Task.id == Submission.task_id))
        return {key.split("@")[0]: marks for key, marks in rows}


def _one_by_one(served: Served, project: int, fields: dict[str, dict[str, str]], name: str = "Sam") -> None:
    """Answer all questions, each with its own fields, a minute after it was asked unless it says otherwise."""
    sam = served.person("subject", name)
    for _ in items():
        page = sam.get(f"/projects/{project}/work")
        own = {"seconds": "30", "shown": "ready", "after": "60"} | fields.get(item_on(sam), {})
        served.clock.ahead += float(own.pop("after"))
        sam.post(page.url.path, answer="2" if "inputmode" in page.text else "B", **own)


FIELDS = {
    "count": {"seconds": "1.5"},
    "size": {"shown": "waiting"},
    "order": {"shown": "", "seconds": "2.9"},
    "which": {"after": "0"},  # the browser tells of half a minute that has not passed
}


def test_answers_are_marked_by_time_and_by_what_could_be_seen(served: Served) -> None:
    project = served.project("answer", least_seconds=3)
    _one_by_one(served, project, FIELDS)
    assert _marks(served) == {
        "count": ["fast"], "size": ["unseen"], "order": ["fast", "unseen"], "which": ["fast"], "pair": [], "script": [],
    }  # fmt: skip
    owner = served.person("owner", "Olga")
    progress = owner.get(f"/projects/{project}/progress").text
    assert "faster than 3 s" in progress
    assert re.search(r"Sam</th><td>6</td><td>3</td><td>2</td><td>4</td>", progress)


def test_without_a_least_time_nothing_is_too_fast(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer", least_seconds=0)
    _one_by_one(served_sqlite, project, FIELDS)
    assert {item for item, marks in _marks(served_sqlite).items() if marks} == {"order", "size"}


@pytest.mark.parametrize("database", [None])
def test_an_export_leaves_marked_answers_out_and_says_so(served: Served, tmp_path: Path) -> None:
    project = served.project("answer", least_seconds=3)
    _one_by_one(served, project, FIELDS)
    _one_by_one(served, project, {}, "Sue")
    with served.site.database.read() as db:
        found = db.get_one(Project, project)
        assert {name: len(own) for name, own in answers(db, found).items()} == {"Sam": 6, "Sue": 6}
    written = export_runs(served.site, tmp_path / "all")
    runs, marked = written.folders, written.marked
    assert [len(list(run.outcomes())) for run in runs] == [6, 6]
    told = "4 of 6 answers (3 faster than 3 s, 2 before the media had loaded)"
    assert marked == {"Sam": told}
    written = export_runs(served.site, tmp_path / "some", without_marked=True)
    runs, marked = written.folders, written.marked
    assert [{one.id for one in run.outcomes()} for run in runs] == [{"pair", "script"}, set(TRUTHS)]
    assert marked == {"Sam": told}
    assert runs[0].record().settings.model_settings["left_out"] == told


def test_the_command_says_what_it_left_out(served_sqlite: Served, benchmark: Path, tmp_path: Path) -> None:
    project = served_sqlite.project("answer", least_seconds=3)
    _one_by_one(served_sqlite, project, FIELDS)
    config = ReviewConfig(benchmark=str(benchmark), store=served_sqlite.site.settings.store)
    said = {}
    for without in (True, False):
        console = Console(file=io.StringIO(), width=200)
        written = export_review_runs(replace(config, runs=tmp_path / str(without), without_marked=without))
        show_marked(console, written)
        said[without] = console.file.getvalue()
    assert "Sam: left out 4 of 6 answers (3 faster than 3 s, 2 before the media had loaded)." in said[True]
    assert "--without-marked leaves them out" in said[False]


def test_reviewers_marked_answers_are_left_out_of_the_agreement(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    review(served.person("reviewer", "Ann"), project, order="C")  # at once, and no browser that tells of media
    bob = served.person("reviewer", "Bob")
    while (page := bob.get(f"/projects/{project}/work")).url.path.startswith("/review/"):
        served.clock.ahead += 60
        bob.post(f"{page.url.path}/answer", answer=TRUTHS[item_on(bob)], seconds=30, shown="ready")
        bob.post(f"{page.url.path}/decide", verdict="approve")
    votes = served.told(votes_of, project)
    assert {vote.person for vote in votes if vote.marks} == {"Ann"}
    assert (agreement(votes).with_truth, agreement(votes).marked) == (7 / 8, 0)
    left = agreement(votes, without_marked=True)
    assert (left.with_truth, left.marked, left.reviews) == (1.0, 6, 0)
    assert publish(served.site, tmp_path / "a", without_marked=True).marked == 6
    told = json.loads((tmp_path / "a" / "review.json").read_text())["agreement"]
    assert (told["marked"], told["reviews"]) == (6, 0)
    assert told["verdicts_alpha"] == {"value": None, "n": 0, "interval": None, "reason": "0 items"}


def test_reviewed_benchmarks_say_how_many_answers_are_marked(
    served_sqlite: Served, benchmark: Path, tmp_path: Path
) -> None:
    project = served_sqlite.project("review", people=1)
    review(served_sqlite.person("reviewer", "Ann"), project)
    config = ReviewConfig(benchmark=str(benchmark), store=served_sqlite.site.settings.store, export=tmp_path / "out")
    console = Console(file=io.StringIO(), width=200)
    show_exported(console, export_reviewed(config), as_json=False)
    assert "6 reviewers' answers are marked and count like all others" in console.file.getvalue()


def test_a_coefficient_of_few_questions_stands_with_n_and_without_an_interval(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    for name in ("Sam", "Sue"):
        person = served_sqlite.person("subject", name)
        page = person.get(f"/projects/{project}/work")
        person.post(page.url.path, answer="2" if "inputmode" in page.text else ("A" if name == "Sam" else "B"))
    owner = served_sqlite.person("owner", "Olga")
    text = owner.get(f"/projects/{project}/progress").text
    assert re.search(r"alpha of the answers</th><td>–</td><td>none: 1 item</td><td>1</td>", text)


def test_a_reported_task_goes_to_somebody_else_and_comes_back_when_it_is_mended(served: Served) -> None:
    project = served.project("review", people=1)
    ann, bob, owner = (served.person(r, n) for r, n in (("reviewer", "Ann"), ("reviewer", "Bob"), ("owner", "Olga")))
    path = ann.get(f"/projects/{project}/work").url.path
    item, number = item_on(ann), path.split("/")[-1]
    assert bob.post(f"/tasks/{number}/report").status_code == 404
    assert ann.post(f"{path}/answer", answer="A", shown="broken").status_code == 422
    ann.post(f"/tasks/{number}/report", note="all black")
    ann.post(f"/tasks/{number}/report", note="twice")
    assert ann.last.url.path != path
    assert ann.post(f"{path}/answer", answer="A").status_code == 409
    assert ann.get(path).status_code == 409
    assert item in review(bob, project)
    progress = owner.get(f"/projects/{project}/progress").text
    assert "all black" in progress
    assert "twice" not in progress
    assert ann.post(f"/projects/{project}/reported").status_code == 403
    owner.post(f"/projects/{project}/reported")
    with served.site.database.read() as db:
        assert db.scalar(select(Assignment.state).where(Assignment.id == int(number))) == "held"


def test_what_was_submitted_cannot_be_reported_away(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    sam = served_sqlite.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    sam.post(path, answer="2" if "inputmode" in sam.last.text else "B")
    sam.post(f"/tasks/{path.split('/')[-1]}/report")
    with served_sqlite.site.database.read() as db:
        assert db.scalar(select(Assignment.state).where(Assignment.id == int(path.split("/")[-1]))) == "done"
    assert len(answer_all(sam, project, {"count": "2", "size": "2"})) == len(items()) - 1
