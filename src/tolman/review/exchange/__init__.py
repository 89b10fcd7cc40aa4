"""Exchange with other annotation programs: pictures of questions, marks on them, and choices.

A module of the package has one format. Places are in pixels of a picture, x to the right and y down, from its upper
left corner.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

Place = tuple[float, float]
MOST_REGIONS = 200_000
"""Regions that a file may have."""
_DECIMALS = 1
"""Of a pixel, as the application's own drawings have them."""
_OUTSIDE_PIXELS = 0.5
"""By so much rounding may put a place outside of its picture."""
_NOTE_LENGTH = 200


class ExchangeError(Exception):
    """A file that can't be taken in; the text is one sentence for the person."""


@dataclass(frozen=True)
class Choices:
    """A control for one choice or several.

    Attributes:
        name: of the control.
        title: above it.
        values: the values to choose from.
        several: whether more than one may be.
    """

    name: str
    title: str
    values: tuple[str, ...]
    several: bool


@dataclass(frozen=True)
class Shape:
    """A point, a line from one place to another, or the upright box of an object.

    Attributes:
        kind: which of them.
        points: one place, two ends, or the upper left and the lower right corner.
        person: its author; '' for boxes, and for shapes drawn in the other program.
        note: the author's description of the mark.
        name: the object's category, of a box.
    """

    kind: Literal["point", "line", "box"]
    points: tuple[Place, ...]
    person: str = ""
    note: str = ""
    name: str = ""


@dataclass(frozen=True)
class NamedPicture:
    """A picture or a frame that a question shows.

    Attributes:
        key: its name in other programs, by which it is found again: letters, digits and hyphens.
        question: the question's text.
        size: width and height in pixels.
    """

    key: str
    question: str
    size: tuple[int, int]

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.key}.jpg"


@dataclass(frozen=True)
class AnnotatedPicture:
    """A picture with people's marks on it and choices for its question.

    Attributes:
        picture: itself.
        shapes: marks and boxes.
        chosen: (person, group → values) of each.
    """

    picture: NamedPicture
    shapes: tuple[Shape, ...] = ()
    chosen: tuple[tuple[str, Mapping[str, Sequence[str]]], ...] = ()


@dataclass(frozen=True)
class PictureSet:
    """A project as it goes to another program.

    Attributes:
        title: the project's name.
        folder: name of the folder that its files are unpacked to.
        pictures: by their keys, rising.
        controls: for the choices of each.
    """

    title: str
    folder: str
    pictures: tuple[AnnotatedPicture, ...]
    controls: tuple[Choices, ...] = ()


@dataclass
class Returned:
    """A person's marks on a picture, and choices for it, from another program.

    Attributes:
        shapes: points and lines.
        chosen: group → values.
        left: kind of shape → how many of those were drawn that aren't kept here.
    """

    shapes: list[Shape] = field(default_factory=list)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)


Find = Callable[[str], NamedPicture]
"""A picture of the project by its key; ExchangeError, saying what isn't there, for none."""


@dataclass(frozen=True)
class Receiver:
    """Reference for a file that comes back.

    Attributes:
        person: whose marks count, with those that bear no name.
        people: names of everybody here.
        find: the pictures.
        controls: for the choices of each.
    """

    person: str
    people: Collection[str]
    find: Find
    controls: Sequence[Choices] = ()

    def takes(self, name: str, where: str) -> bool:
        """Check whether a mark is the person's, and not another's.

        Raises:
            ExchangeError: it bears a name that is unknown here.
        """
        if name in ("", self.person):
            return True
        if name not in self.people:
            raise ExchangeError(f"{where} bears the name '{name[:80]}', who is nobody here: take it out.")
        return False


@dataclass(frozen=True)
class PictureFormat:
    """A form in which pictures and marks are exchanged, a module each.

    Attributes:
        name: in addresses.
        title: the program's.
        note: how the files get there, for the page.
        takes: the file that comes back: its type and its ending.
        pictures: the folder of the pictures among the files.
        choices: whether it holds choices for questions.
        write: a project → file's name → text.
        read: (file, reference) → key of a picture → marks and choices that came back.
    """

    name: str
    title: str
    note: str
    takes: tuple[str, str]
    pictures: str
    choices: bool
    write: Callable[[PictureSet], dict[str, str]]
    read: Callable[[bytes, Receiver], dict[str, Returned]]


def read_json(content: bytes, what: str) -> Any:
    """The content of a JSON file.

    Raises:
        ExchangeError: it is none; `what` ends the sentence, saying what to do.
    """
    try:
        return json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ExchangeError(f"The file is no JSON: {what}.") from None


def read_shapes(kind: str, places: object, picture: NamedPicture, note: object, where: str) -> list[Shape]:
    """Return drawn points, or the lines of a drawn path from place to place.

    Args:
        kind: 'point' or 'line'.
        places: pairs of numbers, in pixels.
        picture: that they are on.
        note: its author's words; anything but a text counts as none.
        where: the place in the file, for errors.

    Raises:
        ExchangeError: they are no places of the picture.
    """
    found = [_place(one, picture, where) for one in _listed(places, where)]
    text = " ".join(note.split())[:_NOTE_LENGTH] if isinstance(note, str) else ""
    if kind == "point":
        return [Shape("point", (one,), note=text) for one in found]
    if len(found) < 2:
        raise ExchangeError(f"{where} has a line of one point: draw it again or remove it.")
    return [Shape("line", ends, note=text) for ends in pairwise(found) if ends[0] != ends[1]]


def same_size(picture: NamedPicture, width: object, height: object, where: str) -> None:
    """Hold the size that a program gives a picture against ours.

    Raises:
        ExchangeError: it is another.
    """
    if (width, height) != picture.size:
        other, own = f"{str(width)[:12]} × {str(height)[:12]}", "{} × {}".format(*picture.size)
        raise ExchangeError(
            f"{where} is about a picture of {other} pixels, and {picture.key} has {own}: "
            "load the project for that program again."
        )


def same_label(label: object, own: object, where: str) -> None:
    """Hold the label of a mark against the one that such marks have here.

    Raises:
        ExchangeError: it is another.
    """
    if label != own:
        raise ExchangeError(f"{where} has the label {str(label)[:80]}, and such marks have {own} here: give it that.")


def mark_shapes(one: AnnotatedPicture) -> Iterator[tuple[str, list[Shape]]]:
    """Person → the points and lines that they drew on a picture."""
    people: dict[str, list[Shape]] = {}
    for shape in one.shapes:
        if shape.kind != "box":
            people.setdefault(shape.person, []).append(shape)
    yield from people.items()


def boxes_on_picture(one: AnnotatedPicture) -> list[Shape]:
    """The boxes of objects on a picture."""
    return [shape for shape in one.shapes if shape.kind == "box"]


def _listed(places: object, where: str) -> list[Any]:
    if not isinstance(places, list) or not places:
        raise ExchangeError(f"{where} has a mark without a place: draw it again or remove it.")
    return places


def _place(place: object, picture: NamedPicture, where: str) -> Place:
    if not isinstance(place, tuple | list) or len(place) != 2:
        raise ExchangeError(f"{where} has a place that is no pair of numbers.")
    kept = []
    for value, length in zip(place, picture.size, strict=True):
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not known or not -_OUTSIDE_PIXELS <= value <= length + _OUTSIDE_PIXELS:  # as of inf and nan
            told = "{} × {}".format(*picture.size)
            raise ExchangeError(f"{where} has a mark outside of its picture of {told} pixels: move it or remove it.")
        kept.append(round(min(max(float(value), 0.0), float(length)), _DECIMALS))
    return kept[0], kept[1]


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
