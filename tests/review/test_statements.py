"""How many statements a page sends to its database, counted: each is a journey of its own on PostgreSQL, and many people
load pages at once. What begins and ends a transaction is counted as well, as are locks."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event, select

from reviewing import TRUTHS, Client, Served, item_on, review
from tolman.review.accounts import Person, belongs, set_members, workers
from tolman.review.store import Participant, Project, User

WHO = 1
"""Statements of every page: whose session it is."""


@contextmanager
def _counted(served: Served) -> Iterator[list[str]]:
    """The statements that are sent meanwhile; SQLite is told to begin by one, PostgreSQL's driver does that itself."""
    sent: list[str] = []
    engine = served.site.database.engine

    def executed(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(" ".join(statement.split()))

    event.listen(engine, "before_cursor_execute", executed)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", executed)


def _at_most(served: Served, client: Client, most: int, method: str, path: str, **fields: object) -> str:
    """Load a page or send a form within a number of statements; where it leads."""
    with _counted(served) as sent:
        answer = client.get(path, follow=False) if method == "GET" else client.post(path, follow=False, **fields)
    assert answer.status_code in (200, 204, 303), answer.text
    assert len(sent) <= most, "\n".join(sent)
    return answer.headers.get("location", "")


def test_pages_of_a_review_take_few_statements(served: Served) -> None:
    project = served.project("review", people=2)
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    locks = 1 if served.site.database.engine.dialect.name == "postgresql" else 0
    first = f"/projects/{project}/work"
    for who in (ann, bob):  # Bob's decision settles what Ann's left open
        path = _at_most(served, who, WHO + locks + 6, "GET", first)  # project, begun, two stages, others, insert
        _at_most(served, who, WHO + 6, "GET", path)  # task, submissions, done, two of the total, undo
        medium = re.search(r'src="(/media/\w+)', who.get(path).text)
        right = TRUTHS[item_on(who)]
        if medium is not None:
            _at_most(served, who, WHO + 1, "GET", medium.group(1))
        _at_most(served, who, WHO + locks + 3, "POST", f"{path}/answer/draft", answer=right)
        _at_most(served, who, WHO + locks + 4, "POST", f"{path}/answer", answer=right)  # the draft goes
        _at_most(served, who, WHO + 6, "GET", path)
        settling = 4 if who is bob else 0  # the task, the votes, the decision, its event
        most = WHO + 2 * locks + 7 + 5 + settling  # … and the next task, in the same transaction
        led_to = _at_most(served, who, most, "POST", f"{path}/decide", verdict="approve")
        assert led_to.startswith("/review/")


def test_the_people_of_a_restricted_project_are_found_by_one_statement(served: Served) -> None:
    number = served.project("review", people=1)
    for role, name in (("owner", "Olga"), ("reviewer", "Ann"), ("reviewer", "Bob"), ("reviewer", "Eve")):
        served.person(role, name)
    with served.site.database.write() as db:
        ids = {user.name: user.id for user in db.scalars(select(User))}
        project = db.get_one(Project, number)
        set_members(db, project, [ids["Ann"]], restricted=True)
        db.add(Participant(project_id=number, user_id=ids["Bob"], joined=0.0, seen=0.0))
        db.flush()
        everybody = [Person(user.id, user.name, user.role) for user in db.scalars(select(User).order_by(User.name))]
        with _counted(served) as sent:
            found = [one.name for one in workers(db, project, {"review": ("reviewer", "owner")})]
        assert len(sent) == 1, "\n".join(sent)
        assert found == [one.name for one in everybody if belongs(db, one, project)]
        assert {"Ann", "Bob", "Olga"} <= set(found)
        assert "Eve" not in found


def test_pages_of_the_human_baseline_take_few_statements(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    locks = 1 if served.site.database.engine.dialect.name == "postgresql" else 0
    path = _at_most(served, sam, WHO + locks + 4, "GET", f"/projects/{project}/work")
    for _ in range(2):
        _at_most(served, sam, WHO + 6, "GET", path)
        right = TRUTHS[item_on(sam)]
        path = _at_most(served, sam, WHO + locks + 7, "POST", path, answer=right)  # and the next task
        assert path.startswith("/answer/")


def test_a_page_takes_no_more_statements_where_much_is_done(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    counts = []
    for _ in range(4):
        with _counted(served) as sent:
            sam.get(path)
        counts.append(len(sent))
        path = sam.post(path, answer=TRUTHS[item_on(sam)]).url.path
    assert len(set(counts)) == 1, counts


def test_the_table_of_items_takes_as_many_statements_however_many_there_are(served: Served) -> None:
    project = served.project("review", people=2)
    owner = served.person("owner", "Olga")
    path = f"/projects/{project}/items"
    # The project, how many items, the page's ids, its rows, the labels, the people.
    assert _at_most(served, owner, WHO + 6, "GET", path) == ""
    review(served.person("reviewer", "Ann"), project)
    for sort in ("id", "state", "answers", "disagreement", "time", "models"):
        assert _at_most(served, owner, WHO + 6, "GET", f"{path}?sort={sort}&state=answered&text=o") == ""
    assert _at_most(served, owner, WHO + 16, "GET", f"{path}/1") == ""
    with _counted(served) as few:
        owner.post(f"{path}/act", follow=False, do="leave out", ids=1, reason="x")
    with _counted(served) as many:
        owner.post(f"{path}/act", follow=False, do="leave out", whole="true", reason="x")
    # Of each of four more its decision, and that in its history; all else is read and changed together.
    assert len(many) <= len(few) + 2 * 4 + 2, "\n".join(many)
