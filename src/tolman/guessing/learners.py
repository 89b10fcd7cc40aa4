"""Learners: classifiers with fixed settings, and leaving out questions until they are right by chance.

Each is a classifier of scikit-learn's; none is tuned on a benchmark. Questions are left out until every predictor is
right as often as by chance, neither more often nor more seldom. Predictors below chance leak the answers too, so both
tails are filtered.

Features are items of one question type as rows of numbers, from their texts and the answers of other folds alone. A
question without options to choose from is one row. A choice is a row for each option, and the learner says how likely
it is to be right, so that options may come in any number and order. Questions and options are treated as words, without
any knowledge of a benchmark's templates.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tolman.extras import needs
from tolman.guessing.folds import Floats

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController
import re
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import combinations, groupby
from typing import NamedTuple

from tolman.guessing.folds import Keys, Slot, numbered, summaries
from tolman.items import Item

_WORD = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")
_MOST_PHRASES = 8
_LONGEST = 3

Phrase = tuple[str, str]
"""The two words before it, and the phrase itself: ('by the', 'trash bin')."""


class Told(NamedTuple):
    """Content of an option.

    Attributes:
        text: in lower case.
        words: of it, in order.
        distinct: its words, each once.
        parts: of an option that lists several things.
        number: that it states.
    """

    text: str
    words: tuple[str, ...]
    distinct: frozenset[str]
    parts: tuple[str, ...]
    number: float | None


def words(text: str) -> list[str]:
    """The words of a text in lower case; numbers with their decimals."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=10_000)
def told(option: str) -> Told:
    """Return an option's content; many questions have the same ones."""
    text = option.strip().lower()
    return Told(text, tuple(words(text)), frozenset(words(text)), tuple(parts(text)), number_in(text))


def phrases(items: Sequence[Item]) -> list[list[Phrase]]:
    """Phrases that set each question apart from others of its type.

    A word that is in at least half of the questions belongs to the template; runs of other words are phrases (at most
    eight, a run of more than three words is taken apart), each with the two words before it as its role.

    Args:
        items: questions of one type.
    """
    texts = [words(item.question) for item in items]
    frequency = Counter(word for text in texts for word in set(text))
    template = {word for word, count in frequency.items() if 2 * count >= len(items)}
    return [_phrases(text, template) for text in texts]


def _phrases(text: list[str], template: set[str]) -> list[Phrase]:
    found: list[Phrase] = []
    position = 0
    for common, run in groupby(text, key=template.__contains__):
        length = len(list(run))
        if not common:
            step = length if length <= _LONGEST else 1
            for start in range(position, position + length, step):
                found.append((" ".join(text[max(0, start - 2) : start]), " ".join(text[start : start + step])))
        position += length
    return found[:_MOST_PHRASES]


def parts(option: str) -> list[str]:
    """The parts of an option that lists several things, in order; the option itself where it is one."""
    return [part.strip().lower() for part in option.split(",") if part.strip()] or [option.lower()]


def number_in(option: str) -> float | None:
    """The number that an option states, where it states exactly one."""
    found = re.findall(r"-?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+)", option)
    return float(found[0]) if len(found) == 1 else None


_MISSING = -1.0


@dataclass(frozen=True)
class Rows:
    """Items of one question type and kind as rows.

    Attributes:
        item: the number of each row's item. Shape (rows,).
        plain: features without any statistics. Shape (rows, columns).
        slots: keys whose answers are summed.
        fold: of each row.
        base: the expected answer of a row without known keys, for each fold that may be held out. Shape (folds, rows).
    """

    item: NDArray[np.intp]
    plain: Floats
    slots: tuple[Slot, ...]
    fold: NDArray[np.intp]
    base: Floats
    relative: bool

    def part(self, here: NDArray[np.bool_]) -> Rows:
        """Some of the rows, all of an item or none, with the statistics of all.

        Args:
            here: whether a row stays. Shape (rows,).
        """
        slots = tuple(one.part(here) for one in self.slots)
        return Rows(self.item[here], self.plain[here], slots, self.fold[here], self.base[:, here], self.relative)

    def matrix(self, held_out: int) -> Floats:
        """All features while one fold is held out. Shape (rows, columns)."""
        base = self.base[held_out]
        columns = [column for one in self.slots for column in summaries(one, held_out, base)]
        matrix = np.stack(columns, axis=1) if columns else np.zeros((len(base), 0))
        if self.relative:
            matrix = np.hstack([matrix, _against_the_others(matrix, self.item)])
        return np.hstack([self.plain, matrix])


@dataclass(frozen=True)
class RowPool:
    """Items of one question type and kind as rows, before any fold is drawn: the features of their texts.

    Attributes:
        item: the number of each row's item, rising. Shape (rows,).
        plain: features without any statistics. Shape (rows, columns).
        keys: whose answers are summed.
        values: 1, and the answer that is summed. Shape (rows, 2).
        chance: the expected answer of a row without known keys; None for the mean of the known answers. Shape (rows,).
    """

    item: NDArray[np.intp]
    plain: Floats
    keys: tuple[Keys, ...]
    values: Floats
    chance: Floats | None

    def part(self, kept: NDArray[np.intp]) -> RowPool:
        """Return the rows of some items, renumbered in the order of their old numbers.

        Args:
            kept: their numbers, rising. Shape (items kept,).
        """
        stays = np.zeros(int(self.item[-1]) + 1, dtype=bool)
        stays[kept] = True
        here = stays[self.item]
        chance = None if self.chance is None else self.chance[here]
        keys = tuple(one.part(here) for one in self.keys)
        return RowPool((np.cumsum(stays) - 1)[self.item[here]], self.plain[here], keys, self.values[here], chance)

    def rows(self, fold: NDArray[np.intp], folds: int) -> Rows:
        """The rows with the statistics of a draw of the folds.

        Args:
            fold: of each item. Shape (items,).
            folds: how many there are.
        """
        own = fold[self.item]
        slots = tuple(one.slot(self.values, own, folds) for one in self.keys)
        if self.chance is not None:
            return Rows(self.item, self.plain, slots, own, np.tile(self.chance, (folds, 1)), relative=True)
        everything = numbered([(None,)] * len(own)).slot(self.values, own, folds)
        known = [everything.known(held_out) for held_out in range(folds)]
        base = np.stack([one[:, 1] / np.maximum(one[:, 0], 1) for one in known])
        return Rows(self.item, self.plain, slots, own, base, relative=False)


def answer_rows(items: Sequence[Item], values: Sequence[float], fold: NDArray[np.intp], folds: int) -> Rows:
    """Rows of questions without letters for one draw of the folds; see `answer_pool` and `RowPool.rows`."""
    return answer_pool(items, values).rows(fold, folds)


def choice_rows(items: Sequence[Item], fold: NDArray[np.intp], folds: int) -> Rows:
    """Rows of choices for one draw of the folds; see `choice_pool` and `RowPool.rows`."""
    return choice_pool(items).rows(fold, folds)


def answer_pool(items: Sequence[Item], values: Sequence[float]) -> RowPool:
    """Pool questions of one type whose answers are no letters; the sums are of the values' inverse hyperbolic sine.

    Args:
        items: the questions.
        values: of the answers: the numbers themselves, or numbers in place of texts. Shape (items,).
    """
    # Multiples of 2^-20 add up exactly. Otherwise a difference of sums would keep a trace of what was taken out.
    answers = np.round(np.arcsinh(np.asarray(values, dtype=np.float64)) * 2**20) / 2**20
    channels = np.stack([np.ones(len(items)), answers], axis=1)
    found = phrases(items)
    keys: list[list[list[Hashable]]] = [[[item.question] for item in items]]
    keys += [[[one[position]] if position < len(one) else [] for one in found] for position in range(4)]
    keys += [[[text for _, text in one] for one in found], [list(combinations(one, 2)) for one in found]]
    plain = np.array([[len(words(item.question)), len(one)] for item, one in zip(items, found, strict=True)], float)
    number = np.arange(len(items))
    return RowPool(number, plain, tuple(numbered(one).of_several(number) for one in keys), channels, None)


def choice_pool(items: Sequence[Item]) -> RowPool:
    """Pool choices of one type, a row for each option; the sums count right options."""
    found = phrases(items)
    item = np.array([i for i, one in enumerate(items) for _ in one.options], dtype=np.intp)
    right = np.array([float(letter == one.answer) for one in items for letter in one.letters])
    values = np.stack([np.ones(len(item)), right], axis=1)
    rows = [(i, k) for i, one in enumerate(items) for k in range(len(one.options))]
    options = [told(items[i].options[k]) for i, k in rows]
    texts, listed = [one.text for one in options], [one.parts for one in options]
    keys: list[Sequence[Sequence[Hashable]]] = [
        [[(k, len(items[i].options))] for i, k in rows],
        [[text] for text in texts],
        [[(items[i].question, text)] for (i, _), text in zip(rows, texts, strict=True)],
        [[(phrase, text) for phrase in found[i]] for (i, _), text in zip(rows, texts, strict=True)],
        [[(phrase[1], text) for phrase in found[i]] for (i, _), text in zip(rows, texts, strict=True)],
        [one.words for one in options],
        [list(enumerate(one)) for one in listed],
        [list(combinations(one, 2)) for one in listed],
    ]
    plain = np.array([row for one in items for row in _options(one)], float)
    chance = np.array([1 / len(items[i].options) for i, _ in rows])
    return RowPool(item, plain, tuple(numbered(one).of_several(item) for one in keys), values, chance)


def _options(item: Item) -> Iterator[list[float]]:
    """Yield features of each option of an item compared with the others and with the question."""
    said = [told(option) for option in item.options]
    options = [one.text for one in said]
    lengths = [len(option) for option in options]
    sets = [one.distinct for one in said]
    lists = [one.parts for one in said]
    question = item.question.lower()
    wheres = [question.find(option) for option in options]
    asked = set(words(question))
    numbers = [one.number for one in said]
    stated = [n for n in numbers if n is not None]
    for k, (own_words, own_parts, where, own) in enumerate(zip(sets, lists, wheres, numbers, strict=True)):
        others = [i for i in range(len(options)) if i != k]
        alike = [len(own_words & sets[i]) / max(len(own_words | sets[i]), 1) for i in others]
        placed = [sum(a == b for a, b in zip(own_parts, lists[i], strict=False)) / len(own_parts) for i in others]
        order = [question.find(part) for part in own_parts] if len(own_parts) > 1 else []
        swaps = [a > b for a, b in combinations(order, 2)]
        yield [
            k,
            len(options),
            lengths[k],
            sum(length < lengths[k] for length in lengths),
            len(own_words & asked) / max(len(own_words), 1),
            sum(alike) / len(alike),
            sum(placed) / len(placed),
            sum(0 <= w < where for w in wheres) if where >= 0 else _MISSING,
            sum(swaps) / len(swaps) if swaps else _MISSING,
            len(own_parts),
            _MISSING if own is None else sum(n < own for n in stated),
            _MISSING if own is None or not stated or max(stated) <= 0 else own / max(stated),
        ]


def _against_the_others(matrix: Floats, item: NDArray[np.intp]) -> Floats:
    """Each feature less the greatest among the other options of the same item."""
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    sizes = np.diff(np.r_[starts, len(item)])
    result = np.zeros_like(matrix)
    for size in np.unique(sizes).tolist():
        rows = starts[sizes == size][:, None] + np.arange(size)
        block = matrix[rows]
        ranked = np.partition(block, size - 2, axis=1)
        best, second = ranked[:, -1:], ranked[:, -2:-1]
        result[rows] = block - np.where(block == best, second, best)
    return result


LEARNERS = ("random-forest", "gradient-boosting")
QUICK = ("small-forest", "short-boosting")
"""The same in small, for who guesses often: extremely randomised trees (Geurts et al. 2006) and boosting in few steps
on coarse features. Of other scenes' questions they answer as many, at a quarter of the time."""
LINEAR = "linear"
"""Logistic regression, for words that are there or not."""
SCALED = "scaled-linear"
"""Logistic regression on standardised features: what small preferences add up to, which trees split up and lose."""
_TREES = 200
_SMALL_TREES = 25
_SMALL_LEAF = 5
"""Rows in a leaf of a small forest at least: smaller ones learn the luck of the rows that are taught."""


@dataclass(frozen=True)
class _Boosting:
    """Steps, their rate, leaves of a tree, and distinguished values of a feature."""

    steps: int
    rate: float
    leaves: int
    bins: int


_BOOSTING = {
    "gradient-boosting": _Boosting(100, 0.06, 15, 255),
    "short-boosting": _Boosting(12, 0.36, 8, 32),
}


class Classifier(Protocol):
    """The part of scikit-learn's interface that is used."""

    classes_: NDArray[np.intp]

    def fit(self, x: Floats, y: NDArray[np.intp]) -> object:
        """Learn."""
        ...

    def predict_proba(self, x: Floats) -> Floats:
        """The probability of every class. Shape (rows, classes)."""
        ...


def check_installed() -> None:
    """Make sure that scikit-learn is there.

    Raises:
        MissingExtraError: it isn't.
    """
    with needs("analyze", "Guessing answers"):
        if find_spec("sklearn") is None:  # not imported: workers do, and it takes a second
            raise ModuleNotFoundError(name="sklearn")


def create(name: str, seed: int) -> Classifier:
    """The learner of that name.

    One thread each: a forest on several adds its trees' votes in the order in which threads end.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made: Any
    if name == "random-forest":
        made = RandomForestClassifier(n_estimators=_TREES, min_samples_leaf=3, n_jobs=1, random_state=seed)
    elif name == "small-forest":
        made = _SmallForest(seed)
    elif name == LINEAR:
        made = LogisticRegression(C=0.1, max_iter=300)
    elif name == SCALED:
        made = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=300))
    else:
        boosting = _BOOSTING[name]
        made = HistGradientBoostingClassifier(
            max_iter=boosting.steps,
            learning_rate=boosting.rate,
            max_leaf_nodes=boosting.leaves,
            max_bins=boosting.bins,
            min_samples_leaf=10,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        )
    classifier: Classifier = made
    return classifier


class _SmallForest:
    """Extremely randomised trees, the same as `ExtraTreesClassifier` grows from a seed.

    That class takes as long to copy the settings of small trees as the trees take to grow.
    """

    def __init__(self, seed: int) -> None:
        self._draw = np.random.RandomState(seed)

    def fit(self, x: Floats, y: NDArray[np.intp]) -> object:
        """Grow the trees."""
        from sklearn.tree import ExtraTreeClassifier

        self.classes_, own = np.unique(y, return_inverse=True)
        own = own.astype(np.int8 if len(self.classes_) < 128 else np.intp)  # scikit-learn sorts them for every tree
        rows, limit = x.astype(np.float32), np.iinfo(np.int32).max
        self._trees = [
            ExtraTreeClassifier(min_samples_leaf=_SMALL_LEAF, random_state=self._draw.randint(limit)).fit(
                rows, own, check_input=False
            )
            for _ in range(_SMALL_TREES)
        ]
        return self

    def predict_proba(self, x: Floats) -> Floats:
        """The mean of the trees' probabilities."""
        rows = x.astype(np.float32)
        found: Floats = sum(tree.predict_proba(rows, check_input=False) for tree in self._trees) / len(self._trees)
        return found


@lru_cache(maxsize=1)
def _thread_pools() -> ThreadpoolController:
    """The pools of threads of the libraries that learners use, which must be imported; looking for them takes 2 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def probabilities(name: str, seed: int, x: Floats, y: NDArray[np.intp], asked: Floats, classes: int) -> Floats:
    """Train and ask.

    Args:
        name: a learner.
        seed: of its own draws.
        x, y: training rows and their classes, 0 … classes − 1.
        asked: rows to answer.
        classes: how many there are; one that no training row has gets 0.

    Returns:
        Shape (asked rows, classes).
    """
    found = np.zeros((len(asked), classes))
    present = np.unique(y)
    if len(present) < 2:
        found[:, present] = 1.0
        return found
    from sklearn import config_context

    learner = create(name, seed)
    # The work is shared out by question type and fold; threads within would only wait. Checks of settings and of what
    # is made here cost more than small trees do.
    with _thread_pools().limit(limits=1), config_context(assume_finite=True, skip_parameter_validation=True):
        learner.fit(x, y)
        found[:, learner.classes_] = learner.predict_proba(asked)
    return found


Ints = NDArray[np.intp]
_DIGITS = 9
"""Decimals that are looked at of how far predictors are off: the last bits of sums depend on their order."""


def prune_to_chance(
    right: ArrayLike,
    chance: Sequence[float],
    seed: str,
    slack: float = 0.0,
    answers: Sequence[str] | None = None,
    *,
    from_below: bool = True,
) -> set[int]:
    """The questions that have to go.

    One after the other, always one that brings all predictors together as near to chance as leaving out a single
    question can (the sum of the squares of how many questions each is off), drawn at random among equals; until
    none brings them nearer.

    Args:
        right: how often each predictor is right about each question, 0 … 1. Shape (predictors, questions).
        chance: for each question, how likely a random answer is right. Shape (questions,).
        seed: of the draws.
        slack: the share of the questions by which a predictor may be off.
        answers: of the questions, where they are to stay about as even as they are: while one of the most frequent
            answer helps, no other goes.
        from_below: whether questions go for a predictor that is right too seldom as well. If questions are few, hardly
            any would be left.

    Returns:
        The questions' numbers.
    """
    order = list(range(len(chance)))
    random.Random(seed).shuffle(order)
    excess: Floats = (np.asarray(right, dtype=np.float64) - np.asarray(chance))[:, order]
    names = sorted(set(answers or ()))
    answer = np.array([names.index(answers[i]) if answers else 0 for i in order], dtype=np.intp)
    counts = np.bincount(answer, minlength=1)
    total, left = excess.sum(axis=1), len(order)
    alike = _Alike.of(excess, answer)
    gone: set[int] = set()
    while (off := float(_off(total, slack * left, from_below))) > 0:
        then = np.where(alike.left(), _off(total[:, None] - alike.excess, slack * (left - 1), from_below), np.inf)
        best = alike.least(np.where(counts[alike.answer] == counts.max(), then, np.inf), off)
        best = alike.least(then, off) if best is None else best
        if best is None:
            break
        gone.add(order[alike.take(best)])
        counts[alike.answer[best]] -= 1
        total, left = total - alike.excess[:, best], left - 1
    return gone


class _Alike:
    """Questions about which predictors are as right, and whose answer is the same: one is weighed for all of them.

    Args:
        excess: of each group, how much more right than by chance each predictor is. Shape (predictors, groups).
        answer: of each group. Shape (groups,).
        places: of the questions, group by group, rising in each. Shape (questions,).
        starts, ends: of each group in `places`; its start moves with each question that is taken. Shape (groups,).
    """

    def __init__(self, excess: Floats, answer: Ints, places: Ints, starts: Ints, ends: Ints) -> None:
        self.excess, self.answer = excess, answer
        self._places, self._starts, self._ends = places, starts, ends

    @classmethod
    def of(cls, excess: Floats, answer: Ints) -> _Alike:
        """Group questions, given in the order in which equals are taken."""
        if not len(answer):
            return cls(excess, answer, answer, answer, answer)
        rows = np.lexsort((*excess, answer))  # stable: places rise within a group
        same = (excess[:, rows[1:]] == excess[:, rows[:-1]]).all(axis=0) & (answer[rows[1:]] == answer[rows[:-1]])
        starts = np.flatnonzero(np.r_[True, ~same])
        first = rows[starts]
        return cls(excess[:, first], answer[first], rows, starts, np.r_[starts[1:], len(rows)])

    def left(self) -> NDArray[np.bool_]:
        """Check whether each group has any left."""
        return self._starts < self._ends

    def least(self, then: Floats, now: float) -> int | None:
        """The group of the first question of the least value, where that is less than now."""
        if not then.size or not (least := then.min()) < now:
            return None
        groups = np.flatnonzero(then == least)
        return int(groups[self._places[self._starts[groups]].argmin()])

    def take(self, group: int) -> int:
        """The place of a group's first question, which isn't left any longer."""
        place = int(self._places[self._starts[group]])
        self._starts[group] += 1
        return place


def _off(total: Floats, allowed: float, from_below: bool) -> Floats:
    """Sum of squares of how far predictors are off chance. Shape (predictors, …) to (…)."""
    beyond = np.maximum((np.abs(total) if from_below else total) - allowed, 0.0)
    off: Floats = np.round(np.square(beyond).sum(axis=0), _DIGITS)
    return off
