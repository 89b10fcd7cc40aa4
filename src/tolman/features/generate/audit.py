"""Auditing a benchmark: answers recomputed from scenes, shortcuts tested by outside learners, overlap with others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

import tolman
from tolman import benchmarks
from tolman.analyze.outside.outside_learner import LearnerSettings
from tolman.analyze.outside.shortcut_audit import ShortcutAudit, audit_with_learners
from tolman.analyze.overlap import BITS, FRAMES, Overlap, overlap
from tolman.errors import InputError, UsageError, counted, unknown
from tolman.exports.training import questions_at
from tolman.features.analyses.scored_runs import load_questions
from tolman.features.events import Began, Ended, Events, Noted, silent
from tolman.features.generate.compute import noted
from tolman.features.generate.config import AuditConfig
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.files import WRITTEN_BY, atomic_write, check_results, write_text
from tolman.generate.presets import preset as preset_of
from tolman.generate.publish import with_audit
from tolman.ground_truth.released_audit import AuditFinding, audit_scenes, most_frequent_note, summary
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.guessing.folds import TWINS
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.parallel import place_of
from tolman.runs.run_items import load
from tolman.scenes import Skipped

FINDINGS, DOUBTFUL, STRICT, SUMMARY = "findings.jsonl", "exclude.txt", "exclude-strict.txt", "summary.json"
"""Files of an audit's folder."""
MANY_ITEMS = 20_000
"""Items that are worth the start of other processes."""


@dataclass(frozen=True, repr=False)
class AuditResult(Displayable):
    """The findings of an audit.

    Attributes:
        benchmark: its name or folder.
        out: the folder with findings.jsonl, summary.json, exclude.txt and exclude-strict.txt.
        findings: one for each item, in their order; each loop reads them from a temporary file.
        rows: one for each question type, as in summary.json.
        skipped: scenes and objects that couldn't be used, with the reason.
    """

    benchmark: str
    out: Path
    findings: Sequence[AuditFinding]
    rows: tuple[dict[str, Any], ...]
    skipped: tuple[Skipped, ...]

    @cached_property
    def differing(self) -> list[str]:
        """Ids of items whose answer is another one than the scene's; all of them are in doubt."""
        return [finding.id for finding in self.findings if finding.status == "differs"]

    @cached_property
    def doubtful(self) -> list[str]:
        """Ids of items whose answer is in doubt."""
        return [finding.id for finding in self.findings if finding.verdict == "answer in doubt"]

    @cached_property
    def safe(self) -> list[str]:
        """Ids of items that break a rule and whose answer is safe all the same."""
        return [finding.id for finding in self.findings if finding.verdict == "rule broken, answer safe"]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task, items, checked, agree, exact_differs, mean_error, largest_error (released minus exact, in the
            unit of the question type; null for choices), in_doubt, broken_but_safe.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        counts, errors = ("items", "checked", "agree", "exact_differs"), ("mean_error", "largest_error")
        schema: dict[str, Any] = {"task": pl.String} | dict.fromkeys(counts, pl.Int64)
        schema |= dict.fromkeys(errors, pl.Float64) | dict.fromkeys(("in_doubt", "broken_but_safe"), pl.Int64)
        rows = [tuple(row[name] for name in schema) for row in self.rows]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        checked = sum(row["checked"] for row in self.rows)
        return f"{self.benchmark}: {checked:,} of {counted(len(self.findings), 'answer')} recomputed"

    def _shown(self) -> NotebookTable:
        doubtful = (
            f"{counted(len(self.doubtful), 'answer is', 'answers are')} in doubt (.doubtful); findings: {self.out}."
        )
        return NotebookTable.of(self.table(), doubtful)


def audit(config: AuditConfig, events: Events = silent) -> AuditResult:
    """Recompute a benchmark's answers, and write the findings.

    Raises:
        InputError: no usable scene.
        UsageError: an unknown name, no scenes are given, or no item's scene is there.
        WorkerError: the place can't be used, or workers are lost again and again.
    """

    if config.scenes is None:
        raise UsageError("give --scenes FOLDER to audit answers, or --shortcuts to audit whether they can be guessed.")
    check_results(config.out, (FINDINGS, DOUBTFUL, STRICT, SUMMARY), SUMMARY)
    preset = preset_of(config.preset)
    place_of(config.on, config.workers)
    scenes = config.scenes
    if not config.scenes.exists():  # told before anything is fetched
        raise InputError(config.scenes, "does not exist", fix="give the folder of the benchmark's scenes")
    loaded = load(config.benchmark, config.data, config.subset, held=False)
    skipped: list[Skipped] = []

    def usable() -> Iterator[SceneGeometry]:
        for one in noted(open_collection(scenes), events):
            if isinstance(one, Skipped):
                skipped.append(one)
            else:
                yield one

    events(Began("computing answers"))
    place = place_of(config.on, config.workers, few=len(loaded.items) < MANY_ITEMS)
    findings = audit_scenes(loaded.items, usable(), preset.settings, workers=place)
    events(Ended())
    rows = summary(findings)
    if not any(row["checked"] for row in rows):
        raise UsageError(f"no item can be checked against {config.scenes}: {most_frequent_note(findings)}.")
    result = AuditResult(config.benchmark, config.out, findings, tuple(rows), tuple(skipped))
    config.out.mkdir(parents=True, exist_ok=True)
    _write_findings(config.out / FINDINGS, findings)
    _write_ids(config.out / DOUBTFUL, result.doubtful)
    _write_ids(config.out / STRICT, (one.id for one in findings if one.doubts or one.violations))
    write_text(
        config.out / SUMMARY, json.dumps({"preset": config.preset, "tasks": rows, **WRITTEN_BY}, indent=2) + "\n"
    )
    return result


def _write_ids(path: Path, ids: Iterable[str]) -> None:
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def _write_findings(path: Path, findings: Iterable[AuditFinding]) -> None:
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        for finding in findings:
            told = {"verdict": finding.verdict, "doubts": finding.doubts}
            file.write(json.dumps(asdict(finding) | told, ensure_ascii=False) + "\n")


SHORTCUTS = "shortcuts.json"
"""The file of a shortcut audit, in the audit's folder."""
MANY_QUESTIONS = 2_000
"""Questions that are worth the start of other processes."""


@dataclass(frozen=True, repr=False)
class ShortcutAuditResult(Displayable):
    """The scores of learners from outside.

    Attributes:
        benchmark: its name or folder.
        scorer: by which answers that are no letters were scored.
        taught: the other benchmarks whose questions were taught.
        audit: rows, verdict, seeds, notes.
        out: the folder with shortcuts.json.
        card: the data card that now reports it; None where the benchmark has none of Tolman's.
    """

    benchmark: str
    scorer: str
    taught: tuple[str, ...]
    audit: ShortcutAudit
    out: Path
    card: Path | None

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question type, learner and way of teaching.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns task, kind, learner, taught_on, taught, items, scenes, score, baseline, category_baseline,
            difference, low, high (95 % interval of the difference; all shares), p (after Holm's correction), verdict,
            reason, needed.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        texts, counts = ("task", "kind", "learner", "taught_on", "verdict", "reason"), ("taught", "items", "scenes")
        rows = [asdict(row) for row in self.audit.rows]
        names = list(rows[0]) if rows else [*texts, *counts]
        schema: dict[str, Any] = {
            name: pl.String if name in texts else pl.Int64 if name in (*counts, "needed") else pl.Float64
            for name in names
        }
        return given_as(pl.DataFrame([tuple(row.values()) for row in rows], schema=schema, orient="row"), pandas=pandas)

    def record(self) -> dict[str, Any]:
        """The content of shortcuts.json."""

        found = asdict(self.audit)
        rows = found.pop("rows")
        about = {"benchmark": self.benchmark, "tolman": tolman.__version__, "scorer": self.scorer}
        return {
            **about,
            "taught": list(self.taught),
            "verdict": self.audit.verdict,
            **found,
            "rows": list(rows),
            **WRITTEN_BY,
        }

    def _title(self) -> str:
        return f"{self.benchmark}: shortcut audit, {self.audit.verdict}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), f"Written: {self.out / SHORTCUTS}.")


def audit_shortcuts(config: AuditConfig, events: Events = silent) -> ShortcutAuditResult:
    """Teach learners that shortcut filtering doesn't use, and ask them; write their scores.

    Raises:
        MissingExtraError: scikit-learn isn't installed, or transformers where a language model is named.
        InputError: questions that can't be read, a folder that isn't there.
        UsageError: unknown names, too few scenes for the folds, or nothing to teach.
        WorkerError: the place can't be used, or workers are lost again and again.
    """

    if config.scenes is not None:
        raise UsageError("--shortcuts needs no scenes, and --scenes audits answers: give one of them at a time.")
    if config.language_model is not None and not config.language_model.is_dir():
        raise InputError(config.language_model, "is no folder", fix="give the folder of a language model's files")
    for path in config.teach:
        if not path.exists():
            raise InputError(path, "does not exist", fix="give --teach the folder of a benchmark")
    check_results(config.out, (SHORTCUTS,), SHORTCUTS)
    name, items, _ = load_questions(config.benchmark, config.data, config.subset, _as_told)
    benchmark = benchmarks.get(name)
    known = {rules.name: rules for rules in benchmark.rule_sets}
    if config.scorer is not None and config.scorer not in known:
        raise unknown("scorer", config.scorer, known)
    rules = known[config.scorer or next(iter(known))]
    others = _others(config, events)
    events(Began("teaching learners"))
    found = audit_with_learners(
        items,
        others,
        rules,
        learners=config.learners or None,
        folds=config.folds,
        seed=config.seed,
        settings=LearnerSettings(config.seed, config.language_model),
        workers=place_of(config.on, config.workers, few=len(items) + len(others) < MANY_QUESTIONS),
    )
    events(Ended())
    card = _card_of(Path(config.benchmark))
    result = ShortcutAuditResult(
        config.benchmark, rules.name, tuple(str(path) for path in config.teach), found, config.out, card
    )
    config.out.mkdir(parents=True, exist_ok=True)
    write_text(config.out / SHORTCUTS, json.dumps(result.record(), indent=2, ensure_ascii=False) + "\n")
    if card is not None:
        write_text(card, with_audit(card.read_text(encoding="utf-8"), result.record()))
    return result


def _others(config: AuditConfig, events: Events) -> list[Item]:
    """The questions that are taught, with ids that no two of them share."""

    found: list[Item] = []
    for path in config.teach:
        if path.resolve() == Path(config.benchmark).resolve():
            raise UsageError(f"--teach {path} is the benchmark itself; its own questions are taught in any case.")
        own = load_questions(str(path), None, None, _as_told)[1]
        events(Noted(f"{counted(len(own), f'question of {path} is', f'questions of {path} are')} taught"))
        found += own
    return found


def _as_told(item: Item) -> Item:
    """Return an item without the parts that no learner sees; the evidence of a generated one is nearly all of its
    memory."""

    twins = {TWINS: item.evidence[TWINS]} if TWINS in item.evidence else {}
    return item.model_copy(update={"evidence": twins, "reasoning": None})


def _card_of(folder: Path) -> Path | None:
    """The data card of a benchmark that was generated here."""
    try:
        generated = "tolman" in json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return folder / "README.md" if generated and (folder / "README.md").is_file() else None


OVERLAP = "overlap.json"
"""The file of shared scenes, questions and frames, in the audit's folder."""


@dataclass(frozen=True, repr=False)
class OverlapAuditResult(Displayable):
    """Scenes, questions and frames that a set shares with others.

    Attributes:
        benchmark: its name, folder or file.
        shared: name of each other set → its overlap.
        out: the folder with overlap.json.
    """

    benchmark: str
    shared: dict[str, Overlap]
    out: Path

    @property
    def is_disjoint(self) -> bool:
        """Check that nothing is shared with any of them."""
        return all(found.is_empty for found in self.shared.values())

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each other set.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns against, scenes, questions, files (with a shared frame), unread (compared by their names only).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        counts = ("scenes", "questions", "files", "unread")
        schema: dict[str, Any] = {"against": pl.String} | dict.fromkeys(counts, pl.Int64)
        rows = [
            (name, len(found.scenes), len(found.questions), len(found.frames), found.unread)
            for name, found in self.shared.items()
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def record(self) -> dict[str, Any]:
        """The content of overlap.json."""
        about = {"benchmark": self.benchmark, "tolman": tolman.__version__, "frames": FRAMES, "bits": BITS}
        return {**about, "against": {name: asdict(found) for name, found in self.shared.items()}, **WRITTEN_BY}

    def _title(self) -> str:
        return f"{self.benchmark}: {'nothing' if self.is_disjoint else 'something'} is shared"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), f"Written: {self.out / OVERLAP}.")


def audit_overlap(config: AuditConfig, events: Events = silent) -> OverlapAuditResult:
    """Find the scenes, questions and frames that a benchmark or training set shares with others, and write them.

    Raises:
        InputError: questions that can't be read.
        UsageError: unknown names, another audit is requested too, or a set is compared with itself.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    if config.scenes is not None or config.shortcuts:
        raise UsageError("--against, --shortcuts and --scenes are audits of their own: give one of them at a time.")
    if config.benchmark in config.against:
        raise UsageError(f"--against {config.benchmark} is the set itself; name another.")
    check_results(config.out, (OVERLAP,), OVERLAP)
    own = questions_at(config.benchmark, config.data, config.subset)
    place = None if config.on is None and config.workers is None else place_of(config.on, config.workers)
    store = FrameStore(default_root())
    shared = {}
    for other in config.against:
        events(Began(f"comparing with {other}"))
        shared[other] = overlap(own, questions_at(other), store, place)
    events(Ended())
    result = OverlapAuditResult(config.benchmark, shared, config.out)
    config.out.mkdir(parents=True, exist_ok=True)
    write_text(config.out / OVERLAP, json.dumps(result.record(), indent=2, ensure_ascii=False) + "\n")
    return result
