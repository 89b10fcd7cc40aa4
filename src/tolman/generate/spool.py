"""Spool: drafts on disk, those of a scene sharing what they say of its video, and evidence as text in the same way."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tolman.generate.draft import Draft
from tolman.generate.pictures import PictureSource
from tolman.item_table import evidence_text
from tolman.media.needed import KEY, NeededFrames

_HELD = 256
"""Things that are remembered at a time; many times as many as a scene has."""
_THINGS = "needed"
"""Of needed frames, the list of things: each has a hundred numbers and is in many of a scene's questions."""


class Spool:
    """Drafts on disk, in the order in which they were made. The file is this process's own and ends with it.

    A draft comes in two parts, the second of which is its evidence and its reasoning: who looks at texts alone needn't
    read those. A thing in the needed frames of several drafts is written once, if it is the same object in each, and
    is one object again in those that are read one after the other: nobody may change it.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._placed: dict[int, tuple[Any, int]] = {}
        self._read: dict[int, Any] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._file.close()

    def add(self, draft: Draft, media: tuple[PictureSource, ...]) -> int:
        """Keep a draft and what it shows; where it is."""
        evidence, things = dict(draft.evidence), _things_in(draft.evidence)
        places = [self._place(thing) for thing in things]
        if things:
            evidence[KEY] = {**evidence[KEY], _THINGS: []}
        position = self._append((replace(draft, evidence={}, reasoning=()), media))
        self._append((evidence, draft.reasoning, places))
        return position

    def get(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """The draft at a place, with what it shows."""
        draft, media = self.without_evidence(position)
        evidence, reasoning, places = pickle.load(self._file)
        if places:
            evidence[KEY][_THINGS] = [self._thing(place) for place in places]
        return replace(draft, evidence=evidence, reasoning=reasoning), media

    def without_evidence(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """The same without the draft's evidence and reasoning, which take ten times as long to read as all else."""
        self._file.seek(position)
        found: tuple[Draft, tuple[PictureSource, ...]] = pickle.load(self._file)
        return found

    def _append(self, what: object) -> int:
        position = self._file.seek(0, 2)
        pickle.dump(what, self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return position

    def _place(self, thing: Any) -> int:
        """Where a thing is, which is written if it is new."""
        if id(thing) not in self._placed:
            # With the thing itself, so that no other one gets its id.
            _remember(self._placed, id(thing), (thing, self._append(thing)))
        return self._placed[id(thing)][1]

    def _thing(self, place: int) -> Any:
        if place not in self._read:
            self._file.seek(place)
            _remember(self._read, place, pickle.load(self._file))
        return self._read[place]


class SharedTexts:
    """Evidence as JSON texts, in which a thing that is the same object in several is written once."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Any, str]] = {}

    def __call__(self, evidence: Mapping[str, Any]) -> str:
        """The text that `evidence_text` gives."""
        things = _things_in(evidence)
        if not things:
            return evidence_text(evidence)
        return _object(
            {
                name: self._needed(said, things) if name == KEY else evidence_text(said)
                for name, said in evidence.items()
            }
        )

    def _needed(self, said: Mapping[str, Any], things: list[Any]) -> str:
        listed = f"[{', '.join(map(self._thing, things))}]"
        return _object({name: listed if name == _THINGS else evidence_text(value) for name, value in said.items()})

    def _thing(self, thing: Any) -> str:
        if id(thing) not in self._texts:
            _remember(self._texts, id(thing), (thing, evidence_text(thing)))
        return self._texts[id(thing)][1]


def _things_in(evidence: Mapping[str, Any]) -> list[Any]:
    """The things in needed frames; none where these have another form."""
    said = evidence.get(KEY)
    if not isinstance(said, dict) or not said.keys() <= NeededFrames.model_fields.keys():
        return []
    things = said.get(_THINGS)
    return things if isinstance(things, list) else []


def _object(texts: Mapping[str, str]) -> str:
    return "{" + ", ".join([f"{json.dumps(name)}: {text}" for name, text in texts.items()]) + "}"


def _remember(known: dict[int, Any], key: int, what: Any) -> None:
    if len(known) >= _HELD:
        known.clear()
    known[key] = what
