"""The scale on which a question asks for coordinates, and whether y comes first.

Benchmarks and models differ: shares of the picture (0–1), per cent (Molmo), 0–1000 (Gemini, Qwen3-VL), pixels
(Qwen2.5-VL). What an item asks for is its label `coordinates` ('0-1', '0-100', '0-999', '0-1000' or 'pixels', with
' yx' behind where y comes first), or what its question says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tolman.items import Item

LABEL = "coordinates"
"""The item's label that names the scale."""
SHARES, PER_CENT, THOUSAND, PIXELS = "0-1", "0-100", "0-1000", "pixels"
GREATEST = {SHARES: 1.0, PER_CENT: 100.0, "0-999": 999.0, THOUSAND: 1000.0}
"""Scale → its greatest x and y; pixels have none that is known."""
NAMES = (*GREATEST, PIXELS)
MAX_QUESTION_CHARS = 20_000
"""Characters of a question in which its scale is looked for, the last of all."""

_RANGE = r"(?:\b0(?:\.0)?\s{0,2}(?:-|–|to|and|,)\s{0,2})"
_STATED = (
    (THOUSAND, re.compile(_RANGE + r"1,?000\b")),
    ("0-999", re.compile(_RANGE + r"999\b")),
    (PER_CENT, re.compile(_RANGE + r"100\b(?!,?0)")),
    (SHARES, re.compile(_RANGE + r"1(?:\.0)?(?![\d.,]\d|\d)")),
    (PIXELS, re.compile(r"\b(?:in|absolute|as) pixels?\b|\bpixel (?:coordinates|values)\b", re.IGNORECASE)),
)
_Y_FIRST = re.compile(r"[(\[]\s{0,2}y(?:_?min|_?1|_?0)?\s{0,2},\s{0,2}x", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """How coordinates are asked for.

    Attributes:
        name: one of `NAMES`; '' where nothing is said.
        y_first: whether y comes before x.
    """

    name: str
    y_first: bool = False

    @property
    def size(self) -> tuple[float, float] | None:
        """The greatest x and y; None for pixels."""
        greatest = GREATEST.get(self.name or THOUSAND)
        return None if greatest is None else (greatest, greatest)


def asked_scale(item: Item) -> Scale:
    """The scale on which an item asks for coordinates.

    Raises:
        ValueError: its label names none.
    """
    label = item.labels.get(LABEL)
    if label is None:
        return _asked_in(item.question[-MAX_QUESTION_CHARS:])
    name, _, order = label.partition(" ")
    if name not in NAMES or order not in ("", "xy", "yx"):
        raise ValueError(
            f"the label '{LABEL}' is {label!r}; give {', '.join(NAMES)}, with ' yx' behind where y comes first"
        )
    return Scale(name, order == "yx")


@lru_cache(maxsize=4096)
def _asked_in(question: str) -> Scale:
    named = next((name for name, pattern in _STATED if pattern.search(question)), "")
    return Scale(named, _Y_FIRST.search(question) is not None)


def told_scale(numbers: list[tuple[float, bool]], asked: str) -> str:
    """The scale on which a response gives coordinates.

    Args:
        numbers: its coordinates, and whether each is written with a decimal point.
        asked: the scale that was asked for; '' where none was.

    Returns:
        A name of `NAMES`; '' where the coordinates lie on another scale than the one asked for, and which can't be
        told.
    """
    greatest = max(value for value, _ in numbers)
    are_shares = greatest <= 1 and any(decimal and value for value, decimal in numbers)
    if asked == PIXELS:
        return SHARES if are_shares else PIXELS
    if asked:
        if greatest <= GREATEST[asked]:
            return SHARES if are_shares else asked
        return ""
    if are_shares:
        return SHARES
    return THOUSAND if greatest <= GREATEST[THOUSAND] else PIXELS
