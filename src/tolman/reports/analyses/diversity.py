"""The result of `tolman analyze diversity`: a row for each question type."""

from __future__ import annotations

from dataclasses import asdict

from tolman.analyze.diversity import DiversityResult
from tolman.reports.analyses.output import Shown, table

_COUNTED = ("Distinct words", "Unique 3-grams", "Unique 5-grams")
"""Rows of a published table that are columns here."""


def show(result: DiversityResult) -> list[Shown]:
    """Make the table."""
    headings = ["", "questions", "unique", "tokens", "distinct words", "unique 3-grams", "unique 5-grams"]
    rows = [
        [task, *(f"{figure:,}" for figure in asdict(one).values() if figure is not None)]
        for task, one in result.tasks.items()
    ]
    with_structures = any(one.structures is not None for one in result.tasks.values())
    headings += ["structures"] if with_structures else []
    shown: list[Shown] = []
    for one in result.published:
        counts = [row for name, row in one.rows.items() if name in _COUNTED]
        for place, name in enumerate(one.columns):
            lacking = ["–"] if with_structures else []  # another parser's structures can't be compared
            rows.append([f"{name}, published", "–", "–", "–", *(f"{row[place]:,.0f}" for row in counts), *lacking])
        shown.append(f"published: {one.place}.")
    return [table(headings, rows, title=f"{result.label}: wording"), *shown]
