"""Starting a large project part after part: others' pages don't wait, and what a kill interrupts goes on later.

Each part is one transaction that makes the tasks of some items and writes down how far it came, so that every item is
taken once whichever process makes the next part, and however often one is killed in between.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.review.accounts.identity import AccountError
from tolman.review.modes import MODES
from tolman.review.projects import lifecycle
from tolman.review.site import Site
from tolman.review.store.schema import Project, Starting

PART = 250
"""Items of a part: a part of as many holds the writers up for some 0.1 s."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far a project has come that is being started: items done, all items, and what went wrong, if anything."""

    done: int
    total: int
    problem: str


def begin(site: Site, name: str, mode: str, chosen: Mapping[str, int], by: int | None) -> int:
    """A new project: at once where it is small or its mode needs all items together, else part after part in a thread.

    Returns:
        The project's number.

    Raises:
        AccountError: as `lifecycle.start`.
    """
    items = site.loaded.items
    with site.database.write() as db:
        if mode not in MODES or not MODES[mode].in_parts or len(items) <= PART:
            return lifecycle.start(db, site, name, mode, chosen, by).id
        project = lifecycle.add(db, site, name, mode, chosen)
        project.open = False
        db.add(Starting(project_id=project.id, done=0, total=len(items), user_id=by, problem=""))
        number = project.id
    resume(site)
    return number


def resume(site: Site, stopped: Callable[[], bool] = lambda: False) -> threading.Thread | None:
    """Go on with all projects that are being started, in a thread; None where there are none."""
    with site.database.read() as db:
        waiting = db.scalars(select(Starting.project_id).where(Starting.problem == "")).all()
    if not waiting:
        return None
    thread = threading.Thread(target=_all_parts, args=(site, waiting, stopped), name="starting", daemon=True)
    thread.start()
    return thread


def _all_parts(site: Site, projects: list[int], stopped: Callable[[], bool]) -> None:
    for number in projects:
        try:
            while not stopped() and next_part(site, number):
                time.sleep(0.02)  # who waits for the database comes first
        except (AccountError, TolmanError) as error:
            with site.database.write() as db:
                _row(db, number).problem = str(error)
        except SQLAlchemyError as error:  # the database is away, or was closed: the next start of a server goes on
            _log.warning(
                "project %d is not started wholly (%s); it goes on when the server starts", number, type(error)
            )
            return


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
                f"The benchmark has {len(items):,} questions now, and had {row.total:,} when this project was begun. "
                "Start another."
            )
        project = db.get_one(Project, number)
        MODES[project.mode].start(db, site, project, items[row.done : row.done + PART])
        row.done = min(row.done + PART, row.total)
        if row.done < row.total:
            return True
        lifecycle.started(db, site, project, row.user_id)
        project.open = True
        db.delete(row)
        return False


def under_way(db: Orm) -> dict[int, Progress]:
    """Project → how far it has come, of those that are being started."""
    return {row.project_id: Progress(row.done, row.total, row.problem) for row in db.scalars(select(Starting))}


def _row(db: Orm, number: int) -> Starting:
    return db.get_one(Starting, number)
