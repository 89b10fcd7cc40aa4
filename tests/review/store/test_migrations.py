"""A database of an earlier version: opened with all that it holds, upgraded, restored from its backup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations

from reviewing import Served, rows_of, serving, settings_of
from tolman.errors import InputError
from tolman.review.accounts import hash_token
from tolman.review.accounts.protection import hash_now
from tolman.review.modes.answering import answers
from tolman.review.server_settings import sqlite_url
from tolman.review.store.backup import back_up, restore, upgrade
from tolman.review.store.database import bring_to, engine_of

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
