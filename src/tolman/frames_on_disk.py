"""Frames that are made one after the other; beyond some thousand rows they lie on the disk, so that any number fits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from pathlib import Path

import polars as pl

from tolman.files import atomic_write

HELD = 20_000
"""Rows that stay in memory; more than a run of VSI-Bench has under three rule sets."""


@contextmanager
def joined_frames(frames: Iterable[tuple[int, pl.DataFrame]], beside: Path) -> Iterator[pl.LazyFrame]:
    """Frames of one schema as a lazy one; the rows of more than `HELD` are read from files of a temporary folder.

    Args:
        frames: one or more, each with the number of its section; each is written and let go before the next is asked
            for. Sections follow each other in the order of their numbers, a section's frames in the order in which
            they come.
        beside: a folder on the disk that has room for them, made if it isn't there. Temporary folders of the system may
            be memory.
    """
    rest = iter(frames)
    held = list(_first(rest))
    if sum(frame.height for _, frame in held) <= HELD:
        yield in_sections(held).lazy()
        return
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".rows-", dir=beside, ignore_cleanup_errors=True) as name:
        paths = []
        let_go = (held.pop(0) for _ in range(len(held)))
        for number, (section, frame) in enumerate(chain(let_go, rest)):
            paths.append(Path(name) / f"{section:06d}-{number:06d}.parquet")
            frame.write_parquet(paths[-1])
        yield pl.scan_parquet(sorted(paths))


def _first(frames: Iterator[tuple[int, pl.DataFrame]]) -> Iterator[tuple[int, pl.DataFrame]]:
    """Frames until they have more rows than are held."""
    rows = 0
    for section, frame in frames:
        yield section, frame
        rows += frame.height
        if rows > HELD:
            return


def in_sections(frames: Iterable[tuple[int, pl.DataFrame]]) -> pl.DataFrame:
    """Frames of numbered sections as a whole: the sections in their order, in each its frames as they came."""
    return pl.concat(frame for _, frame in sorted(frames, key=itemgetter(0)))


def write_frames(path: Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of one schema, one or more, into a Parquet file, whole or not at all."""
    sections = ((0, frame) for frame in frames)
    with joined_frames(sections, path.parent) as rows, atomic_write(path) as partial:
        rows.sink_parquet(partial)
