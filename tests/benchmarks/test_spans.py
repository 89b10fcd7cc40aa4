"""Where the released parsers found what they read."""

import math
from collections.abc import Callable

import pytest
from hypothesis import example, given, strategies as st

from tolman import benchmarks
from tolman.items import Item
from tolman.scoring.rule_sets import RuleSet

OFFICIAL = [
    (name, rules)
    for name in ("vsi-bench", "site", "mmsi-bench", "spatialbench")
    for rules in benchmarks.get(name).rule_sets
    if rules.name != "careful"
]
OPTIONS = ("chair", "table top", "sofa", "lamp")
ITEMS = (
    Item(id="1", question="?", kind="choice", answer="A", options=OPTIONS, task="t"),
    Item(id="2", question="?", kind="number", answer="2", unit="m", task="t"),
)
PIECES = (
    "A", "B", "D", "E", " ", "\n", ".", ":", "(", ")", "`", "``", "<|begin_of_box|>", "<|end_of_box|>", "Final Answer:",
    "2", "3.5", "chair", "b", "nan", "🪑", "\u00a0",
)  # fmt: skip


@pytest.mark.parametrize(("name", "rules"), OFFICIAL, ids=[f"{name}-{rules.name}" for name, rules in OFFICIAL])
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
@example("  (B) A ")
@example("🪑 ``x `B` ``")
@example("Final Answer:\n <|begin_of_box|> b <|end_of_box|>")
def test_a_span_holds_what_was_read(name: str, rules: RuleSet, text: str) -> None:
    for item in ITEMS if name in ("vsi-bench", "spatialbench") else ITEMS[:1]:
        reading = rules.read(item, text, 0)
        assert bool(reading.rule) == (reading.value is not None and not reading.guessed)
        if reading.span is not None:
            found = text[slice(*reading.span)]
            if isinstance(reading.value, str):
                assert found.upper() == reading.value
            else:
                assert reading.value is not None
                assert float(found) == reading.value or math.isnan(float(found))


@pytest.mark.parametrize(
    ("name", "text", "span", "rule"),
    [
        ("vsi-bench", "B. chair", (0, 1), "first token"),
        ("site", " Well (B) it is", (7, 8), "letter in brackets"),
        ("site", "B: chair", (0, 1), "letter beside a colon"),
        ("site", "hm", None, ""),
        ("mmsi-bench", "so ``B``", (5, 6), "double backticks"),
        ("mmsi-bench", "so B.", (3, 4), "letter between word boundaries"),
        ("spatialbench", " so (b) ", (5, 6), "last letter"),
        ("spatialbench", "it is the lamp.", None, "text of an option"),
    ],
)
def test_rules_have_names(
    name: str, text: str, span: tuple[int, int] | None, rule: str, choice: Callable[..., Item]
) -> None:
    reading = benchmarks.get(name).rule_set("official").read(choice(), text, 0)
    assert (reading.span, reading.rule) == (span, rule)
