"""Statistics of a pool: counts by label for tables and figures of before and after (SITE, table 2, figures 4, 7)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.curate.candidates import scan_pool
from tolman.kinds import lettered

COUNTED = ("category", *SYSTEMS, "source", "task", "kind", "options", "media", "letter")
MOST = 60
"""Values of one label that are listed; the rest are counted together."""


def pool_table(folder: Path, labels: Sequence[str] = ()) -> pl.DataFrame:
    """A row for each candidate, with its labels and what can be counted of it, without its texts."""
    names = sorted({"category", *SYSTEMS, *labels} - {"source", "task", "kind", "options", "media", "letter", "scene"})
    media = pl.col("media").list
    return (
        scan_pool(folder, names)
        .select(
            "id",
            "source",
            "task",
            "kind",
            pl.coalesce("scene", "id").alias("scene"),
            pl.col("options").list.len().cast(pl.String).alias("options"),
            pl.when(media.len() == 0)
            .then(pl.lit("none"))
            .when(media.first().struct.field("kind") == "video")
            .then(pl.lit("video"))
            .when(media.len() == 1)
            .then(pl.lit("one image"))
            .otherwise(pl.lit("several images"))
            .alias("media"),
            pl.when(pl.col("kind").is_in(lettered())).then("answer").alias("letter"),
            *names,
        )
        .collect()
    )


def counts(table: pl.DataFrame, labels: Sequence[str] = COUNTED) -> dict[str, dict[str, int]]:
    """Label → value → number of candidates, the most frequent first; candidates without the label under '–'."""
    found: dict[str, dict[str, int]] = {}
    for label in labels:
        if label not in table.columns:
            continue
        tally = (
            table.select(pl.col(label).cast(pl.String).fill_null("–").alias("value"))
            .group_by("value")
            .len()
            .sort(["len", "value"], descending=[True, False])
        )
        rows = list(tally.iter_rows())
        shown: dict[str, int] = dict(rows[:MOST])
        if rows[MOST:]:
            shown[f"{len(rows) - MOST:,} others"] = sum(n for _, n in rows[MOST:])
        if set(shown) != {"–"}:
            found[label] = shown
    return found


def summary(before: pl.DataFrame, after: pl.DataFrame) -> dict[str, Any]:
    """Counts of before and after."""
    return {
        "before": {"candidates": before.height, **counts(before)},
        "after": {"candidates": after.height, **counts(after)},
    }
