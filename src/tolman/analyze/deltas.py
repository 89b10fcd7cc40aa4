"""Deltas: ablation of vision and of protocols, item by item, and memorisation, form by form.

Source of ablations: VSI-Bench paper, Figure 12 and Table 13 ("vision enabled − vision disabled", "vision disabled −
chance level (frequency)"), Tables 2 to 5 (one protocol against another).

Memorisation is a model's score on a public form of a benchmark less its score on fresh forms.

Parallel forms are made by one recipe from other seeds, so an honest model scores alike on them but for sampling error.
A model that was trained on the public form scores higher there. The two forms share no question and no scene, so the
scores are two independent samples of scenes.

The interval of the difference adds the distances to the limits of both scores in squares (Zou and Donner 2008,
Statistics in Medicine 27, 1693-1702); both are clustered by scene (`scoring.intervals`). The test is Fisher's
randomisation test: if nothing was memorised, it makes no difference which form a scene is in.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tolman.benchmarks.published import PublishedRow
from tolman.scoring.aggregate import Prepared, prepare
from tolman.scoring.clusters import Clustered, Floats
from tolman.scoring.intervals import Estimate, Interval
from tolman.scoring.run_differences import Difference, differences, one_row_each
from tolman.scoring.score_table import Column, Table
from tolman.scoring.significance import smallest_detectable

DIRECT, BLIND = "direct", "blind"
ABLATION = "enabled − disabled"


@dataclass(frozen=True)
class ProtocolRun:
    """One model under one protocol.

    Attributes:
        model, protocol: names.
        scores: rows of `scoring.score_items.score` under one rule set.
    """

    model: str
    protocol: str
    scores: pl.DataFrame


@dataclass(frozen=True)
class Delta:
    """One comparison.

    Attributes:
        what: the comparison: 'enabled − disabled', 'disabled − chance', 'chain-of-thought − direct' …
        model: the model's name, or 'mean of N models'.
        figures: column key → Difference.
    """

    what: str
    model: str
    figures: dict[str, Difference]


@dataclass(frozen=True)
class PublishedDelta:
    """The same comparison as a source prints both of its sides.

    Attributes:
        what: as `Delta`'s.
        model: as printed.
        subset: of the benchmark; empty for its first.
        source: of both sides.
        figures: column key → (one side, the other).
    """

    what: str
    model: str
    subset: str
    source: str
    figures: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class DeltasResult:
    """Comparisons of several runs.

    Attributes:
        scorer: whose scores were compared.
        chance: name of the baseline that gives the chance level, or 'none'.
        chance_items: questions that the baseline was built from; 0 where no comparison needed one.
        deltas: the comparisons.
        unanswered: run → items without an answer, which are left out; only runs that have some.
        columns: of the benchmark's table.
        published: the same comparisons as the benchmark's paper prints them.
    """

    scorer: str
    chance: str
    chance_items: int
    deltas: list[Delta]
    unanswered: dict[str, int]
    columns: tuple[Column, ...]
    published: list[PublishedDelta] = field(default_factory=list)


def deltas(
    runs: Sequence[ProtocolRun], table: Table, *, chance: pl.DataFrame | None = None, seed: int = 0
) -> list[Delta]:
    """Compare every model with itself.

    For each model: its direct run less its blind one; its blind run less chance; each other protocol less the direct
    run. If several models have a comparison, the mean over them follows: each item's score is averaged over the
    models first, on the items that all of them answered, so that its interval is paired and clustered by scene too.

    Args:
        runs: each model and protocol at most once.
        table: the benchmark's.
        chance: rows of a frequency baseline, or None.
        seed: of the randomisation tests.

    Returns:
        The possible comparisons, grouped by kind.
    """
    by_model: dict[str, dict[str, pl.DataFrame]] = {}
    for run in runs:
        by_model.setdefault(run.model, {})[run.protocol] = run.scores
    pairs: dict[str, list[tuple[str, pl.DataFrame, pl.DataFrame]]] = {}
    others = sorted({run.protocol for run in runs} - {DIRECT, BLIND})
    for model, own in by_model.items():
        if DIRECT in own and BLIND in own:
            pairs.setdefault(ABLATION, []).append((model, own[DIRECT], own[BLIND]))
    for model, own in by_model.items():
        if BLIND in own and chance is not None:
            pairs.setdefault("disabled − chance", []).append((model, own[BLIND], chance))
    for protocol in others:
        for model, own in by_model.items():
            if protocol in own and DIRECT in own:
                pairs.setdefault(f"{protocol} − {DIRECT}", []).append((model, own[protocol], own[DIRECT]))
    found = []
    for what, compared in pairs.items():
        found += [Delta(what, model, differences(a, b, table, seed=seed)) for model, a, b in compared]
        if len(compared) > 1:
            mean_a, mean_b = _mean([a for _, a, _ in compared]), _mean([b for _, _, b in compared])
            found.append(Delta(what, f"mean of {len(compared)} models", differences(mean_a, mean_b, table, seed=seed)))
    return found


def published_deltas(rows: Sequence[PublishedRow], whats: Collection[str]) -> list[PublishedDelta]:
    """Compare the published rows of each model under two protocols.

    A row of a protocol is held against the model's direct one in the same table, else in the same paper's other tables
    on the same subset.

    Args:
        rows: of one benchmark.
        whats: comparisons that are wanted, as `deltas` calls them.
    """
    found = []
    for row in rows:
        what = ABLATION if row.protocol == BLIND else f"{row.protocol} − {DIRECT}"
        if row.group != "model" or row.protocol in ("", DIRECT) or what not in whats:
            continue
        same = [one for one in rows if (one.name, one.subset, one.date) == (row.name, row.subset, row.date)]
        direct = [one for one in same if one.protocol == DIRECT and one.source == row.source]
        direct += [one for one in same if not one.protocol and not one.setting]
        for other in direct[:1]:
            one, two = (other, row) if what == ABLATION else (row, other)
            both = ((key, one.values[key], two.values[key]) for key in one.values)
            figures = {key: (a, b) for key, a, b in both if a is not None and b is not None}
            sources = ", ".join(dict.fromkeys((row.source, other.source)))
            found.append(PublishedDelta(what, row.name, row.subset, sources, figures))
    return found


def _mean(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Several models' rows as repeats of one model, on the items that all of them answered."""
    each = [one_row_each(frame) for frame in frames]  # so that every model counts once, however often it was asked
    shared = set.intersection(*(set(frame["id"]) for frame in each))
    mine = pl.col("id").is_in(list(shared))
    return pl.concat([frame.filter(mine) for frame in each], how="diagonal")


DRAWS = 9_999
"""Divisions of the scenes between the forms that are drawn."""
WANTED = 10.0
"""Points: a gap that a figure should be able to show."""
_DRAWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class FormGap:
    """One figure on the public form less the same on fresh forms, on the 0–100 scale or in its unit.

    Attributes:
        public, fresh: the figures.
        value: public − fresh.
        interval: 95 %, clustered by scene; None where none can hold.
        reason: why there is none.
        p: of the two-sided randomisation test by scene, for this figure alone; None where there is no interval.
        detectable: the smallest gap that such runs show with 80 % power at the 5 % level; None where unknown.
        questions, scenes: numbers of them on the public form and on fresh ones; a group of twins is one scene.
    """

    public: float
    fresh: float
    value: float
    interval: Interval | None
    reason: str | None
    p: float | None
    detectable: float | None
    questions: tuple[int, int]
    scenes: tuple[int, int]

    @property
    def needed(self) -> int | None:
        """Questions of each form with which a gap of `WANTED` points would be found, by the square of the precision;
        None where there are enough, or the gap isn't known."""
        if self.detectable is None or self.detectable <= WANTED:
            return None
        return math.ceil(max(self.questions) * (self.detectable / WANTED) ** 2)

    @property
    def is_small(self) -> bool:
        """Check whether there are too few questions to show a gap of `WANTED` points."""
        return self.detectable is None or self.detectable > WANTED


@dataclass(frozen=True)
class RunGaps:
    """The gaps of one model.

    Attributes:
        name: of the model with its settings.
        gaps: column key → gap.
        p_holm: column key → p-value after Holm's correction over all figures of all models.
    """

    name: str
    gaps: dict[str, FormGap]
    p_holm: dict[str, float]


@dataclass(frozen=True)
class MemorisationResult:
    """The gaps of several models.

    Attributes:
        scorer: whose scores were compared.
        runs: one for each model.
        columns: of the benchmark's table.
        headline: key of the overall figure.
        unchecked: sentences about forms that couldn't be compared with the benchmark.
        unanswered: sentences about runs with unanswered questions, which are left out.
    """

    scorer: str
    runs: list[RunGaps]
    columns: tuple[Column, ...]
    headline: str
    unchecked: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()


def form_gaps(public: pl.DataFrame, fresh: pl.DataFrame, table: Table, *, seed: int = 0) -> dict[str, FormGap]:
    """Compare a model's scores on a public form with those on fresh forms.

    Args:
        public, fresh: rows of `scoring.score_items.score` under one rule set; no scene is in both.
        table: the benchmark's.
        seed: of the randomisation test.

    Returns:
        Column key → gap, for figures that are weighted sums of ratios and that both have questions for.
    """
    one, other = prepare(public, table), prepare(fresh, table)
    weights, formed = one.weights([column.node for column in table.columns])
    others, also = other.weights([column.node for column in table.columns])
    closed = one.have_closed_form(weights)
    same = [bool(np.allclose(a, b)) for a, b in zip(weights, others, strict=True)]
    used = [i for i in range(len(weights)) if formed[i] and also[i] and closed[i] and same[i]]
    tests = _tests(one.sums, other.sums, weights[used], seed)
    estimates = (data.estimates(weights[used]) for data in (one, other))
    return {
        table.columns[i].key: _gap(table.columns[i], pair, p, _sizes(one, weights[i]), _sizes(other, weights[i]))
        for i, pair, p in zip(used, zip(*estimates, strict=True), tests, strict=True)
    }


def _gap(
    column: Column, pair: tuple[Estimate, Estimate], p: float, public: tuple[int, int], fresh: tuple[int, int]
) -> FormGap:
    one, other = pair
    assert one.value is not None
    assert other.value is not None
    value, scale = one.value - other.value, column.scale
    interval = detectable = None
    if one.interval and other.interval:
        below = math.hypot(one.value - one.interval.low, other.interval.high - other.value)
        above = math.hypot(one.interval.high - one.value, other.value - other.interval.low)
        interval = Interval(scale * (value - below), scale * (value + above))
        errors = one.error or 0.0, other.error or 0.0
        if any(errors):
            detectable = scale * smallest_detectable(
                math.hypot(*errors), _degrees(errors, (one.degrees, other.degrees))
            )
    return FormGap(
        public=scale * one.value,
        fresh=scale * other.value,
        value=scale * value,
        interval=interval,
        reason=one.reason or other.reason,
        p=p if interval else None,
        detectable=detectable,
        questions=(public[0], fresh[0]),
        scenes=(public[1], fresh[1]),
    )


def _degrees(errors: tuple[float, float], degrees: tuple[int, int]) -> int:
    """Degrees of freedom of a sum of variances (Welch 1947, Satterthwaite 1946)."""
    variance = errors[0] ** 2 + errors[1] ** 2
    parts = sum(error**4 / max(own, 1) for error, own in zip(errors, degrees, strict=True))
    return max(1, math.floor(variance**2 / parts))


def _sizes(data: Prepared, weights: Floats) -> tuple[int, int]:
    """Numbers of questions and scenes in a figure."""
    (inside,) = data.members(weights[None])
    return data.count(inside), len(np.unique(data.cluster[inside]))


def _tests(one: Clustered, other: Clustered, weights: Floats, seed: int) -> list[float]:
    """Two-sided p-values of randomisation tests: scenes are divided between the forms at random.

    Args:
        one, other: sums of the two forms.
        weights: shape (figures, pools).
        seed: of the divisions.
    """
    numerators = np.concatenate([one.numerators, other.numerators])
    denominators = np.concatenate([one.denominators, other.denominators])
    first = np.arange(len(numerators)) < len(one.numerators)
    observed = np.abs(_difference(first[None], numerators, denominators, weights)[0])
    generator = np.random.default_rng(seed)
    beyond = np.zeros(len(weights))
    for start in range(0, DRAWS, _DRAWS_AT_ONCE):
        size = min(_DRAWS_AT_ONCE, DRAWS - start)
        drawn = generator.permuted(np.broadcast_to(first, (size, len(first))), axis=1)
        found = _difference(drawn, numerators, denominators, weights)
        # A division that leaves a part without questions has no difference, and counts as one that is far from 0.
        beyond += (~(np.abs(found) < observed * (1 - 1e-9))).sum(0)
    return [float(p) for p in (beyond + 1) / (DRAWS + 1)]


def _difference(inside: np.ndarray, numerators: Floats, denominators: Floats, weights: Floats) -> Floats:
    """Differences of figures between scenes inside and the others. Shape (draws, figures)."""
    sides: Sequence[Floats] = (inside.astype(np.float64), 1.0 - inside)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = [(side @ numerators) / (side @ denominators) for side in sides]
    both = ratios[0] - ratios[1]
    # A pool without weight must not make the figure unknown.
    parts = np.where(weights[None] != 0, weights[None] * both[:, None, :], 0.0)
    return np.asarray(parts.sum(-1))
