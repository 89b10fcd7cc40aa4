"""Looking at scenes: a table of a collection, and a page with a floor plan of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, Noted, silent

if TYPE_CHECKING:
    from tolman.ingest.vsi_meta_info import Skipped


@dataclass(frozen=True, kw_only=True)
class ScenesConfig:
    """Which scenes are shown, and where."""

    path: Annotated[
        Path, Setting("Folder of scenes: Parquet, or VSI-Bench's meta-info.", positional=True, metavar="DIR")
    ]
    out: Annotated[Path | None, Setting("HTML file of the page. Default: scenes.html here; with --json, none.")] = None
    most: Annotated[int, Setting("Most scenes that get a floor plan on the page, from 0.", least=0)] = 300


@dataclass(frozen=True)
class ScenesResult:
    """A collection's scenes.

    Attributes:
        path: the collection's folder.
        rows: one for each scene, as `tolman scenes --json` prints it.
        skipped: scenes and objects that can't be used, with the reason.
        page: the HTML file; None where none was written.
    """

    path: Path
    rows: tuple[dict[str, Any], ...]
    skipped: tuple[Skipped, ...]
    page: Path | None


def show_scenes(config: ScenesConfig, events: Events = silent) -> ScenesResult:
    """Read the scenes of a collection, and write their page where the config names one.

    Raises:
        UsageError: the page is to be where a folder is.
        InputError: it is no collection, or holds no usable scene.
    """
    from tolman.files import write_text
    from tolman.generate.collection import open_collection
    from tolman.ingest.vsi_meta_info import Skipped
    from tolman.reports.figures import why_not_drawn
    from tolman.reports.floor_plans import floor_plan_svg
    from tolman.reports.scene_pages import page, summary

    if config.out is not None and config.out.is_dir():
        raise UsageError(f"--out takes the file of a page, and {config.out} is a folder.")
    rows: list[dict[str, Any]] = []
    pictures: list[str] = []
    skipped: list[Skipped] = []
    missing = why_not_drawn()
    events(Began("reading scenes" if config.out is None else "drawing scenes"))
    for found in open_collection(config.path):
        if isinstance(found, Skipped):
            skipped.append(found)
            continue
        rows.append(summary(found.scene, found.captures))
        if config.out is not None and len(pictures) < config.most:
            pictures.append("" if missing else floor_plan_svg(found.scene, found.captures))
        events(Advanced())
    events(Ended())
    if config.out is not None:
        write_text(config.out, page(config.path.resolve().name, rows, pictures, skipped, missing))
        if missing:
            events(Noted(f"Floor plans are left out. {missing}"))
    return ScenesResult(config.path, tuple(rows), tuple(skipped), config.out)
