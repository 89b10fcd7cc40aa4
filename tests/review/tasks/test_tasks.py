"""Tasks that several people take and finish at the same moment: nothing twice, nothing too often, and nobody waits.

Answers that may not rest on what was asked: marked, shown, left out where somebody wants that.

Taking the last answer back.
"""

import io
import json
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from reviewing import TRUTHS, Client, Serve, Served, answer_all, item_on, items, review
from tolman.features.review.compute import export_review_runs, export_reviewed
from tolman.features.review.config import ReviewConfig
from tolman.features.review.render import show_exported, show_marked
from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.modes.answering import answers
from tolman.review.projects import throughput
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.store import Assignment, Decision, HistoryEvent, Project, Submission, Task, Undone, User
from tolman.review.store.database import WITH_UNDONE
from tolman.review.tasks import assignments
from tolman.review.tasks.decisions import agreement, votes_of


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


def _marks(served: Served) -> dict[str, list[str]]:
    with served.site.database.read() as db:
        rows = db.execute(select(Task.key, Submission.marks).join(Task, Task.id == Submission.task_id))
        return {key.split("@")[0]: marks for key, marks in rows}


def _one_by_one(served: Served, project: int, fields: dict[str, dict[str, str]], name: str = "Sam") -> None:
    """Answer all questions, each with its own fields, a minute after it was asked unless it says otherwise."""
    sam = served.person("subject", name)
    for _ in items():
        page = sam.get(f"/projects/{project}/work")
        own = {"seconds": "30", "shown": "ready", "after": "60"} | fields.get(item_on(sam), {})
        served.clock.ahead += float(own.pop("after"))
        sam.post(page.url.path, answer="2" if "inputmode" in page.text else "B", **own)


FIELDS = {
    "count": {"seconds": "1.5"},
    "size": {"shown": "waiting"},
    "order": {"shown": "", "seconds": "2.9"},
    "which": {"after": "0"},  # the browser tells of half a minute that has not passed
}


def test_answers_are_marked_by_time_and_by_what_could_be_seen(served: Served) -> None:
    project = served.project("answer", least_seconds=3)
    _one_by_one(served, project, FIELDS)
    assert _marks(served) == {
        "count": ["fast"], "size": ["unseen"], "order": ["fast", "unseen"], "which": ["fast"], "pair": [], "script": [],
    }  # fmt: skip
    owner = served.person("owner", "Olga")
    progress = owner.get(f"/projects/{project}/progress").text
    assert "faster than 3 s" in progress
    assert re.search(r"Sam</th><td>6</td><td>3</td><td>2</td><td>4</td>", progress)


def test_without_a_least_time_nothing_is_too_fast(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer", least_seconds=0)
    _one_by_one(served_sqlite, project, FIELDS)
    assert {item for item, marks in _marks(served_sqlite).items() if marks} == {"order", "size"}


@pytest.mark.parametrize("database", [None])
def test_an_export_leaves_marked_answers_out_and_says_so(served: Served, tmp_path: Path) -> None:
    project = served.project("answer", least_seconds=3)
    _one_by_one(served, project, FIELDS)
    _one_by_one(served, project, {}, "Sue")
    with served.site.database.read() as db:
        found = db.get_one(Project, project)
        assert {name: len(own) for name, own in answers(db, found).items()} == {"Sam": 6, "Sue": 6}
    written = export_runs(served.site, tmp_path / "all")
    runs, marked = written.folders, written.marked
    assert [len(list(run.outcomes())) for run in runs] == [6, 6]
    told = "4 of 6 answers (3 faster than 3 s, 2 before the media had loaded)"
    assert marked == {"Sam": told}
    written = export_runs(served.site, tmp_path / "some", without_marked=True)
    runs, marked = written.folders, written.marked
    assert [{one.id for one in run.outcomes()} for run in runs] == [{"pair", "script"}, set(TRUTHS)]
    assert marked == {"Sam": told}
    assert runs[0].record().settings.model_settings["left_out"] == told


def test_the_command_says_what_it_left_out(served_sqlite: Served, benchmark: Path, tmp_path: Path) -> None:
    project = served_sqlite.project("answer", least_seconds=3)
    _one_by_one(served_sqlite, project, FIELDS)
    config = ReviewConfig(benchmark=str(benchmark), store=served_sqlite.site.settings.store)
    said = {}
    for without in (True, False):
        console = Console(file=io.StringIO(), width=200)
        written = export_review_runs(replace(config, runs=tmp_path / str(without), without_marked=without))
        show_marked(console, written)
        said[without] = console.file.getvalue()
    assert "Sam: left out 4 of 6 answers (3 faster than 3 s, 2 before the media had loaded)." in said[True]
    assert "--without-marked leaves them out" in said[False]


def test_reviewers_marked_answers_are_left_out_of_the_agreement(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    review(served.person("reviewer", "Ann"), project, order="C")  # at once, and no browser that tells of media
    bob = served.person("reviewer", "Bob")
    while (page := bob.get(f"/projects/{project}/work")).url.path.startswith("/review/"):
        served.clock.ahead += 60
        bob.post(f"{page.url.path}/answer", answer=TRUTHS[item_on(bob)], seconds=30, shown="ready")
        bob.post(f"{page.url.path}/decide", verdict="approve")
    votes = served.told(votes_of, project)
    assert {vote.person for vote in votes if vote.marks} == {"Ann"}
    assert (agreement(votes).with_truth, agreement(votes).marked) == (7 / 8, 0)
    left = agreement(votes, without_marked=True)
    assert (left.with_truth, left.marked, left.reviews) == (1.0, 6, 0)
    assert publish(served.site, tmp_path / "a", without_marked=True).marked == 6
    told = json.loads((tmp_path / "a" / "review.json").read_text())["agreement"]
    assert (told["marked"], told["reviews"]) == (6, 0)
    assert told["verdicts_alpha"] == {"value": None, "n": 0, "interval": None, "reason": "0 items"}


def test_reviewed_benchmarks_say_how_many_answers_are_marked(
    served_sqlite: Served, benchmark: Path, tmp_path: Path
) -> None:
    project = served_sqlite.project("review", people=1)
    review(served_sqlite.person("reviewer", "Ann"), project)
    config = ReviewConfig(benchmark=str(benchmark), store=served_sqlite.site.settings.store, export=tmp_path / "out")
    console = Console(file=io.StringIO(), width=200)
    show_exported(console, export_reviewed(config), as_json=False)
    assert "6 reviewers' answers are marked and count like all others" in console.file.getvalue()


def test_a_coefficient_of_few_questions_stands_with_n_and_without_an_interval(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    for name in ("Sam", "Sue"):
        person = served_sqlite.person("subject", name)
        page = person.get(f"/projects/{project}/work")
        person.post(page.url.path, answer="2" if "inputmode" in page.text else ("A" if name == "Sam" else "B"))
    owner = served_sqlite.person("owner", "Olga")
    text = owner.get(f"/projects/{project}/progress").text
    assert re.search(r"alpha of the answers</th><td>–</td><td>none: 1 item</td><td>1</td>", text)


def test_a_reported_task_goes_to_somebody_else_and_comes_back_when_it_is_mended(served: Served) -> None:
    project = served.project("review", people=1)
    ann, bob, owner = (served.person(r, n) for r, n in (("reviewer", "Ann"), ("reviewer", "Bob"), ("owner", "Olga")))
    path = ann.get(f"/projects/{project}/work").url.path
    item, number = item_on(ann), path.split("/")[-1]
    assert bob.post(f"/tasks/{number}/report").status_code == 404
    assert ann.post(f"{path}/answer", answer="A", shown="broken").status_code == 422
    ann.post(f"/tasks/{number}/report", note="all black")
    ann.post(f"/tasks/{number}/report", note="twice")
    assert ann.last.url.path != path
    assert ann.post(f"{path}/answer", answer="A").status_code == 409
    assert ann.get(path).status_code == 409
    assert item in review(bob, project)
    progress = owner.get(f"/projects/{project}/progress").text
    assert "all black" in progress
    assert "twice" not in progress
    assert ann.post(f"/projects/{project}/reported").status_code == 403
    owner.post(f"/projects/{project}/reported")
    with served.site.database.read() as db:
        assert db.scalar(select(Assignment.state).where(Assignment.id == int(number))) == "held"


def test_what_was_submitted_cannot_be_reported_away(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    sam = served_sqlite.person("subject", "Sam")
    path = sam.get(f"/projects/{project}/work").url.path
    sam.post(path, answer="2" if "inputmode" in sam.last.text else "B")
    sam.post(f"/tasks/{path.split('/')[-1]}/report")
    with served_sqlite.site.database.read() as db:
        assert db.scalar(select(Assignment.state).where(Assignment.id == int(path.split("/")[-1]))) == "done"
    assert len(answer_all(sam, project, {"count": "2", "size": "2"})) == len(items()) - 1


BACK = "Take my last answer back"


def _answer(client: Client, project: int) -> str:
    page = client.get(f"/projects/{project}/work")
    item = item_on(client)
    client.post(page.url.path, answer=TRUTHS[item], seconds=3, shown="ready")
    return item


@pytest.mark.full
def test_the_last_answer_is_taken_back_by_a_further_row(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    assert BACK not in sam.get(f"/projects/{project}/work").text
    first = _answer(sam, project)
    second = _answer(sam, project)
    assert BACK in sam.get(f"/projects/{project}/work").text
    shown = sam.post(f"/projects/{project}/undo")
    assert item_on(sam) == second
    assert 'value="3.0" data-seconds' in shown.text  # the time goes on
    with served.site.database.read() as db:
        assert set(answers(db, db.get_one(Project, project))["Sam"]) == {first}
        assert throughput(db, db.get_one(Project, project), 0).rows[0][1] == 1
        everything = select(Submission.attempt).order_by(Submission.id).execution_options(**{WITH_UNDONE: True})
        assert db.scalars(everything).all() == [0, 0]
        assert db.scalars(select(HistoryEvent.item).where(HistoryEvent.what == "taken back")).all() == [second]
    assert sam.post(f"/projects/{project}/undo").status_code == 409  # what came before it stands
    sam.post(shown.url.path, answer=TRUTHS[second], seconds=5, shown="ready")
    sam.post(shown.url.path, answer=TRUTHS[first], seconds=5, shown="ready")  # a double click is one answer still
    with served.site.database.read() as db:
        given = answers(db, db.get_one(Project, project))["Sam"]
        assert given[second] == (TRUTHS[second], 5.0)
        assert set(given) == {first, second}
        assert db.scalar(select(Submission.attempt).order_by(Submission.id.desc()).limit(1)) == 1
    assert served.person("subject", "Eve").post(f"/projects/{project}/undo").status_code == 409


@pytest.mark.full
def test_rows_of_what_was_taken_back_stay(served: Served) -> None:
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    _answer(sam, project)
    sam.post(f"/projects/{project}/undo")
    for table in (Undone, Submission):
        with pytest.raises(DBAPIError, match="only ever added"), served.site.database.write() as db:
            db.connection().exec_driver_sql(f"DELETE FROM {table.__tablename__}")


@pytest.mark.full
def test_a_project_can_forbid_it(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer", undo=0)
    sam = served_sqlite.person("subject", "Sam")
    _answer(sam, project)
    assert BACK not in sam.get(f"/projects/{project}/work").text
    assert sam.post(f"/projects/{project}/undo").status_code == 409


@pytest.mark.full
def test_labels_are_taken_back_and_their_task_is_open_again(served_sqlite: Served) -> None:
    project = served_sqlite.project("classify", people=1)
    ann = served_sqlite.person("annotator", "Ann")
    page = ann.get(f"/projects/{project}/work")
    chosen = dict(re.findall(r'name="(group-\w+)" value="([^"]+)"', page.text))
    ann.post(page.url.path, seconds=3, shown="ready", note="sure", **chosen)
    again = ann.post(f"/projects/{project}/undo")
    assert again.url.path == page.url.path
    assert "sure" in again.text
    assert again.text.count("checked") == 5
    with served_sqlite.site.database.read() as db:
        assert not db.scalars(select(Submission.id)).all()
        assert all(db.scalars(select(Task.open)))


@pytest.mark.full
def test_a_decision_stands_once_something_followed_from_it(served_sqlite: Served) -> None:
    project = served_sqlite.project("review", people=2)
    one, two = served_sqlite.person("reviewer", "One"), served_sqlite.person("reviewer", "Two")
    review(one, project, {})
    back = one.post(f"/projects/{project}/undo")
    assert 'value="approve" data-key="p" required checked' in back.text
    one.post(f"{back.url.path}/decide", verdict="approve", seconds=3)
    review(two, project, {})
    assert two.post(f"/projects/{project}/undo").status_code == 409  # the question is settled
    assert one.post(f"/projects/{project}/undo").status_code == 409
