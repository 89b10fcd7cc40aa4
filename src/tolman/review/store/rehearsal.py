"""A database in which everything can be tried: what is written is seen by who writes it, and undone at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.orm import Session as Orm

from tolman.review.store.database import Database


class Rehearsal(Database):
    """Transactions inside of one that is never committed; made by `rehearsal`, for one request after the other."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.engine = database.engine
        self._connection = connection
        self._sessions = database.sessions_on(connection)

    @contextmanager
    def read(self) -> Iterator[Orm]:
        """As `Database.read`."""
        with self._sessions() as session:
            yield session

    @contextmanager
    def view(self) -> Iterator[Orm]:
        """As `Database.view`."""
        with self.read() as session:
            yield session

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """As `Database.look`."""
        yield self._connection

    @contextmanager
    def write(self) -> Iterator[Orm]:
        """As `Database.write`; committed as far as the rehearsal goes."""
        with self._sessions() as session, session.begin():
            yield session

    @contextmanager
    def write_for(self, person: int, assignment: int | None = None) -> Iterator[Orm]:
        """As `Database.write_for`: nobody else writes meanwhile."""
        with self.write() as session:
            yield session

    def close(self) -> None:
        """Nothing: the connection is another's."""


@contextmanager
def rehearsal(database: Database) -> Iterator[Rehearsal]:
    """Take the writer's place, and give it back with nothing written. Others' writing waits meanwhile."""
    with database.alone() as connection:
        yield Rehearsal(database, connection)
