"""`tolman review`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Data, Subset, console

app = typer.Typer()


@app.command()
def review(
    benchmark: Annotated[str, typer.Argument(help="A benchmark, or the folder of one.")],
    data: Data = None,
    subset: Subset = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free.")] = 8000,
    store: Annotated[
        Path | None, typer.Option(help="Folder of the work's database. Default: BENCHMARK-review beside the folder.")
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="postgresql://USER:PASSWORD@HOST/NAME in place of SQLite in the store.")
    ] = None,
    run: Annotated[
        list[Path] | None, typer.Option(help="A run's folder, whose errors people label; may be given several times.")
    ] = None,
) -> None:
    """Serve the web application in which people answer and check a benchmark's questions.

    Example:  tolman review my-bench --port 8000

    Example:  tolman review vsi-bench --run runs/vsi-bench-full/my-model-cot
    """
    from tolman.reports.reviewing import serve_review

    serve_review(
        console(),
        benchmark,
        data=data,
        subset=subset,
        host=host,
        port=port,
        store=store,
        database=database,
        runs=tuple(run or ()),
    )
