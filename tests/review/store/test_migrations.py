"""Databases of earlier versions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

import tolman.review.store
from reviewing import Served, serving, settings_of
from tolman.review.accounts import hash_token
from tolman.review.accounts.protection import hash_now
from tolman.review.modes.answering import answers
from tolman.review.store.schema import Project

FIRST = "0001"
PASSWORD = "an old password"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str | None:
    """The URL of a database without tables: None (a file in the store), then PostgreSQL."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres").create()


def _older(url: str) -> None:
    """A database as the first version left it: a project, a question that Sam answered, an invitation, an owner's link."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    config = Config()
    config.set_main_option("script_location", str(Path(tolman.review.store.__file__).parent / "migrations"))
    with engine.begin() as db:
        config.attributes["connection"] = db
        command.upgrade(config, FIRST)
        for row in (
            "users (name, role, password, active, created) VALUES ('owner', 'owner', NULL, true, 0)",
            f"users (name, role, password, active, created) VALUES ('Sam', 'subject', '{hash_now(PASSWORD)}', true, 0)",
            f"invitations (token, role, note, user_id, created, expires) VALUES ('{hash_token('join')}', 'subject', '', NULL, 0, 9e9)",
            f"invitations (token, role, note, user_id, created, expires) VALUES ('{hash_token('enter')}', 'owner', '', 1, 0, 9e9)",
            "projects (name, mode, benchmark, settings, open, created) VALUES ('Old', 'answer', 'b', '{}', true, 0)",
            "tasks (project_id, stage, key, position, wanted, open, content, created) VALUES (1, 'answer', 'count', 'x', NULL, true, '{}', 0)",
            "assignments (task_id, user_id, state, taken, expires, done) VALUES (1, 2, 'done', 0, 0, 1)",
            "submissions (assignment_id, task_id, user_id, step, key, content, seconds, created)"
            """ VALUES (1, 1, 2, 'answer', 'k', '{"answer": "3"}', 0.1, 1)""",
        ):
            db.exec_driver_sql(f"INSERT INTO {row}".replace("%", "%%"))
    engine.dispose()


def _signs_in(served: Served) -> int:
    sam = served.visitor()
    sam.get("/signin")
    return sam.post("/signin", name="Sam", password=PASSWORD).status_code


def test_a_database_of_the_first_version_opens_with_all_it_holds(
    benchmark: Path, tmp_path: Path, database: str | None
) -> None:
    (tmp_path / "store").mkdir()
    settings, clock = settings_of(benchmark, tmp_path / "store", database)
    _older(settings.url)
    with serving(settings, clock) as served:
        with served.site.database.read() as db:
            assert answers(db, db.get_one(Project, 1), without_marked=True) == {"Sam": {"count": ("3", 0.1)}}
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
