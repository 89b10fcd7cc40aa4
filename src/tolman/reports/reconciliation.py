"""A reconciliation of two scores: tables and sentences for terminal, page and Markdown, and the page.

The self-contained page has the waterfall, its table, and every differing item by its causes. It has no script: the
template escapes texts of responses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tolman.analyze.score_causes import Cause, Label, SideItem, named
from tolman.analyze.score_waterfall import ItemDifference, Piece, Reconciled
from tolman.errors import counted
from tolman.items import Item
from tolman.reports.svg_figures import Step, waterfall_svg
from tolman.reports.text import environment, escape_markdown
from tolman.scoring.score_table import Column

EXAMPLES = 2
"""Items shown for each piece where not all are."""
TEXT_LENGTH = 60
"""Characters of a response that are shown in an example."""


@dataclass(frozen=True)
class Reconciliation:
    """Why two runs or logs have different scores.

    Attributes:
        title: of the benchmark.
        figure: whose difference is split.
        names: of A and B.
        scorers: of A and B.
        sizes: how many items or samples A and B have.
        found: causes and pieces.
        remarks: limits of the answer, a sentence each.
        unit: of counts: items, or samples where a side has several of an item.
    """

    title: str
    figure: Column
    names: tuple[str, str]
    scorers: tuple[str, str]
    sizes: tuple[int, int]
    found: Reconciled
    remarks: Sequence[str] = ()
    unit: str = "item"

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the headings of the table of pieces."""
        return ("", "points", f"{self.unit}s", "up", "down", "meaning")

    @property
    def together(self) -> tuple[str, str]:
        """Headings of the causes that an item has together."""
        return f"causes of {'an' if self.unit == 'item' else 'a'} {self.unit} together", f"{self.unit}s"

    @property
    def heading(self) -> str:
        """Return the benchmark, the figure, and the names of A and B."""
        a, b = self.names
        return f"{self.title}, {self.figure.title}: A is {a}, B is {b}"

    @property
    def count(self) -> str:
        """How many have different scores, as a sentence."""
        compared = counted(self.found.compared, self.unit)
        if not self.found.items:
            return f"None of {compared} has different scores."
        return f"{counted(differing(self.found), f'of {compared} has', f'of {compared} have')} different scores."

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Return the rows below `headings`: A, a row for each piece, B."""
        ends = [
            (letter, f"{float(value):.{self.figure.digits}f}", f"{size:,}", "", "", f"scorer {scorer}")
            for letter, value, size, scorer in zip(
                "AB", (self.found.a, self.found.b), self.sizes, self.scorers, strict=True
            )
        ]
        return [ends[0], *(self._row(piece) for piece in self.found.pieces), ends[1]]

    def markdown(self) -> str:
        """The tables, two examples of each piece, and the remarks."""
        lines = [f"# {escape_markdown(self.heading)}", "", self.count, ""]
        lines += _table(self.headings, self.rows, left=(0, 5))
        together = combinations(self.found)
        if any(len(labels) > 1 for labels, _ in together):
            rows = [(" and ".join(map(named, labels)), f"{count:,}") for labels, count in together]
            lines += ["", *_table(self.together, rows, left=(0,))]
        for piece in self.found.pieces:
            shown = examples(self.found, piece)
            if shown:
                lines += ["", f"## {named(piece.label)}", ""]
                lines += [f"- {escape_markdown(example_line(item))}" for item in shown]
        if self.remarks:
            lines += ["", *(f"- {escape_markdown(text)}" for text in self.remarks)]
        return "\n".join(lines) + "\n"

    def _row(self, piece: Piece) -> tuple[str, ...]:
        return (
            named(piece.label), f"{float(piece.points):+z.{self.figure.digits}f}", f"{piece.items:,}", f"{piece.up:,}",
            f"{piece.down:,}", meaning(piece.label),
        )  # fmt: skip


def meaning(label: Label) -> str:
    """Return the meaning of a piece's causes for an item."""
    return "; or ".join(cause.meaning for cause in Cause if cause in label)


def differing(found: Reconciled) -> int:
    """How many items have different scores."""
    return sum(item.is_net for item in found.items)


def combinations(found: Reconciled) -> list[tuple[tuple[Label, ...], int]]:
    """Sets of causes that items have together → how many items whose scores differ, the most frequent first."""
    counts = Counter(item.switches.labels for item in found.items if item.is_net)
    return sorted(counts.items(), key=lambda entry: -entry[1])


def examples(found: Reconciled, piece: Piece) -> list[ItemDifference]:
    """The first items that a piece moves, of those with no other cause where there are any."""
    own = [item for item in found.items if piece.label in item.switches.labels and item.is_net]
    alone = [item for item in own if len(item.switches.labels) == 1]
    return (alone or own)[:EXAMPLES]


def example_line(item: ItemDifference) -> str:
    """Return an item with both sides' records, in a line."""
    return f"{item.id}: A {_side_in_words(item, 0)} | B {_side_in_words(item, 1)}"


def scored_in_words(item: ItemDifference, side: int) -> str:
    """The score that an item has on a side: a number to two digits, or 'left out'."""
    score = item.scores[side]
    return "left out" if score is None else f"{float(score):.2f}".rstrip("0").rstrip(".")


def _side_in_words(item: ItemDifference, side: int) -> str:
    record, scored = (item.a, item.b)[side], scored_in_words(item, side)
    if record is None:
        return "has no row"
    if record.text is None:
        return f"failed ({(record.failure or '')[:TEXT_LENGTH]}) → {scored}"
    text = " ".join(record.text.split())
    shown = text if len(text) <= TEXT_LENGTH else f"{text[:TEXT_LENGTH]}…"
    read = "" if record.reading is None else f", read {record.reading or 'nothing'}"
    truth = "" if record.truth is None else f", truth {record.truth}"
    return f"'{shown}'{read}{truth} → {scored}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[int]) -> list[str]:
    rules = [":--" if place in left else "--:" for place in range(len(headings))]
    cells = [list(map(escape_markdown, row)) for row in rows]
    return [f"| {' | '.join(row)} |" for row in (list(headings), rules, *cells)]


def pieces(content: Reconciliation, items: Mapping[str, Item]) -> Iterator[str]:
    """The page piece by piece: items are many.

    Args:
        content: tables and sentences.
        items: the benchmark's questions by id; of one that isn't there only the id is shown.
    """
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
    yield from (
        environment()
        .get_template("reconciliation.html.j2")
        .generate(content=content, headings=content.headings, waterfall=drawing(content), groups=groups)
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
