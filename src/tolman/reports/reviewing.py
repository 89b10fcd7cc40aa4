"""What `tolman review` says and writes."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tolman.errors import MissingExtraError


def serve_review(
    console: Console,
    benchmark: str,
    *,
    data: Path | None,
    subset: str | None,
    host: str,
    port: int,
    store: Path | None,
    database: str | None,
    runs: tuple[Path, ...] = (),
) -> None:
    """Serve the web application until the user stops it.

    Raises:
        MissingExtraError: the extra 'review' isn't installed.
        UsageError: the port is taken, or the database can't be used.
        InputError: the benchmark's files can't be used.
    """
    try:
        from tolman.review.server import serve
        from tolman.review.settings import Settings
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tolman"):
            raise
        raise MissingExtraError(error.name or "fastapi", "review", "The web application") from None
    store = store or default_store(benchmark)
    settings = Settings(benchmark=benchmark, data=data, subset=subset, store=store, database=database, runs=runs)

    def say(link: str) -> None:
        console.print(f"Everything is kept in {database_name(settings.url)}.", markup=False, soft_wrap=True)
        console.print("The owner signs in here, once:", markup=False)
        console.print(link, markup=False, soft_wrap=True, highlight=False)
        console.print("Ctrl-C stops the server.", markup=False)
        console.file.flush()

    serve(settings, host, port, say)


def default_store(benchmark: str) -> Path:
    """BENCHMARK-review, beside the folder where it is one."""
    path = Path(benchmark)
    return path.parent / f"{path.resolve().name}-review"


def database_name(url: str) -> str:
    """A database's URL without its password."""
    from sqlalchemy.engine import make_url

    return make_url(url).render_as_string(hide_password=True)
