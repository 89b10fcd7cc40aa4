"""What presenters have in common: sentences as they are, plain tables, JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

WIDTH = 100
"""Characters that a wide table gets at least: figures would be cut off on fewer."""


def say(console: Console, text: str, style: str = "") -> None:
    """Print a sentence: no markup, no colours of its own, and no line breaks that could cut a command or a path."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def table(headings: Sequence[str], *, left: Collection[str] = (), whole: Collection[str] | None = None) -> Table:
    """An empty table without borders.

    Args:
        headings: of its columns.
        left: columns of text; the others are figures and stand to the right.
        whole: columns that are never broken into lines; the first where None.
    """
    grid = Table(box=None, pad_edge=False)
    for heading in headings:
        unbroken = heading in (headings[:1] if whole is None else whole)
        grid.add_column(heading, justify="left" if heading in left else "right", no_wrap=unbroken)
    return grid


def list_first(console: Console, lines: Sequence[str], most: int, style: str = "") -> None:
    """Print the first lines, and how many more there are."""
    for line in lines[:most]:
        say(console, line, style)
    if len(lines) > most:
        say(console, f"… and {len(lines) - most:,} more", style)


def write_json(console: Console, content: Any, *, ascii_only: bool = True) -> None:
    """Print JSON, never wrapped or coloured."""
    console.file.write(json.dumps(content, indent=2, ensure_ascii=ascii_only) + "\n")


def typed(folder: Path) -> str:
    """A folder as it is to be typed where a name could be meant too."""
    return str(folder) if folder.is_absolute() else f"./{folder}"
