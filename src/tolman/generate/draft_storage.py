"""Storage of drafts: the drafts themselves in a file on disk, and the data for their selection in memory.

In the file the drafts of a scene share their statements about its video. An entry is a draft as selection sees it:
arrays of some forty bytes for each draft, so that millions of them fit.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from tolman.files import writing
from tolman.generate.family import Cues, Draft
from tolman.generate.question_media import PictureSource
from tolman.generate.rings import InRing
from tolman.media.needed_frames import KEY, THINGS, WrittenThing
from tolman.memory import TemporaryTexts


@dataclass(frozen=True, slots=True)
class DraftEntry:
    """A draft as selection sees it.

    Attributes:
        task: question type.
        answer: the right answer's text, or the label balanced in its place.
        closed: whether its options are a closed list such as left and right.
        number: whether it wants a number.
        options: how many options it has.
        position: in the draft_file.
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
    """A list of entries whose texts are numbered, each once; single-view cues are in a temporary file.

    Each look at an entry gives a new copy. Texts of answers are few compared with their questions: they stay in memory.
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
        """Return the label of an entry's answer that is balanced."""
        return self._texts[self._answers[number]]

    def position(self, number: int) -> int:
        """The place of an entry in the draft_file."""
        return self._positions[number]

    def place(self, number: int) -> str:
        """The scene of an entry, or its group of twins."""
        return self._texts[self._places[number]]

    def has_cues(self, number: int) -> bool:
        """Check whether parts of the media of an entry give cues alone."""
        return self._cues[number] >= 0

    def is_number(self, number: int) -> bool:
        """Check whether an entry wants a number."""
        return bool(self._flags[number] & 2)

    def stratum(self, number: int) -> str | None:
        """Return the stratum for balancing its answer; closed lists and numbers have one, free texts none."""
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


_PLACED = 1024
"""Things that are remembered while drafts are added: more than a scene has."""
_READ = 32
"""Things that are remembered while drafts are read: more than a scene's questions of one type ask for. Each is a
hundred lists, which the garbage collector goes through."""


class DraftFile:
    """Drafts on disk, in the order in which they were made. The file is this process's own and ends with it.

    A draft comes in two parts. The second holds its evidence and reasoning, so that these aren't read for texts alone.
    A thing in the needed frames of several drafts, which has a hundred numbers, is written once if it is the same
    object in each. It is a `WrittenThing` in those that are read, and one for several: it must not be changed.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._file = path, path.open("w+b")
        self._at_end = True
        self._placed: dict[int, tuple[Any, int | None]] = {}
        self._read: dict[int, WrittenThing] = {}

    def __enter__(self) -> DraftFile:
        return self

    def __exit__(self, *ignored: object) -> None:
        with self._writing():
            self._file.close()

    def add(self, draft: Draft, media: tuple[PictureSource, ...]) -> int:
        """Store a draft with its media, and return its place.

        Raises:
            OutputError: the disk is full, read-only or broken.
        """
        evidence = dict(draft.evidence)
        places = [self._place(thing) for thing in _things_in(evidence)]
        if None in places:
            places = []
        if places:
            evidence[KEY] = {**evidence[KEY], THINGS: []}
        position = self._append((replace(draft, evidence={}, reasoning=()), media))
        self._append((evidence, draft.reasoning, places))
        return position

    def get(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """Return the draft at a place, with its media."""
        draft, media = self.without_evidence(position)
        evidence, reasoning, places = pickle.load(self._file)
        if places:
            evidence[KEY][THINGS] = [self._thing(place) for place in places]
        return replace(draft, evidence=evidence, reasoning=reasoning), media

    def without_evidence(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """The same without the draft's evidence and reasoning, which take ten times as long to read as all else."""
        self._at_end = False
        with self._writing():
            self._file.seek(position)
        found: tuple[Draft, tuple[PictureSource, ...]] = pickle.load(self._file)
        return found

    def _append(self, what: object) -> int:
        # Going to where it is would write out what waits to be written, each time.
        with self._writing():
            position = self._file.tell() if self._at_end else self._file.seek(0, 2)
            self._at_end = True
            pickle.dump(what, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return position

    def _writing(self) -> AbstractContextManager[None]:
        # Closing the file or moving in it writes too.
        return writing(self._path, temporary=True)

    def _place(self, thing: Any) -> int | None:
        """Return the place of a thing, written if it is new; None if its text doesn't hold all of it."""
        if id(thing) not in self._placed:
            written = WrittenThing.of(thing)
            place = None if written is None else self._append(written.text)
            # With the thing itself, so that no other one gets its id.
            _remember(self._placed, id(thing), (thing, place), _PLACED)
        return self._placed[id(thing)][1]

    def _thing(self, place: int) -> WrittenThing:
        if place not in self._read:
            self._at_end = False
            with self._writing():
                self._file.seek(place)
            _remember(self._read, place, WrittenThing(pickle.load(self._file)), _READ)
        return self._read[place]


def _things_in(evidence: Mapping[str, Any]) -> list[Any]:
    """The things in needed frames; none where these have another form."""
    said = evidence.get(KEY)
    things = said.get(THINGS) if isinstance(said, dict) else None
    return things if isinstance(things, list) else []


def _remember(known: dict[int, Any], key: int, what: Any, most: int) -> None:
    if len(known) >= most:
        known.clear()
    known[key] = what
