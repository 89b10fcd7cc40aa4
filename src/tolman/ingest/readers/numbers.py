"""Names with numbers in them, in the order of the numbers: frame 10 comes after frame 9, padded or not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_PARTS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort names by, in which runs of digits count as whole numbers."""
    parts = _PARTS.split(name)
    return tuple((0, int(part), part) if i % 2 else (1, 0, part) for i, part in enumerate(parts))


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Paths in the order of their names."""
    return sorted(paths, key=lambda path: natural(path.name))
