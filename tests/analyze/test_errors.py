"""Shares of errors: laws, the choice of errors, agreement."""

import random

import polars as pl
import pytest
from hypothesis import given, strategies as st

from tolman.analyze.error_shares import (
    PEOPLE,
    Label,
    agreements,
    consensus,
    distributions,
    people_alpha,
    weights,
    worst,
)
from tolman.scoring.agreement_coefficients import cohen
from tolman.scoring.error_types import CORRECT, MMSI, VSI

errors = st.sets(st.sampled_from([kind.key for kind in VSI.types]), min_size=1).map(frozenset)
judgement = st.one_of(errors, st.just(frozenset({CORRECT})))


def label(item: str, *categories: str, who: str = "anna", source: str = PEOPLE, run: str = "m") -> Label:
    return Label((run, item, 0), who, source, frozenset(categories))


def answers(*rows: tuple[str, str, float], kind: str = "choice", run: str = "m") -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema={"id": pl.String, "task": pl.String, "score": pl.Float64}, orient="row")
    return frame.with_columns(
        run=pl.lit(run), repeat=pl.lit(0, pl.Int64), cluster=pl.col("id"), kind=pl.lit(kind)
    )  # fmt: skip


@pytest.mark.full
@given(st.lists(st.lists(judgement, min_size=1, max_size=3), min_size=1, max_size=12))
def test_every_response_counts_once_whatever_is_said_of_it(said: list[list[frozenset[str]]]) -> None:
    labels = [
        Label(("m", str(i), 0), f"p{k}", PEOPLE, categories)
        for i, own in enumerate(said)
        for k, categories in enumerate(own)
    ]
    for parts in weights(labels, VSI).values():
        assert sum(parts.values()) == pytest.approx(1)
    rows = [(str(i), "ab"[i % 2], float(i % 3 == 0)) for i in range(len(said))]
    whole, *tasks = distributions(labels, answers(*rows), VSI, right_from=0.5)
    assert sum(share.value for share in whole.types.values()) == pytest.approx(100)
    for key, share in whole.types.items():
        assert share.value == pytest.approx(sum(t.n * t.types[key].value for t in tasks) / whole.n)
        if share.interval is not None:
            assert -1e-9 <= share.interval.low <= share.value + 1e-9
            assert share.value - 1e-9 <= share.interval.high <= 100 + 1e-9
    if whole.among_errors:
        assert sum(share.value for share in whole.among_errors.values()) == pytest.approx(100)
        two = whole.among_errors["relational"].value + whole.among_errors["transformation"].value
        assert whole.groups["Spatial reasoning"].value == pytest.approx(two)


def test_several_categories_share_an_error() -> None:
    labels = [label("1", "perception", "relational"), label("2", "relational"), label("3", "correct")]
    whole = distributions(labels, answers(("1", "t", 0), ("2", "t", 0), ("3", "t", 1)), VSI, right_from=0.5)[0]
    assert {k: s.value for k, s in whole.among_errors.items() if s.value} == {"perception": 25.0, "relational": 75.0}
    assert whole.groups["Spatial reasoning"].value == 75


def test_reasoning_is_held_against_answers() -> None:
    labels = [label("1", "correct"), label("2", "logic"), label("3", "grounding"), label("4", "correct")]
    found = distributions(labels, answers(("1", "t", 1), ("2", "t", 1), ("3", "t", 0), ("4", "t", 0), ("5", "t", 1)), MMSI, right_from=0.5)[0]  # fmt: skip
    assert (found.n, found.reasoning.value, found.answers.value) == (4, 50, 50)
    assert found.reasoning_on_right is not None
    assert found.reasoning_on_wrong is not None
    assert (found.reasoning_on_right.value, found.reasoning_on_right.n) == (50, 2)
    assert (found.reasoning_on_wrong.value, found.reasoning_on_wrong.n) == (50, 2)


def test_samples_of_one_item_do_not_narrow_an_interval() -> None:
    rows = [(str(i), "t", float(i % 3 == 0)) for i in range(24)]
    said = [("correct", "perception", "relational")[i % 3] for i in range(24)]
    once = distributions([label(str(i), one) for i, one in enumerate(said)], answers(*rows), VSI, right_from=0.5)[0]
    labels = [Label(("m", str(i), r), "anna", PEOPLE, frozenset({one})) for i, one in enumerate(said) for r in range(5)]
    repeated = pl.concat([answers(*rows).with_columns(repeat=pl.lit(r, pl.Int64)) for r in range(5)])
    five = distributions(labels, repeated, VSI, right_from=0.5)[0]
    for one, other in [(once.answers, five.answers), (once.reasoning, five.reasoning)]:
        assert one.interval is not None
        assert other.interval is not None
        assert (other.interval.low, other.interval.high) == pytest.approx((one.interval.low, one.interval.high))
    assert five.among_errors["perception"].interval == once.among_errors["perception"].interval


def test_the_examiners_errors_are_wrong_choices_and_the_worse_half_of_the_numbers() -> None:
    choices = answers(("a", "c", 0), ("b", "c", 1))
    numbers = answers(*[(f"n{i}", "n", score) for i, score in enumerate([0.9, 0.1, 1.0, 0.5, 0.3, 0.2])], kind="number")
    assert worst(pl.concat([choices, numbers]))["id"].to_list() == ["a", "n1", "n4", "n5"]
    assert worst(numbers.filter(pl.col("score") == 1)).is_empty()


def test_other_kinds_are_looked_at_as_their_answers_can_be_partly_right() -> None:
    kinds = {
        "y": ("yes-no", 0.0),
        "Y": ("yes-no", 1.0),
        "o": ("order", 0.0),
        "p1": ("points", 0.2),
        "p2": ("points", 0.8),
    }
    rows = [
        {"run": "m", "id": name, "repeat": 0, "task": kind, "kind": kind, "score": score}
        for name, (kind, score) in kinds.items()
    ]
    assert worst(pl.DataFrame(rows))["id"].to_list() == ["y", "o", "p1"]


def test_a_judge_is_held_against_most_people_and_people_against_each_other() -> None:
    said = {"anna": "gglrc", "ben": "ggllc", "cleo": "gtlrg"}
    names = {"g": "grounding", "l": "logic", "r": "reconstruction", "t": "transformation", "c": CORRECT}
    labels = [label(str(i), names[c], who=who) for who, own in said.items() for i, c in enumerate(own)]
    labels += [label(str(i), names[c], who="j", source="j, without") for i, c in enumerate("ggtrt")]
    found = {(a.first, a.second): a for a in agreements(labels)}
    judge = found["j, without", PEOPLE]
    assert (judge.n, judge.accuracy, judge.overlap) == (5, 0.6, 0.6)
    # The judge says g g t r t, people g g l r c: chance (2·2 + 1·1)/25.
    assert judge.kappa == pytest.approx((0.6 - 0.2) / 0.8)
    assert (judge.kappa_interval, judge.kappa_reason) == (None, "5.0 effective clusters; an interval needs 6")
    assert found["anna", "ben"].accuracy == 0.8
    assert set(found) == {("j, without", PEOPLE), ("anna", "ben"), ("anna", "cleo"), ("ben", "cleo")}
    alpha = people_alpha(labels, MMSI)
    assert alpha.value is not None
    assert 0 < alpha.value < 1
    assert alpha.n == 5


def test_people_who_are_evenly_divided_decide_nothing() -> None:
    labels = [label("1", "logic"), label("1", "grounding", who="ben"), label("2", "logic")]
    assert consensus(labels) == ({("m", "2", 0): frozenset({"logic"})}, 1)
    found = agreements([*labels, label("1", "logic", who="j", source="j"), label("2", "logic", who="j", source="j")])
    assert (found[0].n, found[0].undecided, found[0].kappa) == (1, 1, None)


def test_kappa_and_alpha_have_intervals_clustered_by_scene() -> None:
    generator = random.Random(0)
    names = ["grounding", "logic", "reconstruction", CORRECT]
    truth = [generator.choice(names) for _ in range(60)]
    labels = []
    for who, source in (("anna", PEOPLE), ("ben", PEOPLE), ("j", "j")):
        said = [name if generator.random() < 0.7 else generator.choice(names) for name in truth]
        labels += [label(str(i), name, who=who, source=source) for i, name in enumerate(said)]
    apart = {a.first: a for a in agreements(labels)}
    assert apart["anna"].n == 60
    scenes = {str(i): f"scene {i // 5}" for i in range(60)}
    together = {a.first: a for a in agreements(labels, scenes)}
    one, other = ([label.categories for label in labels if label.annotator == who] for who in ("anna", "ben"))
    expected = cohen(one, other, list(scenes.values()))
    found = together["anna"]
    assert (found.kappa, found.kappa_interval) == (expected.value, expected.interval)
    assert found.kappa_interval is not None
    assert found.kappa is not None
    assert found.kappa_interval.low < found.kappa < found.kappa_interval.high
    assert found.kappa_interval != apart["anna"].kappa_interval
    alpha = people_alpha(labels, MMSI, scenes)
    assert alpha.interval is not None
    assert alpha.value is not None
    assert alpha.interval.low < alpha.value < alpha.interval.high
    few = agreements(labels, {item: f"scene {int(item) // 30}" for item in scenes})[0]
    assert (few.kappa_interval, few.kappa_reason) == (None, "2.0 effective clusters; an interval needs 6")
