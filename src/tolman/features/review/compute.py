"""Reviewing: serving questions to people who answer and check them, backups, study trials, and results.

Backups are written while a review is served, restored on request, and taken before an upgrade. A study is tried before
it starts, with the questions for each person and the gaps in its figures. People's work becomes runs of their answers,
times and pay, and the reviewed benchmark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tolman import models
from tolman.errors import RunInterruptedError, UsageError
from tolman.extras import needs
from tolman.features.config import shared_settings
from tolman.features.review.config import ReviewConfig
from tolman.files import check_report, write_text
from tolman.models.model import ModelOptions
from tolman.review.projects import project_named
from tolman.review.projects.project_export import Published, WrittenRuns, export_runs, publish
from tolman.review.projects.study_projects import check_store, start_named
from tolman.review.server import serve
from tolman.review.site import Site, open_site
from tolman.review.store import Project, Task
from tolman.review.store.database import shown_url
from tolman.review.studies import STUDY, STUDY_FILES
from tolman.review.studies.participants import ATTENTION, GOLD, SAMPLE, is_outside_id, part_of
from tolman.review.studies.study_records import pay_table
from tolman.runtime import run_blocking

if TYPE_CHECKING:
    from sqlalchemy.orm import Session as Orm

    from tolman.review.server_settings import ReviewSettings
    from tolman.review.store.backup import Backup


_ADDRESS = r"https?://[\w.:\[\]-]+(/[\w.~-]+)*/?"


@dataclass(frozen=True)
class Listening:
    """A server that takes connections.

    Attributes:
        link: the address at which the owner signs in, once.
        kept_in: the database, without its password.
        joins: the addresses by which people come to the study that was started.
        warnings: sentences that the owner must know before people come: absent media, gaps in the figures.
    """

    link: str
    kept_in: str
    joins: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def serve_review(config: ReviewConfig, ready: Callable[[Listening], None] = lambda listening: None) -> None:
    """Serve the web application until the process is stopped.

    Args:
        config: which benchmark, and where.
        ready: called once the server takes connections.

    Raises:
        MissingExtraError: the extra 'review' isn't installed.
        UsageError: settings don't go together, the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
        RunInterruptedError: the user stopped it.
    """
    settings = review_settings(config)
    try:
        serve(
            settings,
            config.host,
            config.port,
            lambda link, joins, said: ready(Listening(link, shown_url(settings.url), tuple(joins), tuple(said))),
            config.workers,
        )
    except KeyboardInterrupt:
        kept_in = shown_url(config.database) if config.database else settings.store
        raise RunInterruptedError(f"Stopped. The same command goes on; answers are in {kept_in}.") from None


def store_of(benchmark: str) -> Path:
    """The store that a benchmark has where none is named."""
    path = Path(benchmark)
    return path.parent / f"{path.resolve().name}-review"


def check(config: ReviewConfig) -> None:
    """Make sure that settings go together.

    Raises:
        UsageError: they don't.
    """
    if config.runs is not None and config.export is not None:
        raise UsageError("--runs and --export write different things; give one of them.")
    if config.people is not None and (config.runs is not None or config.export is not None):
        raise UsageError("--people can't be combined with --runs or --export; give one of them.")
    if config.uploads and config.pool is None:
        raise UsageError("--uploads needs the pool that files go to; name it with --pool.")
    if config.ask and config.study is not None:
        raise UsageError("--ask and --study start different studies; give one of them.")
    if len(set(config.ask)) < len(config.ask):
        raise UsageError("--ask takes different names.")
    for name in config.ask:
        if not is_outside_id(name):
            raise UsageError(f"--ask takes names of letters, digits and _.@:+- with commas between them, not '{name}'.")
    if config.base_url is not None and not re.fullmatch(_ADDRESS, config.base_url, re.ASCII):
        raise UsageError(
            f"--base-url takes http://NAME or https://NAME, with a port and a path if need be, not '{config.base_url}'."
        )


def review_settings(config: ReviewConfig) -> ReviewSettings:
    """Return a config's settings in the form of the web application.

    Raises:
        MissingExtraError: the extra 'review' isn't installed.
        UsageError: settings don't go together, or there is no model of a name.
    """
    check(config)
    with needs("review", "The web application"):
        from tolman.review.server_settings import ReviewSettings
    for name in config.try_model:
        run_blocking(models.create(name, ModelOptions()).close())
    others = {
        "store": config.store or store_of(config.benchmark),
        "runs": config.errors_of,
        "try_models": config.try_model,
        "rigs": config.rig,
        "hosts": config.allowed_host,
        "proxies": config.proxy,
    }
    return ReviewSettings(**shared_settings(config, ReviewSettings) | others)


def serve_picking(folder: Path, scene: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the workbench of a scene without a review; see `tolman.review.scene_picking`."""
    with needs("review", "Picking boxes"):
        from tolman.review.scene_picking import serve_picking as serve
    serve(folder, scene, port, ready)


@dataclass(frozen=True, kw_only=True)
class BackupPlaces:
    """The places of a review's parts that a backup holds.

    Attributes:
        store: the folder of the database and of the items' sources.
        database: PostgreSQL's URL; SQLite in the store where None.
        pool: the media pool that files were added to, where there is one.
        scenes: the scenes whose corrections are kept, where there are any.
    """

    store: Path
    database: str | None = None
    pool: Path | None = None
    scenes: Path | None = None


def backup_review(places: BackupPlaces, out: Path) -> Backup:
    """Write a backup while the server may run; see `tolman.review.store.backup`."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import back_up
    return back_up(places.store, places.database, out, _beside(places))


def restore_review(places: BackupPlaces, backup: Path) -> Backup:
    """Give everything of a backup back, into places where there is nothing."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import restore
    return restore(backup, places.store, places.database, _beside(places))


def upgrade_review(places: BackupPlaces, backup: Path | None) -> tuple[str, str]:
    """Bring a database to this version's tables, after a backup where one is named: its version before and now."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import upgrade
    if backup is not None:
        backup_review(places, backup)
    return upgrade(places.store, places.database)


def _beside(places: BackupPlaces) -> dict[str, Path]:
    found = {"pool": places.pool, "scenes": places.scenes}
    return {name: folder for name, folder in found.items() if folder is not None}


@dataclass(frozen=True)
class PartCheck:
    """The planned questions of a study's part that starts at once.

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
        warnings: sentences about gaps in its figures.
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

        site = open_site(settings)
        try:
            started = start_named(site, study)
            with site.database.read() as db:
                parts = tuple(_part(db, project) for project in db.query(Project).order_by(Project.id))
        finally:
            site.database.close()
        found = STUDY_FILES.open(study)
        later = tuple(part.name for part in found.parts if part.after is not None)
        return StudyCheck(found.title, parts, later, started.foreseen)


def _part(db: Orm, project: Project) -> PartCheck:
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


@dataclass(frozen=True, kw_only=True)
class ReviewRunsResult(WrittenRuns):
    """People's answers as runs.

    Attributes:
        out: the folder of the runs.
        without_marked: whether marked answers were left out.
    """

    out: Path
    without_marked: bool


@dataclass(frozen=True)
class ReviewExportResult:
    """A reviewed benchmark.

    Attributes:
        out: its folder.
        published: its items, verdicts and version.
        without_marked: whether marked answers were left out of the agreement.
    """

    out: Path
    published: Published
    without_marked: bool


def export_review_runs(config: ReviewConfig) -> ReviewRunsResult:
    """Write each subject's answers as a run.

    Raises:
        UsageError: settings don't go together, or there are no answers.
        RunConflictError: a folder holds another run.
    """
    if config.runs is None:
        raise UsageError("name the folder of the runs with --runs.")
    with _opened(config) as site:
        done = export_runs(
            site, config.runs, config.project, without_marked=config.without_marked, with_excluded=config.with_excluded
        )
    return ReviewRunsResult(**vars(done), out=config.runs, without_marked=config.without_marked)


def export_people(config: ReviewConfig) -> Path:
    """Write times and pay of everybody in a study.

    Raises:
        UsageError: settings don't go together, or there is no such study.
    """
    if config.people is None:
        raise UsageError("name the file for times and pay with --people.")
    check_report(config.people, "--people")
    with _opened(config) as site, site.database.read() as db:
        write_text(config.people, pay_table(db, site, project_named(db, ["study"], config.project)))
    return config.people


def export_reviewed(config: ReviewConfig) -> ReviewExportResult:
    """Write the reviewed benchmark, with the history of its review.

    Raises:
        UsageError: settings don't go together, or there is nothing to publish.
        InputError: the folder holds something else.
    """
    if config.export is None:
        raise UsageError("name the folder of the reviewed benchmark with --export.")
    with _opened(config) as site:
        done = publish(
            site, config.export, config.project, undecided=config.undecided, without_marked=config.without_marked
        )
    return ReviewExportResult(config.export, done, config.without_marked)


@contextmanager
def _opened(config: ReviewConfig) -> Iterator[Site]:
    settings = review_settings(config)

    if config.database is None and not settings.store.is_dir():
        raise UsageError(f"no work is stored here yet: there is no {settings.store}; name the folder with --store.")
    site = open_site(settings)
    try:
        check_store(site)
        yield site
    finally:
        site.database.close()
