"""Boxes in a picture: one, or several.

The answer is a place (`scoring.regions.place`) with a `box` or with `boxes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tolman.items import Item
from tolman.kinds.in_pictures import (
    check_place,
    on_scale,
    oracle_place,
    scale_in_words,
    shown_box,
    shown_scale,
    stored_place,
)
from tolman.scoring.item_kind import ROUNDING, ItemKind
from tolman.scoring.metrics import places
from tolman.scoring.parse import read_careful_boxes
from tolman.scoring.regions.place import read_place
from tolman.scoring.regions.scales import GREATEST, asked_scale

AGREE_FROM = 0.5
"""The intersection over union from which on two people's boxes are the same."""


def _check(item: Item) -> str:
    problem = check_place(item)
    return problem or ("" if read_place(item.answer).boxes else "the answer is a place without a box")


def _guesses(item: Item, answers: Sequence[str]) -> Sequence[str]:
    return answers or ("[0.0, 0.0, 1.0, 1.0]",)


def _right_response(item: Item) -> str:
    """The boxes as models write them: a list of numbers, or of such lists; the answer where those would be read as on
    another scale."""
    place = read_place(item.answer)
    scale, size = shown_scale(item)
    across, down = size or (GREATEST[scale.name],) * 2
    found = []
    for box in place.boxes:
        xs = [on_scale(x / place.size[0], across) for x in (box.x0, box.x1)]
        ys = [on_scale(y / place.size[1], down) for y in (box.y0, box.y1)]
        pairs = zip(ys, xs, strict=True) if scale.y_first else zip(xs, ys, strict=True)
        found.append("[" + ", ".join(n for pair in pairs for n in pair) + "]")
    said = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
    reading = read_careful_boxes(item, said)
    return said if reading.value is not None and places.mean_overlap(item, reading) > 1 - ROUNDING else item.answer


def _answer_text(item: Item) -> str:
    place = read_place(item.answer)
    return ", ".join(shown_box(place, box) for box in place.boxes)


def _stated(item: Item, text: str) -> str | None:
    return stored_place(read_careful_boxes(item, text))


def _released(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith("{"):
        read_place(stripped)
        return stripped
    found = _stated(Item.model_construct(id="", question="", kind="boxes", answer="", task=""), stripped)
    if found is None:
        raise ValueError(f"the answer {text[:40]!r} is no box in a picture")
    return found


def _form(item: Item) -> str:
    return "[y0, x0, y1, x1]" if asked_scale(item).y_first else "[x0, y0, x1, y1]"


def _oracle_text(item: Item, value: Any) -> str:
    return repr(list(map(float, value))) if isinstance(value, list | tuple) else oracle_place(item, value)


KIND = ItemKind(
    name="boxes",
    title="boxes in a picture",
    check=_check,
    read=read_careful_boxes,
    metric=places.BOX_IOU,
    guesses=_guesses,
    oracle_text=_oracle_text,
    answer_text=_answer_text,
    right_response=_right_response,
    demand=lambda item: (
        f"Answer with the box only, as a JSON list {_form(item)}, or a list of such lists where there are several, "
        f"with x and y {scale_in_words(item)}."
    ),
    judge_request=lambda item: (
        "Reply with the boxes that the response gives, copied as they are with all their digits, and nothing else."
    ),
    is_graded=True,
    widget="boxes",
    released_answer=_released,
    answer_form=lambda item: f"a JSON list {_form(item)}, {scale_in_words(item)}",
    stated_answer=_stated,
    agree_from=AGREE_FROM,
    asks_for="boxes in a picture",
)
