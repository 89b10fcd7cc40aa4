"""The result of `tolman analyze correlation`: a row for each column."""

from __future__ import annotations

from tolman.analyze.correlation import Correlation, CorrelationResult
from tolman.reports.analyses.output import Shown, format_interval, table

FEW_MODELS = 10
"""Below it a line says that a bootstrap over so few models is rough."""


def show(result: CorrelationResult) -> list[Shown]:
    """Make what is printed: the table, figures that lack parts, and how far intervals go."""
    headings = ["", "models", "Pearson", "95 % interval", "Spearman", "95 % interval"]
    rows = [[_signed(other, result), *_cells(value)] for other, value in result.correlations.items()]
    printed = [result.published.get(other) for other in result.correlations]
    for heading, values in (
        ("published: Pearson", [one.pearson if one else None for one in printed]),
        ("published: Spearman", [one.spearman if one else None for one in printed]),
    ):
        if any(value is not None for value in values):
            headings.append(heading)
            rows = [[*row, "–" if v is None else f"{v:g}"] for row, v in zip(rows, values, strict=True)]
    shown: list[Shown] = [table(headings, rows, title=f"correlation with {_signed(result.score, result)}")]
    sources = dict.fromkeys(f"{one.source} ({one.n} models)" for one in result.published.values())
    shown += [f"published: {', '.join(sources)}."] if sources else []
    shown += result.marks
    if min(value.n for value in result.correlations.values()) < FEW_MODELS:
        shown.append("Intervals are bootstrap percentiles over models; over so few of them they are a rough guide.")
    return shown


def _signed(column: str, result: CorrelationResult) -> str:
    return f"−{column}" if column in result.negated else column


def _cells(value: Correlation) -> list[str]:
    figures = ["–" if v is None else f"{v:.4f}" for v in (value.pearson, value.spearman)]
    intervals = [format_interval(value.pearson_interval, 2), format_interval(value.spearman_interval, 2)]
    return [str(value.n), figures[0], intervals[0], figures[1], intervals[1]]
