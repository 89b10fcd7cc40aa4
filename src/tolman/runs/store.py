"""The response store: every answer that a model ever gave, under the hash of all that determined it.

SQLite in WAL mode, one row for each answer, committed as it comes: a process that is killed loses at most what was in
flight. Runs share it, so a run that starts again, or another run that asks the same, finds its answers there. Failures
never enter it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.messages import Message, Sampling, content_of
from tolman.responses import Response

_SCHEMA = """
CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    created REAL NOT NULL,
    request TEXT NOT NULL,
    response TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_model ON responses (model, created);
"""


def default_path() -> Path:
    """$TOLMAN_CACHE/responses.sqlite, or in the user's cache folder."""
    from tolman.media.store import default_root

    return default_root().parent / "responses.sqlite"


def request_key(
    model: str, settings: dict[str, Any], messages: tuple[Message, ...], sampling: Sampling, repeat: int, draw: int
) -> tuple[str, str]:
    """The hash of all that determines an answer, and the text that was hashed."""
    content = {
        "model": model,
        "settings": settings,
        "messages": content_of(messages),
        "sampling": sampling.model_dump(exclude_none=True),
        "repeat": repeat,
        "draw": draw,
    }
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest(), text


class ResponseStore:
    """A store's file, open.

    Args:
        path: of the SQLite file; made if it isn't there.

    Raises:
        InputError: the file is no such store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=60)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise InputError(path, f"is no response store ({error})", fix="name another with --store") from None

    def get(self, key: str) -> Response | None:
        """The answer under a key."""
        row = self._db.execute("SELECT response FROM responses WHERE key = ?", (key,)).fetchone()
        return Response.model_validate_json(row[0]) if row else None

    def put(self, key: str, model: str, request: str, response: Response) -> Response:
        """Commit an answer, and give the one that now stands under its key: the first one stays.

        Two equal requests in flight at once bring two answers; both then count as the one that a later run will find.
        """
        row = (key, model, time.time(), request, response.model_dump_json(exclude_defaults=True))
        try:
            if self._db.execute("INSERT OR IGNORE INTO responses VALUES (?, ?, ?, ?, ?)", row).rowcount:
                return response
        except sqlite3.Error as error:
            raise InputError(
                self.path, f"can't be written ({error})", fix="make room, or name another with --store"
            ) from None
        return self.get(key) or response

    def forget(self, key: str) -> None:
        """Delete the answer under a key."""
        self._db.execute("DELETE FROM responses WHERE key = ?", (key,))

    def summary(self) -> list[tuple[str, int, float, float]]:
        """For each model: answers, first and last time (seconds since 1970)."""
        query = "SELECT model, COUNT(*), MIN(created), MAX(created) FROM responses GROUP BY model ORDER BY model"
        return [(str(m), int(n), float(a), float(b)) for m, n, a, b in self._db.execute(query)]

    def prune(self, *, model: str | None = None, before: float | None = None) -> int:
        """Delete a model's answers, or those older than a time, or both at once; the number deleted."""
        conditions, values = [], []
        if model is not None:
            conditions.append("model = ?")
            values.append(model)
        if before is not None:
            conditions.append("created < ?")
            values.append(str(before))
        where = " AND ".join(conditions) or "1"
        deleted = self._db.execute(f"DELETE FROM responses WHERE {where}", values).rowcount
        self._db.execute("VACUUM")
        return deleted

    def export(self) -> Iterator[dict[str, Any]]:
        """All rows, for JSONL."""
        query = "SELECT key, model, created, request, response FROM responses ORDER BY model, created, key"
        for key, model, created, request, response in self._db.execute(query):
            yield {
                "key": key,
                "model": model,
                "created": created,
                "request": json.loads(request),
                "response": json.loads(response),
            }

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def open_store(path: Path | None, *, existing: bool = False) -> ResponseStore:
    """The store at a path, or the user's own ($TOLMAN_STORE, or the cache folder).

    Raises:
        InputError: it must exist and doesn't, or it is no store.
    """
    named = os.environ.get("TOLMAN_STORE")
    chosen = path or (Path(named) if named else default_path())
    if existing and not chosen.exists():
        raise InputError(chosen, "does not exist", fix="name a response store with --store")
    return ResponseStore(chosen)
