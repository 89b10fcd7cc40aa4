"""Deltas: ablation of vision and of protocols, item by item.

Source: VSI-Bench paper, Figure 12 and Table 13 ("vision enabled − vision disabled", "vision disabled − chance level
(frequency)"), Tables 2 to 5 (one protocol against another).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import polars as pl

from tolman.benchmarks.published import PublishedRow
from tolman.scoring.run_differences import Difference, differences, one_row_each
from tolman.scoring.score_table import Column, Table

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
