"""Whole projects: starting them, their common tables, and starting a large one part after part.

Each part is one transaction that makes the tasks of some items and writes down how far it came, so that every item is
taken once whichever process makes the next part, and however often one is killed in between. Others' pages don't wait.
A project without participants yet may be restarted, after its tasks and items are deleted.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fastapi import HTTPException
from sqlalchemy import ColumnElement, case, delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError, UsageError, counted
from tolman.items import Item
from tolman.review.accounts import AccountError, Person, belongs
from tolman.review.modes import MODES
from tolman.review.site import Site, minutes
from tolman.review.store import (
    Act,
    Assignment,
    Decision,
    Exclusion,
    Flag,
    ItemVersion,
    Participant,
    Project,
    Starting,
    Submission,
    Task,
    TaskMedium,
    User,
)
from tolman.review.store.database import count_rows, record
from tolman.review.studies import STUDY
from tolman.review.tasks import Block, Mode


def untouched(db: Orm, project: Project) -> bool:
    """Check whether a project has no participants yet, and no decisions or flags."""
    tasks = select(Task.id).where(Task.project_id == project.id)
    items = select(ItemVersion.id).where(ItemVersion.project_id == project.id)
    there: tuple[tuple[type, ColumnElement[bool]], ...] = (
        (Participant, Participant.project_id == project.id),
        (Assignment, Assignment.task_id.in_(tasks)),
        (Act, Act.project_id == project.id),
        (Decision, Decision.item_id.in_(items)),
        (Flag, Flag.item_id.in_(items)),
    )
    return all(db.scalar(select(1).select_from(table).where(which).limit(1)) is None for table, which in there)


def clear(db: Orm, project: Project) -> None:
    """Take all tasks and items of an untouched project away. Its name and its links stay, and its history."""
    tasks = select(Task.id).where(Task.project_id == project.id)
    for table in (TaskMedium, Exclusion):
        db.execute(delete(table).where(table.task_id.in_(tasks)).execution_options(synchronize_session=False))
    for own in (Task, ItemVersion):
        db.execute(delete(own).where(own.project_id == project.id).execution_options(synchronize_session=False))
    db.expire_all()


def start_project(
    db: Orm,
    site: Site,
    name: str,
    mode: str,
    chosen: Mapping[str, int],
    by: int | None = None,
    *,
    items: Sequence[Item] | None = None,
    further: Mapping[str, Any] | None = None,
) -> Project:
    """A new project with its tasks, on the server's benchmark or on other items, with further settings if need be.

    Raises:
        AccountError: the name is taken, there is no such mode, or a setting is out of its range.
    """
    project = add_project(db, site, name, mode, chosen, further)
    MODES[mode].start(db, site, project, site.loaded.items if items is None else items)
    started_project(db, site, project, by)
    return project


def started_project(db: Orm, site: Site, project: Project, by: int | None) -> None:
    """Write down that a project has begun: all its tasks are there."""
    record(
        db, site.settings, "started", project=project.id, user=by, mode=project.mode, settings=project.settings
    )  # fmt: skip
    count_rows(db)


def start_project_anew(
    db: Orm,
    site: Site,
    project: Project,
    chosen: Mapping[str, int],
    by: int | None = None,
    *,
    items: Sequence[Item],
    further: Mapping[str, Any],
) -> None:
    """Restart a project without participants with other settings; its name, its people and its links stay.

    Raises:
        AccountError: a participant has come, or a setting is out of its range.
    """
    if not untouched(db, project):
        raise AccountError(f"Somebody has come to '{project.name}' already.")
    clear(db, project)
    project.settings = _settings(project.mode, chosen, further)
    db.flush()
    MODES[project.mode].start(db, site, project, items)
    started_project(db, site, project, by)


def add_project(
    db: Orm, site: Site, name: str, mode: str, chosen: Mapping[str, int], further: Mapping[str, Any] | None = None
) -> Project:
    """Add a project without tasks, and return it; raises the same errors as `start`."""
    if mode not in MODES:
        raise AccountError(f"There is no kind of work '{mode}'.")
    name = " ".join(name.split())
    if not name or db.scalar(select(Project.id).where(Project.name == name)) is not None:
        raise AccountError(f"The name '{name}' is taken. Choose another." if name else "Give the project a name.")
    project = Project(
        name=name,
        mode=mode,
        benchmark=site.loaded.source,
        settings=_settings(mode, chosen, further or {}),
        created=site.settings.clock(),
    )
    db.add(project)
    db.flush()
    return project


def _settings(mode: str, chosen: Mapping[str, int], further: Mapping[str, Any]) -> dict[str, Any]:
    kind = MODES[mode]
    settings = dict(kind.fixed) | dict(further)
    for setting in kind.settings:
        value = chosen.get(setting.name, setting.default)
        if not setting.least <= value <= setting.most:
            raise AccountError(f"{setting.label}: between {setting.least} and {setting.most}, please.")
        settings.setdefault(setting.name, value)
    return settings


def project_of(db: Orm, number: int, me: Person | None = None) -> Project:
    """Return a project by its number.

    Raises:
        HTTPException: there is none, or it isn't for the person.
    """
    found = db.get(Project, number)
    if found is None or found.mode not in MODES or (me is not None and not belongs(db, me, found)):
        raise HTTPException(404, "There is no such project.")
    return found


def project_named(db: Orm, modes: Iterable[str] | None, name: str | None) -> Project:
    """The project of a name, or the only one there is of some modes.

    Raises:
        UsageError: there is none, or the name is needed.
    """
    wanted = None if modes is None else set(modes)
    found = [p for p in db.scalars(select(Project).order_by(Project.id)) if wanted is None or p.mode in wanted]
    if name is not None:
        found = [project for project in found if project.name == name]
    if not found:
        raise UsageError(f"the store has no project '{name}'." if name else "the store has no project of that kind.")
    if len(found) > 1:
        raise UsageError(f"which project? Name it with --project: {', '.join(p.name for p in found)}.")
    return found[0]


def project_counts(db: Orm, project: Project) -> dict[str, tuple[int, int]]:
    """Stage → tasks, and how many of them are still open; tasks that are for everybody are never done."""
    found = db.execute(
        select(Task.stage, func.count(), func.sum(case((Task.open, 1), else_=0)))
        .where(Task.project_id == project.id, Task.wanted.is_not(None))
        .group_by(Task.stage)
        .order_by(Task.stage)
    )
    return {stage: (total, int(still)) for stage, total, still in found}


def progress_tables(db: Orm, site: Site, project: Project, mode: Mode, *, withheld: bool = False) -> list[Block]:
    """Return all tables of a progress page, or only those that reveal nothing of others' decisions."""
    return [throughput(db, project, site.settings.clock()), *(() if withheld else mode.progress(db, site, project))]


def throughput(db: Orm, project: Project, now: float) -> Block:
    """Tabulate each person's finished tasks, their speed, and their last submission."""
    seconds = (
        select(Submission.assignment_id, func.sum(Submission.seconds).label("seconds"))
        .group_by(Submission.assignment_id)
        .subquery()
    )
    found = db.execute(
        select(
            User.name,
            func.count(),
            func.sum(case((Assignment.done >= now - 3600, 1), else_=0)),
            func.sum(seconds.c.seconds),
            func.max(Assignment.done),
        )
        .select_from(Assignment)
        .join(Task, Task.id == Assignment.task_id)
        .join(User, User.id == Assignment.user_id)
        .outerjoin(seconds, seconds.c.assignment_id == Assignment.id)
        .where(Task.project_id == project.id, Assignment.state == "done")
        .group_by(User.name)
        .order_by(User.name)
    )
    rows = [
        (name, done, int(lately), minutes(total), minutes(total / done if total is not None else None),
         f"{minutes(max(0.0, now - last))} ago")
        for name, done, lately, total, last in found
    ]  # fmt: skip
    head = ("person", "done", "in the last hour", "time in all", "time for each", "last")
    checks = " Practice, gold and attention questions are counted too." if project.mode == STUDY else ""
    return Block("Throughput", head, rows, f"Time counts while the page is visible.{checks}")


PART = 250
"""Items of a part: a part of as many holds the writers up for some 0.1 s."""
_log = logging.getLogger(__name__)


def begin_starting(site: Site, name: str, mode: str, chosen: Mapping[str, int], by: int | None) -> int:
    """A new project: at once where it is small or its mode needs all items together, else part after part in a thread.

    Returns:
        The project's number.

    Raises:
        AccountError: as `start_project`.
    """
    items = site.loaded.items
    with site.database.write() as db:
        if mode not in MODES or not MODES[mode].in_parts or len(items) <= PART:
            return start_project(db, site, name, mode, chosen, by).id
        project = add_project(db, site, name, mode, chosen)
        project.open = False
        db.add(Starting(project_id=project.id, done=0, total=len(items), user_id=by, problem=""))
        number = project.id
    resume(site)
    return number


def resume(site: Site, stopped: Callable[[], bool] = lambda: False) -> threading.Thread | None:
    """Go on with all projects that are being started, in a thread; None where there are none."""
    with site.database.read() as db:
        waiting = db.scalars(select(Starting.project_id).where(Starting.problem == "")).all()

    def step(number: int) -> bool:
        try:
            return next_part(site, number)
        except (AccountError, TolmanError) as error:
            with site.database.write() as db:
                db.get_one(Starting, number).problem = str(error)
            return False

    return in_parts("project", waiting, step, stopped) if waiting else None


def in_parts(
    what: str, numbers: Sequence[int], step: Callable[[int], bool], stopped: Callable[[], bool]
) -> threading.Thread:
    """Have a thread take steps about each number until there is nothing left to do, or the server stops."""

    def all_parts() -> None:
        for number in numbers:
            try:
                while not stopped() and step(number):
                    time.sleep(0.02)  # who waits for the database comes first
            except SQLAlchemyError as error:  # the database is away, or was closed: the next start of a server goes on
                _log.warning("%s %d is not done (%s); it goes on when the server starts", what, number, type(error))
                return

    thread = threading.Thread(target=all_parts, name=what, daemon=True)
    thread.start()
    return thread


def next_part(site: Site, number: int) -> bool:
    """Make the tasks of a project's next items; whether there are more.

    Raises:
        AccountError: the benchmark has changed since the project was begun.
    """
    items = site.loaded.items
    with site.database.write() as db:
        row = db.get(Starting, number)
        if row is None:
            return False
        if row.total != len(items):
            raise AccountError(
                f"The benchmark has {counted(len(items), 'question')} now, and had {row.total:,} when this project was "
                "begun. Start another."
            )
        project = db.get_one(Project, number)
        MODES[project.mode].start(db, site, project, items[row.done : row.done + PART])
        row.done = min(row.done + PART, row.total)
        if row.done < row.total:
            return True
        started_project(db, site, project, row.user_id)
        project.open = True
        db.delete(row)
        return False


def starting_under_way(db: Orm) -> dict[int, Starting]:
    """Project → how far it has come, of those that are being started."""
    return {row.project_id: row for row in db.scalars(select(Starting))}
