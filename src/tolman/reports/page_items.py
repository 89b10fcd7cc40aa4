"""Items on a report's page: each question with the runs' answers, the spans that were read, and the scores.

Scores are read in the order in which a run's table has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import polars as pl

from tolman.items import Item
from tolman.kinds import kind_of
from tolman.memory import TemporaryDict
from tolman.reports.loaded_runs import LoadedRun
from tolman.responses import Outcome, Response

Span = tuple[str, int, int]
"""A rule set's name, and start and end of what it read, in characters."""


def units_of(text: str) -> int:
    """The length of a text in UTF-16 code units, as JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def marked_parts(text: str, spans: Iterable[Span]) -> list[tuple[int, int, str]]:
    """Return the parts of a text that rule sets read, without overlaps, as JavaScript counts.

    Args:
        text: of the response.
        spans: the parts that were read; those outside of the text are left out.

    Returns:
        Start and end of each part in UTF-16 code units, and the names of the rule sets that read all of it, in order.
    """
    inside = [span for span in spans if 0 <= span[1] < span[2] <= len(text)]
    edges = sorted({edge for _, start, end in inside for edge in (start, end)})
    units = {edge: units_of(text[:edge]) for edge in edges}
    found = []
    for start, end in pairwise(edges):
        names = [name for name, first, last in inside if first <= start and end <= last]
        if names:
            found.append((units[start], units[end], ", ".join(names)))
    return found


HELD = 100_000
"""Rows of a run that stay in memory."""
BLOCK = 16_384
"""Rows of a scorer that are read at a time, of those that don't."""
_SHOWN = (
    "rule_set",
    "id",
    "span_start",
    "span_end",
    "reading",
    "note",
    "score",
    (pl.col("judged") | (pl.col("status") == "unjudged")).cast(pl.Int8).alias("marked"),
    "state",
    pl.col("rule").fill_null(""),
)


class ShownScores:
    """The rows of a run's first asking of each item.

    A table of scores has for each scorer the items in their order. If items are asked for in that order, each part of
    the table is read once. Otherwise, as where a page has other runs with other items, the whole table is searched.

    Args:
        run: whose scores they are.

    Raises:
        InputError: it has none.
    """

    def __init__(self, run: LoadedRun) -> None:
        rows = run.folder.scan_scores()
        with run.folder.reading_scores():
            counts = rows.group_by("rule_set", maintain_order=True).len().collect()
            self._rows = rows if counts["len"].sum() > HELD else rows.collect().lazy()
        ends = counts["len"].cum_sum().to_list()
        repeats = run.record.settings.repeats
        self._scorers = [
            _Scorer(self._rows.slice(end - count, count), repeats)
            for end, count in zip(ends, counts["len"].to_list(), strict=True)
        ]

    def of(self, ids: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Scorer, id, start and end of the span, reading, note, score, mark, state and rule of each row of some items,
        scorer after scorer."""
        if not ids:
            return iter(())
        parts = [scorer.next(ids) for scorer in self._scorers]
        in_order = [part for part in parts if part is not None]
        if len(in_order) == len(parts):
            return chain.from_iterable(part.iter_rows() for part in in_order)
        wanted = pl.col("id").is_in(list(ids)) & (pl.col("repeat") == 0)
        return self._rows.filter(wanted).select(_SHOWN).collect().iter_rows()


class _Scorer:
    """The rows of one scorer, item after item."""

    def __init__(self, rows: pl.LazyFrame, repeats: int) -> None:
        self._rows, self._repeats = rows, repeats
        self._read, self._block = 0, pl.DataFrame()

    def next(self, ids: Sequence[str]) -> pl.DataFrame | None:
        """The next rows, where they are those of these items."""
        while self._block.height < len(ids):
            size = max(1, BLOCK // self._repeats) * self._repeats
            more = self._rows.slice(self._read, size).filter(pl.col("repeat") == 0).select(_SHOWN).collect()
            if not more.height:
                return None
            self._read += size
            self._block = pl.concat([self._block, more]) if self._block.height else more
        found = self._block.head(len(ids))
        if found["id"].to_list() != list(ids):
            return None
        self._block = self._block.slice(len(ids))
        return found


def entries(runs: Sequence[LoadedRun]) -> Iterator[dict[str, Any]]:
    """Yield one object for each item, as the page's script takes it: the items of the first run, then those that only
    later runs have. Some thousands of items are held at a time, with the shown parts of responses.

    Args:
        runs: with scores.

    Raises:
        InputError: a file of one of them is broken.
    """
    opened = [_Opened(position, run) for position, run in enumerate(runs)]
    shown: set[str] = set()  # by earlier runs
    for position, one in enumerate(opened):
        for part in one.run.folder.item_slices():
            new = {item.id: entry_of(item) for item in part if item.id not in shown}
            for other in opened[position:]:
                own = new if other is one else other.entries_of(new)
                for identity, answer in other.answers(own, new):
                    new[identity]["answers"].append(answer)
            if one is not opened[-1]:
                shown.update(new)
            yield from new.values()


class _Opened:
    """One run, and its entries for items."""

    def __init__(self, position: int, run: LoadedRun) -> None:
        self.run, self._position = run, position
        self._scores = ShownScores(run)
        self._said = TemporaryDict[_Said]()
        for outcome in run.folder.each_outcome():
            if outcome.repeat == 0:
                self._said[outcome.id] = _said(outcome)
        self._entries: dict[str, dict[str, Any]] | None = None

    def entries_of(self, wanted: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The run's own entries of some items, which may be asked otherwise than in another run."""
        if self._entries is None:
            self._entries = {item.id: entry_of(item) for part in self.run.folder.item_slices() for item in part}
        return {identity: self._entries[identity] for identity in wanted if identity in self._entries}

    def answers(
        self, own: Mapping[str, Mapping[str, Any]], shown: Mapping[str, Mapping[str, Any]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the run's answers to some items; none for items without scores.

        Args:
            own: the run's entries.
            shown: those that the page shows.
        """
        by_item: dict[str, dict[str, Any]] = {}
        spans: dict[str, list[Span]] = {}
        for rule_set, identity, start, end, *said in self._scores.of(list(own)):
            by_item.setdefault(identity, {})[rule_set] = said
            if start is not None and end is not None:
                spans.setdefault(identity, []).append((rule_set, start, end))
        for identity, scores in by_item.items():
            text, failure, turns = self._said.get(identity, (None, None, []))
            yield (
                identity,
                {
                    "run": self._position,
                    "text": text,
                    "marks": [] if text is None else marked_parts(text, spans.get(identity, ())),
                    "failure": failure,
                    "scores": scores,
                    "turns": turns,
                    "asked": said_differently(own[identity], shown[identity]),
                },
            )


_Said = tuple[str | None, str | None, list[list[str]]]


def _said(outcome: Outcome) -> _Said:
    """Return the shown parts of an outcome: its text, its failure, its turns."""
    if not isinstance(outcome, Response):
        return None, f"{outcome.kind}: {outcome.message}", []
    turns = [
        [turn.purpose if turn.draw == 0 else f"{turn.purpose} {turn.draw + 1}", turn.response] for turn in outcome.turns
    ]
    return outcome.response, None, turns


def said_differently(own: Mapping[str, Any], shown: Mapping[str, Any]) -> list[str]:
    """Return a run's question where it isn't the one above, such as options in another order.

    Args:
        own: the run's entry of an item (`entry_of`).
        shown: the one above.
    """
    if all(own[key] == shown[key] for key in ("question", "options", "answer")):
        return []
    return [own["question"], *own["options"], f"answer {own['answer']}"]


def entry_of(item: Item) -> dict[str, Any]:
    """Return a page's entry of an item, with an empty list for the answers."""
    return {
        "id": item.id,
        "task": item.task,
        "scene": item.scene or "",
        "question": item.verbatim or item.question,
        "options": [] if item.verbatim else item.lettered_options,
        "answer": item.answer if kind_of(item).has_letters else item.answer_text,
        "unit": item.unit or "",
        "answers": [],
    }
