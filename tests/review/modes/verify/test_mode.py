"""Verify: proposing, validating alone, a third person, models' answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from sqlalchemy import select

from reviewing import TRUTHS, Client, Serve, Served, item_on, items, make_benchmark, run_model, serving, settings_of
from tolman.curate.asking import Reply
from tolman.curate.candidates import Candidate, write_lines
from tolman.curate.stages import Verdict, review_row
from tolman.errors import InputError
from tolman.item_table import read_items, write_items
from tolman.items import Item, Media
from tolman.review.accounts import AccountError, Person
from tolman.review.console import ItemFilter, acts, page_of
from tolman.review.evidence import (
    EvidenceError,
    KeyFrame,
    foreseen_unfit,
    read_checklist,
    read_frames,
    read_opinions,
    write_frames,
)
from tolman.review.modes.answer_approval import pairs_of, standings
from tolman.review.projects.project_export import publish
from tolman.review.projects.study_projects import start_named
from tolman.review.store import Decision, HistoryEvent, ItemVersion, Project, Task, User

VIDEO = Media(kind="video", path="v.mp4")
IMAGE = Media(kind="image", path="i.png")
FRAMES = {"which": "1, 2", "pair": "2"}


def _item(*media: Media) -> Item:
    return Item(id="x", question="?", kind="number", answer="1", task="t", media=media)


def answer(client: Client, value: str | None = None, **fields: Any) -> str:
    """Answer the question on the page, by the truth or as told; which it was."""
    item, path = item_on(client), client.last.url.path.removesuffix("/answer")
    given = {"answer": value or TRUTHS[item], "frames": FRAMES.get(item, "0.5"), "trace": f"{client.name} saw it."}
    client.post(f"{path}/answer", seconds=2, **(given | fields))
    return item


def decide(client: Client, verdict: str = "approve", wrong: dict[int, str] | None = None, **fields: Any) -> None:
    """Go through the checklist and decide."""
    wrong = wrong or {}
    points = client.last.text.count('name="fine"')
    fields |= {f"wrong-{n}": text for n, text in wrong.items()}
    fine = [str(n) for n in range(points) if n not in wrong]
    path = client.last.url.path.removesuffix("/decide")
    client.post(f"{path}/decide", verdict=verdict, seconds=3, fine=fine, **fields)
    assert client.last.status_code == 200, client.last.text


def rest(client: Client, project: int, **answers: str) -> list[str]:
    """Do all there is for somebody: answer by the truth or as told, approve."""
    seen = []
    while client.get(f"/projects/{project}/work").url.path.startswith("/verify/"):
        assert len(seen) < 20
        seen.append(item_on(client))
        if "/answer" in client.last.text:
            answer(client, answers.get(seen[-1]))
        if "/decide" in client.last.text and client.last.url.path.startswith("/verify/"):
            decide(client)
    return seen


@pytest.mark.parametrize("database", [None])
def test_a_draft_belongs_to_the_step_it_was_entered_in(served: Served) -> None:
    project = served.project("verify")
    ann = served.person("annotator", "Ann")
    path = ann.get(f"/projects/{project}/work").url.path
    item = item_on(ann)
    entered = {"answer": TRUTHS[item], "frames": FRAMES.get(item, "0.5"), "trace": "Half of what"}
    ann.post(f"{path}/decide/draft", verdict="revise", question="It is too early for this")
    ann.post(f"{path}/answer/draft", **entered)
    assert "Half of what" in ann.get(path).text
    answer(ann)
    before = ann.get(path).text.split('<form method="post" action="/verify')[1]
    ann.post(f"{path}/answer/draft", **entered)  # sent before the answer, and overtaken by it
    after = ann.get(path).text.split('<form method="post" action="/verify')[1]
    assert _without_seconds(after) == _without_seconds(before)
    ann.post(f"{path}/decide/draft", verdict="revise", question="What is it?", fine=0)
    assert ">What is it?</textarea>" in ann.get(path).text


def _without_seconds(form: str) -> str:
    return re.sub('name="seconds" value="[0-9.]*"', "", form)


@pytest.mark.full
def test_a_proposal_is_taken_back_until_somebody_validates_it(served: Served) -> None:
    project = served.project("verify", fresh=1)
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    path = ann.get(f"/projects/{project}/work").url.path
    item = answer(ann)
    back = ann.post(f"/projects/{project}/undo")
    assert back.url.path == path
    assert "Ann saw it." in back.text
    with served.site.database.read() as db:
        versions = db.scalars(select(ItemVersion).where(ItemVersion.item == item).order_by(ItemVersion.version)).all()
        assert [(one.origin, one.current) for one in versions] == [("benchmark", True), ("proposed", False)]
        assert not db.scalars(select(Task).where(Task.stage == "validate", Task.open)).all()
    answer(ann)
    with served.site.database.read() as db:
        (waiting,) = db.scalars(select(Task).where(Task.stage == "validate", Task.open)).all()
        assert waiting.item is not None
        assert (waiting.item.version, waiting.item.current) == (3, True)
    while item_on(bob := _next(bob, project)) != item:
        answer(bob)
    assert ann.post(f"/projects/{project}/undo").status_code == 409  # Bob looks at it


def _next(client: Client, project: int) -> Client:
    client.get(f"/projects/{project}/work")
    return client


def test_proposed_validated_and_settled_by_a_third(served: Served, tmp_path: Path) -> None:
    project = served.project("verify", fresh=1)
    ann, bob, cat = (served.person("annotator", name) for name in ("Ann", "Bob", "Cat"))
    assert sorted(rest(ann, project, order="C", count="4")) == sorted(TRUTHS)
    assert "Nothing is left" in ann.last.text  # nobody validates what they proposed
    seen = []
    while bob.get(f"/projects/{project}/work").url.path.startswith("/verify/"):
        page = bob.last.text
        assert "Ann saw it" not in page
        item = answer(bob)
        assert "Ann saw it." in bob.last.text
        assert "Bob saw it." in bob.last.text
        seen.append(item)
        if item == "order":
            better = {"question": "What appears first?", "options": "the lamp\nthe sofa\nthe door\nthe bed"}
            decide(bob, "revise", reason="the sofa is first", answer="B", **better)
        elif item == "pair":
            decide(bob, wrong={0: "the first picture is dark"})
        else:
            decide(bob)
    assert sorted(seen) == sorted(TRUTHS)
    assert not rest(ann, project)
    third = {}
    while cat.get(f"/projects/{project}/work").url.path.startswith("/verify/"):
        item = item_on(cat)
        third[item] = cat.last.text
        assert "Your answer" not in cat.last.text
        if item == "order":
            better = {"question": "What appears first?", "options": "the lamp\nthe sofa\nthe door\nthe bed"}
            decide(cat, "revise", reason="Bob is right", answer="B", **better)
        elif item == "count":
            decide(cat, "discard", reason="not to be counted")
        else:
            decide(cat)
    assert sorted(third) == ["count", "order", "pair"]
    assert "the sofa is first" in third["order"]
    assert "the first picture is dark" in third["pair"]
    assert "the two answers differ" in third["count"]
    with served.site.database.read() as db:
        found = db.get_one(Project, project)
        last = {
            version.item: (decision.verdict, decision.user_id is not None, version.version, version.content["answer"])
            for decision, version in db.execute(
                select(Decision, ItemVersion)
                .join(ItemVersion, ItemVersion.id == Decision.item_id)
                .where(ItemVersion.current)
                .order_by(Decision.id)
            )
        }
        assert last == {
            "size": ("approve", False, 2, "74.5"), "which": ("approve", False, 2, "A"),
            "script": ("approve", False, 2, "A"), "pair": ("approve", True, 2, "C"),
            "count": ("discard", True, 2, "4"), "order": ("approve", True, 3, "B"),
        }  # fmt: skip
        pairs = pairs_of(db, found)
        assert sorted((p.first, p.second, p.same) for p in pairs if not p.same) == [
            ("4", "3", False),
            ("C", "B", False),
        ]
        assert len(pairs) == 6
    told = served.person("reviewer", "Rae").get(f"/projects/{project}/progress").text
    assert "Cohen&#39;s kappa of answers to choices" in told
    assert "the first picture is dark (Bob)" in told

    done = publish(served.site, tmp_path / "out")
    assert done.verdicts == {"approve": 5, "discard": 1}
    items_out = {item.id: item for item in read_items(tmp_path / "out" / "items.parquet")}
    assert items_out["order"].answer == "B"
    assert items_out["order"].evidence["annotation"] == {
        "frames": [{"medium": 1, "seconds": 0.5}],
        "trace": "Bob saw it.",
    }
    assert items_out["size"].evidence["annotation"]["trace"] == "Ann saw it."
    assert items_out["size"].evidence["review"]["reviewers"] == 1
    history = json.loads((tmp_path / "out" / "review.json").read_text())["items"]["order"]
    assert [event["what"] for event in history if event["what"] != "version"] == [
        "propose", "validate", "validate", "disagreed", "resolve", "decided", "decided"
    ]  # fmt: skip


def test_answers_and_decisions_that_are_none_are_refused_with_a_sentence(served_sqlite: Served) -> None:
    project = served_sqlite.project("verify")
    ann = served_sqlite.person("annotator", "Ann")
    page = ann.get(f"/projects/{project}/work")
    path, item = page.url.path, item_on(ann)
    frames = FRAMES.get(item, "0.5")
    for wrong, sentence in (
        (
            {"answer": "no", "frames": frames, "trace": "x"},
            "Choose one" if item not in ("count", "size") else "Give a number",
        ),
        ({"answer": TRUTHS[item], "frames": "", "trace": "x"}, "at least one key frame"),
        ({"answer": TRUTHS[item], "frames": "9@1", "trace": "x"}, "isn&#39;t there"),
        ({"answer": TRUTHS[item], "frames": frames, "trace": " "}, "in a sentence or two"),
        ({"answer": TRUTHS[item], "frames": frames, "trace": "x", "measured": "1"}, "no such measurement"),
    ):
        refused = ann.post(f"{path}/answer", **wrong)
        assert refused.status_code == 422
        assert sentence in refused.text
    answer(ann)
    for wrong, sentence in (
        ({"verdict": "approve"}, "Point 1 of the checklist is left out"),
        ({"verdict": "approve", "fine": "0", "wrong-0": "dark"}, "is ticked and has a problem"),
        ({"verdict": "discard", "fine": "0", "wrong-1": "dark"}, "Give a reason"),
        ({}, "Choose what to do"),
    ):
        refused = ann.post(f"{path}/decide", **wrong)
        assert refused.status_code == 422
        assert sentence in refused.text


def test_a_flag_ends_with_the_owner_and_what_is_made_anew_is_validated_again(served_sqlite: Served) -> None:
    project = served_sqlite.project("verify")
    ann, bob, olga = (
        served_sqlite.person(role, name)
        for role, name in (("annotator", "Ann"), ("annotator", "Bob"), ("owner", "Olga"))
    )
    ann.get(f"/projects/{project}/work")
    while item_on(ann) != "count":
        answer(ann)
        decide(ann)
        ann.get(f"/projects/{project}/work")
    answer(ann, "4")
    decide(ann, "flag", target="template", reason="what is a chair?")
    bob.get(f"/projects/{project}/work")
    while item_on(bob) != "count":
        answer(bob)
        decide(bob)
        bob.get(f"/projects/{project}/work")
    decide(bob, "flag", target="template", reason="stools?")
    assert "what is a chair?" not in olga.get(f"/flags/project/{project}").text
    olga.get("/flags/1")
    olga.post("/flags/1/template", old="chairs", new="chairs and stools", note="said so")
    with served_sqlite.site.database.read() as db:
        found = [task.key for task in db.scalars(select(Task).where(Task.open, Task.stage == "validate"))]
        version = db.scalars(select(ItemVersion).where(ItemVersion.item == "count", ItemVersion.current)).one()
    assert "count@2" in found
    assert "chairs and stools" in version.content["question"]


def _said(answer: str | None, *frames: int) -> Reply:
    if answer is None:
        return Reply(failure="timeout")
    return Reply({"answer": answer, "evidence": f"It is <b>{answer}</b>.", "frames": list(frames)})


def _file(path: Path, given: dict[str, list[Reply]], **status: str) -> Path:
    """A file as `tolman curate` writes it."""
    known = {item.id: Candidate.model_validate(item.model_dump() | {"source": "small"}) for item in items()}
    other = known["count"].model_copy(update={"id": "elsewhere"})
    rows = [
        review_row(known.get(item, other), ["m/one", "m/two"], replies, Verdict(status.get(item, "approved")))
        for item, replies in given.items()
    ]
    write_lines(path, rows)
    return path


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    """Two models: alike and right about `which`, `script` and `order`, which is of no level; apart about `pair`."""
    both = {item: [_said(TRUTHS[item], 1), _said(TRUTHS[item], 1)] for item in TRUTHS}
    both["pair"] = [_said("C", 2), _said("A", 1, 2)]
    both["which"] = [_said("A", 2), _said("A")]
    both["order"] = [_said("B", 3), _said(None)]
    both["elsewhere"] = [_said("1"), _said("1")]
    return _file(tmp_path / "review.jsonl", both)


@pytest.mark.parametrize("share", [0, 100])
def test_models_that_agree_settle_a_question_for_now(benchmark: Path, serve: Serve, replies: Path, share: int) -> None:
    served = serve(benchmark, verify=(replies,))
    project = served.project("verify", share=share, level=3)
    with served.site.database.read() as db:
        tasks = {task.key.split("@")[0]: task.content["reasons"] for task in db.scalars(select(Task))}
        decided = [d.content["provisional"] for d in db.scalars(select(Decision))]
    people = {
        "pair": ["the models disagree", "a model disagrees with the answer that is written down"],
        "order": ["a model gave no answer that can be read"],
        "count": ["level 3"],
        "size": ["level 74"],
    }
    drawn = {"which": ["drawn for a spot check"], "script": ["drawn for a spot check"]}
    assert tasks == (people | drawn if share else people)
    assert decided == ([] if share else [True, True])
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    while ann.get(f"/projects/{project}/work").url.path.startswith("/verify/"):
        assert "m/one" not in ann.last.text
        item = answer(ann, "B" if item_on(ann) == "which" else None)
        assert f"It is &lt;b&gt;{TRUTHS[item]}&lt;/b&gt;." in ann.last.text
        assert ("no answer" in ann.last.text) == (item == "order")
        decide(ann)
    if share:
        bob.get(f"/projects/{project}/work")
        assert item_on(bob) == "which"  # the spot check found a difference
        decide(bob)
    with served.site.database.read() as db:
        found = standings(db, db.get_one(Project, project))
        assert (found["m/one"].right, found["m/one"].judged) == ((6, 6) if share else (4, 4))
        assert (found["m/two"].right, found["m/two"].judged, found["m/two"].failures) == (
            (4, 5, 1) if share else (2, 3, 1)
        )
        assert db.scalars(select(HistoryEvent).where(HistoryEvent.what == "models")).first() is not None
    told = served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    assert "approved by models&#39; agreement" in told
    assert "m/two" in told


def test_what_models_or_people_settled_is_reopened(benchmark: Path, serve: Serve, replies: Path) -> None:
    served = serve(benchmark, verify=(replies,))
    project = served.project("verify", share=0, level=99)  # people look at 'pair' and 'order' only
    served.person("owner", "Olga")
    with served.site.database.read() as db:
        olga = db.scalars(select(User).where(User.name == "Olga")).one()

    def rows() -> dict[str, Any]:
        found = served.told(page_of, project, ItemFilter(), served.clock()).rows
        return {row.item: row for row in found}

    def act(do: str, *names: str) -> int:
        ids = [rows()[name].version for name in names]
        return acts.begin_act(served.site, project, Person(olga.id, olga.name, "owner"), do, ids, reason="Again.")

    assert {name: row.missed for name, row in rows().items()} == {
        "pair": 1, "order": 0, "which": 0, "script": 0, "count": 0, "size": 0,
    }  # fmt: skip
    assert rows()["which"].state == "settled"
    number = act("reopen", "which")
    assert (rows()["which"].state, rows()["which"].wanted) == ("waiting", 1)
    acts.undo_act(served.site, project, number, Person(olga.id, olga.name, "owner"))
    assert rows()["which"].state == "settled"
    act("reopen", "which")  # the task of before is opened again
    ann = served.person("annotator", "Ann")
    assert sorted(rest(ann, project)) == ["order", "pair", "which"]
    assert rows()["which"].state == rows()["pair"].state == "settled"
    act("reopen", "pair")
    assert rest(served.person("annotator", "Bob"), project, pair="A") == ["pair"]
    assert (rows()["pair"].state, rows()["pair"].wanted) == ("answered", 3)  # a third person is asked
    assert rest(served.person("annotator", "Cat"), project) == ["pair"]
    assert rows()["pair"].state == "settled"
    act("reopen", "pair")  # what the third person settled, another one looks at
    assert rest(served.person("annotator", "Dan"), project) == ["pair"]
    assert rows()["pair"].state == "settled"
    standing = served.scalars(select(Decision).where(Decision.item_id == rows()["pair"].version))
    assert [decision.verdict for decision in standing] == ["approve"]


def test_the_draw_depends_on_seed_and_item_alone(benchmark: Path, tmp_path: Path, serve: Serve) -> None:
    both = {item: [_said(TRUTHS[item]), _said(TRUTHS[item])] for item in TRUTHS}
    path = _file(tmp_path / "review.jsonl", both, which="people")
    drawn = {}
    served = serve(benchmark, verify=(path,))
    for name, seed in (("a", 1), ("b", 1), ("c", 2), ("d", 3)):
        project = served.project("verify", name, share=50, level=99, seed=seed)
        with served.site.database.read() as db:
            found = db.scalars(select(Task).where(Task.project_id == project))
            drawn[name] = {task.key.split("@")[0] for task in found}
    assert drawn["a"] == drawn["b"]
    assert len({frozenset(own) for own in drawn.values()}) > 1
    assert all("which" in own for own in drawn.values())  # the file left it to people


def test_runs_are_opinions_with_their_frames_and_traces(benchmark: Path, tmp_path: Path) -> None:
    said = {
        "order": "Evidence: the sofa comes first\nFrames: 2, 16\nAnswer: B",
        "which": "The wall moves left. The answer is A.",
    }
    lines = [{"id": item, "response": said.get(item, "I cannot tell at all from this")} for item in TRUTHS]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    folder = run_model(benchmark, f"scripted/{script}", tmp_path / "run")
    found = read_opinions([folder], items(), benchmark)
    order, which = found["order"].given[0], found["which"].given[0]
    assert (order.answer, order.trace) == ("B", "the sofa comes first")
    assert [frame.medium for frame in order.frames] == [1, 1]
    assert 0 < order.frames[0].seconds < order.frames[1].seconds
    assert (which.answer, which.trace) == ("A", "The wall moves left. The answer is A.")
    assert found["size"].given[0].answer is None
    assert found["size"].given[0].failure
    with pytest.raises(InputError, match="another file does as well"):
        read_opinions([folder, folder], items(), benchmark)


_CHANGES: dict[str, dict[str, Any]] = {
    "question text": {"question": "What appears last?"},
    "options": {"options": ("the bed", "the door", "the sofa", "the lamp")},
    "answer": {"answer": "C"},
    "media": {"media": (Media(kind="video", path="videos/left.mp4"),)},
}


@pytest.mark.parametrize("differs", _CHANGES)
def test_replies_to_another_question_of_the_same_id_do_not_count(tmp_path: Path, serve: Serve, differs: str) -> None:
    benchmark = make_benchmark(tmp_path / "small")
    both = {item: [_said(TRUTHS[item]), _said(TRUTHS[item])] for item in TRUTHS}
    path = _file(tmp_path / "review.jsonl", both)
    changed = [i.model_copy(update=_CHANGES[differs]) if i.id == "order" else i for i in items()]
    write_items(benchmark / "items.parquet", changed)
    served = serve(benchmark, verify=(path,))
    project = served.project("verify", share=0, level=99)
    reasons = {task.key.split("@")[0]: task.content["reasons"] for task in served.scalars(select(Task))}
    assert list(reasons) == ["order"]
    assert "a model was asked another question" in reasons["order"]
    told = served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    assert "2 replies of models don&#39;t count" in told
    assert f"(2 with another {differs})" in told
    assert foreseen_unfit([path], changed, benchmark) == [
        "2 replies of models don't count, because the model was asked another question under the same id (2 with "
        f"another {differs}): people look at these questions."
    ]


def test_a_run_whose_questions_are_all_others_is_refused(benchmark: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    lines = [{"id": item, "response": f"The answer is {truth}."} for item, truth in TRUTHS.items()]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    folder = run_model(benchmark, f"scripted/{script}", tmp_path / "run")
    others = [item.model_copy(update={"question": "Something else?"}) for item in items()]
    with pytest.raises(InputError, match=r"answers other questions under the ids .* \(6 with another question text\)"):
        read_opinions([folder], others, benchmark)
    some = read_opinions([folder], [*others[:2], *items()[2:]], benchmark)
    assert [bool(some[item.id].given) for item in items()] == [False, False, True, True, True, True]


def test_lines_without_the_question_count_as_before(benchmark: Path, tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text('{"id": "order", "models": [{"model": "m", "answer": "B"}]}', encoding="utf-8")
    assert read_opinions([path], items(), benchmark)["order"].given[0].answer == "B"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is no JSON"),
        ('{"id": "order"}', "field required"),
        ('{"id": "order", "models": [{"model": ""}]}', "at least 1"),
        ('{"id": "order", "models": []}\n{"id": "order", "models": []}', "second line"),
        ('{"id": "nowhere", "models": []}', "says nothing about any question"),
        ('{"id": "order", "models": [{"model": "m", "answer": "A", "frames": ["x"]}]}', "integer"),
    ],
)
def test_files_that_are_none_are_told(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        read_opinions([path], items(), tmp_path)


def test_a_project_on_a_broken_file_is_refused_with_a_sentence(benchmark: Path, tmp_path: Path) -> None:
    settings, clock = settings_of(benchmark, tmp_path / "store", None, verify=(tmp_path / "none.jsonl",))
    with serving(settings, clock) as served, pytest.raises(AccountError, match="no readable text"):
        served.project("verify")


@given(
    st.lists(st.sampled_from([VIDEO, IMAGE]), min_size=1, max_size=4).flatmap(
        lambda media: st.tuples(
            st.just(media),
            st.lists(
                st.integers(1, len(media)).flatmap(
                    lambda n: st.builds(
                        KeyFrame,
                        medium=st.just(n),
                        seconds=st.integers(0, 99_999).map(lambda c: c / 100)
                        if media[n - 1].kind == "video"
                        else st.none(),
                    )
                ),
                min_size=1,
                max_size=6,
                unique=True,
            ),
        )
    )
)
def test_key_frames_are_read_as_they_are_written(case: tuple[list[Media], list[KeyFrame]]) -> None:
    media, frames = case
    item = _item(*media)
    assert read_frames(item, write_frames(item, frames)) == frames


@pytest.mark.parametrize("text", ["", "x", "3", "1@2", "0", "1e9", ", ,", "-1", "1, " * 21])
def test_key_frames_that_are_none(text: str) -> None:
    with pytest.raises(EvidenceError):
        read_frames(_item(IMAGE, IMAGE), text)


@given(st.lists(st.booleans(), min_size=1, max_size=5), st.data())
def test_each_point_is_ticked_or_has_a_problem(fine: list[bool], data: st.DataObject) -> None:
    points = [f"p{n}" for n in range(len(fine))]
    ticked = [str(n) for n, good in enumerate(fine) if good]
    problems = {n: "bad" for n, good in enumerate(fine) if not good}
    read = read_checklist(points, ticked, problems)
    assert [point["fine"] for point in read] == fine
    spoilt = data.draw(st.integers(0, len(fine) - 1))
    if fine[spoilt]:
        ticked.remove(str(spoilt))
    else:
        del problems[spoilt]
    with pytest.raises(EvidenceError, match=f"Point {spoilt + 1} "):
        read_checklist(points, ticked, problems)


def test_people_look_at_levels_in_words_and_at_unknown_ones(tmp_path: Path, serve: Serve) -> None:
    levels = {
        "q1": {"level": "observation_and_measurement"},
        "q2": {"spatialbench_level": "topology_and_composition"},
        "q3": {"level": "symbolic_visual_reasoning"},
        "q4": {"spatialbench_level": "spatial_causality"},
        "q5": {},
    }
    fields = {"question": "Which?", "kind": "choice", "options": ("x", "y"), "answer": "A", "task": "t"}
    asked = [Item.model_validate(fields | {"id": name, "labels": labels}) for name, labels in levels.items()]
    (folder := tmp_path / "bench").mkdir()
    write_items(folder / "items.parquet", asked)
    (folder / "benchmark.json").write_text('{"name": "bench", "title": "Bench"}')
    said = [
        review_row(Candidate.model_validate(item.model_dump() | {"source": "s"}), ["m/one", "m/two"],
                   [_said("A"), _said("A")], Verdict("approved"))
        for item in asked
    ]  # fmt: skip
    write_lines(tmp_path / "review.jsonl", said)
    served = serve(folder, verify=(tmp_path / "review.jsonl",))
    foreseen = start_named(served.site, "spatialbench").foreseen
    unknown = "People look at 1 of 5 questions whatever the models answer, because their level isn't known"
    assert [sentence[: len(unknown)] for sentence in foreseen] == [unknown]
    people = {task.key.split("@")[0]: task.content["reasons"] for task in served.scalars(select(Task))}
    drawn = {"drawn for a spot check"}
    assert {name: why for name, why in people.items() if set(why) != drawn} == {
        "q3": ["level 3"], "q4": ["level 4"], "q5": ["its level isn't known"],
    }  # fmt: skip
    olga = served.person("owner", "Olga")
    row = r"left to people because the level isn.{1,6}t known</t[dh]>\s*<td[^>]*>\s*1<"
    assert re.search(row, olga.get("/projects/1/progress").text)
    assert "approved by models alone, by an earlier version" not in olga.last.text
    with served.site.database.write() as db:  # what an earlier version wrote
        version = db.scalars(select(ItemVersion).where(ItemVersion.item == "q4")).one()
        db.add(Decision(item_id=version.id, verdict="approve", content={"provisional": True}, created=0.0))
    assert "1 question that people should look at was approved" in olga.get("/projects/1/progress").text
