"""The database of a review: opening it, recording events with their person and time, and rehearsing on it.

It is SQLite in WAL mode or PostgreSQL, brought to this version's tables by Alembic. In a rehearsal everything can be
tried: only its writer sees the changes, and they are undone at the end.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.orm import ORMExecuteState, Session as Orm, sessionmaker, with_loader_criteria

from tolman.errors import InputError, UsageError
from tolman.extras import needs
from tolman.review.server_settings import ReviewSettings
from tolman.review.store import Decision, HistoryEvent, ItemVersion, Submission, Undone

WITH_UNDONE = "with_undone"
"""Execution option of a query that wants submissions and decisions which were taken back as well."""
_STANDING = (
    with_loader_criteria(
        Submission, lambda cls: ~select(Undone.id).where(Undone.submission_id == cls.id).exists(), include_aliases=True
    ),
    with_loader_criteria(Decision, lambda cls: cls.taken_back.is_(None), include_aliases=True),
)
_with_standing: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Statements with the additions of `_STANDING`: for a statement made once, they are added once."""
_BUSY_SECONDS = 30
_ASK_AFTER = 5.0
"""Seconds without use after which a connection is looked at before it is used."""
_WRITER = 747565
"""The number of the lock that writers hold on PostgreSQL, whichever server process they are in."""
_PERSON = 747566
"""The class of the locks that one person's own writers hold on PostgreSQL."""
_AS_ONE_OF_MANY = f"SELECT pg_advisory_xact_lock_shared({_WRITER}), pg_advisory_xact_lock({_PERSON}, %s)"
_WITH_ITS_TASK = "SELECT id FROM tasks WHERE id = (SELECT task_id FROM assignments WHERE id = %s) FOR NO KEY UPDATE"


class Database:
    """Reading and writing in transactions.

    Args:
        url: SQLAlchemy's, of SQLite or PostgreSQL.

    Raises:
        UsageError: the URL is none, or no database answers there.
        MissingExtraError: PostgreSQL is asked for, and its driver is missing.
        InputError: the database was written by a later version.
    """

    def __init__(self, url: str) -> None:
        self.engine = engine_of(url)
        self._one_writer = threading.Lock()
        self._is_postgres = self.engine.dialect.name == "postgresql"
        alone = {"isolation_level": "AUTOCOMMIT"} if self._is_postgres else {}
        self._looking = self.engine.execution_options(**alone)
        try:
            bring_to(self.engine, "head")
        except DBAPIError as error:
            raise unusable(error) from None
        one_state = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True} if self._is_postgres else {}
        self._viewing = _maker(self._looking)
        self._reading = _maker(self.engine.execution_options(**one_state))
        self._writing = _maker(self.engine.execution_options(writes=True))
        self._writing_together = _maker(self.engine)

    @contextmanager
    def read(self) -> Iterator[Orm]:
        """A transaction that sees one state."""
        with self._reading() as session:
            yield session
            if self._is_postgres:
                session.commit()  # after a rollback the driver forgets the statements that it has prepared

    @contextmanager
    def view(self) -> Iterator[Orm]:
        """Open the database for a page that reads. On PostgreSQL each statement sees the state at its own execution,
        and needs no other to begin or end a transaction; on SQLite as `read`.
        """
        with self._viewing() as session:
            yield session

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """For a single statement that reads: on PostgreSQL without the messages that begin and end a transaction."""
        with self._looking.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Orm]:
        """Open a transaction that is committed at its end, or not at all; one at a time, so that its reads stay true.

        The writers of this process wait for each other here: the databases' own waiting is by polling (SQLite), or
        takes a connection for each waiting writer (PostgreSQL).
        """
        with self._one_writer, self._writing() as session, session.begin():
            yield session

    @contextmanager
    def write_for(self, person: int, assignment: int | None = None) -> Iterator[Orm]:
        """Open a transaction about a person's own work, which changes nothing that belongs to others; committed at its
        end, or not at all.

        One person's are carried out one at a time, and never during one of `write`. On PostgreSQL those of several
        people go on together: they may share only a task, which is locked by the transaction that takes it
        (`tasks.assignments.take`) or finishes it. On SQLite it is the same as `write`.

        Args:
            person: whose work it is.
            assignment: whose task no other person is given or finishes meanwhile.
        """
        if not self._is_postgres:
            with self.write() as session:
                yield session
            return
        with self._writing_together() as session, session.begin():
            connection = session.connection()
            connection.exec_driver_sql(_AS_ONE_OF_MANY, (person,))
            if assignment is not None:
                connection.exec_driver_sql(_WITH_ITS_TASK, (assignment,))
            yield session

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A connection whose transaction keeps other writers waiting and is rolled back at its end."""
        with self._one_writer, self.engine.execution_options(writes=True).connect() as connection:
            transaction = connection.begin()
            try:
                yield connection
            finally:
                transaction.rollback()

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def unusable(error: DBAPIError) -> UsageError:
    """The sentence for an error of a database's driver."""
    return UsageError(f"the database can't be used ({str(error.orig).strip().splitlines()[0]}).")


_EARLIER = ("0001", "0002", "0003", "0005", "0006", "0008", "0009")
"""Versions whose tables `versions/v0010_tables.py` completes."""
SIGN_IN_LINKS = text(
    "UPDATE invitations SET purpose = 'enter' WHERE user_id IS NOT NULL AND used IS NULL AND purpose = 'join'"
)
"""For rows of the first version, which didn't tell what a link is for: only those that sign in were of an account."""


def bring_to(engine: Engine, version: str) -> None:
    """Make the tables of a version, or bring those that are there to it; those of an earlier one are completed.

    Raises:
        InputError: the database was written by a later version.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    try:
        with engine.execution_options(writes=True).begin() as connection:
            config.attributes["connection"] = connection
            if MigrationContext.configure(connection).get_current_revision() in _EARLIER:
                command.stamp(config, "base", purge=True)
            command.upgrade(config, "head" if version in _EARLIER else version)
    except CommandError as error:
        raise InputError(engine.url.render_as_string(), f"holds tables of another version ({error})") from None


def _maker(bind: Engine | Connection, **rest: Any) -> sessionmaker[Orm]:
    """Sessions whose queries find no submission and no decision that was taken back, unless they ask for it."""
    made = sessionmaker(bind, expire_on_commit=False, **rest)

    @event.listens_for(made, "do_orm_execute")
    def _without_undone(state: ORMExecuteState) -> None:
        if state.is_select and not state.execution_options.get(WITH_UNDONE):
            added = _with_standing.get(state.statement)
            if added is None:
                added = _with_standing[state.statement] = state.statement.options(*_STANDING)
            state.statement = added

    return made


def engine_of(url: str) -> Engine:
    """Return the engine of a database with any tables.

    Raises:
        UsageError: the URL is none.
        MissingExtraError: PostgreSQL is asked for, and its driver is missing.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UsageError(f"--database takes a URL such as postgresql://user@host/name, not '{url}'.") from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        _keep_private(parsed.database)
        return _sqlite(
            create_engine(
                parsed,
                connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False},
                hide_parameters=True,  # people's answers are not for logs
            )
        )
    if backend != "postgresql":
        raise UsageError(f"--database takes SQLite or PostgreSQL, not '{backend}'.")
    with needs("review", "PostgreSQL"):
        import psycopg  # noqa: F401
    driven = parsed.set(drivername="postgresql+psycopg")
    return _postgres(create_engine(driven, pool_size=20, pool_use_lifo=True, hide_parameters=True))


def count_rows(db: Orm) -> None:
    """Have PostgreSQL count the rows of tables to which many were added at once.

    Until it does so by itself, within minutes, it takes them for small and plans to read them as a whole.
    """
    if db.get_bind().dialect.name == "postgresql":
        db.execute(text("ANALYZE items, media, tasks, task_media"))


def _keep_private(file: str | None) -> None:
    """Have the database's file, which holds the key and all passwords' hashes, readable by its owner alone.

    SQLite gives the files next to it (-wal, -shm, -journal) the same rights when it makes them.
    """
    if not file or file == ":memory:":
        return
    path = Path(file)
    with suppress(OSError):  # a file that can't be made or changed raises when it is opened
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        for one in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
            if one.is_file():
                one.chmod(0o600)


def _sqlite(engine: Engine) -> Engine:
    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # the driver's own idea of when a transaction begins is off
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # A reader that turns writer can't wait for another writer; who is to write waits at the start.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(engine: Engine) -> Engine:
    @event.listens_for(engine, "checkin")
    def _given_back(connection: Any, record: Any) -> None:
        record.info["at"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _taken(connection: Any, record: Any, proxy: Any) -> None:
        # The server may have been started again; asking it each time would double the messages of a short page.
        if time.monotonic() - record.info.get("at", math.inf) > _ASK_AFTER:
            try:
                connection.execute("SELECT 1")
                connection.commit()
            except Exception as error:
                raise DisconnectionError from error  # the pool takes another

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # One writer at a time, as in SQLite: transactions are short, and those that wait for one lock can't deadlock.
        if connection.get_execution_options().get("writes"):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITER})")

    return engine


def shown_url(url: str) -> str:
    """A database's URL without its password."""
    return make_url(url).render_as_string(hide_password=True)


def record(
    db: Orm,
    settings: ReviewSettings,
    what: str,
    /,
    *,
    project: int | None = None,
    item: str | None = None,
    user: int | None = None,
    **content: Any,
) -> None:
    """Add one row to the history."""
    db.add(
        HistoryEvent(project_id=project, item=item, user_id=user, what=what, content=content, created=settings.clock())
    )


def record_item(
    db: Orm, settings: ReviewSettings, what: str, about: ItemVersion, /, user: int | None = None, **content: Any
) -> None:
    """Add one row to the history of an item."""
    record(db, settings, what, project=about.project_id, item=about.item, user=user, **content)


class Rehearsal(Database):
    """Transactions inside of one that is never committed; made by `rehearsal`, for one request after the other."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.engine, self._connection = database.engine, connection
        self._is_postgres, self._one_writer = False, threading.Lock()  # there is no other writer meanwhile
        # The ends of these sessions are savepoints of the connection's transaction.
        self._viewing = self._reading = self._writing = _maker(connection, join_transaction_mode="create_savepoint")

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """As `Database.look`."""
        yield self._connection

    def close(self) -> None:
        """Nothing: the connection is another's."""


@contextmanager
def rehearsal(database: Database) -> Iterator[Rehearsal]:
    """Take the writer's place, and give it back with nothing written. Others' writing waits meanwhile."""
    with database.alone() as connection:
        yield Rehearsal(database, connection)
