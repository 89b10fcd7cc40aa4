"""What came of people's work: runs of their answers, times and pay, the reviewed benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.workflows.review import ReviewConfig, review_settings

if TYPE_CHECKING:
    from tolman.review.projects.publish import Published
    from tolman.review.site import Site
    from tolman.runs.folder import RunFolder


@dataclass(frozen=True)
class ReviewRunsResult:
    """People's answers as runs.

    Attributes:
        out: the folder of the runs.
        folders: one for each subject.
        marked: for each subject with marked answers how many those are, in words.
        without_marked: whether they were left out.
        excluded: for each person whom a study's rules leave out, why.
        skipped: for each person of a study who skipped questions, how many and why.
        benchmark: the folder of the questions, where they were made here and are written beside the runs.
    """

    out: Path
    folders: tuple[RunFolder, ...]
    marked: dict[str, str]
    without_marked: bool
    excluded: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    benchmark: Path | None = None


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
        UsageError: settings don't go together, or nobody has answered.
        RunConflictError: a folder holds another run.
    """
    if config.runs is None:
        raise UsageError("name the folder of the runs with --runs.")
    with _opened(config) as site:
        from tolman.review.projects.export import export_runs

        done = export_runs(
            site, config.runs, config.project, without_marked=config.without_marked, with_excluded=config.with_excluded
        )
    return ReviewRunsResult(
        config.runs,
        tuple(done.folders),
        done.marked,
        config.without_marked,
        done.excluded,
        done.skipped,
        done.benchmark,
    )


def export_people(config: ReviewConfig) -> Path:
    """Write times and pay of everybody in a study.

    Raises:
        UsageError: settings don't go together, or there is no such study.
    """
    if config.people is None:
        raise UsageError("name the file for times and pay with --people.")
    with _opened(config) as site:
        from tolman.files import write_text
        from tolman.review.projects.lifecycle import project_named
        from tolman.review.studies.pay import pay_table

        with site.database.read() as db:
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
        from tolman.review.projects.publish import publish

        done = publish(
            site, config.export, config.project, undecided=config.undecided, without_marked=config.without_marked
        )
    return ReviewExportResult(config.export, done, config.without_marked)


@contextmanager
def _opened(config: ReviewConfig) -> Iterator[Site]:
    settings = review_settings(config)
    from tolman.review.site import open_site

    if config.database is None and not settings.store.is_dir():
        raise UsageError(f"nobody has worked here yet: there is no {settings.store}; name the folder with --store.")
    site = open_site(settings)
    try:
        yield site
    finally:
        site.database.close()
