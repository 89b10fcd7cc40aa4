"""The items of a report's page: each question with what the runs answered and how that was read and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tolman.items import Item
from tolman.kinds import kind_of
from tolman.reports.loaded import LoadedRun
from tolman.reports.page_scores import ShownScores
from tolman.reports.spans import Span, marked_parts
from tolman.responses import Outcome, Response
from tolman.temporary import TemporaryDict


def entries(runs: Sequence[LoadedRun]) -> Iterator[dict[str, Any]]:
    """One object for each item, as the page's script takes it: the items of the first run, then those that only later
    runs have. Some thousands of items are held at a time, and of the responses what is shown.

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
    """One run, and what it brings to items."""

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
        """What the run answered to some items; nothing for items without scores.

        Args:
            own: the run's entries.
            shown: those that stand on the page.
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
    """What is shown of an outcome: its text, its failure, its turns."""
    if not isinstance(outcome, Response):
        return None, f"{outcome.kind}: {outcome.message}", []
    turns = [
        [turn.purpose if turn.draw == 0 else f"{turn.purpose} {turn.draw + 1}", turn.response] for turn in outcome.turns
    ]
    return outcome.response, None, turns


def said_differently(own: Mapping[str, Any], shown: Mapping[str, Any]) -> list[str]:
    """What a run asked where it isn't what stands above, such as options in another order.

    Args:
        own: the run's entry of an item (`entry_of`).
        shown: the one that stands above.
    """
    if all(own[key] == shown[key] for key in ("question", "options", "answer")):
        return []
    return [own["question"], *own["options"], f"answer {own['answer']}"]


def entry_of(item: Item) -> dict[str, Any]:
    """What a page says of an item, with an empty list for the answers."""
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
