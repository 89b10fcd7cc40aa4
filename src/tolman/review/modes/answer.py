"""Answer: the human baseline. Every subject answers every question, alone and without a limit of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.forms.answers import AnswerError, labels_of, read_answer
from tolman.review.forms.drawn import Drawn, as_field
from tolman.review.forms.fields import Answer, Key, Seconds, Shown
from tolman.review.pages import COEFFICIENT, coefficient, page, see_other
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import taking, work
from tolman.review.tasks.asking import asked
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.drawing import drawn_of
from tolman.review.tasks.marks import LEAST, block, marks_of, problems
from tolman.review.tasks.mode import Block, Mode
from tolman.review.tasks.undoing import UNDO, UndoRule, allow_undo
from tolman.scoring.coefficients import alpha

NAME = STAGE = STEP = "answer"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("subject")])


@router.get("/{assignment}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A question, as far as it is known to somebody who is to answer it."""
    with site.database.view() as db:
        own = own_work(db, me, assignment, NAME)
        if work.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        return page(request, guest, "answer.html", **asked(db, site, me, own, [STAGE]))


@router.post("/{assignment}", response_class=HTMLResponse)
def answer(
    request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0,
    shown: Shown = "", drawn: Drawn = "",
) -> Response:  # fmt: skip
    """Submit an answer."""
    with site.database.write_for(me.id) as db:
        own = own_work(db, me, assignment, NAME)
        try:
            given = read_answer(work.asked_item(own), answer)
            content = {"answer": given} | drawn_of(site, own, drawn)
            marks = marks_of(site, own, seconds, shown)
        except AnswerError as error:
            content = asked(db, site, me, own, [STAGE]) | {"problem": str(error), "given": answer, "drawn": drawn}
            return page(request, guest, "answer.html", status=422, **content)
        _, fresh = work.submit(db, site, own, STEP, content, seconds, marks)
        if fresh:
            work.finish(db, site, own)
        return see_other(taking.going_on(db, site, own, me, [STAGE]))


@router.post("/{assignment}/draft", status_code=204, response_class=Response)
def draft(
    site: TheSite, me: Me, assignment: Key, answer: Answer = "", seconds: Seconds = 0.0, drawn: Drawn = ""
) -> Response:
    """Keep what is entered, so that another day or another browser goes on from there."""
    with site.database.write_for(me.id) as db:
        own = own_work(db, me, assignment, NAME)
        if own.state != "done":
            work.save_draft(db, site, own, {"answer": answer, "drawn": drawn}, seconds)
    return Response(status_code=204)


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question, for everybody."""
    versions = work.add_items(db, site, project, items)
    work.add_tasks(db, site, project, STAGE, {version.item: version for version in versions}, wanted=None)


def answers(
    db: Orm, project: Project, *, without_marked: bool = False
) -> dict[str, dict[str, tuple[str, float | None]]]:
    """Subject → item → what they answered, and in how many seconds; on request without answers that are marked."""
    found = db.execute(
        select(User.name, Task.key, Submission.content, Submission.seconds, Submission.marks)
        .join(Task, Task.id == Submission.task_id)
        .join(User, User.id == Submission.user_id)
        .where(Task.project_id == project.id, Submission.step == STEP)
        .order_by(Submission.id)
    )
    people: dict[str, dict[str, tuple[str, float | None]]] = defaultdict(dict)
    for name, item, content, seconds, marks in found:
        if without_marked and marks:
            continue
        people[name][item] = content["answer"], seconds
    return dict(people)


def progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """Tabulate each subject's progress, and the agreement between subjects."""
    people = answers(db, project)
    versions = work.current_items(db, project)
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
        block(db, project, [STEP]),
        problems(db, project),
    ]


def _labels(version: ItemVersion | None, given: list[str]) -> list[str]:
    return labels_of(work.item_of(version), given) if version is not None and len(given) > 1 else given


allow_undo(NAME, STEP, UndoRule(lambda content: {**content, "drawn": as_field(content)}))
ANSWER = Mode(
    name=NAME,
    title="Answer",
    purpose="Subjects answer every question, for the human baseline.",
    stages={STAGE: ("subject",)},
    router=router,
    start=start,
    progress=progress,
    in_parts=True,
    settings=(LEAST, UNDO),
)
