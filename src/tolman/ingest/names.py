"""Names in the order that people mean: 'frame2' before 'frame10'."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"([0-9]+)")


def in_order(name: str) -> list[list[tuple[int, str]]]:
    """A key to sort names by: their digits as numbers, the rest as text.

    Args:
        name: a file's name, or a path with forward slashes, whose folders are compared one by one.
    """
    # Splitting at the digits leaves text at even places and numbers at odd ones, so like is compared with like.
    return [
        [(int(part) if i % 2 else 0, part) for i, part in enumerate(_DIGITS.split(piece))] for piece in name.split("/")
    ]
