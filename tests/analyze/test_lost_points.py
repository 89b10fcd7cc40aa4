"""Lost points: planted causes are found, and pieces add up exactly for every question type and figure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from analyze.test_observer_fit import NOISE, plant, tables
from tolman.analyze.lost_points import (
    FAILED,
    NO_ANSWER,
    NOT_SHOWN,
    PERCEPTION,
    REASONING,
    UNSPLIT,
    RunLosses,
    clear_misses,
    figure_weights,
    lost_points,
    number_errors,
    worst_answers,
)
from tolman.analyze.observer_answers import AnswerTable
from tolman.analyze.observer_fit import Observed, RunObserver, fit_run
from tolman.items import Item
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import SCHEMA
from tolman.scoring.score_table import Column, Mean, Table, pool

ALL = Column("all", "All", pool())
MACRO = Column("macro", "Macro", Mean((pool("direction"), pool("count"))))
ADJUSTED = Column("adjusted", "Adjusted", pool("direction", metric="chance-adjusted"))


def row(one: Observed, task: str, **changes: Any) -> dict[str, Any]:
    known = {"rule_set": "careful", "id": one.id, "repeat": 0, "task": task, "cluster": one.id, "status": "scored",
             "options": 4 if task == "direction" else 0, "state": "read", "guessed": False, "score": one.score}  # fmt: skip
    return dict.fromkeys(SCHEMA) | known | changes


def rows_of(
    made: dict[str, AnswerTable], observed: Sequence[Observed], *, failed: float, unread: float
) -> pl.DataFrame:
    generator = np.random.default_rng(11)
    found = []
    for one in observed:
        fate = generator.random()
        changes: dict[str, Any] = {}
        if fate < failed:
            changes = {"status": "failed", "score": None, "state": None}
        elif fate < failed + unread:
            changes = {"state": "none", "score": 0.0}
        found.append(row(one, made[one.id].task, **changes))
    return pl.DataFrame(found, schema=SCHEMA)


def items_of(made: dict[str, AnswerTable]) -> dict[str, Item]:
    return {
        one.id: Item(id=one.id, task=one.task, kind="number", question="How many?", answer="1", scene=one.cluster)
        for one in made.values()
    }


def split(made: dict[str, AnswerTable], rows: pl.DataFrame, observed: Sequence[Observed], column: Column) -> RunLosses:
    read = set(rows.filter((pl.col("status") == "scored") & (pl.col("state") == "read"))["id"])
    fits = fit_run(made, [one for one in observed if one.id in read], NOISE)
    return lost_points(rows, items_of(made), made, RunObserver(fits, {}, {}, True, True), NOISE, column)


@pytest.fixture(scope="module")
def made() -> dict[str, AnswerTable]:
    return tables()


def test_planted_causes_are_found(made: dict[str, AnswerTable]) -> None:
    observed = plant(made, 4, position=0.25, miss=0.0, lapse=0.1)
    rows = rows_of(made, observed, failed=0.03, unread=0.05)
    direction = split(made, rows, observed, MACRO).tasks["direction"]
    sharp = float(np.mean([one.chances[0, 0, 0] for one in made.values() if one.task == "direction"]))
    blurred = 100 * float(np.mean([o.score for o in plant(made, 5, 0.25, 0.0, 0.0) if o.id in made and o.id[0] == "d"]))
    found = direction.pieces
    assert found[NOT_SHOWN] == pytest.approx(0, abs=1e-9)
    assert found[PERCEPTION] == pytest.approx(100 * sharp - blurred, abs=4)
    assert found[FAILED] == pytest.approx(0.03 * blurred, abs=1.5)
    assert found[NO_ANSWER] == pytest.approx(0.05 * blurred, abs=1.5)
    assert found[REASONING] == pytest.approx(0.92 * 0.1 * (blurred - 25), abs=3)
    assert UNSPLIT not in found
    assert direction.answers == 800


@pytest.mark.parametrize("column", [ALL, MACRO, ADJUSTED])
def test_pieces_add_up_exactly(made: dict[str, AnswerTable], column: Column) -> None:
    observed = plant(made, 6, position=0.25, miss=0.1, lapse=0.1)
    rows = rows_of(made, observed, failed=0.03, unread=0.05)
    found = split(made, rows, observed, column)
    for losses in (*found.tasks.values(), found.together):
        assert 100 - sum(losses.pieces.values()) == pytest.approx(losses.score, abs=1e-9)
    counted = rows.with_columns(status=pl.lit("scored"), score=pl.col("score").fill_null(0.0))
    figure = cells(counted, Table((column,), column.key))[column.key].value
    assert found.together.score == pytest.approx(figure, abs=1e-9)
    assert found.figure == column.title


def numbers(*answers: tuple[str, str, str, float]) -> tuple[pl.DataFrame, dict[str, Item]]:
    """Rows and items of questions for numbers: task, truth, reading, score."""
    items = {
        str(n): Item(id=str(n), task=task, kind="number", question="How many?", answer=truth, scene="s")
        for n, (task, truth, _, _) in enumerate(answers)
    }
    rows = [
        row(Observed(str(n), score, None), task, reading=reading or None, state="read" if reading else "none")
        for n, (task, _, reading, score) in enumerate(answers)
    ]
    return pl.DataFrame(rows, schema=SCHEMA), items


def test_numbers_say_on_which_side_of_the_truth_they_are() -> None:
    rows, items = numbers(("count", "4", "1", 0.0), ("count", "4", "2", 0.0), ("count", "4", "4", 1.0),
                          ("count", "4", "8", 0.0), ("count", "4", "", 0.0), ("size", "0", "3", 0.0))  # fmt: skip
    assert number_errors(rows, items) == {
        "count": "2 of 4 numbers too low, 1 too high, 1 exact; the median answer is 0.75 times the truth"
    }


def test_the_worst_numbers_come_first_and_types_take_turns(made: dict[str, AnswerTable]) -> None:
    rows, items = numbers(("count", "4", "3", 0.4), ("count", "4", "1", 0.0), ("size", "10", "900", 0.0),
                          ("count", "4", "4", 1.0), ("size", "10", "", 0.0), ("other", "1", "9", 0.0))  # fmt: skip
    losses = lost_points(rows, items, {}, RunObserver(fit_run({}, [], NOISE), {}, {}, True, True), NOISE, ALL)
    assert worst_answers(rows, items, losses, {"other"}) == ["2", "1", "0"]


def test_a_figure_that_is_no_mean_of_scores_has_no_weights() -> None:
    rows = pl.DataFrame([row(Observed("a", 1.0, 0), "direction")], schema=SCHEMA)
    lacking = Mean((pool("direction"), pool("nothing")), missing="zero")
    assert figure_weights(rows, Column("half", "Half", lacking)) is None
    assert figure_weights(rows, Column("error", "Error", pool("direction", metric="within-25"))) is None


def test_a_type_without_a_fit_keeps_the_known_pieces(made: dict[str, AnswerTable]) -> None:
    few = dict(list(made.items())[:20])
    observed = plant(few, 0, position=0.25, miss=0.0, lapse=0.3)
    found = split(few, rows_of(few, observed, failed=0.2, unread=0.2), observed, ALL).tasks["direction"]
    assert set(found.pieces) == {NOT_SHOWN, FAILED, NO_ANSWER, UNSPLIT}
    assert found.reason.endswith("a fit needs 30 answers from at least 6 scenes")
    assert 100 - sum(found.pieces.values()) == pytest.approx(found.score, abs=1e-9)


def test_items_that_the_observer_does_not_answer_have_no_ceiling(made: dict[str, AnswerTable]) -> None:
    observed = plant(made, 6, position=0.25, miss=0.0, lapse=0.1)
    rows = rows_of(made, observed, failed=0.0, unread=0.0)
    directions = {id: one for id, one in made.items() if one.task == "direction"}
    fits = fit_run(directions, [one for one in observed if one.id in directions], NOISE)
    lost = RunObserver(fits, {}, {"count": {"the scene lacks a lamp": 400}}, True, True)
    found = lost_points(rows, items_of(made), directions, lost, NOISE, ALL).tasks["count"]
    assert set(found.pieces) == {UNSPLIT}
    assert found.reason == "the scene lacks a lamp (400)"


def test_a_model_that_beats_its_observer_has_a_negative_piece(made: dict[str, AnswerTable]) -> None:
    observed = plant(made, 7, position=0.5, miss=0.0, lapse=0.0)
    rows = rows_of(made, observed, failed=0.0, unread=0.0)
    fits = fit_run(made, observed, NOISE)
    better = rows.with_columns(score=pl.lit(1.0))
    found = lost_points(better, items_of(made), made, RunObserver(fits, {}, {}, True, True), NOISE, ALL).tasks[
        "direction"
    ]
    assert found.pieces[REASONING] == pytest.approx(-found.pieces[PERCEPTION], abs=1e-9)
    assert found.pieces[REASONING] < -5


def test_the_clearest_misses_come_first_and_types_take_turns(made: dict[str, AnswerTable]) -> None:
    fits = fit_run(made, plant(made, 8, position=0.1, miss=0.0, lapse=0.3), NOISE)
    found = clear_misses(made, fits, NOISE)
    assert {one.task for one in found[:2]} == {"direction", "count"}
    margins = [one.margin for one in found if one.task == "direction"]
    assert margins == sorted(margins, reverse=True)
    assert margins[0] > 3
    for one in (one for one in found if one.task == "direction"):
        level = NOISE.positions.index(one.noise)
        assert made[one.id].chances[level, 0, 0] >= 0.99
