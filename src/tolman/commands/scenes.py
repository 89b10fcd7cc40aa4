"""`tolman scenes`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.scenes import ScenesConfig

app = typer.Typer()
PAGE = Path("scenes.html")


@app.command()
@configured(ScenesConfig)
def scenes(config: ScenesConfig, as_json: Json = False) -> None:
    """Show the scenes of a folder: a table, and a page with a floor plan of each.

    Example:  tolman scenes worlds --out worlds.html
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.scenes import show_collection
    from tolman.workflows.scenes import show_scenes

    if config.out is None and not as_json:
        config = replace(config, out=PAGE)
    with progress() as events:
        result = show_scenes(config, events)
    show_collection(console(), result, as_json=as_json)
