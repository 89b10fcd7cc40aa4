"""Representative subset: few items on which models score as they do on all.

A stratified draw (each task's share as in the whole) is improved by swaps: an item goes for another of its task
whenever that brings the models' figures on the subset closer to their figures on all items. Nothing guarantees that
this holds for a model that wasn't at hand, so it is checked: some models are left out, a subset is chosen by the
others alone, and its error on those left out is set beside that of stratified draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.errors import UsageError
from tolman.generate.sampling import quotas
from tolman.scoring.aggregate import Prepared, prepare
from tolman.scoring.compare import one_row_each
from tolman.scoring.intervals import Floats
from tolman.scoring.table import Table

Ints = NDArray[np.intp]
DRAWS = 200
_PATIENCE = 3
_MOST_SWAPS = 20_000


@dataclass(frozen=True, slots=True)
class Error:
    """How far a model's figures on a subset are from those on all items, in points of the 0–100 scale.

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
        chosen: its error on the subset that the others chose.
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
class _Arrays:
    """All models' scores on the items that all of them answered.

    Attributes:
        numerators: shape (models, items, pools).
        denominators: shape (items, pools).
        weights: of the pools in each column. Shape (columns, pools).
        full: figures on all items. Shape (models, columns).
        task: number of each item's task. Shape (items,).
        headline: the headline's column.
    """

    numerators: Floats
    denominators: Floats
    weights: Floats
    full: Floats
    task: Ints
    headline: int

    def only(self, models: Sequence[int]) -> _Arrays:
        """The same for some models."""
        return _Arrays(
            self.numerators[models], self.denominators, self.weights, self.full[models], self.task, self.headline
        )

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
        models: for each model rows of `scoring.score.score` under one rule set; repeats are averaged.
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
    draws = [_draw(arrays, tasks, size, np.random.default_rng([seed, 1, n])) for n in range(DRAWS)]
    by_draw = [arrays.errors(draw) for draw in draws]
    held_out = []
    for model in range(len(models)):
        others = [m for m in range(len(models)) if m != model]
        own = _choose(arrays.only(others), tasks, size, seed)
        held_out.append(
            HeldOut(model, arrays.only([model]).errors(own)[0], _mean([errors[model] for errors in by_draw]))
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
    _, number = np.unique(np.array(tasks), return_inverse=True)
    denominators = data[0].sums.denominators
    full = _combine(numerators.sum(axis=1), denominators.sum(axis=0), weights)
    headline = [column.key for column in table.columns].index(table.headline)
    return ids, tasks, _Arrays(numerators, denominators, weights, full, number.astype(np.intp), headline)


def _combine(numerators: Floats, denominators: Floats, weights: Floats) -> Floats:
    """Figures, 0 … 100, from sums over pools; an empty pool counts 0."""
    safe = np.where(denominators > 0, denominators, 1.0)
    return np.asarray(100 * (numerators / safe) @ weights.T)


def _draw(arrays: _Arrays, tasks: Sequence[str], size: int, generator: np.random.Generator) -> Ints:
    """A stratified draw without replacement, in rising order."""
    quota = quotas(tasks, size)
    names = np.array(tasks)
    picked = [generator.choice(np.flatnonzero(names == task), n, replace=False) for task, n in quota.items()]
    return np.sort(np.concatenate(picked)).astype(np.intp)


def _choose(arrays: _Arrays, tasks: Sequence[str], size: int, seed: int) -> Ints:
    """A draw, improved by swaps until several rounds over all its items bring nothing."""
    generator = np.random.default_rng([seed, 0])
    chosen = _draw(arrays, tasks, size, generator)
    inside = np.zeros(len(tasks), dtype=bool)
    inside[chosen] = True
    top, bottom = arrays.numerators[:, chosen].sum(axis=1), arrays.denominators[chosen].sum(axis=0)
    loss = float(((_combine(top, bottom, arrays.weights) - arrays.full) ** 2).mean())
    idle = swaps = 0
    while idle < _PATIENCE * size and swaps < _MOST_SWAPS:
        place = int(generator.integers(size))
        old = int(chosen[place])
        offered = np.flatnonzero((arrays.task == arrays.task[old]) & ~inside)
        if not len(offered):
            idle += 1
            continue
        tops = (top - arrays.numerators[:, old])[:, None] + arrays.numerators[:, offered]
        bottoms = bottom - arrays.denominators[old] + arrays.denominators[offered]
        losses = ((_combine(tops, bottoms, arrays.weights) - arrays.full[:, None]) ** 2).mean(axis=(0, 2))
        best = int(losses.argmin())
        if losses[best] < loss - 1e-12:
            new = int(offered[best])
            top, bottom, loss = tops[:, best], bottoms[best], float(losses[best])
            inside[old], inside[new], chosen[place] = False, True, new
            idle, swaps = 0, swaps + 1
        else:
            idle += 1
    return np.sort(chosen)


def _mean(errors: Sequence[Error]) -> Error:
    return Error(float(np.mean([error.headline for error in errors])), float(np.mean([error.mean for error in errors])))
