"""Backup, destroy, restore."""

from __future__ import annotations

import hashlib
import shutil
import stat
import tarfile
from pathlib import Path
from typing import Any

import pytest

from reviewing import TRUTHS, Served, answer_all, rows_of, serving, settings_of
from tolman.errors import InputError, UsageError
from tolman.review.server_settings import sqlite_url
from tolman.review.store.backup import back_up, restore
from tolman.review.store.database import bring_to, engine_of


def _bytes(folder: Path) -> dict[str, str]:
    """File → hash, of all but the database's own."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("review.sqlite")
    }


def _worked(served: Served, store: Path) -> None:
    project = served.project("answer", "A")
    answer_all(served.person("subject", "Jané"), project, TRUTHS)
    served.visitor().get("/signin")
    (store / "media").mkdir(exist_ok=True)
    (store / "media" / "kept.jpg").write_bytes(bytes(range(256)) * 300)
    (store / "small").mkdir(exist_ok=True)
    (store / "small" / "empty.jpg").write_bytes(b"")


@pytest.mark.full
def test_what_was_destroyed_comes_back_to_the_byte(benchmark: Path, tmp_path: Path, request: Any) -> None:
    store, pool = tmp_path / "store", tmp_path / "pool"
    (pool / "uploads").mkdir(parents=True)
    (pool / "uploads" / "a.jpg").write_bytes(b"added by somebody")
    settings, clock = settings_of(benchmark, store, None)
    with serving(settings, clock) as served:
        _worked(served, store)
        written = back_up(store, None, tmp_path / "b.tar", {"pool": pool})  # while the server runs
        rows, files, key = rows_of(settings.url), _bytes(store), served.site.key
    assert stat.S_IMODE((tmp_path / "b.tar").stat().st_mode) == 0o600
    assert written.rows["submissions"] == 6
    assert written.files == 3
    shutil.rmtree(store)
    shutil.rmtree(pool)
    restore(tmp_path / "b.tar", store, None, {"pool": pool})
    assert rows_of(settings.url) == rows
    assert _bytes(store) == files
    assert (pool / "uploads" / "a.jpg").read_bytes() == b"added by somebody"
    with serving(settings, clock) as served:  # and it goes on: the same key, new rows after the old
        assert served.site.key == key
        answer_all(served.person("subject", "Next"), 1, TRUTHS)


@pytest.mark.full
@pytest.mark.parametrize("there", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
@pytest.mark.parametrize("back", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def test_a_backup_goes_from_either_database_to_either(
    benchmark: Path, tmp_path: Path, request: Any, there: str, back: str
) -> None:
    def url(kind: str) -> str | None:
        return None if kind == "sqlite" else request.getfixturevalue("postgres").create()

    settings, clock = settings_of(benchmark, tmp_path / "store", url(there))
    with serving(settings, clock) as served:
        _worked(served, tmp_path / "store")
    rows = rows_of(settings.url)
    back_up(tmp_path / "store", settings.database, tmp_path / "b.tar", {})
    again, clock = settings_of(benchmark, tmp_path / "again", url(back))
    restore(tmp_path / "b.tar", tmp_path / "again", again.database, {})
    assert rows_of(again.url) == rows
    assert _bytes(tmp_path / "again") == _bytes(tmp_path / "store")
    with serving(again, clock) as served:  # numbers of new rows go on after the old ones
        answer_all(served.person("subject", "Next"), 1, TRUTHS)


def test_nothing_is_restored_over_something_or_from_something_else(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    engine = engine_of(sqlite_url(store))
    bring_to(engine, "head")
    engine.dispose()
    back_up(store, None, tmp_path / "b.tar", {})
    with pytest.raises(InputError, match="is there already"):
        back_up(store, None, tmp_path / "b.tar", {})
    with pytest.raises(UsageError, match="holds something already"):
        restore(tmp_path / "b.tar", store, None, {})
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(InputError, match="is no backup"):
        restore(tmp_path / "text", tmp_path / "new", None, {})
    with tarfile.open(tmp_path / "b.tar", "a") as archive:
        archive.add(tmp_path / "text", "store/../../outside")
    with pytest.raises(InputError, match="doesn't name"):
        restore(tmp_path / "b.tar", tmp_path / "new", None, {})
    broken = bytearray((tmp_path / "b.tar").read_bytes())
    place = broken.index(b'"version_num"') if b'"version_num"' in broken else 600
    broken[place] ^= 1
    (tmp_path / "c.tar").write_bytes(broken)
    with pytest.raises(InputError):
        restore(tmp_path / "c.tar", tmp_path / "new", None, {})
    assert not (tmp_path / "new").exists()
