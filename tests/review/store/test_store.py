"""A database of an earlier version: opened with all that it holds, upgraded, restored from its backup.

Backup, destroy, restore.

Copies of pictures that are turned, mirrored or cut.

A rehearsal of the database.
"""

import hashlib
import io
import re
import shutil
import stat
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from PIL import Image, ImageOps
from sqlalchemy import func, select

from reviewing import TRUTHS, Served, answer_all, rows_of, serving, settings_of
from tolman.errors import InputError, UsageError
from tolman.review.accounts import hash_token
from tolman.review.accounts.protection import hash_now
from tolman.review.modes.answering import answers
from tolman.review.server_settings import sqlite_url
from tolman.review.store import Fact
from tolman.review.store.backup import back_up, restore, upgrade
from tolman.review.store.database import Database, bring_to, engine_of, rehearsal
from tolman.review.store.pool import copy_of

OLD, HEAD = "0001", "0010"
PASSWORD = "an old password"
ADDED = {
    "undone": ["reason"], "decisions": ["taken_back"], "items": ["missed"], "users": ["further"],
    "projects": ["restricted"], "invitations": ["revoked", "purpose"], "sessions": ["seen"], "submissions": ["marks"],
}  # fmt: skip
"""Columns since the first version."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def database(request: pytest.FixtureRequest) -> str | None:
    """The URL of a database without tables: None (a file in the store), then PostgreSQL."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres").create()


def _older(url: str) -> None:
    """A database as the first version left it: a project, a question that Sam answered, an invitation, an owner's link."""
    engine = engine_of(url)
    bring_to(engine, "head")
    with engine.begin() as db:
        op = Operations(MigrationContext.configure(db))
        for table, columns in ADDED.items():
            with op.batch_alter_table(table) as changed:
                for column in columns:
                    changed.drop_column(column)
        for table in ("acted", "acts", "members", "undone", "trials", "attempts", "starting", "participants"):
            op.drop_table(table)
        op.drop_index("ix_assignments_user_id_state", "assignments")
        with op.batch_alter_table("submissions") as changed:
            changed.drop_constraint("uq_submissions_assignment_id_step_attempt", type_="unique")
            changed.drop_column("attempt")
            changed.create_unique_constraint("uq_submissions_assignment_id_step", ["assignment_id", "step"])
        db.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{OLD}'")
        for row in (
            "users (name, role, password, active, created) VALUES ('owner', 'owner', NULL, true, 0)",
            f"users (name, role, password, active, created) VALUES ('Sam', 'subject', '{hash_now(PASSWORD)}', true, 0)",
            f"invitations (token, role, note, created, expires) VALUES ('{hash_token('join')}', 'subject', '', 0, 9e9)",
            f"invitations (token, role, note, user_id, created, expires) VALUES ('{hash_token('enter')}', 'owner', '', 1, 0, 9e9)",
            "sessions (id, user_id, created, expires) VALUES ('s', 1, 0, 9e9)",
            "projects (name, mode, benchmark, settings, open, created) VALUES ('Old', 'answer', 'b', '{}', true, 0)",
            "tasks (project_id, stage, key, position, wanted, open, content, created) VALUES (1, 'answer', 'count', 'x', NULL, true, '{}', 0)",
            "assignments (task_id, user_id, state, taken, expires, done) VALUES (1, 2, 'done', 0, 0, 1)",
            "submissions (assignment_id, task_id, user_id, step, key, content, seconds, created)"
            """ VALUES (1, 1, 2, 'answer', 'k', '{"answer": "3"}', 0.1, 1)""",
            "history (what, content, created) VALUES ('joined', '{}', 2)",
        ):
            db.exec_driver_sql(f"INSERT INTO {row}".replace("%", "%%"))
    engine.dispose()


def _signs_in(served: Served) -> int:
    sam = served.visitor()
    sam.get("/signin")
    return sam.post("/signin", name="Sam", password=PASSWORD).status_code


@pytest.mark.full
def test_a_database_of_an_earlier_version_opens_with_all_it_holds(
    benchmark: Path, tmp_path: Path, database: str | None
) -> None:
    from alembic.autogenerate import compare_metadata

    from tolman.review.store import Base

    (tmp_path / "store").mkdir()
    settings, clock = settings_of(benchmark, tmp_path / "store", database)
    _older(settings.url)
    with serving(settings, clock) as served:
        with served.site.database.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        assert served.told(answers, 1, without_marked=True) == {"Sam": {"count": ("3", 0.1)}}
        with pytest.raises(Exception, match="only ever added"), served.site.database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE submissions SET seconds = 1")
        assert _signs_in(served) == 200
        guest = served.visitor()
        assert "invited" in guest.get("/invitation/join").text
        assert guest.get("/enter/join").status_code == 404
        owner = served.visitor()
        owner.get("/enter/enter")
        assert "Start a project" in owner.post("/enter/enter").text
        people = owner.get("/people").text  # one role each, and links of which one is open still
        assert re.search(r"Sam</th><td>subject</td>", people)
        assert (people.count(">open</span>"), people.count(">used</span>")) == (1, 1)
        assert "some people only" not in owner.get("/").text
        progress = owner.get("/projects/1/progress").text
        assert re.search(r"Sam</th><td>1</td><td>0</td><td>0</td><td>0</td>", progress)


@pytest.mark.full
def test_an_earlier_version_is_backed_up_upgraded_and_restored(tmp_path: Path, database: str | None) -> None:
    store = tmp_path / "store"
    store.mkdir()
    url = database or sqlite_url(store)
    _older(url)
    before = rows_of(url)
    back_up(store, database, tmp_path / "b.tar", {})
    assert upgrade(store, database) == (OLD, HEAD)
    assert upgrade(store, database) == (HEAD, HEAD)
    (tmp_path / "again").mkdir()
    restore(tmp_path / "b.tar", tmp_path / "again", None, {})
    after, again = rows_of(url), rows_of(sqlite_url(tmp_path / "again"))
    assert [sum(purpose in row for row in again["invitations"]) for purpose in ("join", "enter")] == [1, 1]
    assert {name: len(rows) for name, rows in again.items()} == {name: len(rows) for name, rows in after.items()}
    for table in before.keys() - {"alembic_version"}:
        assert [row[: len(old)] for row, old in zip(after[table], before[table], strict=True)] == before[table], table


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    engine = engine_of(sqlite_url(tmp_path))
    bring_to(engine, "head")
    with engine.begin() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(InputError, match="another version"):
        bring_to(engine, "head")
    engine.dispose()


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


def _picture(seed: int) -> Image.Image:
    """A picture with things of several sizes."""
    colours = np.random.default_rng(seed).integers(0, 255, (9, 12, 3)).astype(np.uint8)
    return Image.fromarray(colours).resize((320, 240), Image.Resampling.BICUBIC)


def _file(image: Image.Image) -> bytes:
    made = io.BytesIO()
    image.save(made, "JPEG", quality=80)
    return made.getvalue()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda image: image.rotate(3), "turned by about 3°"),
        (lambda image: image.rotate(-8, expand=True), "turned by about 8°"),
        (ImageOps.mirror, "mirrored"),
        (lambda image: ImageOps.mirror(image).rotate(2), "turned by about 2° and mirrored"),
        (lambda image: image.crop((10, 8, 310, 232)), ""),
    ],
)
def test_a_changed_copy_is_found(change: object, told: str) -> None:
    assert callable(change)
    picture = _picture(1)
    copy = copy_of(_file(picture), _file(change(picture)))
    assert copy is not None
    assert copy.text == told


def test_another_picture_is_no_copy() -> None:
    assert copy_of(_file(_picture(1)), _file(_picture(2))) is None
    plain = _file(Image.new("RGB", (320, 240), "white"))
    assert copy_of(plain, plain) is None  # of one colour there is nothing to compare


def test_every_way_into_the_database_stays_in_a_rehearsal(tmp_path: Path) -> None:
    database, number = Database(f"sqlite:///{tmp_path / 'store.sqlite'}"), select(func.count()).select_from(Fact)
    ways = {name for name, way in vars(Database).items() if callable(way) and not name.startswith("_")}
    assert ways - {"alone", "close"} == {"read", "view", "look", "write", "write_for"}  # by `alone` it is made
    with rehearsal(database) as rehearsed:
        for write in (rehearsed.write, lambda: rehearsed.write_for(1)):
            with write() as db:
                db.add(Fact(name=str(db.scalar(number)), value=""))
        for read in (rehearsed.read, rehearsed.view, rehearsed.look):
            with read() as opened:
                assert opened.execute(number).scalar() == 2
    with database.read() as db:
        assert db.scalar(number) == 0
    database.close()
