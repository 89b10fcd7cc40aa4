"""Spool: drafts on disk, those of a scene sharing what they say of its video."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tolman.generate.draft import Draft
from tolman.generate.pictures import PictureSource
from tolman.media.needed import KEY, THINGS, WrittenThing

_PLACED = 1024
"""Things that are remembered while drafts are added: more than a scene has."""
_READ = 32
"""Things that are remembered while drafts are read: more than a scene's questions of one type ask for. Each is a
hundred lists, which the garbage collector goes through."""


class Spool:
    """Drafts on disk, in the order in which they were made. The file is this process's own and ends with it.

    A draft comes in two parts, the second of which is its evidence and its reasoning: who looks at texts alone needn't
    read those. A thing in the needed frames of several drafts, which has a hundred numbers, is written once if it is
    the same object in each. It is a `WrittenThing` in those that are read, and one for several: nobody may change it.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._at_end = True
        self._placed: dict[int, tuple[Any, int | None]] = {}
        self._read: dict[int, WrittenThing] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._file.close()

    def add(self, draft: Draft, media: tuple[PictureSource, ...]) -> int:
        """Keep a draft and what it shows; where it is."""
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
        """The draft at a place, with what it shows."""
        draft, media = self.without_evidence(position)
        evidence, reasoning, places = pickle.load(self._file)
        if places:
            evidence[KEY][THINGS] = [self._thing(place) for place in places]
        return replace(draft, evidence=evidence, reasoning=reasoning), media

    def without_evidence(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """The same without the draft's evidence and reasoning, which take ten times as long to read as all else."""
        self._at_end = False
        self._file.seek(position)
        found: tuple[Draft, tuple[PictureSource, ...]] = pickle.load(self._file)
        return found

    def _append(self, what: object) -> int:
        # Going to where it is would write out what waits to be written, each time.
        position = self._file.tell() if self._at_end else self._file.seek(0, 2)
        self._at_end = True
        pickle.dump(what, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return position

    def _place(self, thing: Any) -> int | None:
        """Where a thing is, which is written if it is new; None where its text doesn't say all of it."""
        if id(thing) not in self._placed:
            written = WrittenThing.of(thing)
            place = None if written is None else self._append(written.text)
            # With the thing itself, so that no other one gets its id.
            _remember(self._placed, id(thing), (thing, place), _PLACED)
        return self._placed[id(thing)][1]

    def _thing(self, place: int) -> WrittenThing:
        if place not in self._read:
            self._at_end = False
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
