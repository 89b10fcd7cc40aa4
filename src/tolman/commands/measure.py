"""`tolman measure`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tolman.commands.options import Json, console, numbers_in

app = typer.Typer()
_FIRST: dict[str, Any] = {"rich_help_panel": "What is picked"}
_SECOND: dict[str, Any] = {"rich_help_panel": "The second, for distances and angles"}


@app.command()
def measure(
    recording: Annotated[Path, typer.Argument(help="A rig's folder, a collection of scenes, or a cloud.")],
    quantity: Annotated[
        str,
        typer.Argument(
            help="size, length, width, height, diameter, area, room-area; of two: distance, box-distance, angle."
        ),
    ] = "size",
    box: Annotated[str | None, typer.Option(help="In the cloud, metres: x0,y0,z0,x1,y1,z1.", **_FIRST)] = None,
    pixels: Annotated[str | None, typer.Option(help="In a frame: x0,y0,x1,y1.", **_FIRST)] = None,
    at: Annotated[float | None, typer.Option(help="Time of that frame, seconds.", **_FIRST)] = None,
    camera: Annotated[str | None, typer.Option(help="Its role. Default: the first.", **_FIRST)] = None,
    to_box: Annotated[str | None, typer.Option(help="As --box.", **_SECOND)] = None,
    to_pixels: Annotated[str | None, typer.Option(help="As --pixels.", **_SECOND)] = None,
    to_at: Annotated[float | None, typer.Option(help="As --at. Default: the same time.", **_SECOND)] = None,
    capture: Annotated[str | None, typer.Option(help="Id of a collection's LiDAR capture, or of its scene.")] = None,
    shape: Annotated[str, typer.Option(help="What is fitted: box (upright), free-box or cylinder.")] = "box",
    whole: Annotated[bool, typer.Option("--whole", help="Keep floors and walls that go on beyond the region.")] = False,
    between: Annotated[str | None, typer.Option(help="Only points of this time: from,to in seconds.")] = None,
    cell: Annotated[float, typer.Option(min=0.001, max=1.0, help="Side of a voxel, metres.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Of the random trials of fits.")] = 0,
    as_json: Json = False,
) -> None:
    """Measure what is picked in a LiDAR recording, with a bound of the error (docs/measure.md: how often it holds).

    Example:  tolman measure yard size --pixels 210,140,330,300 --at 4.2

    Example:  tolman measure yard distance --box 1,2,0,2,3,1.2 --to-box 4,2,0,5,3,1

    Example:  tolman measure worlds height --capture simulated/0-0000 --box 1,2,-0.1,2,3,1.2 --json

    Example:  tolman measure hall.laz room-area --box 0,0,-1,20,15,4
    """
    from tolman.errors import UsageError
    from tolman.ingest.measuring import Pick, opened
    from tolman.reports.measuring import measured_aloud, show

    def numbers(text: str | None, option: str, count: int) -> tuple[float, ...] | None:
        return None if text is None else numbers_in(text, option, count)

    first = Pick(numbers(box, "--box", 6), numbers(pixels, "--pixels", 4), at, camera)
    second = None
    if to_box is not None or to_pixels is not None:
        when = to_at if to_at is not None else at
        second = Pick(numbers(to_box, "--to-box", 6), numbers(to_pixels, "--to-pixels", 4), when, camera)
    span = numbers(between, "--between", 2)
    if span is not None and span[0] >= span[1]:
        raise UsageError(f"--between takes an earlier and a later time, not '{between}'.")
    result = measured_aloud(
        None if as_json else console(stderr=True),
        opened(recording, capture),
        quantity,
        (first, second),
        shape=shape,
        isolate=not whole,
        cell=cell,
        between=None if span is None else (span[0], span[1]),
        seed=seed,
    )
    show(console(), result, as_json=as_json)
