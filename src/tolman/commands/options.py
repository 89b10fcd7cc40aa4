"""What several commands share: options, the console, how a run is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.runs.folder import RunFolder

MODEL: dict[str, Any] = {"rich_help_panel": "The model"}
SAMPLING: dict[str, Any] = {"rich_help_panel": "Sampling"}
PROTOCOL: dict[str, Any] = {"rich_help_panel": "Protocols"}
FRAMES: dict[str, Any] = {"rich_help_panel": "Pictures"}
ITEMS: dict[str, Any] = {"rich_help_panel": "Which items"}
STORES: dict[str, Any] = {"rich_help_panel": "Stores"}

Data = Annotated[Path | None, typer.Option(help="Folder with the released data. Default: the Hugging Face hub.")]
Subset = Annotated[
    str | None, typer.Option(help="Part of the benchmark that has a name; see 'tolman benchmarks NAME'.")
]
Revision = Annotated[str | None, typer.Option(help="Commit of the hub's data set, other than the pinned one.")]
Out = Annotated[Path | None, typer.Option(help="Folder of the run. Default: a name under ./runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="File of the response store.", **STORES)]
CountWrong = Annotated[bool, typer.Option(help="Score items without an answer 0 instead of leaving them out.")]


def json_object(text: str | None, option: str) -> dict[str, Any]:
    """An option that holds a JSON object."""
    import json

    from tolman.errors import UsageError

    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{option} takes a JSON object, and '{text}' is none ({error}).") from None
    if not isinstance(value, dict):
        raise UsageError(f"{option} takes a JSON object such as {{\"seed\": 1}}, not '{text}'.")
    return value


def whole_numbers(text: str | None, option: str) -> list[int]:
    """An option that holds whole numbers above 0, separated by commas."""
    from tolman.errors import UsageError

    parts = [part.strip() for part in text.split(",")] if text is not None else []
    if not all(part.isascii() and part.isdigit() and 0 < int(part) < 1_000_000 for part in parts):
        raise UsageError(f"{option} takes whole numbers such as 16 or 8,16,32, not '{text}'.")
    if len({int(part) for part in parts}) < len(parts):
        raise UsageError(f"{option} names a number twice: {text}.")
    return [int(part) for part in parts]


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr)


def show(*folders: RunFolder, as_json: bool) -> None:
    """Print the table of one run or of several, write its page, and say where it is."""
    from tolman.reports.write import show_runs

    show_runs(console(), folders, as_json=as_json)


def exit_incomplete(*figures: dict[str, object]) -> None:
    """A run with failures ends with exit code 1."""
    for one in figures:
        unanswered = one["unanswered"]
        if isinstance(unanswered, dict) and sum(unanswered.values()):
            raise typer.Exit(1)
