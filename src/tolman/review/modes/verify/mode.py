"""Verify: somebody proposes an answer with its evidence, another validates it alone, a third settles what differs.

Source: SpatialBench (Xu et al. 2025), section 4.2. `approval` describes the way of an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.items import Item
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import AccountError
from tolman.review.evidence import clouds
from tolman.review.evidence.key_frames import EvidenceError, read_checklist, read_evidence
from tolman.review.evidence.opinions import Opinions, read_opinions
from tolman.review.forms.answers import AnswerError, read_answer
from tolman.review.forms.drawn import Drawn
from tolman.review.forms.fields import Answer, Key, Line, Paragraphs, RowId, Seconds, Shown
from tolman.review.forms.verdicts import TARGETS, Form, VerdictError, VerdictForm
from tolman.review.media.collection import scenes_folder
from tolman.review.modes.verify import approval
from tolman.review.modes.verify.picking import add_picking, measurement
from tolman.review.modes.verify.progress import progress
from tolman.review.modes.verify.sides import sides
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, Project
from tolman.review.tasks import work
from tolman.review.tasks.asking import asked
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.drawing import drawn_of
from tolman.review.tasks.marks import LEAST, marks_of
from tolman.review.tasks.mode import Mode, ModeSetting
from tolman.review.tasks.settling import ANSWER, DECIDE, PROPOSE, RESOLVE, VALIDATE
from tolman.review.tasks.undoing import UNDO, allow_undo

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
        item = work.asked_item(own)
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


async def _checks(request: Request) -> dict[str, list[str]]:
    form = await request.form()
    texts = [(name, value) for name, value in form.multi_items() if isinstance(value, str)][:200]
    return {
        "ticked": [value for name, value in texts if name == "fine"],
        **{name: [value[:2000]] for name, value in texts if name.startswith("wrong-")},
    }


Answered = Annotated[_Answer, Depends(_answer)]
Checks = Annotated[dict[str, list[str]], Depends(_checks)]


@router.get("/{assignment}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """The question alone; with what others said once it is answered."""
    with site.database.read() as db:
        own = _own(db, me, assignment)
        if own.state == "done":
            return see_other(f"/projects/{own.task.project_id}/work")
        if _is_blind(db, own):
            return page(request, guest, "verify_answer.html", **_blind(db, site, me, own))
        return page(request, guest, "verify_decide.html", **_open(db, site, me, own))


@router.post("/{assignment}/answer", response_class=HTMLResponse)
def answer(
    request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Answered, seconds: Seconds = 0.0,
    shown: Shown = "",
) -> Response:  # fmt: skip
    """Propose an answer, or give one's own before seeing the others'; what was answered stands."""
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
            return page(request, guest, "verify_answer.html", status=422, **content)
        proposing = own.task.stage == PROPOSE
        kept = content | {approval.FORM: vars(form)} if proposing else content
        _, fresh = work.submit(db, site, own, ANSWER, kept, seconds, marks)
        if fresh:
            _record(db, site, me, own, content)
            if proposing:
                if work.finish(db, site, own):
                    approval.take_proposal(db, site, own, content)
            else:
                work.save_draft(db, site, own, {}, seconds)
        return see_other(f"/projects/{own.task.project_id}/work" if proposing else f"/{NAME}/{assignment}")


@router.post("/{assignment}/decide", response_class=HTMLResponse)
def decide(
    request: Request,
    site: TheSite,
    guest: Guest,
    me: Me,
    assignment: Key,
    form: Form,
    checks: Checks,
    seconds: Seconds = 0.0,
) -> Response:
    """Go through the checklist, and approve, flag, revise or discard."""
    with site.database.write() as db:
        own = _own(db, me, assignment)
        if own.task.stage == PROPOSE or _is_blind(db, own):
            return see_other(f"/{NAME}/{assignment}")
        try:
            content = form.read(work.asked_item(own))
            wrong = {int(n): text[0] for name, text in checks.items() if (n := name.removeprefix("wrong-")).isdecimal()}
            content["checklist"] = read_checklist(approval.checklist(own.task), checks["ticked"], wrong)
        except (VerdictError, EvidenceError) as error:
            shown = _open(db, site, me, own) | {"problem": str(error), "form": form, "checks": checks}
            return page(request, guest, "verify_decide.html", status=422, **shown)
        first = work.submission(db, own, ANSWER)
        spent = seconds - (first.seconds or 0.0) if first is not None else seconds
        _, fresh = work.submit(db, site, own, DECIDE, content, max(spent, 0.0))
        if fresh:
            _record(db, site, me, own, content)
            if work.finish(db, site, own):
                settle = approval.take_validation if own.task.stage == VALIDATE else approval.take_resolution
                settle(db, site, own.task, own)
        return see_other(f"/projects/{own.task.project_id}/work")


@router.post("/{assignment}/answer/draft", status_code=204, response_class=Response)
def answer_draft(site: TheSite, me: Me, assignment: Key, form: Answered, seconds: Seconds = 0.0) -> Response:
    """Keep the answer that is entered; what arrives after it was given is of no use any more."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        if own.state != "done" and _is_blind(db, own):
            work.save_draft(db, site, own, vars(form), seconds)
    return Response(status_code=204)


@router.post("/{assignment}/decide/draft", status_code=204, response_class=Response)
def decide_draft(
    site: TheSite, me: Me, assignment: Key, form: Form, checks: Checks, seconds: Seconds = 0.0
) -> Response:
    """Keep the verdict that is entered."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        if own.state != "done" and not _is_blind(db, own):
            work.save_draft(db, site, own, vars(form) | {"checks": checks}, seconds)
    return Response(status_code=204)


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Every question's answer is to be proposed, or verified as it stands.

    Raises:
        AccountError: the models' answers or the recordings can't be read.
    """
    try:
        opinions = read_opinions(site.settings.verify, items, site.folder)
        clouds.places(site.settings.rigs)
    except TolmanError as error:
        raise AccountError(str(error)) from None
    for item in items:
        version = work.add_item(db, site, project, item)
        add = approval.add_proposal if project.settings["fresh"] else approval.add_proposed
        add(db, site, project, version, opinions.get(item.id, Opinions()))


def _record(db: Orm, site: Site, me: Me, own: Assignment, content: dict[str, Any]) -> None:
    version = own.task.item
    assert version is not None
    record(
        db, site.settings, own.task.stage, project=version.project_id, item=version.item, user=me.id,
        version=version.version, **content,
    )  # fmt: skip


def _own(db: Orm, me: Me, assignment: int) -> Assignment:
    return own_work(db, me, assignment, NAME, stages=VERIFY.stages)


def _is_blind(db: Orm, own: Assignment) -> bool:
    """Tell whether somebody is to answer before they see what others answered."""
    return own.task.stage != RESOLVE and work.submission(db, own, ANSWER) is None


def _blind(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """Contents of the page before somebody has answered."""
    kept = work.draft_of(db, own)
    item = work.asked_item(own)
    empty = {"frames": "", "trace": "", "measured": None}
    return asked(db, site, me, own, VERIFY.stages_for(*me.roles)) | {
        "form": empty | (kept.content if kept else {}),
        "videos": [place for place, medium in enumerate(item.media, start=1) if medium.kind == "video"],
        "count": len(item.media),
        "can_measure": clouds.place_of(site.settings.rigs, item) is not None,
    }


def _open(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    """The same with all that others said: for who has answered, and for the third."""
    item = work.asked_item(own)
    kept = work.draft_of(db, own)
    first = work.submission(db, own, ANSWER)
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
        "second": approval.second_decision(db, own.task) if own.task.stage == RESOLVE else None,
        "reasons": own.task.content["reasons"],
        "points": approval.checklist(own.task),
        "checks": checks,
        "form": form,
        "targets": TARGETS,
    }


add_picking(router, _own)
allow_undo(NAME, ANSWER, approval.PROPOSED)

VERIFY = Mode(
    name=NAME,
    title="Verify",
    purpose="Answers come with evidence; a second person validates alone, models' answers beside; a third settles.",
    stages={PROPOSE: ("annotator", "reviewer"), VALIDATE: ("annotator", "reviewer"), RESOLVE: PEOPLE},
    router=router,
    start=start,
    progress=progress,
    again=approval.add_again,
    settings=(
        ModeSetting("fresh", "Annotators propose the answers (1), or those of the benchmark are verified (0)", 0, 0, 1),
        ModeSetting("share", "Of what models agree on, per cent that people check all the same", 10, 0, 100),
        ModeSetting("level", "From this level on, people look at every question", 3, 1, 99),
        ModeSetting("seed", "Seed of the draw", 0, 0, 1000),
        LEAST,
        UNDO,
    ),
)
