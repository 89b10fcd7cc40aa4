"""Review: blind answers, decisions, adjudication, new versions."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from reviewing import TEXTS, TRUTHS, Served, item_on, review
from tolman.review.accounts import Person
from tolman.review.store import (
    Assignment,
    Decision,
    Flag,
    HistoryEvent,
    ItemVersion,
    Project,
    Submission,
    Task,
    User,
)
from tolman.review.tasks import finish
from tolman.review.tasks.assignments import take
from tolman.review.tasks.decisions import agreement, votes_of


@pytest.mark.full
def test_reviewers_agree_disagree_and_an_adjudicator_decides(served: Served) -> None:
    project = served.project("review", people=2)
    ann, bob, cat = (served.person("reviewer", name) for name in ("Ann", "Bob", "Cat"))
    assert sorted(review(ann, project, {"order": {"verdict": "discard", "reason": "unclear"}})) == sorted(TRUTHS)
    assert len(review(bob, project, order="C")) == len(TRUTHS)
    with served.site.database.read() as db:
        assert db.scalar(select(func.count()).select_from(Decision)) == 5
        assert list(db.scalars(select(Task.key).where(Task.stage == "adjudicate"))) == ["order@1"]
    page = cat.get(f"/projects/{project}/work")
    assert "unclear" in page.text
    assert "having answered C" in page.text
    assert "Ann" not in page.text
    assert ann.get(f"/projects/{project}/work").url.path.endswith("/work")  # not the one who reviewed it
    cat.post(f"{page.url.path}/decide", verdict="approve", seconds=1)
    with served.site.database.read() as db:
        final = db.scalars(select(Decision).order_by(Decision.id.desc())).first()
        assert (final.verdict, final.user_id is not None) == ("approve", True)
        found = agreement(votes_of(db, db.get_one(Project, project)))
    assert found.reviews == 6
    assert found.with_truth == 7 / 8
    assert [(one, other, n) for one, other, n, _ in found.pairs] == [("Ann", "Bob", 6)]
    assert "Krippendorff" in cat.get(f"/projects/{project}/progress").text


@pytest.mark.full
def test_a_revision_is_a_new_version_that_others_review(served: Served) -> None:
    project = served.project("review", people=1)
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    better = {
        "verdict": "revise", "reason": "the door comes first", "question": "What is seen first?",
        "options": "the lamp\nthe sofa\nthe door\nthe bed", "answer": "C", "reasoning": "",
    }  # fmt: skip
    review(ann, project, {"order": better})
    TEXTS["What is seen first?"] = "order"
    try:
        assert review(bob, project, order="C") == ["order"]
    finally:
        del TEXTS["What is seen first?"]
    with served.site.database.read() as db:
        versions = list(db.scalars(select(ItemVersion).where(ItemVersion.item == "order").order_by(ItemVersion.id)))
        assert [(v.version, v.current, v.content["answer"], v.origin) for v in versions] == [
            (1, False, "B", "benchmark"), (2, True, "C", "revised")
        ]  # fmt: skip
        whats = list(
            db.scalars(select(HistoryEvent.what).where(HistoryEvent.item == "order").order_by(HistoryEvent.id))
        )
    assert whats == ["review", "decided", "review", "decided"]


def test_the_truth_comes_after_the_answer_only(served_sqlite: Served) -> None:
    project = served_sqlite.project("review", people=1)
    ann = served_sqlite.person("reviewer", "Ann")
    page = ann.get(f"/projects/{project}/work")
    for secret in ("Because it is", "level-", "s/left", "s/right", "s/pictures"):
        assert secret not in page.text
    refused = ann.post(f"{page.url.path}/decide", verdict="approve")
    assert "Because it is" not in refused.text
    item = item_on(ann)
    after = ann.post(f"{page.url.path}/answer", answer=TRUTHS[item])
    assert f"Because it is {TRUTHS[item]}." in after.text
    ann.post(f"{page.url.path}/answer", answer="1" if item in ("count", "size") else "A")  # a second thought
    with served_sqlite.site.database.read() as db:
        assert db.scalar(select(Submission.content))["answer"] == TRUTHS[item]


@pytest.mark.full
def test_decisions_that_are_none_are_refused_with_a_sentence(served_sqlite: Served) -> None:
    project = served_sqlite.project("review", people=1)
    ann = served_sqlite.person("reviewer", "Ann")
    page = ann.get(f"/projects/{project}/work")
    path, item = page.url.path, item_on(ann)
    ann.post(f"{path}/answer", answer=TRUTHS[item])
    for wrong, sentence in (
        ({}, "Choose what to do"),
        ({"verdict": "explode"}, "Choose what to do"),
        ({"verdict": "discard"}, "Give a reason"),
        ({"verdict": "flag", "reason": "x", "target": "moon"}, "Say what the flag is about"),
        ({"verdict": "revise", "reason": "x", "question": ""}, "The question is empty"),
        ({"verdict": "revise", "reason": "x", "question": "?", "answer": "no", "options": "a\nb"}, "The answer"),
    ):
        answer = ann.post(f"{path}/decide", **wrong)
        assert answer.status_code == 422
        assert sentence in answer.text


def test_a_flag_is_raised_once(served: Served) -> None:
    project = served.project("review", people=1)
    ann = served.person("reviewer", "Ann")
    review(ann, project, {"count": {"verdict": "flag", "reason": "a chair is missing", "target": "scene"}})
    with served.site.database.read() as db:
        assert [(f.target, f.reason, f.open) for f in db.scalars(select(Flag))] == [
            ("scene", "a chair is missing", True)
        ]


def test_many_at_once_take_no_slot_twice(served: Served) -> None:
    project_id = served.project("review", people=2)
    names = [f"reviewer {number}" for number in range(10)]
    with served.site.database.write() as db:
        users = [User(name=name, role="reviewer", password=None, created=0.0) for name in names]
        db.add_all(users)
        db.flush()
        people = [Person(user.id, user.name, user.role) for user in users]

    def take_all(me: Person) -> int:
        taken = 0
        while True:
            with served.site.database.write() as db:
                own = take(db, served.site, db.get_one(Project, project_id), me, ["review"])
                if own is None:
                    return taken
                taken += 1
                finish(db, served.site, own)

    with ThreadPoolExecutor(len(people)) as pool:
        assert sum(pool.map(take_all, people)) == 2 * len(TRUTHS)
    with served.site.database.read() as db:
        slots = db.execute(select(Assignment.task_id, Assignment.slot)).all()
    assert len(set(slots)) == len(slots) == 2 * len(TRUTHS)
    assert {slot for _, slot in slots} == {0, 1}


def test_a_draft_belongs_to_the_step_it_was_entered_in(served: Served) -> None:
    project = served.project("review", people=1)
    ann = served.person("reviewer", "Ann")
    path = ann.get(f"/projects/{project}/work").url.path
    value = TRUTHS[item_on(ann)]
    ann.post(f"{path}/decide/draft", verdict="revise", question="It is too early for this")
    ann.post(f"{path}/answer/draft", answer=value)
    assert re.search(f'value="{value}"(?: size="10"|.* checked)', ann.get(path).text)
    asked = _question_entered(ann.post(f"{path}/answer", answer=value).text)
    assert asked.endswith("?")
    ann.post(f"{path}/answer/draft", answer=value)  # sent before the answer, and overtaken by it
    assert _question_entered(ann.get(path).text) == asked
    ann.post(f"{path}/decide/draft", verdict="revise", question="What is it?")
    assert _question_entered(ann.get(path).text) == "What is it?"


def _question_entered(page: str) -> str:
    found = re.search('<textarea[^>]* name="question"[^>]*>(.*?)</textarea>', page, re.S)
    assert found is not None
    return found.group(1)
