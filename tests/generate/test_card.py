"""The licence of a generated benchmark is the one that is named, in its card and in benchmark.json."""

from __future__ import annotations

import pytest

from tolman.generate.card import card
from tolman.generate.settings import preset

STATISTICS = {"scenes": 2, "tasks": {}, "frames": {"known": 0}}


@pytest.mark.parametrize(("licence", "line"), [("CC BY 4.0", "license: cc-by-4.0"), ("", "license: unknown")])
def test_the_header_names_the_licence(licence: str, line: str) -> None:
    assert card("bench", 3, STATISTICS, preset("vsi-paper"), 0, licence).splitlines()[1] == line
