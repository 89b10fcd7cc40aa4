"""Items that people make, and their trials: models answer a question without its media and from single pictures of it.

MMSI-Bench's rule (section 3.2): a question can't be answered from one picture alone, nor by common sense. To exclude
right answers by chance, a choice is asked twice, with its options in two orders. It counts as answered only where both
answers are right. A failure is never an answer. Trials are asked in the background, shown when there, and kept with the
question.

An item is stored with its maker and its sources. A question that reviewers discard goes to its writer, who revises or
replaces it; then it is reviewed again (MMSI-Bench paper, section F.5, "Iterative Feedback").
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman import models
from tolman.errors import TolmanError
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds import kind_named, kind_of
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Message, Picture, Sampling
from tolman.models.model import CallError, Model, ModelOptions, Request
from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.media import register
from tolman.review.site import Site
from tolman.review.store import (
    Assignment,
    Decision,
    Exclusion,
    Flag,
    ItemVersion,
    Project,
    SavedDraft,
    Submission,
    Task,
    Trial,
)
from tolman.review.store.database import record_item
from tolman.review.tasks import Block, ModeSetting, submitted
from tolman.review.tasks.assignments import UndoRule
from tolman.review.tasks.decisions import ADJUDICATE, DISCARD, LEFT_OUT_BY, add_review, last_decision, votes
from tolman.runtime import run_blocking

TIMEOUT_SECONDS = 120.0
_FRAMES = Frames(count=1, rounding="middle", longest_side=1024, quality=85)
_ASK_LETTER = "Answer with the option's letter alone."
_ASK_VALUE = "Answer with the value alone, without words around it."


@dataclass(frozen=True)
class TrialView:
    """The part of a question that a model sees.

    Attributes:
        name: 'blind', or 'picture 2' / 'frame of video 1'.
        media: the one medium, or none.
    """

    name: str
    media: tuple[Media, ...]


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of one model and one view.

    Attributes:
        answers: as they were read, one for each order of the options; the letters are the question's own.
        right: whether all of them are the right one; None where any is missing.
        problem: why there is no answer; '' where there are answers.
    """

    answers: tuple[str, ...] = ()
    right: bool | None = None
    problem: str = ""


def views(item: Item) -> list[TrialView]:
    """The question without media, then with each medium alone; of a video its middle frame."""
    found = [TrialView("blind", ())]
    for number, medium in enumerate(item.media, start=1):
        name = f"picture {number}" if medium.kind == "image" else f"a frame of video {number}"
        found.append(TrialView(name, (medium,)))
    return found


def digest(item: Item) -> str:
    """Return a key of a trial: the same for the same question, options, answer and media."""
    media = [medium.model_dump(mode="json") for medium in item.media]
    told = [item.question, item.kind, item.options, item.answer, item.unit, media]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()[:32]


def attempt(name: str, item: Item, view: TrialView, folders: Sequence[Path]) -> TrialOutcome:
    """Ask a model; an error is reported, never taken for an answer.

    Args:
        name: of the model, as `tolman run --model` takes it.
        item: the question.
        view: the part of its media that is shown.
        folders: in which its media are looked for.
    """
    try:
        return run_blocking(_attempt(name, item, view, folders))
    except CallError as error:
        return TrialOutcome(problem=error.message)
    except (TolmanError, BrokenMediaError) as error:
        return TrialOutcome(problem=str(error))
    except TimeoutError:
        return TrialOutcome(problem=f"no answer within {TIMEOUT_SECONDS:.0f} s")


async def _attempt(name: str, item: Item, view: TrialView, folders: Sequence[Path]) -> TrialOutcome:
    model = models.create(name, ModelOptions(timeout=TIMEOUT_SECONDS))
    try:
        if view.media and not getattr(model, "takes_pictures", True):
            return TrialOutcome(problem="the model reads text only")
        answers: list[str] = []
        for asked, letters in _orders(item):
            answer = await asyncio.wait_for(_answer(model, asked, view, folders), TIMEOUT_SECONDS)
            if answer is None:
                return TrialOutcome(tuple(answers), None, "the reply holds no answer that can be read")
            answers.append(letters.get(answer, answer))
        kind = kind_of(item)
        return TrialOutcome(tuple(answers), all(kind.agree(item, answer, item.answer) for answer in answers))
    finally:
        await model.close()


def _orders(item: Item) -> list[tuple[Item, dict[str, str]]]:
    """The question, and where it has options also with them the other way round; letter asked → the question's own."""
    if not kind_of(item).has_letters:
        return [(item, {})]
    own = LETTERS[: len(item.options)]
    turned = item.model_copy(update={"options": tuple(reversed(item.options))})
    return [(item, {}), (turned, dict(zip(own, reversed(own), strict=True)))]


async def _answer(model: Model, item: Item, view: TrialView, folders: Sequence[Path]) -> str | None:
    """The answer as it was read; None where none could be."""
    pictures = [picture for medium in view.media for picture in _pictures(medium, folders)]
    lines = [item.question.replace(MEDIA_MARK, "the picture").strip()]
    lines += [f"{letter}. {option}" for letter, option in zip(item.letters, item.options, strict=True)]
    lines.append(_ASK_LETTER if kind_of(item).has_letters else _ASK_VALUE)
    message = Message(parts=(*pictures, "\n".join(lines)))
    reply = await model.answer(Request(item=item, messages=(message,), sampling=Sampling()))
    read = kind_of(item).read(item, reply.response).value
    return None if read is None else str(read)


def _pictures(medium: Media, folders: Sequence[Path]) -> Sequence[Picture]:
    folder = next((one for one in folders if (one / medium.path).is_file()), folders[0])
    return FrameStore(default_root()).pictures(folder, medium, _FRAMES)


WAITING, DONE, FAILED = "waiting", "done", "failed"
_AT_ONCE = 4
_LOST_SECONDS = 4 * TIMEOUT_SECONDS
"""After which a trial that has no outcome was lost, say because the server was stopped."""


def begin(db: Orm, site: Site, own: Assignment, item: Item) -> list[tuple[int, str, TrialView]]:
    """Add the pending trials of a question: those not made yet, and those that failed.

    Returns:
        Number of the trial, model and view, for `run` once this is committed.
    """
    known = {(one.model, one.view): one for one in trials(db, own, item)}
    now = site.settings.clock()
    found = []
    for model in site.settings.try_models:
        for view in views(item):
            row = known.get((model, view.name))
            if row is None:
                row = Trial(assignment_id=own.id, digest=digest(item), model=model, view=view.name, created=now)
                db.add(row)
            elif state_of(site, row) != FAILED:
                continue
            row.state, row.created, row.content = WAITING, now, {}
            db.flush()
            found.append((row.id, model, view))
    return found


def run(site: Site, item: Item, wanted: Sequence[tuple[int, str, TrialView]]) -> None:
    """Try in the background."""
    for number, model, view in wanted:
        _threads().submit(_run, site, item, number, model, view)


def trials(db: Orm, own: Assignment, item: Item) -> list[Trial]:
    """Return the trials of the current form of a question, in the order of the requests."""
    chosen = select(Trial).where(Trial.assignment_id == own.id, Trial.digest == digest(item))
    return list(db.scalars(chosen.order_by(Trial.id)))


def state_of(site: Site, row: Trial) -> str:
    """The state of a trial; one that was lost has failed."""
    lost = row.state == WAITING and site.settings.clock() - row.created > _LOST_SECONDS
    return FAILED if lost else row.state


def shown(site: Site, row: Trial) -> dict[str, Any]:
    """A trial for the writer's page."""
    state = state_of(site, row)
    problem = row.content.get("problem") or ("the server was stopped meanwhile" if state == FAILED else "")
    return {
        "model": row.model,
        "view": row.view,
        "state": state,
        "answers": row.content.get("answers", []),
        "right": row.content.get("right"),
        "problem": problem,
    }


def kept(db: Orm, site: Site, own: Assignment, item: Item) -> list[dict[str, Any]]:
    """Return the outcomes that are kept with a question; trials without an outcome yet are left out."""
    found = [shown(site, row) for row in trials(db, own, item)]
    return [
        {name: value for name, value in one.items() if name != "state" and value not in ("", None, [])}
        for one in found
        if one["state"] != WAITING
    ]


def _run(site: Site, item: Item, number: int, model: str, view: TrialView) -> None:
    try:
        found = attempt(model, item, view, site.folders)
    except Exception as error:  # a third party's adapter may raise anything: the trial has failed then
        found = TrialOutcome(problem=f"{type(error).__name__}: {error}"[:500])
    with site.database.write() as db:
        row = db.get_one(Trial, number)
        row.state = FAILED if found.problem else DONE
        row.content = {"answers": list(found.answers), "right": found.right, "problem": found.problem}


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="trying")


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
    _, fresh = tasks.submit(db, site, own, step, content, seconds)
    if fresh:
        version = tasks.add_item(db, site, project, item, origin=WRITTEN, by=me.id)
        register(db, site, project, item.media)
        record_item(db, site.settings, WRITTEN, version, user=me.id, version=version.version, seconds=seconds)
        tasks.finish(db, site, own)
    return fresh


def refuse_another(db: Orm, own: Assignment, step: str, draft: Mapping[str, Any]) -> bool:
    """Check whether a person has submitted an item already.

    Raises:
        HTTPException: 409, where it was made of another form than this one.
    """
    found = tasks.submission(db, own, step)
    if found is not None:
        tasks.refuse_other(found, {DRAFT: dict(draft)})
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
        tasks.withdraw(db, version)


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
    versions = [v for v in tasks.current_items(db, project) if not among or v.content["task"] in among]
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
    task = tasks.add_task(db, site, project, WRITE, key, content=content)
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
    tasks.withdraw(db, older)
    reason = "; ".join(own.task.content[REASONS])
    fresh = tasks.add_item(db, site, review, item, origin="revised", by=me.id, reason=reason)
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
