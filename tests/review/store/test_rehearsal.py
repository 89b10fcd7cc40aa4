"""A rehearsal of the database."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import func, select

from tolman.review.store import Fact
from tolman.review.store.database import Database, rehearsal


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
