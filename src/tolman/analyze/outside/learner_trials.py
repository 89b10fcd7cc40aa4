"""Trials of the shortcut audit: the scores of learners, constants and chance on one question type.

A lesson says which questions are taught and which are asked: two questions of one scene or of one group of twins are
never on both sides. `marks_of` gives the other fields of a benchmark's rows as tokens: names of files and scenes may be
numbered as the answers are, and rows may follow their order.

A whole ring is a set of questions with one text in which each option is right once. A learner that sees only texts
gives all of a ring one answer and is right about exactly one of them: its score is known before any training.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Literal

import numpy as np

from tolman.analyze.outside.outside_learner import LEARNERS, BlindQuestion, Ints, LearnerSettings
from tolman.guessing.answer_space import AnswerSpace, answer_space, category_constants
from tolman.guessing.folds import TWINS, Floats, assign, groups
from tolman.guessing.learners import phrases
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map
from tolman.scoring.rule_sets import RuleSet


def whole_rings(items: Sequence[Item]) -> Ints:
    """The number of the ring that each item is in, −1 where it is in none. Shape (items,).

    A ring is a group of twins whose questions and options are alike, in one order, with each option right once.
    """
    members: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        name = item.labels.get(TWINS) or item.evidence.get(TWINS)
        if name and kind_of(item).has_letters:
            members.setdefault(f"{item.task}\n{name}", []).append(i)
    found = np.full(len(items), -1, dtype=np.intp)
    for number, own in enumerate(members.values()):
        first = items[own[0]]
        alike = all(items[i].question == first.question and items[i].options == first.options for i in own)
        if alike and len(own) == len(first.options) and len({items[i].answer for i in own}) == len(own):
            found[own] = number
    return found


def one_right_each(scores: Floats, ring: Ints) -> bool:
    """Check whether all questions are in whole rings, each with exactly one correct answer given."""
    if not len(ring) or (ring < 0).any():
        return False
    numbers, place = np.unique(ring, return_inverse=True)
    return bool((np.bincount(place, scores, len(numbers)) == 1.0).all())


DIVISORS = (2, 3, 4, 5, 6, 8, 10)
"""Numbers are known by their remainders."""
PARTS = 10
"""Parts of the file that rows are known to be in, question type by question type."""
MAX_MEDIA = 4
"""Files of a row whose names are looked at."""
_LAST_NUMBER = re.compile(r"(\d{1,9})\D*$")
_WORD = re.compile(r"[^\W\d_]{2,}")


def marks_of(items: Sequence[Item]) -> list[tuple[str, ...]]:
    """Return the tokens of each item's fields other than its text, in the order of their file."""
    counts, seen = Counter(item.task for item in items), Counter[str]()
    found = []
    for item in items:
        place = seen[item.task]
        seen[item.task] += 1
        part = PARTS * place // counts[item.task]
        found.append((*_marks(item), f"part of the file {part}", *_remainders("row", place)))
    return found


def _marks(item: Item) -> Iterator[str]:
    yield f"files {len(item.media)}"
    names = {"id": item.id, "scene": item.scene or ""}
    names |= {f"file {number}": media.path for number, media in enumerate(item.media[:MAX_MEDIA])}
    for column, name in names.items():
        stem = name.rpartition("/")[2].rpartition(".")[0] or name
        if number := _LAST_NUMBER.search(stem):
            yield from _remainders(column, int(number[1]))
        if column != "id":
            yield from (f"{column} {word.lower()}" for word in _WORD.findall(name))
    for label, value in item.labels.items():
        if label != TWINS:
            yield f"{label}={value}"


def _remainders(field: str, number: int) -> Iterator[str]:
    # The same few texts of many rows, each held once.
    return (sys.intern(f"{field} mod {divisor}: {number % divisor}") for divisor in DIVISORS)


TaughtOn = Literal["other folds", "others", "others and other half"]
"""The other folds of the benchmark; the questions of other benchmarks; those and the benchmark's other half."""


EVEN = 2
"""Questions by which the most frequent answer may outnumber the rarest, where answers count as balanced."""


@dataclass(frozen=True)
class Lesson:
    """Questions that are taught, and questions that are then asked.

    Attributes:
        taught_on: the name of the rule.
        taught, asked: numbers of questions, those of the benchmark first, then the others.
    """

    taught_on: TaughtOn
    taught: Ints
    asked: Ints


def even_labels(items: Sequence[Item]) -> Callable[[Item], tuple[str, ...]]:
    """Return a function to balanced labels: the question type, and letters and texts that are right equally often.

    If answers were balanced, a letter that is rare in the folds taught is frequent in the one asked. Learners would
    fall below chance for that alone. Otherwise folds are left to luck: balanced ones would share the letters that luck
    made frequent in the whole, and learners would rise above chance for that alone.

    Args:
        items: of the benchmark.

    Returns:
        Item → its labels.
    """
    counts: dict[tuple[str, str, int], Counter[str]] = {}
    for item in items:
        for which, answer in _answers(item).items():
            counts.setdefault((item.task, which, len(item.options)), Counter())[answer] += 1
    balanced = {key for key, own in counts.items() if len(own) > 1 and max(own.values()) - min(own.values()) <= EVEN}

    def labels(item: Item) -> tuple[str, ...]:
        own = (f"{which} {answer}" for which, answer in _answers(item).items()
               if (item.task, which, len(item.options)) in balanced)  # fmt: skip
        return item.task, *(f"{item.task}\n{len(item.options)} {text}" for text in own)

    return labels


def _answers(item: Item) -> dict[str, str]:
    return {"letter": item.answer, "text": item.answer_text} if kind_of(item).has_letters else {}


def lessons(items: Sequence[Item], others: Sequence[Item], folds: int, seed: int) -> tuple[list[Lesson], Ints]:
    """Return all lessons, of all question types together.

    Args:
        items: of the benchmark.
        others: questions that are taught in addition; none for lessons of the benchmark alone.
        folds: how many the benchmark is dealt into.
        seed: of the dealing.

    Returns:
        The lessons, and the group (scene, twins …) of every item and then of every other. Shape (items + others,).

    Raises:
        UsageError: there are fewer scenes than folds.
    """
    group = np.array(groups([*items, *others]), dtype=np.intp)
    own, further = np.arange(len(items)), len(items) + np.arange(len(others))
    labels = even_labels(items)
    fold = assign(items, folds, seed, labels)
    found = [Lesson("other folds", own[fold != f], own[fold == f]) for f in range(folds)]
    if not len(others):
        return found, group

    def apart(asked: Ints) -> Ints:
        return further[~np.isin(group[further], group[asked])]

    shared = np.isin(group[further], group[own]).any()
    parts = [own[fold == f] for f in range(folds)] if shared else [own]
    found += [Lesson("others", apart(part), part) for part in parts]
    half = assign(items, 2, seed + 1, labels)
    for h in range(2):
        asked = own[half == h]
        found.append(Lesson("others and other half", np.concatenate([own[half != h], apart(asked)]), asked))
    return found, group


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
        members: numbers of the items, without those where only a judge can score an answer given. Shape (items,).
        scores: learner → score of each item; empty where too little could be taught. Shape (items,).
        baseline: chance of choices; for others the score of the best constant among the questions taught, or for this
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
    """The results of one rule's lessons so far."""

    scores: defaultdict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    taught: list[tuple[int, int]] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)


def run_trials(
    items: Sequence[Item],
    others: Sequence[Item],
    planned: Sequence[Lesson],
    rules: RuleSet,
    learners: Sequence[str],
    settings: LearnerSettings,
    workers: Workers = 1,
) -> list[LearnerTrial]:
    """Carry lessons out, question type by question type.

    Args:
        items, others: of the benchmark, and taught in addition.
        planned: the lessons, as `lessons` gives them.
        rules: by which answers that are no letters are scored.
        learners: their names.
        settings: of the learners.
        workers: processes; the result doesn't depend on it.
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
            scenes = len({everything[numbers[i]].cluster for i in taught})
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
    every = [own for own in collected.scores.values() if len(own) == len(base)]
    scored = [i for i in sorted(base) if not any(isnan(own[i]) for own in [base, *every])]
    numbers = np.array(scored, dtype=np.intp)

    def column(values: Mapping[int, float]) -> Floats:
        return np.array([values[i] for i in numbers.tolist()])

    full = {name: column(own) for name, own in collected.scores.items() if len(own) == len(base)} if scored else {}
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
    """Return the learners' input for items of one type and kind, and the indices of the right answers."""
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
    """Return the things that a question asks about, in a fixed order."""
    return tuple(sorted(question.names))
