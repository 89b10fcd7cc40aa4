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
    shown: list[Shown] = [table(headings, rows, title=f"correlation with {_signed(result.score, result)}")]
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
