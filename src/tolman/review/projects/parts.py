"""Starting the projects of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import UsageError
from tolman.items import Item
from tolman.review.accounts.identity import AccountError
from tolman.review.modes import MODES
from tolman.review.projects import lifecycle
from tolman.review.projects.replacing import untouched
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Exclusion, ItemVersion, Project, Task
from tolman.review.studies.addresses import join_path
from tolman.review.studies.codes import link_query
from tolman.review.studies.foresight import foresee
from tolman.review.studies.people import part_of
from tolman.review.studies.pictures import keep
from tolman.review.studies.spec import STUDY, Study, StudyPart, shelf, stored
from tolman.review.tasks import work
from tolman.review.tasks.marks import LEAST
from tolman.review.tasks.settling import DISCARD, last_decision


def start_study(
    db: Orm, site: Site, study: Study, folders: Sequence[Path] = (), by: int | None = None
) -> list[Project]:
    """Start the parts of a study that need no earlier one.

    A part that is there already stays as it is; one that was started with other words or numbers is begun anew, as long
    as nobody has come to it: its links stay.

    Args:
        db, site: where.
        study: what is started.
        folders: in which its pictures lie, beside the benchmark's.
        by: who starts it.

    Raises:
        AccountError: it can't be started so, or another study of that name is here, to which somebody has come.
    """
    found = []
    for part in study.parts:
        there = project_of(db, study, part)
        if there is not None:
            if changed(study, part, there):
                if part.after is not None or there.mode != part.mode or not untouched(db, there):
                    raise AccountError(
                        f"The project '{there.name}' was started with another study, and somebody has come to it or "
                        f"its kind of work is another. What was stated stays as it was: give the changed study "
                        f"another title."
                    )
                further = _further(site, study, part, folders)
                lifecycle.start_anew(db, site, there, part.settings, by, items=site.loaded.items, further=further)
                _record(db, site, there, study, part, by)
            found.append(there)
        elif part.after is None:
            found.append(_start(db, site, study, part, site.loaded.items, {}, folders, by))
    return found


@dataclass(frozen=True)
class StartedStudy:
    """A study that is started.

    Attributes:
        links: by which people come, from the path on.
        foreseen: sentences about what is begun anew, and what its figures will lack.
    """

    links: tuple[str, ...] = ()
    foreseen: tuple[str, ...] = ()


def start_named(site: Site, name: str) -> StartedStudy:
    """Start a study by its name or file; one that was started before stays as it is.

    Raises:
        UsageError: there is no such study, or it can't be started on this benchmark.
        InputError: its file can't be used.
    """
    study = shelf.open(name)
    folders = [Path(name).parent] if name.endswith(".toml") or "/" in name else []
    try:
        with site.database.write() as db:
            before = {part.name: project_of(db, study, part) for part in study.parts}
            anew = [there.name for part in study.parts if (there := before[part.name]) and changed(study, part, there)]
            started = start_study(db, site, study, folders)
            studies = [project for project in started if project.mode == STUDY]
            links = (join_path(site, project.id) + link_query(part_of(project).link) for project in studies)
            told = [f"Nobody had come to '{name}': it is begun anew with what the file says now." for name in anew]
            told += [said for project in studies for said in foresee(db, project)]
            return StartedStudy(tuple(links), tuple(told))
    except AccountError as error:
        sentence = str(error)
        raise UsageError(f"{name}: {sentence[:1].lower()}{sentence[1:]}") from None


def start_next(
    db: Orm,
    site: Site,
    project: Project,
    part: StudyPart,
    study: Study,
    folders: Sequence[Path] = (),
    by: int | None = None,
) -> Project:
    """Start a part on the questions of an earlier one: those that were approved, or all that were written there.

    Whoever wrote a question is not asked about it.

    Raises:
        AccountError: there are no such questions, or it is started already.
    """
    if project_of(db, study, part) is not None:
        raise AccountError(f"The part '{part.name}' is started already.")
    versions = [v for v in work.current_items(db, project) if _goes_on(db, project, v)]
    if not versions:
        raise AccountError(f"The part '{part.name}' has no questions yet: none of '{project.name}' is ready.")
    # Authors are those of this part's questions, or of the part's before it, whose exclusions stay.
    authors = {
        v.item: ({v.user_id} if v.user_id is not None else set()) | _excluded(db, project, v.item) for v in versions
    }
    items = [work.item_of(version) for version in versions]
    return _start(db, site, study, part, items, authors, folders, by)


def waiting_parts(db: Orm, study: Study, project: Project) -> list[StudyPart]:
    """The parts that come after a project's and aren't started."""
    own = next((part for part in study.parts if study.project_name(part) == project.name), None)
    if own is None:
        return []
    return [part for part in study.parts if part.after == own.name and project_of(db, study, part) is None]


def project_of(db: Orm, study: Study, part: StudyPart) -> Project | None:
    """The project of a part."""
    return db.scalar(select(Project).where(Project.name == study.project_name(part)))


def _start(
    db: Orm,
    site: Site,
    study: Study,
    part: StudyPart,
    items: Sequence[Item],
    authors: dict[str, set[int]],
    folders: Sequence[Path],
    by: int | None,
) -> Project:
    further = _further(site, study, part, folders)
    project = lifecycle.start(
        db, site, study.project_name(part), part.mode, part.settings, by, items=items, further=further
    )
    for task in db.scalars(select(Task).where(Task.project_id == project.id)):
        known_by = db.scalars(select(Exclusion.user_id).where(Exclusion.task_id == task.id)).all()
        for user in sorted(authors.get(task.item.item if task.item else "", set()) - set(known_by)):
            db.add(Exclusion(task_id=task.id, user_id=user))
    db.flush()
    _record(db, site, project, study, part, by)
    return project


def _record(db: Orm, site: Site, project: Project, study: Study, part: StudyPart, by: int | None) -> None:
    record(db, site.settings, "study", project=project.id, user=by, title=study.title, part=part.name)


def _further(site: Site, study: Study, part: StudyPart, folders: Sequence[Path]) -> dict[str, Any]:
    """Settings of a part's project beside those of its kind of work."""
    known = {setting.name for setting in MODES[part.mode].settings} if part.mode in MODES else set()
    foreign = sorted(set(part.settings) - known)
    if foreign:
        raise AccountError(f"'{part.mode}' has no setting '{foreign[0]}'; it has {', '.join(sorted(known)) or 'none'}.")
    told = stored(study, part)
    pictures = keep(site, part, (*folders, site.folder))
    file = study.model_dump(mode="json", exclude_unset=True)
    further: dict[str, Any] = {"study": told | {"pictures": pictures, "file": file}}
    if part.mode == STUDY and part.sample is not None:
        further |= {
            LEAST.name: part.time.least_seconds, "people": part.sample.people, "each": part.sample.each or 0,
            "overlap": part.sample.overlap or 0, "shuffle": int(part.order.options), "seed": study.seed,
        }  # fmt: skip
    return further


def changed(study: Study, part: StudyPart, project: Project) -> bool:
    """Tell whether a part's project was started with another study than this one."""
    return _told(project) != stored(study, part)


def _told(project: Project) -> dict[str, Any]:
    study = project.settings.get("study", {})
    return {key: study.get(key) for key in ("title", "seed", "part")}


def _goes_on(db: Orm, project: Project, version: ItemVersion) -> bool:
    """Whether a question is asked in the next part: it was made here and is not left out, or is approved."""
    decided = last_decision(db, version)
    if MODES[project.mode].makes_items:
        return version.origin == "written" and (decided is None or decided.verdict != DISCARD)
    return decided is not None and decided.verdict == "approve"


def _excluded(db: Orm, project: Project, item: str) -> set[int]:
    found = (
        select(Exclusion.user_id)
        .join(Task, Task.id == Exclusion.task_id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id, ItemVersion.item == item)
    )
    return set(db.scalars(found))
