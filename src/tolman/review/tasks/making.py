"""Items that people make here: adding them to their project, with who made them and of what, and taking them back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import LETTERS, Item, Media
from tolman.kinds import kind_named
from tolman.review.accounts.identity import Person
from tolman.review.media.serving import key_of, register
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, Flag, ItemVersion, Project, Submission, Task, TaskMedium
from tolman.review.tasks import work
from tolman.review.tasks.settling import last_decision
from tolman.review.tasks.undoing import UndoRule

WRITTEN = "written"
_DRAFT = "draft"


def add_existing(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Have the benchmark's own questions in a project that adds to them."""
    work.add_items(db, site, project, items)


def add_made(
    db: Orm, site: Site, own: Assignment, me: Person, item: Item, step: str, seconds: float, draft: Mapping[str, Any]
) -> bool:
    """Submit what somebody made: a new item, and an assignment that is done.

    Args:
        db, site, own, me: where, and whose.
        item: what was made.
        step: of the assignment.
        seconds: it took.
        draft: of which it was made; its form is filled with that where it is taken back.

    Returns:
        Whether it is new; a form that comes twice makes one item.
    """
    project = own.task.project
    content = {"item": item.model_dump(mode="json"), _DRAFT: dict(draft)}
    _, fresh = work.submit(db, site, own, step, content, seconds)
    if fresh:
        version = work.add_item(db, site, project, item, origin=WRITTEN, by=me.id)
        register(db, site, project, item.media)
        record(
            db, site.settings, WRITTEN, project=project.id, item=item.id, user=me.id, version=version.version,
            seconds=seconds,
        )  # fmt: skip
        work.finish(db, site, own)
    return fresh


def _made(db: Orm, submission: Submission) -> list[ItemVersion]:
    """All versions of the item that a submission made, in its project and in others that go on with it."""
    chosen = select(ItemVersion).where(ItemVersion.item == submission.content["item"]["id"])
    return list(db.scalars(chosen.order_by(ItemVersion.id)))


def _goes_on(db: Orm, submission: Submission) -> bool:
    """Tell whether others have begun with what somebody made: it is in another project, changed, decided or flagged."""
    made = _made(db, submission)
    current = [version for version in made if version.current]
    if _DRAFT not in submission.content or len(current) != 1 or current[0] is not made[-1]:
        return True
    last, project = current[0], db.get_one(Task, submission.task_id).project_id
    flagged = db.scalar(select(Flag.id).where(Flag.item_id == last.id).limit(1))
    elsewhere = any(version.project_id != project for version in made)
    return elsewhere or last.origin != WRITTEN or flagged is not None or last_decision(db, last) is not None


def _withdraw(db: Orm, submission: Submission) -> None:
    for version in _made(db, submission):
        version.current = False
        work.withdraw(db, version)


MADE = UndoRule(lambda content: dict(content[_DRAFT]), _goes_on, _withdraw)
"""How an item that somebody made is taken back: it is no item of its project until it is submitted again."""


def identity(site: Site, own: Assignment) -> str:
    """The id of the item that comes of an assignment: the same however often it is submitted."""
    return site.sign("made", own.task.project_id, own.id)[:16]


def show_with(db: Orm, site: Site, project: Project, task: Task, media: Sequence[Media]) -> None:
    """Let whoever does a task load some media."""
    known = register(db, site, project, media)
    for medium in sorted({known[key_of(one)] for one in media}):
        db.add(TaskMedium(task_id=task.id, medium_id=medium))
    db.flush()


def letters(versions: Sequence[ItemVersion]) -> dict[int, Counter[str]]:
    """Number of options → how often each letter is right among some items."""
    found: dict[int, Counter[str]] = {}
    for version in versions:
        content = version.content
        if kind_named(content["kind"]).has_letters:
            found.setdefault(len(content["options"]), Counter())[content["answer"]] += 1
    return found


def rarest_place(db: Orm, project: Project, options: int, among: Sequence[str] = ()) -> int:
    """Choose the place of the right option of a new question, from 0: the letter that is right least often.

    Args:
        db: the database.
        project: of the question.
        options: how many it has.
        among: the question types whose letters count; all where empty.
    """
    versions = [v for v in work.current_items(db, project) if not among or v.content["task"] in among]
    so_far = letters(versions).get(options, Counter())
    return min(range(options), key=lambda place: so_far[LETTERS[place]])
