"""Items that people make: adding them to their project, taking them back, and sending them back to their writer.

An item is stored with its maker and its sources. A question that reviewers discard goes to its writer, who revises or
replaces it; then it is reviewed again (MMSI-Bench paper, section F.5, "Iterative Feedback").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import LETTERS, Item
from tolman.kinds import kind_named
from tolman.review.accounts import Person
from tolman.review.media import register
from tolman.review.site import Site
from tolman.review.store.database import record_item
from tolman.review.store.schema import (
    Assignment,
    Decision,
    Exclusion,
    Flag,
    ItemVersion,
    Project,
    SavedDraft,
    Submission,
    Task,
)
from tolman.review.tasks import Block, ModeSetting, submitted, work
from tolman.review.tasks.assignments import UndoRule
from tolman.review.tasks.decisions import ADJUDICATE, DISCARD, LEFT_OUT_BY, add_review, last_decision, votes

WRITTEN = "written"
DRAFT = "draft"


def add_made(
    db: Orm, site: Site, own: Assignment, me: Person, item: Item, step: str, seconds: float, draft: Mapping[str, Any]
) -> bool:
    """Submit a new item that a person made, and finish the assignment.

    Args:
        db, site, own, me: where, and whose.
        item: the new item.
        step: of the assignment.
        seconds: it took.
        draft: from which it was made; its form is filled with that where it is taken back.

    Returns:
        True for a new item; a form that comes twice makes one item.
    """
    project = own.task.project
    content = {"item": item.model_dump(mode="json"), DRAFT: dict(draft)}
    _, fresh = work.submit(db, site, own, step, content, seconds)
    if fresh:
        version = work.add_item(db, site, project, item, origin=WRITTEN, by=me.id)
        register(db, site, project, item.media)
        record_item(db, site.settings, WRITTEN, version, user=me.id, version=version.version, seconds=seconds)
        work.finish(db, site, own)
    return fresh


def refuse_another(db: Orm, own: Assignment, step: str, draft: Mapping[str, Any]) -> bool:
    """Check whether a person has submitted an item already.

    Raises:
        HTTPException: 409, where it was made of another form than this one.
    """
    found = work.submission(db, own, step)
    if found is not None:
        work.refuse_other(found, {DRAFT: dict(draft)})
    return found is not None


def _made(db: Orm, submission: Submission) -> list[ItemVersion]:
    """All versions of the item that a submission made, in its project and in others that go on with it."""
    chosen = select(ItemVersion).where(ItemVersion.item == submission.content["item"]["id"])
    return list(db.scalars(chosen.order_by(ItemVersion.id)))


def _goes_on(db: Orm, submission: Submission) -> bool:
    """Check whether others have begun with a person's item: it is in another project, changed, decided or flagged."""
    made = _made(db, submission)
    current = [version for version in made if version.current]
    if DRAFT not in submission.content or len(current) != 1 or current[0] is not made[-1]:
        return True
    last, project = current[0], db.get_one(Task, submission.task_id).project_id
    flagged = db.scalar(select(Flag.id).where(Flag.item_id == last.id).limit(1))
    elsewhere = any(version.project_id != project for version in made)
    return elsewhere or last.origin != WRITTEN or flagged is not None or last_decision(db, last) is not None


def _withdraw(db: Orm, submission: Submission) -> None:
    for version in _made(db, submission):
        version.current = False
        work.withdraw(db, version)


MADE = UndoRule(lambda content: dict(content[DRAFT]), _goes_on, _withdraw)
"""How an item that a person made is taken back: it is no item of its project until it is submitted again."""


def identity(site: Site, own: Assignment) -> str:
    """The id of the item that comes of an assignment: the same however often it is submitted."""
    return site.sign("made", own.task.project_id, own.id)[:16]


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


BACK = ModeSetting("back", "In a study, what reviewers discard goes back to its writer (1), or not (0)", 0, 0, 1)
WRITE = "write"
"""The mode whose questions go back, and the stage of its tasks."""
REVISES, REASONS, REVIEW = "revises", "reasons", "review"
"""In a task of revising: the item, why it came back, and the project of its reviewers."""
_LONG = 10 * 365 * 86_400.0
"""Seconds for which a question that came back is kept for its writer."""


@dataclass(frozen=True)
class Feedback:
    """A decision of reviewers, as its writer reads it.

    Attributes:
        question: its text.
        outcome: the result, in words.
        reasons: of all reviewers who gave one.
        waits: whether the question has come back and is to be revised.
    """

    question: str
    outcome: str
    reasons: tuple[str, ...]
    waits: bool


def send_back(db: Orm, site: Site, version: ItemVersion) -> None:
    """Have a question that reviewers have just discarded revised by its writer, where the project says so."""
    review, decision = db.get_one(Project, version.project_id), last_decision(db, version)
    if not review.settings.get(BACK.name, 0) or decision is None or decision.verdict != DISCARD:
        return
    source = _source(db, review, version.item)
    if source is None or source.user_id is None:
        return
    project, key = db.get_one(Project, source.project_id), f"revise-{version.item}@{version.version}"
    same = select(Task).where(Task.project_id == project.id, Task.stage == WRITE, Task.key == key)
    known, reasons = db.scalar(same), list(_reasons(db, decision))
    if known is not None:  # it was reopened, and discarded again
        known.content = known.content | {REASONS: reasons}
        return
    draft, now = _written(db, project, source), site.settings.clock()
    content = {REVISES: version.item, REASONS: reasons, REVIEW: review.id, DRAFT: draft}
    task = work.add_task(db, site, project, WRITE, key, content=content)
    task.position = ""  # before all others
    own = Assignment(task_id=task.id, user_id=source.user_id, slot=0, state="held", taken=now, expires=now + _LONG)
    own.draft = SavedDraft(content=draft, seconds=0.0, updated=now)
    db.add(own)
    db.flush()
    record_item(db, site.settings, "sent back", source, user=source.user_id, reasons=reasons)


def review_again(db: Orm, site: Site, own: Assignment, me: Person, item: Item) -> None:
    """Have a question reviewed that its writer has revised; one that the owner has left out stays out."""
    review = db.get_one(Project, own.task.content[REVIEW])
    chosen = select(ItemVersion).where(ItemVersion.project_id == review.id, ItemVersion.item == item.id)
    older = db.scalars(chosen.where(ItemVersion.current)).one()
    decision = last_decision(db, older)
    if decision is not None and LEFT_OUT_BY in decision.content:
        return
    excluded = select(Exclusion.user_id).join(Task, Task.id == Exclusion.task_id).where(Task.item_id == older.id)
    authors = {me.id, *db.scalars(excluded)}
    work.withdraw(db, older)
    reason = "; ".join(own.task.content[REASONS])
    fresh = work.add_item(db, site, review, item, origin="revised", by=me.id, reason=reason)
    add_review(db, site, review, fresh, not_by=authors)


def feedback(db: Orm, project: Project, me: Person) -> list[Feedback]:
    """Return reviewers' decisions in the same study about a person's questions, the latest first."""
    title = _study(project)
    if project.mode != WRITE or title is None:
        return []
    own = select(ItemVersion.item).where(ItemVersion.project_id == project.id, ItemVersion.user_id == me.id)
    decided = (
        select(Decision, ItemVersion)
        .join(ItemVersion, ItemVersion.id == Decision.item_id)
        .where(ItemVersion.item.in_(own), ItemVersion.project_id != project.id)
        .where(Decision.verdict.in_((DISCARD, "revise")))
        .order_by(Decision.id.desc())
    )
    waiting = {task.content[REVISES] for task, assignment in _revising(db, project) if _waits(task, assignment, me)}
    found = []
    for decision, version in db.execute(decided):
        if LEFT_OUT_BY in decision.content or _study(db.get_one(Project, version.project_id)) != title:
            continue
        waits = version.current and version.item in waiting
        outcome = "Discarded" if version.current else "Discarded, and revised since"
        if decision.verdict != DISCARD:
            outcome = "Revised by reviewers"
        elif waits:
            outcome = "Came back to be revised"
        found.append(Feedback(str(version.content["question"]), outcome, tuple(_reasons(db, decision)), waits))
    return sorted(found, key=lambda one: not one.waits)


def revision_progress(db: Orm, project: Project) -> list[Block]:
    """Tabulate questions that came back; no table where none did."""
    tasks = [task for task, _ in _revising(db, project)]
    if not tasks:
        return []
    rows = [("sent back by reviewers", len(tasks)), ("revised since", sum(not task.open for task in tasks))]
    return [Block("Questions that came back", ("so far", "questions"), rows)]


def _revising(db: Orm, project: Project) -> list[tuple[Task, Assignment]]:
    chosen = (
        select(Task, Assignment)
        .join(Assignment, Assignment.task_id == Task.id)
        .where(Task.project_id == project.id, Task.stage == WRITE, Task.key.startswith("revise-"))
    )
    return [(task, own) for task, own in db.execute(chosen) if REVISES in task.content]


def _waits(task: Task, own: Assignment, me: Person) -> bool:
    return task.open and own.user_id == me.id and own.state == "held"


def _source(db: Orm, review: Project, item: str) -> ItemVersion | None:
    """The version of a question that its writer submitted last, in the same study."""
    chosen = select(ItemVersion).where(
        ItemVersion.item == item, ItemVersion.origin == WRITTEN, ItemVersion.project_id != review.id
    )
    for version in db.scalars(chosen.order_by(ItemVersion.id.desc())):
        project = db.get_one(Project, version.project_id)
        if project.mode == WRITE and _study(project) is not None and _study(project) == _study(review):
            return version
    return None


def _study(project: Project) -> str | None:
    title: str | None = project.settings.get("study", {}).get("title")
    return title


def _written(db: Orm, project: Project, source: ItemVersion) -> dict[str, object]:
    """The form from which a question was made, to be filled in again."""
    theirs = db.scalars(submitted(project, Submission).where(Submission.user_id == source.user_id)).all()
    for submission in reversed(theirs):
        if submission.content.get("item", {}).get("id") == source.item:
            return dict(submission.content.get(DRAFT, {}))
    return {}


def _reasons(db: Orm, decision: Decision) -> Sequence[str]:
    """The reasons of a decision: the adjudicator's, or those of all reviewers who agreed, each once."""
    task = None if decision.task_id is None else db.get(Task, decision.task_id)
    if task is None or task.stage == ADJUDICATE:
        return [decision.reason]
    return list(dict.fromkeys(vote.content["reason"] for vote in votes(db, task) if vote.content["reason"]))
