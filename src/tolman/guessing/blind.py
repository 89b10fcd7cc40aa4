"""Blind answers: learners' answers to every item after training on the other folds' texts and answers.

Answers from cues come from learners that also get a part of a question's media, such as one picture. Such answers are
classes: a closed list that all questions of a type share. The option whose text is right most often takes no learning,
and no look at the question.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.guessing.answer_space import AnswerSpace, answer_space, learned_offers
from tolman.guessing.folds import Floats, taught
from tolman.guessing.learners import LEARNERS, Rows, answer_rows, check_installed, choice_rows, probabilities, words
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.parallel import Workers, cores, parallel_map
from tolman.responses import Response
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.score_items import score


def most_frequent_text(items: Sequence[Item]) -> Callable[[Item], str]:
    """Item → answer: the letter of the most frequent text; where answers are no letters, the most frequent of them.

    Texts count only where they are right in another scene too: one that is right in a single scene would give away
    nothing but that scene's own answers. If no option is, the answer is the most frequent letter.

    Args:
        items: of one question type.
    """
    counts = Counter(item.answer_text for item in items)
    scenes: dict[str, set[str]] = {}
    for item in items:
        scenes.setdefault(item.answer_text, set()).add(item.cluster)
    kinds = {item.kind: kind_of(item) for item in items}
    frequent = {
        name: ranked(kind.right_response(item) for item in items if item.kind == name)[0]
        for name, kind in kinds.items()
    }

    def choose(item: Item) -> str:
        answer = frequent[item.kind]
        if not kinds[item.kind].has_letters:
            return answer
        known = sorted(text for text in item.options if _is_elsewhere(scenes.get(text, ()), item.cluster))
        if known:
            return item.letters[item.options.index(max(known, key=counts.__getitem__))]
        return answer if answer in item.letters else item.letters[0]

    return choose


def _is_elsewhere(scenes: Collection[str], scene: str) -> bool:
    """Check whether there is any other scene among some."""
    return len(scenes) > (scene in scenes)


def ranked(answers: Iterable[str]) -> list[str]:
    """Answers by falling frequency; the first in alphabetical order of those that are equally frequent."""
    counts = Counter(answers)
    return sorted(counts, key=lambda answer: (-counts[answer], answer))


def answers_from_matrix(
    answers: Sequence[str],
    matrix: Floats,
    fold: NDArray[np.intp],
    learner: str,
    seed: int,
    most_taught: int | None = None,
) -> list[str]:
    """For each question the answer that its cues make likeliest, learned from the other folds.

    Args:
        answers: of the questions.
        matrix: their cues as numbers, as `encoded` gives them. Shape (questions, columns).
        fold: of each question.
        learner: its name in `learners`.
        seed: of the learner.
        most_taught: questions that are taught at most; None for all of the other folds.
    """
    classes = sorted(set(answers))
    place = {answer: i for i, answer in enumerate(classes)}
    y = np.array([place[answer] for answer in answers], dtype=np.intp)
    found = np.zeros(len(answers), dtype=np.intp)
    for held_out in sorted(set(fold.tolist())):
        train, test = taught(fold, held_out, most_taught, seed), fold == held_out
        if train.any():
            p = probabilities(learner, seed, matrix[train], y[train], matrix[test], len(classes))
            found[test] = p.argmax(axis=1)
    return [classes[i] for i in found]


def encoded(cues: Sequence[Sequence[Hashable]]) -> Floats:
    """Cues as numbers, a column for each place or, of names, for each name. Shape (questions, columns).

    Args:
        cues: of each question, numbers (the same question's neighbours in value are alike) or names (they aren't); a
            place in the list means the same in all lists, shorter ones lack the last.
    """
    columns: list[NDArray[np.float64]] = []
    for place in range(max(map(len, cues), default=0)):
        cells = [row[place] if place < len(row) else None for row in cues]
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            columns.append(np.array([-1e3 if cell is None else cell for cell in cells], dtype=np.float64))
        else:
            names = sorted({str(cell) for cell in cells})
            columns += [np.array([float(str(cell) == name) for cell in cells]) for name in names]
    return np.stack(columns, axis=1) if columns else np.zeros((len(cues), 1))


def vocabulary(texts: Sequence[str]) -> Floats:
    """For each text which words, and which two in a row, are in it, of those that several have: 1 or 0.

    Shape (texts, words and pairs); one column of 0 where there are none.
    """
    found = [words(text) for text in texts]
    spans = [{*own, *itertools.pairwise(own)} for own in found]
    counts = Counter(span for own in spans for span in own)
    known = sorted((span for span, n in counts.items() if 1 < n < len(texts)), key=str)
    place = {span: i for i, span in enumerate(known)}
    matrix = np.zeros((len(texts), max(1, len(known))))
    for row, own in enumerate(spans):
        matrix[row, [place[span] for span in own if span in place]] = 1.0
    return matrix


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
        """Learner → rows of `scoring.score_items.score` under a rule set."""
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
        unlearned: the answer if no other fold has an item of the question type.
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
        # A guess that only a judge can score isn't known to be right.
        return [space.offer(place) for place in taken.tolist()], np.nan_to_num(space.gains[taken, target[test]])

    def constant(self, items: Sequence[Item], fold: Ints, held_out: int) -> Callable[[Item], str]:
        """Return a rule for the items of a fold without learning: the answer that the metric rewards most elsewhere."""
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
    """Answer one fold of one question type, in any process."""
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
