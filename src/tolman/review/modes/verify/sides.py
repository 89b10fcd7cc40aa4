"""Answers side by side: whose, with which evidence, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.evidence.key_frames import KeyFrame
from tolman.review.evidence.opinions import Opinion
from tolman.review.forms.answers import agree, shown_answer
from tolman.review.media.serving import address
from tolman.review.modes.verify.approval import MODELS, second_answer
from tolman.review.site import Site
from tolman.review.store.schema import Assignment
from tolman.review.tasks import work
from tolman.review.tasks.drawing import brought
from tolman.review.tasks.settling import ANSWER, RESOLVE

_SHOWN = 8


@dataclass(frozen=True)
class Still:
    """A key frame as a picture.

    Attributes:
        url: of the picture.
        label: what it is called.
        medium: which of the question's media, from 1.
        seconds: of a video.
    """

    url: str
    label: str
    medium: int
    seconds: float | None


@dataclass(frozen=True)
class Side:
    """One answer.

    Attributes:
        title: whose it is.
        kind: 'proposed', 'mine', 'second' or 'model'.
        answer: as pages show it; None where there is none.
        agrees: whether it is the proposed one.
        trace: why, in their words.
        stills: key frames.
        note: what else is to be said: a failure, frames that aren't known.
        measured: how it was measured, where it was.
        drawn: points and lines that they drew.
    """

    title: str
    kind: str
    answer: str | None
    agrees: bool
    trace: str
    stills: tuple[Still, ...] = ()
    note: str = ""
    measured: dict[str, Any] | None = None
    drawn: tuple[dict[str, Any], ...] = ()


def sides(db: Orm, site: Site, own: Assignment, item: Item) -> list[Side]:
    """All answers to an item that somebody may see who has given theirs, the proposed one first."""
    task = own.task
    evidence = item.evidence.get("annotation")
    found = [
        _of_person(
            "Proposed", "proposed", site, own, item,
            {"answer": item.answer, "evidence": evidence, "measured": item.evidence.get("measured")},
        )
    ]  # fmt: skip
    if task.stage == RESOLVE:
        second = second_answer(db, task)
        if second is not None:
            found.append(
                _of_person(
                    "The second person", "second", site, own, item, second.content,
                    brought(db, db.get_one(Assignment, second.assignment_id)),
                )
            )  # fmt: skip
    mine = work.submission(db, own, ANSWER)
    if mine is not None:
        found.append(_of_person("You", "mine", site, own, item, mine.content, brought(db, own)))
    opinions = [Opinion.model_validate(opinion) for opinion in task.content.get(MODELS, [])]
    return [*found, *(_of_model(opinion, site, own, item) for opinion in opinions)]


def _of_person(
    title: str, kind: str, site: Site, own: Assignment, item: Item, content: dict[str, Any],
    further: Sequence[dict[str, Any]] = (),
) -> Side:  # fmt: skip
    evidence = content["evidence"] if isinstance(content["evidence"], dict) else {}
    frames = [KeyFrame.model_validate(frame) for frame in evidence.get("frames", [])]
    return Side(
        title=title,
        kind=kind,
        answer=shown_answer(item, content["answer"]),
        agrees=agree(item, content["answer"], item.answer),
        trace=str(evidence.get("trace", "")) or ("" if kind != "proposed" else item.reasoning or ""),
        stills=_stills(site, own, item, frames),
        measured=content.get("measured"),
        drawn=(*content.get("drawn", ()), *further),
    )


def _of_model(opinion: Opinion, site: Site, own: Assignment, item: Item) -> Side:
    note = opinion.failure or ""
    if opinion.shown:
        note = f"Key frames: {', '.join(map(str, opinion.shown))} of the pictures it was shown."
    return Side(
        title=opinion.model,
        kind="model",
        answer=None if opinion.answer is None else shown_answer(item, opinion.answer),
        agrees=opinion.answer is not None and agree(item, opinion.answer, item.answer),
        trace=opinion.trace,
        stills=_stills(site, own, item, opinion.frames),
        note=note,
    )


def _stills(site: Site, own: Assignment, item: Item, frames: Iterable[KeyFrame]) -> tuple[Still, ...]:
    found = []
    for frame in list(frames)[:_SHOWN]:
        if not 1 <= frame.medium <= len(item.media):
            continue
        medium = item.media[frame.medium - 1]
        if (medium.kind == "video") != (frame.seconds is not None):
            continue
        many = len(item.media) > 1
        if frame.seconds is None:
            url, label = address(site, own.task.project_id, medium), f"Image {frame.medium}"
        else:
            url = f"/verify/{own.id}/still/{frame.medium}/{round(frame.seconds * 1000)}"
            label = f"{f'Video {frame.medium}, ' if many else ''}{frame.seconds:.2f} s"
        found.append(Still(url, label, frame.medium, frame.seconds))
    return tuple(found)
