"""What `tolman review` says and writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.errors import MissingExtraError, UsageError
from tolman.reports.content import build
from tolman.reports.loaded import load_runs
from tolman.reports.terminal import print_report
from tolman.reports.write import render, write_page

if TYPE_CHECKING:
    from tolman.review.settings import Settings
    from tolman.review.site import Site


@dataclass(frozen=True)
class Place:
    """Which benchmark, and where its people's work is kept; as the command line names them."""

    benchmark: str
    data: Path | None = None
    subset: str | None = None
    store: Path | None = None
    database: str | None = None
    scenes: Path | None = None
    errors_of: tuple[Path, ...] = ()
    pool: Path | None = None
    uploads: int = 0
    verify: tuple[Path, ...] = ()
    rigs: tuple[Path, ...] = ()
    base_url: str | None = None
    proxies: tuple[str, ...] = ()


def serve_review(console: Console, place: Place, host: str, port: int) -> None:
    """Serve the web application until the user stops it.

    Raises:
        MissingExtraError: the extra 'review' isn't installed.
        UsageError: the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    settings = _settings(place)
    from tolman.review.database import shown_url
    from tolman.review.server import serve

    def say(link: str) -> None:
        console.print(f"Everything is kept in {shown_url(settings.url)}.", markup=False, soft_wrap=True)
        console.print("The owner signs in here, once:", markup=False)
        console.print(link, markup=False, soft_wrap=True, highlight=False)
        console.print("Ctrl-C stops the server.", markup=False)
        console.file.flush()

    serve(settings, host, port, say)


def write_runs(
    console: Console, place: Place, out: Path, project: str | None, *, without_marked: bool = False, as_json: bool
) -> None:
    """Write each subject's answers as a run, and show them in one table.

    Raises:
        UsageError: nobody has answered.
        RunConflictError: a folder holds another run.
    """
    with _opened(place) as site:
        from tolman.review.export import export_runs

        folders, marked = export_runs(site, out, project, without_marked=without_marked)
    for person, counted in marked.items() if not as_json else ():
        text = f"{person}: left out {counted}." if without_marked else f"{person}: {counted} are marked."
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    if marked and not without_marked and not as_json:
        console.print("They count like all others; --without-marked leaves them out.", markup=False, soft_wrap=True)
    pages = [write_page(folder.path / "report.html", [folder.path]) for folder in folders]
    paths = [folder.path for folder in folders]
    if len(paths) > 1:
        pages.append(write_page(paths[-1].with_name(paths[-1].name.rpartition("-")[0] + ".html"), paths))
    runs = load_runs(paths)
    if as_json:
        console.file.write(render(build(runs), runs, "json"))
        return
    print_report(console, build(runs))
    console.print(f"Every item: {pages[-1]}", markup=False, highlight=False, soft_wrap=True)


def write_benchmark(
    console: Console,
    place: Place,
    out: Path,
    project: str | None,
    *,
    undecided: bool,
    without_marked: bool = False,
    as_json: bool,
) -> None:
    """Write the reviewed benchmark.

    Raises:
        UsageError: there is nothing to publish.
        InputError: the folder holds something else.
    """
    with _opened(place) as site:
        from tolman.review.export import publish

        done = publish(site, out, project, undecided=undecided, without_marked=without_marked)
    if as_json:
        console.file.write(json.dumps(asdict(done), indent=2) + "\n")
        return
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in done.verdicts.items())
    console.print(
        f"{done.items:,} questions, version {done.version}: {out} ({told}). Their history is in review.json.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if done.marked:
        text = "count like all others; --without-marked leaves them out"
        if without_marked:
            text = "are left out of the agreement"
        console.print(f"{done.marked:,} reviewers' answers are marked and {text}.", markup=False, soft_wrap=True)


@contextmanager
def _opened(place: Place) -> Iterator[Site]:
    settings = _settings(place)
    from tolman.review.site import open_site

    if place.database is None and not settings.store.is_dir():
        raise UsageError(f"nobody has worked here yet: there is no {settings.store}; name the folder with --store.")
    site = open_site(settings)
    try:
        yield site
    finally:
        site.database.close()


def _settings(place: Place) -> Settings:
    try:
        from tolman.review.settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tolman"):
            raise
        raise MissingExtraError(error.name or "fastapi", "review", "The web application") from None
    path = Path(place.benchmark)
    return Settings(
        benchmark=place.benchmark,
        data=place.data,
        subset=place.subset,
        store=place.store or path.parent / f"{path.resolve().name}-review",
        database=place.database,
        scenes=place.scenes,
        runs=place.errors_of,
        pool=place.pool,
        uploads=place.uploads,
        verify=place.verify,
        rigs=place.rigs,
        base_url=place.base_url,
        proxies=place.proxies,
    )
