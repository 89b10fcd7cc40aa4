"""Trials of questions that are being written: asked in the background, shown when there, kept with the question."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.evidence.trying import TIMEOUT_SECONDS, TrialOutcome, TrialView, attempt, digest, views
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Trial

WAITING, DONE, FAILED = "waiting", "done", "failed"
_AT_ONCE = 4
_LOST_SECONDS = 4 * TIMEOUT_SECONDS
"""After which a trial that has no outcome was lost, say because the server was stopped."""


def begin(db: Orm, site: Site, own: Assignment, item: Item) -> list[tuple[int, str, TrialView]]:
    """Note down what is to be tried of a question: all that wasn't, and what failed.

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
    """What was tried of a question as it stands now, in the order in which it was asked for."""
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
    """Outcomes that are kept with a question; what has none yet is left out."""
    found = [shown(site, row) for row in trials(db, own, item)]
    return [
        {name: value for name, value in one.items() if name != "state" and value not in ("", None, [])}
        for one in found
        if one["state"] != WAITING
    ]


def _run(site: Site, item: Item, number: int, model: str, view: TrialView) -> None:
    try:
        found = attempt(model, item, view, site.folders)
    except Exception as error:  # an adapter of somebody else's may raise anything: the trial has failed then
        found = TrialOutcome(problem=f"{type(error).__name__}: {error}"[:500])
    with site.database.write() as db:
        row = db.get_one(Trial, number)
        row.state = FAILED if found.problem else DONE
        row.content = {"answers": list(found.answers), "right": found.right, "problem": found.problem}


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="trying")
