"""Labels: what items can be told apart by, in tables of scores and lists of questions.

Two kinds of names: labels that items carry (`Item.labels`: difficulty, scene_type, level …), and those that Tolman
derives from any item (`DERIVED`: source, options, media_count …). Where items carry a label of a derived name, theirs
holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import polars as pl

from tolman.errors import UsageError
from tolman.items import Item
from tolman.media.needed import answerable_from, needed_frames
from tolman.media.sampling import Frames
from tolman.names import hint

NOT_LABELLED = "not labelled"
"""The value of an item that doesn't carry a label which others do."""

SOURCE_LABELS = ("source", "dataset", "data_source")
"""Labels under which benchmarks say what data set a question comes from."""

WORD_BOUNDS = (20, 40, 80, 160)
"""Greatest numbers of words in a question of each length class; above the last is a class of its own."""

FRAME_BOUNDS = (1, 2, 4, 8, 16, 32, 64)
"""The same for the fewest evenly taken frames that carry an answer."""

_KNOWN_ORDERS = (
    ("easy", "medium", "hard"),
    ("low", "medium", "high"),
    ("seen", "not seen", "unknown", "no video"),
    ("indoor", "outdoor"),
    ("figural", "vista", "environmental"),
)
"""Values that have an order of their own."""

Shown = Frames | None
"""How a run samples videos; None where it isn't known, or no run is meant."""


@dataclass(frozen=True)
class DerivedLabel:
    """A label that any item has.

    Attributes:
        title: what it is.
        value: (item, how the run samples videos) → the value; None where it has none for the item.
        of_run: whether it depends on the run.
    """

    title: str
    value: Callable[[Item, Shown], str | None]
    of_run: bool = False


def label_frame(items: Iterable[Item], names: Sequence[str], shown: Shown = None) -> pl.DataFrame:
    """The values of labels.

    Args:
        items: the questions.
        names: of labels, each once.
        shown: how the run samples videos, for `frames` and `evidence`.

    Returns:
        Columns `id`, and for each name a column of that name with texts; `NOT_LABELLED` where an item has no value.

    Raises:
        UsageError: no item has a label of some name; the sentence has the nearest and lists all there are.
    """
    items = list(items)
    carried = {name for item in items for name in item.labels}
    for name in names:
        if name not in carried and name not in DERIVED:
            known = [*sorted(carried), *(one for one in DERIVED if one not in carried)]
            raise UsageError(f"no question has the label '{name}'; {hint(name, known)}.")
    columns: dict[str, list[str]] = {"id": [item.id for item in items]}
    for name in names:
        found = (_value(item, name, shown, is_carried=name in carried) for item in items)
        columns[_column(name)] = [value or NOT_LABELLED for value in found]
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return frame.rename({_column(name): name for name in names if name != "id"})


def label_names(items: Iterable[Item]) -> dict[str, int]:
    """The labels that tell some items apart, and how many values each has: those that items carry first, then derived
    ones; a label of which all items have one value is left out."""
    items = list(items)
    names = list(dict.fromkeys(name for item in items for name in item.labels))
    names += [name for name, one in DERIVED.items() if name not in names and not one.of_run]
    frame = label_frame(items, names)
    counts = {name: frame[name].n_unique() for name in names}
    return {name: count for name, count in counts.items() if count > 1}


def in_order(values: Collection[str]) -> list[str]:
    """Values of a label as a table has them: numbers and classes by their size, known scales from low to high, others
    by name; items without the label last."""
    rest = set(values) - {NOT_LABELLED}
    last = [NOT_LABELLED] if NOT_LABELLED in values else []
    for order in _KNOWN_ORDERS:
        if rest <= set(order):
            return [value for value in order if value in rest] + last
    return sorted(rest, key=_place) + last


def _place(value: str) -> tuple[int, Fraction, str]:
    head = value.removeprefix("over ").partition("–")[0].partition(" ")[0]
    try:
        number = Fraction(head)
    except (ValueError, ZeroDivisionError):
        return 1, Fraction(0), value.casefold()
    return 0, number + value.startswith("over "), value


def _column(name: str) -> str:
    return f"label:{name}"  # a label may be called 'id'


def _value(item: Item, name: str, shown: Shown, *, is_carried: bool) -> str | None:
    return item.labels.get(name) if is_carried else DERIVED[name].value(item, shown)


def _source(item: Item, shown: Shown) -> str | None:
    return next((item.labels[name] for name in SOURCE_LABELS if name in item.labels), None)


def _options(item: Item, shown: Shown) -> str:
    return str(len(item.options)) if item.options else "none"


def _media_kind(item: Item, shown: Shown) -> str:
    kinds = sorted({medium.kind for medium in item.media})
    return " and ".join(kinds) or "none"


def _words(item: Item, shown: Shown) -> str:
    return _class(len(item.question.split()), WORD_BOUNDS)


def _answer(item: Item, shown: Shown) -> str:
    return item.answer if item.options else item.kind


def _frames(item: Item, shown: Shown) -> str:
    if not any(medium.kind == "video" for medium in item.media):
        return "no video"
    return shown.describe() if shown is not None else "unknown"


def _frames_needed(item: Item, shown: Shown) -> str | None:
    found = needed_frames(item)
    least = None if found is None else found.least.get(_rounding(shown))
    return None if least is None else _class(least, FRAME_BOUNDS)


def _rounding(shown: Shown) -> Literal["down", "nearest"]:
    return "nearest" if shown is not None and shown.rounding == "nearest" else "down"


def _evidence(item: Item, shown: Shown) -> str:
    return "unknown" if shown is None else answerable_from(item, shown)


def _class(number: int, bounds: Sequence[int]) -> str:
    """The class that a whole number from 0 is in: '1', '2–4', 'over 64'."""
    least = 0
    for most in bounds:
        if number <= most:
            return f"{least}–{most}" if least < most else str(most)
        least = most + 1
    return f"over {bounds[-1]}"


DERIVED: Mapping[str, DerivedLabel] = {
    "task": DerivedLabel("question type", lambda item, shown: item.task),
    "source": DerivedLabel("data set that the question comes from", _source),
    "scene": DerivedLabel("scene", lambda item, shown: item.scene),
    "kind": DerivedLabel("kind of answer: choice, number …", lambda item, shown: item.kind),
    "unit": DerivedLabel("unit of a number", lambda item, shown: item.unit),
    "options": DerivedLabel("number of options", _options),
    "answer": DerivedLabel("letter of the right option; the kind of answer where there are no options", _answer),
    "media_count": DerivedLabel("number of videos and pictures", lambda item, shown: str(len(item.media))),
    "media_kind": DerivedLabel("video, image, or both", _media_kind),
    "question_words": DerivedLabel("words in the question, without its options", _words),
    "frames_needed": DerivedLabel("fewest evenly taken frames that carry the answer", _frames_needed),
    "frames": DerivedLabel("frames that the run shows of a video", _frames, of_run=True),
    "evidence": DerivedLabel("whether the frames that the run shows carry the answer", _evidence, of_run=True),
}
"""Name → label that needs no label of the item's own; in this order in lists."""
