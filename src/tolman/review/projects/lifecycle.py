"""Projects: starting one, and what can be said about any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session as Orm

from tolman.errors import UsageError
from tolman.items import Item
from tolman.review.accounts.identity import AccountError
from tolman.review.modes import MODES
from tolman.review.pages import minutes
from tolman.review.projects.replacing import clear, untouched
from tolman.review.site import Site
from tolman.review.store.database import count_rows
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, Project, Submission, Task, User
from tolman.review.studies.spec import STUDY
from tolman.review.tasks.mode import Block, Mode


def start(
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
    project = add(db, site, name, mode, chosen, further)
    MODES[mode].start(db, site, project, site.loaded.items if items is None else items)
    started(db, site, project, by)
    return project


def started(db: Orm, site: Site, project: Project, by: int | None) -> None:
    """Write down that a project has begun: all its tasks are there."""
    record(
        db, site.settings, "started", project=project.id, user=by, mode=project.mode, settings=project.settings
    )  # fmt: skip
    count_rows(db)


def start_anew(
    db: Orm,
    site: Site,
    project: Project,
    chosen: Mapping[str, int],
    by: int | None = None,
    *,
    items: Sequence[Item],
    further: Mapping[str, Any],
) -> None:
    """Begin a project that nobody has come to with other settings; its name, its people and its links stay.

    Raises:
        AccountError: somebody has come, or a setting is out of its range.
    """
    if not untouched(db, project):
        raise AccountError(f"Somebody has come to '{project.name}' already.")
    clear(db, project)
    project.settings = _settings(project.mode, chosen, further)
    db.flush()
    MODES[project.mode].start(db, site, project, items)
    started(db, site, project, by)


def add(
    db: Orm, site: Site, name: str, mode: str, chosen: Mapping[str, int], further: Mapping[str, Any] | None = None
) -> Project:
    """A new project without tasks; raises what `start` does."""
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


def project_named(db: Orm, modes: Iterable[str] | None, name: str | None) -> Project:
    """The project of a name, or the only one there is of some modes.

    Raises:
        UsageError: there is none, or the name is needed.
    """
    found = [p for p in db.scalars(select(Project).order_by(Project.id)) if modes is None or p.mode in modes]
    if name is not None:
        found = [project for project in found if project.name == name]
    if not found:
        raise UsageError(f"the store has no project '{name}'." if name else "the store has no project of that kind.")
    if len(found) > 1:
        raise UsageError(f"which project? Name it with --project: {', '.join(p.name for p in found)}.")
    return found[0]


def counts(db: Orm, project: Project) -> dict[str, tuple[int, int]]:
    """Stage → tasks, and how many of them are still open; tasks that are for everybody are never done."""
    found = db.execute(
        select(Task.stage, func.count(), func.sum(case((Task.open, 1), else_=0)))
        .where(Task.project_id == project.id, Task.wanted.is_not(None))
        .group_by(Task.stage)
        .order_by(Task.stage)
    )
    return {stage: (total, int(still)) for stage, total, still in found}


def tables(db: Orm, site: Site, project: Project, mode: Mode, *, withheld: bool = False) -> list[Block]:
    """All tables of a progress page, or those only that tell nothing of what others decided."""
    found = [throughput(db, project, site.settings.clock())]
    return found if withheld else [*found, *mode.progress(db, site, project)]


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
        (name, done, int(lately), minutes(total), minutes(total / done if total is not None else None), _ago(now, last))
        for name, done, lately, total, last in found
    ]
    head = ("person", "done", "in the last hour", "time in all", "time for each", "last")
    checks = " Practice, gold and attention questions are counted too." if project.mode == STUDY else ""
    return Block("Throughput", head, rows, f"Time counts while the page is visible.{checks}")


def _ago(now: float, then: float) -> str:
    return f"{minutes(max(0.0, now - then))} ago"
