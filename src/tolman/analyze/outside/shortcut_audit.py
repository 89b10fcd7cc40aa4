"""The shortcut audit: whether outside learners guess a benchmark's answers without pictures, with verdicts.

A choice passes where no learner differs from chance, in either direction, and the 95 % interval of the difference
stays within `MAX_CHOICE_GAP`. A learner that is right too seldom has found the answers as well: its inverse is right
too often. An answer of another kind passes where the learner's lead over the best constant, and over the best
constant per category where that is better, has an interval that ends below `MAX_NUMBER_GAP`.

If all questions are in whole rings (`learner_trials.whole_rings`), and each ring gets one right answer, no learner that
sees only texts could score otherwise: the difference is 0 and so is its interval, however few there are.

p-values are the larger of two, corrected by Holm's method over all rows: the clustered score test, which counts a scene
(and a group of twins) as one, and for choices the exact binomial test, which is right about the tail. If questions of
the benchmark itself are taught, each is asked in one fold and taught in the others. Scores of different scenes are then
correlated too: variances are greater by a factor (Nadeau and Bengio 2003, Machine Learning 52, 239–281), 1 + 5/4 for
five folds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tolman.analyze.outside.learner_trials import (
    CATEGORY_CONSTANT,
    MIN_TAUGHT,
    MIN_TAUGHT_SCENES,
    LearnerTrial,
    lessons,
    one_right_each,
    run_trials,
    whole_rings,
)
from tolman.analyze.outside.outside_learner import LEARNERS, Ints, LearnerSettings
from tolman.errors import UsageError, counted
from tolman.guessing.folds import TWINS, Floats
from tolman.guessing.learners import check_installed
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers
from tolman.scoring.clusters import clustered_sums
from tolman.scoring.intervals import Estimate, Interval, estimates, score_tests
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.significance import exact_chance_test, holm

LEVEL = 0.01
"""p-value after Holm's correction below which a difference is there."""
MAX_CHOICE_GAP = 0.05
"""Share right that a learner may be off chance, in either direction."""
MAX_NUMBER_GAP = 0.03
"""Score that a learner may have above constants."""
MIN_ITEMS = 20
"""Items below which nothing is said about how many would be needed from how they scatter."""

Verdict = Literal["pass", "FAIL", "too few"]


@dataclass(frozen=True)
class ShortcutRow:
    """One learner on one question type. Scores and differences are shares, 0 … 1.

    Attributes:
        task, kind: question type, kind of answer.
        learner: its name.
        taught_on: the questions it was taught on.
        taught: questions that it was taught, in the lesson with fewest.
        items, scenes: that it was asked about.
        score: share right, or mean score; None where it couldn't be taught.
        baseline: chance, or the score of the best constant; None where only a judge can score it.
        category_baseline: score of the best constant per category; None for choices.
        difference: score minus baseline; low, high: its 95 % interval, clustered by scene and twins.
        p: two-sided, after Holm's correction over all rows.
        verdict: see the module.
        reason: why, as a sentence; '' for a pass.
        needed: about how many items would do, where there are too few.
    """

    task: str
    kind: str
    learner: str
    taught_on: str
    taught: int
    items: int
    scenes: int
    score: float | None
    baseline: float | None
    category_baseline: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: Verdict
    reason: str
    needed: int | None


@dataclass(frozen=True)
class _Gap:
    """A difference with its test; `p` is replaced by the corrected one."""

    estimate: Estimate
    p: float | None
    limit: float
    two_sided: bool

    @property
    def value(self) -> float:
        value = self.estimate.value or 0.0
        return abs(value) if self.two_sided else value

    @property
    def bound(self) -> float | None:
        """How far off it may be, by its interval."""
        interval = self.estimate.interval
        if interval is None:
            return None
        return max(abs(interval.low), abs(interval.high)) if self.two_sided else interval.high

    def verdict(self, p: float | None) -> Verdict:
        """By the corrected p-value."""
        sure = p is not None and p < LEVEL
        if sure and (self.two_sided or self.value > self.limit):
            return "FAIL"
        return "pass" if self.bound is not None and self.bound <= self.limit else "too few"

    def needed(self, scores: Floats) -> int:
        """Items with which a benchmark without any shortcut would pass 19 times in 20: half of the limit is left to the
        figure itself, half to its interval."""
        interval, n = self.estimate.interval, len(scores)
        if interval is not None and n >= MIN_ITEMS:
            half = (interval.high - interval.low) / 2
        else:
            half, n = 1.96 * 0.5, 1  # the widest that scores from 0 to 1 can scatter
        return _rounded(n * (half / (self.limit / 2)) ** 2)


_NOTHING = _Gap(
    Estimate(0.0, Interval(0.0, 0.0), "whole rings", None, math.inf, 0.0, 0), 1.0, MAX_CHOICE_GAP, two_sided=True
)
"""The gap of who is right about one question of each ring."""


ALL_LEARNERS = "all"
"""In place of a learner: too few questions to train any."""


def judge(trials: Sequence[LearnerTrial], group: Ints, ring: Ints | None = None) -> list[ShortcutRow]:
    """Return a row for each question type, way of teaching and learner.

    Args:
        trials: the scored trials.
        group: of each of the benchmark's items: its scene, or the group that its scene shares with others. Shape
            (items,).
        ring: as `rings.whole_rings` gives it; None for no rings. Shape (items,).
    """
    ring = np.full_like(group, -1) if ring is None else ring
    gaps: list[tuple[LearnerTrial, str, list[_Gap]]] = []
    for trial in trials:
        own = group[trial.members]
        for name, scores in trial.scores.items():
            sure = one_right_each(scores, ring[trial.members])
            gaps.append((trial, name, [_NOTHING] if sure else _gaps(trial, name, own)))
    given = [gap.p for _, _, several in gaps for gap in several if gap.p is not None]
    corrected = iter(holm(given))
    found: dict[int, list[ShortcutRow]] = {}
    for trial, name, several in gaps:
        p = [None if gap.p is None else next(corrected) for gap in several]
        found.setdefault(id(trial), []).append(_row(trial, name, several, p, group[trial.members]))
    return [row for trial in trials for row in found.get(id(trial), [_untaught(trial, group[trial.members])])]


def _gaps(trial: LearnerTrial, name: str, group: Ints) -> list[_Gap]:
    scores = trial.scores[name]
    if trial.category_baseline is None:
        return [_gap(scores, trial.baseline, group, MAX_CHOICE_GAP, trial.inflation, is_choice=True)]
    bases = [trial.baseline]
    # What is taught elsewhere may name constants that are worse than one for all: to beat those is nothing.
    if name != CATEGORY_CONSTANT and trial.category_baseline.mean() > trial.baseline.mean():
        bases.append(trial.category_baseline)
    return [_gap(scores, base, group, MAX_NUMBER_GAP, trial.inflation, is_choice=False) for base in bases]


def _gap(scores: Floats, base: Floats, group: Ints, limit: float, inflation: float, *, is_choice: bool) -> _Gap:
    _, cluster = np.unique(group, return_inverse=True)
    ones, weights = np.ones((len(scores), 1)), np.ones((1, 1))
    sums = clustered_sums(cluster, (scores - base)[:, None], ones, lowest=-base[:, None], highest=1 - base[:, None])
    estimate = estimates(sums, weights, inflation)[0]
    p = score_tests(sums, weights, inflation=inflation)[0]
    if is_choice and p is not None:
        p = max(p, exact_chance_test(round(float(scores.sum())), base.tolist()))
    return _Gap(estimate, p, limit, is_choice)


def _row(trial: LearnerTrial, name: str, gaps: list[_Gap], p: list[float | None], group: Ints) -> ShortcutRow:
    verdicts = [gap.verdict(own) for gap, own in zip(gaps, p, strict=True)]
    worst: Verdict = next((one for one in ("FAIL", "too few") if one in verdicts), "pass")
    place = verdicts.index(worst)
    first, scores = gaps[0], trial.scores[name]
    interval = first.estimate.interval
    needed = gaps[place].needed(scores) if worst == "too few" else None
    category = trial.category_baseline
    return ShortcutRow(
        trial.task,
        trial.kind,
        name,
        trial.taught_on,
        trial.taught,
        len(scores),
        len(set(group.tolist())),
        float(scores.mean()),
        float(trial.baseline.mean()),
        None if category is None else float(category.mean()),
        first.estimate.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        p[0],
        worst,
        _reason(worst, gaps[place], place, needed),
        needed,
    )


def _reason(verdict: Verdict, gap: _Gap, place: int, needed: int | None) -> str:
    if verdict == "pass":
        return ""
    value = 100 * (gap.estimate.value or 0.0)
    over = "chance" if gap.two_sided else ("the best constant", "the best constant per category")[place]
    if verdict == "FAIL":
        return f"{abs(value):.1f} points {'above' if value > 0 else 'below'} {over}"
    known = "" if gap.bound is None else f"by its interval up to {100 * gap.bound:.1f} points off {over}; "
    limit = 100 * gap.limit
    return f"{known}to tell {limit:g} points takes about {needed:,} questions"


def _untaught(trial: LearnerTrial, group: Ints) -> ShortcutRow:
    reason = (
        "only a judge can score the answers"
        if not len(trial.members)
        else (
            f"{counted(trial.taught, 'question')} from {counted(trial.taught_scenes, 'scene')} can't train a learner; "
            f"it needs {MIN_TAUGHT} from {MIN_TAUGHT_SCENES}"
        )
    )
    category = trial.category_baseline
    is_scored = len(trial.members) > 0
    return ShortcutRow(
        trial.task,
        trial.kind,
        ALL_LEARNERS,
        trial.taught_on,
        trial.taught,
        len(trial.members),
        len(set(group.tolist())),
        None,
        float(trial.baseline.mean()) if is_scored else None,
        float(category.mean()) if is_scored and category is not None else None,
        *(None, None, None, None),
        "too few",
        reason,
        None,
    )


def _rounded(count: float) -> int:
    """Up to two significant digits."""
    step = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return int(math.ceil(count / step) * step)


MANY_TWINS = 0.5
"""Share of a question type's choices whose text has another answer elsewhere, from which twins are suspected."""


@dataclass(frozen=True)
class ShortcutAudit:
    """The scores of learners from outside.

    Attributes:
        rows: one for each question type, way of teaching and learner.
        learners: name → its description.
        questions, scenes: of the benchmark.
        others: questions that were taught in addition.
        shared: of these, those of scenes that the benchmark has too: they are taught only where the scene isn't asked
            about.
        folds, seed: of the lessons.
        notes: caveats for the reader, as sentences.
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
        """Return FAIL if a row fails, too few if one can't be decided, else pass."""
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
        others: questions of other seeds or benchmarks, taught in addition; of the same question types.
        rules: by which answers that are no letters are scored.
        learners: names; all that take part if None.
        folds, seed: of the lessons.
        settings: of the learners; the seed's where None.
        workers: processes; the result doesn't depend on it.

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
    trials = run_trials(items, usable, planned, rules, names, settings, workers)
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
