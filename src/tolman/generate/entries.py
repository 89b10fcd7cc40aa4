"""Entries: drafts as selection sees them, in arrays of some forty bytes each, so that millions of them fit."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from tolman.generate.draft import Cues
from tolman.generate.ring_selection import InRing
from tolman.temporary import TemporaryTexts


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """A draft as selection sees it.

    Attributes:
        task: question type.
        answer: the right answer's text, or what is balanced in its place.
        closed: whether its options are a closed list such as left and right.
        number: whether it wants a number.
        options: how many options it has.
        position: in the spool.
        single_view_cues: of each part of the media.
        kind: which of its question type's kinds it is.
        place: its scene, the same for the scenes of one group of twins.
        ring: the ring that it is taken in; None where questions need none.
    """

    task: str
    answer: str
    closed: bool
    number: bool
    options: int
    position: int
    single_view_cues: Cues = ()
    kind: str = ""
    place: str = ""
    ring: InRing | None = None


class Entries(Sequence[DraftEntry]):
    """A list of entries whose texts are numbered, each once; what single views tell lies in a temporary file.

    Each look at an entry gives a new copy. Texts of answers are few beside their questions: they stay in memory.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._tasks, self._kinds, self._answers, self._places = array("I"), array("I"), array("I"), array("I")
        self._flags, self._options = array("B"), array("H")
        self._positions, self._cues = array("q"), array("q")
        self._told: TemporaryTexts | None = None

    def append(self, entry: DraftEntry) -> None:
        """Add an entry at the end."""
        self._tasks.append(self._number(entry.task))
        self._kinds.append(self._number(entry.kind))
        self._answers.append(self._number(entry.answer))
        self._places.append(self._number(entry.place))
        self._flags.append(entry.closed + 2 * entry.number)
        self._options.append(entry.options)
        self._positions.append(entry.position)
        if not entry.single_view_cues:
            self._cues.append(-1)
            return
        self._told = self._told or TemporaryTexts()
        self._cues.append(self._told.add(pickle.dumps(entry.single_view_cues, pickle.HIGHEST_PROTOCOL)))

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, number: int) -> DraftEntry: ...

    @overload
    def __getitem__(self, number: slice) -> EntryPart: ...

    def __getitem__(self, number: int | slice) -> DraftEntry | EntryPart:
        if isinstance(number, slice):
            return EntryPart(self, range(*number.indices(len(self))))
        cues: Any = ()
        if self._cues[number] >= 0 and self._told is not None:
            cues = pickle.loads(self._told.at(self._cues[number]))
        flags = self._flags[number]
        return DraftEntry(
            self.task(number),
            self._texts[self._answers[number]],
            bool(flags & 1),
            bool(flags & 2),
            self._options[number],
            self._positions[number],
            cues,
            self._texts[self._kinds[number]],
            self.place(number),
        )

    def task(self, number: int) -> str:
        """The question type of an entry."""
        return self._texts[self._tasks[number]]

    def answer(self, number: int) -> str:
        """What is balanced of the answer of an entry."""
        return self._texts[self._answers[number]]

    def position(self, number: int) -> int:
        """The place of an entry in the spool."""
        return self._positions[number]

    def place(self, number: int) -> str:
        """The scene of an entry, or its group of twins."""
        return self._texts[self._places[number]]

    def has_cues(self, number: int) -> bool:
        """Whether parts of the media of an entry tell something alone."""
        return self._cues[number] >= 0

    def is_number(self, number: int) -> bool:
        """Whether an entry wants a number."""
        return bool(self._flags[number] & 2)

    def stratum(self, number: int) -> str | None:
        """Within what its answer is balanced: closed lists and numbers have frequencies to learn, free texts none."""
        if not self._flags[number]:
            return None
        kind = self._texts[self._kinds[number]]
        return f"{self.task(number)}:{kind}" if kind else self.task(number)


class EntryPart(Sequence[DraftEntry]):
    """Some entries, by their numbers.

    Args:
        entries: all of them.
        numbers: of these.
        rings: by number, the rings of those that are taken in one.
    """

    def __init__(self, entries: Entries, numbers: Iterable[int], rings: Mapping[int, InRing] | None = None) -> None:
        self.entries = entries
        self.numbers = array("q", numbers)
        self.rings = rings or {}

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, number: int) -> DraftEntry: ...

    @overload
    def __getitem__(self, number: slice) -> EntryPart: ...

    def __getitem__(self, number: int | slice) -> DraftEntry | EntryPart:
        if isinstance(number, slice):
            return EntryPart(self.entries, self.numbers[number], self.rings)
        own = self.numbers[number]
        entry = self.entries[own]
        return replace(entry, ring=self.rings[own]) if own in self.rings else entry
