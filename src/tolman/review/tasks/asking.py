"""Contents that all pages share which ask for an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.media.blind import blind
from tolman.review.site import Site
from tolman.review.store.schema import Assignment
from tolman.review.tasks import taking, work
from tolman.review.tasks.undoing import undoable


def asked(db: Orm, site: Site, me: Person, own: Assignment, stages: Sequence[str]) -> dict[str, Any]:
    """A task's question without its answer, what was entered so far, and how far somebody is in some stages."""
    assert own.task.item is not None
    project = own.task.project
    kept = work.draft_of(db, own)
    done = taking.done_by(db, project, me, stages)
    return {
        "own": own.id,
        "stage": own.task.stage,
        "project": project.name,
        "question": blind(site, project.id, work.item_of(own.task.item)),
        "given": kept.content.get("answer", "") if kept else "",
        "drawn": kept.content.get("drawn", "") if kept else "",
        "seconds": kept.seconds if kept else 0.0,
        "number": done + 1,
        "total": taking.total(db, site, project, me, stages, done),
        "problem": "",
        "undo": project.id if undoable(db, project, me) is not None else None,
    }
