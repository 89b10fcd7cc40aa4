"""The stages `stratify` and `benchmark`.

`benchmark` makes the last pool a folder that `tolman run` and `datasets.load_dataset` open. `stratify` is an even draw
over labels, under caps, with even letters (SITE, section 4.3).

Statistics of a pool are counts by label, for tables and figures of before and after (SITE, table 2, figures 4, 7).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

import tolman
from tolman import benchmarks
from tolman.benchmarks.benchmark_folder import PROFILE, card_lines
from tolman.benchmarks.fields import plain
from tolman.benchmarks.rows import stream_rows
from tolman.benchmarks.site.site_rows import CATEGORIES, SYSTEMS
from tolman.curate.candidates import Candidate, read_pool, scan_pool, shards_of, write_lines, write_pool
from tolman.curate.convert import movable
from tolman.curate.pipeline import STAMP, Stage, Work, file_state, json_text, plainly
from tolman.errors import InputError, UsageError, counted
from tolman.files import link_or_copy, write_text
from tolman.generate.distractors import rebalanced_places
from tolman.generate.publish import CONFIGS, write_shards
from tolman.generate.share_sampling import spread
from tolman.items import LETTERS, Item
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


DECISIONS = ("approve", "reject")
_NAMED = 5
"""Unknown ids that a sentence names."""


def publish_settings(work: Work) -> Any:
    """The stage's part of the recipe, its name and title, and people's decisions."""
    settings = work.recipe.publish
    return [work.recipe.name, work.recipe.title, plainly(settings), file_state(settings.decisions)]


def publish_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Write the benchmark's folder.

    Raises:
        UsageError: no question is left, or the benchmark whose prompts are to be taken doesn't exist.
        InputError: a decision that is none, contradicts another, or is about no question of the pool.
    """
    settings = work.recipe.publish
    if settings.scoring_profile:
        benchmarks.get(settings.scoring_profile)
    decisions = {}
    if settings.decisions:
        found = read_decisions(settings.decisions)
        _check_known(settings.decisions, found, work.root, before)
        decisions = {one: decision for one, (_, decision) in found.items()}
    tally: Counter[str] = Counter()
    missing: set[str] = set()
    ids = [one.id for one in read_pool(before) if _stays(one, decisions, settings.undecided, tally)]
    if not ids:
        raise UsageError("no question is left to be published.")
    wanted = set(ids)

    def items() -> Iterator[Item]:
        placed: set[str] = set()
        for one in read_pool(before, wanted):
            if settings.link_media:
                _put_media(one, work.root, out, placed, missing)
            yield published(one, settings.task)

    write_shards(out, items(), len(ids))
    table = pool_table(before)
    statistics = {
        "questions": len(ids),
        "decisions": dict(sorted(tally.items())),
        "media_missing": len(missing),
        "labels": counts(table.filter(table["id"].is_in(ids))),
    }
    write_lines(out / "missing-media.jsonl", ({"path": path} for path in sorted(missing)))
    _write_cards(work, out, statistics)
    return statistics


def read_decisions(path: Path) -> dict[str, tuple[int, str]]:
    """People's decisions by id, each with its row.

    Raises:
        InputError: a row that is none, or one that contradicts another.
    """
    found: dict[str, tuple[int, str]] = {}
    for number, row in stream_rows(path):
        if isinstance(row, InputError):
            raise row
        decision = plain(row.get("decision") or "").strip().casefold()
        if not row.get("id") or decision not in DECISIONS:
            fix = 'write {"id": …, "decision": "approve"} or "reject"'
            raise InputError(path, "is no decision", row=number, fix=fix)
        first, known = found.setdefault(plain(row["id"]), (number, decision))
        if known != decision:
            what = f"says '{decision}' about '{plain(row['id'])}', and row {first} says '{known}'"
            raise InputError(path, what, row=number, fix="leave one of them")
    return found


def _check_known(path: Path, decisions: dict[str, tuple[int, str]], root: Path, before: Path) -> None:
    """Make sure that each decision is about a question of the pool; a later stage may have left it out.

    Raises:
        InputError: one is not.
    """
    unknown = set(decisions)
    earlier = [stamp.parent for stamp in root.glob(f"*/{STAMP}") if any(stamp.parent.glob("items-*.parquet"))]
    for folder in dict.fromkeys([before, *earlier]):
        if unknown:
            wanted = pl.Series(sorted(unknown), dtype=pl.String).implode()
            unknown -= set(scan_pool(folder).select("id").filter(pl.col("id").is_in(wanted)).collect()["id"])
    if not unknown:
        return
    names = sorted(unknown, key=lambda one: decisions[one][0])
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    named = ", ".join(f"'{one}'" for one in names[:_NAMED]) + more
    example = next((one.id for one in read_pool(before)), None)
    fix = f"write ids as in the pool, such as '{example}'" if example else None
    raise InputError(path, f"decides about no question of the pool: {named}", row=decisions[names[0]][0], fix=fix)


def published(candidate: Candidate, task: str) -> Item:
    """The question as the benchmark has it: a label as its question type, where it has that label."""
    item = candidate.item()
    chosen = candidate.labels.get(task, candidate.source if task == "source" else item.task)
    added: dict[str, str] = {"media": item.media[0].kind} if item.media else {}
    if candidate.labels.get("category") in CATEGORIES:  # as generated questions name it
        added["site_category"] = candidate.labels["category"]
    labels = {**added, **item.labels, "source_task": item.task}
    return item.model_copy(update={"task": chosen, "labels": labels})


def _stays(one: Candidate, decisions: dict[str, str], undecided: str, tally: Counter[str]) -> bool:
    decision = decisions.get(one.id)
    if decision is not None:
        tally[f"{decision} by people"] += 1
        return decision == "approve"
    status = one.labels.get("verified", "not verified")
    tally[status] += 1
    return status != "people" or undecided == "keep"


def _put_media(one: Candidate, root: Path, out: Path, placed: set[str], missing: set[str]) -> None:
    for medium in one.media:
        if medium.path in placed or medium.path in missing:
            continue
        there = root / medium.path
        if ".." in Path(medium.path).parts or not there.is_file():
            missing.add(medium.path)
            continue
        placed.add(medium.path)
        link_or_copy(Path(os.path.realpath(there)), out / medium.path)


def _write_cards(work: Work, out: Path, statistics: dict[str, Any]) -> None:
    recipe, settings = work.recipe, work.recipe.publish
    title = recipe.title or recipe.name
    titles = ", ".join(source.mapping.title for source in work.sources)
    paper = f"Curated by tolman {tolman.__version__} from {titles}"
    card = {"name": recipe.name, "title": title, "paper": paper, "licence": settings.licence}
    card |= {PROFILE: settings.scoring_profile} if settings.scoring_profile else {}
    write_text(out / "benchmark.json", json_text(card))
    stages = {
        stamp.parent.name: json.loads(stamp.read_text(encoding="utf-8"))["statistics"]
        for stamp in sorted(work.root.glob(f"*/{STAMP}"))
    }
    provenance = {"tolman": tolman.__version__, "recipe": plainly(recipe), "stages": stages, "statistics": statistics}
    write_text(out / "provenance.json", json_text(provenance))
    write_text(out / "README.md", _readme(work, statistics))


def _readme(work: Work, statistics: dict[str, Any]) -> str:
    recipe = work.recipe
    sources = statistics["labels"].get("source", {})
    rows = "\n".join(
        f"| {source.mapping.title} | {source.mapping.licence or 'not known'} | {sources.get(source.name, 0):,} |"
        for source in work.sources
    )
    labels = "\n".join(
        f"| {label} | {value} | {number:,} |"
        for label, values in statistics["labels"].items()
        if label in ("category", "scale", "factor", "information", "change", "letter")
        for value, number in values.items()
    )
    origin = f"{counted(statistics['questions'], 'question')} out of {counted(len(work.sources), 'question set')}"
    return f"""---
{card_lines(_licence(recipe.publish.licence))}task_categories: [visual-question-answering]
{CONFIGS}---
# {recipe.title or recipe.name}

{origin}, curated by tolman {tolman.__version__}
with seed {recipe.seed}. `provenance.json` holds the recipe and what each stage did. Evaluate with `tolman run` and the
path of this folder. Questions and media stay under the licences of their sources.

| source | licence | questions |
|---|---|---:|
{rows}

| label | value | questions |
|---|---|---:|
{labels}
"""


def _licence(named: str) -> str:
    """As the card's header names it: a folder that names none has its sources' licences."""
    return "those of the sources, listed below" if named in ("", "other") else named


STAGES = (
    Stage(
        "stratify",
        stratify_stage,
        lambda work: [plainly(work.recipe.stratify), work.recipe.seed],
        lambda recipe: recipe.stratify is not None,
        after="convert",
    ),
    Stage("benchmark", publish_stage, publish_settings, lambda recipe: True, after="verify"),
)
