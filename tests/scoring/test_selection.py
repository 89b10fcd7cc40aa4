"""The learned selector: what it is weighed by, what it may decide, and that it keeps to the reader's contract."""

import math
from dataclasses import replace
from importlib import resources

import pytest

from scoring.corpus import rows as corpus
from tolman.items import Item
from tolman.scoring.parse import read_careful
from tolman.scoring.parse.answer_candidates import NamedValue
from tolman.scoring.parse.answer_selection import RULE, Weights, decided, features, is_open, names, weights
from tolman.scoring.parse.commitments import NO_ANSWER, UNLIKELY
from tolman.scoring.parse.reader import Ruled, ruled

MAX_BYTES = 300_000
CHOICE = Item(
    id="c",
    question="Which is closest to the door?",
    kind="choice",
    answer="A",
    options=("chair", "table", "sofa", "lamp"),
    task="t",
)
NUMBER = Item(id="n", question="How far is the door?", kind="number", answer="1", unit="m", task="t")
OPEN = "The chair stands far away. The sofa is two steps from it, near the table."
TRUST = Weights(base=0.0, trees=(), read=0.5, drop=0.5, switch=0.5)
"""Thresholds alone; the chances are given."""


def found_in(item: Item, response: str) -> Ruled:
    """What the rules make of a response."""
    found = ruled(item, response)
    assert found is not None
    return found


def test_the_weights_are_small_and_made_for_these_features() -> None:
    path = resources.files("tolman.scoring.parse") / "weights.json"
    assert len(path.read_bytes()) < MAX_BYTES
    assert weights().keys() == {"choice", "number"}
    for own in weights().values():
        assert all(-1 <= node[0] < len(names()) for tree in own.trees for node in tree)
        assert all(0 < own.chance([value] * len(names())) < 1 for value in (-1.0, 0.0, 1.0, math.inf))


@pytest.mark.parametrize("item", [CHOICE, NUMBER])
def test_each_candidate_has_a_number_for_each_feature(item: Item) -> None:
    for response in (OPEN, "About 2 m, no, 3 m. Or 4?", "", "x"):
        found = ruled(item, response)
        if found is not None:
            rows = features(found.candidates, found.setting)
            assert len(rows) == len(found.candidates)
            assert {len(row) for row in rows} <= {len(names())}


@pytest.mark.parametrize(
    ("item", "response"),
    [
        (CHOICE, "<answer>B</answer>"),
        (CHOICE, "B"),
        (CHOICE, "Answer: A\nAnswer: C"),
        (CHOICE, "The answer is B (lamp)."),
        (NUMBER, "The answer is 3 m."),
        (NUMBER, "2.5 m and 3.5 m"),
        (NUMBER, "2-3 m"),
        (NUMBER, "At least 2 m."),
    ],
)
def test_what_the_rules_know_is_left_to_them(item: Item, response: str) -> None:
    found = found_in(item, response)
    assert not is_open(found.setting, found.candidates)


def by(found: Ruled, chances: dict[str, float]) -> list[float]:
    """The chances of candidates in their order."""
    return [chances.get(str(c.value), 0.0) for c in found.candidates]


def test_a_likely_candidate_is_read_where_the_rules_read_none() -> None:
    found = found_in(CHOICE, OPEN)
    silent = replace(found.setting, chosen=None, note=NO_ANSWER)
    selected = decided(TRUST, by(found, {"C": 0.6}), silent, found.candidates)
    assert selected is not None
    assert (selected.value, selected.rule) == ("C", RULE)
    assert OPEN[selected.start : selected.end].lower() == "sofa"
    assert decided(TRUST, by(found, {"C": 0.4}), silent, found.candidates) is None
    broken = replace(silent, broken=True)
    assert decided(TRUST, by(found, {"C": 0.6}), broken, found.candidates) is None


def test_an_unlikely_reading_is_dropped_or_gives_way_to_a_likely_one() -> None:
    found = found_in(CHOICE, "The answer is the chair. But the sofa is nearer.")
    chosen = found.setting.chosen
    assert chosen is not None
    assert found.note == ""
    said, other = str(chosen.value), next(str(c.value) for c in found.candidates if c.value != chosen.value)
    assert decided(TRUST, by(found, {said: 0.5}), found.setting, found.candidates) is None
    dropped = decided(TRUST, by(found, {said: 0.1}), found.setting, found.candidates)
    assert dropped is not None
    assert (dropped.value, dropped.note) == (None, UNLIKELY)
    switched = decided(TRUST, by(found, {said: 0.1, other: 0.8}), found.setting, found.candidates)
    assert switched is not None
    assert switched.value == other


def test_a_value_stands_where_it_is_said_most_plainly() -> None:
    text = "Perhaps the sofa. The answer is the sofa. The sofa is grey, the lamp is not."
    sofa: NamedValue = next(c for c in found_in(CHOICE, text).candidates if c.value == "C")
    assert sofa.span[0] == text.index("sofa", text.index("answer"))


@pytest.mark.full
def test_what_is_selected_in_the_corpus_keeps_the_contract() -> None:
    selected = 0
    for row in corpus.load(["development"]).rows:
        item = corpus.item_of(row)
        reading = read_careful(item, row.output)
        found = ruled(item, row.output)
        if reading.rule != RULE:
            continue
        selected += 1
        assert found is not None
        assert not found.broken or not found.note
        assert reading.value in [c.value for c in found.candidates]
        assert reading.span is not None
        assert row.output[slice(*reading.span)].strip()
    assert selected
