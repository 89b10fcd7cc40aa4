"""The score against the budget of reasoning, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from tolman.commands.show.printing import say, table
from tolman.commands.show.report import print_wide
from tolman.workflows.thinking import BudgetCurve, BudgetStep

_HEADINGS = (
    "reasoning budget", "", "95 % interval", "− first", "paired 95 %", "p", "items", "reasoning tokens", "cut off",
)  # fmt: skip


def show_budgets(console: Console, curves: Sequence[BudgetCurve]) -> None:
    """Print a table for each curve: one line for each budget, compared with the first."""
    for curve in curves:
        headings = [curve.column if heading == "" else heading for heading in _HEADINGS]
        grid = table(headings, whole=headings)
        for step in curve.steps:
            grid.add_row(f"{step.budget:,}", *_cells(step, curve.digits))
        print_wide(console, grid)
        said = (
            f"{curve.scorer}, {curve.frames}; '− first' is on items that both runs answered, with a paired "
            "interval; reasoning tokens are those of one answer on average."
        )
        say(console, said, "dim")
        if any(step.cut_off for step in curve.steps) and not curve.failures_are_wrong:
            said = "Answers that were cut off in reasoning are in no figure; --count-failures-as-wrong scores them 0."
            say(console, said, "bold")


def _cells(step: BudgetStep, digits: int) -> list[str]:
    found, paired = step.difference, "–"
    if found is not None and found.interval is not None:
        paired = f"{found.interval.low:+.{digits}f} … {found.interval.high:+.{digits}f}"
    return [
        "–" if step.value is None else f"{step.value:.{digits}f}",
        "–" if step.low is None or step.high is None else f"{step.low:.{digits}f}–{step.high:.{digits}f}",
        "" if found is None else f"{found.value:+.{digits}f}",
        "" if found is None else paired,
        "" if found is None else f"{found.p:.3f}",
        "" if found is None else f"{found.n:,}",
        f"{step.reasoning_tokens:,.0f}",
        f"{step.cut_off:,}",
    ]
