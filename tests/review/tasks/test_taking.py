"""Tasks that several people take and finish at the same moment: nothing twice, nothing too often, and nobody waits."""

from __future__ import annotations

import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, text

from reviewing import TRUTHS, Client, Serve, Served, item_on
from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.store import Assignment, Decision, HistoryEvent, Project, Submission, Task, User
from tolman.review.tasks import assignments


@pytest.fixture
def served_postgres(benchmark: Path, postgres: Any, serve: Serve) -> Served:
    """A running server on PostgreSQL, for what only it lets happen at once."""
    return serve(benchmark, postgres.create())


def _people(served: Served, number: int) -> list[Person]:
    with served.site.database.write() as db:
        users = [User(name=f"reviewer {n}", role="reviewer", password=None, created=0.0) for n in range(number)]
        db.add_all(users)
        db.flush()
        return [Person(user.id, user.name, user.role) for user in users]


def _take(served: Served, db: Any, project: int, me: Person) -> Assignment | None:
    return assignments.take(db, served.site, db.get_one(Project, project), me, ["review", "adjudicate"])


def _in_thread(do: Any) -> threading.Thread:
    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    return thread


def test_two_who_take_at_the_same_moment_get_different_tasks_and_neither_waits(served_postgres: Served) -> None:
    project = served_postgres.project("review", people=1)
    ann, bob = _people(served_postgres, 2)
    taken: list[int] = []
    with served_postgres.site.database.write_for(ann.id) as db:
        first = _take(served_postgres, db, project, ann)

        def other() -> None:
            with served_postgres.site.database.write_for(bob.id) as db:
                own = _take(served_postgres, db, project, bob)
                taken.append(own.task_id)

        _in_thread(other).join(120)
        assert len(taken) == 1  # while the first transaction is open still
    assert taken[0] != first.task_id


def test_a_slot_that_was_given_away_meanwhile_is_not_given_again(
    served_postgres: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = served_postgres.project("review", people=1)
    ann, bob = _people(served_postgres, 2)
    assign, given = assignments.assign, []

    def late(db: Any, site: Any, task: int, wanted: int | None, me: Person, now: float) -> Assignment | None:
        """Another has been given the task since it was found, as if it had been found from an older state."""
        if not given:
            own = Assignment(task_id=task, user_id=ann.id, slot=0, state="held", taken=now, expires=now + 60)
            db.add(own)
            db.flush()
            given.append(task)
        return assign(db, site, task, wanted, me, now)

    monkeypatch.setattr(assignments, "assign", late)
    with served_postgres.site.database.write_for(bob.id) as db:
        own = _take(served_postgres, db, project, bob)
    assert given
    assert own.task_id != given[0]


def test_one_person_in_several_tabs_is_given_one_task(served: Served) -> None:
    project = served.project("review", people=2)
    served.person("reviewer", "Ann")
    tabs = []
    for _ in range(4):
        tab = served.visitor()
        tab.http.cookies.set("tolman", served._clients[0].cookies["tolman"])
        tabs.append(tab)
    with ThreadPoolExecutor(len(tabs)) as pool:
        given = list(pool.map(lambda tab: tab.get(f"/projects/{project}/work").url.path, tabs))
    assert len(set(given)) == 1
    assert given[0].startswith("/review/")


def test_many_who_write_for_themselves_take_no_slot_twice_and_leave_none(served: Served) -> None:
    project = served.project("review", people=2)
    people = _people(served, 6)

    def work_through(me: Person) -> int:
        done = 0
        while True:
            with served.site.database.write_for(me.id) as db:
                own = _take(served, db, project, me)
                number = None if own is None else own.id
            if number is None:
                with served.site.database.write() as db:  # none is certain here only
                    if _take(served, db, project, me) is None:
                        return done
                continue
            with served.site.database.write_for(me.id, number) as db:
                tasks.finish(db, served.site, db.get_one(Assignment, number))
            done += 1

    with ThreadPoolExecutor(len(people)) as pool:
        assert sum(pool.map(work_through, people)) == 2 * len(TRUTHS)
    with served.site.database.read() as db:
        slots = db.execute(select(Assignment.task_id, Assignment.slot)).all()
        assert not db.scalars(select(Task.id).where(Task.open)).all()
    assert len(set(slots)) == len(slots) == 2 * len(TRUTHS)


def test_nothing_left_is_said_when_it_is_certain(served_postgres: Served) -> None:
    """A task that another transaction has locked is passed over at first, and waited for where there is no other."""
    project = served_postgres.project("review", people=2)
    with served_postgres.site.database.write() as db:
        for task in db.scalars(select(Task).order_by(Task.id).offset(1)).all():
            task.open = False
    ann = _people(served_postgres, 1)[0]
    bob = served_postgres.person("reviewer", "Bob")
    where: list[str] = []
    with served_postgres.site.database.write_for(ann.id) as db:
        assert _take(served_postgres, db, project, ann) is not None
        asked = _in_thread(lambda: where.append(bob.get(f"/projects/{project}/work").url.path))
        asked.join(0.5)
        assert where == []  # the answer waits for whoever has the task now
    asked.join(120)
    assert where[0].startswith("/review/")


def test_who_writes_anything_waits_for_those_who_write_for_themselves(served_postgres: Served) -> None:
    entered = threading.Event()

    def anything() -> None:
        with served_postgres.site.database.write() as db:
            db.scalar(select(func.count()).select_from(Task))  # its first statement takes the lock
            entered.set()

    with served_postgres.site.database.write_for(1), served_postgres.site.database.write_for(2):
        thread = _in_thread(anything)
        assert not entered.wait(0.3)
    thread.join(120)
    assert entered.is_set()


def _reviewed(client: Client, project: int) -> str:
    """Take a question and answer it; its page."""
    page = client.get(f"/projects/{project}/work")
    client.post(f"{page.url.path}/answer", answer=TRUTHS[item_on(client)], seconds=2)
    return page.url.path


@pytest.mark.full
def test_two_who_decide_at_the_same_moment_settle_once(served: Served) -> None:
    project = served.project("review", people=2)
    with served.site.database.write() as db:
        for task in db.scalars(select(Task).order_by(Task.id).offset(1)).all():
            task.open = False
    both = [served.person("reviewer", name) for name in ("Ann", "Bob")]
    paths = [_reviewed(client, project) for client in both]
    with ThreadPoolExecutor(4) as pool:
        sent = [
            pool.submit(client.post, f"{path}/decide", verdict="approve", seconds=2)
            for client, path in zip(both, paths, strict=True)
            for _ in range(2)
        ]
        assert {answer.result().status_code for answer in sent} == {200}
    with served.site.database.read() as db:
        assert db.scalar(select(func.count()).select_from(Decision)) == 1
        assert db.scalar(select(func.count()).where(HistoryEvent.what == "decided")) == 1
        steps = Counter(db.scalars(select(Submission.step)))
    assert steps == {"answer": 2, "decide": 2}


def test_a_decision_leads_to_the_next_question_and_so_does_its_double(served: Served) -> None:
    project = served.project("review", people=1)
    ann = served.person("reviewer", "Ann")
    path = _reviewed(ann, project)
    led = {ann.post(f"{path}/decide", follow=False, verdict="approve").headers["location"] for _ in range(2)}
    assert len(led) == 1
    following = led.pop()
    assert re.fullmatch(r"/review/\d+", following)
    assert following != path
    assert ann.get(f"/projects/{project}/work").url.path == following
    with served.site.database.write() as db:
        db.get_one(Project, project).open = False
    path = _reviewed_without_work(ann, following)
    assert ann.post(f"{path}/decide", follow=False, verdict="approve").headers["location"].endswith("/work")


def _reviewed_without_work(client: Client, path: str) -> str:
    client.get(path)
    client.post(f"{path}/answer", answer=TRUTHS[item_on(client)], seconds=2)
    return path


def test_pages_that_read_leave_prepared_statements_alone(served_postgres: Served) -> None:
    """The driver forgets all that it has prepared when a transaction is rolled back, as one that only reads may be."""
    database = served_postgres.site.database
    for _ in range(10):
        with database.read() as db:
            db.scalar(select(func.count()).select_from(Task))
    with database.read() as db:
        assert db.scalar(text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%count(*)%tasks%'"))
        assert db.scalar(text("SHOW transaction_isolation")) == "repeatable read"  # one state for all that is read
