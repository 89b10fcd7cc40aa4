"""Study: each person is asked a sample, after instructions, consent and practice, as the study's file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import Person
from tolman.review.forms.answers import AnswerError, read_answer, shown_answer
from tolman.review.forms.fields import Answer, Key, Line, Seconds, Shown
from tolman.review.media.blind import blind
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Project
from tolman.review.studies import people, shuffling, steps
from tolman.review.studies.addresses import html
from tolman.review.studies.making import make_tasks
from tolman.review.studies.people import BEGUN, PRACTICE
from tolman.review.studies.spec import BROKEN, STUDY, Order, Sample, Study, StudyPart, Time, stored
from tolman.review.studies.steps import ANSWER, TIME_OVER
from tolman.review.studies.tables import progress
from tolman.review.tasks import work
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.marks import LEAST, marks_of
from tolman.review.tasks.mode import Mode, ModeSetting

NAME = STUDY
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("subject")])


@router.get("/{assignment}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A question, as far as it is known to somebody who is to answer it; a practice question's answer after theirs."""
    with site.database.view() as db:
        own = _own(db, me, assignment)
        part = people.part_of(own.task.project)
        if own.task.stage == PRACTICE and own.state == "done":
            return page(request, guest, "study_feedback.html", **_feedback(db, site, own, part))
        further = see_other(f"/projects/{own.task.project_id}/work")
        if steps.was_submitted(db, own):
            return further
        if own.task.stage != STUDY or not steps.over(site, own, part):
            return page(request, guest, "study.html", **_asked(db, site, me, own, part))
    with site.database.write_for(me.id) as db:
        steps.skip(db, site, _own(db, me, assignment), TIME_OVER, 0.0)
    return further


@router.post("/{assignment}", response_class=HTMLResponse)
def answer(
    request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0,
    shown: Shown = "",
) -> Response:  # fmt: skip
    """Submit an answer; stored is the letter of the question as the benchmark has it."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        part = people.part_of(own.task.project)
        practises = own.task.stage == PRACTICE
        further = see_other(f"/{NAME}/{assignment}" if practises else f"/projects/{own.task.project_id}/work")
        if steps.was_submitted(db, own):
            return further
        if not practises and steps.over(site, own, part):
            steps.skip(db, site, own, TIME_OVER, seconds)
            return further
        item, order = _shuffled(own, part)
        try:
            given = read_answer(item, answer)
            marks = marks_of(site, own, seconds, shown)
            if part.time.hold and "fast" in marks:
                raise AnswerError(f"Look at the question for {part.time.least_seconds} seconds at least.")
        except AnswerError as error:
            content = _asked(db, site, me, own, part) | {"problem": str(error), "given": answer}
            return page(request, guest, "study.html", status=422, **content)
        content = {"answer": shuffling.true_answer(order, given)}
        if order is not None:
            content |= {"shown": given, "order": list(order)}
        _, fresh = work.submit(db, site, own, ANSWER, content, seconds, marks)
        if fresh:
            work.finish(db, site, own)
        return further


@router.post("/{assignment}/skip", response_class=HTMLResponse)
def skip(site: TheSite, me: Me, assignment: Key, reason: Line = "", seconds: Seconds = 0.0) -> Response:
    """Skip a question with a reason; a broken medium is reported, so that the owner can have it asked again."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        part = people.part_of(own.task.project)
        if own.task.stage != STUDY or reason not in (*part.skip, TIME_OVER):
            raise HTTPException(422, "Choose one of the reasons.")
        if reason == TIME_OVER and (part.time.most_seconds is None or steps.left(site, own, part) > work.SLACK):
            raise HTTPException(422, "There is time left for this question.")
        if not steps.was_submitted(db, own):
            if reason == BROKEN:
                work.report(db, site, own, BROKEN)
            else:
                steps.skip(db, site, own, reason, seconds)
        return see_other(f"/projects/{own.task.project_id}/work")


@router.post("/{assignment}/draft", status_code=204, response_class=Response)
def draft(site: TheSite, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0) -> Response:
    """Keep what is entered, so that another day or another browser goes on from there."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        if own.state != "done":
            work.save_draft(db, site, own, {"answer": answer}, seconds)
    return Response(status_code=204)


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """The tasks of all forms; of a project that no file describes, as its settings say."""
    if not people.is_study(project):
        chosen = project.settings
        part = StudyPart(
            sample=Sample(people=chosen["people"], each=chosen["each"] or None, overlap=chosen["overlap"] or None),
            order=Order(options=bool(chosen["shuffle"])),
            time=Time(least_seconds=chosen[LEAST.name]),
        )
        study = Study(title=project.name[:80], seed=chosen["seed"], parts=(part,))
        project.settings = {**chosen, "study": stored(study, part)}
        db.flush()
    make_tasks(db, site, project, items)


def _own(db: Orm, me: Person, assignment: int) -> Assignment:
    """Somebody's own question, as long as they are in the study.

    Raises:
        HTTPException: 404, where it isn't theirs; 409, where they have reported it or their part has ended.
    """
    own = own_work(db, me, assignment, NAME)
    found = people.participant_of(db, own.task.project, me.id)
    if found is None or (found.state != BEGUN and own.state != "done"):
        raise HTTPException(409, "Your part in this study has ended.")
    if not own.task.project.open and own.state != "done":
        raise HTTPException(409, "The study is paused.")
    return own


def _shuffled(own: Assignment, part: StudyPart) -> tuple[Item, tuple[int, ...] | None]:
    """The question as this person sees it, and the order of its options where that is another."""
    item = work.asked_item(own)
    if not part.order.options or own.task.stage == PRACTICE:
        return item, None
    order = shuffling.option_order(item, people.seed_of(own.task.project), own.user_id, item.id)
    return (item, None) if order is None else (item.reordered(order), order)


def _asked(db: Orm, site: Site, me: Person, own: Assignment, part: StudyPart) -> dict[str, Any]:
    project = own.task.project
    found = people.participant_of(db, project, me.id)
    assert found is not None
    kept = work.draft_of(db, own)
    place = steps.place_of(db, project, part, found)
    practises = own.task.stage == PRACTICE
    item, _ = _shuffled(own, part)
    return {
        "own": own.id,
        "project": project.name,
        "question": blind(site, project.id, item),
        "given": kept.content.get("answer", "") if kept else "",
        "seconds": kept.seconds if kept else 0.0,
        "number": int(own.task.content["place"]) + 1 if practises else place.done + 1,
        "total": len(part.practice) if practises else place.total,
        "practises": practises,
        "reasons": () if practises else part.skip,
        "left": None if practises or part.time.most_seconds is None else max(0.0, steps.left(site, own, part)),
        "time_over": TIME_OVER,
        "instructions": html(site, project, part.instructions),
        "problem": "",
        "again": _again(own, part) if practises else "",
    }


def _again(own: Assignment, part: StudyPart) -> str:
    """What a further round of practice takes; '' in the first, and behind its first question."""
    if not own.task.content["round"] or own.task.content["place"]:
        return ""
    asked, number = part.practising, own.task.content["round"] + 1
    return f"{asked.least_right} of {len(part.practice)} must be right; this is round {number} of {asked.rounds}."


def _feedback(db: Orm, site: Site, own: Assignment, part: StudyPart) -> dict[str, Any]:
    item = work.asked_item(own)
    given = work.submission(db, own, ANSWER)
    assert given is not None
    place = int(own.task.content["place"])
    return {
        "project": own.task.project.name,
        "further": f"/projects/{own.task.project_id}/work",
        "question": blind(site, own.task.project_id, item),
        "right": steps.is_right(db, own),
        "given": shown_answer(item, given.content["answer"]),
        "truth": shown_answer(item, item.answer),
        "explanation": html(site, own.task.project, part.practice[place].explanation),
        "number": place + 1,
        "total": len(part.practice),
    }


STUDY_MODE = Mode(
    name=NAME,
    title="Study",
    purpose="Subjects answer a sample each; instructions, practice, checks and pay come from a study's file.",
    stages={STUDY: ("subject",), PRACTICE: ("subject",)},
    router=router,
    start=start,
    progress=progress,
    settings=(
        ModeSetting("people", "People", 7, 1, 10_000),
        ModeSetting("each", "Questions of each task for each person (0 for as many as are needed)", 50, 0, 9999),
        ModeSetting("overlap", "People for each question (0 for all)", 0, 0, 10_000),
        ModeSetting("shuffle", "Shuffle options for each person (1) or not (0)", 0, 0, 1),
        ModeSetting("seed", "Seed of the draw", 0, 0, 1_000_000),
        LEAST,
    ),
    next_page=steps.next_page,
    counts=steps.counts,
)  # fmt: skip
