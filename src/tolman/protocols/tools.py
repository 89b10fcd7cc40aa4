"""A strategy in which the model may look again before it answers: at another moment of a video, or at an enlarged part.

The model asks in plain text, so that any endpoint will do. A request is a line of its own: FRAME or CROP, and numbers.
The idea is that of OpenAI's "Thinking with images" (2025). The words of the prompts are Tolman's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.cognitive_maps import conclusion
from tolman.errors import UsageError, counted
from tolman.items import Item, Media
from tolman.messages import Detail, Message, Part, Picture
from tolman.protocols import Answer, Ask, Conversation, Look, ProtocolOptions, Question, Strategy, with_lines
from tolman.responses import Response

FRAME, CROP = "FRAME", "CROP"
OFFER = (
    "Before you answer, you may look again, up to {looks} times. To do so, reply with one such line and nothing else:"
)
FRAME_LINE = "FRAME {number}12.5 shows the video at that time, in seconds."
CROP_LINE = (
    "CROP {number}{seconds}40 20 70 60 enlarges a part: its left, top, right and bottom side, in percent of the "
    "picture's width and height."
)
NUMBERED = "The first number says which of the {count} pictures and videos is meant, from 1."
SHOWN = "The frames that you see are of {times} s."
END = "When you have seen enough, answer."
LEFT = "{shown} You may look {left}, or answer. {demand}"
LAST = "{shown} You can't look any more: answer now. {demand}"
LONGEST = 200
"""Characters of a line in which a request is read."""
_UNITS = ("s", "sec", "second", "seconds", "percent")
UNMET = "That can't be shown: {why}."


def converse_with_tools(question: Question) -> Conversation:
    """The question, the looks that the model asks for, and its answer."""
    media, left = question.item.media, question.options.looks
    seen: tuple[Part, ...] = yield Look(media)
    sampling, notes = question.sampling(long=True), Counter[str]()
    messages: tuple[Message, ...] = (with_lines(question.prompt, *_offer(media, seen, left)),)
    while True:
        response: Response = yield Ask(messages, sampling, purpose="answer" if not notes else f"look {notes.total()}")
        request = read_request(response.response)
        if request is None or not left:
            notes["requests after the last look"] += request is not None
            return Answer(response.response, dict(notes))
        left -= 1
        wanted = detail_of(*request, media)
        notes["looks that can't be met" if isinstance(wanted, str) else f"looks by {request[0]}"] += 1
        shown = UNMET.format(why=wanted) if isinstance(wanted, str) else _said_of(wanted)
        text = (
            (LEFT if left else LAST)
            .format(shown=shown, left=counted(left, "more time"), demand=question.demand)
            .rstrip()
        )
        parts = (text,) if isinstance(wanted, str) else (wanted, text)
        messages = (*messages, Message(role="assistant", parts=(response.response,)), Message(parts=parts))


def _said_of(detail: Detail) -> str:
    """The sentence with a detail. A time that the video doesn't have gives its nearest frame, so the frame is named."""
    return "Here it is." if detail.seconds is None else f"Here is the frame nearest to {detail.seconds:g} s."


def _offer(media: Sequence[Media], seen: Sequence[Part], looks: int) -> list[str]:
    """The lines below the question that say how to look again."""
    is_video = any(medium.kind == "video" for medium in media)
    number = "1 " if len(media) > 1 else ""
    lines = [OFFER.format(looks=looks)]
    lines += [FRAME_LINE.format(number=number)] if is_video else []
    lines.append(CROP_LINE.format(number=number or ("" if is_video else "1 "), seconds="12.5 " if is_video else ""))
    lines += [NUMBERED.format(count=len(media))] if number else []
    pictures = (one for one in seen if isinstance(one, Picture))  # a video that is sent whole is none
    times = [f"{picture.seconds:.1f}" for picture in pictures if picture.seconds is not None]
    lines += [SHOWN.format(times=", ".join(times))] if times and not number else []
    return [*lines, END]


def read_request(text: str) -> tuple[str, tuple[float, ...]] | None:
    """Read a response's first line that asks to look again; None where it has none.

    Args:
        text: the response, hostile or not. Text behind the line, such as an imagined picture, is ignored.

    Returns:
        `FRAME` or `CROP`, and the numbers behind it.
    """
    for line in conclusion(text).splitlines():
        word, *rest = re.sub(r"[,:%*`]", " ", line[:LONGEST]).split() or [""]
        if word.upper() in (FRAME, CROP):
            try:
                numbers = tuple(float(one.rstrip("s.")) for one in rest if one.lower().rstrip(".") not in _UNITS)
            except ValueError:
                continue
            if 1 <= len(numbers) <= 6 and all(map(math.isfinite, numbers)):
                return word.upper(), numbers
    return None


def detail_of(word: str, numbers: Sequence[float], media: Sequence[Media]) -> Detail | str:
    """Return the picture that a request asks for, or why there is none, as the rest of a sentence.

    Args:
        word: `FRAME` or `CROP`.
        numbers: which medium (if there are several, or for an image), the time in seconds (of a video), the sides of
            a part in percent.
        media: the question's.
    """
    place, box = (list(numbers), None) if word == FRAME else (list(numbers[:-4]), tuple(numbers[-4:]))
    which = place.pop(0) if place and (len(media) > 1 or media[0].kind == "image") else 1.0
    if which not in range(1, len(media) + 1):
        return f"there {'is one picture or video' if len(media) == 1 else f'are {len(media)} pictures and videos'}"
    medium = media[int(which) - 1]
    if len(place) != (medium.kind == "video") or (word == FRAME and medium.kind == "image"):
        return "the line needs other numbers" if medium.kind == "video" else "an image has no times"
    if box is not None:
        if len(box) != 4:
            return "a part has four sides"
        left, top, right, bottom = (min(100.0, max(0.0, side)) for side in box)
        if right - left < 1 or bottom - top < 1:
            return "the part is narrower than 1 percent, or its sides are in another order"
        box = (left, top, right, bottom)
    return Detail(**medium.model_dump(), seconds=place[0] if place else None, box=box)


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    bare = [item for item in items if not item.media]
    if bare:
        raise UsageError(
            f"the protocol tools shows media again, and {len(bare):,} of {counted(len(items), 'question')} "
            f"{'has' if len(bare) == 1 else 'have'} none (the first is {bare[0].id})."
        )


PROTOCOL = Strategy(
    "tools",
    converse_with_tools,
    uses=("looks", "reasoning_tokens"),
    check=_check,
    refuses={
        "blind": "there is nothing to look at again",
        **dict.fromkeys(("joined", "correspondence"), "pictures are asked for by their numbers"),
    },
    summary="the model may ask for other frames and enlarged parts before it answers",
)
