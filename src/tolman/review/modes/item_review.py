"""Review: answer a question without its answer, then compare and decide; disagreements go to an adjudicator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review import tasks
from tolman.review.forms import (
    TARGETS,
    Answer,
    AnswerError,
    Drawn,
    Key,
    Seconds,
    Shown,
    VerdictError,
    VerdictFields,
    VerdictForm,
    as_field,
    read_answer,
    shown_answer,
)
from tolman.review.media import scenes_folder
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Assignment, Project, Submission, Task
from tolman.review.store.database import record_item
from tolman.review.studies.participants import format_of
from tolman.review.tasks import LEAST, Mode, ModeSetting, assignments, marks_of
from tolman.review.tasks.assignments import UNDO, UndoRule, allow_undo
from tolman.review.tasks.blinding import asked, brought, drawn_of, keep_draft, own_work
from tolman.review.tasks.decisions import (
    ADJUDICATE,
    ANSWER,
    DECIDE,
    REVIEW,
    add_review,
    people_for,
    raise_flag,
    review_key,
    review_progress,
    settle,
    votes,
)
from tolman.review.tasks.made_items import BACK, send_back

NAME = "review"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("reviewer", "owner")])


@router.get("/{assignment}", response_class=HTMLResponse)
def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """The question alone; with its answer once it is answered."""
    with site.database.view() as db:
        own = _own(db, me, assignment)
        if tasks.submission(db, own, DECIDE) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        if _is_blind(db, own):
            return page(guest, "review_answer.html", **_blind(db, site, me, own))
        return page(guest, "review_decide.html", **_open(db, site, me, own))


@router.post("/{assignment}/answer", response_class=HTMLResponse)
def answer(
    site: TheSite, guest: Guest, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0,
    shown: Shown = "", drawn: Drawn = "",
) -> Response:  # fmt: skip
    """Submit a first answer; it is final, even after the truth is seen."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        if own.task.stage != REVIEW:
            raise HTTPException(404, "There is no such question.")
        try:
            given = read_answer(tasks.asked_item(own), answer)
            content = {"answer": given} | drawn_of(site, own, drawn)
            marks = marks_of(site, own, seconds, shown)
        except AnswerError as error:
            told = _blind(db, site, me, own) | {"problem": str(error), "given": answer, "drawn": drawn}
            return page(guest, "review_answer.html", status=422, **told)
        _, fresh = tasks.submit(db, site, own, ANSWER, content, seconds, marks)
        if fresh:
            tasks.hold(site, own)
            own.draft = None  # it was of the answer, whose seconds go on from the submission's
    return see_other(f"/{NAME}/{assignment}")


@router.post("/{assignment}/decide", response_class=HTMLResponse)
def decide(
    site: TheSite, guest: Guest, me: Me, assignment: Key, form: VerdictFields, seconds: Seconds = 0.0, drawn: Drawn = ""
) -> Response:
    """Approve, flag, revise or discard."""
    with site.database.write_for(me.id, assignment) as db:
        own = _own(db, me, assignment)
        if _is_blind(db, own):
            return see_other(f"/{NAME}/{assignment}")
        first = tasks.submission(db, own, ANSWER)
        try:
            content = form.read(tasks.asked_item(own), format_of(own.task.project)) | drawn_of(site, own, drawn)
        except (VerdictError, AnswerError) as error:
            opened = _open(db, site, me, own) | {"problem": str(error), "form": form, "drawn": drawn}
            return page(guest, "review_decide.html", status=422, **opened)
        spent = seconds - (first.seconds or 0.0) if first is not None else seconds
        _, fresh = tasks.submit(db, site, own, DECIDE, content, max(spent, 0.0))
        if fresh:
            _decided(db, site, me, own, content)
        return see_other(assignments.going_on(db, site, own, me, REVIEW_MODE.stages_for(*me.roles)))


@router.post("/{assignment}/answer/draft", status_code=204, response_class=Response)
def answer_draft(
    site: TheSite, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0, drawn: Drawn = ""
) -> Response:
    """Keep a draft of the answer; a draft that arrives after the answer was given is ignored."""
    content = {"answer": answer, "drawn": drawn}
    return keep_draft(site, me, lambda db: _at(db, me, assignment, blind=True), content, seconds)


@router.post("/{assignment}/decide/draft", status_code=204, response_class=Response)
def decide_draft(
    site: TheSite, me: Me, assignment: Key, form: VerdictFields, seconds: Seconds = 0.0, drawn: Drawn = ""
) -> Response:
    """Keep the verdict that is entered."""
    content = vars(form) | {"drawn": drawn}
    return keep_draft(site, me, lambda db: _at(db, me, assignment, blind=False), content, seconds)


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Every question is to be reviewed."""
    versions = {review_key(version): version for version in tasks.add_items(db, site, project, items)}
    tasks.add_tasks(db, site, project, REVIEW, versions, wanted=people_for(project))


def _decided(db: Orm, site: Site, me: Me, own: Assignment, content: dict[str, Any]) -> None:
    version = own.task.version
    record_item(db, site.settings, own.task.stage, version, user=me.id, version=version.version, **content)
    if content["verdict"] == "flag":
        raise_flag(db, site, version, me.id, content["target"], content["reason"])
    if tasks.finish(db, site, own):
        settle(db, site, db.get_one(Task, own.task_id))
        send_back(db, site, version)


def _own(db: Orm, me: Me, assignment: int) -> Assignment:
    return own_work(db, me, assignment, NAME, stages=REVIEW_MODE.stages)


def _is_blind(db: Orm, own: Assignment) -> bool:
    """Check whether a person is to answer before they see the benchmark's answer."""
    return own.task.stage == REVIEW and tasks.submission(db, own, ANSWER) is None


def _at(db: Orm, me: Me, assignment: int, *, blind: bool) -> Assignment | None:
    """Return an own task, if it is to be answered blindly, or if it is to be decided; else None."""
    own = _own(db, me, assignment)
    return own if _is_blind(db, own) == blind else None


def _blind(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """Contents of the page before the reviewer has answered."""
    return asked(db, site, me, own, REVIEW_MODE.stages_for(*me.roles))


def _open(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """Return the same with the answer: for people who have answered, and for adjudicators."""
    item = tasks.asked_item(own)
    kept = own.draft
    first = tasks.submission(db, own, ANSWER)
    form = VerdictForm.of(item)
    if kept and "verdict" in kept.content:
        form = VerdictForm(**{name: value for name, value in kept.content.items() if name != "drawn"})
    spent = (kept.seconds if kept else 0.0, (first.seconds or 0.0) if first else 0.0)
    return _blind(db, site, me, own) | {
        "seconds": max(spent),
        "item": item,
        "version": own.task.version.version,
        "version_id": own.task.item_id,
        "drawable": scenes_folder(site) is not None,
        "truth": shown_answer(item, item.answer),
        "mine": shown_answer(item, first.content["answer"]) if first else None,
        "my_drawings": [*first.content.get("drawn", []), *brought(db, own)] if first else [],
        "others": [_other(db, item, vote) for vote in _earlier(db, own)],
        "form": form,
        "targets": TARGETS,
    }


def _earlier(db: Orm, own: Assignment) -> Sequence[Submission]:
    if own.task.stage != ADJUDICATE:
        return []
    task = db.scalar(select(Task).where(Task.item_id == own.task.item_id, Task.stage == REVIEW))
    return votes(db, task) if task else []


def _other(db: Orm, item: Item, vote: Submission) -> dict[str, Any]:
    """A reviewer's decision, without their name."""
    own = db.get_one(Assignment, vote.assignment_id)
    answered = tasks.submission(db, own, ANSWER)
    said = shown_answer(item, answered.content["answer"]) if answered else ""
    return dict(vote.content) | {
        "answered": said,
        "seconds": vote.seconds,
        "drawn": [
            *(answered.content.get("drawn", []) if answered else []),
            *vote.content.get("drawn", []),
            *brought(db, own),
        ],
    }


def _draft(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the draft of a decision, from its stored content."""
    changes = dict(content.get("changes", {}))
    if "options" in changes:
        changes["options"] = "\n".join(changes["options"])
    known = {name: content[name] for name in ("verdict", "reason", "target") if name in content}
    texts = {name: value or "" for name, value in changes.items() if name in vars(VerdictForm())}
    return vars(VerdictForm(**known, **texts)) | {"drawn": as_field(content)}


def _stands(db: Orm, last: Submission) -> bool:
    """Check whether a decision was acted on: the question is settled, or its owner was informed."""
    return not db.get_one(Task, last.task_id).open or last.content["verdict"] == "flag"


allow_undo(NAME, DECIDE, UndoRule(_draft, _stands))
REVIEW_MODE = Mode(
    name=NAME,
    title="Review",
    purpose="Reviewers answer without seeing the truth, then approve, flag, revise or discard.",
    stages={REVIEW: ("reviewer",), ADJUDICATE: ("reviewer", "owner")},
    router=router,
    start=start,
    progress=review_progress,
    again=add_review,
    in_parts=True,
    settings=(ModeSetting("people", "People for each question", 2), BACK, LEAST, UNDO),
)
