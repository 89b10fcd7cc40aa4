"""Trials: models answer a question that is being written, without its media and from single pictures of it.

MMSI-Bench's rule (section 3.2): a question can't be answered from one picture alone, nor by common sense. To exclude
right answers by chance, a choice is asked twice, with its options in two orders. It counts as answered only where both
answers are right. A failure is never an answer. Trials are asked in the background, shown when there, and kept with the
question.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman import models
from tolman.errors import TolmanError
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Message, Picture, Sampling
from tolman.models.model import CallError, Model, ModelOptions, Request
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Trial
from tolman.runtime import run_blocking

TIMEOUT_SECONDS = 120.0
_FRAMES = Frames(count=1, rounding="middle", longest_side=1024, quality=85)
_ASK_LETTER = "Answer with the option's letter alone."
_ASK_VALUE = "Answer with the value alone, without words around it."


@dataclass(frozen=True)
class TrialView:
    """The part of a question that a model sees.

    Attributes:
        name: 'blind', or 'picture 2' / 'frame of video 1'.
        media: the one medium, or none.
    """

    name: str
    media: tuple[Media, ...]


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of one model and one view.

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
    """Return a key of a trial: the same for the same question, options, answer and media."""
    media = [medium.model_dump(mode="json") for medium in item.media]
    told = [item.question, item.kind, item.options, item.answer, item.unit, media]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()[:32]


def attempt(name: str, item: Item, view: TrialView, folders: Sequence[Path]) -> TrialOutcome:
    """Ask a model; an error is reported, never taken for an answer.

    Args:
        name: of the model, as `tolman run --model` takes it.
        item: the question.
        view: the part of its media that is shown.
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


WAITING, DONE, FAILED = "waiting", "done", "failed"
_AT_ONCE = 4
_LOST_SECONDS = 4 * TIMEOUT_SECONDS
"""After which a trial that has no outcome was lost, say because the server was stopped."""


def begin(db: Orm, site: Site, own: Assignment, item: Item) -> list[tuple[int, str, TrialView]]:
    """Add the pending trials of a question: those not made yet, and those that failed.

    Returns:
        Number of the trial, model and view, for `run` once this is committed.
    """
    known = {(one.model, one.view): one for one in trials(db, own, item)}
    now = site.settings.clock()
    found = []
    for model in site.settings.try_models:
        for view in views(item):
            row = known.get((model, view.name))
            if row is None:
                row = Trial(assignment_id=own.id, digest=digest(item), model=model, view=view.name, created=now)
                db.add(row)
            elif state_of(site, row) != FAILED:
                continue
            row.state, row.created, row.content = WAITING, now, {}
            db.flush()
            found.append((row.id, model, view))
    return found


def run(site: Site, item: Item, wanted: Sequence[tuple[int, str, TrialView]]) -> None:
    """Try in the background."""
    for number, model, view in wanted:
        _threads().submit(_run, site, item, number, model, view)


def trials(db: Orm, own: Assignment, item: Item) -> list[Trial]:
    """Return the trials of the current form of a question, in the order of the requests."""
    chosen = select(Trial).where(Trial.assignment_id == own.id, Trial.digest == digest(item))
    return list(db.scalars(chosen.order_by(Trial.id)))


def state_of(site: Site, row: Trial) -> str:
    """The state of a trial; one that was lost has failed."""
    lost = row.state == WAITING and site.settings.clock() - row.created > _LOST_SECONDS
    return FAILED if lost else row.state


def shown(site: Site, row: Trial) -> dict[str, Any]:
    """A trial for the writer's page."""
    state = state_of(site, row)
    problem = row.content.get("problem") or ("the server was stopped meanwhile" if state == FAILED else "")
    return {
        "model": row.model,
        "view": row.view,
        "state": state,
        "answers": row.content.get("answers", []),
        "right": row.content.get("right"),
        "problem": problem,
    }


def kept(db: Orm, site: Site, own: Assignment, item: Item) -> list[dict[str, Any]]:
    """Return the outcomes that are kept with a question; trials without an outcome yet are left out."""
    found = [shown(site, row) for row in trials(db, own, item)]
    return [
        {name: value for name, value in one.items() if name != "state" and value not in ("", None, [])}
        for one in found
        if one["state"] != WAITING
    ]


def _run(site: Site, item: Item, number: int, model: str, view: TrialView) -> None:
    try:
        found = attempt(model, item, view, site.folders)
    except Exception as error:  # a third party's adapter may raise anything: the trial has failed then
        found = TrialOutcome(problem=f"{type(error).__name__}: {error}"[:500])
    with site.database.write() as db:
        row = db.get_one(Trial, number)
        row.state = FAILED if found.problem else DONE
        row.content = {"answers": list(found.answers), "right": found.right, "problem": found.problem}


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="trying")
