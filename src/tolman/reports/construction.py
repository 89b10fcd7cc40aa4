"""What `tolman generate` and `tolman audit` print and write."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from tolman.errors import UsageError
from tolman.files import atomic_write, write_text
from tolman.generate.audit import AuditFinding, audit, most_frequent_note, summary
from tolman.generate.build import Collected, Spool, collect, select
from tolman.generate.collection import open_collection
from tolman.generate.geometry import SceneGeometry
from tolman.generate.publish import check_place, publish, statistics_of
from tolman.generate.settings import preset as preset_of
from tolman.ingest.vsi_meta_info import Skipped
from tolman.parallel import cores
from tolman.runs.load import load

_WIDTH = 100
"""Characters that a table needs: figures would be cut off on fewer."""
_NAMED_REASONS = 3
"""Reasons that the sentence names; the table above it has them all."""
_MANY = 2_000
"""Questions that are worth the start of other processes."""


def generate(
    console: Console,
    scenes: Path,
    *,
    preset: str,
    families: Sequence[str] | None = None,
    out: Path,
    seed: int,
    per_scene: int | None,
    per_task: int | None,
    choices: bool,
    filter_rounds: int | None = None,
) -> None:
    """Make a benchmark from scenes.

    Raises:
        InputError: no usable scene, or a folder that holds something else.
        UsageError: an unknown preset or family, or no question comes out.
    """
    chosen = preset_of(preset)
    if families is not None:
        chosen = chosen.choosing(families)
    check_place(out)
    chosen = chosen.with_share(per_scene=per_scene, per_task=per_task, max_filter_rounds=filter_rounds)
    with tempfile.TemporaryDirectory(prefix="tolman-") as place, Spool(Path(place) / "drafts") as spool:
        with console.status("reading scenes"):
            collected = collect(_shown(console, open_collection(scenes)), chosen, seed, spool)
        with console.status("choosing questions") as status:
            workers = cores() if len(collected.entries) >= _MANY else 1
            taken = select(
                collected, chosen, seed, workers=workers, done=lambda task: status.update(f"filtered: {task}")
            )
        if not taken:
            statistics = statistics_of(taken, collected)
            console.print(_reasons(statistics), width=max(console.width, _WIDTH), crop=False)
            raise UsageError(_nothing(collected, statistics, chosen.name))
        with console.status("writing questions"):
            statistics = publish(out, taken, collected, chosen, seed, scenes, choices=choices, workers=cores())
    console.print(_reasons(statistics), width=max(console.width, _WIDTH), crop=False)
    where = out if out.is_absolute() else f"./{out}"
    console.print(
        f"{len(taken):,} questions from {collected.scenes:,} scenes: {out}. Evaluate with 'tolman run {where}'.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


def _reasons(statistics: dict[str, Any]) -> RichTable:
    """A row for each question type: how many were asked, and why others weren't."""
    grid = RichTable(box=None, pad_edge=False)
    for heading in ("question type", "questions", "offered", "rejected", "most frequent reason"):
        right = heading in ("questions", "offered", "rejected")
        grid.add_column(heading, justify="right" if right else "left", no_wrap=heading == "question type")
    for task, counts in statistics["tasks"].items():
        reasons = counts["rejected"]
        top = max(reasons, key=reasons.__getitem__) if reasons else ""
        grid.add_row(task, f"{counts['taken']:,}", f"{counts['offered']:,}", f"{sum(reasons.values()):,}", top)
    return grid


def _nothing(collected: Collected, statistics: dict[str, Any], name: str) -> str:
    """Why nothing at all is asked, in a sentence: for each reason that is any type's most frequent one, how many."""
    offered = collected.offered.total()
    tasks = statistics["tasks"].values()
    tops = Counter(max(n["rejected"], key=n["rejected"].__getitem__) for n in tasks if n["rejected"])
    reasons = [f"{reason} ({n} question type{'s' if n > 1 else ''})" for reason, n in tops.most_common(_NAMED_REASONS)]
    if offered:
        reasons.insert(0, f"{offered:,} were offered, and balancing answers and filtering left none")
    said = "; ".join(reasons)
    scenes = "the one scene" if collected.scenes == 1 else f"the {collected.scenes:,} scenes"
    return f"no question can be asked of {scenes} under the preset '{name}': {said or 'its families found nothing'}."


def audit_benchmark(
    console: Console,
    benchmark: str,
    scenes: Path,
    *,
    data: Path | None,
    subset: str | None,
    preset: str,
    out: Path,
    as_json: bool,
) -> None:
    """Recompute a benchmark's answers from its scenes, and write what was found.

    Raises:
        InputError: no usable scene.
        UsageError: an unknown name.
    """
    chosen = preset_of(preset)
    loaded = load(benchmark, data, subset)
    found = (one for one in _shown(console, open_collection(scenes)) if isinstance(one, SceneGeometry))
    geometries = {geometry.scene.id: geometry for geometry in found}
    with console.status("computing answers"):
        findings = audit(loaded.items, geometries, chosen)
    rows = summary(findings)
    if not any(row["checked"] for row in rows):
        raise UsageError(f"no item can be checked against {scenes}: {most_frequent_note(findings)}.")
    out.mkdir(parents=True, exist_ok=True)
    _write_findings(out / "findings.jsonl", findings)
    doubtful = [finding.id for finding in findings if finding.verdict == "answer in doubt"]
    safe = [finding.id for finding in findings if finding.verdict == "rule broken, answer safe"]
    _write_ids(out / "exclude.txt", doubtful)
    _write_ids(out / "exclude-strict.txt", [one.id for one in findings if one.id in {*doubtful, *safe}])
    write_text(out / "summary.json", json.dumps({"preset": preset, "tasks": rows}, indent=2) + "\n")
    if as_json:
        console.file.write(json.dumps(rows, indent=2) + "\n")
        return
    grid = RichTable(box=None, pad_edge=False)
    for heading in (
        "question type",
        "items",
        "checked",
        "agree",
        "exact differs",
        "mean error",
        "largest",
        "in doubt",
        "broken, safe",
    ):
        first = heading == "question type"
        grid.add_column(heading, justify="left" if first else "right", no_wrap=first, min_width=28 if first else None)
    for row in rows:
        numbers = ["–" if row[key] is None else f"{row[key]:+.3f}" for key in ("mean_error", "largest_error")]
        counts = [f"{row[key]:,}" for key in ("items", "checked", "agree", "exact_differs")]
        grid.add_row(row["task"], *counts, *numbers, f"{row['in_doubt']:,}", f"{row['broken_but_safe']:,}")
    console.print(grid, width=max(console.width, _WIDTH), crop=False)
    for row in rows:
        for rule, count in (row["doubts"] | row["rules"]).items():
            doubted = row["doubts"].get(rule, 0)
            said = "answer in doubt" if doubted == count else f"answer in doubt in {doubted:,}" if doubted else "safe"
            console.print(f"{row['task']}: {count:,} × {rule} ({said})", highlight=False, soft_wrap=True)
    for sentence in (
        f"Findings: {out / 'findings.jsonl'}. The answers of {len(doubtful):,} items are in doubt: "
        f"tolman run {benchmark} --exclude {out / 'exclude.txt'}",
        f"{len(safe):,} more break a rule, and their answers are safe: {out / 'exclude-strict.txt'} names both.",
    ):
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def _shown(console: Console, found: Iterable[SceneGeometry | Skipped]) -> Iterator[SceneGeometry | Skipped]:
    """The same, with every scene or object that is skipped named on the way."""
    for one in found:
        if isinstance(one, Skipped):
            console.print(f"skipped: {one.scene}: {one.reason}", style="yellow", markup=False, soft_wrap=True)
        yield one


def _write_ids(path: Path, ids: Sequence[str]) -> None:
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def _write_findings(path: Path, findings: list[AuditFinding]) -> None:
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        for finding in findings:
            told = {"verdict": finding.verdict, "doubts": finding.doubts}
            file.write(json.dumps(asdict(finding) | told, ensure_ascii=False) + "\n")
