"""Tasks, with the contract of a mode of work (settings, routes, tables of progress) and marks on answers.

A mark is set on an answer that may not rest on the question: given too fast, or before the media could be seen.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Select, select
from sqlalchemy.orm import Session as Orm

from tolman.errors import counted
from tolman.items import Item
from tolman.review.accounts import AccountError, Person
from tolman.review.forms.form_values import AnswerError
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, HistoryEvent, ItemVersion, Project, Submission, Task, User


@dataclass(frozen=True)
class ModeSetting:
    """A whole number that the owner chooses when a project is started."""

    name: str
    label: str
    default: int
    least: int = 1
    most: int = 20

    def read(self, text: str) -> int:
        """A form's value.

        Raises:
            AccountError: it is no whole number.
        """
        if not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
            raise AccountError(f"{self.label}: a whole number, please.")
        return int(text)


@dataclass(frozen=True)
class Block:
    """A table of a progress page."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Mode:
    """One kind of work: its routes, its roles, the making of its tasks and the report of its progress.

    Attributes:
        name: of the module and of its addresses: an assignment's page is /NAME/ASSIGNMENT.
        title: on pages.
        purpose: one sentence for the owner who chooses it.
        stages: stage of a task → the roles that do it.
        router: its routes; each is given its roles by `allow`.
        start: (db, site, project, items) → makes the tasks of a new project.
        progress: (db, site, project) → tables of its progress page, in addition to those that all modes have.
        makes_items: whether people make items in it: those are published without a decision, which a review brings.
        settings: for the owner to choose.
        again: (db, site, project, version) → has a version reviewed that was remade after a correction; None where the
            mode has no flags.
        next_page: (db, site, project, person) → the address of the next page, where the mode itself decides on it; None
            where it is the next free task.
        counts: (db, site, project, person) → how many tasks they have done and how many wait, likewise.
        in_parts: whether `start` may be given the items of a large benchmark part after part, each in a transaction of
            its own, so that others' pages don't wait.
        fixed: settings that the owner doesn't choose, such as {"pool": True} (all media may be looked through).
    """

    name: str
    title: str
    purpose: str
    stages: Mapping[str, tuple[str, ...]]
    router: APIRouter
    start: Callable[[Orm, Site, Project, Sequence[Item]], None]
    progress: Callable[[Orm, Site, Project], Sequence[Block]] = lambda db, site, project: ()
    makes_items: bool = False
    settings: tuple[ModeSetting, ...] = ()
    again: Callable[[Orm, Site, Project, ItemVersion], object] | None = None
    next_page: Callable[[Orm, Site, Project, Person], str] | None = None
    counts: Callable[[Orm, Site, Project, Person], tuple[int, int]] | None = None
    in_parts: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def stages_for(self, *roles: str) -> list[str]:
        """Return the stages whose tasks a person of some roles does."""
        return [stage for stage, theirs in self.stages.items() if set(roles) & set(theirs)]


FAST = "fast"
UNSEEN = "unseen"
MARKS = {FAST: "faster than the least time", UNSEEN: "before the media had loaded"}
REPORTED = "reported"
"""The state of an assignment whose media could not be shown; also the report's name in the history."""
VOIDED = "voided"
"""The state of an assignment whose submissions the owner took back, so that others are asked."""
LEAST = ModeSetting("least_seconds", "Mark answers given in fewer seconds (0 for none)", 2, least=0, most=600)
_READY, _BROKEN = "ready", "broken"


def marks_of(site: Site, own: Assignment, seconds: float, shown: str) -> list[str]:
    """Find the marks of an answer.

    Args:
        site: its clock limits the seconds, as no browser can show the task for longer than the person has had it.
        own: the task that is answered.
        seconds: that the browser says the page was visible.
        shown: the state of the question's media, as the browser reports it: 'ready' where all could be seen.

    Raises:
        AnswerError: a medium can't be shown, so that the answer would be a guess.
    """
    has_media = own.task.item is not None and bool(own.task.item.content.get("media"))
    if has_media and shown == _BROKEN:
        raise AnswerError("A video or picture of this question can't be shown. Report it in place of an answer.")
    least = own.task.project.settings.get(LEAST.name, 0)
    found = [FAST] if min(seconds, site.settings.clock() - own.taken) < least else []
    return found + ([UNSEEN] if has_media and shown != _READY else [])


def submitted(project: Project, *columns: Any) -> Select[Any]:
    """Select from a project's submissions in their order, of which each has a task, a person and perhaps a version."""
    return (
        select(*columns).select_from(Submission).join(Task).join(User, User.id == Submission.user_id)
        .outerjoin(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id).order_by(Submission.id)
    )  # fmt: skip


def tally_marks(db: Orm, project: Project, steps: Iterable[str]) -> dict[str, Counter[str]]:
    """Count each person's submissions in some steps by mark; 'marked' counts those with any, 'all' all.

    Submissions that an earlier version stored have no marks, as they were never checked.
    """
    found = db.execute(submitted(project, User.name, Submission.marks).where(Submission.step.in_(tuple(steps))))
    people: dict[str, Counter[str]] = defaultdict(Counter)
    for name, marks in found:
        people[name].update(["all", *(marks or ()), *(["marked"] if marks else ())])
    return dict(people)


def describe_marks(counts: Mapping[str, int], least: int) -> str:
    """Marks in words, such as '2 faster than 3 s, 1 before the media had loaded'."""
    words = {FAST: f"faster than {least} s", UNSEEN: MARKS[UNSEEN]}
    return ", ".join(f"{counts[mark]:,} {words[mark]}" for mark in MARKS if counts.get(mark))


def marks_block(db: Orm, project: Project, steps: Sequence[str]) -> Block:
    """The table of a progress page: marked answers of each person."""
    least = project.settings.get(LEAST.name, 0)
    rows = [
        (name, own["all"], own[FAST], own[UNSEEN], own["marked"])
        for name, own in sorted(tally_marks(db, project, steps).items())
    ]
    head = ("person", "answers", f"faster than {least} s", MARKS[UNSEEN], "marked in all")
    note = "Marked answers count like all others unless an export leaves them out (--without-marked)."
    return Block("Marked answers", head, rows, note)


def problems_block(db: Orm, project: Project) -> Block:
    """Return the table of people's reports in place of an answer, the latest first, for a progress page."""
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
    note = (
        f"{counted(len(waiting), 'of these questions waits', 'of these questions wait')} until the owner asks again."
        if waiting
        else ""
    )
    return Block("Reported problems", ("question", "person", "problem"), rows, note)
