"""The response store: what is committed is on the disk soon; what can't be read is told."""

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.responses import Response
from tolman.runs import response_store as module
from tolman.runs.response_store import ResponseStore

KEY = "c" * 64


def test_an_answer_is_brought_to_the_disk_soon_after_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, done, real = [], threading.Event(), os.fsync

    def fsync(file: int) -> None:
        real(file)
        synced.append(os.readlink(f"/proc/self/fd/{file}"))
        done.set()

    monkeypatch.setattr(module, "SYNC_SECONDS", 0.05)
    monkeypatch.setattr(os, "fsync", fsync)
    store = ResponseStore(tmp_path / "s.sqlite")
    for i in range(20):
        store.put(f"{i:064x}", "m", "{}", Response(id="1", response="A"))
    assert done.wait(120)
    assert set(synced) == {str(tmp_path / "s.sqlite-wal")}
    assert len(synced) < 20  # not at each answer, which nobody would wait for
    store.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "sync"]


def test_a_store_that_is_closed_in_the_middle_of_a_sync_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread clears its event just after `close` has set it, so that the end of a run waited for ever."""

    events: list[threading.Event] = []

    class Cleared(threading.Event):
        def __init__(self) -> None:
            super().__init__()
            events.append(self)

        def clear(self) -> None:
            events[1].set()
            events[0].set()
            super().clear()

    monkeypatch.setattr(module, "SYNC_SECONDS", 0.05)
    store = ResponseStore(tmp_path / "s.sqlite")
    monkeypatch.setattr(module.threading, "Event", Cleared)
    store.put(KEY, "m", "{}", Response(id="1", response="A"))
    own = store._syncing
    assert own is not None
    own._thread.join(10)
    assert not own._thread.is_alive()
    store.close()


def test_the_first_of_two_answers_to_a_request_stays(tmp_path: Path) -> None:
    one, other = ResponseStore(tmp_path / "s.sqlite"), ResponseStore(tmp_path / "s.sqlite")
    first = one.put(KEY, "m", "{}", Response(id="1", response="A"))
    assert other.put(KEY, "m", "{}", Response(id="1", response="B")) == first == one.get(KEY)
    one.close()
    other.close()


@pytest.mark.parametrize("content", ["", "{", '{"id": "1"}', '{"id": "1", "response": 5}'])
def test_an_answer_that_is_none_is_named(tmp_path: Path, content: str) -> None:
    store = ResponseStore(tmp_path / "s.sqlite")
    store.put(KEY, "m", "{}", Response(id="1", response="A"))
    db = sqlite3.connect(tmp_path / "s.sqlite")
    with db:
        db.execute("UPDATE responses SET response = ?", [content])
    db.close()
    with pytest.raises(InputError, match=f"s.sqlite: is damaged .the answer {KEY} is no response"):
        store.get(KEY)
    if content in ("", "{"):
        with pytest.raises(InputError, match="is no JSON"):
            list(store.export())
    store.close()


def test_a_store_of_an_earlier_version_opens(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "s.sqlite")
    db.executescript("""
        PRAGMA journal_mode=WAL;
        CREATE TABLE responses (
            key TEXT PRIMARY KEY, model TEXT NOT NULL, created REAL NOT NULL, request TEXT NOT NULL, response TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX by_model ON responses (model, created);
        INSERT INTO responses VALUES ('k', 'm', 1.0, '{}', '{"id": "1", "response": "A", "finish_reason": "stop"}');
    """)
    db.close()
    store = ResponseStore(tmp_path / "s.sqlite")
    found = store.get("k")
    assert found is not None
    assert found.response == "A"
    store.close()
