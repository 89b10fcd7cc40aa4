"""Features: items of one question type as rows of numbers, from their texts and the answers of other folds alone.

A question without options to choose from is one row. A choice is a row for each option, and the learner says how likely
it is to be right, so that options may come in any number and order. Questions and options are treated as words, without
any knowledge of a benchmark's templates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.folds import Floats, Keys, Slot, numbered, summaries
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
