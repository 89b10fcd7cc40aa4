"""Items of a project as a table: what the database filters, sorts and counts.

Acts on one piece of work: leases that are taken and given, submissions that are voided.
"""

import html
import json
import re
import statistics
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import TRUTHS, Client, Serve, Served, answer_all, item_on, items, review
from tolman.item_table import read_items
from tolman.review.console import SORTS, STATES, ItemFilter, labels_of, page_of
from tolman.review.modes.answering import answers
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.projects.project_files import times_table
from tolman.review.projects.study_projects import start_study
from tolman.review.store import Assignment, Decision, HistoryEvent, ItemVersion, Project, Submission, Task, Undone, User
from tolman.review.store.database import WITH_UNDONE
from tolman.review.studies import Study
from tolman.review.studies.study_records import records
from tolman.review.tasks.decisions import agreement, votes_of
from tolman.runs.run_folder import RunFolder
from tolman.scoring.agreement_coefficients import observed_agreement


def rows_of(served: Served, project: int, **chosen: Any) -> list[Any]:
    """The rows of a filter's page."""
    return served.told(page_of, project, ItemFilter(**chosen), served.clock()).rows


def names_of(served: Served, project: int, **chosen: Any) -> list[str]:
    """The ids of the items of a filter's page."""
    return [row.item for row in rows_of(served, project, **chosen)]


def test_states_of_a_review(served: Served) -> None:
    project = served.project("review", people=2)
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    assert {row.state for row in rows_of(served, project)} == {"waiting"}
    ann.get(f"/projects/{project}/work")
    first = item_on(ann)
    assert names_of(served, project, state="leased") == [first]
    review(ann, project, {"which": {"verdict": "flag", "target": "item", "reason": "odd"}})
    assert names_of(served, project, state="flagged") == ["which"]
    assert sorted(names_of(served, project, state="answered")) == sorted(set(TRUTHS) - {"which"})
    review(
        bob, project, {"order": {"verdict": "discard", "reason": "no"}, "pair": {"verdict": "discard", "reason": "no"}}
    )
    by_item = {row.item: row for row in rows_of(served, project)}
    assert {name: row.state for name, row in by_item.items()} == {
        "count": "settled", "size": "settled", "script": "settled", "which": "flagged", "order": "answered",
        "pair": "answered",
    }  # fmt: skip
    assert (by_item["count"].answers, by_item["count"].wanted) == (2, 2)
    assert (by_item["order"].answers, by_item["order"].wanted) == (2, 3)  # an adjudicator is asked
    review(served.person("reviewer", "Cat"), project, {"order": {"verdict": "discard", "reason": "no"}})
    assert names_of(served, project, state="left out") == ["order"]
    assert [len(rows_of(served, project, state=state)) for state in STATES] == [0, 0, 0, 4, 1, 1, 0]


def test_texts_labels_and_wildcards(served: Served) -> None:
    project = served.project("answer")
    assert served.told(labels_of, project) == sorted({item.task for item in items()})
    assert names_of(served, project, text="CHAIRS") == ["count"]
    assert names_of(served, project, text="siz") == ["size"]  # the id and the label
    assert sorted(names_of(served, project, label="motion")) == ["script", "which"]
    assert names_of(served, project, label="motion", text="camera") == ["which"]
    assert names_of(served, project, text="%") == names_of(served, project, text="o_ject") == []
    assert names_of(served, project, text="object_s") == ["size"]


def test_figures_are_those_of_the_answers(served: Served) -> None:
    project = served.project("answer")
    given = {"Sam": {"order": "A"}, "Tom": {"order": "A", "which": "B"}, "Una": {"order": "C"}}
    clients: list[Client] = []
    for name, differing in given.items():
        clients.append(served.person("subject", name))
        answer_all(clients[-1], project, TRUTHS | differing)
    with served.site.database.read() as db:
        found: dict[str, list[tuple[str, float]]] = {}
        for key, content, seconds in db.execute(
            select(Task.key, Submission.content, Submission.seconds).join(Submission, Submission.task_id == Task.id)
        ):
            found.setdefault(key, []).append((content["answer"], seconds))
    for row in rows_of(served, project):
        assert (row.answers, row.wanted) == (3, None)
        assert row.seconds == pytest.approx(statistics.median(seconds for _, seconds in found[row.item]))
        answers = [answer for answer, _ in found[row.item]]
        pairs = [(a, b) for i, a in enumerate(answers) for b in answers[i + 1 :]]
        agreed = observed_agreement([a for a, _ in pairs], [b for _, b in pairs])
        assert agreed is not None
        expected = None if row.item in ("count", "size") else pytest.approx(1 - agreed)  # numbers are no choices
        assert row.disagreement == expected
    clients[2].get(f"/projects/{project}/work")
    clients[2].post(f"/projects/{project}/undo")  # what was taken back counts nowhere
    assert sorted(row.answers for row in rows_of(served, project)) == [2, 3, 3, 3, 3, 3]


def test_each_column_sorts_and_nothing_known_comes_last(served: Served) -> None:
    project = served.project("classify", people=2)
    with served.site.database.write() as db:
        for number, version in enumerate(db.scalars(select(ItemVersion).order_by(ItemVersion.item))):
            version.missed = None if number == 0 else number % 3
    for sort in SORTS:
        up, down = names_of(served, project, sort=sort), names_of(served, project, sort=sort, order="down")
        assert sorted(up) == sorted(down) == sorted(TRUTHS)
    by_models = rows_of(served, project, sort="models", order="down")
    assert [row.missed for row in by_models] == [2, 2, 1, 1, 0, None]
    assert names_of(served, project, sort="id", order="down") == sorted(TRUTHS, reverse=True)


def test_pages_are_cut_by_the_database(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    project = served.project("answer")
    monkeypatch.setattr("tolman.review.console.ROWS", 4)
    whole = [served.told(page_of, project, ItemFilter(page=page), 0.0) for page in (1, 2, 99)]
    assert [(len(one.rows), one.found, one.page, one.pages) for one in whole] == [
        (4, 6, 1, 2),
        (2, 6, 2, 2),
        (2, 6, 2, 2),
    ]
    assert [row.item for one in whole[:2] for row in one.rows] == sorted(TRUTHS)


def test_labels_are_compared_as_a_whole(served: Served) -> None:
    project = served.project("classify", people=2)
    for name in ("Ann", "Bob"):
        client = served.person("annotator", name)
        page = client.get(f"/projects/{project}/work")
        fields: dict[str, str] = {}
        for group in ("category", *_groups(page.text)):
            values = _values(page.text, group)
            fields[f"group-{group}"] = values[-1 if group == "category" and name == "Bob" else 0]
        assert client.post(page.url.path, **fields).url.path != page.url.path
    found = {row.item: (row.answers, row.disagreement) for row in rows_of(served, project)}
    assert sorted(found.values(), key=str) == [(0, None)] * 5 + [(2, 1.0)]


def _groups(page: str) -> set[str]:
    return set(re.findall(r'name="group-(\w+)"', page)) - {"category"}


def _values(page: str, group: str) -> list[str]:
    return [html.unescape(value) for value in re.findall(rf'name="group-{group}" value="([^"]+)"', page)]


def test_queries_of_addresses_leave_out_what_is_usual() -> None:
    chosen = ItemFilter(text="a b", state="left out", page=3)
    assert chosen.query() == "text=a+b&state=left+out"
    assert chosen.query(page=2) == "text=a+b&state=left+out&page=2"
    assert ItemFilter().query() == ""
    assert chosen.sorted_by("time") == "text=a+b&state=left+out&sort=time"
    assert ItemFilter(sort="time").sorted_by("time") == "sort=time&order=down"
    assert ItemFilter(sort="time", order="down").sorted_by("time") == "sort=time"


def _rows(served: Served, project: int) -> dict[str, Any]:
    return {row.item: row for row in served.told(page_of, project, ItemFilter(), served.clock()).rows}


def _submission(served: Served, project: int, item: str, person: str, step: str) -> int:
    """The number of somebody's standing submission."""
    with served.site.database.read() as db:
        chosen = (
            select(Submission.id).join(Task, Task.id == Submission.task_id).join(User, User.id == Submission.user_id)
            .where(Task.project_id == project, User.name == person, Submission.step == step)
            .where(Task.item_id == _rows(served, project)[item].version)
        )  # fmt: skip
        return db.scalars(chosen).one()


def _void(owner: Client, served: Served, project: int, item: str, submission: int, **fields: Any) -> str:
    version = _rows(served, project)[item].version
    owner.get(f"/projects/{project}/items/{version}")
    sent = {"reason": "Not looked at."} | fields
    return owner.post(f"/projects/{project}/items/{version}/void", submission=submission, **sent).text


@pytest.mark.parametrize("database", [None])
def test_a_voided_answer_is_in_no_run_and_is_asked_again(served: Served, tmp_path: Path) -> None:
    project = served.project("answer")
    owner, sam = served.person("owner", "Olga"), served.person("subject", "Sam")
    answer_all(sam, project, TRUTHS | {"order": "D"})
    answer_all(served.person("subject", "Tom"), project, TRUTHS)
    assert _rows(served, project)["order"].disagreement == 1.0
    number = _submission(served, project, "order", "Sam", "answer")
    assert "Give a reason." in _void(owner, served, project, "order", number, reason=" ")
    page = _void(owner, served, project, "order", number, again="true")
    assert "1 question voided." in page
    assert re.search(r"taken back</span> by Olga, [^<]*UTC: <span class=\"text\">Not looked at.", page)
    assert "There is no such submission" in _void(owner, served, project, "order", number)
    row = _rows(served, project)["order"]
    assert (row.answers, row.disagreement) == (1, None)
    with served.site.database.read() as db:
        found = db.get_one(Project, project)
        assert set(answers(db, found)["Sam"]) == set(TRUTHS) - {"order"}
        assert times_table(db, found).count("\r\n" if "\r\n" in times_table(db, found) else "\n") == 1 + 11
        gone = db.scalars(select(Undone)).one()
        assert (gone.submission_id, gone.reason) == (number, "Not looked at.")
        assert db.get_one(User, gone.user_id).name == "Olga"
        told = db.scalars(
            select(HistoryEvent.content).where(HistoryEvent.what == "voided", HistoryEvent.item == "order")
        )
        assert told.one()["submission"] == number
    export_runs(served.site, tmp_path / "runs")
    responses = {one.id: one for one in RunFolder(tmp_path / "runs" / "Sam").outcomes()}
    assert set(responses) == set(TRUTHS) - {"order"}
    assert answer_all(sam, project, TRUTHS) == ["order"]  # and nothing else
    assert _rows(served, project)["order"].answers == 2
    with served.site.database.read() as db:
        assert answers(db, db.get_one(Project, project))["Sam"]["order"][0] == TRUTHS["order"]
        steps = select(Submission.attempt)
        assert sorted(db.scalars(steps.execution_options(**{WITH_UNDONE: True}))).count(1) == 1


@pytest.mark.full
def test_a_decision_that_rests_on_what_was_voided_is_taken_back(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    owner = served.person("owner", "Olga")
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    review(ann, project)
    review(bob, project, {"which": {"verdict": "discard", "reason": "no"}})
    assert _rows(served, project)["order"].state == "settled"
    path = _path(served, project, "order", "Bob")
    number = _submission(served, project, "order", "Bob", "answer")
    assert "They have seen the answer since" in _void(owner, served, project, "order", number, again="true")
    page = _void(owner, served, project, "order", number)
    assert page.count("taken back</span> by Olga") == 2  # the decision goes with the answer that it rests on
    assert re.search(r"<td>approve</td><td>people agreed</td><td[^>]*></td><td>by Olga", page)
    row = _rows(served, project)["order"]
    assert (row.state, row.answers, row.wanted) == ("answered", 1, 2)
    publish(served.site, tmp_path / "out")
    assert "order" not in {item.id for item in read_items(tmp_path / "out" / "items.parquet")}
    with served.site.database.read() as db:
        votes = votes_of(db, db.get_one(Project, project))
        assert {vote.person for vote in votes if vote.item == "order"} == {"Ann"}
        assert agreement(votes).reviews == 5
    refused = bob.get(path)
    assert refused.status_code == 409
    assert "The owner asks somebody else" in refused.text
    assert bob.post(f"{path}/decide", verdict="approve").status_code == 409  # a form that comes again doesn't count
    # A disagreement whose vote is voided ends its adjudication, and the next disagreement begins it again.
    assert _rows(served, project)["which"].wanted == 3
    _void(owner, served, project, "which", _submission(served, project, "which", "Bob", "decide"))
    assert _rows(served, project)["which"].wanted == 2
    cat = served.person("reviewer", "Cat")
    assert sorted(review(cat, project, {"which": {"verdict": "flag", "target": "item", "reason": "odd"}})) == [
        "order",
        "which",
    ]
    assert _rows(served, project)["order"].state == "settled"
    assert _rows(served, project)["which"].wanted == 3
    assert review(served.person("reviewer", "Dan"), project) == ["which"]
    assert sorted(served.scalars(select(Decision.verdict))) == ["approve"] * 6


def _path(served: Served, project: int, item: str, person: str) -> str:
    with served.site.database.read() as db:
        own = (
            select(Assignment.id).join(Task, Task.id == Assignment.task_id).join(User, User.id == Assignment.user_id)
            .where(User.name == person, Task.item_id == _rows(served, project)[item].version)
        )  # fmt: skip
        return f"/review/{db.scalars(own).one()}"


def test_a_decision_alone_is_given_again_by_the_same_person(served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("review", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    review(ann, project)
    _void(owner, served, project, "order", _submission(served, project, "order", "Ann", "decide"), again="true")
    assert _rows(served, project)["order"].state == "leased"
    page = ann.get(f"/projects/{project}/work")
    assert "/decide" in page.text
    assert item_on(ann) == "order"
    ann.post(f"{page.url.path}/decide", verdict="discard", reason="no", seconds=9)
    assert _rows(served, project)["order"].state == "left out"


def test_what_made_a_new_version_is_not_voided(served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("review", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    old = _rows(served, project)["order"].version
    revised = {"verdict": "revise", "reason": "r", "question": "What comes first?", "options": "a\nb", "answer": "A"}
    page = ann.get(f"/projects/{project}/work")
    while item_on(ann) != "order":
        ann.post(f"{page.url.path}/answer", answer=TRUTHS[item_on(ann)], seconds=2)
        ann.post(f"{page.url.path}/decide", verdict="approve", seconds=3)
        page = ann.get(f"/projects/{project}/work")
    ann.post(f"{page.url.path}/answer", answer="B", seconds=2)
    ann.post(f"{page.url.path}/decide", seconds=3, **revised)
    assert _rows(served, project)["order"].version != old
    with served.site.database.read() as db:
        number = db.scalars(select(Submission.id).order_by(Submission.id.desc()).limit(1)).one()
    shown = owner.get(f"/projects/{project}/items/{old}").text
    assert "Void it" not in shown
    assert "not asked any more" in shown
    sent = owner.post(f"/projects/{project}/items/{old}/void", submission=number, reason="x")
    assert sent.status_code == 409
    assert "A new version of the question came of it." in sent.text
    listed = owner.post(f"/projects/{project}/items/act", do="reopen", ids=old, query="")
    assert "No question is chosen" in listed.text


@pytest.mark.full
def test_a_lease_is_released_and_given_to_somebody_else(served: Served) -> None:
    project = served.project("review", people=1)
    owner = served.person("owner", "Olga")
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    path = ann.get(f"/projects/{project}/work").url.path
    held = item_on(ann)
    version = _rows(served, project)[held].version
    shown = owner.get(f"/projects/{project}/items/{version}").text
    assert "Take it from Ann" in shown
    people = {html.unescape(name): value for value, name in re.findall(r'<option value="(\d+)">([^<]+)', shown)}
    number = re.search(r'name="assignment" value="(\d+)"', shown).group(1)
    given = owner.post(f"/projects/{project}/items/{version}/lease", assignment=number, person=people["Bob"])
    assert "1 question assigned." in given.text
    assert "Take it from Bob" in given.text
    bob.get(f"/projects/{project}/work")
    assert item_on(bob) == held
    ann.get(f"/projects/{project}/work")
    assert item_on(ann) != held
    again = owner.post(f"/projects/{project}/items/{version}/lease", assignment=number)
    assert again.status_code == 409
    assert "Nobody holds this any more" in again.text
    act = re.search(r"/acts/(\d+)/undo", given.text).group(1)
    assert "as they were before they were assigned" in owner.post(f"/projects/{project}/acts/{act}/undo").text
    assert "Take it from Ann" in owner.get(f"/projects/{project}/items/{version}").text
    released = owner.post(f"/projects/{project}/items/{version}/lease", assignment=number)
    assert "1 question released." in released.text
    ann.post(f"{path}/answer", answer=TRUTHS[held], seconds=2)  # what she had begun is kept
    ann.post(f"{path}/decide", verdict="approve", seconds=3)
    assert _rows(served, project)[held].state == "settled"
    own = owner.post(f"/projects/{project}/items/{version}/lease", assignment=99999)
    assert "There is no such lease." in own.text
    missing = owner.post(f"/projects/{project}/items/99999/lease", assignment=number)
    assert missing.status_code == 404


def test_who_had_a_question_is_not_given_it(served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("review", people=2)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    review(ann, project)
    bob = served.person("reviewer", "Bob")
    bob.get(f"/projects/{project}/work")
    held = item_on(bob)
    version = _rows(served, project)[held].version
    shown = owner.get(f"/projects/{project}/items/{version}").text
    people = {name: value for value, name in re.findall(r'<option value="(\d+)">([^<]+)', shown)}
    number = re.search(r'name="assignment" value="(\d+)"', shown).group(1)
    refused = owner.post(f"/projects/{project}/items/{version}/lease", assignment=number, person=people["Ann"])
    assert refused.status_code == 409
    assert "can&#39;t be given this question" in refused.text
    assert "Take it from Bob" in owner.get(f"/projects/{project}/items/{version}").text  # nothing has changed


@pytest.mark.full
def test_a_question_that_is_left_out_is_asked_again_only_once_it_is_taken_in(served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("review", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    review(ann, project)
    version = _rows(served, project)["order"].version
    number = _submission(served, project, "order", "Ann", "decide")
    owner.get(f"/projects/{project}/items/{version}")
    act = {"ids": version, "back": version, "reason": "Licence."}
    assert "1 question left out." in owner.post(f"/projects/{project}/items/act", do="leave out", **act).text
    _void(owner, served, project, "order", number)
    assert _rows(served, project)["order"].state == "left out"
    bob = served.person("reviewer", "Bob")
    assert review(bob, project) == []
    assert "1 question taken in." in owner.post(f"/projects/{project}/items/act", do="take in", **act).text
    assert review(bob, project) == ["order"]
    assert _rows(served, project)["order"].state == "settled"


@pytest.mark.full
def test_a_voided_answer_of_a_study_is_none_in_its_record(served_sqlite: Served) -> None:
    served = served_sqlite
    with served.site.database.write() as db:
        part = {"sample": {"people": 1, "by": None}}
        project = start_study(db, served.site, Study.model_validate({"title": "S", "parts": [part]}))[0].id
    owner, stu = served.person("owner", "Olga"), served.person("subject", "Stu")
    stu.get(f"/projects/{project}/work")
    stu.post(f"/studies/{project}", agreed="yes")

    def answer_one() -> str:
        page = stu.get(f"/projects/{project}/work")
        item = item_on(stu)
        stu.post(page.url.path, answer=TRUTHS[item], seconds=3, shown="ready")
        return item

    first = answer_one()
    number = _submission(served, project, first, "Stu", "answer")
    assert "1 question voided." in _void(owner, served, project, first, number, again="true")
    assert answer_one() == first  # they are still in the study
    for _ in range(len(TRUTHS) - 1):
        last = answer_one()
    assert "/end" in stu.get(f"/projects/{project}/work").url.path
    number = _submission(served, project, last, "Stu", "answer")
    assert "Their part in the study has ended." in _void(owner, served, project, last, number, again="true")
    assert "1 question voided." in _void(owner, served, project, last, number)
    (record,) = served.told(records, project)
    assert set(record.answers) == set(TRUTHS) - {last}
    assert "/end" in stu.get(f"/projects/{project}/work").url.path  # nothing is asked of them again


def test_a_question_that_is_being_written_goes_to_somebody_else(
    benchmark: Path, pool_folder: Path, serve: Serve
) -> None:
    served = serve(benchmark, pool=pool_folder)
    project = served.project("write", questions=1)
    owner = served.person("owner", "Olga")
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    assert {row.state for row in _rows(served, project).values()} == {"not asked"}
    assert "Being made now" not in owner.get(f"/projects/{project}/items").text
    path = ann.get(f"/projects/{project}/work").url.path
    assert "Nothing is left to do" in bob.get(f"/projects/{project}/work").text
    shown = owner.get(f"/projects/{project}/items").text
    assert "question-1" in shown
    number = re.search(r'name="assignment" value="(\d+)"', shown).group(1)
    person = re.search(r'<option value="(\d+)">Bob', shown).group(1)
    after = owner.post(f"/projects/{project}/slots", assignment=number, person=person)
    assert "Take it from Bob" in after.text
    assert bob.get(f"/projects/{project}/work").url.path.startswith("/write/")
    assert "Nothing is left to do" in ann.get(f"/projects/{project}/work").text
    assert ann.get(path).status_code == 200  # what she has begun is not lost
    again = owner.post(f"/projects/{project}/slots", assignment=number)
    assert (again.status_code, "Nobody holds this any more" in again.text) == (409, True)
    log = [json.loads(line) for line in owner.get("/audit/events.jsonl").text.splitlines()]
    assert log[-1]["more"] == {"task": "question-1", "released": "Ann", "person": "Bob"}
