"""Responses are read while others are awaited, and what is read then is what scoring reads."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.runs import run_scoring
from tolman.runs.run_scoring import ReadAhead
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.rule_sets import RuleSet, careful
from tolman.scoring.score_items import score

MakeItem = Callable[..., Item]


@pytest.fixture
def items(choice: MakeItem, number: MakeItem) -> list[Item]:
    return [*(choice(id=f"c{i}") for i in range(6)), *(number(id=f"n{i}") for i in range(6))]


TEXTS = ("A", "The answer is B.", "no idea", "", "2", "about 2.5, so 3")


def answered(items: list[Item], repeats: int = 2) -> list[Response]:
    return [
        Response(id=item.id, response=TEXTS[(i + repeat) % len(TEXTS)], repeat=repeat)
        for i, item in enumerate(items)
        for repeat in range(repeats)
    ]


def counting(rules: RuleSet) -> tuple[RuleSet, list[str]]:
    """A rule set, and the texts that it was asked to read."""
    read: list[str] = []

    def reading(item: Item, text: str, seed: int) -> ParsedAnswer:
        read.append(text)
        return rules.read(item, text, seed)

    return replace(rules, read=reading), read


@pytest.mark.parametrize("name", ["vsi-bench", "site", "mmsi-bench", "spatialbench"])
def test_scores_are_those_without_reading_ahead(items: list[Item], name: str) -> None:
    benchmark = benchmarks.get(name)
    if name in ("site", "mmsi-bench"):
        items = [item for item in items if item.kind == "choice"]
    rule_sets = benchmark.rule_sets_of(benchmark.presets[0].name)
    outcomes = answered(items)
    ahead = ReadAhead(rule_sets, items, seed=3)
    for outcome in outcomes:
        ahead.add(outcome)
    plain = score(items, outcomes, rule_sets, repeats=2, seed=3)
    assert score(items, outcomes, [ahead.remembering(rules) for rules in rule_sets], repeats=2, seed=3).equals(plain)


def test_nothing_is_read_twice_and_another_text_is_read(items: list[Item]) -> None:
    rules, read = counting(careful())
    ahead = ReadAhead([rules], items, seed=0)
    outcomes = answered(items, repeats=1)
    for outcome in outcomes:
        ahead.add(outcome)
    assert len(read) == len(outcomes)
    changed = [outcomes[0].model_copy(update={"response": "B"}), *outcomes[1:]]
    score(items, changed, [ahead.remembering(rules)])
    assert read[len(outcomes) :] == ["B"]


def test_failures_and_strangers_are_not_read(items: list[Item]) -> None:
    rules, read = counting(careful())
    ahead = ReadAhead([rules], items, seed=0)
    ahead.add(Failure(id="c0", kind=FailureKind.SERVER, message="x"))
    ahead.add(Response(id="elsewhere", response="A"))
    assert read == []
    assert ahead.remembering(rules) is rules


def test_a_reader_that_breaks_is_left_to_scoring(items: list[Item]) -> None:
    def broken(item: Item, text: str, seed: int) -> ParsedAnswer:
        raise RuntimeError("mine")

    rules = replace(careful(), read=broken)
    ahead = ReadAhead([rules], items, seed=0)
    ahead.add(Response(id="c0", response="A"))
    with pytest.raises(RuntimeError, match="mine"):
        score(items[:1], [Response(id="c0", response="A")], [ahead.remembering(rules)])


def test_of_very_many_items_nothing_is_kept(items: list[Item], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_scoring, "MOST", 3)
    rules, read = counting(careful())
    ReadAhead([rules], items, seed=0).add(Response(id="c0", response="A"))
    assert read == []
