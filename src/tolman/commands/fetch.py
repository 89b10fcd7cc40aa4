"""`tolman fetch`."""

from __future__ import annotations

from typing import Annotated

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.fetch import FetchConfig

app = typer.Typer()


@app.command()
@configured(FetchConfig)
def fetch(
    config: FetchConfig,
    as_json: Json = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Fetch the questions only, and say what media would come and how large they are."
        ),
    ] = False,
) -> None:
    """Fetch a benchmark's questions and media from the Hugging Face hub.

    The disk is asked for room first. What was broken off goes on with the same command; what is here is not fetched
    again. The state of the questions is written into tolman.lock, which runs in this folder keep to.

    Example:  tolman fetch vsi-bench

    Example:  tolman fetch site --subset image --dry-run

    Example:  tolman fetch mmsi-bench --update
    """
    from tolman.commands.show.fetch import show_fetched
    from tolman.commands.show.progress import progress
    from tolman.workflows.fetch import fetch as carry_out

    with progress() as events:
        result = carry_out(config, events, dry_run=dry_run)
    show_fetched(console(), result, as_json=as_json)
