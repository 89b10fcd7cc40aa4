"""`tolman review`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from tolman.commands.options import Data, Json, Subset, console

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
    scenes: Annotated[
        Path | None, typer.Option(help="Scenes that the benchmark was generated from. Default: as it says.")
    ] = None,
    pool: Annotated[
        Path | None, typer.Option(help="Media pool to write questions from; BENCH may then be a new folder.")
    ] = None,
    uploads: Annotated[
        int, typer.Option(min=0, max=10_000, help="Let annotators add files of at most so many MB to the pool.")
    ] = 0,
    runs: Annotated[
        Path | None, typer.Option(help="Serve nothing: write each subject's answers as a run into this folder.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Serve nothing: write the reviewed benchmark into this folder.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Which project to write, where there are several.")] = None,
    undecided: Annotated[bool, typer.Option("--undecided", help="Export items without a decision as well.")] = False,
    without_marked: Annotated[
        bool,
        typer.Option(
            "--without-marked",
            help="Leave out answers given too fast or before their media could be seen, and say so.",
        ),
    ] = False,
    base_url: Annotated[
        str | None,
        typer.Option(help="Address under which people reach the server, such as https://NAME; links are made with it."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="Address of a proxy whose X-Forwarded-For and -Proto are believed (default none); several times."
        ),
    ] = None,
    as_json: Json = False,
    errors_of: Annotated[
        list[Path] | None, typer.Option(help="A run's folder, whose errors people label; may be given several times.")
    ] = None,
    verify: Annotated[
        list[Path] | None,
        typer.Option(help="Models' answers to verify by: a review.jsonl or a run's folder; several times."),
    ] = None,
    rig: Annotated[
        list[Path] | None,
        typer.Option(help="A LiDAR rig's folder or a collection, to measure in; may be given several times."),
    ] = None,
) -> None:
    """Serve the web application in which people answer and check a benchmark's questions, or write what came of it.

    Example:  tolman review my-bench --port 8000

    Example:  tolman review new-bench --pool my-pool --uploads 50

    Example:  tolman review my-bench --runs runs/people

    Example:  tolman review vsi-bench --errors-of runs/vsi-bench-full/my-model-cot

    Example:  tolman review my-bench --verify pool/review.jsonl --rig yard

    Example:  tolman review my-bench --export my-bench-2
    """
    from tolman.errors import UsageError
    from tolman.reports import reviewing

    if runs is not None and export is not None:
        raise UsageError("--runs and --export write different things; give one of them.")
    if uploads and pool is None:
        raise UsageError("--uploads needs the pool that files go to; name it with --pool.")
    if base_url is not None and not re.fullmatch(r"https?://[\w.:\[\]-]+/?", base_url, re.ASCII):
        raise UsageError(f"--base-url takes http://NAME or https://NAME, with a port if need be, not '{base_url}'.")
    place = reviewing.Place(
        benchmark,
        data,
        subset,
        store,
        database,
        scenes,
        errors_of=tuple(errors_of or ()),
        pool=pool,
        uploads=uploads,
        verify=tuple(verify or ()),
        rigs=tuple(rig or ()),
        base_url=base_url,
        proxies=tuple(proxy or ()),
    )
    if runs is not None:
        reviewing.write_runs(console(), place, runs, project, without_marked=without_marked, as_json=as_json)
    elif export is not None:
        reviewing.write_benchmark(
            console(), place, export, project, undecided=undecided, without_marked=without_marked, as_json=as_json
        )
    else:
        reviewing.serve_review(console(), place, host, port)
