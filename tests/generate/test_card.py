"""The card of a generated benchmark: the licence that is named, and its shortcut audit."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tolman.features.generate.compute import GenerateResult
from tolman.features.generate.render import show_generated
from tolman.generate.presets import preset
from tolman.generate.publish import AUDIT, RINGS, card, with_audit

STATISTICS = {"scenes": 2, "tasks": {}, "frames": {"known": 0}}


@pytest.mark.parametrize(("licence", "line"), [("CC BY 4.0", "license: cc-by-4.0"), ("", "license: unknown")])
def test_the_header_names_the_licence(licence: str, line: str) -> None:
    assert card("bench", 3, STATISTICS, preset("vsi-paper"), 0, licence).splitlines()[1] == line


@pytest.mark.parametrize("licence", ["CC BY 4.0", ""])
def test_the_option_is_offered_where_no_licence_is_named(licence: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_generated(Console(), GenerateResult(Path("bench"), 3, 2, (), STATISTICS), licence=licence)
    assert ("give --licence" in capsys.readouterr().out) == (not licence)


def test_a_card_tells_of_rings_where_there_are_any() -> None:
    rung = preset("tolman-1")
    assert RINGS in card("b", 0, STATISTICS, rung, 0)
    assert RINGS not in card("b", 0, STATISTICS, rung.with_share(rings=False), 0)


ROW: dict[str, Any] = {
    "task": "nearest", "learner": "ngram-linear", "taught_on": "other folds", "taught": 400, "items": 500, "score": 0.314,
    "baseline": 0.25, "difference": 0.064, "low": 0.02, "high": 0.108, "p": 0.0004, "verdict": "FAIL",
    "reason": "6.4 points above chance",
}  # fmt: skip
RECORD: dict[str, Any] = {
    "benchmark": "bench", "tolman": "0.1.0", "scorer": "careful", "taught": ["other"], "verdict": "FAIL", "folds": 5,
    "seed": 0, "learners": {"ngram-linear": "words"}, "notes": [], "rows": [ROW],
}  # fmt: skip


def test_a_card_names_the_command_until_the_audit_is_made() -> None:
    assert "`tolman audit bench --shortcuts`" in card("bench", 3, STATISTICS, preset("vsi-paper"), 0)


def test_the_result_stands_in_its_place_and_is_replaced_by_the_next() -> None:
    text = card("bench", 3, STATISTICS, preset("vsi-paper"), 0)
    told = with_audit(text, RECORD)
    assert told.count(AUDIT) == told.count("## Frames") == told.count("## Shortcut filtering") == 1
    assert "Not run yet" not in told
    assert "tolman audit bench --shortcuts --teach other --folds 5 --seed 0" in told
    assert (
        "| nearest | ngram-linear | the other folds | 400 | 500 | 31.4 | 25.0 | +6.4 (+2.0 … +10.8) | 0.0004 "
        "| FAIL: 6.4 points above chance |" in told
    )
    assert with_audit(told, RECORD) == told
    assert told.index(AUDIT) < told.index("## Frames")


def test_an_older_card_gets_the_section_at_its_end() -> None:
    told = with_audit("# Bench\n\nText.\n", RECORD)
    assert told.startswith("# Bench\n\nText.\n\n## Shortcut audit\n\nVerdict: **FAIL**")
