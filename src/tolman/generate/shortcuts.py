"""Shortcut filtering: leaving out questions until no learner answers the rest that knows only other scenes' questions.

Learners predict the answer from the text, and, where a question shows several pictures, from one of them; round after
round on other folds of the scenes, and trained anew on what is left. Questions are left out until each learner is right
as often as by chance (adversarial filtering, as in Zellers et al. 2018, SWAG; here towards chance from both sides).
Questions for a number are left out until none scores more than who always says the best constant.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tolman.generate.choice_shortcuts import ChoiceGuessers
from tolman.generate.draft import Cues
from tolman.generate.number_shortcuts import NumberGuessers
from tolman.generate.sampling import balanced_within, evenly
from tolman.guessing.learners import check_installed
from tolman.guessing.pruning import prune_to_chance
from tolman.guessing.statistics import Floats
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map

FOLDS = 5
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
DRAWS_A_ROUND = 3
"""Draws of the folds whose mean each later round takes."""
MANY = 10_000
"""Questions of which one draw is enough, where all that stay are wanted: its luck is less than what predictors may be
off, so that no round is rough."""
SPARE_SHARE = 1.2
"""Questions that the later rounds begin with for each one that is wanted."""
MIN_REMOVED_SHARE = 0.01
"""Share of the questions that a round leaves out at least, not to count as quiet."""
PATIENCE_ROUNDS = 2
"""Quiet rounds in a row after which filtering ends: one may be luck. One that leaves out nothing ends it at once."""


@dataclass(frozen=True, slots=True)
class FilterItem:
    """A choice, or a question for a number, as filtering sees it.

    Attributes:
        item: the question.
        answer: what is balanced of its answer.
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
    workers: Workers = 1,
    done: Callable[[str], None] = lambda task: None,
    types: Iterable[tuple[str, str]] | None = None,
) -> list[int]:
    """The numbers of the questions that stay.

    Of a type with more than `MOST_AT_ONCE` questions, blocks of about that size are filtered each for itself: only
    those that are being filtered are in memory, and time grows in proportion.

    A question type of fewer than `MIN_QUESTIONS` questions, or from fewer than `MIN_SCENES` scenes, loses only what a
    part of its media suggests too often, without any learning.

    Args:
        questions: choices, and questions for a number; a sequence that makes each when it is looked at will do.
        max_rounds: rounds of filtering for each question type, at most.
        most_common: the largest share that one answer may have.
        seed: of folds, learners and of what is left out.
        most: how many of a type are wanted; a few more may stay. None for all.
        most_taught: questions that a learner is taught at most: what all say it knows from the statistics that it is
            told, so that few show how far to trust them. None for all of the other folds.
        workers: processes; what comes out doesn't depend on it.
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
            yield _Job([questions[i] for i in own], max_rounds, most_common, share, most_taught, seed, block)

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
    seed: int
    block: int


def _left(job: _Job) -> list[int]:
    """Filter one question type; the numbers of the questions that stay."""
    questions, kept, quiet = job.questions, list(range(len(job.questions))), 0
    guesses = _choice_guesses if kind_of(questions[0].item).has_letters else _number_guesses
    guessed = guesses(questions, job.most_taught)
    for number in range(job.max_rounds):
        if not kept or quiet >= PATIENCE_ROUNDS:
            break
        drawn = f"{job.seed}:{number}:{questions[0].item.task}" + (f":{job.block}" if job.block else "")
        if number == ROUGH_ROUNDS and job.most is not None:
            most = round(SPARE_SHARE * max(job.most, MIN_QUESTIONS))  # fewer would teach nobody
            kept = evenly(kept, lambda i: questions[i].answer if questions[i].closed else "", most, drawn)
        asked = [questions[i] for i in kept]
        first = (job.seed * job.max_rounds + number) * DRAWS_A_ROUND
        many = len(kept) > MANY and job.most is None
        rough = number < ROUGH_ROUNDS and not many
        draws = 1 if rough or many else DRAWS_A_ROUND
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
            quiet += 1 if lost else PATIENCE_ROUNDS
    return kept


@dataclass(frozen=True, slots=True)
class _Guesses:
    """What guessers get.

    Attributes:
        scores: how right each guesser is about each question, 0 … 1. Shape (guessers, questions).
        baseline: what who knows nothing gets: chance, or the best constant. Shape (questions,).
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


def _choice_guesses(questions: Sequence[FilterItem], most_taught: int | None) -> _Guess:
    guessers = ChoiceGuessers(
        [one.item for one in questions],
        [one.answer for one in questions],
        [one.single_view_cues for one in questions],
        FOLDS,
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


def _number_guesses(questions: Sequence[FilterItem], most_taught: int | None) -> _Guess:
    guessers, first = NumberGuessers([one.item for one in questions], FOLDS, most_taught), list[float]()

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
    """Tell whether learners are taught on the questions of a type; no more are looked at than that takes."""
    scenes: set[str | None] = set()
    for count, one in enumerate(asked, start=1):
        scenes.add(one.item.scene)
        if count >= MIN_QUESTIONS and len(scenes) >= MIN_SCENES:
            return True
    return False
