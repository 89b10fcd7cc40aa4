"""What several commands share: options, the console, how a run is shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolman.workflows.judges import judge_request as judge_request  # for commands that take a judge
from tolman.workflows.values import json_object as json_object

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.runs.folder import RunFolder

STORES: dict[str, Any] = {"rich_help_panel": "Stores"}

Data = Annotated[
    Path | None,
    typer.Option(help="Folder with the released data, or a file of questions. Default: the Hugging Face hub."),
]
Subset = Annotated[
    str | None, typer.Option(help="Part of the benchmark that has a name; see 'tolman benchmarks NAME'.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StorePath = Annotated[Path | None, typer.Option("--store", help="File of the response store.", **STORES)]
JUDGE: dict[str, Any] = {"rich_help_panel": "The judge"}
JudgeUrl = Annotated[
    str | None, typer.Option("--judge-base-url", help="Address of the judge's endpoint, ending in /v1.", **JUDGE)
]
JudgeBody = Annotated[
    str | None, typer.Option("--judge-body", help="JSON object of further fields, as --body is for the model.", **JUDGE)
]


def names_in(text: str | None) -> tuple[str, ...]:
    """The names of an option: 'a,b,c'."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def numbers_in(text: str, option: str, count: int | None = None) -> tuple[float, ...]:
    """The numbers of an option: '1,2.5'."""
    from tolman.errors import UsageError

    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if not values or (count is not None and len(values) != count):
        wanted = "numbers" if count is None else f"{count} numbers"
        raise UsageError(f"{option} takes {wanted} separated by commas, not '{text}'.")
    return values


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console
    from rich.text import Text

    from tolman.storage.places import with_urls

    class Named(Console):
        """Texts name a place on an object store by its URL, not by its mirror."""

        def render_str(self, text: str, **settings: Any) -> Text:
            return super().render_str(with_urls(text), **settings)

    return Named(stderr=stderr)


def show(*folders: RunFolder, as_json: bool) -> None:
    """Print the table of one run or of several, write its page, and say where it is."""
    from tolman.commands.show.runs import show_runs

    show_runs(console(), [folder.path for folder in folders], as_json=as_json)


def is_incomplete(figures: Mapping[str, Any]) -> bool:
    """Whether a run has failures, or answers that were ended before a scorer could read them: exit code 1."""
    unanswered, judge, endings = figures["unanswered"], figures.get("judge"), figures.get("endings")
    if isinstance(endings, dict) and any(entry["unread"] for entry in endings.values()):
        return True
    if isinstance(unanswered, dict) and sum(unanswered.values()):
        return True
    return isinstance(judge, dict) and bool(judge["failed"])
