"""Routes next to an answer: stills of key frames, the point cloud's pictures, and measurements of picked points."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.errors import MissingExtraError, TolmanError
from tolman.files import file_state
from tolman.geometry.measuring import OF_TWO, QUANTITIES, SHAPES
from tolman.items import Item, Media
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.review.evidence import point_clouds
from tolman.review.evidence.point_clouds import frame_view, top_view
from tolman.review.forms.form_values import AnswerError, Key, Line
from tolman.review.media import inside
from tolman.review.site import Guest, Me, Site, TheSite, page
from tolman.review.store.database import record_item
from tolman.review.store.schema import Assignment, Submission
from tolman.review.tasks import work

if TYPE_CHECKING:
    from PIL.Image import Image


_STEP = "measure-"
_MOST = 100
_LARGEST = 960
_CACHE = {"cache-control": "private, max-age=600"}
_NUMBERS = re.compile(r"[\s,;]+")
At = Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)]
Milliseconds = Annotated[int, InPath(ge=0, le=10**9)]
Find = Callable[[Orm, Any, int], Assignment]


def add_picking(router: APIRouter, own_of: Find) -> None:
    """Add the routes to a mode's router; `own_of` finds a person's own assignment, or 404."""

    @router.get("/{assignment}/still/{medium}/{milliseconds}", response_class=Response)
    def still(site: TheSite, me: Me, assignment: Key, medium: Key, milliseconds: Milliseconds) -> Response:
        """A frame of one of the question's videos."""
        with site.database.read() as db:
            item = work.asked_item(own_of(db, me, assignment))
        if medium > len(item.media) or item.media[medium - 1].kind != "video":
            raise HTTPException(404, "There is no such video.")
        picture = _frame(site, item.media[medium - 1], milliseconds / 1000)
        picture.thumbnail((_LARGEST, _LARGEST))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=85)
        return Response(out.getvalue(), media_type="image/jpeg", headers=_CACHE)

    @router.get("/{assignment}/cloud", response_class=HTMLResponse)
    def panel(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
        """Show the point cloud next to the video, for picking points."""
        item, place = _measurable(site, own_of, me, assignment)
        try:
            recording, points = point_clouds.recording_of(place)
            top = top_view(recording, points)
            at = point_clouds.first_known(recording)
        except TolmanError as error:
            return _not_measured(guest, assignment, str(error), 200)
        size = recording.cameras[0].size if recording.cameras else None
        return page(
            guest, "_cloud.html", own=assignment, top=top, at=at, size=size, quantity=_usual(item),
            of_two=sorted(OF_TWO), quantities=QUANTITIES, shapes=SHAPES,
        )  # fmt: skip

    @router.get("/{assignment}/cloud/top", response_class=Response)
    def above(site: TheSite, me: Me, assignment: Key) -> Response:
        """The cloud from above."""
        _, place = _measurable(site, own_of, me, assignment)
        try:
            png = top_view(*point_clouds.recording_of(place)).png
        except TolmanError as error:
            raise HTTPException(404, _sentence(error)) from None
        return Response(png, media_type="image/png", headers=_CACHE)

    @router.get("/{assignment}/cloud/frame", response_class=Response)
    def ahead(site: TheSite, me: Me, assignment: Key, at: At = 0.0) -> Response:
        """The cloud in a frame."""
        item, place = _measurable(site, own_of, me, assignment)
        video = next((medium for medium in item.media if medium.kind == "video"), None)
        try:
            picture = _frame(site, video, at) if video is not None else None
            png = frame_view(*point_clouds.recording_of(place), at, picture)
        except TolmanError as error:
            raise HTTPException(404, _sentence(error)) from None
        return Response(png, media_type="image/png", headers=_CACHE)

    @router.post("/{assignment}/measure", response_class=HTMLResponse)
    def measure(
        site: TheSite, guest: Guest, me: Me, assignment: Key, quantity: Line = "size", shape: Line = "box",
        first: Line = "", second: Line = "", at: Line = "0",
    ) -> Response:  # fmt: skip
        """Measure the picked points; each measurement is kept, whether it is taken over or not."""
        item, place = _measurable(site, own_of, me, assignment)

        try:
            seconds = _read(at, "The time", (1,))[0]
            one = _read(first, "The region", (4, 6))
            other = _read(second, "The second region", (4, 6)) if quantity in OF_TWO else None
            found = point_clouds.measured_in(place, item, quantity, shape, seconds, one, other)
        except (AnswerError, TolmanError) as error:
            return _not_measured(guest, assignment, _sentence(error), 422)
        with site.database.write() as db:
            own = own_of(db, me, assignment)
            number = 1 + _measurements(db, own)
            if number <= _MOST:
                submitted, _ = work.submit(db, site, own, f"{_STEP}{number}", found)
                found = submitted.content
                record_item(db, site.settings, "measured", own.task.version, user=me.id, **found)
        if number > _MOST:
            problem = f"That was measured {_MOST} times already. Take one of them over."
            return _not_measured(guest, assignment, problem, 422)
        return page(guest, "_measured.html", own=assignment, problem="", found=found, number=number)


def _not_measured(guest: Guest, assignment: int, problem: str, status: int) -> Response:
    content = {"own": assignment, "problem": problem, "found": None, "number": 0}
    return page(guest, "_measured.html", status=status, **content)


def measurement(db: Orm, own: Assignment, number: int, answer: str) -> dict[str, Any]:
    """A measurement that an answer rests on.

    Raises:
        AnswerError: there is none of that number, or it says something else than the answer.
    """
    kept = work.submission(db, own, f"{_STEP}{number}")
    if kept is None:
        raise AnswerError("There is no such measurement. Measure again.")
    if abs(float(kept.content["answer"]) - float(answer)) > kept.content["bound"]:
        raise AnswerError(
            f"The answer {answer} isn't what was measured ({kept.content['answer']}). Measure again, or leave the "
            "measurement out."
        )
    return dict(kept.content)


def _measurements(db: Orm, own: Assignment) -> int:
    chosen = select(func.count()).select_from(Submission).where(
        Submission.assignment_id == own.id, Submission.step.startswith(_STEP)
    )  # fmt: skip
    return db.scalar(chosen) or 0


def _measurable(site: Site, own_of: Find, me: Me, assignment: int) -> tuple[Item, point_clouds.CloudPlace]:
    with site.database.read() as db:
        item = work.asked_item(own_of(db, me, assignment))
    place = point_clouds.place_of(site.settings.rigs, item)
    if place is None:
        raise HTTPException(404, "There is no recording to measure in.")
    return item, place


def _read(text: str, what: str, counts: tuple[int, ...]) -> list[float]:
    pieces = [piece for piece in _NUMBERS.split(text.strip()) if piece]
    try:
        numbers = [float(piece) for piece in pieces]
    except ValueError:
        numbers = []
    if len(numbers) not in counts or not all(abs(number) < 1e6 for number in numbers):
        wanted = "one number" if counts == (1,) else "4 numbers (a box in the frame) or 6 (a box in the cloud)"
        raise AnswerError(f"{what} takes {wanted}. Drag a box, or type them.")
    return numbers


def _usual(item: Item) -> str:
    """Quantity that such a question mostly asks for."""
    text = f"{item.task} {item.question}".casefold()
    if item.unit == "m2":
        return "room-area"
    words = (("distance", "distance"), ("how far", "distance"), ("height", "height"), ("how high", "height"),
             ("how tall", "height"), ("width", "width"), ("how wide", "width"), ("diameter", "diameter"))  # fmt: skip
    return next((quantity for word, quantity in words if word in text), "size")


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


def _frame(site: Site, medium: Media, seconds: float) -> Image:
    """The frame of a video that is shown at a time."""
    path = inside(site.folder, medium.path)
    try:
        index = _index(path, file_state(path))
        number = min(range(len(index.times)), key=lambda n: abs(index.seconds(n) - seconds))
        return next(read_frames(path, index, [number]))[1]
    except BrokenMediaError:
        raise HTTPException(404, "This video can't be read. Tell the owner.") from None
    except MissingExtraError as error:
        raise HTTPException(404, _sentence(error)) from None


@lru_cache(maxsize=64)
def _index(path: Path, changed: tuple[int, ...]) -> VideoIndex:
    return read_index(path)
