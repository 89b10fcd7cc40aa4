"""Why two scores differ, as tables and sentences: what the terminal, the page and the Markdown file share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tolman.analyze.reconciling.causes import Cause, Label, named
from tolman.analyze.reconciling.reconcile import ItemDifference, Piece, Reconciled
from tolman.reports.text import escape_markdown
from tolman.scoring.table import Column

HEADINGS = ("", "points", "items", "up", "down", "meaning")
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
        names: what A and B are called.
        scorers: what scored A and B.
        sizes: how many items A and B have.
        found: causes and pieces.
        remarks: what limits the answer, a sentence each.
    """

    title: str
    figure: Column
    names: tuple[str, str]
    scorers: tuple[str, str]
    sizes: tuple[int, int]
    found: Reconciled
    remarks: Sequence[str] = ()

    @property
    def heading(self) -> str:
        """Of which benchmark and figure, and what A and B are."""
        a, b = self.names
        return f"{self.title}, {self.figure.title}: A is {a}, B is {b}"

    @property
    def count(self) -> str:
        """How many items have different scores, as a sentence."""
        if not self.found.items:
            return f"None of {self.found.compared:,} items has different scores."
        return f"{differing(self.found):,} of {self.found.compared:,} items have different scores."

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """What stands below `HEADINGS`: A, a row for each piece, B."""
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
        lines += _table(HEADINGS, self.rows, left=(0, 5))
        together = combinations(self.found)
        if any(len(labels) > 1 for labels, _ in together):
            rows = [(" and ".join(map(named, labels)), f"{count:,}") for labels, count in together]
            lines += ["", *_table(("causes of an item together", "items"), rows, left=(0,))]
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
            named(piece.label), f"{float(piece.points):+.{self.figure.digits}f}", f"{piece.items:,}", f"{piece.up:,}",
            f"{piece.down:,}", meaning(piece.label),
        )  # fmt: skip


def meaning(label: Label) -> str:
    """What a piece's causes say of an item."""
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
    """An item with what both sides have, in a line."""
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
