"""What `tolman fetch` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.benchmarks.fetching.place import in_units
from tolman.commands.show.printing import list_first, say, write_json

if TYPE_CHECKING:
    from tolman.workflows.fetch import FetchResult

MAX_FILES = 12
"""Files that are named."""


def show_fetched(console: Console, result: FetchResult, *, as_json: bool) -> None:
    """What came, from which state, where it lies and under which licence."""
    if as_json:
        paths = {name: str(path) if path else None for name, path in _places(result).items()}
        write_json(console, asdict(result) | paths | {"changed": list(result.changed)})
        return
    say(
        console, f"{result.title}, {result.subset}: {result.items:,} questions of {result.repository}@{result.revision}"
    )
    total = sum(result.files.values())
    largest = sorted(result.files.items(), key=lambda one: (-one[1], one[0]))
    list_first(console, [f"  {path}  {in_units(size)}" for path, size in largest], MAX_FILES)
    if result.lock is None:
        say(console, f"Would come: {in_units(result.fetched)} of {in_units(total)}.")
    else:
        say(console, f"Fetched: {in_units(result.fetched)} of {in_units(total)}; the rest was here.")
        if result.changed:
            say(console, f"Changed since the state before: {'; '.join(result.changed)}.", "yellow")
        for name, path in _places(result).items():
            if path is not None:
                say(console, f"{name.capitalize()}: {path}")
    say(console, f"Licence: {result.licence}.")


def _places(result: FetchResult) -> dict[str, object]:
    return {"questions": result.questions, "media": result.media, "lock": result.lock}
