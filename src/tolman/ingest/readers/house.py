"""Matterport3D's .house files: levels, regions, panoramas, images, objects and segments of a house.

Lines of fields separated by spaces, each beginning with a letter (niessner/Matterport, data_organization.md and
code/gaps/apps/mpview/mp.cpp). Numbers have six digits there, so axes miss being orthogonal by 1e-6. In names a space is
written as '#'. Portals begin with P as panoramas do, and in later files with R as regions do; they differ in length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.readers.annotated import orient
from tolman.ingest.readers.documents import numbers_of, read_text
from tolman.scenes import OrientedBox

_LENGTHS = {"L": 18, "R": 20, "S": 22, "V": 13, "P": 13, "I": 41, "C": 11, "O": 24, "E": 19}
"""Fields of a line, its letter counted."""
_PORTAL = 15
_HEADER = 29
_COUNTS = {"I": 3, "P": 4, "V": 5, "S": 6, "E": 7, "O": 8, "C": 9, "R": 10}
"""Places in the header of the number of lines of each letter."""
REGIONS = {
    "a": "bathroom", "b": "bedroom", "c": "closet", "d": "dining room", "e": "entryway", "f": "family room",
    "g": "garage", "h": "hallway", "i": "library", "j": "laundry room", "k": "kitchen", "l": "living room",
    "m": "meeting room", "n": "lounge", "o": "office", "p": "porch", "r": "recreation room", "s": "stairs",
    "t": "toilet", "u": "utility room", "v": "television room", "w": "gym", "x": "outdoor area", "y": "balcony",
    "z": "other room", "B": "bar", "C": "classroom", "D": "dining booth", "S": "spa", "Z": "junk", "-": "no label",
}  # fmt: skip
"""Meanings of the letters of regions."""
OUTDOORS = frozenset({"p", "x", "y"})
JUNK = "Z"


@dataclass(frozen=True)
class HouseRegion:
    """A room.

    Attributes:
        code: its letter in `REGIONS`.
        bounds: least and greatest coordinates in metres, shape (2, 3).
        outline: the corners of its floor, one ring for each of its surfaces, shapes (n, 3).
    """

    code: str
    bounds: Floats
    outline: tuple[Floats, ...]


@dataclass(frozen=True)
class HouseObject:
    """An annotated object: its number, the number of its region (-1 for none), its name, and its box if it has one."""

    number: int
    region: int
    label: str
    box: OrientedBox | None


@dataclass(frozen=True)
class House:
    """A house.

    Attributes:
        regions, objects: in the order of their numbers.
        panoramas: the region of each tripod's place by its name, -1 for none, in the order of the file.
        segments: the object of each segment of the mesh by the segment's id, -1 for none.
    """

    path: Path
    regions: tuple[HouseRegion, ...]
    objects: tuple[HouseObject, ...]
    panoramas: dict[str, int]
    segments: dict[int, int]


def region_codes(path: Path) -> list[str]:
    """The letters of a house's regions in their order; none where its file can't be read so far."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = (line.split() for line in file if line.startswith("R"))
            return [words[5] for words in lines if len(words) == _LENGTHS["R"]]
    except OSError:
        return []


def read_house(path: Path) -> House:
    """Read a house.

    Raises:
        InputError: it is cut off, or a line of it is wrong.
    """
    lines = list(_lines(path))
    if not lines or lines[0][1][0] != "H" or len(lines[0][1]) != _HEADER:
        raise InputError(path, f"has no header 'H' of {_HEADER} fields", fix="get it again")
    of: dict[str, list[tuple[int, list[str]]]] = {letter: [] for letter in _LENGTHS}
    for row, words in lines[1:]:
        if words[0] not in _LENGTHS:
            raise InputError(path, f"has a line of an unknown kind '{words[0][:20]}'", row=row)
        if words[0] in "PR" and len(words) == _PORTAL:
            continue
        if len(words) != _LENGTHS[words[0]]:
            wanted = _LENGTHS[words[0]]
            raise InputError(
                path, f"a line {words[0]} has {len(words)} fields, not {wanted}", row=row, fix="get it again"
            )
        of[words[0]].append((row, words))
    for letter, place in _COUNTS.items():
        promised = lines[0][1][place]
        if not promised.isdigit() or int(promised) != len(of[letter]):
            raise InputError(
                path, f"has {len(of[letter])} lines {letter}, and its header says {promised[:20]}", fix="get it again"
            )
    read = _Reader(path, {letter: len(found) for letter, found in of.items()})
    names = [read.name(words[5], words[3]) for _, words in of["C"]]
    segments = {read.whole(row, words[3]): read.index(row, words[2], "O") for row, words in of["E"]}
    with_faces = set(segments.values())
    objects = (
        read.object(row, words, position, names, boxed=position in with_faces)
        for position, (row, words) in enumerate(of["O"])
    )
    return House(
        path,
        read.regions(of["R"], of["S"], of["V"]),
        tuple(objects),
        {words[1]: read.index(row, words[3], "R") for row, words in of["P"]},
        segments,
    )


@dataclass(frozen=True)
class _Reader:
    path: Path
    counts: dict[str, int]

    def whole(self, row: int, word: str) -> int:
        if not word.lstrip("-").isdigit() or len(word) > 12:
            raise InputError(self.path, f"'{word[:20]}' is no whole number", row=row)
        return int(word)

    def index(self, row: int, word: str, letter: str) -> int:
        """A reference to a line of some letter, -1 for none."""
        number = self.whole(row, word)
        if not -1 <= number < self.counts[letter]:
            raise InputError(self.path, f"names {letter} {number}, and there are {self.counts[letter]}", row=row)
        return number

    def name(self, group: str, own: str) -> str:
        """A category's name: that of its group among 40, or its own where the group is none of things alike."""
        return (own if group in _MIXED or group == "-" else group).replace("#", " ").replace("_", " ").strip()

    def regions(
        self,
        rows: list[tuple[int, list[str]]],
        surfaces: list[tuple[int, list[str]]],
        corners: list[tuple[int, list[str]]],
    ) -> tuple[HouseRegion, ...]:
        rings: dict[int, list[Floats]] = {}
        for row, words in corners:
            rings.setdefault(self.index(row, words[2], "S"), []).append(numbers_of(self.path, words[4:7], row))
        outlines: dict[int, list[Floats]] = {}
        for row, words in surfaces:
            ring = rings.get(self.whole(row, words[1]), [])
            if len(ring) >= 3:
                outlines.setdefault(self.index(row, words[2], "R"), []).append(np.stack(ring))
        found = []
        for row, words in rows:
            number = self.whole(row, words[1])
            bounds = numbers_of(self.path, words[9:15], row).reshape(2, 3)
            found.append(HouseRegion(words[5], bounds, tuple(outlines.get(number, ()))))
        return tuple(found)

    def object(self, row: int, words: list[str], position: int, names: list[str], *, boxed: bool) -> HouseObject:
        number, region = self.whole(row, words[1]), self.index(row, words[2], "R")
        category = self.index(row, words[3], "C")
        if number != position:
            raise InputError(self.path, f"object {number} stands where {position} should", row=row)
        box = None
        # An object without a single segment has an empty box, whose numbers mean nothing.
        if boxed:
            center, first, second, radii = numbers_of(self.path, words[4:16], row).reshape(4, 3)
            axes = np.stack([first, second, np.cross(first, second)])
            box = orient(self.path, center, axes, 2 * radii, row=row)
        return HouseObject(number, region, names[category] if category >= 0 else "unlabeled", box)


_MIXED = frozenset({"appliances", "furniture", "lighting", "misc", "objects", "seating", "gym_equipment"})
"""Groups of mpcat40 that hold unlike things."""


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    text = read_text(path)
    rows = text.splitlines()
    if not rows or not rows[0].startswith("ASCII"):
        raise InputError(path, "doesn't begin with 'ASCII' and a version", fix="get it again")
    for row, line in enumerate(rows[1:], start=2):
        words = line.split()
        if words:
            yield row, words
