"""The shortcut audit as a whole: can a benchmark's answers be guessed without looking, by learners from outside?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tolman.analyze.outside.learner import LEARNERS, LearnerSettings
from tolman.analyze.outside.lessons import lessons
from tolman.analyze.outside.rings import whole_rings
from tolman.analyze.outside.trials import run_trials
from tolman.analyze.outside.verdicts import ShortcutRow, Verdict, judge
from tolman.errors import UsageError
from tolman.guessing.folds import TWINS
from tolman.guessing.learners import check_installed
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers
from tolman.scoring.rules import RuleSet

MANY_TWINS = 0.5
"""Share of a question type's choices whose text has another answer elsewhere, from which twins are suspected."""


@dataclass(frozen=True)
class ShortcutAudit:
    """What learners from outside got.

    Attributes:
        rows: one for each question type, way of teaching and learner.
        learners: name → what it is.
        questions, scenes: of the benchmark.
        others: questions that were taught beside it.
        shared: of these, those of scenes that the benchmark has too: they are taught only where the scene isn't asked
            about.
        folds, seed: of the lessons.
        notes: what a reader should know, as sentences.
    """

    rows: tuple[ShortcutRow, ...]
    learners: dict[str, str]
    questions: int
    scenes: int
    others: int
    shared: int
    folds: int
    seed: int
    notes: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """FAIL where a row fails, too few where one can't be told, else pass."""
        given = {row.verdict for row in self.rows}
        return "FAIL" if "FAIL" in given else "too few" if "too few" in given or not given else "pass"


def audit_with_learners(
    items: Sequence[Item],
    others: Sequence[Item],
    rules: RuleSet,
    *,
    learners: Sequence[str] | None = None,
    folds: int = 5,
    seed: int = 0,
    settings: LearnerSettings | None = None,
    workers: Workers = 1,
) -> ShortcutAudit:
    """Teach learners, ask them, judge.

    Args:
        items: of the benchmark.
        others: questions of other seeds or benchmarks, taught beside it; of the same question types.
        rules: by which answers that are no letters are scored.
        learners: names; all that take part if None.
        folds, seed: of the lessons.
        settings: of the learners; the seed's where None.
        workers: processes; what comes out doesn't depend on it.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
        UsageError: no such learner, fewer scenes than folds, or no other question of the benchmark's types.
    """
    check_installed()
    settings = settings or LearnerSettings(seed)
    names = _taking_part(learners, settings)
    tasks = {(item.task, item.kind) for item in items}
    usable = [item for item in others if (item.task, item.kind) in tasks]
    if others and not usable:
        raise UsageError(
            "none of the questions that are to be taught is of a question type of the benchmark: it has "
            f"{_listed(item.task for item in items)}, they are {_listed(item.task for item in others)}."
        )
    planned, group = lessons(items, usable, folds, seed)
    trials = run_trials(items, usable, planned, group, rules, names, settings, workers)
    own = group[: len(items)]
    shared = int(np.isin(group[len(items) :], own).sum())
    return ShortcutAudit(
        tuple(judge(trials, own, whole_rings(items))),
        {name: LEARNERS.get(name).title for name in names},
        len(items),
        len({item.cluster for item in items}),
        len(usable),
        shared,
        folds,
        seed,
        tuple(_notes(items)),
    )


def _taking_part(names: Sequence[str] | None, settings: LearnerSettings) -> list[str]:
    ready = settings.language_model is not None
    if names is None:
        return [name for name, one in LEARNERS.all().items() if ready or not one.needs_language_model]
    for name in names:
        if LEARNERS.get(name).needs_language_model and not ready:
            raise UsageError(f"the learner '{name}' needs a language model; name its folder with --language-model.")
    return list(dict.fromkeys(names))


def _notes(items: Sequence[Item]) -> list[str]:
    """Question types whose texts come with several answers, in scenes that aren't marked as twins."""
    found = []
    tasks = Counter(item.task for item in items if kind_of(item).has_letters)
    answers: dict[tuple[str, str, tuple[str, ...]], set[str]] = {}
    for item in items:
        if item.task in tasks and not (item.labels.get(TWINS) or item.evidence.get(TWINS)):
            answers.setdefault((item.task, item.question, item.options), set()).add(item.answer)
    for task, count in tasks.items():
        twins = sum(len(answers.get((task, item.question, item.options), ())) > 1 for item in items)
        if twins >= MANY_TWINS * count:
            found.append(
                f"{task}: {twins:,} of {count:,} questions share their text and options with another that has another "
                f"answer. If they are counterfactual twins, name their group in each one's labels or evidence "
                f"('{TWINS}'), or learners fall below chance by being taught a question's twin."
            )
    return found


def _listed(tasks: object) -> str:
    names = sorted(set(tasks))  # type: ignore[call-overload]
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
