"""How a report says that a figure lacks parts: a sign behind the figure, and a sentence for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec
from tolman.scoring.judged import NAME as JUDGED
from tolman.scoring.table import Pool, Table, coefficients, pools_of

SIGN = "‡"
"""Behind a figure that has no scored question of one of its parts."""


def sentences(name: str, figures: Iterable[tuple[str, Sequence[str], float, int]]) -> list[str]:
    """A line for each set of parts that figures lack.

    Args:
        name: whose figures they are, such as a run and its rule set.
        figures: title, titles of the missing parts, the figure of a perfect model, and decimals, of each.
    """
    alike: dict[tuple[tuple[str, ...], float, int], list[str]] = {}
    for title, missing, attainable, digits in figures:
        if missing:
            alike.setdefault((tuple(missing), round(attainable, 6), digits), []).append(title)
    return [
        f"{SIGN} {name}: {', '.join(titles)} without a scored question of {_listed(missing)}: "
        + (
            "the mean is over the other parts alone, with renormalised weights."
            if attainable > 100 - 1e-6
            else f"it counts as 0, as in the released code, so that a perfect model gets {attainable:.{digits}f}."
        )
        for (missing, attainable, digits), titles in alike.items()
    ]


def marks(
    name: str, folder: Path, rule_sets: Mapping[str, Any], benchmark: BenchmarkSpec, columns: Iterable[str] = ()
) -> list[str]:
    """Lines for the figures of a run that lack parts, by rule set.

    Args:
        name, folder: of the run.
        rule_sets: as scores.json has them, or some of them.
        benchmark: of the run.
        columns: keys of the figures that are meant; all where empty.
    """
    wanted = set(columns) or {column.key for column in benchmark.table.columns}
    found = []
    for rules, entry in rule_sets.items():
        cells = entry["cells"]
        own = [(column, cells[column.key]) for column in benchmark.table.columns if column.key in wanted & set(cells)]
        said = f"{name}, {rules}"
        found += sentences(said, [(c.title, f.get("missing", ()), f.get("attainable", 100), c.digits) for c, f in own])
        if _counted_as_zero(benchmark, rules, cells):
            found.append(
                f"{said}: scored by an earlier version, which counted parts without a question as 0; "
                f"'tolman score {folder}' computes it anew."
            )
    return found


def _counted_as_zero(benchmark: BenchmarkSpec, rules: str, cells: Mapping[str, Any]) -> bool:
    """Whether an earlier version formed a figure without renormalising weights where this one does."""
    known = {r.name for r in benchmark.rule_sets} | {JUDGED}
    if rules not in known or any("missing" in cell for cell in cells.values()):
        return False
    table, present = benchmark.table_of(rules), _present(benchmark.table, cells)
    return any(
        coefficients(new.node, present) != coefficients(old.node, present)
        for new, old in zip(table.columns, benchmark.table.columns, strict=True)
    )


def _present(table: Table, cells: Mapping[str, Any]) -> frozenset[Pool]:
    """The pools that have scored items, as far as stored figures tell: those that are a column of their own."""
    own = {c.node: cells.get(c.key, {}).get("n", 0) for c in table.columns if isinstance(c.node, Pool)}
    return frozenset(leaf for leaf in pools_of(c.node for c in table.columns) if own.get(leaf, 1))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
