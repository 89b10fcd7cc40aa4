"""Representative subset: few items on which models score as they do on all.

The items of each task are put in the order of how well the models do on them and cut into as many runs as the subset
takes items of that task. One item is taken of each run, so that the subset has easy and hard items as the whole has.
The choices are improved in turn until no other item of a run brings the models' figures closer to those on all items.

An unlimited search would do better on the given models and worse on others than a random draw. So every subset is
checked: each model in turn is left out, and a subset is chosen by the others alone. Its error on the one left out is
compared with that of stratified draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.benchmarks.published import PublishedTable
from tolman.errors import UsageError
from tolman.scoring.aggregate import Prepared, prepare
from tolman.scoring.clusters import Floats
from tolman.scoring.run_differences import one_row_each
from tolman.scoring.score_table import Column, Table

H = TypeVar("H", bound=Hashable)
Ints = NDArray[np.intp]
DRAWS = 200
CHECKS = 5
_MOST_SWEEPS = 20


@dataclass(frozen=True, slots=True)
class Error:
    """Distance of a model's figures on a subset from those on all items, in points of the 0–100 scale.

    Attributes:
        headline: of the headline.
        mean: over all columns of the table.
    """

    headline: float
    mean: float


@dataclass(frozen=True)
class HeldOut:
    """The check for one model that took no part in choosing.

    Attributes:
        model: its number.
        chosen: its mean error on subsets that the others chose, from several seeds.
        drawn: the mean error over stratified draws of the same size.
    """

    model: int
    chosen: Error
    drawn: Error


@dataclass(frozen=True)
class Subset:
    """A representative subset.

    Attributes:
        ids: the items, in the benchmark's order.
        full, figures: each model's figures on all items and on the subset, column key → figure.
        errors: each model's error, the models having taken part in choosing.
        drawn: the mean error over stratified draws, over models and draws.
        held_out: the check, for every model.
        tasks: task → items in the subset.
        items: how many items all models answered.
    """

    ids: list[str]
    full: list[dict[str, float]]
    figures: list[dict[str, float]]
    errors: list[Error]
    drawn: Error
    held_out: list[HeldOut]
    tasks: dict[str, int]
    items: int


@dataclass(frozen=True)
class RepresentativeResult:
    """A subset, and the models and settings that chose it.

    Attributes:
        models: names of the runs.
        scorer: of their answers.
        seed: of everything drawn at random.
        size: items that were asked for.
        headline: the column of the benchmark's main figure.
        subset: the subset with its checks.
        out: the folder that was written; None for none.
        published: figures that the benchmark's paper prints of such a subset.
    """

    models: list[str]
    scorer: str
    seed: int
    size: int
    headline: Column
    subset: Subset
    out: Path | None
    published: tuple[PublishedTable, ...] = ()


@dataclass(frozen=True)
class _Arrays:
    """All models' scores on the items that all of them answered.

    Attributes:
        scores: shape (models, items).
        numerators: shape (models, items, pools).
        denominators: shape (items, pools).
        weights: of the pools in each column. Shape (columns, pools).
        full: figures on all items. Shape (models, columns).
        headline: the headline's column.
    """

    scores: Floats
    numerators: Floats
    denominators: Floats
    weights: Floats
    full: Floats
    headline: int

    def only(self, models: Sequence[int]) -> _Arrays:
        """The same for some models."""
        own = list(models)
        return replace(self, scores=self.scores[own], numerators=self.numerators[own], full=self.full[own])

    def figures(self, chosen: Ints) -> Floats:
        """The models' figures on some items. Shape (models, columns)."""
        return _combine(self.numerators[:, chosen].sum(axis=1), self.denominators[chosen].sum(axis=0), self.weights)

    def errors(self, chosen: Ints) -> list[Error]:
        """Each model's error on some items."""
        gaps = np.abs(self.figures(chosen) - self.full)
        return [Error(float(row[self.headline]), float(row.mean())) for row in gaps]


def representative(
    models: Sequence[pl.DataFrame],
    table: Table,
    size: int,
    *,
    seed: int = 0,
    done: Callable[[int], None] = lambda count: None,
) -> Subset:
    """Choose a subset and check it.

    Args:
        models: for each model rows of `scoring.score_items.score` under one rule set; repeats are averaged.
        table: the benchmark's.
        size: how many items.
        seed: of everything that is drawn.
        done: called after every subset that was chosen, one for each model and one for all of them.

    Raises:
        UsageError: fewer than three models, or too few items that all of them answered.
    """
    if len(models) < 3:
        raise UsageError("a subset is chosen by two models and checked on a third; give runs of at least three.")
    ids, tasks, arrays = _arrays(models, table)
    keys = [column.key for column in table.columns]
    chosen = _choose(arrays, tasks, size, seed)
    done(1)
    draws = [_draw(tasks, size, np.random.default_rng([seed, 1, n])) for n in range(DRAWS)]
    by_draw = [arrays.errors(draw) for draw in draws]
    held_out = []
    for model in range(len(models)):
        others = [m for m in range(len(models)) if m != model]
        own = [_choose(arrays.only(others), tasks, size, seed + n) for n in range(CHECKS)]
        held_out.append(
            HeldOut(
                model,
                _mean([arrays.only([model]).errors(one)[0] for one in own]),
                _mean([errors[model] for errors in by_draw]),
            )
        )
        done(1)
    names, counts = np.unique(np.array(tasks)[chosen], return_counts=True)
    return Subset(
        ids=[ids[i] for i in chosen],
        full=[dict(zip(keys, row.tolist(), strict=True)) for row in arrays.full],
        figures=[dict(zip(keys, row.tolist(), strict=True)) for row in arrays.figures(chosen)],
        errors=arrays.errors(chosen),
        drawn=_mean([error for errors in by_draw for error in errors]),
        held_out=held_out,
        tasks=dict(zip(names.tolist(), counts.tolist(), strict=True)),
        items=len(ids),
    )


def _arrays(models: Sequence[pl.DataFrame], table: Table) -> tuple[list[str], list[str], _Arrays]:
    each = [one_row_each(frame) for frame in models]
    shared = set.intersection(*(set(frame["id"]) for frame in each))
    ids = [i for i in each[0]["id"].to_list() if i in shared]
    order = pl.DataFrame({"id": ids}, schema={"id": pl.String})
    aligned = [order.join(frame, on="id", how="left", maintain_order="left") for frame in each]
    if not ids:
        raise UsageError("there is no item that all runs answered.")
    # Every item its own cluster, so that the sums by cluster are the items' own.
    alone = [frame.with_columns(cluster=pl.int_range(pl.len())) for frame in aligned]
    data: list[Prepared] = [prepare(frame, table) for frame in alone]
    weights, formed = data[0].weights([column.node for column in table.columns])
    if not all(formed):
        lost = next(c.title for c, there in zip(table.columns, formed, strict=True) if not there)
        raise UsageError(f"no item that all runs answered belongs to '{lost}'.")
    numerators = np.stack([one.sums.numerators for one in data])
    tasks = aligned[0]["task"].to_list()
    denominators = data[0].sums.denominators
    full = _combine(numerators.sum(axis=1), denominators.sum(axis=0), weights)
    headline = [column.key for column in table.columns].index(table.headline)
    scores = np.stack([frame["score"].to_numpy() for frame in aligned])
    return ids, tasks, _Arrays(scores, numerators, denominators, weights, full, headline)


def _combine(numerators: Floats, denominators: Floats, weights: Floats) -> Floats:
    """Figures, 0 … 100, from sums over pools; an empty pool counts 0."""
    safe = np.where(denominators > 0, denominators, 1.0)
    return np.asarray(100 * (numerators / safe) @ weights.T)


def quotas(strata: Sequence[H], size: int) -> dict[H, int]:
    """Counts that a part takes of each stratum so that the mixture stays: largest remainders, at least one each.

    Args:
        strata: of every item.
        size: of the part.

    Raises:
        UsageError: the size is less than one for each stratum, or more than there are items.
    """
    counts = Counter(strata)
    if not len(counts) <= size <= len(strata):
        raise UsageError(
            f"a subset can't have {size:,} items: it takes {len(counts)} at least (one of each kind) "
            f"and {len(strata):,} at most."
        )
    exact = {key: size * count / len(strata) for key, count in counts.items()}
    found = {key: max(1, int(share)) for key, share in exact.items()}
    by_remainder = sorted(found, key=lambda key: (found[key] - exact[key], str(key)))
    while sum(found.values()) < size:
        for key in by_remainder:
            if sum(found.values()) < size and found[key] < counts[key]:
                found[key] += 1
    while sum(found.values()) > size:
        for key in reversed(by_remainder):
            if sum(found.values()) > size and found[key] > 1:
                found[key] -= 1
    return found


def _draw(tasks: Sequence[str], size: int, generator: np.random.Generator) -> Ints:
    """A stratified draw without replacement, in rising order."""
    names = np.array(tasks)
    picked = [
        generator.choice(np.flatnonzero(names == task), n, replace=False) for task, n in quotas(tasks, size).items()
    ]
    return np.sort(np.concatenate(picked)).astype(np.intp)


def _runs(arrays: _Arrays, tasks: Sequence[str], size: int, generator: np.random.Generator) -> list[Ints]:
    """Each task's items in the order of the models' mean score, cut into runs; equal scores in random order."""
    names, mean = np.array(tasks), arrays.scores.mean(axis=0)
    luck = generator.random(len(names))
    found: list[Ints] = []
    for task, count in quotas(tasks, size).items():
        own = np.flatnonzero(names == task)
        found += np.array_split(own[np.lexsort((luck[own], mean[own]))], count)
    return found


def _choose(arrays: _Arrays, tasks: Sequence[str], size: int, seed: int) -> Ints:
    """One item of each run, so that the models' figures are as close to those on all items as sweeps can make them."""
    generator = np.random.default_rng([seed, 0])
    runs = _runs(arrays, tasks, size, generator)
    chosen = np.array([generator.choice(run) for run in runs], dtype=np.intp)
    top, bottom = arrays.numerators[:, chosen].sum(axis=1), arrays.denominators[chosen].sum(axis=0)
    loss = float(((_combine(top, bottom, arrays.weights) - arrays.full) ** 2).mean())
    for _ in range(_MOST_SWEEPS):
        before = loss
        for place in generator.permutation(size).tolist():
            run, old = runs[place], chosen[place]
            tops = (top - arrays.numerators[:, old])[:, None] + arrays.numerators[:, run]
            bottoms = bottom - arrays.denominators[old] + arrays.denominators[run]
            losses = ((_combine(tops, bottoms, arrays.weights) - arrays.full[:, None]) ** 2).mean(axis=(0, 2))
            best = int(losses.argmin())
            if losses[best] < loss - 1e-12:
                top, bottom, loss = tops[:, best], bottoms[best], float(losses[best])
                chosen[place] = run[best]
        if loss == before:
            break
    return np.sort(chosen)


def _mean(errors: Sequence[Error]) -> Error:
    return Error(float(np.mean([error.headline for error in errors])), float(np.mean([error.mean for error in errors])))
