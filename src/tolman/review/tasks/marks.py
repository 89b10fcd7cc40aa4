"""Marks on answers that may not rest on what was asked: given too fast, or before the media could be seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.answers import AnswerError
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, HistoryEvent, Project, Submission, Task, User
from tolman.review.tasks.mode import Block, ModeSetting

FAST = "fast"
UNSEEN = "unseen"
MARKS = {FAST: "faster than the least time", UNSEEN: "before the media had loaded"}
REPORTED = "reported"
"""The state of an assignment whose media could not be shown; also what the history calls the report."""
VOIDED = "voided"
"""The state of an assignment whose submissions the owner took back, so that others are asked."""
LEAST = ModeSetting("least_seconds", "Mark answers given in fewer seconds (0 for none)", 2, least=0, most=600)
_READY, _BROKEN = "ready", "broken"


def marks_of(site: Site, own: Assignment, seconds: float, shown: str) -> list[str]:
    """Find the marks of an answer.

    Args:
        site: its clock tells how long the person has had the task, which no browser can exceed.
        own: the task that is answered.
        seconds: that the browser says the page was visible.
        shown: the state of the question's media, as the browser tells it: 'ready' where all could be seen.

    Raises:
        AnswerError: a medium can't be shown, so that the answer would be a guess.
    """
    has_media = own.task.item is not None and bool(own.task.item.content.get("media"))
    if has_media and shown == _BROKEN:
        raise AnswerError("A video or picture of this question can't be shown. Report it in place of an answer.")
    least = own.task.project.settings.get(LEAST.name, 0)
    found = [FAST] if min(seconds, site.settings.clock() - own.taken) < least else []
    return found + ([UNSEEN] if has_media and shown != _READY else [])


def tally(db: Orm, project: Project, steps: Iterable[str]) -> dict[str, Counter[str]]:
    """Person → how many of their submissions in some steps have which mark; 'marked' counts those with any, 'all' all.

    Submissions that an earlier version stored have no marks, as nobody looked.
    """
    found = db.execute(
        select(User.name, Submission.marks)
        .join(User, User.id == Submission.user_id)
        .join(Task, Task.id == Submission.task_id)
        .where(Task.project_id == project.id, Submission.step.in_(tuple(steps)))
    )
    people: dict[str, Counter[str]] = defaultdict(Counter)
    for name, marks in found:
        people[name].update(["all", *(marks or ()), *(["marked"] if marks else ())])
    return dict(people)


def describe_marks(counts: Mapping[str, int], least: int) -> str:
    """Marks in words, such as '2 faster than 3 s, 1 before the media had loaded'."""
    words = {FAST: f"faster than {least} s", UNSEEN: MARKS[UNSEEN]}
    return ", ".join(f"{counts[mark]:,} {words[mark]}" for mark in MARKS if counts.get(mark))


def block(db: Orm, project: Project, steps: Sequence[str]) -> Block:
    """The table of a progress page: marked answers of each person."""
    least = project.settings.get(LEAST.name, 0)
    rows = [
        (name, own["all"], own[FAST], own[UNSEEN], own["marked"])
        for name, own in sorted(tally(db, project, steps).items())
    ]
    head = ("person", "answers", f"faster than {least} s", MARKS[UNSEEN], "marked in all")
    note = "Marked answers count like all others unless an export leaves them out (--without-marked)."
    return Block("Marked answers", head, rows, note)


def problems(db: Orm, project: Project) -> Block:
    """The table of a progress page: what people reported in place of an answer, the latest first."""
    found = db.execute(
        select(HistoryEvent.item, User.name, HistoryEvent.content)
        .join(User, User.id == HistoryEvent.user_id)
        .where(HistoryEvent.project_id == project.id, HistoryEvent.what == REPORTED)
        .order_by(HistoryEvent.id.desc())
    )
    rows = [(item or "", name, content.get("note") or "a medium can't be shown") for item, name, content in found]
    waiting = db.scalars(
        select(Assignment.id).join(Task).where(Task.project_id == project.id, Assignment.state == REPORTED)
    ).all()
    note = f"{len(waiting):,} of these questions wait until the owner has them asked again." if waiting else ""
    return Block("Reported problems", ("question", "person", "problem"), rows, note)
