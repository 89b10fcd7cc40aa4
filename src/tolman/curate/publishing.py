"""The stage `benchmark`: the last pool as a folder that `tolman run` and `datasets.load_dataset` open."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import tolman
from tolman import benchmarks
from tolman.benchmarks.benchmark_folder import PROFILE, card_lines
from tolman.benchmarks.fields import plain
from tolman.benchmarks.rows import stream_rows
from tolman.benchmarks.site.site_rows import CATEGORIES
from tolman.curate.candidates import Candidate, read_pool, scan_pool, write_lines
from tolman.curate.pipeline import STAMP, Stage, Work, file_state, json_text, plainly
from tolman.curate.stratifying import counts, pool_table
from tolman.errors import InputError, UsageError, counted
from tolman.files import link_or_copy, write_text
from tolman.generate.publish import CONFIGS, write_shards
from tolman.items import Item

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


STAGE = Stage("benchmark", publish_stage, publish_settings, lambda recipe: True, after="verify")
