"""The response store: every answer that a model ever gave, under the hash of all that determined it.

SQLite in WAL mode, one row for each answer, committed as it comes: a process that is killed loses at most the answers
in flight. Committed answers are brought to the disk within `SYNC_SECONDS`, so that a loss of power takes no more than
the answers of that time. Waiting for the disk at each answer would hold up all calls (`benchmarks/runs.py store`).

Runs share the store, so a run that starts again, or another run that asks the same, finds its answers there. A lease
on each key keeps two that run at once from asking the same. Failures never enter it. Processes on several machines
share one in a PostgreSQL database, with the same rows.

Answers that the store doesn't keep, such as a Python function's, are appended to a file in the run's folder as they
come. So a run that was stopped or killed goes on. The file is removed when every question has an answer. The next run
then asks all of them again, since the function may answer otherwise by then. Answers of other code are never reused.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pydantic import ValidationError

from tolman.errors import InputError, one_line
from tolman.extras import LazyModule, needs
from tolman.files import atomic_write
from tolman.messages import WITH_MEDIA, Message, Sampling, content_of
from tolman.responses import Outcome, Outcomes, Response, outcome_from_record, outcome_to_line
from tolman.runs.leases import Leases

if TYPE_CHECKING:
    from tolman.media import frame_store
else:
    frame_store = LazyModule("tolman.media.frame_store")

SYNC_SECONDS = 1.0
"""The longest time between a commit and its being on the disk."""

KEYED_BY_WEIGHTS = 1
"""The version of a store that never held an answer under an endpoint's address but where nothing else is known."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    created {real} NOT NULL,
    request TEXT NOT NULL,
    response TEXT NOT NULL
) {without_rowid};
CREATE INDEX IF NOT EXISTS {index} ON responses (model, created);
CREATE TABLE IF NOT EXISTS names (
    model TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (model, name)
) {without_rowid};
"""
_MAKING = 7_011_200_214_305
"""The advisory lock under which a database's tables are made, so that two that begin at once don't make them twice."""
LATEST = 200
"""A model's latest answers, whose mean time is taken."""


_SORTED = json.JSONEncoder(sort_keys=True)


def default_path() -> Path:
    """$TOLMAN_CACHE/responses.sqlite, or in the user's cache folder."""
    return frame_store.default_root().parent / "responses.sqlite"


def request_key(
    model: str,
    settings: dict[str, Any],
    messages: tuple[Message, ...],
    sampling: Sampling,
    repeat: int,
    draw: int,
    code: str | None = None,
) -> tuple[str, str]:
    """Return the hash of all that determines an answer, and the text that was hashed.

    Args:
        model, settings: of the model that is asked.
        messages: as they are sent, each picture as the hash of its bytes.
        sampling: how it draws.
        repeat, draw: which of several equal requests it is.
        code: the identity of a user's own code behind the model (`tolman.models.code`); None for all other models.
    """
    content: dict[str, Any] = {
        "model": model,
        "settings": settings,
        "messages": content_of(messages),
        "sampling": sampling.model_dump(exclude_none=True),
        "repeat": repeat,
        "draw": draw,
    }
    if code is not None:
        content["code"] = code
    text = _SORTED.encode(content)
    return hashlib.sha256(text.encode()).hexdigest(), text


class AnswerStore(ABC):
    """The response store, in a file or in a database: the same rows and almost the same SQL.

    Attributes:
        place: the file, or the database without the password.
        is_older: whether it may hold answers of earlier versions, which kept them under the endpoint's address.
    """

    place: str
    is_older = False
    _db: Any
    _errors: type[Exception]
    _fix_of_writing = "name another with --store"

    @abstractmethod
    def lease(self, key: str) -> bool:
        """Take the lease on asking for a key; False while another process or store has it."""

    @abstractmethod
    def end_lease(self, key: str) -> None:
        """Let others ask for a key."""

    @abstractmethod
    def size(self) -> int:
        """Bytes that it takes."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it, and end all leases."""

    def get(self, key: str) -> Response | None:
        """The answer under a key.

        Raises:
            InputError: it can't be read.
        """
        rows = self._read("SELECT response FROM responses WHERE key = ?", key)
        try:
            return Response.model_validate_json(rows[0][0]) if rows else None
        except ValidationError:
            raise self._damaged(f"the answer {key} is no response") from None

    def put(self, key: str, model: str, request: str, response: Response) -> Response:
        """Commit an answer, and return the one now kept under its key: the first one stays.

        Two equal requests in flight at once bring two answers; both then count as the one that a later run will find.
        """
        row = (key, model, time.time(), request, response.model_dump_json(exclude_defaults=True))
        if self._write("INSERT INTO responses VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING", *row):
            return response
        return self.get(key) or response

    def remember(self, model: str, name: str, value: str, *, replace: bool = False) -> str:
        """Keep a fact about a model unless there is one of this name already, and return the kept one."""
        then = "UPDATE SET value = EXCLUDED.value" if replace else "NOTHING"
        self._write(f"INSERT INTO names VALUES (?, ?, ?) ON CONFLICT (model, name) DO {then}", model, name, value)
        return self.recall(model, name) or value

    def recall(self, model: str, name: str) -> str | None:
        """A fact about a model."""
        rows = self._read("SELECT value FROM names WHERE model = ? AND name = ?", model, name)
        return str(rows[0][0]) if rows else None

    def forget(self, key: str) -> None:
        """Delete the answer under a key."""
        self._write("DELETE FROM responses WHERE key = ?", key)

    def summary(self) -> list[tuple[str, int, float, float]]:
        """For each model: answers, first and last time (seconds since 1970)."""
        query = "SELECT model, COUNT(*), MIN(created), MAX(created) FROM responses GROUP BY model ORDER BY model"
        return [(str(m), int(n), float(a), float(b)) for m, n, a, b in self._read(query)]

    def mean_seconds(self, model: str, *, media: bool) -> float | None:
        """How long a model's latest answers took on average; None where the store has none.

        Args:
            model: its name.
            media: whether requests with media count, or those without.
        """
        query = f"SELECT response FROM responses WHERE model = ? AND ({WITH_MEDIA}) = ? ORDER BY created DESC LIMIT ?"
        found = [json.loads(row).get("seconds") for (row,) in self._read(query, model, media, LATEST)]
        known = [seconds for seconds in found if seconds is not None]
        return sum(known) / len(known) if known else None

    def prune(self, *, model: str | None = None, before: float | None = None) -> int:
        """Delete a model's answers, or those older than a time, or both at once; the number deleted."""
        given = {text: value for text, value in (("model = ?", model), ("created < ?", before)) if value is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        deleted = self._write(f"DELETE FROM responses {where}", *given.values())
        self._tidy(model if before is None else None)
        return deleted

    def export(self) -> Iterator[dict[str, Any]]:
        """All rows, for JSONL."""
        query = "SELECT key, model, created, request, response FROM responses ORDER BY model, created, key"
        with self._told("can't be read"):
            for key, model, created, request, response in self._stream(query):
                try:
                    asked, answered = json.loads(request), json.loads(response)
                except (ValueError, TypeError):
                    raise self._damaged(f"the answer {key} is no JSON") from None
                yield {"key": key, "model": model, "created": created, "request": asked, "response": answered}

    @abstractmethod
    def _tidy(self, pruned: str | None) -> None:
        """Forget what is of no use after answers were deleted; all of the model's where one is named."""

    def _execute(self, query: str, values: Sequence[Any]) -> Any:
        return self._db.execute(query, values)

    def _stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        yield from self._execute(query, ())

    def _read(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._told("can't be read"):
            rows: list[tuple[Any, ...]] = self._execute(query, values).fetchall()
        return rows

    def _write(self, query: str, *values: Any) -> int:
        """How many rows were changed."""
        with self._told("can't be written", fix=self._fix_of_writing):
            return int(self._execute(query, values).rowcount)

    @contextmanager
    def _told(self, what: str, *, fix: str = "name another with --store") -> Iterator[None]:
        """Convert errors of the database to an InputError with one sentence."""
        try:
            yield
        except self._errors as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
                raise self._damaged(str(error)) from None
            raise InputError(self.place, f"{what} ({one_line(error)})", fix=fix) from None

    def _damaged(self, how: str) -> InputError:
        return InputError(
            self.place, f"is damaged ({how})", fix="put a copy in its place, or name another with --store"
        )


def is_url(place: object) -> bool:
    """Check whether a store's place is a database rather than a file."""
    return isinstance(place, str) and place.startswith(("postgresql://", "postgres://"))


class ResponseStore(AnswerStore):
    """A store's file, open.

    Args:
        path: of the SQLite file; made if it isn't there.

    Raises:
        InputError: the file is no such store, or a damaged one.
    """

    _errors = sqlite3.Error
    _fix_of_writing = "make room, or name another with --store"

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, str(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._told("is no response store"):
            self._db = sqlite3.connect(path, isolation_level=None, timeout=60)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            (found,) = self._db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'responses'").fetchone()
            if not found:
                self._db.execute(f"PRAGMA user_version={KEYED_BY_WEIGHTS}")
            self._db.executescript(_SCHEMA.format(real="REAL", without_rowid="WITHOUT ROWID", index="by_model"))
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            self.is_older = version < KEYED_BY_WEIGHTS
            (found,) = self._db.execute("PRAGMA quick_check(1)").fetchone()  # 0.3 s for 100,000 answers
        if found != "ok":
            raise self._damaged(" ".join(str(found).split()))
        self._leases: Leases | None = None
        self._syncing: _Syncing | None = None

    def size(self) -> int:
        """Bytes of the file."""
        return self.path.stat().st_size

    def lease(self, key: str) -> bool:
        """Take the lease on asking for a key; False while another process or store has it."""
        if self._leases is None:
            self._leases = Leases(self.path.with_name(f"{self.path.name}-leases"))
        return self._leases.take(key)

    def end_lease(self, key: str) -> None:
        """Let others ask for a key."""
        if self._leases is not None:
            self._leases.give_back(key)

    def put(self, key: str, model: str, request: str, response: Response) -> Response:
        """As `AnswerStore.put`; the answer is on the disk soon afterwards."""
        kept = super().put(key, model, request, response)
        if kept is response:
            if self._syncing is None:
                self._syncing = _Syncing(self.path.with_name(f"{self.path.name}-wal"))
            self._syncing.wanted()
        return kept

    def _tidy(self, pruned: str | None) -> None:
        if pruned is not None:
            self._write("DELETE FROM names WHERE model = ?", pruned)
        self._write("VACUUM")

    def close(self) -> None:
        """Close the file, and end all leases."""
        if self._syncing is not None:
            self._syncing.close()
        self._db.close()
        if self._leases is not None:
            self._leases.close()


class PostgresStore(AnswerStore):
    """A store's database, connected (extra `review`).

    A lease is an advisory lock of the session that asks. It ends with the connection, however the process ends, so that
    none is ever stale.

    Args:
        url: such as postgresql://user@host/database.

    Raises:
        InputError: it can't be reached or used.
        MissingExtraError: psycopg isn't installed.
    """

    def __init__(self, url: str) -> None:
        with needs("review", "A response store in PostgreSQL"):
            import psycopg
        self._errors = psycopg.Error
        self.place = without_password(url)
        with self._told("can't be used", fix="correct --store, or start the server"):
            self._db = psycopg.connect(url, autocommit=True, connect_timeout=20)
            with self._db.transaction():
                self._db.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
                self._db.execute(_SCHEMA.format(real="DOUBLE PRECISION", without_rowid="", index="responses_by_model"))

    def size(self) -> int:
        """Bytes of the table with its indexes."""
        return int(self._read("SELECT pg_total_relation_size('responses')")[0][0])

    def lease(self, key: str) -> bool:
        """Take the lease on asking for a key; False while another connection has it."""
        with self._told("can't be used"):
            return bool(self._execute("SELECT pg_try_advisory_lock(?)", (_lock_of(key),)).fetchone()[0])

    def end_lease(self, key: str) -> None:
        """Let others ask for a key."""
        with self._told("can't be used"):
            self._execute("SELECT pg_advisory_unlock(?)", (_lock_of(key),))

    def close(self) -> None:
        """Close the connection, and end all leases; a connection that is lost has none."""
        with suppress(self._errors):
            self._db.execute("SELECT pg_advisory_unlock_all()")  # the server ends a session some time after its client
        self._db.close()

    def _tidy(self, pruned: str | None) -> None:
        self._write("DELETE FROM names WHERE model NOT IN (SELECT model FROM responses)")

    def _execute(self, query: str, values: Sequence[Any]) -> Any:
        # PostgreSQL's texts hold no NUL, which a model may say.
        clean = [
            one.replace("\0", "\ufffd").replace("\\u0000", "\ufffd") if isinstance(one, str) else one for one in values
        ]
        return self._db.execute(query.replace("%", "%%").replace("?", "%s"), clean)

    def _stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        with self._db.transaction(), self._db.cursor("export") as rows:
            yield from rows.execute(query)


def without_password(url: str) -> str:
    """An address as it may be shown."""
    scheme, _, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    return f"{scheme}://{who.partition(':')[0]}{at}{where}"


def _lock_of(key: str) -> int:
    """The advisory lock of a key: a signed number of 64 bits."""
    return int(key[:15], 16)


class _Syncing:
    """A thread that brings a file to the disk soon after it was written, so that no call waits for the disk.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wanted, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="sync", daemon=True)
        self._thread.start()

    def wanted(self) -> None:
        """The file was written."""
        self._wanted.set()

    def close(self) -> None:
        """Stop; SQLite syncs when it closes."""
        self._over.set()
        self._wanted.set()
        self._thread.join()

    def _work(self) -> None:
        # `close` may come between any two lines: `_over` is read after each `clear`, which may undo its `_wanted.set`.
        while not self._over.is_set():
            self._wanted.wait()
            if self._over.wait(SYNC_SECONDS):
                return
            self._wanted.clear()
            with suppress(OSError):  # a disk that fails is told by SQLite's own writing
                file = os.open(self._path, os.O_RDWR)
                try:
                    os.fsync(file)
                finally:
                    os.close(file)


def usual_place() -> Path | str:
    """$TOLMAN_STORE, a file or the URL of a database; else `default_path`."""
    named = os.environ.get("TOLMAN_STORE")
    return default_path() if not named else named if is_url(named) else Path(named)


def open_store(place: Path | str | None, *, existing: bool = False) -> AnswerStore:
    """The store at a path or in a database, or the user's own ($TOLMAN_STORE, or the cache folder).

    Args:
        place: a file, or the URL of a PostgreSQL database.
        existing: whether a file must be there.

    Raises:
        InputError: it must exist and doesn't, or it is no store, or the database can't be used.
        MissingExtraError: a database is named, and the extra isn't installed.
    """
    chosen = place or usual_place()
    if isinstance(chosen, str) and is_url(chosen):
        return PostgresStore(chosen)
    path = Path(chosen)
    if existing and not path.exists():
        raise InputError(path, "does not exist", fix="name a response store with --store")
    return ResponseStore(path)


UNFINISHED_FILE = "unfinished.jsonl"


class UnfinishedRun:
    """The file of a run's answers so far.

    Args:
        folder: of the run.
        code: the identity of the code that answers; empty where it is unknown, and nothing is reused.

    Attributes:
        path: of the file.
    """

    def __init__(self, folder: Path, code: str) -> None:
        self.path = folder / UNFINISHED_FILE
        self._code = code
        self._file: IO[str] | None = None

    @property
    def can_go_on(self) -> bool:
        """Check whether a later start reuses the answers."""
        return bool(self._code)

    def begin(self) -> tuple[Outcomes, bool]:
        """Open the file.

        Returns:
            The answers of an earlier start by the same code, and whether there were answers by other code.
        """
        code, found = _read(self.path)
        others = bool(found) and (not self._code or code != self._code)
        kept = Outcomes() if others else Outcomes.of(found)
        with atomic_write(self.path) as partial, partial.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"code": self._code}) + "\n")
            file.writelines(outcome_to_line(one) + "\n" for one in kept.values())
        self._file = self.path.open("a", encoding="utf-8")
        return kept, others

    def add(self, outcome: Outcome) -> None:
        """Append an answer; failures are asked again."""
        if self._file is not None and isinstance(outcome, Response):
            self._file.write(outcome_to_line(outcome) + "\n")
            self._file.flush()

    def end(self, *, is_whole: bool) -> None:
        """Close the file, and remove it where every question has an answer."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if is_whole:
            self.path.unlink(missing_ok=True)


def holds_unfinished_answers(folder: Path) -> bool:
    """Check whether an earlier start of a run left answers in its file."""
    return bool(_read(folder / UNFINISHED_FILE)[1])


def _read(path: Path) -> tuple[str, list[Response]]:
    """The code that answered, and its answers; none where there is no such file. A line that was being written when the
    process was killed is left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "", []
    code, found = "", []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            if number == 1:
                code = str(record["code"])
                continue
            outcome = outcome_from_record(record, path, number)
        except (ValueError, KeyError, TypeError, InputError):
            break
        if isinstance(outcome, Response):
            found.append(outcome)
    return code, found
