"""The licence of a generated benchmark is the one that is named, in its card and in benchmark.json."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from tolman.features.generate.compute import GenerateResult
from tolman.features.generate.render import show_generated
from tolman.generate.presets import preset
from tolman.generate.publish import RINGS, card

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
