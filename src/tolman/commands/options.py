"""What several commands share: options, the console, how a run is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolman.workflows.values import json_object as json_object

if TYPE_CHECKING:
    from rich.console import Console

    from tolman.runs.engine import Limits
    from tolman.runs.folder import RunFolder
    from tolman.runs.judging import JudgeRequest

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
JUDGE: dict[str, Any] = {"rich_help_panel": "The judge"}
Judge = Annotated[str | None, typer.Option(help="A model that reads responses: adds the rule set 'judged'.", **JUDGE)]
JudgeUrl = Annotated[str | None, typer.Option("--judge-base-url", help="Of the judge's endpoint.", **JUDGE)]
JudgeBody = Annotated[
    str | None, typer.Option("--judge-body", help="JSON object of further fields, as --body is for the model.", **JUDGE)
]
JudgeSample = Annotated[
    str | None,
    typer.Option(
        "--judge-sample",
        help="Responses that 'careful' reads and the judge reads too, to print how often they agree: a number, or a "
        "share such as 5%, drawn by --seed. Default: 50; 0: none.",
        metavar="N|SHARE",
        **JUDGE,
    ),
]
CountWrong = Annotated[bool, typer.Option(help="Score items without an answer 0 instead of leaving them out.")]


def judge_request(
    model: str | None,
    base_url: str | None,
    body: str | None,
    store: Path | None,
    prices: Path | None,
    *,
    limits: Limits | None = None,
    sample: str | None = None,
    **options: Any,
) -> JudgeRequest | None:
    """What the options of the judge ask for; None without one."""
    from tolman.errors import UsageError
    from tolman.models.base import ModelOptions
    from tolman.runs.engine import Limits
    from tolman.runs.judging import JudgeRequest
    from tolman.scoring.judge_sample import SampleSize

    if model is None:
        options_of_a_judge = {"--judge-base-url": base_url, "--judge-body": body, "--judge-sample": sample}
        given = [option for option, value in options_of_a_judge.items() if value]
        if given:
            raise UsageError(f"{' and '.join(given)} without a judge; name it with --judge.")
        return None
    try:
        size = SampleSize() if sample is None else SampleSize.parse(sample)
    except ValueError:
        raise UsageError(f"--judge-sample takes a number such as 50 or a share such as 5%, not '{sample}'.") from None
    asked = ModelOptions(base_url=base_url, body=json_object(body, "--judge-body"), **options)
    return JudgeRequest(model, asked, limits or Limits(), store, prices, size)


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
    """Exit code 1 for a run with failures, or with answers that were ended before a rule set could read them."""
    for one in figures:
        unanswered, judge, endings = one["unanswered"], one.get("judge"), one.get("endings")
        if isinstance(endings, dict) and any(entry["unread"] for entry in endings.values()):
            raise typer.Exit(1)
        if isinstance(unanswered, dict) and sum(unanswered.values()):
            raise typer.Exit(1)
        if isinstance(judge, dict) and judge["failed"]:
            raise typer.Exit(1)
