"""Projects that are started part after part.

Corrections of boxes as a form sends them.

What leaves the database: runs of people, and a benchmark with its history; another round begins with it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import func, select
from typer.testing import CliRunner

from reviewing import TRUTHS, Clock, Serve, Served, answer_all, items, review, run_model, serving, settings_of
from tolman import benchmarks
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.ground_truth.corrections import Absent, BoxIs, CategoryIs, correct
from tolman.item_table import read_items, write_items
from tolman.reports.loaded_runs import load_runs
from tolman.review import projects
from tolman.review.projects.flag_corrections import CorrectionError, in_words, read_boxes
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.server_settings import ReviewSettings
from tolman.review.site import Site, open_site
from tolman.review.store import ItemVersion, Project, Starting, Task, TaskMedium
from tolman.scenes import OrientedBox, Scene, SceneObject, TrackPoint


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A benchmark of five parts and a bit; its media aren't looked at."""
    folder = tmp_path / "large"
    folder.mkdir()
    base = items()[2]
    write_items(folder / "items.parquet", [base.model_copy(update={"id": f"q{n:04}"}) for n in range(23)])
    (folder / "benchmark.json").write_text('{"name": "large", "title": "Large"}', encoding="utf-8")
    return folder


def _counts(site: Site) -> tuple[int, int, int]:
    with site.database.read() as db:
        items, tasks, media = (
            db.scalar(select(func.count()).select_from(table)) for table in (ItemVersion, Task, TaskMedium)
        )
    return items, tasks, media


def test_a_large_project_is_made_once_though_the_server_dies_in_between(
    large: Path, tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PART", 5)
    monkeypatch.setattr(projects, "resume", lambda site, stopped=None: None)  # nothing goes on by itself
    settings, _ = settings_of(large, tmp_path / "store", database)
    site = open_site(settings)
    number = projects.begin_starting(site, "Large", "review", {"people": 2}, None)
    assert _counts(site) == (0, 0, 0)
    assert projects.next_part(site, number)
    site.database.close()  # gone
    site, other = open_site(settings), open_site(settings)  # two processes go on at once
    assert projects.next_part(site, number)
    assert projects.next_part(other, number)
    with site.database.read() as db:
        row = projects.starting_under_way(db)[number]
        assert (row.done, row.total, row.problem) == (15, 23, "")
        assert not db.get_one(Project, number).open
    while projects.next_part(site, number):
        pass
    assert not projects.next_part(other, number)
    assert _counts(site) == (23, 23, 23)
    with site.database.read() as db:
        assert db.get_one(Project, number).open
        assert set(db.scalars(select(Task.wanted))) == {2}
        assert db.scalars(select(Starting)).all() == []
    site.database.close()
    other.database.close()


@pytest.mark.full
def test_others_work_while_a_project_is_started_and_the_page_tells_how_far_it_is(
    large: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PART", 5)
    served = serve(large)
    going_on = projects.resume
    monkeypatch.setattr(projects, "resume", lambda site, stopped=None: None)
    owner, sam = served.person("owner", "O"), served.person("subject", "Sam")
    assert owner.post("/projects", name="Large", mode="answer").status_code == 200
    projects.next_part(served.site, 1)
    page = owner.get("/").text
    assert "5 of 23 questions" in page
    assert owner.post("/projects/1/open", open="true").status_code == 409
    assert sam.get("/projects/1/work").url.path == "/projects/1/work"  # nothing to do yet
    thread = going_on(served.site)
    assert thread is not None
    thread.join(120)
    assert "of 23 questions" not in owner.get("/").text
    assert sam.get("/projects/1/work").url.path.startswith("/answer/")


AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _box(x: float) -> OrientedBox:
    return OrientedBox(center=(x, 0.0, 0.5), axes=AXES, extents=(1.0, 1.0, 1.0))


def _scene() -> Scene:
    track = (TrackPoint(seconds=0.0, center=(5.0, 0.0, 0.5), axes=AXES),)
    things = (
        SceneObject(id="a", category="chair", box=_box(0)),
        SceneObject(id="b", category="table", box=_box(3)),
        SceneObject(id="c", category="robot", box=_box(5), track=track),
    )
    return Scene(id="s", dataset="d", objects=things, counts={"chair": 1, "table": 1, "robot": 1})


def _change(identity: str, name: str, box: OrientedBox | None) -> dict[str, Any]:
    return {"object": identity, "name": name, "box": None if box is None else box.model_dump()}


def test_each_change_is_a_fact_and_what_is_as_it_was_is_none() -> None:
    changes = [
        _change("a", "chair", _box(0)),
        _change("a", " arm\u0000 chair ", _box(0)),
        _change("b", "table", _box(2)),
        _change("", "lamp", _box(7)),
    ]
    facts = read_boxes(json.dumps(changes[1:]), _scene(), "seen")
    assert facts == [
        CategoryIs(scene="s", object="a", category="arm\ufffd chair", note="seen"),
        BoxIs(scene="s", object="b", category="table", box=_box(2), note="seen"),
        BoxIs(scene="s", object="added-6", category="lamp", box=_box(7), note="seen"),
    ]
    assert correct(_scene(), facts).counts == {"arm\ufffd chair": 1, "table": 1, "robot": 1, "lamp": 1}
    assert "table b at 2.00, 0.00, 0.50 m" in in_words(facts)
    assert read_boxes(json.dumps([{"object": "b"}]), _scene(), "") == [Absent(scene="s", object="b")]
    assert read_boxes(json.dumps([_change("c", "drone", _box(5))]), _scene(), "")[0].fact == "category"
    with pytest.raises(CorrectionError, match="Nothing is changed"):
        read_boxes(json.dumps(changes[:1]), _scene(), "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "can't be read"),
        ('[{"object": "a", "name": "x", "box": {"center": [0, 0, 0]}}]', "can't be read"),
        (json.dumps([_change("z", "x", _box(0))]), "no object 'z'"),
        (json.dumps([_change("", "  ", _box(0))]), "needs a name"),
        (json.dumps([_change("c", "robot", _box(6))]), "moves"),
        (json.dumps([{"object": ""}] * 1001), "1001 objects"),
    ],
)
def test_what_is_no_change_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(CorrectionError, match=said):
        read_boxes(text, _scene(), "")


def test_an_axis_that_is_no_rotation_is_refused() -> None:
    change = _change("b", "table", _box(2))
    change["box"]["axes"] = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(CorrectionError, match="no rotation"):
        read_boxes(json.dumps([change]), _scene(), "")


def _answer(served: Served, project: int, name: str, answers: dict[str, str]) -> None:
    answer_all(served.person("subject", name), project, answers)


def test_subjects_are_runs_that_are_scored_and_reported_like_any_other(
    served: Served, benchmark: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no project"):
        export_runs(served.site, tmp_path / "people")
    project = served.project("answer")
    _answer(served, project, "Sam", TRUTHS)
    _answer(served, project, "Sue B.", {**TRUTHS, "order": "C", "count": "4"})
    half = served.person("subject", "Hal")
    page = half.get(f"/projects/{project}/work")
    half.post(page.url.path, answer="1" if "inputmode" in page.text else "A", seconds=1)

    folders = export_runs(served.site, tmp_path / "people").folders
    assert [folder.path.name for folder in folders] == ["Hal", "Sam", "Sue-B-"]
    runs = {r.record.settings.model: r for r in load_runs([folder.path for folder in folders])}
    cells = {name: r.figures["rule_sets"]["careful"]["cells"] for name, r in runs.items()}
    assert cells["human/Sam"]["average"]["value"] == 100
    assert cells["human/Sue B."]["obj_appearance_order"]["value"] == 0
    assert runs["human/Hal"].figures["unanswered"] == {"failed": 0, "missing": len(items()) - 1}
    assert all(outcome.seconds == 2 for outcome in folders[1].outcomes())

    page = half.get(f"/projects/{project}/work")
    half.post(page.url.path, answer="1" if "inputmode" in page.text else "A", seconds=1)
    again, *_ = export_runs(served.site, tmp_path / "people").folders
    assert len([*again.outcomes()]) == 2

    model = run_model(benchmark, "baseline/most-frequent", tmp_path / "model")
    told = CliRunner().invoke(app, ["report", str(model), *(str(f.path) for f in folders), "--format", "markdown"])
    assert told.exit_code == 0, told.output
    assert "human/Sam" in told.output
    assert "baseline/most-frequent" in told.output
    told = CliRunner().invoke(
        app, ["analyze", "humans", *(str(f.path) for f in folders[1:]), "--cuts", "1,3", "--json"]
    )
    assert told.exit_code == 0, told.output
    assert set(json.loads(told.output)["people"]) == {"Sam", "Sue B."}


def test_a_reviewed_benchmark_carries_its_history_and_can_be_reviewed_again(
    served: Served, benchmark: Path, tmp_path: Path
) -> None:
    project = served.project("review", people=2)
    ann, bob, cat = (served.person("reviewer", name) for name in ("Ann", "Bob", "Cat"))
    with pytest.raises(UsageError, match="--undecided"):
        publish(served.site, tmp_path / "second")
    review(
        ann,
        project,
        {"order": {"verdict": "discard", "reason": "unclear"}, "which": {"verdict": "discard", "reason": "x"}},
    )
    review(bob, project, {"which": {"verdict": "discard", "reason": "x"}}, pair="A")
    review(cat, project)
    done = publish(served.site, tmp_path / "second")
    assert (done.items, done.verdicts, done.version) == (5, {"approve": 5, "discard": 1}, 2)
    out = {item.id: item for item in read_items(tmp_path / "second" / "items.parquet")}
    assert set(out) == set(TRUTHS) - {"which"}
    told = out["order"].evidence["review"]
    assert (told["verdict"], told["adjudicated"], told["agreed"], told["reviewers"]) == ("approve", True, False, 2)
    assert out["pair"].evidence["review"]["answered_alike"] == 1
    assert (
        out["count"].evidence["review"]["seconds"] == [5.0, 5.0] or sum(out["count"].evidence["review"]["seconds"]) > 0
    )
    assert (tmp_path / "second" / "videos" / "left.mp4").read_bytes() == (
        benchmark / "videos" / "left.mp4"
    ).read_bytes()
    history = json.loads((tmp_path / "second" / "review.json").read_text())
    assert [event["what"] for event in history["items"]["order"]] == [
        "version", "review", "review", "disagreed", "adjudicate", "decided"
    ]  # fmt: skip
    assert history["agreement"]["reviews"] == 6
    assert set(history["seconds"]) == {"Ann", "Bob"}
    with pytest.raises(InputError):
        publish(served.site, benchmark)
    assert publish(served.site, tmp_path / "second").items == 5  # an export may be brought up to date
    readme = tmp_path / "second" / "README.md"  # tells `datasets.load_dataset` that the rows are not in review.json
    _, header, text = readme.read_text().split("---\n", 2)
    assert yaml.safe_load(header)["configs"] == [
        {"config_name": "default", "data_files": [{"split": "test", "path": "items.parquet"}]}
    ]
    assert text.startswith("# A small benchmark\n")
    readme.write_text("mine")
    publish(served.site, tmp_path / "second")
    assert readme.read_text() == "mine"
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "benchmark.json").write_text('{"title": "Another"}')
    (foreign / "provenance.json").write_text('{"tolman": "0.1.0"}')
    with pytest.raises(InputError, match="holds another benchmark; give another folder with --export"):
        publish(served.site, foreign)

    with serving(*settings_of(tmp_path / "second", tmp_path / "again", None)) as second:
        review(second.person("reviewer", "Dan"), second.project("review", people=1))
        done = publish(second.site, tmp_path / "third")
        assert (done.items, done.version) == (5, 3)
    later = json.loads((tmp_path / "third" / "review.json").read_text())
    assert later["earlier"]["items"]["order"] == history["items"]["order"]


def test_the_command_line_writes_both(served_sqlite: Served, benchmark: Path, tmp_path: Path) -> None:
    _answer(served_sqlite, served_sqlite.project("answer", "A"), "Sam", TRUTHS)
    review(served_sqlite.person("reviewer", "Ann"), served_sqlite.project("review", "R", people=1))
    common = ["review", str(benchmark), "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(app, [*common, "--runs", str(tmp_path / "people")])
    assert done.exit_code == 0, done.output
    assert "human/Sam" in done.output
    done = CliRunner().invoke(app, [*common, "--export", str(tmp_path / "new"), "--project", "R"])
    assert done.exit_code == 0, done.output
    assert "6 questions, version 2" in done.output
    done = CliRunner().invoke(app, ["benchmarks", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output


def test_a_reviewed_release_is_not_cited_as_the_release(tmp_path: Path) -> None:
    extract = Path(__file__).parents[2] / "extracts" / "vsi_bench_extract.jsonl"
    settings = ReviewSettings(benchmark="vsi-bench", data=extract, store=tmp_path / "store")
    with serving(settings, Clock()) as served:
        project = served.project("review", people=1)
        publish(served.site, tmp_path / "out", undecided=True)
    card = json.loads((tmp_path / "out" / "benchmark.json").read_text())
    assert (card["scoring_profile"], "like" in card) == ("vsi-bench", False)
    found = benchmarks.get(str(tmp_path / "out"))
    assert project
    assert found.title == "VSI-Bench, reviewed"
    assert found.credits.startswith(
        "Questions of VSI-Bench (Yang et al., Thinking in Space, 2024) as reviewed with tolman"
    )
    assert found.scored_like == "VSI-Bench"


def test_a_human_baseline_beside_the_review_needs_no_name(served_sqlite: Served, tmp_path: Path) -> None:
    _answer(served_sqlite, served_sqlite.project("answer", "Baseline"), "Sam", TRUTHS)
    review(served_sqlite.person("reviewer", "Ann"), served_sqlite.project("review", "Checks", people=1))
    assert publish(served_sqlite.site, tmp_path / "second").items == len(TRUTHS)
    assert json.loads((tmp_path / "second" / "review.json").read_text())["project"] == "Checks"
    with pytest.raises(UsageError, match="no item of the project 'Baseline' is approved"):
        publish(served_sqlite.site, tmp_path / "third", "Baseline")
    served_sqlite.project("verify", "Verified")
    with pytest.raises(UsageError, match=r"which project.*Checks, Verified"):
        publish(served_sqlite.site, tmp_path / "third")
