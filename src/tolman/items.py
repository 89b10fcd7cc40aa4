"""Item: one question about some media, with its answer."""

from __future__ import annotations

import string
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from tolman.errors import UsageError
from tolman.lean import Lean
from tolman.plugins import loaded_plugins
from tolman.registry import Registry

LETTERS = string.ascii_uppercase
FIXED_KINDS = ("choice", "number")
"""Item kinds that no plugin can replace by its own of the same name."""
MEDIA_MARK = "<image>"
"""Where a medium stands in the text of a question or an option, in the order of `Item.media`."""

Unit = Literal["count", "m", "cm", "m2"]

KINDS = Registry("item kind", "tolman.kinds", "KIND", "tolman.kinds")
known_kinds: dict[str, Any] = {}
"""Fixed kinds by name, as far as items of them were made: looked up for every response that is scored."""
_other_kinds: dict[tuple[str, tuple[Path, ...]], Any] = {}


def kind_named(name: str) -> Any:
    """The kind of that name, a `tolman.kinds.ItemKind`.

    Raises:
        UsageError: there is none; the sentence has the nearest name and lists all.
    """
    found = known_kinds.get(name)
    if found is not None:
        return found
    if name in FIXED_KINDS:
        found = known_kinds[name] = KINDS.get(name)
        return found
    key = name, tuple(loaded_plugins())  # another plugin may bring another one
    if key not in _other_kinds:
        _other_kinds[key] = KINDS.get(name)
    return _other_kinds[key]


def existing_kind(name: str) -> str:
    """A name of an item kind, for fields of models.

    Raises:
        ValueError: there is none of that name (any more).
    """
    try:
        kind_named(name)
    except UsageError as error:
        raise ValueError(str(error).removesuffix(".")) from None
    return name


@lru_cache(maxsize=1 << 14)
def _exact(answer: str) -> Fraction:
    """The value of a decimal text or a fraction such as '1/2'."""
    return Fraction(answer)


class Media(Lean):
    """One video or image.

    Attributes:
        kind: what it is.
        path: the file, relative to the benchmark's data folder.
        part: for a medium stored inside a table file, its (row, position in the row's list), from 0.
        start, end: the part of a video that is meant, in seconds; the whole where None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["video", "image"]
    path: str
    part: tuple[int, int] | None = None
    start: float | None = None
    end: float | None = None


class ItemFields(Lean):
    """The fields of an item, which questions on their way into a benchmark have too (`curate.candidates.Candidate`).

    Their meaning stands in `Item`. Subclasses check `kind`, and that the answer fits it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    question: str
    kind: str
    answer: str
    unit: Unit | None = None
    options: tuple[str, ...] = ()
    verbatim: str | None = None
    task: str
    labels: dict[str, str] = Field(default_factory=dict)
    scene: str | None = None
    media: tuple[Media, ...] = ()
    reasoning: str | None = None
    all_of: str | None = None
    evidence: dict[str, Any] = Field(default_factory=dict)


class Item(ItemFields):
    """One question.

    Attributes:
        id: unique in its benchmark.
        question: the text, without its options. Where it (or an option) holds as many `<image>` marks as
            there are media, the media stand there; otherwise they come as the benchmark's prompt says.
        kind: `choice` (the answer is a letter), `number`, or another that `tolman.kinds` or a plugin has.
        answer: the letter, or the number as the benchmark prints it; of other kinds the text that is right, in the
            form that the kind's module says.
        unit: what a number counts or measures: `count`, `m`, `cm` or `m2`; None where the question doesn't say.
        options: the texts of the options, without letters; the first is A.
        verbatim: the question as released, where the released prompt uses that text as a whole.
        task: the benchmark's question type, the finest that its table tells apart.
        labels: further classifications (level, category, source data set, scene type …).
        scene: what the item's error is shared with: items of one scene are one cluster in every interval.
        media: in the order in which they are shown.
        reasoning: the people's reasoning that came with the question.
        all_of: items that name the same group count as one question, right only if all of them are.
        evidence: what makes the answer true (distances, angles, times, exemplar frames …), as JSON values.
    """

    kind: Annotated[str, AfterValidator(existing_kind)]

    @model_validator(mode="after")
    def _answer_fits_its_kind(self) -> Item:
        problem = kind_named(self.kind).check(self)
        if problem:
            raise ValueError(problem)
        return self

    @property
    def letters(self) -> str:
        """The letters of the options: 'ABCD' for four."""
        return LETTERS[: len(self.options)]

    @property
    def cluster(self) -> str:
        """What the item is clustered by in every interval: its scene, or itself where it has none."""
        return self.scene if self.scene is not None else f"item:{self.id}"

    @property
    def exact_answer(self) -> Fraction:
        """The answer of a number question, as the exact value of its decimal text."""
        return _exact(self.answer)

    @property
    def float_answer(self) -> float:
        """The answer of a number question in float64."""
        return float(_exact(self.answer))

    @property
    def answer_text(self) -> str:
        """The right answer in words: the text of the right option, or the number."""
        text: str = kind_named(self.kind).answer_text(self)
        return text

    @property
    def lettered_options(self) -> list[str]:
        """The options as 'A. text'."""
        return [f"{letter}. {text}" for letter, text in zip(self.letters, self.options, strict=True)]

    @property
    def interleaved(self) -> bool:
        """Whether the media stand inside the text, at `<image>` marks."""
        marks = self.question.count(MEDIA_MARK) + sum(o.count(MEDIA_MARK) for o in self.options)
        return marks > 0 and marks == len(self.media)

    def reordered(self, order: Sequence[int]) -> Item:
        """The question with its options in another order.

        The answer's letter moves with its option, and so do media that stand inside options. `verbatim` is gone, as it
        may hold the options in their old order.

        Args:
            order: for each new place the old one, from 0.

        Raises:
            ValueError: the order doesn't name each option once.
        """
        if sorted(order) != list(range(len(self.options))):
            raise ValueError(f"{list(order)} is no order of {len(self.options)} options")
        media = self.media
        if self.interleaved:
            end = self.question.count(MEDIA_MARK)
            shown, inside = list(media[:end]), []
            for option in self.options:
                start, end = end, end + option.count(MEDIA_MARK)
                inside.append(media[start:end])
            media = (*shown, *(medium for place in order for medium in inside[place]))
        return self.model_copy(
            update={
                "options": tuple(self.options[place] for place in order),
                "answer": self.letters[list(order).index(self.letters.index(self.answer))],
                "media": media,
                "verbatim": None,
            }
        )
