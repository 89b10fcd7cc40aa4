"""What a page shows of the scores of a run's items, read in the order in which its table has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import polars as pl

from tolman.reports.loaded import LoadedRun

HELD = 200_000
"""Rows of a run that stay in memory."""
BLOCK = 65_536
"""Rows of a scorer that are read at a time, of those that don't."""
_SHOWN = (
    "rule_set",
    "id",
    "span_start",
    "span_end",
    "reading",
    "note",
    "score",
    (pl.col("judged") | (pl.col("status") == "unjudged")).cast(pl.Int8).alias("marked"),
    "state",
    pl.col("rule").fill_null(""),
)


class ShownScores:
    """The rows of a run's first asking of each item.

    A table of scores has for each scorer the items in their order. Where that is the order in which items are asked
    for, each part of the table is read once; else, as where a page has other runs with other items, the whole table is
    looked through.

    Args:
        run: whose scores they are.

    Raises:
        InputError: it has none.
    """

    def __init__(self, run: LoadedRun) -> None:
        rows = run.folder.scan_scores()
        with run.folder.reading_scores():
            counts = rows.group_by("rule_set", maintain_order=True).len().collect()
            self._rows = rows if counts["len"].sum() > HELD else rows.collect().lazy()
        ends = counts["len"].cum_sum().to_list()
        repeats = run.record.settings.repeats
        self._scorers = [
            _Scorer(self._rows.slice(end - count, count), repeats)
            for end, count in zip(ends, counts["len"].to_list(), strict=True)
        ]

    def of(self, ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Scorer, id, start and end of the span, reading, note, score, mark, state and rule of each row of some items,
        scorer after scorer."""
        if not ids:
            return iter(())
        parts = [scorer.next(ids) for scorer in self._scorers]
        in_order = [part for part in parts if part is not None]
        if len(in_order) == len(parts):
            return chain.from_iterable(part.iter_rows() for part in in_order)
        wanted = pl.col("id").is_in(list(ids)) & (pl.col("repeat") == 0)
        return self._rows.filter(wanted).select(_SHOWN).collect().iter_rows()


class _Scorer:
    """The rows of one scorer, item after item."""

    def __init__(self, rows: pl.LazyFrame, repeats: int) -> None:
        self._rows, self._repeats = rows, repeats
        self._read, self._block = 0, pl.DataFrame()

    def next(self, ids: Sequence[str]) -> pl.DataFrame | None:
        """The next rows, where they are those of these items."""
        while self._block.height < len(ids):
            size = max(1, BLOCK // self._repeats) * self._repeats
            more = self._rows.slice(self._read, size).filter(pl.col("repeat") == 0).select(_SHOWN).collect()
            if not more.height:
                return None
            self._read += size
            self._block = pl.concat([self._block, more]) if self._block.height else more
        found = self._block.head(len(ids))
        if found["id"].to_list() != list(ids):
            return None
        self._block = self._block.slice(len(ids))
        return found
