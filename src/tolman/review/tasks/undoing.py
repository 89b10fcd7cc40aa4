"""Taking the last answer back: a further row says so, and the task is its person's again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session as Orm
from sqlalchemy.orm import lazyload, load_only

from tolman.review.accounts.identity import Person
from tolman.review.site import Site
from tolman.review.store.database import WITH_UNDONE
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, Project, SavedDraft, Submission, Task, Undone
from tolman.review.tasks.mode import ModeSetting
from tolman.review.tasks.settling import open_again

SETTING = "undo"
UNDO = ModeSetting(SETTING, "People may take their last answer back (1), or not (0)", 1, least=0, most=1)
_RULES: dict[tuple[str, str], UndoRule] = {}
# With its task, as most rules look at that.
_LAST = (
    select(Submission, Undone.id, Task)
    .join(Task, Task.id == Submission.task_id)
    .outerjoin(Undone, Undone.submission_id == Submission.id)
    .where(Submission.user_id == bindparam("me"), Task.project_id == bindparam("project"))
    .order_by(Submission.id.desc())
    .limit(1)
    .options(load_only(Task.open), lazyload(Task.project), lazyload(Task.item))
    .execution_options(**{WITH_UNDONE: True})
)


class UndoRule:
    """How a kind of work takes a step back.

    Args:
        draft: content of the submission → content of the draft that its form is filled with again.
        stands: (db, submission) → whether something has followed from it, so that it can't be taken back.
        revert: (db, submission) → takes back what the submission made at once, such as an item.
    """

    def __init__(
        self,
        draft: Callable[[Mapping[str, Any]], dict[str, Any]] = dict,
        stands: Callable[[Orm, Submission], bool] = lambda db, submission: False,
        revert: Callable[[Orm, Submission], None] = lambda db, submission: None,
    ) -> None:
        self.draft, self.stands, self.revert = draft, stands, revert


def allow_undo(mode: str, step: str, rule: UndoRule) -> None:
    """Let people take a step of a mode back."""
    _RULES[mode, step] = rule


def undoable(db: Orm, project: Project, me: Person) -> Submission | None:
    """The submission that somebody may take back: their last in the project, until they submit the next.

    None where the project forbids it or rests, where its kind of work takes nothing back, where something has followed
    from it, and where it is taken back already: what came before it stands.
    """
    if not project.open or not project.settings.get(SETTING, 1):
        return None
    found = db.execute(_LAST, {"project": project.id, "me": me.id}).first()
    if found is None or found[1] is not None:
        return None
    last: Submission = found[0]
    rule = _RULES.get((project.mode, last.step))
    return None if rule is None or rule.stands(db, last) else last


def undo(db: Orm, site: Site, last: Submission) -> Assignment:
    """Take a submission back that `undoable` found; the assignment that is to be done again.

    Its form is filled as it was submitted. The task is open again, and whoever took it back still has their place.
    """
    own = db.get_one(Assignment, last.assignment_id)
    task = own.task
    rule = _RULES[task.project.mode, last.step]
    now = site.settings.clock()
    db.add(Undone(submission_id=last.id, user_id=last.user_id, created=now))
    record(
        db, site.settings, "taken back", project=task.project_id, item=task.item.item if task.item else task.key,
        user=last.user_id, step=last.step, submission=last.id,
    )  # fmt: skip
    own.state, own.done, own.expires = "held", None, now + site.settings.lease
    rule.revert(db, last)
    open_again(db, task)
    own.draft = SavedDraft(content=rule.draft(last.content), seconds=last.seconds or 0.0, updated=now)
    db.flush()
    return own
