"""Foresight: what a study's figures will lack by its design, told before anybody comes."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.store.schema import Project, Task
from tolman.review.studies.people import SAMPLE, part_of
from tolman.review.studies.spec import STUDY
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES


def foresee(db: Orm, project: Project) -> list[str]:
    """A sentence for each thing that the owner may want to change before people are paid.

    Args:
        db: where.
        project: a part of a study; one in which nobody is asked a sample has nothing to be told.
    """
    sample = part_of(project).sample
    if project.mode != STUDY or sample is None:
        return []
    tasks = db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY)).all()
    scenes: set[str] = set()
    most: dict[str, int] = defaultdict(int)
    for task in tasks:
        if task.content["role"] == SAMPLE and task.item is not None:
            scenes.add(task.item.scene or task.key)
            stratum = task.content["stratum"] or "the benchmark"
            most[stratum] = max(most[stratum], len(task.content["forms"]))
    found = []
    if len(scenes) < MIN_EFFECTIVE_SCENES:
        found.append(
            f"The questions are of {_count(len(scenes), 'scene')}: figures get an interval from "
            f"{MIN_EFFECTIVE_SCENES:g} scenes on."
        )
    over = {name: times for name, times in sorted(most.items()) if sample.overlap and times > sample.overlap}
    if over:
        listed = ", ".join(f"{name} by up to {times}" for name, times in over.items())
        found.append(
            f"Some questions are answered by more people than the overlap of {sample.overlap}, as there are too few: "
            f"{listed}."
        )
    return found


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
