"""What lies in a temporary file in place of memory: any amount fits, and each thing is found by its place.

TMPDIR says on which disk, which should not be memory. The files have no name and end with the objects.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
MANY = 6000
"""Things by name that stay in memory; more than VSI-Bench has questions."""
_LENGTH = 8
"""Bytes in front of a text that say how long it is."""
_READ_AT_ONCE = 4096


class TemporaryTexts:
    """Texts in a temporary file that nobody else sees."""

    def __init__(self) -> None:
        self._file, name = tempfile.mkstemp(prefix="tolman-")
        os.unlink(name)  # the file lasts as long as it is open
        weakref.finalize(self, os.close, self._file)
        self._end = 0

    def add(self, text: bytes) -> int:
        """Append a text; its place."""
        place, rest = self._end, memoryview(len(text).to_bytes(_LENGTH, "little") + text)
        while rest:
            written = os.pwrite(self._file, rest, self._end)
            self._end, rest = self._end + written, rest[written:]
        return place

    def at(self, place: int) -> bytes:
        """The text at a place."""
        found = os.pread(self._file, _READ_AT_ONCE, place)
        end = _LENGTH + int.from_bytes(found[:_LENGTH], "little")
        while len(found) < end:
            found += os.pread(self._file, end - len(found), place + len(found))
        return found[_LENGTH:end]


class TemporaryList(Sequence[T], Generic[T]):
    """A list in a temporary file, of things that can be pickled; each look at one gives a new copy.

    Args:
        length: of the list, whose places are empty in the beginning.
    """

    def __init__(self, length: int) -> None:
        self._texts = TemporaryTexts()
        self._places = array("q", [-1]) * length

    @classmethod
    def of(cls, things: Sequence[T]) -> TemporaryList[T]:
        """A list of some things."""
        made = cls(len(things))
        made.fill(range(len(things)), things)
        return made

    def fill(self, numbers: Iterable[int], things: Iterable[T]) -> None:
        """Put things into places by their numbers, one for each."""
        for number, thing in zip(numbers, things, strict=True):
            self._places[number] = self._texts.add(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> list[T]: ...

    def __getitem__(self, number: int | slice) -> T | list[T]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        place = self._places[number]
        if place < 0:
            raise LookupError(f"nothing was put into place {number}")
        found: Any = pickle.loads(self._texts.at(place))
        return found  # type: ignore[no-any-return]


class TemporaryDict(MutableMapping[str, T], Generic[T]):
    """Things by name that can be pickled; beyond the first `MANY` they lie in a temporary file, and each look at one
    gives a new copy."""

    def __init__(self) -> None:
        self._held: dict[str, T] = {}
        self._places: dict[str, int] = {}
        self._texts = TemporaryTexts()

    def __setitem__(self, name: str, thing: T) -> None:
        if name in self._held or (name not in self._places and len(self._held) < MANY):
            self._held[name] = thing
        else:
            self._places[name] = self._texts.add(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))

    def __getitem__(self, name: str) -> T:
        if name in self._held:
            return self._held[name]
        found: Any = pickle.loads(self._texts.at(self._places[name]))
        return found  # type: ignore[no-any-return]

    def __delitem__(self, name: str) -> None:
        del (self._held if name in self._held else self._places)[name]

    def __iter__(self) -> Iterator[str]:
        return chain(self._held, self._places)

    def __len__(self) -> int:
        return len(self._held) + len(self._places)
