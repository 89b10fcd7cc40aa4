"""Shortcut bias: the score of a learner that sees no picture, and which items to leave out for it.

A subset's blind score is given twice. *Trained on all*: learners are trained on all items of the other folds and scored
on the subset. *Trained on the subset*: the learners know only the subset's own items of the other folds, like a reader
of the published subset alone. Both keep every item in the fold that it has in the whole, so that two subsets are
compared on the same split. A pruned subset is chosen on other draws of folds.

Pruning leaves out the items that are guessed best, a few at a time, and trains again on the rest. Leaving them out
all at once would give the learners a new shortcut: the answers that have become rare would then be the right ones.
The idea is that of VSI-Bench-Debiased (vision-x-nyu/test-set-training); the features, the held-out scenes, new folds
in every round and a fixed share of each question type are Tolman's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.analyze.representative import quotas
from tolman.guessing.blind import Guesses, guess
from tolman.guessing.folds import assign
from tolman.items import Item
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.score_table import Column, Table, pool

ROUNDS = 6


def prune(
    items: Sequence[Item],
    keep: int,
    rules: RuleSet,
    *,
    folds: int,
    seed: int = 0,
    workers: int | None = None,
    rounds: int = ROUNDS,
    done: Callable[[int], None] = lambda count: None,
) -> NDArray[np.bool_]:
    """Choose the items that are kept.

    In every round the learners answer the remaining items, on newly drawn folds. Each question type loses its best
    guessed items, so many that it reaches its quota at the end. How well an item is guessed is the mean over the rounds
    so far, the later ones counting more: one draw of folds would remove items that were right by luck. The rest would
    look harder to guess on that draw than it is.

    Args:
        items: the questions.
        keep: how many items to keep.
        rules: how answers are scored.
        folds: how many.
        seed: of the draws.
        workers: as in `blind.guess`.
        rounds: how often.
        done: called with the number of every round that is over.

    Returns:
        True for each item that is kept. Shape (items,).

    Raises:
        UsageError: that many can't be kept, or there are too few scenes.
    """
    goal = quotas([item.task for item in items], keep)
    kept = np.ones(len(items), dtype=bool)
    tasks = np.array([item.task for item in items])
    # Items that count as one question leave as one.
    names = [item.all_of or item.id for item in items]
    _, unit = np.unique(names, return_inverse=True)
    value = np.zeros(len(items))
    for number in range(1, rounds + 1):
        left = np.flatnonzero(kept)
        own = [items[i] for i in left.tolist()]
        draw = np.random.SeedSequence([seed, number]).generate_state(1)
        found = guess(own, assign(own, folds, int(draw[0])), rules, seed=seed + number, workers=workers)
        value[left] = found.guessability if number == 1 else (value[left] + found.guessability) / 2
        together = (np.bincount(unit, value) / np.bincount(unit))[unit]
        for task, quota in goal.items():
            members = np.flatnonzero(kept & (tasks == task))
            leaving = round((len(members) - quota) / (rounds + 1 - number))
            ranked = members[np.lexsort((members, unit[members], -together[members]))]
            while 0 < leaving < len(ranked) and unit[ranked[leaving]] == unit[ranked[leaving - 1]]:
                leaving -= 1
            kept[ranked[:leaving]] = False
        done(number)
    return kept


FOLDS = 5
ALL_ITEMS = "all_items"
Trained = Literal["all items", "the subset"]


@dataclass(frozen=True)
class BiasRow:
    """The blind scores of one learner.

    Attributes:
        subset: 'all', 'pruned' or the name of a given subset.
        trained: the items of the other folds that the learner knew.
        learner: its name.
        n: items of the subset.
        figures: column key → Cell, `ALL_ITEMS` among them.
    """

    subset: str
    trained: Trained
    learner: str
    n: int
    figures: dict[str, Cell]


@dataclass(frozen=True)
class Bias:
    """Blind scores of all items and of subsets.

    Attributes:
        guesses: of all items.
        table: the benchmark's, with a column for the mean over all items.
        rows: blind scores.
        kept: which items the pruned subset has; None where none was asked for. Shape (items,).
    """

    guesses: Guesses
    table: Table
    rows: list[BiasRow]
    kept: NDArray[np.bool_] | None

    def frame(self) -> pl.DataFrame:
        """A row for each item: id, task, fold, guessability, each learner's answer, and whether it is kept."""
        g = self.guesses
        columns: dict[str, Sequence[object]] = {
            "id": [item.id for item in g.items],
            "task": [item.task for item in g.items],
            "fold": g.fold.tolist(),
            "guessability": [round(float(v), 6) for v in g.guessability],
            "answer": [item.answer for item in g.items],
            **g.answers,
        }
        if self.kept is not None:
            columns["kept"] = self.kept.tolist()
        known = {"fold": pl.Int64, "guessability": pl.Float64, "kept": pl.Boolean}
        return pl.DataFrame(columns, schema={name: known.get(name, pl.String) for name in columns})


@dataclass(frozen=True)
class BiasResult:
    """The bias of some questions, and its basis.

    Attributes:
        label: whose questions, for headings.
        scorer: of the answers.
        folds, seed: of the split.
        chance: column key → expectation of uniform guessing.
        bias: blind scores, and the kept items.
        out: the folder that was written; None for none.
    """

    label: str
    scorer: str
    folds: int
    seed: int
    chance: dict[str, Cell]
    bias: Bias
    out: Path | None


def analyze(
    items: Sequence[Item],
    table: Table,
    rules: RuleSet,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    keep: int | None = None,
    rounds: int = ROUNDS,
    given: Mapping[str, AbstractSet[str]] | None = None,
    workers: int | None = None,
    done: Callable[[str], None] = lambda step: None,
) -> Bias:
    """Measure how much of a benchmark is guessed, and prune it.

    Args:
        items: the questions.
        table: the benchmark's.
        rules: how answers are scored.
        folds: how many.
        seed: of the folds and the learners.
        keep: how many items the pruned subset is to have; None for no pruning.
        rounds: of pruning.
        given: subsets to compare with: name → the ids that they leave out.
        workers: as in `blind.guess`.
        done: called with the name of each step that is over.

    Raises:
        MissingExtraError: scikit-learn isn't installed.
        UsageError: too few scenes for the folds, or that many can't be kept.
    """
    wide = _with_all_items(table)
    if keep is not None:
        quotas([item.task for item in items], keep)  # says what is wrong before anything is trained
    fold = assign(items, folds, seed)
    found = guess(items, fold, rules, seed=seed, workers=workers)
    done("all items")
    rows = _rows(found, rules, wide, seed, "all", "all items", np.ones(len(items), dtype=bool))
    kept = None
    subsets: dict[str, NDArray[np.bool_]] = {}
    if keep is not None:
        kept = prune(
            items,
            keep,
            rules,
            folds=folds,
            seed=seed,
            workers=workers,
            rounds=rounds,
            done=lambda n: done(f"round {n}"),
        )
        subsets["pruned"] = kept
    for name, left_out in (given or {}).items():
        subsets[name] = np.array([item.id not in left_out for item in items])
    for name, mask in subsets.items():
        rows += _rows(found, rules, wide, seed, name, "all items", mask)
        own = guess(
            [item for item, k in zip(items, mask, strict=True) if k], fold[mask], rules, seed=seed, workers=workers
        )
        rows += _rows(own, rules, wide, seed, name, "the subset", np.ones(len(own.items), dtype=bool))
        done(name)
    return Bias(found, wide, rows, kept)


def _rows(
    found: Guesses, rules: RuleSet, table: Table, seed: int, subset: str, trained: Trained, mask: NDArray[np.bool_]
) -> list[BiasRow]:
    ids = [item.id for item, inside in zip(found.items, mask, strict=True) if inside]
    chosen = set(ids)
    return [
        BiasRow(subset, trained, name, len(ids), cells(scores.filter(pl.col("id").is_in(chosen)), table))
        for name, scores in found.scores(rules).items()
    ]


def _with_all_items(table: Table) -> Table:
    if any(column.node == pool() for column in table.columns):
        return table
    return replace(table, columns=(*table.columns, Column(ALL_ITEMS, "All items", pool())))
