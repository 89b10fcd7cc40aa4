"""Stages of a curation in the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from tolman.curate.mapping import Mapping as QuestionMapping, Taxonomy
from tolman.curate.pipeline import Done
from tolman.errors import counted
from tolman.features.curate.compute import DRAWN, CurateImportResult, CurateResult, DuplicatesResult
from tolman.features.printing import list_first, plain_table, say, typed, write_json
from tolman.visible import visible_json

_ROWS = 5
"""Rows that were left out, as listed."""
_FOUND = 10
"""Repeated questions that are listed where no file has them."""


def show_curated(console: Console, result: CurateResult, *, as_json: bool) -> None:
    """Print the work of each stage, and the benchmark's place."""
    if as_json:
        stages = [{"stage": one.name, "done_now": one.again, **one.statistics} for one in result.stages]
        write_json(console, {"complete": not result.failed, "stages": stages})
        return
    if result.failed:
        said = f"{counted(result.failed, 'call')} of the stage '{result.stages[-1].name}' failed"
        say(console, f"INCOMPLETE: {said}; run the same command again.", "red")
    for one in result.stages:
        _stage(console, one)
    if result.benchmark is not None:
        say(console, f"Published: {result.benchmark}. Evaluate with 'tolman run {typed(result.benchmark)}'.")


def show_imported(console: Console, result: CurateImportResult, *, as_json: bool) -> None:
    """Print the result of a mapping on a question set."""
    if as_json:
        write_json(console, result.stage.statistics)
        return
    _stage(console, result.stage)
    lost = [f"left out: {row['file']}, row {row['row']}: {row['reason']}" for row in result.left_out]
    list_first(console, lost[:_ROWS], _ROWS)
    if len(lost) > _ROWS:
        say(console, f"… and {len(lost) - _ROWS:,} more: {result.stage.folder / 'unmapped.jsonl'}")


def show_mappings(console: Console, found: Sequence[QuestionMapping], *, as_json: bool) -> None:
    """All mappings, a line each."""
    if as_json:
        rows = [{"name": m.name, "title": m.title, "licence": m.licence, "unsure": list(m.unsure)} for m in found]
        write_json(console, rows)
        return
    headings = ("mapping", "data set", "media", "licence", "not certain")
    grid = plain_table(headings, left=headings)
    for m in found:
        kind = m.media.kind if m.media else "none"
        grid.add_row(
            m.name, m.title, kind, m.licence or "not known", counted(len(m.unsure), "point") if m.unsure else ""
        )
    console.print(grid)


def show_mapping(console: Console, mapping: QuestionMapping, *, as_json: bool) -> None:
    """One mapping, with all that is known of it."""
    if as_json:
        console.file.write(visible_json(mapping.model_dump_json(indent=2, exclude_defaults=True)) + "\n")
        return
    say(console, f"{mapping.title} ({mapping.paper})" if mapping.paper else mapping.title)
    for label, text in (("where", mapping.where), ("licence", mapping.licence), ("fields read in", mapping.read)):
        if text:
            say(console, f"{label}: {text}")
    for text in mapping.unsure:
        say(console, f"not certain: {text}")
    fields = mapping.fields.model_dump(exclude_defaults=True)
    for field, where in fields.items():
        say(console, f"  {field}: {', '.join(f'{k} {v}' for k, v in where.items())}")
    for value, category in mapping.spatial.categories.items():
        say(console, f"  {value} → {category}")
    say(console, f"  other categories → {mapping.spatial.default}")


def show_categories(console: Console, taxonomy: Taxonomy, out: Path) -> None:
    """The categories that a model made, and where they were written."""
    for category in taxonomy.categories:
        say(console, f"{category.prompt}: {category.description}")
    say(console, f"Written: {out}. Edit it, add solved examples, and name it in [classify] taxonomy.")


def show_duplicates(console: Console, result: DuplicatesResult, *, as_json: bool) -> None:
    """How many questions are repeated, and the first of them."""
    rows = result.rows
    if as_json:
        write_json(console, {"found": rows, "media_looked_at": result.media_looked_at})
        return
    questions = counted(result.questions, "question")
    if result.against is None:
        repeated = sum(len(row["members"]) - 1 for row in rows)
        says = f"{counted(repeated, f'of {questions} repeats', f'of {questions} repeat')} another"
        differ = sum(row["different_answers"] for row in rows)
        says += f"; in {differ:,} of {counted(len(rows), 'group')} the answers differ"
    else:
        says = f"{counted(len(rows), f'of {questions} is', f'of {questions} are')} in {result.against} too"
    say(console, f"{says} ({result.media_looked_at:,} media looked at, the others distinguished by their names).")
    for row in rows[:_FOUND] if result.out is None else []:
        say(console, json.dumps(row, ensure_ascii=False))


def _stage(console: Console, done: Done) -> None:
    statistics = done.statistics
    after = "" if done.again else " (was whole already)"
    if done.name == "benchmark":
        line = counted(statistics["questions"], "question")
        if statistics["media_missing"]:
            line += (
                f", {counted(statistics['media_missing'], 'media file')} missing "
                f"({done.folder / 'missing-media.jsonl'})"
            )
        say(console, f"benchmark: {line}{after}")
        return
    say(console, f"{done.name}: {counted(statistics['candidates'], 'candidate')}{_more(done)}{after}")
    if done.name == "import":
        for name, counts in statistics["sources"].items():
            say(console, f"  {name}: {counts['taken']:,}, {counted(counts['unmapped'], 'row')} left out")
    if done.name == "classify":
        for label, found in statistics["agreement"].items():
            say(console, f"  agreement with people on {label}: {_agreement(found)}")
    if done.name == "stratify":
        _statistics(console, statistics)


def _more(done: Done) -> str:
    """Describe the work of a stage in a few words."""
    s = done.statistics
    parts = {
        "import": lambda: [f"{n:,} of the kind '{kind}'" for kind, n in s["kinds"].items()],
        "duplicates": lambda: (
            [counted(s["left_out"], "repeats another", "repeat others")]
            + [f"{counted(n, 'is', 'are')} in {name} too" for name, n in s["shared"].items()]
            + (
                [f"{counted(s['different_answers'], 'group has', 'groups have')} different answers"]
                if s["different_answers"]
                else []
            )
        ),
        "classify": lambda: [
            f"{sum(s['rejected'].values()):,} not about space",
            f"{s['people']:,} left for people",
            f"{counted(s['calls'], 'call')}, {counted(s['from_store'], 'answer')} from the store",
        ],
        "convert": lambda: [
            f"{sum(s['converted'].values()):,} converted",
            f"{s['unconverted']:,} can't be",
            *(f"unchanged, of the item kind '{kind}': {n:,}" for kind, n in s.get("other_kinds", {}).items()),
        ],
        "stratify": lambda: [f"of {s['of']:,}"],
        "verify": lambda: [
            *(f"{n:,} {status}" for status, n in s["status"].items()),
            *([f"{n:,} for people because no level is known"] if (n := s.get("level_unknown", 0)) else []),
        ],
    }.get(done.name, list)()
    return f" ({', '.join(parts)})" if parts else ""


def _agreement(found: Mapping[str, Any]) -> str:
    kappa = "not defined" if found["kappa"] is None else f"{found['kappa']:.2f}"
    if found["kappa"] is not None and found["interval"]:
        low, high = found["interval"]
        kappa += f" [{low:.2f}, {high:.2f}]"
    return f"{100 * found['agreement']:.1f} %, kappa {kappa}, n = {found['n']:,}"


def _statistics(console: Console, statistics: Mapping[str, Any]) -> None:
    before, after = statistics["before"], statistics["after"]
    grid = plain_table(("label", "value", "before", "after"), left=("label", "value"), whole=())
    for label in (*DRAWN, "letter"):
        values = list(dict.fromkeys([*after.get(label, {}), *before.get(label, {})]))
        for i, value in enumerate(values):
            cells = [f"{pool.get(label, {}).get(value, 0):,}" for pool in (before, after)]
            grid.add_row(label if i == 0 else "", str(value), *cells)
    console.print(grid)
