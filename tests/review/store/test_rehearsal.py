from tolman.review.store.database import Database, Rehearsal


def test_every_way_into_the_database_has_its_own_in_a_rehearsal() -> None:
    ways = {name for name, way in vars(Database).items() if callable(way) and not name.startswith("_")}
    assert {"read", "view", "look", "write", "write_for"} <= ways
    assert ways - set(vars(Rehearsal)) == {"alone", "sessions_on"}  # by these a rehearsal is made
