"""A question as far as it is written: reading it from a form, keeping a draft, and proposing wrong options.

Proposed are other directions, numbers at plausible ratios, and other objects; the writer picks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData

from tolman.items import FIXED_KINDS, LETTERS
from tolman.kinds import ItemKind, kind_named, names
from tolman.plugins import loaded_plugins
from tolman.review.forms import clean
from tolman.scoring.error_types import MMSI, steps_of, with_type

MOST_OPTIONS, MOST_STEPS, MOST_MEDIA = 10, 30, 20
UNITS = {
    "": "nothing, or it is said in the question",
    "count": "a count",
    "m": "metres",
    "cm": "centimetres",
    "m2": "square metres",
}
STEP_KINDS = {kind.key: kind.step for kind in MMSI.types}
"""Types of reasoning steps: key → how MMSI-Bench writes it in brackets after a step."""
_LONGEST = 5_000


@dataclass(frozen=True)
class Chosen:
    """A medium of the pool that the question is about.

    Attributes:
        key: in the pool.
        start, end: of a video's span, in seconds, as they were typed.
        needed: whether the writer says that the question can't be answered without it.
    """

    key: str
    start: str = ""
    end: str = ""
    needed: bool = False


@dataclass(frozen=True)
class WritingStep:
    """One step of the reasoning.

    Attributes:
        text: the reasoning.
        kind: a key of `STEP_KINDS`, or ''.
    """

    text: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Written:
    """A question as far as it is written.

    Attributes:
        media: in their order.
        question, kind, options, category: as in Item; empty options count as well.
        answer: of a choice the right option's letter; '' where none is marked.
        number, unit: of a question for a number.
        words: the right answer of a question that is answered in words.
        steps: of the reasoning.
    """

    media: tuple[Chosen, ...] = ()
    question: str = ""
    kind: str = "choice"
    options: tuple[str, ...] = ("", "", "", "")
    answer: str = ""
    number: str = ""
    unit: str = ""
    category: str = ""
    steps: tuple[WritingStep, ...] = field(default=(WritingStep(),))
    words: str = ""

    @classmethod
    def of_draft(cls, content: Mapping[str, Any]) -> Written:
        """Read a draft."""
        kept = dict(content.get("written") or {})
        if not kept:
            return cls()
        kept["media"] = tuple(Chosen(**one) for one in kept["media"])
        kept["kind"] = kept["kind"] if kept["kind"] in writable_kinds() else "choice"
        kept["steps"] = tuple(WritingStep(**one) for one in kept["steps"])
        return cls(**kept | {"options": tuple(kept["options"])})

    def draft(self) -> dict[str, Any]:
        """Content of a draft; the inverse of `of_draft`."""
        return {"written": asdict(self)}

    def with_form(self, form: FormData) -> Written:
        """Return a copy with a form's values; the list of media stays, as another tab may show other media."""
        said = {name: _texts(form, name) for name in ("option", "step", "step-kind", "needed")}
        media = [
            replace(
                one,
                start=_text(form, f"start-{one.key}", one.start)[:20],
                end=_text(form, f"end-{one.key}", one.end)[:20],
                needed=one.key in said["needed"] if f"has-{one.key}" in form else one.needed,
            )
            for one in self.media
        ]
        kind, unit = _text(form, "kind", self.kind), _text(form, "unit", self.unit)
        kinds = [*said["step-kind"], *[""] * len(said["step"])]
        steps = [
            WritingStep(text, kind if kind in STEP_KINDS else "")
            for text, kind in zip(said["step"], kinds, strict=False)
        ]
        answer = _text(form, "answer", "" if said["option"] else self.answer)
        return Written(
            media=tuple(media),
            question=_text(form, "question", self.question),
            kind=kind if kind in writable_kinds() else "choice",
            options=tuple(said["option"][:MOST_OPTIONS]) or self.options,
            answer=answer if len(answer) == 1 and answer in LETTERS else "",
            number=_text(form, "number", self.number)[:40],
            unit=unit if unit in UNITS else "",
            category=_text(form, "category", self.category)[:200],
            steps=tuple(steps[:MOST_STEPS]) or self.steps,
            words=_text(form, "words", self.words)[:500],
        )

    def edited(self, what: str) -> Written:
        """Return a copy after a press of a button.

        Args:
            what: 'take:TEXT' (as an option), 'add:KEY', 'drop:KEY', 'up:KEY', 'down:KEY', 'option', 'option:N',
                'step' or 'step:N'; the numbers are of the removed parts, from 0. Impossible edits and any other word
                change nothing.
        """
        act, _, about = what.partition(":")
        place = next((i for i, one in enumerate(self.media) if one.key == about), None)
        if act == "add" and about and len(self.media) < MOST_MEDIA:
            return replace(self, media=(*self.media, Chosen(about[:64]))) if place is None else self
        if act == "drop" and place is not None:
            return replace(self, media=without(self.media, place))
        if act in ("up", "down") and place is not None:
            return replace(self, media=moved(self.media, place, -1 if act == "up" else 1))
        if act == "take" and about:
            return self._with_option(about)
        number = int(about) if about.isdecimal() and len(about) < 4 else None
        if act == "step":
            if number is None:
                return replace(self, steps=(*self.steps, WritingStep())[:MOST_STEPS])
            return replace(self, steps=without(self.steps, number) or (WritingStep(),))
        if act == "option":
            if number is None:
                return replace(self, options=(*self.options, "")[:MOST_OPTIONS])
            if len(self.options) <= 2 or number >= len(self.options):
                return self
            right = LETTERS.find(self.answer) if self.answer else number
            answer = "" if right == number else LETTERS[right - (right > number)]
            return replace(self, options=without(self.options, number), answer=answer)
        return self

    def _with_option(self, text: str) -> Written:
        """The same with a text in the first free option, or in one more."""
        right = LETTERS.find(self.answer) if self.answer else -1
        free = next((i for i, one in enumerate(self.options) if not one.strip() and i != right), None)
        if free is None:
            return replace(self, options=(*self.options, text)[:MOST_OPTIONS])
        return replace(self, options=(*self.options[:free], text, *self.options[free + 1 :]))

    @property
    def control(self) -> str:
        """Return the control for the right answer, see `control_of`."""
        return control_of(kind_named(self.kind))

    @property
    def reasoning(self) -> str:
        """The steps as one text, a line for each; those that have a type with its name in brackets, as
        `scoring.error_types` reads it."""
        lines = []
        for step in self.steps:
            text = " ".join(step.text.split())
            if text and step.kind:
                text = " ".join(with_type(piece, STEP_KINDS[step.kind]) for piece in steps_of(text))
            if text:
                lines.append(text)
        return "\n".join(lines)


def writable_kinds() -> dict[str, ItemKind]:
    """Return the item kinds whose questions can be written here, choices and numbers first: those that describe the
    requested answer."""
    return _writable(tuple(loaded_plugins()))


@lru_cache(maxsize=8)
def _writable(plugins: tuple[Path, ...]) -> dict[str, ItemKind]:
    """See `writable_kinds`. The result is kept until another plugin is loaded."""
    found = {name: kind_named(name) for name in dict.fromkeys((*FIXED_KINDS, *names()))}
    return {name: kind for name, kind in found.items() if kind.asks_for}


def control_of(kind: ItemKind) -> str:
    """Return the writer's control for the right answer: 'choice' (marks one of the options), 'number', or 'text'."""
    if kind.has_letters:
        return "choice"
    return "number" if kind.widget == "number" else "text"


def without(some: Sequence[Any], place: int) -> tuple[Any, ...]:
    """All but the one at a place."""
    return (*some[:place], *some[place + 1 :])


def moved(some: Sequence[Any], place: int, by: int) -> tuple[Any, ...]:
    """With the one at a place moved by so many, within bounds."""
    rest = list(without(some, place))
    rest.insert(min(max(place + by, 0), len(rest)), some[place])
    return tuple(rest)


def _text(form: FormData, name: str, otherwise: str) -> str:
    value = form.get(name, otherwise)
    return clean(value[:_LONGEST]) if isinstance(value, str) else otherwise


def _texts(form: FormData, name: str) -> list[str]:
    return [clean(text[:_LONGEST]) for text in form.getlist(name)[:100] if isinstance(text, str)]


MOST_PROPOSALS = 8
LONGEST_PROPOSAL = 70
"""Letters of a proposal."""
RATIOS = (0.5, 0.75, 1.25, 1.5, 2.0)
"""Of a wrong number to the right one: from half to double, no nearer than a quarter."""
DIRECTIONS = (
    ("front-left", "front-right", "back-left", "back-right"),
    ("northeast", "northwest", "southeast", "southwest"),
    ("north", "east", "south", "west"),
    ("counterclockwise", "clockwise"),
    ("in front of", "behind", "left of", "right of"),
    ("left", "right"),
    ("forward", "backward"),
    ("above", "below"),
    ("up", "down"),
)
"""Sets of words of which one is right; those whose words hold others' words come first."""
_WAYS = ("left", "right", "forward", "backward")
"""Ways to go, which stand for each other where nothing else is said."""
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)")


def propose(right: str, options: Sequence[str], things: Sequence[str], others: Iterable[str] = ()) -> list[str]:
    """Propose wrong options for a right one, the likeliest first.

    Args:
        right: text of the right option.
        options: all that are written; none of them is proposed.
        things: objects of the scene, where it is known.
        others: options of other questions about the same media or of the same category.
    """
    text = " ".join(right.split())
    if not text:
        return []
    found = [*_directions(text), *_numbers(text), *_swapped(text, list(dict.fromkeys(things)))]
    if not found:
        found = [" ".join(other.split()) for other in others]
    taken = {option.strip().casefold() for option in options} | {text.casefold()}
    fresh = dict.fromkeys(one for one in found if one and one.casefold() not in taken and len(one) <= LONGEST_PROPOSAL)
    return list(fresh)[:MOST_PROPOSALS]


def _swapped(text: str, words: Sequence[str]) -> list[str]:
    """Return one text for each other word, in place of the word that the text contains."""
    for word in sorted(words, key=len, reverse=True):
        match = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
        if match:
            others = [other for other in words if other.casefold() != word.casefold()]
            capital = match[0][:1].isupper()
            said = [other[:1].upper() + other[1:] if capital else other for other in others]
            return [text[: match.start()] + other + text[match.end() :] for other in said]
    return []


def _directions(text: str) -> list[str]:
    if text.casefold() in _WAYS:
        return _swapped(text, _WAYS)
    return next((found for words in DIRECTIONS if (found := _swapped(text, words))), [])


def _numbers(text: str) -> list[str]:
    """The text with its only number at other ratios, with as many decimals."""
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1 or float(numbers[0][0]) == 0:
        return []
    match = numbers[0]
    decimals = len(match[0].partition(".")[2])
    made = [f"{float(match[0]) * ratio:.{decimals}f}" for ratio in RATIOS]
    if not decimals and float(match[0]) < 10:  # counts: the next whole numbers
        count = int(match[0])
        made = [str(count + step) for step in (-1, 1, 2, -2) if count + step >= 0]
    return [text[: match.start()] + number + text[match.end() :] for number in made if number != match[0]]
