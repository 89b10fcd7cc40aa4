"""Blind: all that somebody is shown who must not know the answer.

It has no field for the answer, nor for what would tell it: labels, evidence, reasoning, scene, the item's id. Pages for
subjects and for reviewers who haven't answered yet are rendered from it and from nothing else of the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tolman.items import MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.kinds.number import UNITS
from tolman.review.media.serving import address
from tolman.review.site import Site


@dataclass(frozen=True)
class BlindMedium:
    """A video or image: where it is, what it is called on the page, and its place among the question's, from 1."""

    kind: str
    url: str
    label: str
    number: int


Part = str | BlindMedium


@dataclass(frozen=True)
class BlindOption:
    """One option, its letter apart."""

    letter: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class BlindChoice:
    """One answer that can be chosen.

    Attributes:
        value: the answer.
        key: that chooses it: the letter of an option, else a digit; empty where there are none left.
        parts: texts and media that say what it is.
    """

    value: str
    key: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Blind:
    """A question without its answer.

    Attributes:
        question: texts and the media that stand inside them.
        media: those that stand before the question.
        widget: the control with which it is answered.
        unit: what a number is given in, in words; empty for a bare number.
        options: those that belong to the question.
        choices: answers to choose among; none where the answer is written.
        by_letter: whether the answer is the letter of an option.
    """

    question: tuple[Part, ...]
    media: tuple[BlindMedium, ...]
    widget: str
    unit: str
    options: tuple[BlindOption, ...]
    choices: tuple[BlindChoice, ...]
    by_letter: bool

    @property
    def has_media(self) -> bool:
        """Tell whether it has any picture or video, before its text or inside it."""
        inside = [*self.question, *(part for option in self.options for part in option.parts)]
        return bool(self.media) or any(isinstance(part, BlindMedium) for part in inside)

    @property
    def has_video(self) -> bool:
        """Tell whether there is a video among the media."""
        return any(m.kind == "video" for m in self.media)


def blind(site: Site, project: int, item: Item) -> Blind:
    """An item as it is shown to somebody who must not know its answer."""
    shown = tuple(_medium(site, project, medium, number) for number, medium in enumerate(item.media, start=1))
    inside = list(shown) if item.interleaved else []
    question = _parts(item.question, inside)
    options = tuple(
        BlindOption(letter, _parts(text, inside)) for letter, text in zip(item.letters, item.options, strict=True)
    )
    kind = kind_of(item)
    return Blind(
        question=question,
        media=() if item.interleaved else shown,
        widget=kind.widget,
        unit=UNITS.get(item.unit or "", ""),
        options=options,
        choices=_choices(kind.choices(item), options) if kind.widget == "choice" else (),
        by_letter=kind.has_letters,
    )


def _choices(values: Sequence[str], options: Sequence[BlindOption]) -> tuple[BlindChoice, ...]:
    """Answers to choose among: options by their letters, others by digits."""
    known = {option.letter: option for option in options}
    return tuple(
        BlindChoice(value, value, known[value].parts)
        if value in known
        else BlindChoice(value, str(place) if place < 10 else "", (value,))
        for place, value in enumerate(values, start=1)
    )


def _medium(site: Site, project: int, medium: Media, number: int) -> BlindMedium:
    return BlindMedium(medium.kind, address(site, project, medium), f"{medium.kind.capitalize()} {number}", number)


def _parts(text: str, inside: list[BlindMedium]) -> tuple[Part, ...]:
    """A text with the media that its marks stand for, taken from the front of those left."""
    if not inside:
        return (text.replace(MEDIA_MARK, ""),)
    parts: list[Part] = []
    pieces = text.split(MEDIA_MARK)
    for number, piece in enumerate(pieces):
        if piece.strip():
            parts.append(piece)
        if number < len(pieces) - 1:
            parts.append(inside.pop(0))
    return tuple(parts)
