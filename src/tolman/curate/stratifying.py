"""The stage `stratify`: an even draw over labels, under caps, with even letters (SITE, section 4.3).

Statistics of a pool are counts by label, for tables and figures of before and after (SITE, table 2, figures 4, 7).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

from tolman.benchmarks.site.site_rows import SYSTEMS
from tolman.curate.candidates import Candidate, read_pool, scan_pool, shards_of, write_pool
from tolman.curate.convert import movable
from tolman.curate.pipeline import Stage, Work, plainly
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.generate.distractors import rebalanced_places
from tolman.generate.share_sampling import spread
from tolman.items import LETTERS
from tolman.kinds import lettered

COUNTED = ("category", *SYSTEMS, "source", "task", "kind", "options", "media", "letter")
MOST = 60
"""Values of one label that are listed; the rest are counted together."""


def pool_table(folder: Path, labels: Sequence[str] = ()) -> pl.DataFrame:
    """Return a row for each candidate, with its labels and countable properties, without its texts."""
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
    tables = {"before": before, "after": after}
    return {name: {"candidates": table.height, **counts(table)} for name, table in tables.items()}


def stratify_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Draw the benchmark's questions.

    Raises:
        UsageError: a label that no candidate has.
    """
    settings = work.recipe.stratify
    assert settings is not None
    labels = [*settings.by, *settings.caps]
    table = pool_table(before, labels)
    for label in labels:
        if label not in table.columns or table[label].null_count() == table.height:
            raise UsageError(f"no candidate has the label '{label}', which [stratify] names.")
    rows = table.select("id", *dict.fromkeys(labels)).to_dicts()
    seed = f"{work.recipe.seed}:stratify"
    caps = [(itemgetter(label), most) for label, most in settings.caps.items()]
    chosen = spread(rows, [itemgetter(label) for label in settings.by], settings.size or len(rows), seed, caps)
    wanted = {row["id"] for row in chosen}
    places = _places(before, wanted, settings.letters, seed)
    total = write_pool(out, _placed(before, wanted, places))
    after = table.filter(pl.col("id").is_in(pl.Series(sorted(wanted), dtype=pl.String).implode()))
    found = summary(table, after)
    found["after"]["letter"] = _letters(out)
    write_text(out / "statistics.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return {"candidates": total, "of": table.height, **found}


def _places(before: Path, wanted: set[str], which: str, seed: str) -> dict[str, int]:
    """Choose the place of the right option of each chosen question."""
    ids, sizes, places, free = list[str](), list[int](), list[int](), list[bool]()
    for one in read_pool(before, wanted):
        if one.has_letters:
            ids.append(one.id)
            sizes.append(len(one.options))
            places.append(LETTERS.index(one.answer))
            free.append(movable(one) and (which == "all" or "converted" in one.evidence))
    return dict(zip(ids, rebalanced_places(sizes, places, free, seed), strict=True))


def _placed(before: Path, wanted: set[str], places: dict[str, int]) -> Iterator[Candidate]:
    for one in read_pool(before, wanted):
        yield reorder(one, places[one.id]) if one.id in places else one


def reorder(candidate: Candidate, place: int) -> Candidate:
    """A question with its right option at a place; the others keep their order among themselves."""
    now = LETTERS.index(candidate.answer)
    if now == place:
        return candidate
    order = [i for i in range(len(candidate.options)) if i != now]
    order.insert(place, now)
    item = candidate.item().reordered(order)
    changed = {"options": item.options, "answer": item.answer, "media": item.media, "verbatim": None}
    return candidate.model_copy(update=changed)


def _letters(folder: Path) -> dict[str, int]:
    tally: Counter[str] = Counter()
    for path in shards_of(folder):
        rows = pl.read_parquet(path, columns=["kind", "answer"]).filter(pl.col("kind").is_in(lettered()))
        tally.update(rows["answer"].to_list())
    return dict(sorted(tally.items()))


STAGE = Stage(
    "stratify",
    stratify_stage,
    lambda work: [plainly(work.recipe.stratify), work.recipe.seed],
    lambda recipe: recipe.stratify is not None,
    after="convert",
)
