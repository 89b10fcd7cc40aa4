"""`tolman generate`, `audit` and `simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Data, Json, Subset, console, names_in

app = typer.Typer()


@app.command()
def generate(
    scenes: Annotated[Path, typer.Argument(help="Folder of scenes: Parquet shards, or VSI-Bench's meta-info.")],
    out: Annotated[Path, typer.Option(help="Folder of the benchmark.")],
    preset: Annotated[
        str,
        typer.Option(
            help="Rules and families: vsi-paper, vsi-official (with its defects), mmsi, site, spatialbench, all."
        ),
    ] = "vsi-paper",
    families: Annotated[str | None, typer.Option(help="Only these of the preset's, separated by commas.")] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.")] = 0,
    per_scene: Annotated[int | None, typer.Option(min=1, help="Most of a question type from one scene.")] = None,
    per_task: Annotated[int | None, typer.Option(min=1, help="Most of a question type.")] = None,
    choices: Annotated[bool, typer.Option("--choices", help="Numerical questions as multiple choice.")] = False,
    filter_rounds: Annotated[
        int | None,
        typer.Option(min=0, max=100, help="Rounds of shortcut filtering at most, 0 for none. Default: the preset's."),
    ] = None,
) -> None:
    """Make a benchmark from scenes.

    Choices that learners answer without the media are left out, by every preset but vsi-official (shortcut filtering).

    Example:  tolman generate meta_info --preset vsi-paper --out my-bench

    Example:  tolman generate worlds --preset mmsi --families camera-object,object-object --out pairs
    """
    from tolman.reports.construction import generate as carry_out

    carry_out(
        console(),
        scenes,
        preset=preset,
        families=names_in(families) if families is not None else None,
        out=out,
        seed=seed,
        per_scene=per_scene,
        per_task=per_task,
        choices=choices,
        filter_rounds=filter_rounds,
    )


@app.command()
def audit(
    benchmark: Annotated[str, typer.Argument(help="A benchmark whose scenes are known.")],
    scenes: Annotated[Path, typer.Option(help="Folder of its scenes.")],
    data: Data = None,
    subset: Subset = None,
    preset: Annotated[str, typer.Option(help="Rules that questions are held to.")] = "vsi-paper",
    out: Annotated[Path, typer.Option(help="Folder of the findings.")] = Path("audit"),
    as_json: Json = False,
) -> None:
    """Compute every answer of a benchmark anew from its scenes, and name those that are in doubt.

    A question may break a rule and have a safe answer all the same, as where two wrong options tie: those are counted
    apart, and stand in exclude-strict.txt only.

    Example:  tolman audit vsi-bench --scenes meta_info
    """
    from tolman.reports.construction import audit_benchmark

    audit_benchmark(console(), benchmark, scenes, data=data, subset=subset, preset=preset, out=out, as_json=as_json)


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="Folder of the scenes.")],
    scenes: Annotated[int, typer.Option(min=1, help="How many.")] = 3,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.")] = 0,
    shapes: Annotated[
        str,
        typer.Option(help="Taken in turn, separated by commas: rectangle, l-shape, two-rooms, street, parking-lot."),
    ] = "rectangle,l-shape,two-rooms",
    objects: Annotated[int, typer.Option(min=4, max=200, help="Asked for in each scene.")] = 22,
    seconds: Annotated[float, typer.Option(min=1, max=600, help="Length of a walk.")] = 30.0,
    rate: Annotated[int, typer.Option(min=1, max=60, help="Frames a second.")] = 24,
    size: Annotated[str, typer.Option(help="Of pictures: WIDTHxHEIGHT.")] = "640x480",
    furniture: Annotated[Path | None, typer.Option(help="A .sh3f library. Default: 54 models of Tolman's.")] = None,
    depth: Annotated[bool, typer.Option("--depth", help="Write depth and instances beside the videos.")] = False,
    actors: Annotated[int, typer.Option(min=0, max=20, help="People who walk around and carry things.")] = 0,
    robots: Annotated[int, typer.Option(min=0, max=20, help="Round robots that drive about.")] = 0,
    exo: Annotated[int, typer.Option(min=0, max=16, help="Fixed cameras beside the one that is walked with.")] = 0,
    lidar: Annotated[bool, typer.Option("--lidar", help="Carry a spinning LiDAR along.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for each core.")] = None,
) -> None:
    """Make rooms and streets whose truth is known, and record a walk through each on video.

    Example:  tolman simulate --scenes 3 --seed 0 --out worlds

    Example:  tolman simulate --shapes l-shape,street --exo 3 --actors 2 --lidar --out rigs
    """
    from tolman.errors import UsageError
    from tolman.parallel import cores
    from tolman.reports.simulation import simulate_scenes
    from tolman.simulate.build import PLACES, WorldsConfig

    chosen = names_in(shapes)
    if unknown := [part for part in chosen or ("",) if part not in PLACES]:
        raise UsageError(f"there is no place '{unknown[0]}'; known: {', '.join(PLACES)}.")
    width, _, height = size.partition("x")
    if not (width.isdigit() and height.isdigit() and 16 <= int(width) <= 4096 and 16 <= int(height) <= 4096):
        raise UsageError(f"--size takes WIDTHxHEIGHT such as 640x480, not '{size}'.")
    if int(width) % 2 or int(height) % 2:
        raise UsageError(f"--size takes even numbers, which the video format needs, not '{size}'.")
    order = WorldsConfig(
        scenes=scenes,
        seed=seed,
        shapes=chosen,
        objects=objects,
        seconds=seconds,
        rate=rate,
        size=(int(width), int(height)),
        furniture=furniture,
        depth=depth,
        actors=actors,
        robots=robots,
        exo=exo,
        lidar=lidar,
    )
    simulate_scenes(console(), order, out, workers or min(cores(), scenes))
