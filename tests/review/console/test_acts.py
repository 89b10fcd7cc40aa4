"""Acts on items: reopening, leaving out, taking in again, assigning; each undone as a whole, unless people went on."""

import html
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from reviewing import TRUTHS, Client, Served, answer_all, item_on, review
from tolman.item_table import read_items
from tolman.review.console import ItemFilter, acts, page_of
from tolman.review.console.acts import ActState, act_of
from tolman.review.projects.project_export import publish
from tolman.review.store import Assignment, Decision, HistoryEvent, ItemVersion, Submission, Task
from tolman.review.store.database import WITH_UNDONE


def _rows(served: Served, project: int) -> dict[str, Any]:
    found = served.told(page_of, project, ItemFilter(), served.clock()).rows
    return {row.item: row for row in found}


def _states(served: Served, project: int) -> dict[str, str]:
    return {name: row.state for name, row in _rows(served, project).items()}


def _act(owner: Client, served: Served, project: int, do: str, *names: str, **fields: Any) -> ActState:
    """Do something with some items by their names, or with all that match without any; what came of it."""
    rows = _rows(served, project)
    owner.get(f"/projects/{project}/items")
    data = {"csrf": owner.csrf, "do": do, "ids": [str(rows[name].version) for name in names], **fields}
    if not names:
        data["whole"] = "true"
    answer = owner.http.post(f"/projects/{project}/items/act", data=data, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    number = int(re.search(r"act=(\d+)", str(answer.url)).group(1))
    found = served.told(act_of, project, number)
    assert found is not None
    return found


def _undo(owner: Client, project: int, found: ActState) -> str:
    return owner.post(f"/projects/{project}/acts/{found.act.id}/undo").text


def _verdicts(served: Served, project: int) -> list[str]:
    with served.site.database.read() as db:
        own = select(Decision.verdict).join(ItemVersion, ItemVersion.id == Decision.item_id)
        return sorted(db.scalars(own.where(ItemVersion.project_id == project)))


@pytest.mark.full
def test_what_is_reopened_is_asked_again_of_further_people(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    owner = served.person("owner", "Olga")
    for name in ("Ann", "Bob"):
        review(served.person("reviewer", name), project)
    assert _verdicts(served, project) == ["approve"] * 6
    found = _act(owner, served, project, "reopen", "order", "count", reason="The lamp moved.")
    assert found.sentence == "2 questions reopened."
    assert _rows(served, project)["order"].wanted == 4
    assert _states(served, project)["order"] == "answered"
    assert _verdicts(served, project) == ["approve"] * 4
    publish(served.site, tmp_path / "out")
    assert {item.id for item in read_items(tmp_path / "out" / "items.parquet")} == set(TRUTHS) - {"order", "count"}
    told = json.loads((tmp_path / "out" / "review.json").read_text())
    assert told["verdicts"] == {"approve": 4, "undecided": 2}
    assert [event["what"] for event in told["items"]["order"]][-1] == "reopened"
    again = _act(owner, served, project, "reopen", "order", "size")
    assert again.sentence == "1 question reopened; 1 passed over (not settled)."
    cat, dan = served.person("reviewer", "Cat"), served.person("reviewer", "Dan")
    assert sorted(review(cat, project)) == ["count", "order", "size"]  # Ann and Bob have theirs in already
    review(dan, project, {"order": {"verdict": "discard", "reason": "no"}})
    assert _states(served, project)["count"] == "settled"
    assert (_rows(served, project)["order"].answers, _rows(served, project)["order"].wanted) == (4, 5)  # adjudication
    review(served.person("reviewer", "Eve"), project, {"order": {"verdict": "discard", "reason": "no"}})
    assert _states(served, project)["order"] == "left out"
    _act(owner, served, project, "reopen", "order")  # what an adjudicator settled, another one looks at
    assert (_rows(served, project)["order"].answers, _rows(served, project)["order"].wanted) == (5, 6)
    review(served.person("reviewer", "Fay"), project)
    assert _states(served, project)["order"] == "settled"
    log = [json.loads(line) for line in owner.get("/audit/events.jsonl").text.splitlines()]
    mine = [(event["who"], event["more"]["questions"]) for event in log if event["what"] == "reopened"]
    assert mine == [("Olga", 2), ("Olga", 1), ("Olga", 1)]
    assert log[-1]["more"].get("question") == "order"


@pytest.mark.full
def test_an_act_is_undone_as_a_whole_unless_people_went_on(served: Served) -> None:
    project = served.project("review", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    review(ann, project, {"order": {"verdict": "discard", "reason": "no"}})
    before = _states(served, project)
    found = _act(owner, served, project, "reopen")
    assert found.counts == {"done": 6}
    assert set(_states(served, project).values()) == {"answered"}
    assert "6 questions as they were before they were reopened." in _undo(owner, project, found)
    assert _states(served, project) == before
    assert "not done, or undone already" in _undo(owner, project, found)
    found = _act(owner, served, project, "reopen")
    bob = served.person("reviewer", "Bob")
    page = bob.get(f"/projects/{project}/work")
    named = item_on(bob)
    bob.post(f"{page.url.path}/answer", answer=TRUTHS[named], seconds=2)
    assert "People have answered 1 question of these meanwhile" in _undo(owner, project, found)
    assert _states(served, project)[named] == "leased"
    fields = {"verdict": "discard", "reason": "no"} if named == "order" else {"verdict": "approve"}  # as Ann did
    bob.post(f"{page.url.path}/decide", seconds=3, **fields)
    assert _states(served, project)[named] == before[named]
    events = served.scalars(select(HistoryEvent.what).where(HistoryEvent.item == "count"))
    assert events.count("reopened") == 2
    assert events.count("act undone") == 1  # the second act stands


@pytest.mark.full
def test_what_is_left_out_is_in_no_export_until_it_is_taken_in(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("reviewer", "Ann")
    page = ann.get(f"/projects/{project}/work")
    held = item_on(ann)
    other = next(name for name in sorted(TRUTHS) if name != held)
    refused = owner.post(f"/projects/{project}/items/act", do="leave out", ids=_rows(served, project)[held].version)
    assert "Give a reason for leaving them out." in refused.text
    found = _act(owner, served, project, "leave out", held, other, reason="Licence.")
    assert found.sentence == "2 questions left out."
    assert _states(served, project)[held] == _states(served, project)[other] == "left out"
    publish(served.site, tmp_path / "out", undecided=True)
    assert {item.id for item in read_items(tmp_path / "out" / "items.parquet")} == set(TRUTHS) - {held, other}
    assert json.loads((tmp_path / "out" / "review.json").read_text())["verdicts"] == {"discard": 2, "undecided": 4}
    # What Ann has begun is taken, though it settles nothing any more.
    ann.post(f"{page.url.path}/answer", answer=TRUTHS[held], seconds=2)
    ann.post(f"{page.url.path}/decide", verdict="approve", seconds=3)
    assert _states(served, project)[held] == "left out"
    assert _rows(served, project)[held].answers == 1
    assert "People have answered 1 question" in _undo(owner, project, found)
    taken = _act(owner, served, project, "take in")
    assert taken.sentence == "2 questions taken in; 4 passed over (not left out by the owner)."
    assert _states(served, project)[other] == "waiting"
    row = _rows(served, project)[held]
    assert (row.state, row.answers, row.wanted) == ("answered", 1, 2)  # one more settles it
    review(served.person("reviewer", "Bob"), project)
    assert _states(served, project)[held] == "settled"
    second = _act(owner, served, project, "leave out", other, reason="Licence.")
    third = _act(owner, served, project, "take in", other)
    assert "changed again since" in _undo(owner, project, second)
    _undo(owner, project, third)
    assert _states(served, project)[other] == "left out"
    _undo(owner, project, second)
    assert _states(served, project)[other] == "settled"


@pytest.mark.parametrize("database", [None])
def test_items_are_given_to_somebody(served: Served) -> None:
    project = served.project("review", people=1)
    owner = served.person("owner", "Olga")
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    people = {one.name: one.id for one in served.told(acts.workers, project)}
    assert set(people) >= {"Ann", "Bob"}
    ann.get(f"/projects/{project}/work")
    held = item_on(ann)
    found = _act(owner, served, project, "assign", person=people["Bob"])
    assert found.sentence == "5 questions assigned; 1 passed over (no place free for them)."
    served.clock.ahead = 3 * 3600.0
    assert item_on_work(served.person("reviewer", "Cat"), project) == held  # Ann left it; the others are kept for Bob
    assert set(review(bob, project)) == set(TRUTHS) - {held}
    assert "People have answered 5 questions" in _undo(owner, project, found)
    refused = owner.post(f"/projects/{project}/items/act", do="assign", whole="true")
    assert refused.status_code == 409
    assert "Choose somebody who may work" in refused.text


def item_on_work(client: Client, project: int) -> str:
    """What somebody is given."""
    client.get(f"/projects/{project}/work")
    return item_on(client)


@pytest.mark.full
@pytest.mark.parametrize("database", [None])
def test_undoing_an_assignment_frees_the_places(served: Served) -> None:
    project = served.project("review", people=1)
    owner, bob = served.person("owner", "Olga"), served.person("reviewer", "Bob")
    person = next(one.id for one in served.told(acts.workers, project) if one.name == "Bob")
    found = _act(owner, served, project, "assign", person=person)
    assert set(_states(served, project).values()) == {"leased"}
    open_still = bob.get(f"/projects/{project}/work").url.path
    named = item_on(bob)
    _undo(owner, project, found)
    assert set(_states(served, project).values()) == {"waiting"}
    ann = served.person("reviewer", "Ann")
    assert sorted(review(ann, project)) == sorted(TRUTHS)
    bob.post(f"{open_still}/answer", answer=TRUTHS[named], seconds=2)  # what he had begun counts beside hers
    bob.post(f"{open_still}/decide", verdict="approve", seconds=3)
    assert _rows(served, project)[named].answers == 2
    assert _verdicts(served, project) == ["approve"] * 6


def test_everybody_is_asked_everything_in_a_baseline(served_sqlite: Served) -> None:
    project = served_sqlite.project("answer")
    owner = served_sqlite.person("owner", "Olga")
    answer_all(served_sqlite.person("subject", "Sam"), project, TRUTHS)
    refused = owner.post(f"/projects/{project}/items/act", do="assign", whole="true", person=1)
    assert "everybody is asked all of theirs" in refused.text
    found = _act(owner, served_sqlite, project, "reopen")
    assert found.sentence == "0 questions reopened; 6 passed over (not settled)."
    assert not found.can_undo
    nothing = owner.post(f"/projects/{project}/items/act", do="reopen")
    assert "No question is chosen" in nothing.text
    assert owner.post(f"/projects/{project}/items/act", do="explode", whole="true").status_code == 422


@pytest.mark.parametrize("database", [None])
def test_many_questions_are_changed_part_after_part(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    project = served.project("review", people=1)
    owner = served.person("owner", "Olga")
    monkeypatch.setattr(acts, "PART", 2)
    monkeypatch.setattr(acts, "resume", lambda site, stopped=None: None)  # a server that is killed at once
    found = _act(owner, served, project, "leave out", reason="All of it.")
    assert (found.act.state, found.counts) == ("doing", {"waiting": 6})
    assert "Under way" in owner.get(f"/projects/{project}/items?act={found.act.id}").text
    second = owner.post(f"/projects/{project}/items/act", do="reopen", whole="true")
    assert "Another act is under way here." in second.text
    assert acts.next_part(served.site, found.act.id)
    assert list(_states(served, project).values()).count("left out") == 2
    monkeypatch.undo()
    monkeypatch.setattr(acts, "PART", 2)
    thread = acts.resume(served.site)  # what the next one begins with
    thread.join(120)
    assert list(_states(served, project).values()).count("left out") == 6
    assert acts.resume(served.site) is None
    monkeypatch.setattr(acts, "resume", lambda site, stopped=None: None)
    _undo(owner, project, found)
    assert acts.next_part(served.site, found.act.id)
    review(served.person("reviewer", "Ann"), project)  # answers what is there again while the rest is being undone
    assert acts.next_part(served.site, found.act.id)
    while acts.next_part(served.site, found.act.id):
        pass
    assert sorted(_states(served, project).values()) == ["settled"] * 2 + ["waiting"] * 4
    with served.site.database.read() as db:
        ends = db.execute(select(HistoryEvent.what, HistoryEvent.content).where(HistoryEvent.item.is_(None))).all()
    assert [content["questions"] for what, content in ends if what in ("left out", "act undone")] == [6, 6]
    assert next(content for what, content in ends if what == "left out")["filter"] == "all"


@pytest.mark.full
def test_answers_and_acts_at_the_same_moment_lose_nothing(served: Served) -> None:
    """Reviewers decide while the owner reopens and leaves out again and again: every decision is kept and counts, and
    each item is decided on or asked."""
    project = served.project("review", people=2)
    owner = served.person("owner", "Olga")
    people = [served.person("reviewer", name) for name in ("Ann", "Bob", "Cat", "Dan")]
    stop = threading.Event()

    def interfere() -> None:
        while not stop.is_set():
            for do in ("reopen", "leave out", "take in"):
                _act(owner, served, project, do, reason="Again.")

    thread = threading.Thread(target=interfere, daemon=True)
    thread.start()
    with ThreadPoolExecutor(len(people)) as pool:
        seen = [one.result() for one in [pool.submit(review, client, project) for client in people]]
    stop.set()
    thread.join(60)
    assert not thread.is_alive()
    _act(owner, served, project, "take in")
    with served.site.database.read() as db:
        everything = select(func.count()).select_from(Submission).where(Submission.step == "decide")
        assert db.scalar(everything.execution_options(**{WITH_UNDONE: True})) == sum(len(own) for own in seen)
        assert db.scalar(everything) == sum(len(own) for own in seen)
        twice = db.execute(
            select(Assignment.task_id, Assignment.user_id).group_by(Assignment.task_id, Assignment.user_id)
            .having(func.count() > 1)
        ).all()  # fmt: skip
        assert not twice
        full = db.scalars(
            select(Task.id).where(
                Task.open,
                select(func.count()).select_from(Assignment)
                .where(Assignment.task_id == Task.id, Assignment.state == "done").scalar_subquery() >= Task.wanted,
            )
        ).all()  # fmt: skip
        assert not full  # no open task that nobody could ever finish
        asked = select(Task.item_id).where(Task.open)
        decided = select(Decision.item_id)
        lost = select(ItemVersion.item).where(ItemVersion.id.not_in(asked), ItemVersion.id.not_in(decided))
        assert not db.scalars(lost).all()  # no item that is neither decided on nor asked


def test_what_its_person_takes_back_stays_left_out_until_it_is_taken_in(served_sqlite: Served) -> None:
    served = served_sqlite
    project = served.project("classify", people=1)
    owner, ann = served.person("owner", "Olga"), served.person("annotator", "Ann")
    page = ann.get(f"/projects/{project}/work")
    named = item_on(ann)
    ann.post(page.url.path, seconds=3, **dict(re.findall(r'name="(group-\w+)" value="(\w+)"', page.text)))
    assert _states(served, project)[named] == "settled"
    _act(owner, served, project, "leave out", named, reason="Licence.")
    ann.get("/")
    assert ann.post(f"/projects/{project}/undo").status_code == 200
    assert _states(served, project)[named] == "left out"
    assert item_on_work(ann, project) != named
    _act(owner, served, project, "take in", named)
    served.clock.ahead = 3 * 3600.0
    assert _states(served, project)[named] == "waiting"  # Ann's lease is over


def test_a_filter_goes_with_the_act_whatever_it_holds(served: Served) -> None:
    project = served.project("review", people=1)
    owner = served.person("owner", "Olga")
    path = f"/projects/{project}/items"
    odd = "日本語" * 60
    shown = owner.get(path, params={"text": odd, "state": "waiting", "sort": "time", "order": "down"})
    query = html.unescape(re.search(r'name="query" value="([^"]*)"', shown.text).group(1))
    assert "No item fits." in shown.text
    sent = owner.post(f"{path}/act", do="leave out", whole="true", reason="x", query=query)
    assert (sent.status_code, "No question is chosen" in sent.text) == (409, True)
    assert html.unescape(re.search(r'name="query" value="([^"]*)"', sent.text).group(1)) == query
    for bad in ("state=nowhere", "sort=nothing"):
        assert owner.post(f"{path}/act", do="reopen", whole="true", query=bad).status_code == 422
    nul = owner.post(f"{path}/act", do="reopen", whole="true", query="text=%00&page=99999999")
    assert nul.status_code == 409
    found = owner.post(f"{path}/act", do="leave out", whole="true", reason="x", query="label=motion")
    assert "2 questions left out." in found.text
    assert "label=motion&act=" in str(found.url)
