"""`tolman generate` and `audit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Data, Json, Subset, console

app = typer.Typer()


@app.command()
def generate(
    scenes: Annotated[Path, typer.Argument(help="Folder of scenes: Parquet shards, or VSI-Bench's meta-info.")],
    out: Annotated[Path, typer.Option(help="Folder of the benchmark.")],
    preset: Annotated[str, typer.Option(help="Rules: vsi-paper, or vsi-official with its defects.")] = "vsi-paper",
    seed: Annotated[int, typer.Option(help="Of everything that is drawn at random.")] = 0,
    per_scene: Annotated[int | None, typer.Option(min=1, help="Most of a question type from one scene.")] = None,
    per_task: Annotated[int | None, typer.Option(min=1, help="Most of a question type.")] = None,
    choices: Annotated[bool, typer.Option("--choices", help="Numerical questions as multiple choice.")] = False,
) -> None:
    """Make a benchmark from scenes.

    Example:  tolman generate meta_info --preset vsi-paper --out my-bench
    """
    from tolman.reports.construction import generate as carry_out

    carry_out(
        console(), scenes, preset=preset, out=out, seed=seed, per_scene=per_scene, per_task=per_task, choices=choices
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
    """Compute every answer of a benchmark anew from its scenes, and name those that are doubtful.

    Example:  tolman audit vsi-bench --scenes meta_info
    """
    from tolman.reports.construction import audit_benchmark

    audit_benchmark(console(), benchmark, scenes, data=data, subset=subset, preset=preset, out=out, as_json=as_json)
