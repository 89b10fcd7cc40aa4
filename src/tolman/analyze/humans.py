"""Humans: several people's scores, averaged as SITE does, and MMSI's three tiers of difficulty from answering times.

Sources: SITE paper, section 5.1 (the figures of every participant are computed and averaged); MMSI-Bench paper,
Appendix F.6 (times are normalised across evaluators and averaged for each question; the distribution has three tiers;
a question that anybody answered wrongly is hard).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from tolman.benchmarks.published import PublishedRow, PublishedTable
from tolman.errors import UsageError
from tolman.extras import NDArray, np, pl
from tolman.scoring.aggregate import cells
from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import Interval, t_quantile
from tolman.scoring.score_table import Column, Table

Ints: TypeAlias = "NDArray[np.intp]"
Tier = Literal["easy", "medium", "hard"]
TIERS: tuple[Tier, ...] = get_args(Tier)
RIGHT_FROM = 0.5
"""An answer counts as right from this score on: for a choice 1, for a number a mean relative accuracy of a half."""


@dataclass(frozen=True, slots=True)
class Average:
    """One figure over people, on the 0–100 scale.

    Attributes:
        value: the mean of the people's figures.
        interval: 95 % interval of it over people, by Student's t; None for one person.
        people: how many have this figure.
        lowest, highest: of the people's figures.
    """

    value: float
    interval: Interval | None
    people: int
    lowest: float
    highest: float


@dataclass(frozen=True)
class Difficulty:
    """Items in tiers.

    Attributes:
        frame: a row for each item with an answer in a known time: id, task, people, wrong (how many),
            seconds (the mean normalised time), tier.
        cuts: seconds up to which an item is easy, and up to which it is medium.
        paces: person → the geometric mean of their seconds over the items that they were timed on.
        untimed: items with answers, but none in a known time.
    """

    frame: pl.DataFrame
    cuts: tuple[float, float]
    paces: dict[str, float]
    untimed: int


@dataclass(frozen=True)
class HumansResult:
    """Several people on one benchmark.

    Attributes:
        scorer: of their answers.
        columns: of the benchmark's table, with a figure of at least one person.
        people: person → column key → figure.
        average: column key → average over people.
        difficulty: items in tiers; None where there are none.
        marks: a line for each figure that lacks parts of the benchmark.
        out: the folder that was written; None for none.
        published: rows of people that the benchmark's paper and others print.
        published_tables: of people on something else than the table's columns.
        no_tiers: why there are none; '' where there are.
    """

    scorer: str
    columns: tuple[Column, ...]
    people: dict[str, dict[str, float]]
    average: dict[str, Average]
    difficulty: Difficulty | None
    marks: list[str]
    out: Path | None
    published: tuple[PublishedRow, ...] = ()
    published_tables: tuple[PublishedTable, ...] = ()
    no_tiers: str = ""


def averages(
    people: Mapping[str, pl.DataFrame], table: Table
) -> tuple[dict[str, dict[str, float]], dict[str, Average]]:
    """Everybody's figures, and their averages.

    Args:
        people: name → rows of `scoring.score_items.score` under one rule set; items that a person wasn't asked
            are left out.
        table: the benchmark's.

    Returns:
        Name → column key → figure; column key → Average.
    """
    own = {
        name: {key: cell.value for key, cell in cells(rows, table).items() if cell.value is not None}
        for name, rows in people.items()
    }
    found = {}
    for column in table.columns:
        values = np.array([figures[column.key] for figures in own.values() if column.key in figures])
        if len(values):
            found[column.key] = _average(values)
    return own, found


def difficulty(
    answers: pl.DataFrame, cuts: tuple[float, float] | None = None, *, right_from: float = RIGHT_FROM
) -> Difficulty:
    """Sort items into tiers by how long people took.

    A person's seconds are divided by their pace (the geometric mean of their times, which one long break hardly
    moves) and multiplied by the geometric mean of all paces, so that they stay seconds. An item's time is the mean
    over its people. It is hard if anyone answered it wrongly.

    Args:
        answers: a row for each answer: person, id, task, score (0 … 1), seconds (null where unknown).
        cuts: seconds up to which an item is easy, and up to which it is medium; found by `natural_cuts` over the items
            that everyone answered correctly where None.
        right_from: the score from which an answer is right.

    Raises:
        UsageError: no answer has a time, or the cuts don't rise, or no cuts can be found.
    """
    timed = answers.filter(pl.col("seconds").is_not_null() & (pl.col("seconds") > 0))
    if timed.is_empty():
        raise UsageError("no answer has a time; give 'seconds' with each answer.")
    paces = timed.group_by("person").agg(pl.col("seconds").log().mean().exp().alias("pace")).sort("person")
    usual = float(np.exp(np.log(paces["pace"].to_numpy()).mean()))
    items = (
        timed.join(paces, on="person")
        .with_columns(normal=pl.col("seconds") / pl.col("pace") * usual)
        .group_by("id", maintain_order=True)
        .agg(pl.col("normal").mean().alias("seconds"))
    )
    wrong = answers.group_by("id", maintain_order=True).agg(
        pl.col("task").first(), pl.len().alias("people"), (pl.col("score") < right_from).sum().alias("wrong")
    )
    frame = wrong.join(items, on="id", how="left", maintain_order="left")
    untimed = frame["seconds"].null_count()
    frame = frame.filter(pl.col("seconds").is_not_null())
    if cuts is None:
        cuts = natural_cuts(frame.filter(pl.col("wrong") == 0)["seconds"].to_numpy())
    if not 0 < cuts[0] < cuts[1]:
        raise UsageError(f"the cuts {cuts[0]:g} and {cuts[1]:g} must be two rising numbers of seconds.")
    tier = (
        pl.when((pl.col("wrong") > 0) | (pl.col("seconds") > cuts[1]))
        .then(pl.lit("hard"))
        .when(pl.col("seconds") > cuts[0])
        .then(pl.lit("medium"))
        .otherwise(pl.lit("easy"))
    )
    return Difficulty(
        frame.with_columns(tier=tier).select("id", "task", "people", "wrong", "seconds", "tier"),
        cuts,
        dict(zip(paces["person"].to_list(), paces["pace"].to_list(), strict=True)),
        untimed,
    )


def natural_cuts(seconds: Floats) -> tuple[float, float]:
    """Return the two cuts that leave the least variance of log time within three classes (Fisher 1958, exactly).

    Each cut is the geometric mean of the neighbours that it separates.

    Raises:
        UsageError: there are fewer than three different times.
    """
    x = np.log(np.sort(seconds))
    n = len(x)
    if len(np.unique(x)) < 3:
        raise UsageError(
            "three tiers need at least three items that all answered rightly in different times; set them with --cuts."
        )
    sums, squares = np.r_[0, np.cumsum(x)], np.r_[0, np.cumsum(x * x)]

    def within(start: Ints, end: Ints) -> Floats:
        """The sum of squares about the mean of the times from one number to before another."""
        return np.asarray(squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start))

    best = np.inf, 1, 2
    for first in range(1, n - 1):
        second = np.arange(first + 1, n)
        start, end = np.full(len(second), first), np.full(len(second), n)
        cost = within(start * 0, start) + within(start, second) + within(second, end)
        k = int(np.argmin(cost))
        if cost[k] < best[0] - 1e-12:
            best = float(cost[k]), first, int(second[k])
    _, first, last = best
    low, high = (float(np.exp((x[i - 1] + x[i]) / 2)) for i in (first, last))
    return low, high


def tier_of(found: Difficulty, tier: Tier) -> list[str]:
    """The ids of a tier, in the order of the items."""
    return found.frame.filter(pl.col("tier") == tier)["id"].to_list()


def _average(values: Floats) -> Average:
    n = len(values)
    mean = float(values.mean())
    interval = None
    if n > 1:
        reach = t_quantile(0.975, n - 1) * float(values.std(ddof=1)) / np.sqrt(n)
        # No figure lies above 100; only a chance-adjusted one can lie below 0.
        floor = 0.0 if values.min() >= 0 else -math.inf
        interval = Interval(max(floor, mean - float(reach)), min(100.0, mean + float(reach)))
    return Average(mean, interval, n, float(values.min()), float(values.max()))
