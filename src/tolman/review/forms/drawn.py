"""Points and lines that people draw on pictures and frames: reading them from a form, as evidence of an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Form as InForm
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tolman.items import Media
from tolman.review.forms.answers import AnswerError
from tolman.review.forms.fields import Clean

MOST = 50
_SAME_FRAME_SECONDS = 0.002
"""By so much a browser's time of a frame may differ from the file's."""
_Number = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
_Place = tuple[_Number, _Number]

Drawn = Annotated[str, InForm(max_length=50_000), Clean]
"""The field of a form: a JSON list of drawings; '' for none."""


class DrawnMark(BaseModel):
    """A point, or a line from one point to another.

    Attributes:
        medium: which of the question's media, from 1.
        points: x and y in pixels of the original picture, seen upright: x to the right, y down.
        size: width and height of that picture, in pixels.
        time: of the frame, in seconds of the video's own time; None on an image.
        frame: its number in the file, from 0; None on an image, and where the file can't be read.
        note: what is marked, in its author's words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    medium: int = Field(ge=1)
    points: Annotated[tuple[_Place, ...], Field(min_length=1, max_length=2)]
    size: _Place
    time: _Number | None = None
    frame: int | None = Field(default=None, ge=0)
    note: str = Field(default="", max_length=200)


_DRAWINGS = TypeAdapter(list[DrawnMark])
Times = Callable[[Media], Sequence[float]]


def read_drawn(text: str, media: Sequence[Media], times: Times) -> list[dict[str, Any]]:
    """Stored form of drawings, in their order.

    Args:
        text: of the form's field.
        media: of the question.
        times: video → when each of its frames is shown, in seconds; empty where that can't be read.

    Raises:
        AnswerError: they are none, too many, or outside of the question's media.
    """
    if not text.strip():
        return []
    try:
        found = _DRAWINGS.validate_json(text)
    except ValidationError as error:
        raise AnswerError(f"The drawings can't be read: {error.errors()[0]['msg'].lower()}.") from None
    if len(found) > MOST:
        raise AnswerError(f"There are {len(found)} drawings: at most {MOST}, please.")
    return [_placed(one, media, times).model_dump(mode="json", exclude_none=True) for one in found]


def _placed(drawing: DrawnMark, media: Sequence[Media], times: Times) -> DrawnMark:
    """A drawing with the frame that it is on.

    Raises:
        AnswerError: there is no such medium, place or frame.
    """
    if drawing.medium > len(media):
        raise AnswerError(f"A drawing is on medium {drawing.medium} of {len(media)}.")
    if any(x > drawing.size[0] or y > drawing.size[1] for x, y in drawing.points):
        width, height = drawing.size
        raise AnswerError(f"A drawing lies outside of its picture of {width:g} × {height:g} pixels.")
    medium = media[drawing.medium - 1]
    if (medium.kind == "video") != (drawing.time is not None):
        wrong = "a video without its time" if medium.kind == "video" else "an image with a time"
        raise AnswerError(f"A drawing is on {wrong}.")
    known = times(medium) if drawing.time is not None else ()
    if drawing.time is None or not known:
        return drawing.model_copy(update={"frame": None})
    time = drawing.time
    frame = min(range(len(known)), key=lambda number: abs(known[number] - time))
    if abs(known[frame] - time) > _SAME_FRAME_SECONDS:
        raise AnswerError(f"A drawing is at {time:g} s, where the video begins no frame.")
    return drawing.model_copy(update={"frame": frame, "time": known[frame]})


def as_field(content: Mapping[str, Any]) -> str:
    """The form's field for what is stored; the inverse of `read_drawn`."""
    return json.dumps(content["drawn"]) if content.get("drawn") else ""
