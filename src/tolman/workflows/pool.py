"""Pooling: images and videos of any origin, from which people write questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.settings import NumberOfWorkers, On

if TYPE_CHECKING:
    from tolman.ingest.media_pool import LeftOut, PoolMedium


@dataclass(frozen=True, kw_only=True)
class PoolConfig:
    """Which media come into a pool. On the command line: `tolman ingest media`."""

    path: Annotated[tuple[Path, ...], Setting("Folders, media, or lists of them.", positional=True)]
    out: Annotated[Path, Setting("Folder of the pool. What it has already stays.")]
    source: Annotated[
        str | None, Setting("Name of the data set that the media come from. Default: the folder's name.")
    ] = None
    licence: Annotated[str, Setting("Licence of the media, in your words.")] = ""
    copy: Annotated[bool, Setting("Copy the media instead of sharing their bytes on the disk.")] = False
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True)
class PoolResult:
    """What came of bringing media in.

    Attributes:
        out: the pool's folder.
        media: all of the pool.
        added: new in the pool, or read again because their file has changed.
        kept: how many were there already, from the same file.
        left_out: files that are named like media and can't be used, with the reason.
        others: how many files aren't named like media.
        licence: that was named; '' where none was.
    """

    out: Path
    media: tuple[PoolMedium, ...]
    added: tuple[PoolMedium, ...]
    kept: int
    left_out: tuple[LeftOut, ...]
    others: int
    licence: str

    @property
    def duplicates(self) -> list[PoolMedium]:
        """Those of the new ones that the pool has under another name."""
        return [medium for medium in self.added if medium.duplicate_of]


def pool(config: PoolConfig, events: Events = silent) -> PoolResult:
    """Bring media into a pool; the same config goes on where it was stopped.

    Raises:
        UsageError: no path is given, or the source's name can't be a folder's.
        InputError: a path isn't there, there are no media, or the pool's folder holds something else.
        MissingExtraError: Pillow or PyAV is not installed.
    """
    from tolman.ingest.media_pool import bring_in, read_pool
    from tolman.parallel import place_of

    if not config.path:
        raise UsageError("no media are given: name folders, media, or lists of them.")
    seen = 0

    def shown(done: int, total: int) -> None:
        nonlocal seen
        if not seen:
            events(Began("looking at media", total))
        events(Advanced(done - seen))
        seen = done

    events(Began("looking at media"))
    brought = bring_in(
        config.path,
        config.out,
        source=config.source or config.path[0].resolve().stem,
        licence=config.licence,
        copy=config.copy,
        workers=place_of(config.on, config.workers),
        shown=shown,
    )
    events(Ended())
    return PoolResult(
        config.out,
        tuple(read_pool(config.out)),
        brought.added,
        brought.kept,
        brought.left_out,
        brought.others,
        config.licence,
    )
