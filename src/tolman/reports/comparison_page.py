"""A comparison as one self-contained page: differences with their intervals, the tables, every item won or lost.

It has no script: texts of questions and responses are escaped by the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.reports.comparison import HEADINGS, Comparison, Comparisons, left_out_sentence
from tolman.reports.dots import Dots, dots_svg
from tolman.reports.page_items import entries


@dataclass(frozen=True)
class _Answer:
    """What one run answered: its text in parts, each marked or not, and how that was read and scored."""

    name: str
    parts: Sequence[tuple[str, bool]]
    failure: str
    reading: str
    score: float


def pieces(compared: Comparisons) -> Iterator[str]:
    """The page piece by piece: items are many.

    Raises:
        InputError: a file of a run is broken.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    yield from environment.get_template("comparison.html.j2").generate(
        compared=compared,
        names=[run.name for run in compared.runs],
        headings=HEADINGS,
        forest=forest_svg(compared),
        pairs=(
            {"one": one, "left_out": left_out_sentence(one), **_items(compared, one)} for one in compared.comparisons
        ),
    )


def forest_svg(compared: Comparisons) -> str:
    """The differences of the benchmark's figures with their 95 % intervals, a colour for each other run.

    Figures whose unit isn't the 0–100 scale are left to the table.
    """
    columns = [c for c in compared.benchmark.table.columns if c.scale == 100]
    columns = [c for c in columns if any(c.key in one.differences for one in compared.comparisons)]
    series = [
        Dots(
            f"A − {one.run.name}",
            [
                (line, d.value, d.interval)
                for line, column in enumerate(columns)
                if (d := one.differences.get(column.key)) is not None
            ],
        )
        for one in compared.comparisons
    ]
    axis = f"{compared.run.name} minus the other, {compared.scorer}, with 95 % intervals"
    return dots_svg([column.title for column in columns], series, axis, around_zero=True)


def _items(compared: Comparisons, one: Comparison) -> dict[str, list[dict[str, Any]]]:
    """The items that A won and lost, by question type."""
    runs = [compared.run, one.run]
    found: dict[str, list[dict[str, Any]]] = {"won": [], "lost": []}
    for entry in entries(runs):
        by_run = {answer["run"]: answer for answer in entry["answers"]}
        read = [_answer(runs[place].name, by_run.get(place), compared.scorer) for place in (0, 1)]
        if read[0] is None or read[1] is None or read[0].score == read[1].score:
            continue
        found["won" if read[0].score > read[1].score else "lost"].append({**entry, "answers": read})
    for items in found.values():
        items.sort(key=lambda item: item["task"])
    return found


def _answer(name: str, answer: Mapping[str, Any] | None, scorer: str) -> _Answer | None:
    """What a run answered; None where it has no score, as of a failed call."""
    said = answer["scores"].get(scorer) if answer is not None else None
    if answer is None or said is None or said[2] is None:
        return None
    reading, note, score, _, state, _ = said
    told = "" if state in ("read", None) else f"{state}: "
    return _Answer(name, _parts(answer), answer["failure"] or "", told + (reading or note or "–"), score)


def _parts(answer: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A response's text in turn unmarked and marked, where it was read."""
    text, parts, end = answer["text"] or "", list[tuple[str, bool]](), 0
    for start, stop, _ in answer["marks"]:
        parts += [(text[end:start], False), (text[start:stop], True)]
        end = stop
    return [part for part in (*parts, (text[end:], False)) if part[0]]
