"""Blind answers: what learners answer to every item after training on the other folds' texts and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.guessing.answer_space import AnswerSpace, answer_space
from tolman.guessing.features import Rows, answer_rows, choice_rows
from tolman.guessing.learners import LEARNERS, check_installed, probabilities
from tolman.guessing.offers import learned_offers
from tolman.guessing.statistics import Floats
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, cores, parallel_map
from tolman.responses import Response
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import score

CONSTANT = "constant"
"""The floor: the one answer for each question type that the metric rewards most in the other folds."""
_FEW = 500
"""Fewer items than these are answered before other processes have started."""

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Guesses:
    """Predictions of each blind learner.

    Attributes:
        items: the questions.
        fold: of each. Shape (items,).
        answers: learner → the text for each item.
        guessability: how well each item is guessed, 0 … 1, the mean of the learners: for a choice the share of
            probability on the right option, for another item the score of the answer. Shape (items,).
    """

    items: list[Item]
    fold: Ints
    answers: dict[str, list[str]]
    guessability: Floats

    def scores(self, rules: RuleSet) -> dict[str, pl.DataFrame]:
        """Learner → rows of `scoring.score.score` under a rule set."""
        return {
            name: score(
                self.items,
                [Response(id=item.id, response=text) for item, text in zip(self.items, texts, strict=True)],
                [rules],
            )
            for name, texts in self.answers.items()
        }


@dataclass(frozen=True)
class _Group:
    """Items of one question type and kind, ready to be learned.

    Attributes:
        members: numbers of the items.
        rows: their features; a row for each option where the answers are letters, else one for each item.
        target: of each row: whether the option is right, or the place of the right answer in `space`. Shape (rows,).
        space: the answers that there are; None where they are letters of options.
        unlearned: what is answered where no other fold has an item of the question type.
    """

    members: Ints
    rows: Rows
    target: Floats
    space: AnswerSpace | None
    unlearned: str

    def guess(
        self, held_out: int, learners: Sequence[str], seed: int
    ) -> tuple[Ints, dict[str, tuple[list[str], Floats]]]:
        """Answers to the items of one fold: their numbers, and for each learner the texts and the guessability."""
        rows = self.rows
        train, test = rows.fold != held_out, rows.fold == held_out
        matrix = rows.matrix(held_out)
        asked = self.members[np.unique(rows.item[test])]
        found = {}
        for name in learners:
            if self.space is None:
                y = self.target[train].astype(np.intp)
                right = probabilities(name, seed, matrix[train], y, matrix[test], 2)[:, 1]
                found[name] = _chosen(right, rows.item[test], self.target[test])
            else:
                found[name] = self._offered(self.space, name, seed, matrix, train, test)
        return asked, found

    def _offered(
        self,
        space: AnswerSpace,
        name: str,
        seed: int,
        matrix: Floats,
        train: NDArray[np.bool_],
        test: NDArray[np.bool_],
    ) -> tuple[list[str], Floats]:
        """The answer of the training items that promises the greatest score, given how likely each class is."""
        target = self.target.astype(np.intp)
        taken = learned_offers(space, name, seed, matrix[train], target[train], matrix[test])
        if taken is None:
            return [self.unlearned] * int(test.sum()), np.zeros(int(test.sum()))
        return [space.offer(place) for place in taken.tolist()], space.gains[taken, target[test]]

    def constant(self, items: Sequence[Item], fold: Ints, held_out: int) -> Callable[[Item], str]:
        """What answers the items of a fold without any learning: the answer that the metric rewards most elsewhere."""
        known = [items[i] for i in self.members.tolist() if fold[i] != held_out]
        if self.space is None:
            counts = Counter((item.answer, len(item.options)) for item in known)
            ranked = sorted(counts, key=lambda entry: (-counts[entry], entry))
            return lambda item: next((a for a, _ in ranked if a in item.letters), item.letters[0])
        best = self.space.constant(known)
        return lambda item: self.unlearned if best is None else best


def guess(
    items: Sequence[Item],
    fold: Ints,
    rules: RuleSet,
    *,
    learners: Sequence[str] = LEARNERS,
    seed: int = 0,
    workers: Workers | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Guesses:
    """Answer every item from the folds that it isn't in.

    Args:
        items: the questions.
        fold: of each, from `folds.assign` (gaps are allowed, so that a subset keeps its items' folds).
        rules: how answers are scored; items whose answers are no letters are answered so as to be rewarded by it.
        learners: their names.
        seed: of the learners.
        workers: processes; None for one on each core, or a single one where there is little to do. The result doesn't
            depend on it.
        done: called with how many items of a question type were answered.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
    """
    check_installed()
    folds = int(fold.max()) + 1
    groups = _groups(items, fold, folds, rules)
    work = [(group, held_out) for group in groups for held_out in sorted(set(group.rows.fold.tolist()))]
    work.sort(key=lambda job: -len(job[0].rows.item))
    answers = {name: [""] * len(items) for name in (CONSTANT, *learners)}
    guessability = np.zeros(len(items))
    if workers is None:
        workers = 1 if len(items) < _FEW else cores()
    for asked, found in parallel_map(
        _answered, [(group, held_out, learners, seed) for group, held_out in work], workers
    ):
        for name, (texts, value) in found.items():
            guessability[asked] += value / len(learners)
            for i, text in zip(asked.tolist(), texts, strict=True):
                answers[name][i] = text
        done(len(asked))
    for group in groups:
        _constants(items, fold, group, answers[CONSTANT])
    return Guesses(list(items), fold, answers, guessability)


def _answered(work: tuple[_Group, int, Sequence[str], int]) -> tuple[Ints, dict[str, tuple[list[str], Floats]]]:
    """One fold of one question type, in whatever process."""
    group, held_out, learners, seed = work
    return group.guess(held_out, learners, seed)


def _groups(items: Sequence[Item], fold: Ints, folds: int, rules: RuleSet) -> list[_Group]:
    members: dict[tuple[str, str], list[int]] = {}
    for i, item in enumerate(items):
        members.setdefault((item.task, item.kind), []).append(i)
    return [
        _group(np.array(numbers, dtype=np.intp), [items[i] for i in numbers], fold[numbers], folds, rules)
        for numbers in members.values()
    ]


def _group(members: Ints, own: Sequence[Item], fold: Ints, folds: int, rules: RuleSet) -> _Group:
    kind = kind_of(own[0])
    unlearned = next(iter(kind.guesses(own[0], ())), "")
    if kind.has_letters:
        target = np.array([float(letter == item.answer) for item in own for letter in item.letters])
        return _Group(members, choice_rows(own, fold, folds), target, None, unlearned)
    space = answer_space(own, rules)
    rows = answer_rows(own, [space.values[place] for place in space.right], fold, folds)
    return _Group(members, rows, np.array(space.right, float), space, unlearned)


def likeliest(right: Floats, item: Ints) -> Ints:
    """For each item the place of its likeliest option, the first of several.

    Args:
        right: how likely each option is to be right. Shape (rows,).
        item: the number of each row's item, rising. Shape (rows,).
    """
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    sizes = np.diff(np.r_[starts, len(item)])
    place = np.arange(len(item)) - np.repeat(starts, sizes)
    best = right == np.repeat(np.maximum.reduceat(right, starts), sizes)
    found: Ints = np.minimum.reduceat(np.where(best, place, len(item)), starts)
    return found


def _chosen(right: Floats, item: Ints, target: Floats) -> tuple[list[str], Floats]:
    """For each item the letter of the likeliest option, and the share of the right one."""
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    total, own = np.add.reduceat(right, starts), np.add.reduceat(right * target, starts)
    chance = 1 / np.diff(np.r_[starts, len(item)])
    shares = np.where(total > 0, own / np.where(total > 0, total, 1.0), chance)
    return [chr(ord("A") + place) for place in likeliest(right, item).tolist()], shares


def _constants(items: Sequence[Item], fold: Ints, group: _Group, into: list[str]) -> None:
    members = group.members.tolist()
    for held_out in sorted({int(fold[i]) for i in members}):
        answer = group.constant(items, fold, held_out)
        for i in members:
            if fold[i] == held_out:
                into[i] = answer(items[i])
