"""Runs in the terminal: their table, what is said of them, and where their page is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tolman.commands.show.budgets import show_budgets
from tolman.commands.show.printing import write_json
from tolman.commands.show.report import print_report
from tolman.workflows.report import SITE, ReportConfig, ReportResult, report, write_pages
from tolman.workflows.thinking import BudgetCurve


def show_runs(console: Console, paths: Sequence[Path], *, as_json: bool, budgets: Sequence[BudgetCurve] = ()) -> None:
    """Print the table of one run, or of several that differ in one number, and write the page of each and of all.

    Args:
        console: where to.
        paths: folders of the runs.
        as_json: print JSON in place of tables.
        budgets: the score against the budget of reasoning, where the runs differ in it.
    """
    result = report(ReportConfig(runs=tuple(paths)))
    if as_json:
        content = json.loads(result.render("json"))
        more = {"budgets": [curve.to_list() for curve in budgets]} if budgets else {}
        write_json(console, content | more, ascii_only=False)
    else:
        print_report(console, result.report)
        show_budgets(console, budgets)
    page = write_pages(paths)  # the table is not kept waiting for it
    if as_json:
        return
    console.print(f"Every item: {page}", markup=False, highlight=False, soft_wrap=True)


def show_report(console: Console, result: ReportResult) -> None:
    """Print a report in its form, or where it was written and which runs are not in it."""
    if result.format == "terminal":
        print_report(console, result.report)
    elif result.format == SITE:
        for sentence in (*result.left_out, *result.remarks):
            console.print(sentence, style="yellow", markup=False, highlight=False, soft_wrap=True)
        page = f"{result.out}/index.html"
        console.print(
            f"Written: {page}; open it, or tolman view {result.out}", markup=False, highlight=False, soft_wrap=True
        )
    elif result.out is None:
        console.file.write(result.render(result.format))
    else:
        for sentence in result.report.warnings[: len(result.left_out)]:
            console.print(sentence, style="bold red", markup=False, highlight=False, soft_wrap=True)
        console.print(f"Written: {result.out}", markup=False, highlight=False, soft_wrap=True)
