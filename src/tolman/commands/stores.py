"""`tolman store`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Json, StorePath, console

app = typer.Typer(no_args_is_help=True, help="Show, prune or export the answers that models gave.")


@app.command("show")
def storeshow(store: StorePath = None, as_json: Json = False) -> None:
    """Count the answers of each model.

    Example:  tolman store show
    """
    from tolman.reports.stores import print_summary

    print_summary(console(), store, as_json=as_json)


@app.command("prune")
def store_prune(
    store: StorePath = None,
    model: Annotated[str | None, typer.Option(help="Only this model's answers.")] = None,
    older_than: Annotated[float | None, typer.Option(min=0, help="Only answers older than so many days.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All answers.")] = False,
) -> None:
    """Delete answers, so that they are asked for again.

    Example:  tolman store prune --model openai/my-model --older-than 30
    """
    from tolman.reports.stores import prune

    prune(console(), store, model=model, days=older_than, everything=everything)


@app.command("export")
def store_export(
    out: Annotated[Path, typer.Argument(help="JSONL file to write.")],
    store: StorePath = None,
) -> None:
    """Write all answers with their requests to a JSONL file.

    Example:  tolman store export answers.jsonl
    """
    from tolman.reports.stores import export

    export(console(), store, out)
