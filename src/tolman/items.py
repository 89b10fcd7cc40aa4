"""Items, each one question about some media with its answer, and selections of a benchmark's items.

A selection is a part of a benchmark, chosen on the command line and marked in every figure.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from tolman.errors import UsageError, hint, nearest
from tolman.memory import Lean
from tolman.plugins import loaded_plugins
from tolman.registry import Registry

LETTERS = string.ascii_uppercase
FIXED_KINDS = ("choice", "number")
"""Item kinds that no plugin can replace by its own of the same name."""
MEDIA_MARK = "<image>"
"""Where a medium stands in the text of a question or an option, in the order of `Item.media`."""

Unit = Literal["count", "m", "cm", "m2"]

KINDS = Registry("item kind", "tolman.kinds", "KIND", "tolman.kinds", "ITEM_KINDS")
CANT_TELL = "can't tell"
"""The answer to a question whose media don't show enough, where that is offered: the last option, or these words."""
BY_WORDS = "right_by_words"
"""A mark in `Item.evidence`: the release compares words, so that every option with the right one's words is right."""
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


def plain_words(text: str) -> str:
    """A text without differences of case and white space."""
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1 << 14)
def _exact(answer: str) -> Fraction:
    """The value of a decimal text or a fraction such as '1/2'.

    Raises:
        ValueError: the text is none; one with an underscore, as in '1_000', is a number only in program code.
    """
    if "_" in answer:
        raise ValueError(f"{answer[:40]!r} is no number")
    return Fraction(answer)


class Media(Lean):
    """One video or image.

    Attributes:
        kind: of medium.
        path: the file, relative to the benchmark's data folder.
        part: for a medium stored inside a table file, its (row, position in the row's list), from 0.
        start, end: the part of a video that is meant, in seconds; the whole where None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Literal["video", "image"]
    path: str
    part: tuple[int, int] | None = None
    start: float | None = None
    end: float | None = None


class ItemFields(Lean):
    """The fields of an item, which questions on their way into a benchmark have too (`curate.candidates.Candidate`).

    `Item` documents them. Subclasses check `kind`, and that the answer fits it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

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
        question: the text, without its options. If it (or an option) holds as many `<image>` marks as there are media,
            the media are shown there; otherwise they come as the benchmark's prompt says.
        kind: `choice` (the answer is a letter), `number`, or another that `tolman.kinds` or a plugin has.
        answer: the letter, or the number as the benchmark prints it; of other kinds the text that is right, in the
            form that the kind's module says.
        unit: of a number: `count`, `m`, `cm` or `m2`; None where the question doesn't say.
        options: the texts of the options, without letters; the first is A.
        verbatim: the question as released, where the released prompt uses that text as a whole.
        task: the benchmark's question type, the finest that its table distinguishes.
        labels: further classifications (level, category, source data set, scene type …).
        scene: items of one scene share their error and are one cluster in every interval.
        media: in the order in which they are shown.
        reasoning: the people's reasoning that came with the question.
        all_of: items that name the same group count as one question, right only if all of them are.
        evidence: the facts behind the answer (distances, angles, times, exemplar frames …), as JSON values.
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
    def right_letters(self) -> str:
        """The letters that are right: the answer's, and where the release compares words, those of equal options."""
        if BY_WORDS not in self.evidence:
            return self.answer
        right = plain_words(self.options[LETTERS.index(self.answer)])
        pairs = zip(LETTERS, self.options, strict=False)
        return "".join(letter for letter, option in pairs if plain_words(option) == right)

    @property
    def cluster(self) -> str:
        """Return the item's cluster in every interval: its scene, or itself where it has none."""
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
        """Check whether the media are inside the text, at `<image>` marks."""
        marks = self.question.count(MEDIA_MARK) + sum(o.count(MEDIA_MARK) for o in self.options)
        return marks > 0 and marks == len(self.media)

    def reordered(self, order: Sequence[int]) -> Item:
        """Return the question with its options in another order.

        The answer's letter moves with its option, and so do media inside options. `verbatim` is gone, as it may hold
        the options in their old order.

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


class AdaptiveSelection(BaseModel):
    """How many of the items are asked that an item bank makes informative (`scoring.adaptive_testing`).

    Attributes:
        bank: hash of the bank.
        share: the largest share of the items, above 0 to 1.
        error: standard error of the headline, in points, at which no more is asked; None for the share alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    bank: str
    share: float
    error: float | None = None

    def most(self, count: int) -> int:
        """The most of so many items that are asked."""
        return min(count, math.ceil(round(self.share * count, 6)))


class KnownErrors(BaseModel):
    """Items with known wrong answers that are left out (`tolman.benchmarks.known_errors`).

    Attributes:
        version: of the list.
        answers: item's id → the wrong answer that was released. An item with another answer by now is kept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    version: int
    answers: dict[str, str]

    def has(self, item: Item) -> bool:
        """Check whether an item is left out."""
        return self.answers.get(item.id) == item.answer


class Selection(BaseModel):
    """Which items are taken, in this order: tasks, ids, exclusions, limit.

    Attributes:
        tasks: only these question types.
        ids: only these items.
        exclude: not these items.
        known_errors: nor these; None where nothing was asked of known errors.
        limit: so many, spread evenly over the items that are left, so that every task is among them.
        adaptive: how many of these are asked, while the run chooses them by the answers; None for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    tasks: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    known_errors: KnownErrors | None = None
    limit: int | None = None
    adaptive: AdaptiveSelection | None = None

    @property
    def is_all(self) -> bool:
        """Check that nothing is left out."""
        listed = self.known_errors is not None and self.known_errors.answers
        return not listed and self == Selection(known_errors=self.known_errors)

    def describe(self) -> str:
        """The options that made it, as they are typed."""
        parts = [f"--tasks {','.join(self.tasks)}"] if self.tasks else []
        parts += [f"--ids ({len(self.ids)})"] if self.ids else []
        parts += [f"--exclude ({len(self.exclude)})"] if self.exclude else []
        if self.known_errors is not None and self.known_errors.answers:
            parts.append(f"--exclude known-errors (version {self.known_errors.version})")
        parts += [f"--limit {self.limit}"] if self.limit is not None else []
        if self.adaptive is not None:
            parts.append(f"--adaptive (bank {self.adaptive.bank[:8]}) --adaptive-share {self.adaptive.share:g}")
            parts += [f"--adaptive-error {self.adaptive.error:g}"] if self.adaptive.error is not None else []
        return " ".join(parts)

    def count_errors(self, items: Iterable[Item]) -> int | None:
        """How many of some items are left out for known errors; None where nothing was asked of them."""
        return None if self.known_errors is None else sum(map(self.known_errors.has, items))

    def apply(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items taken, in their order; the same sequence where nothing is left out.

        Raises:
            UsageError: a task or id that doesn't exist, or nothing is left.
        """
        if self.is_all and items:
            return items
        known_tasks, known_ids = {item.task for item in items}, {item.id for item in items}
        for what, asked, known in (("question type", self.tasks, known_tasks), ("item", self.ids, known_ids)):
            unknown = [name for name in asked if name not in known]
            if unknown:
                listed = f"; {hint(unknown[0], sorted(known))}" if what == "question type" else ""
                raise UsageError(f"the benchmark has no {what} '{unknown[0]}'{listed}.")
        if self.exclude and not known_ids & set(self.exclude):
            near = "; did you mean 'known-errors'?" if nearest(self.exclude[0], ["known-errors"]) else "."
            raise UsageError(
                f"the benchmark has no item '{self.exclude[0]}' to exclude, nor any other of the list{near}"
            )
        # Items that count as one question (`all_of`) are taken or left as one.
        groups: dict[str, list[Item]] = {}
        for item in items:
            groups.setdefault(item.all_of or item.id, []).append(item)
        chosen = [
            group
            for group in groups.values()
            if (not self.tasks or group[0].task in self.tasks)
            and (not self.ids or any(item.id in self.ids for item in group))
            and not any(item.id in self.exclude for item in group)
            and not self.count_errors(group)
        ]
        if self.limit is not None and self.limit < len(chosen):
            step = len(chosen) / max(self.limit, 1)
            chosen = [chosen[int(i * step)] for i in range(self.limit)]
        kept = {item.id for group in chosen for item in group}
        taken = [item for item in items if item.id in kept]
        if not taken:
            raise UsageError("no item is left after the selection.")
        return taken
