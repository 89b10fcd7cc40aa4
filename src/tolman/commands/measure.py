"""`tolman measure`."""

from __future__ import annotations

import typer

from tolman.commands.configured import configured
from tolman.commands.options import Json, console
from tolman.workflows.measure import MeasureConfig

app = typer.Typer()


@app.command()
@configured(MeasureConfig)
def measure(config: MeasureConfig, as_json: Json = False) -> None:
    """Measure what is picked in a LiDAR recording, with a bound of the error (docs/measure.md: how often it holds).

    Example:  tolman measure yard size --pixels 210,140,330,300 --at 4.2

    Example:  tolman measure yard distance --box 1,2,0,2,3,1.2 --to-box 4,2,0,5,3,1

    Example:  tolman measure worlds height --capture simulated/0-0000 --box 1,2,-0.1,2,3,1.2 --json

    Example:  tolman measure hall.laz room-area --box 0,0,-1,20,15,4
    """
    from tolman.commands.show.measure import show_measurement
    from tolman.commands.show.progress import progress
    from tolman.workflows.measure import measure as carry_out

    with progress() as events:
        result = carry_out(config, events)
    show_measurement(console(), result, as_json=as_json)
