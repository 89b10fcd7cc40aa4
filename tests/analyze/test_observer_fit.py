"""Fits of the observer: planted noise and lapses are found, and nothing is said where the answers don't tell."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, norm

from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import AnswerTable, Unanswered
from tolman.analyze.observer_fit import (
    FittedRun,
    Levels,
    Likelihood,
    Observed,
    TaskAnswers,
    count_reasons,
    expected_scores,
    fit,
    fit_run,
    observed_answers,
)
from tolman.items import Item
from tolman.scoring.score_items import SCHEMA

NOISE = Noise()
TRUE = {"position": 0.25, "miss": 0.1, "lapse": 0.1}


def position_table(number: int, margin: float, noise: Noise = NOISE) -> AnswerTable:
    """A choice of four that is right while an error stays below a margin in metres, and of which three things are
    needed; an error takes the second option for the first."""
    levels = np.array(noise.positions)[:, None]
    right = np.where(levels > 0, norm.cdf(margin / np.where(levels > 0, levels, 1.0)), 1.0)
    seen = (1 - np.array(noise.misses)) ** 3
    chances = np.stack([right * seen, (1 - right) * seen, *[np.zeros(right.shape) * seen] * 2], -1)
    chances = (1 - 1e-3) * (chances + (1 - seen)[:, None] / 4) + 1e-3 / 4
    return AnswerTable(f"d{number}", "direction", f"s{number % 40}", "position", chances, np.full(4, 0.25),
                       np.eye(4)[0], 1.0)  # fmt: skip


def count_table(number: int, count: int, noise: Noise = NOISE) -> AnswerTable:
    """A count, its outcomes being 0 to 10 for simplicity."""
    chances = np.array([binom.pmf(np.arange(11), count, 1 - miss) for miss in noise.misses])[None]
    guess = np.full(11, 1 / 11)
    return AnswerTable(f"c{number}", "count", f"s{number % 40}", "miss", (1 - 1e-3) * chances + 1e-3 / 11, guess,
                       (np.arange(11) == count).astype(float), 1.0)  # fmt: skip


@cache
def tables(directions: int = 800, counts: int = 400) -> dict[str, AnswerTable]:
    generator = np.random.default_rng(7)
    found = [position_table(n, margin) for n, margin in enumerate(generator.uniform(0.02, 1.5, directions))]
    found += [count_table(n, 2 + n % 5) for n in range(counts)]
    return {one.id: one for one in found}


def plant(made: dict[str, AnswerTable], seed: int, position: float, miss: float, lapse: float) -> list[Observed]:
    """Answers by the laws that the tables are made of, at levels between theirs."""
    generator = np.random.default_rng(seed)
    between = Noise(positions=(position,), misses=(miss,))
    margins = np.random.default_rng(7).uniform(0.02, 1.5, 800)
    found = []
    for one in made.values():
        number = int(one.id[1:])
        law = (
            position_table(number, margins[number], between)
            if one.axis == "position"
            else count_table(number, 2 + number % 5, between)
        )
        chances = one.guess if generator.random() < lapse else law.chances[0, 0] / law.chances[0, 0].sum()
        outcome = int(generator.choice(len(chances), p=chances))
        found.append(Observed(one.id, float(one.scores[outcome]), outcome))
    return found


@cache
def fitted(seed: int) -> FittedRun:
    return fit_run(tables(), plant(tables(), seed, **TRUE), NOISE)


def test_noise_misses_and_lapses_are_told_apart() -> None:
    inside = []
    for seed in range(4):
        found = fitted(seed)
        together = found.together
        assert set(together.parameters) == {"position", "miss", "lapse"}
        for name, value in TRUE.items():
            own = together.parameters[name]
            assert own.value is not None
            assert own.value == pytest.approx(value, abs=0.06)
            inside.append(own.low <= value <= own.high)
        assert together.p_lapse is not None
        assert together.p_lapse < 1e-4
        direction = found.tasks["direction"]
        assert direction.held_miss == pytest.approx(0.1, abs=0.05)
        assert direction.parameters["position"].value == pytest.approx(0.25, rel=0.3)
        assert set(found.tasks["count"].parameters) == {"miss", "lapse"}
    assert np.mean(inside) > 0.8


def test_without_lapses_none_are_found() -> None:
    made, levels = tables(400, 200), Levels(NOISE)
    p = []
    for seed in range(6):
        observed = plant(made, seed, 0.25, 0.1, 0.0)
        by_task = [[o for o in observed if made[o.id].task == task] for task in ("direction", "count")]
        p.append(fit([TaskAnswers(made, own, levels) for own in by_task], levels).p_lapse)
    assert sum(one is not None and one < 0.05 for one in p) <= 2


def test_what_perception_explains_and_what_it_does_not() -> None:
    made = {name: one for name, one in tables().items() if one.axis == "position"}
    by_noise = fit_run(made, plant(made, 1, 0.5, 0.0, 0.0), NOISE).tasks["direction"]
    by_lapses = fit_run(made, plant(made, 1, 0.001, 0.0, 0.3), NOISE).tasks["direction"]
    assert by_noise.explained is not None
    assert by_noise.explained.share is not None
    assert by_noise.explained.share > 0.85
    assert by_noise.explained.low < by_noise.explained.share <= by_noise.explained.high
    assert by_noise.explained.perception == pytest.approx(by_noise.explained.observed, abs=4)
    assert by_lapses.explained is not None
    assert by_lapses.explained.share is not None
    assert by_lapses.explained.share < 0.15
    assert by_lapses.explained.ceiling == pytest.approx(100, abs=0.2)
    assert len(by_lapses.missed) > 100
    assert not by_lapses.hopeless
    assert not set(by_noise.missed) & set(by_noise.hopeless)


def test_misses_and_lapses_of_one_question_type_can_not_be_told_apart() -> None:
    made = {name: one for name, one in tables().items() if one.axis == "position"}
    found = fit_run(made, plant(made, 3, **TRUE), NOISE)
    assert found.together.parameters["miss"].low == 0
    lapse = found.together.parameters["lapse"]
    assert lapse.high - lapse.low > 0.2  # what misses could do in their place
    assert found.tasks["direction"].held_miss == 0


def test_answers_that_are_guesses_have_no_noise() -> None:
    made = tables()
    generator = np.random.default_rng(0)
    observed = [Observed(one.id, 0.0, int(generator.integers(len(one.guess)))) for one in made.values()]
    found = fit_run(made, observed, NOISE).tasks["direction"]
    assert found.reason == "the answers can't be distinguished from guesses"
    assert found.explained is None


def test_a_fit_at_the_greatest_noise_splits_nothing() -> None:
    made = {name: one for name, one in tables().items() if one.axis == "position"}
    # More noise than any that was simulated, though not guesses.
    beyond = replace(NOISE, positions=tuple(p for p in NOISE.positions if p <= 0.2))
    cut = {
        name: replace(one, chances=one.chances[: len(beyond.positions)], guess=one.guess) for name, one in made.items()
    }
    found = fit_run(cut, plant(made, 1, 0.8, 0.0, 0.0), beyond)
    assert found.tasks["direction"].reason.startswith("the largest simulated position error, 0.")
    assert found.tasks["direction"].explained is None
    assert expected_scores(list(cut.values())[:3], found.tasks["direction"], beyond) is None


def test_too_few_answers_or_scenes_give_no_figure() -> None:
    made = tables(20, 0)
    found = fit_run(made, plant(made, 0, **TRUE), NOISE).tasks["direction"]
    assert found.reason == "20 answers from 20 scenes; a fit needs 30 answers from at least 6 scenes"
    assert not found.parameters


def test_answers_of_one_scene_that_agree_widen_the_interval() -> None:
    made, levels = tables(400, 0), Levels(NOISE)
    observed = plant(made, 5, 0.25, 0.0, 0.1)
    alone = Likelihood([TaskAnswers(made, observed, levels)], levels, miss=0)
    # Each answer eight times, as if the model had been asked one question of a scene again and again.
    copies = [one for one in observed for _ in range(8)]
    again = Likelihood([TaskAnswers(made, copies, levels)], levels, miss=0)
    assert again.inflation("position") > 4 > 2.5 > alone.inflation("position")
    assert again.estimate("position").high == pytest.approx(alone.estimate("position").high, rel=0.15)


def test_levels_hold_the_simulated_ones() -> None:
    levels = Levels(NOISE)
    for axis, nodes in levels.nodes.items():
        assert np.isin(np.round(nodes, 9), np.round(levels.values[axis], 9)).all()
        assert (np.diff(levels.values[axis]) > 0).all()
    table = np.random.default_rng(0).dirichlet(np.ones(4), (5, len(NOISE.positions), len(NOISE.misses)))
    fine = levels.refined(levels.refined(table, "miss", 2), "position", 1)
    assert fine.shape[1:3] == (len(levels.values["position"]), len(levels.values["miss"]))
    np.testing.assert_allclose(fine.sum(-1), 1)
    np.testing.assert_allclose(fine[:, ::5, ::4], table, atol=1e-12)


def test_answers_are_read_from_rows_of_scores() -> None:
    choice = Item(id="a", question="?", kind="choice", answer="B", options=("x", "y", "z"), task="t")
    number = Item(id="b", question="?", kind="number", answer="2", unit="m", task="n")
    items = {"a": choice, "b": number}

    def rows(*given: tuple[str, str | None, float, str, bool]) -> pl.DataFrame:
        table = pl.DataFrame(
            [{"id": i, "task": items[i].task, "status": "scored", "reading": r, "score": s, "state": t, "guessed": g}
             for i, r, s, t, g in given], schema_overrides={"reading": pl.String},
        )  # fmt: skip
        assert set(table.columns) <= set(SCHEMA)
        return table

    read = ("read", False)
    found, unread = observed_answers(
        rows(("a", "C", 0, *read), ("a", "B.", 1, *read), ("a", "the y", 1, *read), ("a", "w", 0, *read),
             ("b", "2.15", 0.9, *read), ("b", "about 2", 1.0, *read), ("b", None, 0, "none", False), ("a", "A", 0, "read", True)),
        items,
    )  # fmt: skip
    assert [one.outcome for one in found] == [2, 1, 1, None, 9, 10]
    assert unread == {"n": 1, "t": 1}


def test_a_wrong_option_that_is_not_known_counts_as_any_wrong_one() -> None:
    made, levels = tables(40, 0), Levels(NOISE)
    first = next(iter(made))
    own = TaskAnswers(made, [Observed(first, 0.0, None)], levels)
    expected = 1 - made[first].chances[..., 0]
    np.testing.assert_allclose(own.chances[0, ::5, ::4], np.clip(expected, 1e-5, 1), rtol=1e-4)
    assert own.guesses[0] == pytest.approx(0.75)


def test_items_that_are_left_out_are_counted_by_reason() -> None:
    lost = [Unanswered("a", "t", "x"), Unanswered("b", "t", "x"), Unanswered("c", "u", "y")]
    assert count_reasons(lost) == {"t": {"x": 2}, "u": {"y": 1}}


def test_the_curve_falls_with_noise() -> None:
    found = fitted(0)
    assert {name: curve.axis for name, curve in found.curves.items()} == {"direction": "position", "count": "miss"}
    for curve in found.curves.values():
        assert len(curve.levels) == len(curve.scores)
        assert all(b <= a for a, b in itertools.pairwise(curve.scores))
    assert found.curves["direction"].guess == pytest.approx(25)


def test_the_curve_passes_through_the_fitted_observer() -> None:
    made, found = tables(), fitted(0)
    curve, task = found.curves["direction"], found.tasks["direction"]
    assert curve.miss == task.held_miss
    assert curve.miss == pytest.approx(TRUE["miss"], abs=0.05)
    assert curve.scores[0] < 90  # three things are needed, and some are missed
    assert task.explained is not None
    value = task.parameters["position"].value
    assert np.interp(value or 0.0, curve.levels, curve.scores) == pytest.approx(task.explained.perception, abs=1.0)
    assert found.curves["count"].miss is None
    sharp = fit_run(made, plant(made, 0, position=0.25, miss=0.0, lapse=0.1), NOISE)
    assert math.isclose(sharp.curves["direction"].scores[0], 100, abs_tol=0.2)


def test_cant_tell_is_no_answer() -> None:
    item = Item(
        id="1", task="t", kind="choice", question="Nearest?", options=("bed", "sofa", "can't tell"), answer="A",
    )  # fmt: skip
    known = {"rule_set": "careful", "repeat": 0, "task": "t", "cluster": "s", "status": "scored", "guessed": False}
    rows = [
        dict.fromkeys(SCHEMA) | known | {"id": "1", "state": "read", "reading": letter, "score": score}
        for letter, score in (("A", 1.0), ("B", 0.0), ("C", 0.0))
    ]
    found, unread = observed_answers(pl.DataFrame(rows, schema=SCHEMA), {"1": item})
    assert [one.outcome for one in found] == [0, 1]
    assert unread == {"t": 1}
