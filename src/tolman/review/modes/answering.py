"""The modes in which subjects answer questions: Answer, the human baseline, and Study.

In Answer every subject answers every question, alone and without a limit of time. In Study each person is asked a
sample, after instructions, consent and practice, as the study's file says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.orm import Session as Orm

from tolman.errors import counted
from tolman.items import Item
from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.forms import (
    Answer,
    AnswerError,
    Drawn,
    Key,
    Line,
    Seconds,
    Shown,
    as_field,
    labels_of,
    read_answer,
    shown_answer,
)
from tolman.review.site import COEFFICIENT, Guest, Me, Site, TheSite, allow, coefficient, page, see_other
from tolman.review.store import Assignment, ItemVersion, Project, Submission, Task, User
from tolman.review.studies import (
    BROKEN,
    STUDY,
    Order,
    Sample,
    Study,
    StudyPart,
    Time,
    participants,
    stored,
    study_steps,
)
from tolman.review.studies.participants import BEGUN, PRACTICE, make_tasks
from tolman.review.studies.study_records import study_progress
from tolman.review.studies.study_steps import ANSWER, TIME_OVER, study_html
from tolman.review.tasks import (
    LEAST,
    Block,
    Mode,
    ModeSetting,
    assignments,
    marks_block,
    marks_of,
    problems_block,
    submitted,
)
from tolman.review.tasks.assignments import UNDO, UndoRule, allow_undo
from tolman.review.tasks.blinding import asked, blind, drawn_of, keep_draft as store_draft, own_work
from tolman.scoring.agreement_coefficients import alpha

ANSWER_NAME = STAGE = STEP = "answer"
answer_router = APIRouter(prefix=f"/{ANSWER_NAME}", dependencies=[allow("subject")])


@answer_router.get("/{assignment}", response_class=HTMLResponse)
def show_question(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """Show a question to the person who is to answer it."""
    with site.database.view() as db:
        own = own_work(db, me, assignment, ANSWER_NAME)
        if tasks.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        return page(guest, "answer.html", **asked(db, site, me, own, [STAGE]))


@answer_router.post("/{assignment}", response_class=HTMLResponse)
def submit_answer(
    site: TheSite, guest: Guest, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0,
    shown: Shown = "", drawn: Drawn = "",
) -> Response:  # fmt: skip
    """Submit an answer."""
    with site.database.write_for(me.id) as db:
        own = own_work(db, me, assignment, ANSWER_NAME)
        try:
            given = read_answer(tasks.asked_item(own), answer)
            content = {"answer": given} | drawn_of(site, own, drawn)
            marks = marks_of(site, own, seconds, shown)
        except AnswerError as error:
            content = asked(db, site, me, own, [STAGE]) | {"problem": str(error), "given": answer, "drawn": drawn}
            return page(guest, "answer.html", status=422, **content)
        _, fresh = tasks.submit(db, site, own, STEP, content, seconds, marks)
        if fresh:
            tasks.finish(db, site, own)
        return see_other(assignments.going_on(db, site, own, me, [STAGE]))


@answer_router.post("/{assignment}/draft", status_code=204, response_class=Response)
def keep_draft(
    site: TheSite, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0, drawn: Drawn = ""
) -> Response:
    """Keep a draft, so that the person can go on from there on another day or in another browser."""
    content = {"answer": answer, "drawn": drawn}
    return store_draft(site, me, lambda db: own_work(db, me, assignment, ANSWER_NAME), content, seconds)


def start_baseline(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question, for everybody."""
    versions = tasks.add_items(db, site, project, items)
    tasks.add_tasks(db, site, project, STAGE, {version.item: version for version in versions}, wanted=None)


def answers(
    db: Orm, project: Project, *, without_marked: bool = False
) -> dict[str, dict[str, tuple[str, float | None]]]:
    """Return each subject's answers with their seconds, by item; on request without answers that are marked."""
    people: dict[str, dict[str, tuple[str, float | None]]] = defaultdict(dict)
    chosen = submitted(project, User.name, Task.key, Submission).where(Submission.step == STEP)
    for name, item, given in db.execute(chosen):
        if not (without_marked and given.marks):
            people[name][item] = given.content["answer"], given.seconds
    return dict(people)


def baseline_progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """Tabulate each subject's progress, and the agreement between subjects."""
    people = answers(db, project)
    versions = tasks.current_items(db, project)
    about = {version.item: version for version in versions}
    total = len(versions)
    rows = [(name, f"{len(own)} of {total}") for name, own in sorted(people.items())]
    units: dict[str, list[str]] = defaultdict(list)
    for own in people.values():
        for item, (given, _) in own.items():
            units[item].append(given)
    agreed = alpha(
        [_labels(about.get(item), given) for item, given in units.items()],
        [(about[item].scene if item in about else None) or item for item in units],
    )
    agreement = [("Krippendorff's alpha of the answers", *coefficient(agreed))]
    return [
        Block("Subjects", ("subject", "answered"), rows),
        Block("Agreement", ("figure", *COEFFICIENT), agreement, "Of questions with two answers or more."),
        marks_block(db, project, [STEP]),
        problems_block(db, project),
    ]


def _labels(version: ItemVersion | None, given: list[str]) -> list[str]:
    return labels_of(tasks.item_of(version), given) if version is not None and len(given) > 1 else given


allow_undo(ANSWER_NAME, STEP, UndoRule(lambda content: {**content, "drawn": as_field(content)}))
ANSWER_MODE = Mode(
    name=ANSWER_NAME,
    title="Answer",
    purpose="Subjects answer every question, for the human baseline.",
    stages={STAGE: ("subject",)},
    router=answer_router,
    start=start_baseline,
    progress=baseline_progress,
    in_parts=True,
    settings=(LEAST, UNDO),
)


STUDY_NAME = STUDY
study_router = APIRouter(prefix=f"/{STUDY_NAME}", dependencies=[allow("subject")])


@study_router.get("/{assignment}", response_class=HTMLResponse)
def show_study_question(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """Show a question to the person who is to answer it; a practice question's answer after theirs."""
    with site.database.view() as db:
        own = _own(db, me, assignment)
        part = participants.part_of(own.task.project)
        if own.task.stage == PRACTICE and own.state == "done":
            return page(guest, "study_feedback.html", **_feedback(db, site, own, part))
        further = see_other(f"/projects/{own.task.project_id}/work")
        if study_steps.was_submitted(db, own):
            return further
        if own.task.stage != STUDY or not study_steps.over(site, own, part):
            return page(guest, "study.html", **_asked(db, site, me, own, part))
    with site.database.write_for(me.id) as db:
        study_steps.skip(db, site, _own(db, me, assignment), TIME_OVER, 0.0)
    return further


@study_router.post("/{assignment}", response_class=HTMLResponse)
def submit_study_answer(
    site: TheSite, guest: Guest, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0, shown: Shown = ""
) -> Response:
    """Submit an answer; stored is the letter of the question as the benchmark has it."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        part = participants.part_of(own.task.project)
        practises = own.task.stage == PRACTICE
        further = see_other(f"/{STUDY_NAME}/{assignment}" if practises else f"/projects/{own.task.project_id}/work")
        if study_steps.was_submitted(db, own):
            return further if practises else _stays(db, own, part, answer, further)
        if not practises and study_steps.over(site, own, part):
            study_steps.skip(db, site, own, TIME_OVER, seconds)
            return further
        item, order = _shuffled(own, part)
        try:
            given = read_answer(item, answer)
            marks = marks_of(site, own, seconds, shown)
            if part.time.hold and "fast" in marks:
                raise AnswerError(f"Look at the question for {counted(part.time.least_seconds, 'second')} at least.")
        except AnswerError as error:
            content = _asked(db, site, me, own, part) | {"problem": str(error), "given": answer}
            return page(guest, "study.html", status=422, **content)
        content = {"answer": participants.true_answer(order, given)}
        if order is not None:
            content |= {"shown": given, "order": list(order)}
        _, fresh = tasks.submit(db, site, own, ANSWER, content, seconds, marks)
        if fresh:
            tasks.finish(db, site, own)
        return further


@study_router.post("/{assignment}/skip", response_class=HTMLResponse)
def skip_study_question(site: TheSite, me: Me, assignment: Key, reason: Line = "", seconds: Seconds = 0.0) -> Response:
    """Skip a question with a reason; a broken medium is reported, so that the owner can have it asked again."""
    with site.database.write_for(me.id) as db:
        own = _own(db, me, assignment)
        part = participants.part_of(own.task.project)
        if own.task.stage != STUDY or reason not in (*part.skip, TIME_OVER):
            raise HTTPException(422, "Choose one of the reasons.")
        if reason == TIME_OVER and (part.time.most_seconds is None or study_steps.left(site, own, part) > tasks.SLACK):
            raise HTTPException(422, "There is time left for this question.")
        if reason != TIME_OVER and (answered := tasks.submission(db, own, ANSWER)) is not None:
            tasks.refuse_other(answered, {"reason": reason})
        if not study_steps.was_submitted(db, own):
            if reason == BROKEN:
                tasks.report(db, site, own, BROKEN)
            else:
                study_steps.skip(db, site, own, reason, seconds)
        return see_other(f"/projects/{own.task.project_id}/work")


@study_router.post("/{assignment}/draft", status_code=204, response_class=Response)
def keep_study_draft(site: TheSite, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0) -> Response:
    """Keep a draft, so that the person can go on from there on another day or in another browser."""
    return store_draft(site, me, lambda db: _own(db, me, assignment), {"answer": answer}, seconds)


def start_sample(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """The tasks of all forms; of a project that no file describes, as its settings say."""
    if not participants.is_study(project):
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


def _stays(db: Orm, own: Assignment, part: StudyPart, answer: str, further: Response) -> Response:
    """Go on after a question that the person has passed, unless they answer it otherwise now.

    Raises:
        HTTPException: 409, where they do.
    """
    item, order = _shuffled(own, part)
    try:
        given = participants.true_answer(order, read_answer(item, answer))
    except AnswerError:
        return further
    found = tasks.submission(db, own, ANSWER) or tasks.submission(db, own, study_steps.SKIP)
    if found is not None:
        tasks.refuse_other(found, {"answer": given})
    return further


def _own(db: Orm, me: Person, assignment: int) -> Assignment:
    """Return a person's own question, as long as they are in the study.

    Raises:
        HTTPException: 404, where it isn't theirs; 409, where they have reported it or their part has ended.
    """
    own = own_work(db, me, assignment, STUDY_NAME)
    found = participants.participant_of(db, own.task.project, me.id)
    if found is None or (found.state != BEGUN and own.state != "done"):
        raise HTTPException(409, "Your part in this study has ended.")
    if not own.task.project.open and own.state != "done":
        raise HTTPException(409, "The study is paused.")
    return own


def _shuffled(own: Assignment, part: StudyPart) -> tuple[Item, tuple[int, ...] | None]:
    """The question as this person sees it, and the order of its options where that is another."""
    item = tasks.asked_item(own)
    if not part.order.options or own.task.stage == PRACTICE:
        return item, None
    order = participants.option_order(item, participants.seed_of(own.task.project), own.user_id, item.id)
    return (item, None) if order is None else (item.reordered(order), order)


def _asked(db: Orm, site: Site, me: Person, own: Assignment, part: StudyPart) -> dict[str, Any]:
    project = own.task.project
    found = participants.participant_of(db, project, me.id)
    assert found is not None
    place = study_steps.place_of(db, project, part, found)
    practises = own.task.stage == PRACTICE
    item, _ = _shuffled(own, part)
    return {
        "own": own.id,
        "project": project.name,
        "question": blind(site, project.id, item),
        "given": own.draft.content.get("answer", "") if own.draft else "",
        "seconds": own.draft.seconds if own.draft else 0.0,
        "number": int(own.task.content["place"]) + 1 if practises else place.done + 1,
        "total": len(part.practice) if practises else place.total,
        "practises": practises,
        "reasons": () if practises else part.skip,
        "left": None if practises or part.time.most_seconds is None else max(0.0, study_steps.left(site, own, part)),
        "time_over": TIME_OVER,
        "instructions": study_html(site, project, part.instructions),
        "problem": "",
        "again": _again(own, part) if practises else "",
    }


def _again(own: Assignment, part: StudyPart) -> str:
    """Return the pass mark of a further round of practice; '' in the first, and behind its first question."""
    if not own.task.content["round"] or own.task.content["place"]:
        return ""
    asked, number = part.practising, own.task.content["round"] + 1
    return f"You need {asked.least_right} of {len(part.practice)} right; this is round {number} of {asked.rounds}."


def _feedback(db: Orm, site: Site, own: Assignment, part: StudyPart) -> dict[str, Any]:
    item = tasks.asked_item(own)
    given = tasks.submission(db, own, ANSWER)
    assert given is not None
    place = int(own.task.content["place"])
    return {
        "project": own.task.project.name,
        "further": f"/projects/{own.task.project_id}/work",
        "question": blind(site, own.task.project_id, item),
        "right": study_steps.is_right(db, own),
        "given": shown_answer(item, given.content["answer"]),
        "truth": shown_answer(item, item.answer),
        "explanation": study_html(site, own.task.project, part.practice[place].explanation),
        "number": place + 1,
        "total": len(part.practice),
    }


STUDY_MODE = Mode(
    name=STUDY_NAME,
    title="Study",
    purpose="Each person answers a sample of the questions, as the study's settings say.",
    stages={STUDY: ("subject",), PRACTICE: ("subject",)},
    router=study_router,
    start=start_sample,
    progress=study_progress,
    settings=(
        ModeSetting("people", "People", 7, 1, 10_000),
        ModeSetting("each", "Questions of each task for each person (0 for as many as are needed)", 50, 0, 9999),
        ModeSetting("overlap", "People for each question (0 for all)", 0, 0, 10_000),
        ModeSetting("shuffle", "Shuffle options for each person (1) or not (0)", 0, 0, 1),
        ModeSetting("seed", "Seed of the draw", 0, 0, 1_000_000),
        LEAST,
    ),
    next_page=study_steps.next_page,
    counts=study_steps.counts,
)  # fmt: skip
