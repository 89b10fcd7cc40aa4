"""`tolman export`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.export import ExportConfig

app = typer.Typer()


@app.command()
@configured(ExportConfig)
def export(config: ExportConfig, as_json: Json = False) -> None:
    """Write a benchmark, or the results of runs, in the form of another program.

    Example:  tolman export ./mybench --as lmms-eval --out tasks

    Example:  tolman export mmsi-bench --as inspect --out mmsi --set name=mmsi

    Example:  tolman export runs/vsi-bench-full/my-model-direct --as model-index --out card
    """
    from tolman.commands.show.export import show_export
    from tolman.commands.show.progress import progress
    from tolman.workflows.export import export as carry_out

    with progress() as events:
        result = carry_out(config, events)
    show_export(console(), result, as_json=as_json)
