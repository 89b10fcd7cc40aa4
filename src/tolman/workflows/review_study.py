"""A study tried before it is started: what each person would be asked, and what its figures will lack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tolman.workflows.review import ReviewConfig, review_settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session as Orm

    from tolman.review.store.schema import Project


@dataclass(frozen=True)
class PartCheck:
    """What a part of a study that starts at once would ask.

    Attributes:
        project: the name of its project.
        mode: the kind of work.
        people: how many forms are drawn; None where it isn't a sample for each person.
        questions: that are asked at all.
        each: fewest and most questions of a person, gold and attention questions among them.
        times: fewest and most people for a question.
        strata: name → its questions; empty where there is one.
    """

    project: str
    mode: str
    people: int | None
    questions: int
    each: tuple[int, int] | None = None
    times: tuple[int, int] | None = None
    strata: dict[str, int] | None = None


@dataclass(frozen=True)
class StudyCheck:
    """A study that could be started.

    Attributes:
        title: its own.
        parts: that start at once.
        later: names of parts that begin once an earlier one is done.
        warnings: sentences about what its figures will lack.
    """

    title: str
    parts: tuple[PartCheck, ...]
    later: tuple[str, ...]
    warnings: tuple[str, ...]


def check_study(config: ReviewConfig, study: str) -> StudyCheck:
    """Draw a study on a benchmark, in a store that is thrown away; nothing is started.

    Args:
        config: the benchmark, and where its files are.
        study: the path of its file, or the name of one of the package's.

    Raises:
        UsageError: there is no such study, or it can't be started on this benchmark.
        InputError: its file or the benchmark's can't be used.
    """
    with TemporaryDirectory() as place:
        settings = review_settings(replace(config, store=Path(place) / "store", database=None, study=study))
        from tolman.review.projects.parts import start_named
        from tolman.review.site import open_site
        from tolman.review.store.schema import Project
        from tolman.review.studies.spec import shelf

        site = open_site(settings)
        try:
            started = start_named(site, study)
            with site.database.read() as db:
                parts = tuple(_part(db, project) for project in db.query(Project).order_by(Project.id))
        finally:
            site.database.close()
        found = shelf.open(study)
        later = tuple(part.name for part in found.parts if part.after is not None)
        return StudyCheck(found.title, parts, later, started.foreseen)


def _part(db: Orm, project: Project) -> PartCheck:
    from tolman.review.store.schema import Task
    from tolman.review.studies.people import ATTENTION, GOLD, SAMPLE, part_of
    from tolman.review.studies.spec import STUDY

    tasks = db.query(Task).where(Task.project_id == project.id).all()
    sample = part_of(project).sample
    if project.mode != STUDY or sample is None:
        return PartCheck(project.name, project.mode, None, len({task.key for task in tasks}))
    asked = [task.content for task in tasks if task.stage == STUDY]
    drawn = [content for content in asked if content["role"] == SAMPLE]
    checks = sum(content["role"] in (GOLD, ATTENTION) for content in asked)
    of_form = Counter(form for content in drawn for form in content["forms"])
    each = [of_form[form] + checks for form in range(sample.people)]
    times = [len(content["forms"]) for content in drawn]
    strata = Counter(content["stratum"] for content in drawn)
    return PartCheck(
        project.name, project.mode, sample.people, len(drawn), (min(each), max(each)), (min(times), max(times)),
        dict(sorted(strata.items())) if len(strata) > 1 else {},
    )  # fmt: skip
