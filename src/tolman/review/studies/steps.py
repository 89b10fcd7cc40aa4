"""Steps: what somebody in a study is shown next."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.forms.answers import agree
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Participant, Project, Submission, Task
from tolman.review.studies import people
from tolman.review.studies.people import BEGUN, PRACTICE
from tolman.review.studies.practice import Passed, Standing, standing
from tolman.review.studies.spec import StudyPart
from tolman.review.tasks import taking, work
from tolman.review.tasks.marks import REPORTED, VOIDED

ANSWER, SKIP = "answer", "skip"
"""Steps of a study's submissions. A skip is a submission of its own kind, and no answer anywhere."""
TIME_OVER = "time is over"
GONE = ("done", REPORTED, VOIDED)
"""States of an assignment that is behind somebody."""


@dataclass(frozen=True)
class StudyPlace:
    """How far somebody is.

    Attributes:
        done, total: questions that are behind them, and all of theirs.
        practice: where they stand with practice.
    """

    done: int
    total: int
    practice: Standing


def before_work(db: Orm, project: Project, me: Person) -> str | None:
    """The page with what people are told, for who hasn't agreed to it; None where there is nothing to agree to."""
    if not people.is_study(project) or me.is_owner:
        return None
    return f"/studies/{project.id}" if people.participant_of(db, project, me.id) is None else None


def place_of(db: Orm, project: Project, part: StudyPart, found: Participant) -> StudyPlace:
    """How far somebody is."""
    gone = _gone(db, project, found)
    tasks = found.content["tasks"]
    return StudyPlace(sum(task in gone for task in tasks), len(tasks), _practised(db, project, part, found))


def next_page(db: Orm, site: Site, project: Project, me: Person) -> str:
    """The address of what somebody is shown next."""
    found = people.participant_of(db, project, me.id)
    if found is None:
        return f"/studies/{project.id}"
    part, now = people.part_of(project), site.settings.clock()
    found.seen = now
    if found.state != BEGUN:
        return f"/studies/{project.id}/end"
    most = part.time.most_minutes
    if most is not None and found.agreed is not None and now - found.agreed > 60 * most:
        people.end(site, found, TIME_OVER)
        return f"/studies/{project.id}/end"
    place = place_of(db, project, part, found)
    if place.practice.passed is Passed.FAILED:
        people.screen_out(site, found)
        return f"/studies/{project.id}/end"
    if place.practice.passed is Passed.GOING_ON:
        return _practice_page(db, site, project, me, place.practice)
    if not found.content.get("practised"):
        found.content = {**found.content, "practised": True}
    gone = _gone(db, project, found)
    task = next((task for task in found.content["tasks"] if task not in gone), None)
    if task is None:
        people.end(site, found)
        return f"/studies/{project.id}/end"
    if part.breaks is not None and place.done // part.breaks.every > found.breaks:
        return f"/studies/{project.id}/break"
    return f"/study/{_held(db, site, me, db.get_one(Task, task)).id}"


def counts(db: Orm, site: Site, project: Project, me: Person) -> tuple[int, int]:
    """How many questions somebody has behind them, and how many wait."""
    found = people.participant_of(db, project, me.id)
    if found is None:
        return 0, 1
    if found.state != BEGUN:
        return len(_gone(db, project, found).intersection(found.content["tasks"])), 0
    place = place_of(db, project, people.part_of(project), found)
    return place.done, max(place.total - place.done, 1)


def over(site: Site, own: Assignment, part: StudyPart) -> bool:
    """Tell whether the time for a question is over, with some seconds for the way of an answer."""
    return part.time.most_seconds is not None and left(site, own, part) < -work.SLACK


def left(site: Site, own: Assignment, part: StudyPart) -> float:
    """The seconds that are left for a question."""
    return (part.time.most_seconds or 0) - (site.settings.clock() - own.taken)


def is_right(db: Orm, own: Assignment) -> bool | None:
    """Whether a submitted answer is right; None where there is none."""
    found = work.submission(db, own, ANSWER)
    if found is None:
        return None
    item = work.asked_item(own)
    return agree(item, found.content["answer"], item.answer)


def _practice_page(db: Orm, site: Site, project: Project, me: Person, now: Standing) -> str:
    tasks = select(Task).where(Task.project_id == project.id, Task.stage == PRACTICE)
    own = sorted(
        (t for t in db.scalars(tasks) if t.content["round"] == now.round), key=lambda task: int(task.content["place"])
    )
    for task in own:
        held = _held(db, site, me, task)
        if held.state not in GONE:
            return f"/study/{held.id}"
    return f"/study/{_held(db, site, me, own[-1]).id}"


def _practised(db: Orm, project: Project, part: StudyPart, found: Participant) -> Standing:
    if not part.practice or found.content.get("practised"):
        return Standing(Passed.DONE, 0, 0)
    own = db.scalars(
        select(Assignment)
        .join(Task)
        .where(
            Task.project_id == project.id, Task.stage == PRACTICE, Assignment.user_id == found.user_id,
            Assignment.state.in_(GONE),
        )
    )  # fmt: skip
    rounds: dict[int, list[bool]] = {}
    for one in own:
        rounds.setdefault(int(one.task.content["round"]), []).append(bool(is_right(db, one)))
    return standing([rounds[number] for number in sorted(rounds)], len(part.practice), part.practising)


def _gone(db: Orm, project: Project, found: Participant) -> set[int]:
    """Tasks that are behind somebody."""
    gone = (
        select(Assignment.task_id)
        .join(Task)
        .where(Task.project_id == project.id, Assignment.user_id == found.user_id, Assignment.state.in_(GONE))
    )
    return set(db.scalars(gone))


def _held(db: Orm, site: Site, me: Person, task: Task) -> Assignment:
    """Somebody's assignment to a task, made where there is none: its time runs from then on."""
    own = db.scalar(select(Assignment).where(Assignment.task_id == task.id, Assignment.user_id == me.id))
    own = own or taking.assign(db, site, task.id, None, me, site.settings.clock())
    assert own is not None  # a study's tasks are for all of its people
    return own


def skip(db: Orm, site: Site, own: Assignment, reason: str, seconds: float) -> None:
    """Skip a question: a submission with a reason, which is no answer."""
    _, fresh = work.submit(db, site, own, SKIP, {"reason": reason}, seconds)
    if fresh:
        work.finish(db, site, own)


def was_submitted(db: Orm, own: Assignment) -> bool:
    """Tell whether somebody has answered or skipped."""
    return db.scalar(select(Submission.id).where(Submission.assignment_id == own.id).limit(1)) is not None
