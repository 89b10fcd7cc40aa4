"""`tolman merge`."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import configured
from tolman.commands.options import console
from tolman.workflows.merge import MergeConfig

app = typer.Typer()


@app.command()
@configured(MergeConfig)
def merge(config: MergeConfig) -> Path:
    """Join the shards of a job, made with --shard 1/8 … 8/8, into what the job would have made without.

    Shards of other settings or another version, missing and unfinished ones are refused, and nothing is written then.

    Example:  tolman merge parts/* --out worlds
    """
    from tolman.commands.show.progress import progress
    from tolman.workflows.merge import merge as carry_out

    with progress() as events:
        result = carry_out(config, events)
    console().print(
        f"{result.shards} shards with {result.scenes:,} scenes: {result.out}.", markup=False, highlight=False
    )
    return result.out
