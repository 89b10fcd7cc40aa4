"""Backups: all rows of a database and all files of its store in one tar archive, and back, on SQLite and PostgreSQL.

```
manifest.json            version of the tables and of Tolman, rows of each table, SHA-256 of each member
database/TABLE.jsonl     a row a line, a column a key, in the order of the primary key
store/…                  files of the store: media that items were made of, uploads, small pictures
pool/…, scenes/…         the media pool, and the scenes' corrections, where they are named
```

Rows are read in one transaction that sees one state, files after them: a file is there before a row names it, and no
file of the store is ever changed. A backup of one kind of database may be restored into the other.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any

from alembic.runtime.migration import MigrationContext
from sqlalchemy import JSON, Boolean, Connection, Engine, Integer, MetaData, Table, func, insert, select
from sqlalchemy.exc import DBAPIError

from tolman import __version__
from tolman.errors import InputError, UsageError
from tolman.files import atomic_write
from tolman.review.server_settings import FILE, sqlite_url
from tolman.review.store.database import SIGN_IN_LINKS, bring_to, engine_of, unusable

FORMAT = 1
_MANIFEST = "manifest.json"
_DATABASE = "database/"
_VERSION = "alembic_version"
_CHUNK = 1 << 20
_ROWS = 1000


@dataclass(frozen=True)
class Backup:
    """The contents of a backup.

    Attributes:
        file: the archive.
        version: of the tables.
        rows: of each table.
        files: number of files besides the database's rows.
        bytes: of those files.
    """

    file: Path
    version: str
    rows: dict[str, int]
    files: int
    bytes: int


def back_up(store: Path, database: str | None, out: Path, beside: Mapping[str, Path]) -> Backup:
    """Write a backup; the server may go on meanwhile.

    Args:
        store: a review's store.
        database: PostgreSQL's URL; SQLite in the store where None.
        out: the archive, which must not be there.
        beside: 'pool' and 'scenes' → their folders, where they are to be in it.

    Raises:
        UsageError: there is no review, or no database answers.
        InputError: the archive is there already.
    """
    if out.exists():
        raise InputError(out, "is there already", fix="name a new file")
    members: dict[str, dict[str, Any]] = {}
    rows: dict[str, int] = {}
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        _opened(store, database) as engine,
        atomic_write(out) as partial,
        _private(partial) as target,
        tarfile.open(fileobj=target, mode="w") as archive,
    ):
        with _one_state(engine) as connection:
            version = _version(connection)
            for table in _tables(connection):
                with tempfile.TemporaryFile() as lines:
                    rows[table.name] = _write_rows(connection, table, lines)
                    lines.seek(0)
                    _put(archive, f"{_DATABASE}{table.name}.jsonl", lines, members)
        for name, path in _files(store, beside):
            with path.open("rb") as content:
                _put(archive, name, content, members)
        manifest = {
            "format": FORMAT, "tolman": __version__, "tables": version, "written": int(time.time()),
            "rows": rows, "members": members,
        }  # fmt: skip
        _put(archive, _MANIFEST, io.BytesIO(json.dumps(manifest, indent=1).encode()), {})
    return _told(out, version, rows, members)


def restore(backup: Path, store: Path, database: str | None, beside: Mapping[str, Path]) -> Backup:
    """Restore everything: rows, keys and files, byte for byte. The server must not run.

    Args:
        backup: the archive.
        store: a folder that is not there, or empty.
        database: PostgreSQL's URL, of an empty database; SQLite in the store where None.
        beside: 'pool' and 'scenes' → the folders that are written; without an entry here, their members stay in the
            archive.

    Raises:
        UsageError: there is something already, or no database answers.
        InputError: the archive is none, or broken, or of a later version.
    """
    if store.is_dir() and any(store.iterdir()):
        raise UsageError(f"{store} holds something already; name an empty folder with --store.")
    for name, folder in beside.items():
        if name == "pool" and folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{folder} holds something already; name an empty folder with --pool.")
    manifest = _checked(backup)
    store.mkdir(parents=True, mode=0o700, exist_ok=True)
    with _engine(database or sqlite_url(store)) as engine:
        with engine.connect() as connection:
            if MigrationContext.configure(connection).get_current_revision() is not None:
                raise UsageError("the database holds tables already; name an empty one with --database.")
        bring_to(engine, manifest["tables"])
        with tarfile.open(backup) as archive:
            with engine.execution_options(writes=True).begin() as connection:
                for table in _tables(connection):
                    _read_rows(archive, connection, table)
                connection.execute(SIGN_IN_LINKS)
            for member in archive:
                target = _target(member.name, store, beside)
                if target is not None:
                    _write_file(archive, member, target)
    return _told(backup, manifest["tables"], manifest["rows"], manifest["members"])


def upgrade(store: Path, database: str | None) -> tuple[str, str]:
    """Bring a database to this version's tables; its version before, and now.

    Raises:
        UsageError: there is no review, or no database answers.
        InputError: the database was written by a later version.
    """
    with _opened(store, database) as engine:
        with engine.connect() as connection:
            before = _version(connection)
        bring_to(engine, "head")
        with engine.connect() as connection:
            return before, _version(connection)


def _opened(store: Path, database: str | None) -> AbstractContextManager[Engine]:
    if database is None and not (store / FILE).is_file():
        raise UsageError(f"no work is stored here yet: there is no {store / FILE}; name the folder with --store.")
    return _engine(database or sqlite_url(store))


@contextmanager
def _engine(url: str) -> Iterator[Engine]:
    engine = engine_of(url)
    try:
        yield engine
    except DBAPIError as error:
        raise unusable(error) from None
    finally:
        engine.dispose()


@contextmanager
def _one_state(engine: Engine) -> Iterator[Connection]:
    """A transaction all of whose statements see the same rows."""
    options = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    """A new file for its owner's eyes alone: it holds the key, and passwords' hashes."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        yield file


def _version(connection: Connection) -> str:
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        raise UsageError("the database holds no review.")
    return found


def _tables(connection: Connection) -> list[Table]:
    """Tables as they are in the database, whichever version made them; those that others refer to come first."""
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != _VERSION]


def _write_rows(connection: Connection, table: Table, out: IO[bytes]) -> int:
    count = 0
    ordered = select(table).order_by(*table.primary_key.columns)
    for row in connection.execution_options(yield_per=_ROWS).execute(ordered).mappings():
        out.write(json.dumps(dict(row), ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        count += 1
    return count


def _read_rows(archive: tarfile.TarFile, connection: Connection, table: Table) -> None:
    """Insert the rows of a table, and have new rows numbered after them."""
    try:
        lines = archive.extractfile(f"{_DATABASE}{table.name}.jsonl")
    except KeyError:
        lines = None
    with closing(lines or io.BytesIO()) as given:
        while part := [_typed(table, json.loads(line)) for line in islice(given, _ROWS)]:
            connection.execute(insert(table), part)
    keys = list(table.primary_key.columns)
    if connection.dialect.name == "postgresql" and len(keys) == 1 and isinstance(keys[0].type, Integer):
        numbers = func.pg_get_serial_sequence(table.name, keys[0].name)  # null where the key isn't numbered
        connection.execute(select(func.setval(numbers, func.max(keys[0]))))


def _typed(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as its columns' types take it: databases differ in truth values, and in JSON's null."""
    made = dict(row)
    for column in table.columns:
        if isinstance(column.type, Boolean) and made.get(column.name) is not None:
            made[column.name] = bool(made[column.name])
        if isinstance(column.type, JSON):
            column.type.none_as_null = True
    return made


def _files(store: Path, beside: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Name in the archive → file, in the order of their names; the database's own files aren't among them."""
    for name, folder in (("store", store), *sorted(beside.items())):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_symlink() or not path.is_file() or path.suffix == ".lock":
                continue
            if name == "store" and inside.name.startswith(FILE):
                continue
            if name == "scenes" and str(inside) != "corrections.json":
                continue
            yield f"{name}/{inside.as_posix()}", path


def _put(archive: tarfile.TarFile, name: str, content: IO[bytes], members: dict[str, dict[str, Any]]) -> None:
    content.seek(0, os.SEEK_END)
    info = tarfile.TarInfo(name)
    info.size, info.mode = content.tell(), 0o600
    content.seek(0)
    archive.addfile(info, content)
    content.seek(0)
    digest = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
    members[name] = {"bytes": info.size, "sha256": digest}


def _checked(backup: Path) -> dict[str, Any]:
    """Return the manifest of an archive, and check all members against it.

    Raises:
        InputError: a member differs.
    """
    try:
        with tarfile.open(backup) as archive:
            last = archive.extractfile(_MANIFEST)
            manifest: dict[str, Any] = json.load(last) if last else {}
            if manifest.get("format") != FORMAT:
                raise InputError(
                    backup, "is a backup of another format", fix="restore it with the version that wrote it"
                )
            seen = set()
            for member in archive:
                if member.name == _MANIFEST:
                    continue
                told, content = manifest["members"].get(member.name), archive.extractfile(member)
                if told is None or content is None:
                    raise InputError(backup, f"holds '{member.name}', which its manifest doesn't name")
                if hashlib.file_digest(content, "sha256").hexdigest() != told["sha256"]:  # type: ignore[arg-type]
                    raise InputError(backup, f"is broken: '{member.name}' is not what was written")
                seen.add(member.name)
    except (tarfile.TarError, OSError, KeyError, ValueError, EOFError) as error:
        raise InputError(
            backup, f"is no backup ({error})", fix="name a file that 'tolman review backup' wrote"
        ) from None
    missing = manifest["members"].keys() - seen
    if missing:
        raise InputError(backup, f"is broken: '{min(missing)}' is missing")
    return manifest


def _target(name: str, store: Path, beside: Mapping[str, Path]) -> Path | None:
    """Return the path at which a member of an archive is written; None where it isn't."""
    path = PurePosixPath(name)
    folder = {"store": store, **beside}.get(path.parts[0])
    if folder is None or len(path.parts) < 2:
        return None
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise InputError(name, "leads out of the folder")
    return folder.joinpath(*path.parts[1:])


def _write_file(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = archive.extractfile(member)
    assert content is not None
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, atomic_write(target) as partial, partial.open("wb") as out:
        shutil.copyfileobj(content, out, _CHUNK)


def _told(file: Path, version: str, rows: dict[str, int], members: Mapping[str, Mapping[str, Any]]) -> Backup:
    files = [told["bytes"] for name, told in members.items() if not name.startswith(_DATABASE)]
    return Backup(file, version, rows, len(files), sum(files))
