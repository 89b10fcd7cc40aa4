"""Trying: models answer a question that is being written, without its media and from single pictures of it.

MMSI-Bench's rule (section 3.2): a question can't be answered from one picture alone, nor by common sense. What a model
answers by chance is told from what it can answer by asking a choice twice, with its options in two orders: it counts as
answered only where both answers are right. A failure is never an answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman import models
from tolman.errors import TolmanError
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.media.sampling import Frames
from tolman.media.store import FrameStore, default_root
from tolman.media.video import BrokenMediaError
from tolman.messages import Message, Picture, Sampling
from tolman.models.base import CallError, Model, ModelOptions, Request
from tolman.runtime import run_blocking

TIMEOUT_SECONDS = 120.0
_FRAMES = Frames(count=1, rounding="middle", longest_side=1024, quality=85)
_ASK_LETTER = "Answer with the option's letter alone."
_ASK_VALUE = "Answer with the value alone, without words around it."


@dataclass(frozen=True)
class TrialView:
    """What a model is shown of a question.

    Attributes:
        name: 'blind', or 'picture 2' / 'frame of video 1'.
        media: the one medium, or none.
    """

    name: str
    media: tuple[Media, ...]


@dataclass(frozen=True)
class TrialOutcome:
    """What came of one model and one view.

    Attributes:
        answers: as they were read, one for each order of the options; the letters are the question's own.
        right: whether all of them are the right one; None where any is missing.
        problem: why there is no answer; '' where there are answers.
    """

    answers: tuple[str, ...] = ()
    right: bool | None = None
    problem: str = ""


def views(item: Item) -> list[TrialView]:
    """The question without media, then with each medium alone; of a video its middle frame."""
    found = [TrialView("blind", ())]
    for number, medium in enumerate(item.media, start=1):
        name = f"picture {number}" if medium.kind == "image" else f"a frame of video {number}"
        found.append(TrialView(name, (medium,)))
    return found


def digest(item: Item) -> str:
    """A name for what is tried: the same for the same question, options, answer and media."""
    media = [medium.model_dump(mode="json") for medium in item.media]
    told = [item.question, item.kind, item.options, item.answer, item.unit, media]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()[:32]


def attempt(name: str, item: Item, view: TrialView, folders: Sequence[Path]) -> TrialOutcome:
    """Ask a model; what goes wrong is told, never taken for an answer.

    Args:
        name: of the model, as `tolman run --model` takes it.
        item: the question.
        view: what of its media is shown.
        folders: in which its media are looked for.
    """
    try:
        return run_blocking(_attempt(name, item, view, folders))
    except CallError as error:
        return TrialOutcome(problem=error.message)
    except (TolmanError, BrokenMediaError) as error:
        return TrialOutcome(problem=str(error))
    except TimeoutError:
        return TrialOutcome(problem=f"no answer within {TIMEOUT_SECONDS:.0f} s")


async def _attempt(name: str, item: Item, view: TrialView, folders: Sequence[Path]) -> TrialOutcome:
    model = models.create(name, ModelOptions(timeout=TIMEOUT_SECONDS))
    try:
        if view.media and not getattr(model, "takes_pictures", True):
            return TrialOutcome(problem="the model reads text only")
        answers: list[str] = []
        for asked, letters in _orders(item):
            answer = await asyncio.wait_for(_answer(model, asked, view, folders), TIMEOUT_SECONDS)
            if answer is None:
                return TrialOutcome(tuple(answers), None, "the reply holds no answer that can be read")
            answers.append(letters.get(answer, answer))
        kind = kind_of(item)
        return TrialOutcome(tuple(answers), all(kind.agree(item, answer, item.answer) for answer in answers))
    finally:
        await model.close()


def _orders(item: Item) -> list[tuple[Item, dict[str, str]]]:
    """The question, and where it has options also with them the other way round; letter asked → the question's own."""
    if not kind_of(item).has_letters:
        return [(item, {})]
    own = LETTERS[: len(item.options)]
    turned = item.model_copy(update={"options": tuple(reversed(item.options))})
    return [(item, {}), (turned, dict(zip(own, reversed(own), strict=True)))]


async def _answer(model: Model, item: Item, view: TrialView, folders: Sequence[Path]) -> str | None:
    """The answer as it was read; None where none could be."""
    pictures = [picture for medium in view.media for picture in _pictures(medium, folders)]
    lines = [item.question.replace(MEDIA_MARK, "the picture").strip()]
    lines += [f"{letter}. {option}" for letter, option in zip(item.letters, item.options, strict=True)]
    lines.append(_ASK_LETTER if kind_of(item).has_letters else _ASK_VALUE)
    message = Message(parts=(*pictures, "\n".join(lines)))
    reply = await model.answer(Request(item=item, messages=(message,), sampling=Sampling()))
    read = kind_of(item).read(item, reply.response).value
    return None if read is None else str(read)


def _pictures(medium: Media, folders: Sequence[Path]) -> Sequence[Picture]:
    folder = next((one for one in folders if (one / medium.path).is_file()), folders[0])
    return FrameStore(default_root()).pictures(folder, medium, _FRAMES)
