"""Frames that are made one after the other and lie on the disk, so that any number of rows fits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import polars as pl

from tolman.files import atomic_write


@contextmanager
def on_disk(frames: Iterable[pl.DataFrame], beside: Path) -> Iterator[pl.LazyFrame]:
    """Frames of one schema as a lazy one, whose rows are read from files of a temporary folder.

    Args:
        frames: one or more; each is written and let go before the next is asked for.
        beside: a folder on the disk that has room for them, made if it isn't there. Temporary folders of the system may
            be memory.
    """
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rows-", dir=beside, ignore_cleanup_errors=True) as name:
        paths = []
        for number, frame in zip(count(), frames):
            paths.append(Path(name) / f"{number:06d}.parquet")
            frame.write_parquet(paths[-1])
        yield pl.scan_parquet(paths)


def write_frames(path: Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of one schema, one or more, into a Parquet file, whole or not at all."""
    with on_disk(frames, path.parent) as rows, atomic_write(path) as partial:
        rows.sink_parquet(partial)
