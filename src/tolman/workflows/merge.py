"""Merging: the shards of a job into what the whole job would have made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.workflows.config import Setting
from tolman.workflows.events import Began, Ended, Events, silent


@dataclass(frozen=True, kw_only=True)
class MergeConfig:
    """Which shards are joined."""

    parts: Annotated[tuple[Path, ...], Setting("Folders that were made with --shard, all of one job.", positional=True)]
    out: Annotated[Path, Setting("Folder of the whole, empty or new.")]


@dataclass(frozen=True)
class MergeResult:
    """Shards that were joined.

    Attributes:
        out: the whole job's folder.
        job: the command that the shards were made with: 'simulate' or 'ingest'.
        shards: how many they are.
        scenes: how many the folder has.
    """

    out: Path
    job: str
    shards: int
    scenes: int


def merge(config: MergeConfig, events: Events = silent) -> MergeResult:
    """Join shards; the folder is, byte for byte, what the job without --shard would have made.

    Raises:
        InputError: a folder is no shard, isn't finished, or is of another job or version, or the target isn't free.
        UsageError: shards are missing.
    """
    from tolman.scene_shards import read_shard, whole_job

    folders = whole_job(config.parts)
    job = read_shard(folders[0]).job
    events(Began("joining shards"))
    if job == "simulate":
        from tolman.simulate.collection import join
    else:
        from tolman.ingest.shards import join
    scenes = join(folders, config.out)
    events(Ended())
    return MergeResult(config.out, job, len(folders), scenes)
