"""`tolman scenes`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Json, console

app = typer.Typer()


@app.command()
def scenes(
    path: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of scenes: Parquet, or VSI-Bench's meta-info.")],
    out: Annotated[
        Path | None, typer.Option(help="The page. Default: scenes.html here; with --json, none.", dir_okay=False)
    ] = None,
    most: Annotated[int, typer.Option(min=0, help="How many scenes get a floor plan.")] = 300,
    as_json: Json = False,
) -> None:
    """Show the scenes of a folder: a table, and a page with a floor plan of each.

    Example:  tolman scenes worlds --out worlds.html
    """
    from tolman.reports.scene_pages import show_scenes

    page = out if out is not None or as_json else Path("scenes.html")
    show_scenes(console(), path, page, most, as_json=as_json)
