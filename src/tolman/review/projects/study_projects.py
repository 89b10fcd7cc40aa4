"""Starting the projects of a study, and checking that a store's work is about the benchmark it is opened with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import UsageError, counted
from tolman.files import sampled_hash
from tolman.items import Item
from tolman.media.images import table_and_column
from tolman.review import projects, tasks
from tolman.review.accounts import AccountError
from tolman.review.modes import MODES
from tolman.review.projects import untouched
from tolman.review.site import Site
from tolman.review.store import Decision, Exclusion, Fact, ItemVersion, Project, Submission, Task
from tolman.review.store.database import record
from tolman.review.studies import PROFILE, STUDY, STUDY_FILES, Exclude, Link, Sample, Study, StudyPart, stored
from tolman.review.studies.participants import foresee, is_study, link_queries, link_query, part_of
from tolman.review.studies.study_steps import join_path, keep_pictures
from tolman.review.tasks import LEAST
from tolman.review.tasks.decisions import DISCARD, last_decision


def start_study(
    db: Orm, site: Site, study: Study, folders: Sequence[Path] = (), by: int | None = None, *, keep_begun: bool = False
) -> list[Project]:
    """Start the parts of a study that need no earlier one.

    A part that is there already stays as it is. One that was started with other words or numbers is restarted, as long
    as it has no participants: its links stay.

    Args:
        db, site: where.
        study: to start.
        folders: of its pictures, in addition to the benchmark's.
        by: who starts it.
        keep_begun: leave a part with participants as it is, although the study is another now.

    Raises:
        AccountError: it can't be started so, or another study of that name is here and has participants.
    """
    found = []
    for part in study.parts:
        there = project_of(db, study, part)
        if there is None or changed(study, part, there):
            _check_times(part)
        if there is not None:
            if changed(study, part, there):
                if part.after is not None or there.mode != part.mode or not untouched(db, there):
                    if keep_begun:
                        found.append(there)
                        continue
                    raise AccountError(
                        f"The project '{there.name}' was started with another study. It has participants or is "
                        f"another kind of work, so it can't change: give the changed study another title."
                    )
                further = _further(site, study, part, folders)
                projects.start_project_anew(
                    db, site, there, part.settings, by, items=site.loaded.items, further=further
                )
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
        foreseen: sentences about restarted parts, and the limits of its figures.
    """

    links: tuple[str, ...] = ()
    foreseen: tuple[str, ...] = ()


def start_named(site: Site, name: str) -> StartedStudy:
    """Start a study by its name or file; one that was started before stays as it is.

    Raises:
        UsageError: there is no such study, or it can't be started on this benchmark.
        InputError: its file can't be used.
    """
    study, packaged = STUDY_FILES.open(name), name in STUDY_FILES.names
    folders = [Path(name).parent] if name.endswith(".toml") or "/" in name else []
    try:
        with site.database.write() as db:
            before = {part.name: project_of(db, study, part) for part in study.parts}
            there = [(part, known) for part in study.parts if (known := before[part.name]) is not None]
            other = [(part, known) for part, known in there if changed(study, part, known)]
            started = start_study(db, site, study, folders, keep_begun=packaged)
            anew = [known.name for part, known in other if not changed(study, part, known)]
            as_it_was = [known.name for part, known in other if changed(study, part, known)]
            studies = [project for project in started if project.mode == STUDY]
            links = (join_path(site, project.id) + link_query(part_of(project).link) for project in studies)
            told = [f"'{name}' had no participants, so it starts again with the file as it is now." for name in anew]
            told += [
                f"'{known}' goes on as it was started: the package's study '{name}' has changed, but people have begun."
                for known in as_it_was
            ]
            told += [said for project in started for said in foresee(db, project)]
            return StartedStudy(tuple(links), tuple(told))
    except AccountError as error:
        sentence = str(error)
        raise UsageError(f"{name}: {sentence[:1].lower()}{sentence[1:]}") from None


PERSON = "person"
"""The field of a link with the name of the person who is asked."""


def start_asked(site: Site, people: Sequence[str], questions: int) -> StartedStudy:
    """Start a study for people of names, all with the same questions; one that was started before stays as it is.

    Args:
        site: where.
        people: their names.
        questions: of each; all of the benchmark's where it has fewer.

    Raises:
        UsageError: it can't be started on this benchmark.
    """
    each = min(questions, len(site.loaded.items))
    part = StudyPart(
        sample=Sample(people=len(people), by=None, each=each),
        link=Link(id=PERSON, ids=tuple(people)),
        exclude=Exclude(incomplete=False),
    )
    try:
        with site.database.write() as db:
            study = Study(title=_title(db, part), parts=(part,))
            before = project_of(db, study, part)
            # An earlier version stored no names; its study goes on where people have begun.
            without_names = part.model_copy(update={"link": Link(id=PERSON)})
            keep_begun = before is not None and not changed(study, without_names, before)
            (project,) = start_study(db, site, study, keep_begun=keep_begun)
            links = tuple(f"{join_path(site, project.id)}{query}" for query in link_queries(part.link).values())
            return StartedStudy(links, tuple(foresee(db, project)))
    except AccountError as error:
        raise UsageError(f"--ask: {error}") from None


def _title(db: Orm, part: StudyPart) -> str:
    """Return the title under which these people are asked, or a free one. People see it, so it names none of them."""
    assert part.sample is not None
    names, questions = part.link.ids, counted(part.sample.each or 0, "question")
    former = f"{questions} for {', '.join(names)}"  # an earlier version named them
    former = former if len(former) <= 80 else f"{former[:79]}…"
    told, taken = part.model_dump(mode="json", exclude_unset=True), set()
    for project in db.scalars(select(Project)):
        if project.name == former or _told(project).get("part") == told:
            return project.name
        taken.add(project.name)
    title = f"{questions} for {counted(len(names), 'person', 'people')}"
    numbered = (f"{title} ({number})" for number in count(2))
    return next(free for free in chain([title], numbered) if free not in taken)


def start_next(
    db: Orm,
    site: Site,
    project: Project,
    part: StudyPart,
    study: Study,
    by: int | None = None,
) -> Project:
    """Start a part on the questions of an earlier one: those that were approved, or all that were written there.

    The author of a question is not asked about it.

    Raises:
        AccountError: there are no such questions, or it is started already.
    """
    if project_of(db, study, part) is not None:
        raise AccountError(f"The part '{part.name}' is started already.")
    versions = [v for v in tasks.current_items(db, project) if _goes_on(db, project, v)]
    if not versions:
        raise AccountError(f"The part '{part.name}' has no questions yet: none of '{project.name}' is ready.")
    # Authors are those of this part's questions, or of the part's before it, whose exclusions stay.
    authors = {
        v.item: ({v.user_id} if v.user_id is not None else set()) | _excluded(db, project, v.item) for v in versions
    }
    items = [tasks.item_of(version) for version in versions]
    return _start(db, site, study, part, items, authors, (), by)


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
    project = projects.start_project(
        db, site, study.project_name(part), part.mode, part.settings, by, items=items, further=further
    )
    for task in db.scalars(select(Task).where(Task.project_id == project.id)):
        known_by = db.scalars(select(Exclusion.user_id).where(Exclusion.task_id == task.id)).all()
        for user in sorted(authors.get(task.item.item if task.item else "", set()) - set(known_by)):
            db.add(Exclusion(task_id=task.id, user_id=user))
    db.flush()
    _record(db, site, project, study, part, by)
    return project


def _check_times(part: StudyPart) -> None:
    """Make sure that a question can be answered in time; a study that an earlier version started goes on.

    Raises:
        AccountError: it can't.
    """
    least, most = part.time.least_seconds, part.time.most_seconds
    if most is not None and least > most:
        raise AccountError(
            f"A question is open for {most} s (most_seconds), less than the {least} s that an answer takes at least "
            f"(least_seconds); lower 'least_seconds' or raise 'most_seconds'."
        )


def _record(db: Orm, site: Site, project: Project, study: Study, part: StudyPart, by: int | None) -> None:
    record(db, site.settings, "study", project=project.id, user=by, title=study.title, part=part.name)


def _further(site: Site, study: Study, part: StudyPart, folders: Sequence[Path]) -> dict[str, Any]:
    """Return the settings of a part's project other than those of its kind of work."""
    known = {setting.name for setting in MODES[part.mode].settings} if part.mode in MODES else set()
    foreign = sorted(set(part.settings) - known)
    if foreign:
        raise AccountError(f"'{part.mode}' has no setting '{foreign[0]}'; it has {', '.join(sorted(known)) or 'none'}.")
    told = stored(study, part)
    pictures = keep_pictures(site, part, (*folders, site.folder))
    file = study.model_dump(mode="json", exclude_unset=True)
    further: dict[str, Any] = {"study": told | {"pictures": pictures, "file": file}}
    if part.mode == STUDY and part.sample is not None:
        further |= {
            LEAST.name: part.time.least_seconds, "people": part.sample.people, "each": part.sample.each or 0,
            "overlap": part.sample.overlap or 0, "shuffle": int(part.order.options), "seed": study.seed,
        }  # fmt: skip
    return further


def changed(study: Study, part: StudyPart, project: Project) -> bool:
    """Check whether a part's project was started with another study than this one."""
    return _told(project) != stored(study, part)


def _told(project: Project) -> dict[str, Any]:
    study = project.settings.get("study", {})
    return {key: study[key] for key in ("title", "seed", "part", PROFILE) if key in study}


def _goes_on(db: Orm, project: Project, version: ItemVersion) -> bool:
    """Check whether a question is asked in the next part: it was made here and is not left out, or is approved."""
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


def check_store(site: Site) -> list[str]:
    """Make sure that a store in which people have worked belongs to the benchmark.

    Questions that people wrote, a study's own and those of its later parts are in no benchmark, and aren't compared.

    Returns:
        A sentence about questions that the benchmark has otherwise or no longer, and one about media that have changed,
        where there are any.

    Raises:
        UsageError: the benchmark has none of the store's questions, or all of its media have changed.
    """
    with site.database.read() as db:
        worked = any(db.scalar(select(table.id).limit(1)) is not None for table in (Submission, Decision))
    others = _check_questions(site) if worked else []
    return [*others, *_check_media(site, worked=worked)]


def _check_questions(site: Site) -> list[str]:
    with site.database.read() as db:
        compared = [one.id for one in db.scalars(select(Project)) if not (is_study(one) and part_of(one).after)]
        asked = select(ItemVersion.item, ItemVersion.content["question"].as_string()).where(
            ItemVersion.project_id.in_(compared), ItemVersion.origin == "benchmark", ItemVersion.version == 1
        )
        stored = {(identity, question) for identity, question in db.execute(asked)}
    known = {item.id: item.question for item in site.loaded.items}
    others = sum(known.get(identity) != question for identity, question in stored)
    store, name = site.settings.store, site.settings.benchmark
    if stored and others == len(stored):
        raise UsageError(
            f"{store} belongs to another benchmark: none of its questions is in {name}; name that "
            f"benchmark, or another folder with --store."
        )
    if not others:
        return []
    of = f"of the {len(stored):,} questions in {store}"
    question, questions = f"{of} isn't in {name} or has another text", f"{of} aren't in {name} or have another text"
    as_before = "it stays as it was" if others == 1 else "they stay as they were"
    return [f"{counted(others, question, questions)} there: {as_before}, with media from {name}."]


def _check_media(site: Site, *, worked: bool) -> list[str]:
    """Compare media with how they were when people began, and keep how those are that are there for the first time.

    Args:
        worked: whether people have worked in the store.
    """
    now = _media_hashes(site)
    with site.database.write() as db:
        fact = db.get(Fact, _MEDIA)
        before: dict[str, str] = json.loads(fact.value) if fact is not None and worked else {}
        kept = json.dumps(now | before)
        if fact is None:
            db.add(Fact(name=_MEDIA, value=kept))
        elif fact.value != kept:
            fact.value = kept
    looked_at = before.keys() & now.keys()
    changed = sorted(path for path in looked_at if before[path] != now[path])
    if not changed:
        return []
    store, name = site.settings.store, site.settings.benchmark
    what = f"{len(changed):,} of {len(looked_at):,} media files of {name} aren't those that people saw in {store}"
    if len(changed) == len(looked_at):
        raise UsageError(
            f"{what}, the first {changed[0]}: put the former files back, or name another folder with --store."
        )
    return [f"{what}, the first {changed[0]}: put the former files back, or leave out questions about these."]


_MEDIA = "media"
"""The fact that keeps the hashes of media, by their paths."""


def _media_hashes(site: Site) -> dict[str, str]:
    paths = {
        medium.path if medium.part is None else table_and_column(medium.path)[0]
        for item in site.loaded.items
        for medium in item.media
    }
    found = {}
    for path in sorted(paths):
        file = next((folder / path for folder in site.folders if (folder / path).is_file()), None)
        with suppress(OSError):
            if file is not None:
                found[path] = sampled_hash(file)
    return found
