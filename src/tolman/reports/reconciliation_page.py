"""Why two scores differ, as one self-contained page: the waterfall, its table, every differing item by its causes.

It has no script: texts of responses are escaped by the template.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tolman.analyze.reconciling.causes import named
from tolman.analyze.reconciling.reconcile import ItemDifference
from tolman.analyze.reconciling.sides import SideItem
from tolman.items import Item
from tolman.reports.reconciliation import HEADINGS, Reconciliation, combinations, scored_in_words
from tolman.reports.waterfall import Step, waterfall_svg


def pieces(content: Reconciliation, items: Mapping[str, Item]) -> Iterator[str]:
    """The page piece by piece: items are many.

    Args:
        content: tables and sentences.
        items: the benchmark's questions by id; of one that isn't there only the id is shown.
    """
    environment = Environment(
        loader=PackageLoader("tolman.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    found = content.found
    together = combinations(found)
    groups = (
        (" and ".join(map(named, labels)), count, [
            _entry(item, items.get(item.id))
            for item in found.items
            if item.is_net and item.switches.labels == labels
        ])
        for labels, count in together
    )  # fmt: skip
    yield from environment.get_template("reconciliation.html.j2").generate(
        content=content, headings=HEADINGS, waterfall=drawing(content), groups=groups
    )


def drawing(content: Reconciliation) -> str:
    """The waterfall from A's figure to B's, as one SVG element."""
    a, b = (f"{letter}: {name}" for letter, name in zip("AB", content.names, strict=True))
    steps = [Step(named(piece.label), float(piece.points)) for piece in content.found.pieces]
    return waterfall_svg((a, float(content.found.a)), steps, (b, float(content.found.b)), content.figure.digits)


def _entry(item: ItemDifference, question: Item | None) -> dict[str, Any]:
    sides = [_side(letter, item, place) for place, letter in enumerate("AB")]
    return {
        "id": item.id,
        "task": question.task if question is not None else "",
        "scene": question.scene or "" if question is not None else "",
        "question": question.question if question is not None else "",
        "options": question.lettered_options if question is not None else (),
        "answer": question.answer if question is not None else "",
        "unit": (question.unit or "") if question is not None else "",
        "sides": sides,
    }


def _side(letter: str, item: ItemDifference, place: int) -> dict[str, str]:
    record: SideItem | None = (item.a, item.b)[place]
    told = {"name": letter, "text": "", "failure": "", "note": scored_in_words(item, place)}
    if record is None:
        return told | {"failure": "has no row", "note": ""}
    if record.text is None:
        return told | {"failure": f"failed: {record.failure or 'no reason is recorded'}"}
    facts = {
        "read": None if record.reading is None else record.reading or "nothing",
        "truth": record.truth,
        "frames": record.frames,
        "cut off": "yes" if record.cut_off else None,
    }
    said = [f"{name} {value}" for name, value in facts.items() if value is not None]
    return told | {"text": record.text, "note": ", ".join(said) + f" → {told['note']}"}
