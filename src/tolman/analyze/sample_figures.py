"""Figures of several samples of each item: pass@k, best-of-k and majority@k next to the mean.

Each is the expectation over all sets of k of an item's n answered samples, so it is unbiased for k fresh samples.

- pass@k: a sample of the k is right. 1 − C(n − c, k) / C(n, k) for c right ones (Chen et al. 2021, arXiv:2107.03374,
  equation 1).
- best-of-k: the greatest score of the k. It equals pass@k for scores of 0 and 1, and has a meaning for partial credit.
- majority@k: the score of the most frequent answer of the k (self-consistency, Wang et al. 2022, arXiv:2203.11171).
  Answers are compared as the scorer read them. A tie is broken by an even draw. Unread responses don't vote; where none
  of the k is read, their own score counts.

Answers that are drawn evenly from the options reach high values of pass@k. `SampleFigures.guessing` says how high.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import comb
from statistics import fmean

import polars as pl

from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.answer_values import normalised
from tolman.scoring.score_table import Column, Table


@dataclass(frozen=True)
class SampleFigures:
    """Figures for sets of k samples: column key → figure.

    Attributes:
        k: samples in a set.
        passed, best: pass@k and best-of-k.
        majority: majority@k; None where there is no vote.
        mean: of the same items, the mean over their samples.
        guessing: pass@k of even draws from the options, with 0 for items without a chance level.
        short: items with fewer than k answered samples, which are in no figure of this k.
    """

    k: int
    passed: dict[str, Cell]
    best: dict[str, Cell]
    majority: dict[str, Cell] | None
    mean: dict[str, Cell]
    guessing: dict[str, Cell]
    short: int


@dataclass(frozen=True)
class RunSamples:
    """Figures of one run.

    Attributes:
        samples: of each item that were asked for.
        mean: column key → mean of all answered samples.
        sets: figures for each k, ascending.
        no_majority: why there is no majority@k; empty where there is one.
    """

    samples: int
    mean: dict[str, Cell]
    sets: tuple[SampleFigures, ...]
    no_majority: str = ""


@dataclass(frozen=True)
class SamplesResult:
    """Figures of several runs.

    Attributes:
        runs: by name.
        columns: of the figures, the headline first.
        scorer: whose scores count.
        right_from: the score from which a sample is right.
        marks: lines for figures that lack parts of their benchmark.
    """

    runs: dict[str, RunSamples]
    columns: tuple[Column, ...]
    scorer: str
    right_from: float
    marks: list[str]


def best_of(scores: Sequence[float], k: int) -> float:
    """Return the expected maximum of k of n scores, drawn without replacement.

    Args:
        scores: n of them, in any order.
        k: 1 to n.
    """
    total, below, value = comb(len(scores), k), 0, 0.0
    for score, equal in groupby(sorted(scores)):
        reached = below + len(list(equal))
        value += score * ((comb(reached, k) - comb(below, k)) / total)
        below = reached
    return value


def majority_of(votes: Sequence[str | None], scores: Sequence[float], k: int) -> float:
    """Return the expected score of the most frequent answer of k samples, drawn without replacement from n.

    Args:
        votes: the answer of each sample; None where none could be read.
        scores: of each sample. Equal answers that a judge scored differently have their mean.
        k: 1 to n.
    """
    own: dict[str | None, list[float]] = {}
    for vote, score in zip(votes, scores, strict=True):
        own.setdefault(vote, []).append(score)
    unread = own.pop(None, [])
    groups = tuple(sorted((len(each), fmean(each)) for each in own.values()))
    return _majority(groups, len(unread), fmean(unread) if unread else 0.0, k)


@lru_cache(maxsize=65_536)
def _majority(groups: tuple[tuple[int, float], ...], unread: int, unread_score: float, k: int) -> float:
    """The same for answers with their counts and scores.

    For each number of votes that may win, samples are drawn from one answer after the other, none more often than that.
    A state is how many samples are still to be drawn and how many answers have the winning number. It holds its
    probability, and that times the sum of those answers' scores.
    """
    total = unread + sum(count for count, _ in groups)
    value = unread_score * (comb(unread, k) / comb(total, k))
    for most in range(1, min(k, max((count for count, _ in groups), default=0)) + 1):
        states, left = {(k, 0): (1.0, 0.0)}, total
        for count, score in groups:
            left -= count
            reached: dict[tuple[int, int], tuple[float, float]] = {}
            for (wanted, tied), (probability, sums) in states.items():
                for drawn in range(max(0, wanted - left), min(count, most, wanted) + 1):
                    chance = comb(count, drawn) * comb(left, wanted - drawn) / comb(left + count, wanted)
                    place = wanted - drawn, tied + (drawn == most)
                    before = reached.get(place, (0.0, 0.0))
                    added = sums + probability * score * (drawn == most)
                    reached[place] = before[0] + chance * probability, before[1] + chance * added
            states = reached
        value += sum(sums / tied for (_, tied), (_, sums) in states.items() if tied)
    return value


def sample_figures(
    rows: pl.DataFrame, table: Table, ks: Sequence[int], samples: int, *, right_from: float = 0.5, no_majority: str = ""
) -> RunSamples:
    """Compute the figures of a run, each with the interval of its table.

    Chance-adjusted figures of pass@k and best-of-k are adjusted for the chance of k draws from the options.

    Args:
        rows: of one scorer (`tolman.scoring.score_items.SCHEMA`). A sample without a score is no answer.
        table: the benchmark's.
        ks: numbers of samples, ascending, each from 1 to `samples`.
        samples: of each item that were asked for.
        right_from: the score from which a sample is right, 0 to 1.
        no_majority: why there is no vote; empty where there is one.
    """
    answered = pl.col("score").is_not_null()
    is_read = (pl.col("reading") != "") & ~pl.col("state").is_in(["none", "cut off"]).fill_null(False)
    items = (
        rows.filter(pl.col("status") != "left out")
        .group_by("id", maintain_order=True)
        .agg(
            pl.col("task", "cluster", "options").first(),
            pl.col("score").filter(answered),
            pl.when(is_read).then("reading").filter(answered),
        )
    )
    own = _Answered(
        items.select("task", "cluster"),
        items["score"].to_list(),
        [[one if one is None else normalised(one) for one in each] for each in items["reading"].to_list()],
        [1 / count if count else 0.0 for count in items["options"].to_list()],
        table,
        right_from,
    )
    sets = tuple(own.figures_of(k, has_majority=not no_majority) for k in ks)
    return RunSamples(samples, cells(rows, table), sets, no_majority)


@dataclass(frozen=True)
class _Answered:
    """Items with the scores and votes of their answered samples, and the chance of one draw from their options."""

    items: pl.DataFrame
    scores: list[list[float]]
    votes: list[list[str | None]]
    chances: list[float]
    table: Table
    right_from: float

    def figures_of(self, k: int, *, has_majority: bool) -> SampleFigures:
        """The figures for sets of k samples."""
        levels = [1 - (1 - chance) ** k for chance in self.chances]
        right = [[float(score >= self.right_from) for score in own] for own in self.scores]
        majority = None
        if has_majority:
            majority = self._cells(k, lambda i: majority_of(self.votes[i], self.scores[i], k), self.chances)
        return SampleFigures(
            k=k,
            passed=self._cells(k, lambda i: best_of(right[i], k), levels),
            best=self._cells(k, lambda i: best_of(self.scores[i], k), levels),
            majority=majority,
            mean=self._cells(k, lambda i: fmean(self.scores[i]), self.chances),
            guessing=self._cells(k, levels.__getitem__, levels),
            short=sum(len(own) < k for own in self.scores),
        )

    def _cells(self, k: int, value: Callable[[int], float], levels: Sequence[float]) -> dict[str, Cell]:
        """The figures of the items' values. A chance level is given to the table as that many options."""
        values = [value(i) if len(own) >= k else None for i, own in enumerate(self.scores)]
        frame = self.items.with_columns(
            pl.Series("score", values, dtype=pl.Float64),
            pl.Series("status", ["missing" if one is None else "scored" for one in values], dtype=pl.String),
            pl.Series("options", [1 / level if level else 0.0 for level in levels], dtype=pl.Float64),
        )
        return cells(frame, self.table)
