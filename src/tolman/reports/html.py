"""A report as one self-contained HTML page: table, published rows, figure, and every item with its answers.

Texts of questions and responses reach the page as JSON in a script element that is not run, and are put into the
document as text, never as markup.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.items import Item
from tolman.reports.content import Report
from tolman.reports.figures import tasks_svg
from tolman.reports.loaded import LoadedRun
from tolman.reports.spans import Span, marked_parts
from tolman.reports.text import SCENES, interval_shown, label, shown
from tolman.reports.unread import BOUNDS_LABEL, SHARES_LABEL, bounds, described, needs_row, shares
from tolman.responses import Response


def page(report: Report, runs: Sequence[LoadedRun]) -> str:
    """The whole page."""
    environment = Environment(
        loader=PackageLoader("tolman.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    table = [
        {
            "name": label(row),
            "rules": row.rules,
            "group": row.group,
            "headline": row.headline,
            "source": row.source,
            "scenes": report.scenes(row),
            "cells": [
                (shown(row, c), interval_shown(row, c), described(row.unread.get(c.key))) for c in report.columns
            ],
            "unread": [(shares(row.unread.get(c.key)), bounds(row.unread.get(c.key), c)) for c in report.columns]
            if needs_row(row.unread, report.columns)
            else [],
        }
        for row in report.rows
    ]
    return environment.get_template("report.html.j2").render(
        report=report,
        table=table,
        scenes_heading=SCENES,
        shares_label=SHARES_LABEL,
        bounds_label=BOUNDS_LABEL,
        figure=tasks_svg(report),
        settings=[(run.name, run.record.model_dump_json(indent=2)) for run in runs],
        data=embedded({"runs": [run.name for run in runs], "items": _items(runs)}),
    )


def embedded(value: Any) -> str:
    """JSON that can stand inside a script element: no character of it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _items(runs: Sequence[LoadedRun]) -> list[dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = {}
    for position, run in enumerate(runs):
        own = {item.id: _entry(item) for item in run.folder.items()}
        for identity, entry in own.items():
            entries.setdefault(identity, entry)
        answers = {outcome.id: outcome for outcome in run.folder.outcomes() if outcome.repeat == 0}
        rows = run.folder.scores().filter(pl.col("repeat") == 0)
        by_item: dict[str, dict[str, Any]] = {}
        spans: dict[str, list[Span]] = {}
        judged = pl.col("judged") | (pl.col("status") == "unjudged")
        said_of = (
            "reading",
            "note",
            "score",
            judged.cast(pl.Int8).alias("marked"),
            "state",
            pl.col("rule").fill_null(""),
        )
        for rule_set, identity, start, end, *said in rows.select(
            "rule_set", "id", "span_start", "span_end", *said_of
        ).iter_rows():
            by_item.setdefault(identity, {})[rule_set] = said
            if start is not None and end is not None:
                spans.setdefault(identity, []).append((rule_set, start, end))
        for identity, scores in by_item.items():
            outcome = answers.get(identity)
            text = outcome.response if isinstance(outcome, Response) else None
            entries[identity]["answers"].append(
                {
                    "run": position,
                    "text": text,
                    "marks": [] if text is None else marked_parts(text, spans.get(identity, ())),
                    "failure": None
                    if outcome is None or isinstance(outcome, Response)
                    else f"{outcome.kind}: {outcome.message}",
                    "scores": scores,
                    "turns": [
                        [turn.purpose if turn.draw == 0 else f"{turn.purpose} {turn.draw + 1}", turn.response]
                        for turn in (outcome.turns if isinstance(outcome, Response) else ())
                    ],
                    "asked": _differently(own[identity], entries[identity]),
                }
            )
    return list(entries.values())


def _differently(own: Mapping[str, Any], shown: Mapping[str, Any]) -> list[str]:
    """What a run asked where it isn't what stands above, such as options in another order."""
    if all(own[key] == shown[key] for key in ("question", "options", "answer")):
        return []
    return [own["question"], *own["options"], f"answer {own['answer']}"]


def _entry(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "task": item.task,
        "scene": item.scene or "",
        "question": item.verbatim or item.question,
        "options": [] if item.verbatim else item.lettered_options,
        "answer": item.answer,
        "unit": item.unit or "",
        "answers": [],
    }
