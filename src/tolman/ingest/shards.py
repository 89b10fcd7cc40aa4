"""Shards of an ingest: what they say of themselves, and how they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tolman.errors import InputError
from tolman.files import link_or_copy
from tolman.ingest.corrections import NAME as CORRECTIONS
from tolman.ingest.summary import Summary, read_summary, write_summary
from tolman.scene_shards import Shard, ShardRecord, end_join, join_scenes


def shard_record(shard: Shard, scans: int, **settings: str | float) -> ShardRecord:
    """What a shard says of itself.

    Args:
        shard: which it is.
        scans: how many the whole job has.
        settings: all that determines the job.
    """
    return ShardRecord(job="ingest", number=shard.number, of=shard.of, things=scans, settings=settings)


def join(shards: Sequence[Path], out: Path) -> int:
    """Join the shards of an ingest, as `scene_shards.whole_job` gives them; the number of scenes.

    Raises:
        InputError: the folder holds something else, a shard isn't whole, or other corrections hold in one.
    """
    summaries = [read_summary(shard) for shard in shards]
    for shard, summary in zip(shards, summaries, strict=True):
        if summary.corrections != summaries[0].corrections:
            fix = "have the same file in each, and run their commands again"
            raise InputError(shard / CORRECTIONS, f"differs from that of {shards[0]}", fix=fix)
    count = join_scenes(shards, out)
    if (shards[0] / CORRECTIONS).is_file():
        link_or_copy(shards[0] / CORRECTIONS, out / CORRECTIONS)
    entries = (entry for summary in summaries for entry in summary.scenes)
    fresh = tuple(entry.model_copy(update={"state": "new"}) if entry.there else entry for entry in entries)
    write_summary(out, Summary(corrections=summaries[0].corrections, scenes=fresh))
    end_join(out)
    return count
