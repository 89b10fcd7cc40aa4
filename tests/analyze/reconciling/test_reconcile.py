"""Causes and pieces of the difference between two made-up logs whose differences were planted."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import planted
from tolman.analyze.score_causes import Cause, ReconciledSide, Rules, SideItem, exact, named
from tolman.analyze.score_waterfall import PlaceInTable, Reconciled, reconcile
from tolman.scoring.score_table import Column, Mean, pool

AVERAGE = Column("average", "Avg.", Mean(tuple(pool(task) for task in planted.TASKS)))


def side(
    name: str, rows: list[dict[str, Any]], pair: planted.Pair, *, other: bool, known: bool = True
) -> ReconciledSide:
    """A log of the made-up harnesses; `other` is B's parser and metric."""
    questions = pair.questions

    def read(id: str, text: str) -> str:
        return planted.PARSERS[other](questions[id].kind, text)

    def score(id: str, reading: str, truth: str | None) -> Fraction:
        return exact(planted.METRICS[other](questions[id].kind, reading, truth or questions[id].truth))

    rules = Rules(
        parser=f"parser {other}",
        metric=lambda id: f"metric {other}" if questions[id].kind == "number" else "accuracy",
        read=read if known else None,
        recorded=lambda id, reading: reading,
        score=score if known else None,
    )
    return ReconciledSide(name, {row["id"]: record(row) for row in rows}, rules)


def record(row: Mapping[str, Any]) -> SideItem:
    score = row["score"]
    return SideItem(
        id=row["id"],
        text=row["response"],
        score=None if score is None else exact(score),
        reading=row["prediction"],
        truth=row["target"],
        question=(row["question"],),
        prompt=row["prompt"],
        frames=str(row["frames"]),
        cut_off=row["finish_reason"] == "length",
        failure=row["failure"],
    )


@cache
def reconciled(pair: planted.Pair, *, swapped: bool = False, known: bool = True) -> Reconciled:
    a, b = side("A", pair.a, pair, other=False), side("B", pair.b, pair, other=True, known=known)
    places = {id: PlaceInTable(question.task) for id, question in pair.questions.items()}
    return reconcile(b, a, places, AVERAGE) if swapped else reconcile(a, b, places, AVERAGE)


def figure(rows: list[dict[str, Any]], pair: planted.Pair) -> Fraction:
    """The mean of the question types' means, reckoned apart."""
    means = []
    for task in planted.TASKS:
        own = [row["score"] for row in rows if row["task"] == task and row["score"] is not None]
        means.append(sum(map(exact, own), Fraction(0)) / len(own))
    return 100 * sum(means, Fraction(0)) / len(means)


@pytest.fixture(scope="module")
def pair() -> planted.Pair:
    return planted.planted_pair(7, differing=120, alike=40)


def test_the_mixture_is_what_it_is_meant_to_be(pair: planted.Pair) -> None:
    assert len(pair.causes) == 120
    assert sum(len(causes) == 2 for causes in pair.causes.values()) == 40
    assert {cause for causes in pair.causes.values() for cause in causes} == set(planted.ONE)


def test_planted_causes_are_found(pair: planted.Pair) -> None:
    check_causes(pair)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_planted_causes_are_found_in_many_mixtures(seed: int) -> None:
    pair = planted.planted_pair(100 + seed, differing=600, alike=300)
    check_causes(pair)
    result = reconciled(pair)
    assert result.a + sum(piece.points for piece in result.pieces) == result.b


def check_causes(pair: planted.Pair) -> None:
    found = {item.id: item.switches.causes for item in reconciled(pair).items if item.is_net}
    assert found.keys() == pair.causes.keys()
    planted_causes = {
        id: frozenset(Cause(name.replace("-", " ")) for name in names) for id, names in pair.causes.items()
    }
    wrong = {id: (sorted(planted_causes[id]), sorted(found[id])) for id in found if found[id] != planted_causes[id]}
    assert len(wrong) <= 0.05 * len(found), wrong
    print(f"{len(found) - len(wrong)} of {len(found)} items have the causes that were planted")


def test_unexplained_holds_what_was_planted_as_such(pair: planted.Pair) -> None:
    found = {item.id for item in reconciled(pair).items if Cause.UNEXPLAINED in item.switches.causes and item.is_net}
    assert found == {id for id, names in pair.causes.items() if "unexplained" in names}


def test_pieces_add_up_exactly(pair: planted.Pair) -> None:
    result = reconciled(pair)
    assert (result.a, result.b) == (figure(pair.a, pair), figure(pair.b, pair))
    assert result.a + sum(piece.points for piece in result.pieces) == result.b


def test_the_other_way_round_every_piece_is_the_negative(pair: planted.Pair) -> None:
    there, back = reconciled(pair), reconciled(pair, swapped=True)
    assert {p.label: -p.points for p in there.pieces} == {p.label: p.points for p in back.pieces}
    assert {p.label: (p.items, p.down, p.up) for p in there.pieces} == {
        p.label: (p.items, p.up, p.down) for p in back.pieces
    }


def test_texts_of_an_unknown_parser_are_not_told_apart_from_it(pair: planted.Pair) -> None:
    result = reconciled(pair, known=False)
    assert result.a + sum(piece.points for piece in result.pieces) == figure(pair.b, pair)
    assert "prompt or parser" in {named(piece.label) for piece in result.pieces}
    assert "prompt" not in {named(piece.label) for piece in result.pieces}
