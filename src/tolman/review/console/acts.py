"""What came of acts, and how far they are that are under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.review.console.changes import TOLD, VOID
from tolman.review.store.schema import Act, Acted, Project

DOING, DONE, UNDOING, UNDONE = "doing", "done", "undoing", "undone"
"""States of an act; of its questions, DONE and UNDONE too."""
WAITING, PASSED, KEPT = "waiting", "passed", "kept"
"""Further states of an act's questions: not looked at yet; nothing to change; not undone, as people went on."""


@dataclass(frozen=True)
class ActState:
    """How far an act has come.

    Attributes:
        act: which.
        told: what it does, as a participle.
        counts: state of its questions → how many.
        passed: why questions were passed over → how many.
    """

    act: Act
    told: str
    counts: Mapping[str, int]
    passed: Mapping[str, int]

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to undo."""
        return self.act.state == DONE and self.act.kind != VOID and self.counts.get(DONE, 0) > 0

    @property
    def sentence(self) -> str:
        """What came of it."""
        done = {DONE: DONE, DOING: DONE, UNDOING: UNDONE, UNDONE: UNDONE}[self.act.state]
        word = self.told if done == DONE else f"as they were before they were {self.told}"
        parts = [f"{counted(self.counts.get(done, 0))} {word}"]
        parts += [f"{number:,} passed over ({why})" for why, number in sorted(self.passed.items())]
        if self.counts.get(KEPT):
            parts.append(f"{self.counts[KEPT]:,} stay, as people went on with them")
        return "; ".join(parts) + "."


def acts_of(db: Orm, project: Project, most: int) -> list[ActState]:
    """The latest acts in a project, the newest first."""
    acts = list(db.scalars(select(Act).where(Act.project_id == project.id).order_by(Act.id.desc()).limit(most)))
    return _states(db, acts)


def act_of(db: Orm, project: Project, number: int) -> ActState | None:
    """An act of a project."""
    act = db.get(Act, number)
    return _states(db, [act])[0] if act is not None and act.project_id == project.id else None


def _states(db: Orm, acts: Sequence[Act]) -> list[ActState]:
    counts = counts_of(db, [act.id for act in acts])
    return [ActState(act, TOLD[act.kind], *counts[act.id]) for act in acts]


def counts_of(db: Orm, acts: Sequence[int]) -> dict[int, tuple[Counter[str], Counter[str]]]:
    """Act → how many of its questions are in which state, and why how many were passed over."""
    found: dict[int, tuple[Counter[str], Counter[str]]] = {number: (Counter(), Counter()) for number in acts}
    chosen = select(Acted.act_id, Acted.state, Acted.why, func.count()).where(Acted.act_id.in_(acts))
    for number, state, why, count in db.execute(chosen.group_by(Acted.act_id, Acted.state, Acted.why)):
        states, passed = found[number]
        states[state] += count
        if state == PASSED:
            passed[why] += count
    return found


def counted(number: int) -> str:
    """A number of questions in words."""
    return "1 question" if number == 1 else f"{number:,} questions"
