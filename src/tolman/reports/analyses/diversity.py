"""What `tolman analyze diversity` prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from tolman.analyze.diversity import dependency_structures, diversity
from tolman.reports.analyses.output import print_table, questions, steps, write_json


def print_diversity(
    console: Console, source: str, *, data: Path | None, subset: str | None, structures: bool, as_json: bool
) -> None:
    """Count words, n-grams and structures of a benchmark's questions, of all and of each type.

    Raises:
        MissingExtraError: a package is needed.
    """
    _, items, label = questions(source, data, subset)
    texts = [item.question for item in items]
    parsed = None
    if structures:
        with steps(Console(stderr=True), "parsing", len(set(texts))) as step:
            parsed = dependency_structures(texts, lambda count: step())
    found = {"all": diversity(texts, parsed)}
    for task in dict.fromkeys(item.task for item in items):
        own = [i for i, item in enumerate(items) if item.task == task]
        found[task] = diversity([texts[i] for i in own], None if parsed is None else [parsed[i] for i in own])
    if as_json:
        write_json(console, {"questions_of": label, **{task: asdict(one) for task, one in found.items()}})
        return
    headings = ["", "questions", "unique", "tokens", "distinct words", "unique 3-grams", "unique 5-grams"]
    rows = []
    for task, one in found.items():
        figures = list(asdict(one).values())
        rows.append([task, *(f"{figure:,}" for figure in figures if figure is not None)])
    print_table(console, [*headings, *(["structures"] if structures else [])], rows, title=f"{label}: wording")
