"""Trials: lessons carried out for one question type; what learners, constants and chance score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tolman.analyze.outside.learner import LEARNERS, BlindQuestion, Ints, LearnerSettings
from tolman.analyze.outside.lessons import Lesson, TaughtOn
from tolman.analyze.outside.marks import marks_of
from tolman.guessing.answer_space import AnswerSpace, answer_space
from tolman.guessing.offers import category_constants
from tolman.guessing.statistics import Floats
from tolman.guessing.words import phrases
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map
from tolman.scoring.rules import RuleSet

MIN_TAUGHT = 100
"""Questions of a type below which a learner isn't taught."""
MIN_TAUGHT_SCENES = 20
"""Scenes that they must be of."""
CATEGORY_CONSTANT = "constant-per-category"
"""The learner that answers each question with the constant of what it asks about."""


@dataclass(frozen=True)
class LearnerTrial:
    """Scores of all learners on a benchmark's questions of one type, taught in one way.

    Attributes:
        task, kind: question type, kind of answer.
        taught_on: the rule of its lessons.
        members: numbers of the items. Shape (items,).
        scores: learner → score of each item; empty where too little could be taught. Shape (items,).
        baseline: chance of choices; for others the score of the best constant among what was taught, or for this
            benchmark where others' questions were: their answers may be spread otherwise. Shape (items,).
        category_baseline: score of the best constant per category; None for choices. Shape (items,).
        taught: questions taught, in the lesson that had fewest.
        taught_scenes: their scenes.
        inflation: by which the variance of a mean score is greater than if no question taught were asked elsewhere.
    """

    task: str
    kind: str
    taught_on: TaughtOn
    members: Ints
    scores: Mapping[str, Floats]
    baseline: Floats
    category_baseline: Floats | None
    taught: int
    taught_scenes: int
    inflation: float


@dataclass(frozen=True)
class _Job:
    """One lesson of one question type; `space` is None for choices, else `right` are places in it.

    `usual` are the places of the answers for which the best constant is sought.
    """

    taught: list[BlindQuestion]
    right: Ints
    usual: Ints
    asked: list[BlindQuestion]
    truth: Ints
    space: AnswerSpace | None
    learners: tuple[str, ...]
    settings: LearnerSettings


@dataclass
class _Collected:
    """What the lessons of one rule have brought so far."""

    scores: defaultdict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    taught: list[tuple[int, int]] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)


def run_trials(
    items: Sequence[Item],
    others: Sequence[Item],
    planned: Sequence[Lesson],
    group: Ints,
    rules: RuleSet,
    learners: Sequence[str],
    settings: LearnerSettings,
    workers: Workers = 1,
) -> list[LearnerTrial]:
    """Carry lessons out, question type by question type.

    Args:
        items, others: of the benchmark, and taught beside it.
        planned, group: as `lessons.lessons` gives them.
        rules: by which answers that are no letters are scored.
        learners: their names.
        settings: of the learners.
        workers: processes; what comes out doesn't depend on it.
    """
    everything, marks = [*items, *others], [*marks_of(items), *marks_of(others)]
    members: dict[tuple[str, str], list[int]] = {}
    for i, item in enumerate(everything):
        members.setdefault((item.task, item.kind), []).append(i)
    jobs: list[_Job] = []
    places: list[tuple[tuple[str, str], TaughtOn, Ints]] = []
    found: dict[tuple[tuple[str, str], TaughtOn], _Collected] = {}
    for key, numbers in members.items():
        if numbers[0] >= len(items):
            continue  # the benchmark has no such question
        questions, right, space = _told([everything[i] for i in numbers], [marks[i] for i in numbers], rules)
        place = {number: i for i, number in enumerate(numbers)}
        own_count = sum(number < len(items) for number in numbers)
        for lesson in planned:
            taught = [place[i] for i in lesson.taught.tolist() if i in place]
            asked = [place[i] for i in lesson.asked.tolist() if i in place]
            if not asked:
                continue
            collected = found.setdefault((key, lesson.taught_on), _Collected())
            scenes = len({int(group[numbers[i]]) for i in taught})
            collected.taught.append((len(taught), scenes))
            own = sum(numbers[i] < len(items) for i in taught)
            collected.overlaps.append(len(asked) * own / max(1, len(taught)) ** 2)
            enough = len(taught) >= MIN_TAUGHT and scenes >= MIN_TAUGHT_SCENES
            jobs.append(
                _Job(
                    [questions[i] for i in taught],
                    right[taught],
                    right[taught] if lesson.taught_on == "other folds" else right[:own_count],
                    [questions[i] for i in asked],
                    right[asked],
                    space,
                    tuple(learners) if enough else (),
                    settings,
                )
            )
            places.append((key, lesson.taught_on, np.array([numbers[i] for i in asked], dtype=np.intp)))
    for (key, taught_on, asked_numbers), scores in zip(places, parallel_map(_scores, jobs, workers), strict=True):
        for name, values in scores.items():
            found[key, taught_on].scores[name].update(zip(asked_numbers.tolist(), values.tolist(), strict=True))
    return [_trial(key, taught_on, collected, learners) for (key, taught_on), collected in found.items()]


_BASELINE = ""


def _trial(key: tuple[str, str], taught_on: TaughtOn, collected: _Collected, learners: Sequence[str]) -> LearnerTrial:
    base = collected.scores.pop(_BASELINE)
    numbers = np.array(sorted(base), dtype=np.intp)

    def column(values: Mapping[int, float]) -> Floats:
        return np.array([values[i] for i in numbers.tolist()])

    full = {name: column(own) for name, own in collected.scores.items() if len(own) == len(numbers)}
    category = full.get(CATEGORY_CONSTANT)
    taught, scenes = min(collected.taught)
    taught_all = all(name in full for name in learners)
    names = [*learners, *([CATEGORY_CONSTANT] if category is not None else [])] if taught_all else []
    # Each question that is asked is taught where others are asked, so that scores hang together: the corrected variance
    # of Nadeau and Bengio (2003), in which what is taught beside the benchmark hangs together with nothing.
    inflation = 1 + sum(collected.overlaps)
    return LearnerTrial(
        *key, taught_on, numbers, {name: full[name] for name in names}, column(base), category, taught, scenes,
        inflation,
    )  # fmt: skip


def _told(
    items: Sequence[Item], marks: Sequence[tuple[str, ...]], rules: RuleSet
) -> tuple[list[BlindQuestion], Ints, AnswerSpace | None]:
    """What learners are told of items of one type and kind, and the places of the right answers."""
    told = [
        BlindQuestion(item.question, item.options, tuple(dict.fromkeys(name for _, name in own)), mark)
        for item, own, mark in zip(items, phrases(items), marks, strict=True)
    ]
    if kind_of(items[0]).has_letters:
        return told, np.array([item.letters.index(item.answer) for item in items], dtype=np.intp), None
    space = answer_space(items, rules)
    return told, np.array(space.right, dtype=np.intp), space


def _scores(job: _Job) -> dict[str, Floats]:
    """Score of each question asked, by learner; of the baseline under the name ''."""
    if job.space is None:
        found = {_BASELINE: np.array([1 / len(question.options) for question in job.asked])}
        for name in job.learners:
            likely = LEARNERS.get(name).choose(job.taught, job.right, job.asked, job.settings)
            answers = np.array([int(values.argmax()) for values in likely], dtype=np.intp)
            found[name] = (answers == job.truth).astype(np.float64)
        return found
    return _number_scores(job, job.space)


def _number_scores(job: _Job, space: AnswerSpace) -> dict[str, Floats]:
    classes = space.classes(job.right)
    best = space.best_constant(job.usual)
    own = category_constants(space, [*map(_category, job.taught)], job.right, [*map(_category, job.asked)])
    if classes is None or best is None or own is None:
        return {_BASELINE: np.zeros(len(job.asked))}
    found = {_BASELINE: space.gains[best, job.truth]}
    found[CATEGORY_CONSTANT] = space.gains[own, job.truth]
    for name in job.learners:
        p = LEARNERS.get(name).classify(job.taught, classes.y, classes.count, job.asked, job.settings)
        found[name] = space.gains[space.most_rewarded(classes, p), job.truth]
    return found


def _category(question: BlindQuestion) -> tuple[str, ...]:
    """What a question asks about, in whatever order it names it."""
    return tuple(sorted(question.names))
