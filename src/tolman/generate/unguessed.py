"""Leaving out questions until nobody guesses the rest who knows only other scenes' questions and answers.

Learners guess from the text, and, where a question shows several pictures, from one of them; turn after turn on other
folds of the scenes, and trained anew on what is left. Questions are left out until each is right as often as by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.generate.sampling import balanced_within, evenly
from tolman.guessing.blind import guess
from tolman.guessing.folds import assign
from tolman.guessing.frequent import most_frequent_text
from tolman.guessing.hinted import hinted, vocabulary
from tolman.guessing.learners import LINEAR, QUICK, SCALED, check_installed
from tolman.guessing.statistics import Floats
from tolman.guessing.to_chance import to_chance
from tolman.items import MEDIA_MARK, Item
from tolman.parallel import parallel_map
from tolman.scoring.rules import careful

FOLDS = 5
FEWEST, FEWEST_SCENES = 100, 20
"""Questions of a type, and scenes, that there must be for a learner: luck looks like knowledge on fewer."""
SLACK, _ERRORS = 0.005, 0.5
"""By what share of the questions, and by how many standard errors more, a guesser may be off chance: what luck brings
would be taken out again and again otherwise, until few are left."""
_ROUGH, _DRAWS = 2, 3
"""The first turns leave out what any draw of the folds shows; each later one takes the mean of so many draws, or else
questions would go for the luck of a draw."""
_SPARE = 1.2
"""Questions that the later turns begin with for each one that is wanted."""
_LITTLE, _QUIET = 0.01, 2
"""The share of the questions that a quiet turn leaves out at most, and after how many it ends: one may be luck."""


@dataclass(frozen=True, slots=True)
class Guessable:
    """What is looked at of a choice.

    Attributes:
        item: the question.
        answer: what is balanced of its answer.
        clue: for each part of the media the answer that it suggests (empty for none), then other hints.
        kind: of its question type's kinds the one that it is: each is to be guessed as often as by chance.
        closed: whether its options are a closed list; answers of such stay balanced within a kind.
    """

    item: Item
    answer: str
    clue: tuple[tuple[str | float | None, ...], ...] = ()
    kind: str = ""
    closed: bool = False


def unguessed(
    questions: Sequence[Guessable],
    turns: int,
    most_common: float,
    seed: int,
    *,
    most: int | None = None,
    workers: int = 1,
    done: Callable[[str], None] = lambda task: None,
) -> list[int]:
    """The numbers of the questions that stay.

    A question type of fewer than `FEWEST` questions, or from fewer than `FEWEST_SCENES` scenes, loses only what a part
    of its media suggests too often, without any learning.

    Args:
        questions: choices.
        turns: how often each type is guessed at most.
        most_common: the largest share that one answer may have.
        seed: of folds, learners and of what is left out.
        most: how many of a type are wanted; a few more may stay. None for all.
        workers: processes; what comes out doesn't depend on it.
        done: called with every question type that is over.

    Raises:
        MissingExtraError: scikit-learn isn't installed, and there are enough questions to learn from.
    """
    by_task: dict[str, list[int]] = {}
    for i, one in enumerate(questions):
        by_task.setdefault(one.item.task, []).append(i)
    jobs = [_Job([questions[i] for i in own], turns, most_common, most, seed) for own in by_task.values()]
    if any(enough(job.questions) for job in jobs):
        check_installed()
    kept: list[int] = []
    for (task, own), left in zip(by_task.items(), parallel_map(_left, jobs, workers), strict=True):
        kept += [own[i] for i in left]
        done(task)
    return sorted(kept)


@dataclass(frozen=True, slots=True)
class _Job:
    """One question type; the rest as `unguessed` has it."""

    questions: list[Guessable]
    turns: int
    most_common: float
    most: int | None
    seed: int


def _left(job: _Job) -> list[int]:
    """What is left of one question type."""
    questions, kept, quiet = job.questions, list(range(len(job.questions))), 0
    for turn in range(job.turns):
        if not kept or quiet == _QUIET:
            break
        drawn = f"{job.seed}:{turn}:{questions[0].item.task}"
        if turn == _ROUGH and job.most is not None:
            most = round(_SPARE * max(job.most, FEWEST))  # fewer would teach nobody
            kept = evenly(kept, lambda i: questions[i].answer if questions[i].closed else "", most, drawn)
        asked = [questions[i] for i in kept]
        first = (job.seed * job.turns + turn) * _DRAWS
        gone = _too_telling(asked, _guessed(asked, range(first, first + (1 if turn < _ROUGH else _DRAWS))), drawn)
        kept = balanced_within(
            [i for place, i in enumerate(kept) if place not in gone],
            lambda i: questions[i].kind if questions[i].closed else None,
            lambda i: questions[i].answer,
            job.most_common,
            drawn,
        )
        quiet = quiet + 1 if turn >= _ROUGH and len(kept) >= (1 - _LITTLE) * len(asked) else 0
    return kept


def _too_telling(asked: Sequence[Guessable], right: Floats, seed: str) -> set[int]:
    """The places of those that go, kind by kind."""
    kinds: dict[str, list[int]] = {}
    for place, one in enumerate(asked):
        kinds.setdefault(one.kind, []).append(place)
    gone: set[int] = set()
    for kind, own in kinds.items():
        chance = [1 / len(asked[place].item.options) for place in own]
        answers = [asked[place].answer if asked[place].closed else "" for place in own]
        many = len(own) >= FEWEST
        left_out = to_chance(right[:, own], chance, f"{seed}:{kind}", _slack(chance), answers, from_below=many)
        gone.update(own[i] for i in left_out)
    return gone


def _slack(chance: Sequence[float]) -> float:
    variance = sum(p * (1 - p) for p in chance) / max(1, len(chance)) ** 2
    return SLACK + _ERRORS * math.sqrt(variance)


def enough(asked: Sequence[Guessable]) -> bool:
    """Whether learners are taught on the questions of a type."""
    return len(asked) >= FEWEST and len({one.item.scene for one in asked}) >= FEWEST_SCENES


def _guessed(asked: Sequence[Guessable], seeds: Iterable[int]) -> Floats:
    """How often each guesser is right about each question, learners over several draws. Shape (guessers, questions)."""
    rows: list[Sequence[float] | Floats] = [*_suggested(asked)]
    if enough(asked):
        draws = [_learned(asked, seed) for seed in seeds]
        rows += [np.mean(one, axis=0) for one in zip(*draws, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(asked))


def _suggested(asked: Sequence[Guessable]) -> list[list[float]]:
    """For each part of the media, whether what it suggests is right; chance where it suggests nothing."""
    return [
        [float(one.clue[part][0] == one.answer) if one.clue[part][0] else 1 / len(one.item.options) for one in asked]
        for part in range(_parts(asked))
    ]


def _learned(asked: Sequence[Guessable], seed: int) -> list[list[bool]]:
    """For each learner, and each thing that it may be told, whether it is right; none where options are media.

    Who always says the most frequent text has learned that from all questions.
    """
    right: list[list[bool]] = []
    items = [one.item for one in asked]
    fold = assign(items, FOLDS, seed)
    if not all(MEDIA_MARK in option for item in items for option in item.options):
        names = QUICK if all(one.closed for one in asked) else (*QUICK, SCALED)
        found = guess(items, fold, careful(), learners=names, seed=seed, workers=1)
        right += [
            [text == item.answer for item, text in zip(items, found.answers[name], strict=True)] for name in names
        ]
        choose = most_frequent_text(items)
        right.append([choose(item) == item.answer for item in items])
    if all(one.closed for one in asked):
        answers = [one.answer for one in asked]
        told: list[tuple[str, Sequence[Sequence[Hashable]]]] = [(LINEAR, vocabulary([item.question for item in items]))]
        told += [(name, [one.clue[part] for one in asked]) for name in QUICK for part in range(_parts(asked))]
        for name, hints in told:
            guessed = hinted(answers, hints, fold, name, seed)
            right.append([a == b for a, b in zip(guessed, answers, strict=True)])
    return right


def _parts(asked: Sequence[Guessable]) -> int:
    return min((len(one.clue) for one in asked), default=0)
