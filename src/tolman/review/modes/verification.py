"""Verify: one person proposes an answer with its evidence, another validates it, a third settles differences.

Next to an answer are stills of key frames, the point cloud's pictures, and measurements of picked points.

Source: SpatialBench (Xu et al. 2025), section 4.2. The second person works without the first's answer.
`answer_approval` describes the way of an answer. A page shows answers side by side: whose, with which evidence.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path as InPath, Query
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.errors import MissingExtraError, TolmanError
from tolman.files import file_state
from tolman.geometry.measuring import OF_TWO, QUANTITIES, SHAPES
from tolman.items import Item, Media
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.evidence import (
    EvidenceError,
    KeyFrame,
    Opinion,
    Opinions,
    point_clouds,
    read_checklist,
    read_evidence,
    read_opinions,
)
from tolman.review.evidence.point_clouds import frame_view, top_view
from tolman.review.forms import (
    TARGETS,
    Answer,
    AnswerError,
    Drawn,
    Form,
    Key,
    Line,
    Paragraphs,
    RowId,
    Seconds,
    Shown,
    VerdictError,
    VerdictFields,
    VerdictForm,
    agree,
    read_answer,
    shown_answer,
)
from tolman.review.media import inside, media_address, scenes_folder
from tolman.review.modes import answer_approval
from tolman.review.modes.answer_approval import MODELS, second_submission, verification_progress
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Assignment, Project, Submission
from tolman.review.store.database import record_item
from tolman.review.studies.participants import format_of
from tolman.review.tasks import LEAST, Mode, ModeSetting, marks_of
from tolman.review.tasks.assignments import UNDO, allow_undo
from tolman.review.tasks.blinding import asked, brought, drawn_of, keep_draft, own_work
from tolman.review.tasks.decisions import ANSWER, DECIDE, PROPOSE, RESOLVE, VALIDATE

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
            item = tasks.asked_item(own_of(db, me, assignment))
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
                submitted, _ = tasks.submit(db, site, own, f"{_STEP}{number}", found)
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
    kept = tasks.submission(db, own, f"{_STEP}{number}")
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
        item = tasks.asked_item(own_of(db, me, assignment))
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


_SHOWN = 8


@dataclass(frozen=True)
class Still:
    """A key frame as a picture.

    Attributes:
        url: of the picture.
        label: its caption.
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
        note: further remarks: a failure, frames that aren't known.
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
    """Return all answers to an item, the proposed one first, as shown to a person who has answered."""
    answered = tasks.submission(db, own, ANSWER)
    proposed = {"answer": item.answer, "evidence": item.evidence.get("annotation")}
    given: list[tuple[str, str, dict[str, Any], Sequence[dict[str, Any]]]]
    given = [("Proposed", "proposed", proposed | {"measured": item.evidence.get("measured")}, [])]
    if own.task.stage == RESOLVE and (second := second_submission(db, own.task, ANSWER)) is not None:
        further = brought(db, db.get_one(Assignment, second.assignment_id))
        given.append(("The second person", "second", second.content, further))
    if answered is not None:
        given.append(("You", "mine", answered.content, brought(db, own)))
    opinions = [Opinion.model_validate(opinion) for opinion in own.task.content.get(MODELS, [])]
    found = [_of_person(title, kind, site, own, item, content, more) for title, kind, content, more in given]
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
            url, label = media_address(site, own.task.project_id, medium), f"Image {frame.medium}"
        else:
            url = f"/verify/{own.id}/still/{frame.medium}/{round(frame.seconds * 1000)}"
            label = f"{f'Video {frame.medium}, ' if many else ''}{frame.seconds:.2f} s"
        found.append(Still(url, label, frame.medium, frame.seconds))
    return tuple(found)


NAME = "verify"
PEOPLE = ("annotator", "reviewer", "owner")
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow(*PEOPLE)])


@dataclass(frozen=True)
class _Answer:
    """A form with an answer and its evidence, as it came."""

    answer: str
    frames: str
    trace: str
    measured: int | None
    drawn: str = ""

    def read(self, db: Orm, site: Site, own: Assignment) -> dict[str, Any]:
        """Stored form of the decision.

        Raises:
            AnswerError, EvidenceError: it is none.
        """
        item = tasks.asked_item(own)
        answer = read_answer(item, self.answer)
        content: dict[str, Any] = {"answer": answer, "evidence": read_evidence(item, self.frames, self.trace)}
        content |= drawn_of(site, own, self.drawn)
        if self.measured is not None:
            content["measured"] = measurement(db, own, self.measured, answer)
        return content


def _answer(
    answer: Answer = "", frames: Line = "", trace: Paragraphs = "", measured: RowId = None, drawn: Drawn = ""
) -> _Answer:
    return _Answer(answer, frames, trace, measured, drawn)


async def _checks(form: Form) -> dict[str, list[str]]:
    texts = [(name, value) for name, value in form.multi_items() if isinstance(value, str)][:200]
    return {
        "ticked": [value for name, value in texts if name == "fine"],
        **{name: [value[:2000]] for name, value in texts if name.startswith("wrong-")},
    }


Answered = Annotated[_Answer, Depends(_answer)]
Checks = Annotated[dict[str, list[str]], Depends(_checks)]


@router.get("/{assignment}", response_class=HTMLResponse)
def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """Show the question alone; with others' answers once it is answered."""
    with site.database.read() as db:
        own = _own(db, me, assignment)
        if own.state == "done":
            return see_other(f"/projects/{own.task.project_id}/work")
        if _is_blind(db, own):
            return page(guest, "verify_answer.html", **_blind(db, site, me, own))
        return page(guest, "verify_decide.html", **_open(db, site, me, own))


@router.post("/{assignment}/answer", response_class=HTMLResponse)
def answer(
    site: TheSite, guest: Guest, me: Me, assignment: Key, form: Answered, seconds: Seconds = 0.0, shown: Shown = ""
) -> Response:
    """Propose an answer, or answer before seeing the others'; a submitted answer is final."""
    with site.database.write() as db:
        own = _own(db, me, assignment)
        if own.task.stage == RESOLVE:
            raise HTTPException(404, "There is no such question.")
        try:
            content = form.read(db, site, own)
            marks = marks_of(site, own, seconds, shown)
        except (AnswerError, EvidenceError) as error:
            entered = {"given": form.answer, "form": vars(form), "drawn": form.drawn}
            content = _blind(db, site, me, own) | {"problem": str(error)} | entered
            return page(guest, "verify_answer.html", status=422, **content)
        proposing = own.task.stage == PROPOSE
        kept = content | {answer_approval.FORM: vars(form)} if proposing else content
        _, fresh = tasks.submit(db, site, own, ANSWER, kept, seconds, marks)
        if fresh:
            _record(db, site, me, own, content)
            if proposing:
                if tasks.finish(db, site, own):
                    answer_approval.take_proposal(db, site, own, content)
            else:
                tasks.save_draft(db, site, own, {}, seconds)
        return see_other(f"/projects/{own.task.project_id}/work" if proposing else f"/{NAME}/{assignment}")


@router.post("/{assignment}/decide", response_class=HTMLResponse)
def decide(
    site: TheSite, guest: Guest, me: Me, assignment: Key, form: VerdictFields, checks: Checks, seconds: Seconds = 0.0
) -> Response:
    """Go through the checklist, and approve, flag, revise or discard."""
    with site.database.write() as db:
        own = _own(db, me, assignment)
        if own.task.stage == PROPOSE or _is_blind(db, own):
            return see_other(f"/{NAME}/{assignment}")
        try:
            content = form.read(tasks.asked_item(own), format_of(own.task.project))
            wrong = {int(n): text[0] for name, text in checks.items() if (n := name.removeprefix("wrong-")).isdecimal()}
            content["checklist"] = read_checklist(answer_approval.checklist(own.task), checks["ticked"], wrong)
        except (VerdictError, EvidenceError) as error:
            shown = _open(db, site, me, own) | {"problem": str(error), "form": form, "checks": checks}
            return page(guest, "verify_decide.html", status=422, **shown)
        first = tasks.submission(db, own, ANSWER)
        spent = seconds - (first.seconds or 0.0) if first is not None else seconds
        _, fresh = tasks.submit(db, site, own, DECIDE, content, max(spent, 0.0))
        if fresh:
            _record(db, site, me, own, content)
            if tasks.finish(db, site, own):
                validates = own.task.stage == VALIDATE
                (answer_approval.take_validation if validates else answer_approval.take_resolution)(db, site, own)
        return see_other(f"/projects/{own.task.project_id}/work")


@router.post("/{assignment}/answer/draft", status_code=204, response_class=Response)
def answer_draft(site: TheSite, me: Me, assignment: Key, form: Answered, seconds: Seconds = 0.0) -> Response:
    """Keep a draft of the answer; a draft that arrives after the answer was given is ignored."""
    return keep_draft(site, me, lambda db: _at(db, me, assignment, blind=True), vars(form), seconds)


@router.post("/{assignment}/decide/draft", status_code=204, response_class=Response)
def decide_draft(
    site: TheSite, me: Me, assignment: Key, form: VerdictFields, checks: Checks, seconds: Seconds = 0.0
) -> Response:
    """Keep the verdict that is entered."""
    content = vars(form) | {"checks": checks}
    return keep_draft(site, me, lambda db: _at(db, me, assignment, blind=False), content, seconds)


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Add tasks to propose every question's answer, or to verify the current one.

    Raises:
        AccountError: the models' answers or the recordings can't be read.
    """
    try:
        opinions = read_opinions(site.settings.verify, items, site.folder)
        point_clouds.places(site.settings.rigs)
    except TolmanError as error:
        raise AccountError(str(error)) from None
    for item in items:
        version = tasks.add_item(db, site, project, item)
        add = answer_approval.add_proposal if project.settings["fresh"] else answer_approval.add_proposed
        add(db, site, project, version, opinions.get(item.id, Opinions()))


def _record(db: Orm, site: Site, me: Me, own: Assignment, content: dict[str, Any]) -> None:
    version = own.task.version
    record_item(db, site.settings, own.task.stage, version, user=me.id, version=version.version, **content)


def _own(db: Orm, me: Me, assignment: int) -> Assignment:
    return own_work(db, me, assignment, NAME, stages=VERIFY.stages)


def _is_blind(db: Orm, own: Assignment) -> bool:
    """Check whether a person is to answer before they see others' answers."""
    return own.task.stage != RESOLVE and tasks.submission(db, own, ANSWER) is None


def _at(db: Orm, me: Me, assignment: int, *, blind: bool) -> Assignment | None:
    """Return an own task, if it is to be answered blindly, or if it is to be decided; else None."""
    own = _own(db, me, assignment)
    return own if _is_blind(db, own) == blind else None


def _blind(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """Return the contents of the page before the person has answered."""
    kept = own.draft
    item = tasks.asked_item(own)
    empty = {"frames": "", "trace": "", "measured": None}
    return asked(db, site, me, own, VERIFY.stages_for(*me.roles)) | {
        "form": empty | (kept.content if kept else {}),
        "videos": [place for place, medium in enumerate(item.media, start=1) if medium.kind == "video"],
        "count": len(item.media),
        "can_measure": point_clouds.place_of(site.settings.rigs, item) is not None,
    }


def _open(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """Return the same with all others' answers: for people who have answered, and for the third."""
    item = tasks.asked_item(own)
    kept = own.draft
    first = tasks.submission(db, own, ANSWER)
    form = VerdictForm.of(item)
    checks: dict[str, list[str]] = {"ticked": []}
    if kept and "verdict" in kept.content:
        checks = kept.content["checks"]
        form = VerdictForm(**{name: value for name, value in kept.content.items() if name != "checks"})
    return asked(db, site, me, own, VERIFY.stages_for(*me.roles)) | {
        "item": item,
        "version_id": own.task.item_id,
        "drawable": scenes_folder(site) is not None,
        "mine": first.content["answer"] if first else None,
        "sides": sides(db, site, own, item),
        "second": second_submission(db, own.task, DECIDE) if own.task.stage == RESOLVE else None,
        "reasons": own.task.content["reasons"],
        "points": answer_approval.checklist(own.task),
        "checks": checks,
        "form": form,
        "targets": TARGETS,
    }


add_picking(router, _own)
allow_undo(NAME, ANSWER, answer_approval.PROPOSED)

VERIFY = Mode(
    name=NAME,
    title="Verify",
    purpose="Answers come with evidence; a second person validates alone, models' answers beside; a third settles.",
    stages={PROPOSE: ("annotator", "reviewer"), VALIDATE: ("annotator", "reviewer"), RESOLVE: PEOPLE},
    router=router,
    start=start,
    progress=verification_progress,
    again=answer_approval.add_again,
    settings=(
        ModeSetting("fresh", "Annotators propose the answers (1), or those of the benchmark are verified (0)", 0, 0, 1),
        ModeSetting("share", "Of what models agree on, per cent that people check all the same", 10, 0, 100),
        ModeSetting("level", "People look at every question from this level on or of none (99: no rule)", 3, 1, 99),
        ModeSetting("seed", "Seed of the draw", 0, 0, 1000),
        LEAST,
        UNDO,
    ),
)
