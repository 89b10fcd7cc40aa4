"""The explained page: figures, hostile texts, what further runs fill, and refusals of one sentence."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

import tolman
from three_rooms import ROOMS, write_nine
from tolman.analyze.observer_fit import FRAMES_UNKNOWN
from tolman.errors import InputError, UsageError
from tolman.features.report.explain import _WHY_WORST, MOST_OF_TYPE, ExplainResult, _task_titles
from tolman.items import Item
from tolman.reports.explained_page import _curve, lost
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load
from tolman.scene_table import read_scenes, write_scenes
from tolman.scoring.score_table import Column, Table, pool

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m"
EVERY = 7
"""One in so many answers fails, one is unread, one is wrong."""


def answer(number: int, item: Item) -> Outcome:
    """Right but for a few planted losses."""
    if number % EVERY == 0:
        return Failure(id=item.id, kind=FailureKind.TIMEOUT, message="no answer in time")
    if number % EVERY == 1:
        return Response(id=item.id, response=f"{HOSTILE} I see nothing here.")
    if number % EVERY == 2:
        wrong = next(letter for letter in "ABCD" if letter != item.answer) if item.options else "7000"
        return Response(id=item.id, response=f"{wrong} {HOSTILE}", reasoning=HOSTILE)
    return Response(id=item.id, response=item.answer)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine rooms, questions about them, and a scored run with planted losses."""
    folder = tmp_path_factory.mktemp("explain")
    write_nine(folder / "scenes")
    tolman.generate(
        folder / "scenes", folder / "bench", media=False, max_filter_rounds=0, per_scene=6,
        families=("vsi-bench/relative-direction", "vsi-bench/object-size"),
    )  # fmt: skip
    loaded = load(str(folder / "bench"), None, None)
    outcomes = [answer(number, item) for number, item in enumerate(loaded.items)]
    score_outcomes(loaded, outcomes, benchmark=str(folder / "bench"), model="my/model", model_settings={},
                   out=folder / "run")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def explained(place: Path) -> ExplainResult:
    return tolman.explain(place / "run", scenes=place / "scenes", out=place / "explained", draws=200, workers=1)


def test_pieces_end_at_the_score(explained: ExplainResult) -> None:
    content = explained.explanation
    for _, losses in content.rows():
        assert 100 - sum(losses.pieces.values()) == pytest.approx(losses.score, abs=1e-9)
    assert any("no response, which counts as wrong: the pieces end at" in text for text in content.remarks)
    assert {"no response", "no answer"} <= set(content.losses.together.pieces)
    note = content.note("object_size_estimation")
    assert re.search(
        r"Fitted perception: \d+ % length error \(\d+ … \d+ %\)\. It explains \d+ to \d+ % of the loss", note
    )
    assert re.search(r"answers\. \d+ of \d+ numbers too low, \d+ too high, \d+ exact; the median answer is", note)


def test_items_of_other_types_follow_the_clear_misses_of_one(explained: ExplainResult) -> None:
    shown = explained.explanation.examples
    why = [one.why for one in shown]
    assert len({one.task for one in shown}) > 1
    assert max(Counter(one.task for one in shown if one.why != _WHY_WORST).values(), default=0) <= MOST_OF_TYPE
    assert why == sorted(why, key=lambda text: text == _WHY_WORST)
    assert all(one.score < 0.5 for one in shown)


def test_hostile_texts_are_escaped(explained: ExplainResult) -> None:
    text = explained.page.read_text(encoding="utf-8")
    assert explained.explanation.examples
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert(1)" not in text
    assert "<img src=x" not in text
    assert "\x1b" not in text
    assert "default-src 'none'" in text


def test_a_part_without_its_run_names_the_command(explained: ExplainResult) -> None:
    text = explained.page.read_text(encoding="utf-8")
    assert "--model my/model --protocol grounded" in text
    assert "--model my/model --protocol blind" in text


def test_the_page_names_no_folder_of_this_machine(place: Path, explained: ExplainResult) -> None:
    text = explained.page.read_text(encoding="utf-8")
    assert "tolman run ./bench --model" in text
    assert str(place) not in text


def test_the_curves_name_the_miss_rate_that_the_pieces_rest_on(explained: ExplainResult) -> None:
    fits, task = explained.explanation.observer.fits, "object_size_estimation"
    curve = replace(fits.curves[task], miss=0.24)
    missing = replace(explained.explanation.observer, fits=replace(fits, curves={task: curve}))
    _, title = _curve(replace(explained.explanation, observer=missing), task)
    assert title == "Obj. Size, 24 % overlooked"
    assert _curve(explained.explanation, task)[1] == "Obj. Size"


def test_question_types_have_readable_names(explained: ExplainResult) -> None:
    tasks = [task for task, _ in explained.explanation.rows() if task.startswith("object_rel_direction")]
    assert {explained.explanation.title(task) for task in tasks} <= {
        f"Rel. Dir., {x}" for x in ("easy", "medium", "hard")
    }
    plain = Table((Column("a", "my_type", pool("my_type")), Column("b", "Other", pool("other"), digits=2),
                   Column("c", "Other", pool("another"))), "a")  # fmt: skip
    found = replace(explained.explanation, titles=_task_titles(plain))
    assert [found.title(task) for task in ("my_type", "other", "another", "no_column")] == [
        "my type", "Other", "Other", "no column",
    ]  # fmt: skip


def test_the_legend_calls_a_gain_a_gain() -> None:
    assert [lost(points) for points in (5.44, -1.44, -0.01, 0.0)] == ["5.4", "−1.4, a gain", "0.0", "0.0"]


def test_the_terminal_has_the_same_figures_in_100_columns(
    place: Path, explained: ExplainResult, command: Callable[..., Any]
) -> None:
    shown = command(
        "explain", place / "run", "--scenes", place / "scenes", "--out", place / "again", "--draws", 200, "--workers", 1
    ).output
    content = explained.explanation
    assert content.sentence in shown
    headings, *rows = content.table()
    lines = [line.split() for line in shown.splitlines()]
    for row in rows:
        assert " ".join(row).split() in lines
    assert all(len(line) <= 100 for line in shown.splitlines() if line.split()[-1:] == headings[-1:])
    assert (place / "again" / "index.html").read_bytes() == explained.page.read_bytes()


def test_the_table_has_a_row_for_each_piece(explained: ExplainResult) -> None:
    frame = explained.table().filter(pl.col("task") == "all")
    assert 100 - frame["points"].sum() == pytest.approx(frame["score"][0], abs=1e-9)
    assert "no response" in frame["piece"].to_list()
    assert explained.explanation.sentence in repr(explained)


def test_json_has_unrounded_figures(explained: ExplainResult) -> None:
    content = json.loads(json.dumps(explained.to_dict()))
    assert content["losses"]["together"]["score"] == explained.explanation.losses.together.score
    assert content["examples"] == [one.entry["id"] for one in explained.explanation.examples]


def test_a_blind_run_fills_its_part(place: Path) -> None:
    bench, settings = str(place / "bench"), {"protocol": "blind"}
    blind = tolman.evaluate(bench, lambda messages: "A", name="my/model", out=place / "blind", **settings)
    found = tolman.explain([place / "run", blind], scenes=place / "scenes", out=place / "both", draws=100, workers=1)
    scores = found.explanation.blind
    assert scores is not None
    assert scores.together[0] > 60 > 50 > scores.together[1]
    assert f"on the {scores.items:,} items that both runs answered" in found.page.read_text(encoding="utf-8")
    other = tolman.evaluate(bench, lambda messages: "A", name="other/model", limit=5, out=place / "other", **settings)
    for runs, sentence in (
        (blind, "a blind run alone"),
        ([place / "run", other], "one model is explained at a time"),
        ([place / "run", place / "copy"], "are both a run to explain; give one of them"),
    ):
        if not (place / "copy").exists():
            shutil.copytree(place / "run", place / "copy")
        with pytest.raises(UsageError, match=sentence):
            tolman.explain(runs, scenes=place / "scenes", out=place / "none")
    assert not (place / "none").exists()


def test_a_run_of_a_part_says_so(place: Path, explained: ExplainResult) -> None:
    items = [item.model_copy(update={"media": ()}) for item in load(str(place / "bench"), None, None).items]
    part = tolman.evaluate(tolman.load(items), lambda messages: "A", limit=5, out=place / "part")
    found = tolman.explain(part, scenes=place / "scenes", out=place / "few", draws=100, workers=1)
    assert f"The run is of a part: 5 of {len(items)} items." in found.explanation.remarks
    assert not any("of a part" in text for text in explained.explanation.remarks)


def test_unknown_frames_are_remarked(place: Path, explained: ExplainResult) -> None:
    loaded = load(str(place / "bench"), None, None)
    outcomes = [answer(number, item) for number, item in enumerate(loaded.items)]
    score_outcomes(loaded, outcomes, benchmark=str(place / "bench"), model="my/model",
                   model_settings={"imported": "answers.jsonl"}, out=place / "imported")  # fmt: skip
    found = tolman.explain(place / "imported", scenes=place / "scenes", out=place / "unknown", draws=100, workers=1)
    text = found.page.read_text()
    assert FRAMES_UNKNOWN in found.explanation.remarks
    assert FRAMES_UNKNOWN not in explained.explanation.remarks
    assert "so the observer sees whole videos." in text
    assert "but see whole videos with errors" in text
    assert "the model's own frames" not in text
    assert "but see the model's own frames" in explained.page.read_text()


def test_missing_scenes_are_one_sentence(place: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        tolman.explain(place / "run", scenes=place / "nowhere", out=place / "none")


def test_other_scenes_of_the_same_names_are_remarked(place: Path, explained: ExplainResult) -> None:
    assert not any("another collection" in text for text in explained.explanation.remarks)
    larger = [
        scene.model_copy(
            update={
                "objects": tuple(
                    thing.model_copy(
                        update={
                            "box": thing.box.model_copy(update={"extents": tuple(2 * x for x in thing.box.extents)})
                        }
                    )
                    for thing in scene.objects
                )
            }
        )
        for scene in read_scenes(place / "scenes")
    ]
    write_scenes(place / "larger", larger)
    found = tolman.explain(place / "run", scenes=place / "larger", out=place / "odd", draws=100, workers=1)
    (said,) = (text for text in found.explanation.remarks if "another collection" in text)
    assert said.startswith("larger: ")


def test_questions_that_cannot_be_recomputed_are_one_sentence(tmp_path: Path) -> None:
    scene = next(iter(read_scenes(ROOMS))).id
    item = Item(
        id="1", task="mood", kind="choice", question="Is it cosy?", options=("yes", "no"), answer="A", scene=scene
    )
    run = tolman.evaluate(tolman.load([item]), lambda messages: "B", out=tmp_path / "run")
    with pytest.raises(UsageError, match=r"no answer of .* can be recomputed from .*: the observer knows no reasoning"):
        tolman.explain(run, scenes=ROOMS, out=tmp_path / "page", draws=100, workers=1)


def test_a_page_of_others_is_kept(place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "index.html").write_text("my page")
    with pytest.raises(UsageError, match="isn't a report that Tolman wrote"):
        tolman.explain(place / "run", scenes=place / "scenes", out=place / "mine")
    assert (place / "mine" / "index.html").read_text() == "my page"
