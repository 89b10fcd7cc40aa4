"""Save memory: temporary files in its place, compact pydantic models, and freed memory given back to the system.

Collections of any size are kept in temporary files, and each element is found by its position. TMPDIR names the disk,
which should not be memory. The files have no name and end with their objects. `Lean` is the base of models that a run
holds by the hundred thousand.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from pydantic import BaseModel

from tolman.files import writing


def give_back(things: int) -> None:
    """Return to the system the freed memory that the C library keeps, mostly in threads' arenas; call it before a step
    that takes much memory. Only glibc has a way.

    Args:
        things: that were held. Where there were over `MANY`, memory that only cycles hold is freed first.
    """
    if things > MANY:
        gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


T = TypeVar("T")
MANY = 6000
"""Things by name that stay in memory; more than VSI-Bench has questions."""
_LENGTH = 8
"""Bytes in front of a text that say how long it is."""
_READ_AT_ONCE = 4096


class TemporaryTexts:
    """Texts in a private temporary file."""

    def __init__(self) -> None:
        self._file, name = tempfile.mkstemp(prefix="tolman-")
        os.unlink(name)  # the file lasts as long as it is open
        weakref.finalize(self, os.close, self._file)
        self._end = 0

    def add(self, text: bytes) -> int:
        """Append a text; its place.

        Raises:
            OutputError: the disk is full, read-only or broken.
        """
        place, rest = self._end, memoryview(len(text).to_bytes(_LENGTH, "little") + text)
        while rest:
            with writing(Path(tempfile.gettempdir()), temporary=True):
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
    """Things by name that can be pickled; beyond the first `MANY` they are kept in a temporary file, and each access
    returns a new copy."""

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


_SHARED: dict[frozenset[str], set[str]] = {}
_SHAPES: dict[type, dict[str, Any]] = {}


class _Shape:
    """An object that gets its attributes one by one, so that Python keeps their names once for all instances of a
    class."""


class Lean(BaseModel):
    """A model that shares with others of its kind the data that pydantic would keep for each.

    That is the set of the fields that were given (728 bytes from five fields on), and the names of all fields in the
    dictionary of their values (640 bytes from eleven fields on, 280 without them). Code that writes into the set, as
    `model_copy` does, copies it first. For frozen models only.
    """

    def model_post_init(self, context: Any) -> None:
        """Take the set of an earlier instance with the same fields, and the form of dictionary of its class."""
        given = self.__pydantic_fields_set__
        object.__setattr__(self, "__pydantic_fields_set__", _SHARED.setdefault(frozenset(given), given))
        values = _shape(type(self)).copy()  # shares its keys with the copied one (PEP 412)
        values.update(self.__dict__)
        object.__setattr__(self, "__dict__", values)


def _shape(model: type[BaseModel]) -> dict[str, Any]:
    """A dictionary with all fields of a model whose keys can be shared."""
    found = _SHAPES.get(model)
    if found is None:
        holder = type(model.__name__, (_Shape,), {})()
        for name in model.model_fields:
            setattr(holder, name, None)
        found = _SHAPES[model] = holder.__dict__
    return found
