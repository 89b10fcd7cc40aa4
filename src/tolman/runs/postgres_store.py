"""The response store in a PostgreSQL database, for processes on several machines (extra `review`).

The same rows as the file's (`runs.response_store`). A lease is an advisory lock of the session that asks: it ends with
the connection, however the process ends, so that none is ever stale.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pydantic import ValidationError

from tolman.errors import InputError
from tolman.extras import needs
from tolman.messages import WITH_MEDIA
from tolman.responses import Response

_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    request TEXT NOT NULL,
    response TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS responses_by_model ON responses (model, created);
CREATE TABLE IF NOT EXISTS names (
    model TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (model, name)
);
"""
_MAKING = 7_011_200_214_305
"""The advisory lock under which the tables are made, so that two that begin at once don't make them twice."""


class PostgresStore:
    """A store's database, connected.

    Args:
        url: such as postgresql://user@host/database.

    Raises:
        InputError: it can't be reached or used.
        MissingExtraError: psycopg isn't installed.
    """

    is_older = False  # earlier versions kept no answers in databases

    def __init__(self, url: str) -> None:
        with needs("review", "A response store in PostgreSQL"):
            import psycopg
        self._errors: type[Exception] = psycopg.Error
        self.place = without_password(url)
        with self._told("can't be used", fix="correct --store, or start the server"):
            self._db = psycopg.connect(url, autocommit=True, connect_timeout=20)
            with self._db.transaction():
                self._db.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
                self._db.execute(_SCHEMA)

    def size(self) -> int:
        """Bytes of the table with its indexes."""
        with self._told("can't be read"):
            row = self._db.execute("SELECT pg_total_relation_size('responses')").fetchone()
        return int(row[0]) if row else 0

    def get(self, key: str) -> Response | None:
        """The answer under a key.

        Raises:
            InputError: it can't be read.
        """
        with self._told("can't be read"):
            row = self._db.execute("SELECT response FROM responses WHERE key = %s", (key,)).fetchone()
        try:
            return Response.model_validate_json(row[0]) if row else None
        except ValidationError:
            raise InputError(self.place, f"holds an answer {key} that is no response") from None

    def lease(self, key: str) -> bool:
        """Take the lease on asking for a key; False while another connection has it."""
        with self._told("can't be used"):
            row = self._db.execute("SELECT pg_try_advisory_lock(%s)", (_lock_of(key),)).fetchone()
        return bool(row and row[0])

    def end_lease(self, key: str) -> None:
        """Let others ask for a key."""
        with self._told("can't be used"):
            self._db.execute("SELECT pg_advisory_unlock(%s)", (_lock_of(key),))

    def put(self, key: str, model: str, request: str, response: Response) -> Response:
        """Commit an answer, and return the one now kept under its key: the first one stays."""
        # PostgreSQL's texts hold no NUL, which a model may say.
        texts = (text.replace("\0", "\ufffd") for text in (request, response.model_dump_json(exclude_defaults=True)))
        row = (key, model, time.time(), *(text.replace("\\u0000", "\ufffd") for text in texts))
        with self._told("can't be written"):
            cursor = self._db.execute(
                "INSERT INTO responses VALUES (%s, %s, %s, %s, %s) ON CONFLICT (key) DO NOTHING", row
            )
        return response if cursor.rowcount else self.get(key) or response

    def remember(self, model: str, name: str, value: str, *, replace: bool = False) -> str:
        """Keep a fact about a model unless there is one of this name already, and return the kept one."""
        then = "UPDATE SET value = EXCLUDED.value" if replace else "NOTHING"
        with self._told("can't be written"):
            self._db.execute(
                f"INSERT INTO names VALUES (%s, %s, %s) ON CONFLICT (model, name) DO {then}", (model, name, value)
            )
        return self.recall(model, name) or value

    def recall(self, model: str, name: str) -> str | None:
        """A fact about a model."""
        with self._told("can't be read"):
            row = self._db.execute("SELECT value FROM names WHERE model = %s AND name = %s", (model, name)).fetchone()
        return str(row[0]) if row else None

    def forget(self, key: str) -> None:
        """Delete the answer under a key."""
        with self._told("can't be written"):
            self._db.execute("DELETE FROM responses WHERE key = %s", (key,))

    def summary(self) -> list[tuple[str, int, float, float]]:
        """For each model: answers, first and last time (seconds since 1970)."""
        query = "SELECT model, COUNT(*), MIN(created), MAX(created) FROM responses GROUP BY model ORDER BY model"
        with self._told("can't be read"):
            return [(str(m), int(n), float(a), float(b)) for m, n, a, b in self._db.execute(query)]

    def mean_seconds(self, model: str, *, media: bool, latest: int = 200) -> float | None:
        """As `ResponseStore.mean_seconds`."""
        kind = WITH_MEDIA.replace("%", "%%")
        query = f"SELECT response FROM responses WHERE model = %s AND ({kind}) = %s ORDER BY created DESC LIMIT %s"
        with self._told("can't be read"):
            found = [json.loads(row).get("seconds") for (row,) in self._db.execute(query, (model, media, latest))]
        known = [seconds for seconds in found if seconds is not None]
        return sum(known) / len(known) if known else None

    def prune(self, *, model: str | None = None, before: float | None = None) -> int:
        """Delete a model's answers, or those older than a time, or both at once; the number deleted."""
        query = "DELETE FROM responses WHERE (%s::text IS NULL OR model = %s) AND (%s::float8 IS NULL OR created < %s)"
        with self._told("can't be written"):
            deleted = self._db.execute(query, (model, model, before, before)).rowcount
            self._db.execute("DELETE FROM names WHERE model NOT IN (SELECT model FROM responses)")
        return deleted

    def export(self) -> Iterator[dict[str, Any]]:
        """All rows, for JSONL."""
        query = "SELECT key, model, created, request, response FROM responses ORDER BY model, created, key"
        with self._told("can't be read"), self._db.transaction(), self._db.cursor("export") as rows:
            for key, model, created, request, response in rows.execute(query):
                asked, answered = json.loads(request), json.loads(response)
                yield {"key": key, "model": model, "created": created, "request": asked, "response": answered}

    def close(self) -> None:
        """Close the connection, and end all leases; a connection that is lost has none."""
        with suppress(self._errors):
            self._db.execute("SELECT pg_advisory_unlock_all()")  # the server ends a session some time after its client
        self._db.close()

    @contextmanager
    def _told(self, what: str, *, fix: str = "name another with --store") -> Iterator[None]:
        """Convert errors of the database to an InputError with one sentence."""
        try:
            yield
        except self._errors as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(self.place, f"{what} ({reason[:300]})", fix=fix) from None


def without_password(url: str) -> str:
    """An address as it may be shown."""
    scheme, _, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    return f"{scheme}://{who.partition(':')[0]}{at}{where}"


def _lock_of(key: str) -> int:
    """The advisory lock of a key: a signed number of 64 bits."""
    return int(key[:15], 16)
