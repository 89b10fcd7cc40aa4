"""The shortcut audit: whether learners from outside guess a benchmark's answers from its text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import InputError, UsageError
from tolman.workflows.audit import AuditConfig
from tolman.workflows.events import Began, Ended, Events, Noted, silent
from tolman.workflows.notebook import Displayable, NotebookTable

if TYPE_CHECKING:
    import polars as pl

    from tolman.analyze.outside.audit import ShortcutAudit
    from tolman.items import Item

SHORTCUTS = "shortcuts.json"
"""The file of a shortcut audit, in the audit's folder."""
MANY_QUESTIONS = 2_000
"""Questions that are worth the start of other processes."""


@dataclass(frozen=True, repr=False)
class ShortcutAuditResult(Displayable):
    """What learners from outside got.

    Attributes:
        benchmark: its name or folder.
        scorer: by which answers that are no letters were scored.
        taught: the other benchmarks whose questions were taught.
        audit: rows, verdict, seeds, notes.
        out: the folder with shortcuts.json.
        card: the data card that tells of it now; None where the benchmark has none of Tolman's.
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
        import polars as pl

        from tolman.workflows.frames import given_as

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
        import tolman

        found = asdict(self.audit)
        rows = found.pop("rows")
        about = {"benchmark": self.benchmark, "tolman": tolman.__version__, "scorer": self.scorer}
        return {**about, "taught": list(self.taught), "verdict": self.audit.verdict, **found, "rows": list(rows)}

    def _title(self) -> str:
        return f"{self.benchmark}: shortcut audit, {self.audit.verdict}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), f"Written: {self.out / SHORTCUTS}.")


def audit_shortcuts(config: AuditConfig, events: Events = silent) -> ShortcutAuditResult:
    """Teach learners that shortcut filtering doesn't use, and ask them; write what they got.

    Raises:
        MissingExtraError: scikit-learn isn't installed, or transformers where a language model is named.
        InputError: questions that can't be read, a folder that isn't there.
        UsageError: unknown names, too few scenes for the folds, or nothing to teach.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    from tolman import benchmarks
    from tolman.analyze.outside.audit import audit_with_learners
    from tolman.analyze.outside.learner import LearnerSettings
    from tolman.files import write_text
    from tolman.names import unknown
    from tolman.parallel import place_of
    from tolman.workflows.analyses.inputs import load_questions

    if config.scenes is not None:
        raise UsageError("--shortcuts needs no scenes, and --scenes audits answers: give one of them at a time.")
    if config.language_model is not None and not config.language_model.is_dir():
        raise InputError(config.language_model, "is no folder", fix="give the folder of a language model's files")
    for path in config.teach:
        if not path.exists():
            raise InputError(path, "does not exist", fix="give --teach the folder of a benchmark")
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
        _tell(card, result)
    return result


def _others(config: AuditConfig, events: Events) -> list[Item]:
    """The questions that are taught, with ids that no two of them share."""
    from tolman.workflows.analyses.inputs import load_questions

    found: list[Item] = []
    for path in config.teach:
        if path.resolve() == Path(config.benchmark).resolve():
            raise UsageError(f"--teach {path} is the benchmark itself; its own questions are taught in any case.")
        own = load_questions(str(path), None, None, _as_told)[1]
        events(Noted(f"{len(own):,} questions of {path} are taught"))
        found += own
    return found


def _as_told(item: Item) -> Item:
    """An item without what no learner is told; the evidence of a generated one is nearly all of its memory."""
    from tolman.guessing.folds import TWINS

    twins = {TWINS: item.evidence[TWINS]} if TWINS in item.evidence else {}
    return item.model_copy(update={"evidence": twins, "reasoning": None})


def _card_of(folder: Path) -> Path | None:
    """The data card of a benchmark that was generated here."""
    try:
        generated = "tolman" in json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return folder / "README.md" if generated and (folder / "README.md").is_file() else None


def _tell(card: Path, result: ShortcutAuditResult) -> None:
    from tolman.files import write_text
    from tolman.generate.card import with_audit

    write_text(card, with_audit(card.read_text(encoding="utf-8"), result.record()))
