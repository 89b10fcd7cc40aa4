"""`tolman ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Json, console

app = typer.Typer()


@app.command()
def ingest(
    format: Annotated[str, typer.Argument(metavar="FORMAT", help="Of the scans, as 'scannet'; a wrong one lists all.")],
    path: Annotated[Path, typer.Argument(help="Folder of the scans, or of one of them.")],
    out: Annotated[Path, typer.Option(help="Folder of the scenes. What it has already stays.")],
    categories: Annotated[
        Path | None, typer.Option(help="JSON file: which labels are asked about, under which name.")
    ] = None,
    corrections: Annotated[
        Path | None, typer.Option(help="JSON file of corrections, added to the folder's own corrections.json.")
    ] = None,
    completeness: Annotated[
        float, typer.Option(min=0, max=1, help="Scenes whose mesh is less complete are left out.")
    ] = 0.75,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for each core.")] = None,
    as_json: Json = False,
) -> None:
    """Turn real scans and recordings into scenes: boxes, rooms, videos, and what is visible when.

    The same command goes on where it was stopped, and reads only what is new or has changed. It ends with exit code 1
    if a scene was refused; the others are written all the same.

    Example:  tolman ingest scannet scans/ --out scenes
    """
    from tolman.ingest.build import Order
    from tolman.parallel import cores
    from tolman.reports.ingestion import ingest_scans

    order = Order(format, path, categories, corrections, completeness)
    if ingest_scans(console(), order, out, workers or cores(), as_json=as_json).of("refused"):
        raise typer.Exit(1)
