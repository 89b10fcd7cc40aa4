"""`tolman ingest`."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console
from tolman.workflows.ingest import IngestConfig

app = typer.Typer()


@app.command()
@configured(IngestConfig)
def ingest(config: IngestConfig, as_json: Json = False) -> Path:
    """Turn real scans and recordings into scenes: boxes, rooms, videos, and what is visible when.

    The same command goes on where it was stopped, and reads only what is new or has changed. It ends with exit code 1
    if a scene was refused, or a medium can't be read; the others are written all the same.

    Example:  tolman ingest scannet scans/ --out scenes

    Example:  tolman ingest media DAVIS/JPEGImages --out pool --source DAVIS --licence "terms of its page"
    """
    from tolman.commands.show.ingest import show_ingested, show_pooled
    from tolman.commands.show.progress import progress
    from tolman.workflows.ingest import ingest as carry_out
    from tolman.workflows.pool import pool

    if config.is_pool:
        with progress() as events:
            pooled = pool(config.pool, events)
        show_pooled(console(), pooled, as_json=as_json)
        if pooled.left_out:
            raise Incomplete(pooled.out)
        return pooled.out
    with progress() as events:
        result = carry_out(config, events)
    show_ingested(console(), result, as_json=as_json)
    if result.refused:
        raise Incomplete(result.out)
    return result.out
