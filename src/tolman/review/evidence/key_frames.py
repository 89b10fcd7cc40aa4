"""Evidence: the key frames and the short trace that come with an answer, and the checklist they are held to.

Source: SpatialBench (Xu et al. 2025), section 4.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tolman.items import Item

MOST_FRAMES = 20
_FRAME = re.compile(r"(?:(?P<medium>\d{1,3})\s*@\s*)?(?P<number>\d{1,6}(?:\.\d{1,6})?)")


class EvidenceError(Exception):
    """The form's evidence or checklist is none; the text is one sentence for whoever sent it."""


class KeyFrame(BaseModel):
    """A moment of a video, or an image, that shows why an answer is right.

    Attributes:
        medium: which of the question's media, from 1.
        seconds: from the beginning of a video; None for an image.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    medium: int = Field(ge=1)
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def read_frames(item: Item, text: str) -> list[KeyFrame]:
    """Key frames as people write them: '1.5, 12' seconds of the only video, '2' for the second image, '3@1.5' for the
    third medium at 1.5 s.

    Raises:
        EvidenceError: there is none, too many, or one that the question's media don't have.
    """
    pieces = [piece.strip() for piece in re.split(r"[,;\n]", text) if piece.strip()]
    only_video = len(item.media) == 1 and item.media[0].kind == "video"
    if not pieces and item.media:
        raise EvidenceError("Name at least one key frame, which shows that the answer is right.")
    if len(pieces) > MOST_FRAMES:
        raise EvidenceError(f"Name the key frames only, {MOST_FRAMES} at most.")
    found = []
    for piece in pieces:
        match = _FRAME.fullmatch(piece)
        if match is None:
            raise EvidenceError(f"“{piece[:40]}” is no key frame. Write {_how(item, only_video=only_video)}.")
        if match["medium"] is None and not only_video:
            medium, seconds = match["number"], None
        else:
            medium, seconds = match["medium"] or "1", float(match["number"])
        known = medium.isdigit() and 1 <= int(medium) <= len(item.media)
        if not known or (item.media[int(medium) - 1].kind == "video") != (seconds is not None):
            raise EvidenceError(f"“{piece[:40]}” isn't there. Write {_how(item, only_video=only_video)}.")
        found.append(KeyFrame(medium=int(medium), seconds=seconds))
    return list(dict.fromkeys(found))


def _how(item: Item, *, only_video: bool) -> str:
    if only_video:
        return "seconds of the video, such as 1.5, 12"
    if all(medium.kind == "image" for medium in item.media):
        return f"the numbers of pictures, from 1 to {len(item.media)}"
    return "the video's number and seconds, such as 1@2.5"


def write_frames(item: Item, frames: Sequence[KeyFrame]) -> str:
    """The inverse of `read_frames`."""
    only_video = len(item.media) == 1
    return ", ".join(
        f"{frame.medium}"
        if frame.seconds is None
        else f"{frame.seconds:g}"
        if only_video
        else f"{frame.medium}@{frame.seconds:g}"
        for frame in frames
    )


def read_evidence(item: Item, frames: str, trace: str) -> dict[str, Any]:
    """Stored form of an answer's evidence.

    Raises:
        EvidenceError: the key frames are none, or the trace is empty.
    """
    found = read_frames(item, frames)
    if not trace.strip():
        raise EvidenceError("Say in a sentence or two what settles the question.")
    return {"frames": [frame.model_dump(mode="json", exclude_none=True) for frame in found], "trace": trace.strip()}


def read_checklist(points: Sequence[str], ticked: Sequence[str], problems: Mapping[int, str]) -> list[dict[str, Any]]:
    """Each point with whether it is fulfilled, and the problem where it isn't.

    Args:
        points: the checklist.
        ticked: numbers of the points that are fulfilled, from 0.
        problems: number of a point → what is wrong with it.

    Raises:
        EvidenceError: a point was left out, or has both.
    """
    found = []
    for number, point in enumerate(points):
        fine, problem = str(number) in ticked, problems.get(number, "").strip()
        if fine == bool(problem):
            both = "is ticked and has a problem" if fine else "is left out"
            raise EvidenceError(f"Point {number + 1} of the checklist {both}: tick it, or name the problem.")
        found.append({"point": point, "fine": fine, "problem": problem})
    return found
