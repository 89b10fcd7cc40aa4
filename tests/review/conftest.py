"""Servers on SQLite and PostgreSQL, and a browser."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")

from argon2 import PasswordHasher
from sqlalchemy import Engine

from making import make_pool
from postgres import Postgres
from reviewing import Serve, Served, make_benchmark, opened_page, serving, settings_of
from tolman.review.accounts import protection
from tolman.review.store import database as module
from tolman.review.store.database import Database

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small benchmark with real media."""
    return make_benchmark(tmp_path_factory.mktemp("review") / "small")


@pytest.fixture(scope="session")
def pool_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A media pool, which nobody changes."""
    return make_pool(tmp_path_factory.mktemp("media"))


@pytest.fixture
def pool(pool_folder: Path, tmp_path: Path) -> Path:
    """A media pool of the test's own."""
    return Path(shutil.copytree(pool_folder, tmp_path / "pool"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-full` who is let in on PostgreSQL, and one file of what a browser shows then.

    Other tests hold the databases against each other.
    """
    for item in list(items):
        if "[postgresql" not in item.name:
            continue
        if "browser" in getattr(item, "fixturenames", ()) and item.path.name != "test_browser.py":
            items.remove(item)
        elif "killed" in item.name or item.path.name in ("test_browser.py", "test_security.py"):
            item.add_marker(pytest.mark.full)


@pytest.fixture(scope="session", autouse=True)
def tables_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Copy the tables of an empty SQLite database instead of making them each time, half of a server's start.

    `store/test_migrations.py` makes them.
    """
    made = tmp_path_factory.mktemp("tables") / "empty.sqlite"
    Database(f"sqlite:///{made}").close()
    content = made.read_bytes()
    bring_to = module.bring_to

    def bring(engine: Engine, version: str) -> None:
        file = Path(engine.url.database or "") if engine.dialect.name == "sqlite" else None
        if file is not None and version == "head" and file.is_file() and not file.stat().st_size:
            file.write_bytes(content)
        else:
            bring_to(engine, version)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "bring_to", bring)
        yield


@pytest.fixture(scope="session", autouse=True)
def passwords_hashed_fast() -> Iterator[None]:
    """Hash with the least of time and memory; only servers in processes of their own are slow to guess at."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(protection, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        patched.setattr(protection, "_NOBODY", protection.hash_now("nobody has this password"))
        yield


@pytest.fixture(scope="session")
def tables(postgres: Postgres) -> str:
    """The name of a PostgreSQL database with tables and nothing in them, to be copied."""
    url = postgres.create()
    Database(url).close()
    return url.partition("?")[0].rpartition("/")[2]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def database(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty database: None (a file in the store), then PostgreSQL."""
    if request.param == "sqlite":
        return None
    return str(request.getfixturevalue("postgres").create(request.getfixturevalue("tables")))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start a server of a benchmark, on SQLite or a database's URL; it ends with the test."""
    with ExitStack() as running:
        yield lambda benchmark, url=None, **rest: running.enter_context(
            serving(*settings_of(benchmark, tmp_path / "store", url, **rest))
        )


@pytest.fixture
def served(benchmark: Path, serve: Serve, database: str | None) -> Served:
    """A running server, on each database."""
    return serve(benchmark, database)


@pytest.fixture
def served_sqlite(benchmark: Path, serve: Serve) -> Served:
    """A running server on SQLite, for what no database has a part in."""
    return serve(benchmark)


@pytest.fixture
def rooms(made: Path, serve: Serve) -> Served:
    """A running server of what a file's own fixture `made` has made of scenes."""
    return serve(made / "bench")


@pytest.fixture(scope="module")  # as long as Playwright runs, nothing else in this thread can have an event loop
def browser() -> Iterator[Any]:
    """Headless Chromium; tests that need it are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    """A new page of a server that nobody is signed in to; an error in a script fails the test."""
    with opened_page(browser, served.url) as opened:
        yield opened
