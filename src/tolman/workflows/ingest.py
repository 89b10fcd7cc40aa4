"""Ingesting: scenes from real scans and recordings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted
from tolman.workflows.pool import PoolConfig
from tolman.workflows.settings import NumberOfWorkers, On, ShardOfJob

if TYPE_CHECKING:
    import polars as pl

    from tolman.ingest.summary import SummaryRow

MEDIA = "media"
"""The format that is none of scans: media for a pool (`tolman.workflows.pool`)."""
_POOL = "Media pools"


@dataclass(frozen=True, kw_only=True)
class IngestConfig:
    """Which scans become scenes, or which media come into a pool."""

    format: Annotated[
        str,
        Setting(
            "Format of the scans, such as scannet; a wrong one lists all. 'media' makes a media pool.",
            positional=True,
            metavar="FORMAT",
        ),
    ]
    path: Annotated[
        tuple[Path, ...],
        Setting(
            "Folder of the scans, or of one of them. For 'media': folders, media, or lists of them.", positional=True
        ),
    ]
    out: Annotated[Path, Setting("Folder of the scenes, or of the pool. What it has already stays.")]
    categories: Annotated[
        Path | None,
        Setting(
            "JSON file that says which labels are asked about, and under which names. Default: the data set's list."
        ),
    ] = None
    corrections: Annotated[
        Path | None, Setting("JSON file of corrections, added to the folder's own corrections.json.")
    ] = None
    completeness: Annotated[
        float, Setting("Least completeness of a scene's mesh, 0–1; others are left out.", least=0, most=1)
    ] = 0.75
    source: Annotated[
        str | None, Setting("Name of the data set that the media come from. Default: the folder's name.", panel=_POOL)
    ] = None
    licence: Annotated[str, Setting("Licence of the media, in your words.", panel=_POOL)] = ""
    copy: Annotated[bool, Setting("Copy the media instead of sharing their bytes on the disk.", panel=_POOL)] = False
    shard: ShardOfJob = None
    on: On = None
    workers: NumberOfWorkers = None

    @property
    def is_pool(self) -> bool:
        """Whether media are brought into a pool: a case for `pool`."""
        return self.format == MEDIA

    @property
    def pool(self) -> PoolConfig:
        """The same as a config of a media pool.

        Raises:
            UsageError: something is given that only scans have.
        """
        if self.categories or self.corrections:
            raise UsageError("a media pool has no objects: --categories and --corrections are for scans.")
        if self.shard:
            raise UsageError("--shard is for scans: a media pool grows, so bring folder after folder into it.")
        return PoolConfig(
            path=self.path,
            out=self.out,
            source=self.source,
            licence=self.licence,
            copy=self.copy,
            on=self.on,
            workers=self.workers,
        )


@dataclass(frozen=True, repr=False)
class IngestResult(Displayable):
    """What became of the scans.

    Attributes:
        out: the collection's folder.
        scenes: those that were found below the config's path, in order, each with its state.
        others: how many more the collection has, from earlier ingests.
        lost: corrections that match nothing, a sentence each.
    """

    out: Path
    scenes: tuple[SummaryRow, ...]
    others: int
    lost: tuple[str, ...]

    @property
    def refused(self) -> list[SummaryRow]:
        """Scenes that can't be used, each with its reason."""
        return [entry for entry in self.scenes if entry.state == "refused"]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scan.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, state ('new', 'kept', 'left out', 'refused'), reason (why it was left out or refused, else
            null), room_area (m²), objects, frames (counts), completeness (of the mesh, 0–1, null where it wasn't
            measured), repaired (how many repairs), path (where it was read from).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.workflows.frames import given_as

        schema: dict[str, Any] = {
            "id": pl.String, "state": pl.String, "reason": pl.String, "room_area": pl.Float64, "objects": pl.Int64,
            "frames": pl.Int64, "completeness": pl.Float64, "repaired": pl.Int64, "path": pl.String,
        }  # fmt: skip
        rows = [
            (s.id, s.state, s.reason, s.area, s.objects, s.frames, s.completeness, len(s.repaired), s.path)
            for s in self.scenes
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        there = sum(entry.there for entry in self.scenes)
        return f"{self.out}: {there:,} of {counted(len(self.scenes), 'scan')} became scenes"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.lost)


def ingest(config: IngestConfig, events: Events = silent) -> IngestResult:
    """Ingest a folder of scans into a collection; the same config goes on where it was stopped.

    Raises:
        UsageError: there is no such format, several folders are given, or something that only media pools have.
        InputError: no scene is there, the folder holds something else, or the corrections can't be read.
        MissingExtraError: a package is missing.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    from tolman.ingest.build import ScansConfig
    from tolman.ingest.build import ingest as carry_out
    from tolman.parallel import place_of
    from tolman.scene_shards import Shard

    if config.is_pool:
        raise UsageError("'media' is no format of scans: media pools are made by tolman.workflows.pool.")
    if len(config.path) != 1:
        raise UsageError(
            f"scans are ingested folder by folder, and {len(config.path)} are given; run the command for each."
        )
    if config.source or config.licence or config.copy:
        raise UsageError("--source, --licence and --copy are for 'tolman ingest media'.")
    order = ScansConfig(config.format, config.path[0], config.categories, config.corrections, config.completeness)
    place = place_of(config.on, config.workers)
    events(Began("reading scans"))
    found = carry_out(
        order,
        config.out,
        place,
        found=lambda count: events(Began("reading scans", count)),
        done=lambda _: events(Advanced()),
        shard=None if config.shard is None else Shard.parse(config.shard),
    )
    events(Ended())
    return IngestResult(config.out, found.scenes, found.others, found.lost)
