"""`tolman ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tolman.commands.options import Json, console

app = typer.Typer()
MEDIA = "media"
_POOL: dict[str, Any] = {"rich_help_panel": "Media pools"}


@app.command()
def ingest(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help="Of the scans, as 'scannet'; a wrong one lists all. 'media' makes a media pool."
        ),
    ],
    path: Annotated[
        list[Path],
        typer.Argument(help="Folder of the scans, or of one of them. For 'media': folders, media, or lists of them."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the scenes, or of the pool. What it has already stays.")],
    categories: Annotated[
        Path | None, typer.Option(help="JSON file: which labels are asked about, under which name.")
    ] = None,
    corrections: Annotated[
        Path | None, typer.Option(help="JSON file of corrections, added to the folder's own corrections.json.")
    ] = None,
    completeness: Annotated[
        float, typer.Option(min=0, max=1, help="Scenes whose mesh is less complete are left out.")
    ] = 0.75,
    source: Annotated[
        str | None, typer.Option(help="The data set that the media come from. Default: the folder's name.", **_POOL)
    ] = None,
    licence: Annotated[str, typer.Option(help="Under which the media stand.", **_POOL)] = "",
    copy: Annotated[
        bool, typer.Option("--copy", help="Copy the media instead of sharing their bytes on the disk.", **_POOL)
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes. Default: one for each core.")] = None,
    as_json: Json = False,
) -> None:
    """Turn real scans and recordings into scenes: boxes, rooms, videos, and what is visible when.

    The same command goes on where it was stopped, and reads only what is new or has changed. It ends with exit code 1
    if a scene was refused, or a medium can't be read; the others are written all the same.

    Example:  tolman ingest scannet scans/ --out scenes

    Example:  tolman ingest media DAVIS/JPEGImages --out pool --source DAVIS --licence "terms of its page"
    """
    from tolman.errors import UsageError
    from tolman.parallel import cores

    if format == MEDIA:
        if categories or corrections:
            raise UsageError("a media pool has no objects: --categories and --corrections are for scans.")
        from tolman.reports.pooling import pool_media

        name = source or path[0].resolve().stem
        brought = pool_media(
            console(), path, out, source=name, licence=licence, copy=copy, workers=workers or cores(), as_json=as_json
        )
        if brought.left_out:
            raise typer.Exit(1)
        return
    if len(path) > 1:
        raise UsageError(f"scans are ingested folder by folder, and {len(path)} are given; run the command for each.")
    if source or licence or copy:
        raise UsageError("--source, --licence and --copy are for 'tolman ingest media'.")
    from tolman.ingest.build import ScansConfig
    from tolman.reports.ingestion import ingest_scans

    order = ScansConfig(format, path[0], categories, corrections, completeness)
    if ingest_scans(console(), order, out, workers or cores(), as_json=as_json).of("refused"):
        raise typer.Exit(1)
