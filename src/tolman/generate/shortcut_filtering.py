"""Shortcut filtering: leaving out questions until no learner answers the rest from other scenes' questions alone.

Learners predict the answer from the text, and, where a question shows several pictures, from one of them. Round after
round they work on other folds of the scenes and are retrained on the remaining questions. Questions are left out until
each learner is right as often as by chance: adversarial filtering as in SWAG (Zellers et al. 2018), here from both
sides. The features of a type's texts are gathered once; each draw of the folds takes the remaining questions.

A number can be near the truth without any look: all sofas are about as long. So a guesser of numbers is measured by its
score, against the constant that the metric rewards most in the other folds. Questions for a number are left out until
no guesser scores more than that constant.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.generate.family import Cues
from tolman.generate.share_sampling import balanced_within, evenly
from tolman.guessing.answer_space import Places, answer_space, category_constants, learned_offers
from tolman.guessing.blind import answers_from_matrix, encoded, likeliest, most_frequent_text, vocabulary
from tolman.guessing.folds import Floats, deal, groups, renumbered, taught
from tolman.guessing.learners import (
    LINEAR,
    QUICK,
    SCALED,
    answer_pool,
    check_installed,
    choice_pool,
    phrases,
    probabilities,
    prune_to_chance,
)
from tolman.items import MEDIA_MARK, Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map
from tolman.scoring.rule_sets import careful

Ints = NDArray[np.intp]


class ChoiceGuessers:
    """Guessers of one question type: suggestions of each part of the media, learners, the most frequent text.

    Args:
        items: all questions of the type.
        answers: the balanced labels of their answers.
        cues: of each part of their media.
        closed: whether the options are a closed list.
        folds: that the scenes are dealt into.
        most_taught: questions that a learner is taught at most; None for all of the other folds.
    """

    def __init__(
        self,
        items: Sequence[Item],
        answers: Sequence[str],
        cues: Sequence[Cues],
        folds: int,
        *,
        closed: bool,
        most_taught: int | None = None,
    ) -> None:
        self._items, self._answers, self._cues, self._folds = items, answers, cues, folds
        self._most_taught, self._groups = most_taught, np.array(groups(items), dtype=np.intp)
        self._parts = min(map(len, cues), default=0)
        self._names = QUICK if closed else (*QUICK, SCALED)
        readable = not all(MEDIA_MARK in option for item in items for option in item.options)
        self._pool = choice_pool(items) if readable else None
        self._told: list[tuple[str, Floats]] = []
        if closed:
            self._told.append((LINEAR, vocabulary([item.question for item in items])))
            told = [encoded([one[part] for one in cues]) for part in range(self._parts)]
            self._told += [(name, matrix) for name in QUICK for matrix in told]

    def suggested(self, kept: Sequence[int]) -> list[list[float]]:
        """Return whether the suggestion of each part of the media is right; chance where it suggests nothing.

        Args:
            kept: numbers of the questions.
        """
        return [
            [
                float(self._cues[i][part][0] == self._answers[i])
                if self._cues[i][part][0]
                else 1 / len(self._items[i].options)
                for i in kept
            ]
            for part in range(self._parts)
        ]

    def learned(self, kept: Sequence[int], seeds: Iterable[int]) -> list[Floats]:
        """Shares of the draws in which each learner is right about some questions, taught on the same ones.

        The guesser of the most frequent text has learned that text from all of them.

        Args:
            kept: numbers of the questions, rising.
            seeds: one for each draw.

        Returns:
            For each learner, shape (questions,); none where options are media and no closed list.
        """
        items = [self._items[i] for i in kept]
        draws = [self._draw(kept, items, seed) for seed in seeds]
        found: list[Floats] = [np.mean(one, axis=0) for one in zip(*draws, strict=True)]
        if self._pool is not None:
            choose = most_frequent_text(items)
            found.append(np.array([float(choose(item) == item.answer) for item in items]))
        return found

    def _draw(self, kept: Sequence[int], items: Sequence[Item], seed: int) -> list[NDArray[np.bool_]]:
        """Return whether each learner is right, with each of its possible inputs."""
        own = np.array(kept, dtype=np.intp)
        fold = deal(renumbered(self._groups[own]), [(one.task,) for one in items], self._folds, seed)
        right = self._by_text(items, own, fold, seed)
        answers = [self._answers[i] for i in kept]
        for name, matrix in self._told:
            guessed = answers_from_matrix(answers, matrix[own], fold, name, seed, self._most_taught)
            right.append(np.array([a == b for a, b in zip(guessed, answers, strict=True)]))
        return right

    def _by_text(self, items: Sequence[Item], own: Ints, fold: Ints, seed: int) -> list[NDArray[np.bool_]]:
        """For each learner whether the option that it takes for the likeliest is right."""
        if self._pool is None:
            return []
        pool = self._pool.part(own)
        rows, y = pool.rows(fold, self._folds), pool.values[:, 1].astype(np.intp)
        true = np.array([item.letters.index(item.answer) for item in items], dtype=np.intp)
        right = [np.zeros(len(items), dtype=bool) for _ in self._names]
        for held_out in sorted(set(fold.tolist())):
            some = taught(fold, held_out, self._most_taught, seed)
            here = (some | (fold == held_out))[rows.item]
            looked_at, known = rows.part(here), y[here]
            matrix, test = looked_at.matrix(held_out), looked_at.fold == held_out
            asked = np.flatnonzero(fold == held_out)
            for name, found in zip(self._names, right, strict=True):
                p = probabilities(name, seed, matrix[~test], known[~test], matrix[test], 2)[:, 1]
                found[asked] = likeliest(p, looked_at.item[test]) == true[asked]
        return right


class NumberGuessers:
    """Guessers of one question type: constants per category, learners on statistics of words, a learner on words.

    Args:
        items: all questions of the type, whose answers are the ones that there are.
        folds: that the scenes are dealt into.
        most_taught: questions that a learner is taught at most; None for all of the other folds.
        learners: on the statistics of words.
    """

    def __init__(
        self,
        items: Sequence[Item],
        folds: int,
        most_taught: int | None,
        learners: Sequence[str],
    ) -> None:
        self._items, self._folds, self._most_taught, self._learners = items, folds, most_taught, learners
        self._groups = np.array(groups(items), dtype=np.intp)
        self._space = answer_space(items, careful())
        self._places = np.array(self._space.right, dtype=np.intp)
        self._pool = answer_pool(items, [self._space.values[place] for place in self._space.right])
        self._names = [tuple(sorted({name for _, name in found})) for found in phrases(items)]
        self._words = vocabulary([item.question for item in items])

    def scores(self, kept: Sequence[int], seeds: Iterable[int]) -> tuple[Floats, Floats]:
        """The guessers' scores on some of the questions, taught on the same ones, means over several draws of folds.

        Args:
            kept: numbers of the questions, rising.
            seeds: one for each draw.

        Returns:
            The scores of each guesser, shape (guessers, questions), and of the best constant, shape (questions,).
        """
        items, own = [self._items[i] for i in kept], np.array(kept, dtype=np.intp)
        draws = [self._draw(items, own, seed) for seed in seeds]
        mean = np.mean(draws, axis=0)
        return mean[1:], mean[0]

    def _draw(self, items: Sequence[Item], kept: Places, seed: int) -> Floats:
        """Scores of the constant, then of each guesser. Shape (1 + guessers, questions)."""
        space, own, words = self._space, self._places[kept], self._words[kept]
        names = [self._names[i] for i in kept.tolist()]
        fold = deal(renumbered(self._groups[kept]), [(one.task,) for one in items], self._folds, seed)
        rows = self._pool.part(kept).rows(fold, self._folds)
        found = np.zeros((3 + len(self._learners), len(items)))
        for held_out in sorted(set(fold.tolist())):
            others, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            some = taught(fold, held_out, self._most_taught, seed)
            looked_at = rows.part(some | (fold == held_out))
            matrix, held = looked_at.matrix(held_out), looked_at.fold == held_out
            named, asked = ([names[i] for i in numbers.tolist()] for numbers in (others, test))
            offers = [
                category_constants(space, [()] * len(others), own[others], [()] * len(test)),
                category_constants(space, named, own[others], asked),
                learned_offers(space, LINEAR, seed, words[some], own[some], words[test]),
                *(learned_offers(space, name, seed, matrix[~held], own[some], matrix[held]) for name in self._learners),
            ]
            for place, taken in enumerate(offers):
                if taken is not None:
                    found[place, test] = space.gains[taken, own[test]]
        return found


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is taught in a round.

    Attributes:
        folds: that the scenes are dealt into.
        draws: draws of the folds whose mean each later round takes.
        patience: quiet rounds in a row after which filtering ends. One that leaves out nothing ends it at once.
        number_learners: on the statistics of words, for numbers.
    """

    folds: int
    draws: int
    patience: int
    number_learners: tuple[str, ...]


THOROUGH = Effort(5, 3, 2, (*QUICK, SCALED))
BRIEF = Effort(3, 2, 1, (QUICK[0], SCALED))
"""A third of the trainings; boosting for a dozen classes of numbers alone takes half of the time."""
MIN_QUESTIONS = 100
"""Questions of a type that there must be to teach a learner: luck looks like knowledge on fewer."""
MIN_SCENES = 20
"""Scenes that they must be of."""
MOST_AT_ONCE = 60_000
"""Questions of a type that are filtered together."""
SLACK = 0.005
"""Share of the questions by which a predictor may be off chance: what luck brings would be taken out again and again
otherwise, until few are left."""
SLACK_ERRORS = 0.5
"""Standard errors by which it may be off more."""
ROUGH_ROUNDS = 2
"""Rounds that leave out what any draw of the folds shows; in later ones questions would go for the luck of a draw."""
MANY = 10_000
"""Questions of which one draw is enough, where all that stay are wanted: its luck is less than what predictors may be
off, so that no round is rough."""
SPARE_SHARE = 1.2
"""Questions that the later rounds begin with for each one that is wanted."""
MIN_REMOVED_SHARE = 0.01
"""Share of the questions that a round leaves out at least, not to count as quiet."""


@dataclass(frozen=True, slots=True)
class FilterItem:
    """A choice, or a question for a number, as filtering sees it.

    Attributes:
        item: the question.
        answer: the balanced label of its answer.
        single_view_cues: for each part of the media the answer that it suggests (empty for none), then other cues.
        kind: of its question type's kinds the one that it is: each is to be guessed as often as by chance.
        closed: whether its options are a closed list; answers of such stay balanced within a kind.
    """

    item: Item
    answer: str
    single_view_cues: Cues = ()
    kind: str = ""
    closed: bool = False


def filter_shortcuts(
    questions: Sequence[FilterItem],
    max_rounds: int,
    most_common: float,
    seed: int,
    *,
    most: int | None = None,
    most_taught: int | None = None,
    effort: Effort = THOROUGH,
    workers: Workers = 1,
    done: Callable[[str], None] = lambda task: None,
    types: Iterable[tuple[str, str]] | None = None,
) -> list[int]:
    """Return the numbers of the questions that stay.

    A type with more than `MOST_AT_ONCE` questions is filtered in blocks of about that size: only those that are being
    filtered are in memory, and time grows in proportion.

    A question type of fewer than `MIN_QUESTIONS` questions, or from fewer than `MIN_SCENES` scenes, loses only
    questions that a part of its media answers too often, without any learning.

    Args:
        questions: choices, and questions for a number; a sequence that makes each when it is looked at will do.
        max_rounds: rounds of filtering for each question type, at most.
        most_common: the largest share that one answer may have.
        seed: of folds, learners and the choice of questions left out.
        most: how many of a type are wanted; a few more may stay. None for all.
        most_taught: questions that a learner is taught at most: its features hold the statistics of all, so that few
            show how far to trust them. None for all of the other folds.
        effort: how much is taught in a round.
        workers: processes; the result doesn't depend on it.
        done: called with every question type that is over.
        types: question type and kind of each question, where that is known without a look at it.

    Raises:
        MissingExtraError: scikit-learn isn't installed, and there are enough questions to learn from.
    """
    by_type: dict[tuple[str, str], array[int]] = {}
    for i, name in enumerate(((one.item.task, one.item.kind) for one in questions) if types is None else types):
        by_type.setdefault(name, array("q")).append(i)
    # Types that take longest first: of few, a long one that begins last would keep all other processes waiting.
    ordered = sorted(by_type.items(), key=lambda one: -len(one[1]) * max(1, len(questions[one[1][0]].item.options)))
    if any(enough(questions[i] for i in own) for own in by_type.values()):
        check_installed()
    blocks = [(task, own[start:end]) for (task, _), own in ordered for start, end in _blocks(len(own))]
    count = Counter(task for task, _ in blocks)
    waiting = Counter(count)

    def jobs() -> Iterator[_Job]:
        for number, (task, own) in enumerate(blocks):
            share = None if most is None else -(-most // count[task])
            block = number if count[task] > 1 else 0
            yield _Job([questions[i] for i in own], max_rounds, most_common, share, most_taught, effort, seed, block)

    kept: list[int] = []
    for (task, own), left in zip(blocks, parallel_map(_left, jobs(), workers), strict=True):
        kept += [own[i] for i in left]
        waiting[task] -= 1
        if not waiting[task]:
            done(task)
    return sorted(kept)


def _blocks(count: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each block, all about equally long."""
    blocks = -(-count // MOST_AT_ONCE)
    for number in range(blocks):
        yield count * number // blocks, count * (number + 1) // blocks


@dataclass(frozen=True, slots=True)
class _Job:
    """One question type, or a block of it; the rest as `filter_shortcuts` has it."""

    questions: list[FilterItem]
    max_rounds: int
    most_common: float
    most: int | None
    most_taught: int | None
    effort: Effort
    seed: int
    block: int


def _left(job: _Job) -> list[int]:
    """Filter one question type; the numbers of the questions that stay."""
    questions, kept, quiet = job.questions, list(range(len(job.questions))), 0
    guesses = _choice_guesses if kind_of(questions[0].item).has_letters else _number_guesses
    guessed = guesses(questions, job.most_taught, job.effort)
    for number in range(job.max_rounds):
        if not kept or quiet >= job.effort.patience:
            break
        drawn = f"{job.seed}:{number}:{questions[0].item.task}" + (f":{job.block}" if job.block else "")
        if number == ROUGH_ROUNDS and job.most is not None:
            most = round(SPARE_SHARE * max(job.most, MIN_QUESTIONS))  # fewer would teach nobody
            kept = evenly(kept, lambda i: questions[i].answer if questions[i].closed else "", most, drawn)
        asked = [questions[i] for i in kept]
        first = (job.seed * job.max_rounds + number) * THOROUGH.draws
        many = len(kept) > MANY and job.most is None
        rough = number < ROUGH_ROUNDS and not many
        draws = 1 if rough or many else job.effort.draws
        gone = _too_telling(asked, guessed(kept, range(first, first + draws)), drawn)
        kept = balanced_within(
            [i for place, i in enumerate(kept) if place not in gone],
            lambda i: questions[i].kind if questions[i].closed else None,
            lambda i: questions[i].answer,
            job.most_common,
            drawn,
        )
        lost = len(asked) - len(kept)
        if rough or lost > MIN_REMOVED_SHARE * len(asked):
            quiet = 0
        else:
            quiet += 1 if lost else job.effort.patience
    return kept


@dataclass(frozen=True, slots=True)
class _Guesses:
    """Scores of guessers.

    Attributes:
        scores: how right each guesser is about each question, 0 … 1. Shape (guessers, questions).
        baseline: the score without knowledge: chance, or the best constant. Shape (questions,).
        slack: by how much of the questions a guesser may be off, for some of them.
        from_below: whether to know less than nothing counts as well.
    """

    scores: Floats
    baseline: Floats
    slack: Callable[[Sequence[int]], float]
    from_below: bool


_Guess = Callable[[Sequence[int], Iterable[int]], _Guesses]
"""Numbers of the questions that are left, and seeds of draws → what guessers get."""


def _too_telling(asked: Sequence[FilterItem], found: _Guesses, seed: str) -> set[int]:
    """The places of those that go, kind by kind."""
    kinds: dict[str, list[int]] = {}
    for place, one in enumerate(asked):
        kinds.setdefault(one.kind, []).append(place)
    gone: set[int] = set()
    for kind, own in kinds.items():
        answers = [asked[place].answer if asked[place].closed else "" for place in own] if found.from_below else None
        both = found.from_below and len(own) >= MIN_QUESTIONS
        left_out = prune_to_chance(
            found.scores[:, own],
            found.baseline[own].tolist(),
            f"{seed}:{kind}",
            found.slack(own),
            answers,
            from_below=both,
        )
        gone.update(own[i] for i in left_out)
    return gone


def _choice_guesses(questions: Sequence[FilterItem], most_taught: int | None, effort: Effort) -> _Guess:
    guessers = ChoiceGuessers(
        [one.item for one in questions],
        [one.answer for one in questions],
        [one.single_view_cues for one in questions],
        effort.folds,
        closed=all(one.closed for one in questions),
        most_taught=most_taught,
    )

    def guesses(kept: Sequence[int], seeds: Iterable[int]) -> _Guesses:
        asked = [questions[i] for i in kept]
        chance = np.array([1 / len(one.item.options) for one in asked])
        variance = (chance * (1 - chance)).tolist()
        rows: list[Sequence[float] | Floats] = [*guessers.suggested(kept)]
        rows += guessers.learned(kept, seeds) if enough(asked) else []
        scores = np.array(rows, dtype=np.float64).reshape(len(rows), len(asked))
        return _Guesses(scores, chance, lambda own: _slack([variance[i] for i in own]), from_below=True)

    return guesses


def _number_guesses(questions: Sequence[FilterItem], most_taught: int | None, effort: Effort) -> _Guess:
    asked, first = [one.item for one in questions], list[float]()
    guessers = NumberGuessers(asked, effort.folds, most_taught, effort.number_learners)

    def guesses(kept: Sequence[int], seeds: Iterable[int]) -> _Guesses:
        if not enough([questions[i] for i in kept]):
            return _Guesses(np.zeros((0, len(kept))), np.zeros(len(kept)), lambda own: 0.0, from_below=False)
        scores, constant = guessers.scores(kept, seeds)
        first.append(float(constant.mean()))
        # Left out until nobody has more than the constant, and the constant no more than it had of all questions: else
        # those would stay that are near to it.
        over = np.vstack([scores - constant, constant - first[0]])
        variance = float(over.var(axis=1).max())
        return _Guesses(over, np.zeros(len(kept)), lambda own: _slack([variance] * len(own)), from_below=False)

    return guesses


def _slack(variance: Sequence[float]) -> float:
    """By how much of some questions a guesser may be off, from the variance of each one's score."""
    return SLACK + SLACK_ERRORS * math.sqrt(sum(variance) / max(1, len(variance)) ** 2)


def enough(asked: Iterable[FilterItem]) -> bool:
    """Check whether learners are taught on the questions of a type; no more are examined than necessary."""
    scenes: set[str | None] = set()
    for count, one in enumerate(asked, start=1):
        scenes.add(one.item.scene)
        if count >= MIN_QUESTIONS and len(scenes) >= MIN_SCENES:
            return True
    return False
