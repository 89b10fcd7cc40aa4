"""Taking the last answer back."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from reviewing import TRUTHS, Client, Served, item_on, review
from tolman.review.modes.answering import answers
from tolman.review.projects import throughput
from tolman.review.store import HistoryEvent, Project, Submission, Task, Undone
from tolman.review.store.database import WITH_UNDONE

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
