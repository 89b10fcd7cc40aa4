"""The result of `tolman analyze diversity`: a row for each question type."""

from __future__ import annotations

from dataclasses import asdict

from tolman.analyze.diversity import DiversityResult
from tolman.reports.analyses.output import Shown, table


def show(result: DiversityResult) -> list[Shown]:
    """Make the table."""
    headings = ["", "questions", "unique", "tokens", "distinct words", "unique 3-grams", "unique 5-grams"]
    rows = [
        [task, *(f"{figure:,}" for figure in asdict(one).values() if figure is not None)]
        for task, one in result.tasks.items()
    ]
    with_structures = any(one.structures is not None for one in result.tasks.values())
    headings += ["structures"] if with_structures else []
    return [table(headings, rows, title=f"{result.label}: wording")]
