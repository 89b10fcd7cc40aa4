"""Blind answers: what learners answer to every item after training on the other folds' texts and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.guessing.features import Rows, choice_rows, number_rows
from tolman.guessing.learners import LEARNERS, check_installed, probabilities
from tolman.guessing.statistics import Floats
from tolman.items import Item
from tolman.parallel import cores, parallel_map
from tolman.responses import Response
from tolman.scoring.rules import RuleSet
from tolman.scoring.score import score

CONSTANT = "constant"
"""The floor: the one answer for each question type that the metric rewards most in the other folds."""
_NOTHING = "0"
"""The number that is answered where no other fold has one of the question type."""
_BINS = 12
_FEW = 500
"""Fewer items than these are answered before other processes have started."""
_MOST_CANDIDATES = 150

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Guesses:
    """Predictions of each blind learner.

    Attributes:
        items: the questions.
        fold: of each. Shape (items,).
        answers: learner → the text for each item.
        guessability: how well each item is guessed, 0 … 1, the mean of the learners: for a choice the share of
            probability on the right option, for a number the score of the answer. Shape (items,).
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
    """Items of one question type and kind, ready to be learned."""

    members: Ints
    rows: Rows
    target: Floats
    candidates: list[str]
    gains: Floats
    kind: str

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
            if self.kind == "choice":
                y = self.target[train].astype(np.intp)
                right = probabilities(name, seed, matrix[train], y, matrix[test], 2)[:, 1]
                found[name] = _chosen(right, rows.item[test], self.target[test])
            else:
                found[name] = self._numbers(name, seed, matrix, train, test)
        return asked, found

    def _numbers(
        self, name: str, seed: int, matrix: Floats, train: NDArray[np.bool_], test: NDArray[np.bool_]
    ) -> tuple[list[str], Floats]:
        """The answer of the training items that promises the greatest score, given how likely each bin is."""
        own = self.target[train].astype(np.intp)  # the number of each training item's answer among the candidates
        if not len(own):
            return [_NOTHING] * int(test.sum()), np.zeros(int(test.sum()))
        edges = np.unique(np.quantile(own, np.linspace(0, 1, _BINS + 1)[1:-1], method="inverted_cdf"))
        y = np.searchsorted(edges, own, side="left").astype(np.intp)
        p = probabilities(name, seed, matrix[train], y, matrix[test], len(edges) + 1)
        share = np.zeros((len(edges) + 1, len(self.candidates)))
        np.add.at(share, (y, own), 1.0)
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1.0)
        offered = _thinned(np.unique(own))
        promised = p @ share @ self.gains[offered].T
        taken = offered[promised.argmax(axis=1)]
        truth = self.target[test].astype(np.intp)
        return [self.candidates[i] for i in taken], self.gains[taken, truth]


def guess(
    items: Sequence[Item],
    fold: Ints,
    rules: RuleSet,
    *,
    learners: Sequence[str] = LEARNERS,
    seed: int = 0,
    workers: int | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Guesses:
    """Answer every item from the folds that it isn't in.

    Args:
        items: the questions.
        fold: of each, from `folds.assign` (gaps are allowed, so that a subset keeps its items' folds).
        rules: how answers are scored; number questions are answered so as to be rewarded by it.
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
        _constants(items, fold, group, rules, answers[CONSTANT])
    return Guesses(list(items), fold, answers, guessability)


def _answered(work: tuple[_Group, int, Sequence[str], int]) -> tuple[Ints, dict[str, tuple[list[str], Floats]]]:
    """One fold of one question type, in whatever process."""
    group, held_out, learners, seed = work
    return group.guess(held_out, learners, seed)


def _groups(items: Sequence[Item], fold: Ints, folds: int, rules: RuleSet) -> list[_Group]:
    members: dict[tuple[str, str], list[int]] = {}
    for i, item in enumerate(items):
        members.setdefault((item.task, item.kind), []).append(i)
    groups = []
    for (_, kind), numbers in members.items():
        own, own_fold = [items[i] for i in numbers], fold[numbers]
        if kind == "choice":
            rows = choice_rows(own, own_fold, folds)
            target = np.array([float(letter == item.answer) for item in own for letter in item.letters])
            groups.append(_Group(np.array(numbers, dtype=np.intp), rows, target, [], np.zeros((0, 0)), kind))
            continue
        candidates = sorted({item.answer for item in own}, key=lambda text: (float(text), text))
        position = {text: i for i, text in enumerate(candidates)}
        target = np.array([position[item.answer] for item in own], float)
        gains = _gains(own, candidates, rules)
        rows = number_rows(own, own_fold, folds)
        groups.append(_Group(np.array(numbers, dtype=np.intp), rows, target, candidates, gains, kind))
    return groups


def _gains(items: Sequence[Item], candidates: Sequence[str], rules: RuleSet) -> Floats:
    """The score of each answer where another is right. Shape (answers given, right answers)."""
    example = {item.answer: item for item in items}
    return np.array(
        [
            [rules.score(example[truth], rules.read(example[truth], text, 0)) for truth in candidates]
            for text in candidates
        ]
    )


def _chosen(right: Floats, item: Ints, target: Floats) -> tuple[list[str], Floats]:
    """For each item the letter of the likeliest option, and the share of the right one."""
    letters, shares = [], []
    for number in np.unique(item):
        own = item == number
        p = right[own]
        letters.append(chr(ord("A") + int(p.argmax())))
        total = float(p.sum())
        shares.append(float(p @ target[own]) / total if total > 0 else 1 / len(p))
    return letters, np.array(shares)


def _thinned(numbers: Ints) -> Ints:
    """At most so many of them, evenly over their order."""
    if len(numbers) <= _MOST_CANDIDATES:
        return numbers
    return numbers[np.linspace(0, len(numbers) - 1, _MOST_CANDIDATES).round().astype(np.intp)]


def _constants(items: Sequence[Item], fold: Ints, group: _Group, rules: RuleSet, into: list[str]) -> None:
    members = group.members.tolist()
    for held_out in sorted({int(fold[i]) for i in members}):
        counts = Counter((items[i].answer, len(items[i].options)) for i in members if fold[i] != held_out)
        asked = [i for i in members if fold[i] == held_out]
        if group.kind == "choice":
            ranked = sorted(counts, key=lambda entry: (-counts[entry], entry))
            for i in asked:
                into[i] = next((a for a, _ in ranked if a in items[i].letters), "A")
        elif counts:
            weight = np.zeros(len(group.candidates))
            for (answer, _), count in counts.items():
                weight[group.candidates.index(answer)] += count
            offered = np.flatnonzero(weight)
            best = group.candidates[offered[(group.gains[offered] @ weight).argmax()]]
            for i in asked:
                into[i] = best
        else:
            for i in asked:
                into[i] = _NOTHING
