"""Item kinds of plugins in the web application: answered, reviewed, verified, counted in agreement and exported."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from kinds.yes_no import WORDS, write_kind
from reviewing import Client, Serve, Served, at_work
from tolman.item_table import read_items, write_items
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.reports.loaded_runs import load_runs
from tolman.review.modes.answer_approval import pairs_of
from tolman.review.modes.answering import answers
from tolman.review.projects.project_export import export_runs, publish
from tolman.review.store import Decision, ItemVersion, Project
from tolman.review.tasks.decisions import agreement, votes_of

ORDER = '''
"""An order of the options, written as their letters."""

from tolman.kinds import ItemKind
from tolman.scoring.metrics import Metric
from tolman.scoring.answer_values import ParsedAnswer, nothing


def check(item):
    if sorted(item.answer) == list(item.letters):
        return ""
    return f"the order {item.answer!r} doesn't name each option once"


def read(item, text):
    said = "".join(letter for letter in text.upper() if letter in item.letters)
    return ParsedAnswer(said) if sorted(said) == list(item.letters) else nothing("the response orders no options")


def names(item):
    return ", then ".join(item.options[item.letters.index(letter)] for letter in item.answer)


KIND = ItemKind(
    name="order",
    title="an order of options",
    check=check,
    read=read,
    metric=Metric(name="exact-order", title="Exact order", per_item=lambda item, said: float(said.value == item.answer)),
    answer_text=names,
)
'''
QUESTIONS: dict[str, dict[str, Any]] = {
    "words": {"question": "What stands by the window?", "answer": "the red chair"},
    "yes-no": {"question": "Is the door open?", "answer": "no"},
    "order": {
        "question": "What is how large, the smallest first?",
        "options": ("the bed", "the lamp", "the sofa"),
        "answer": "BCA",
    },
    "choice": {"question": "Which is larger?", "options": ("the bed", "the lamp"), "answer": "A"},
    "number": {"question": "How many doors are there?", "answer": "2", "unit": "count"},
}
"""Kind → its question."""
RIGHT = {kind: fields["answer"] for kind, fields in QUESTIONS.items()} | {"words": "A red chair."}
"""Kind → an answer that is right, in other words where the kind has some."""


@pytest.fixture
def kinds(tmp_path: Path) -> None:
    """Yes or no from the documentation, words, and an order."""
    place = tmp_path / "plugins"
    place.mkdir()
    (place / "order.py").write_text(ORDER, encoding="utf-8")
    for path in (write_kind(place), WORDS, place / "order.py"):
        load_plugin(path)


@pytest.fixture
def folder(tmp_path: Path, kinds: None) -> Path:
    """A benchmark of one question of each kind."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "benchmark.json").write_text('{"title": "Mixed", "licence": "CC0"}', encoding="utf-8")
    found = [
        Item.model_validate({"id": kind, "kind": kind, "task": kind, "scene": f"room {kind}", **fields})
        for kind, fields in QUESTIONS.items()
    ]
    write_items(folder / "items.parquet", found)
    return folder


@pytest.fixture
def served(folder: Path, serve: Serve) -> Served:
    """A server of it."""
    return serve(folder)


def kind_on(client: Client) -> str:
    """Whose question the last page shows."""
    assert client.last is not None
    return next(kind for kind, fields in QUESTIONS.items() if fields["question"] in client.last.text)


def each(client: Client, project: int) -> Iterator[tuple[str, str]]:
    """Kind and address of each question that somebody is given, until nothing is left."""
    for _ in range(20):
        address = client.get(f"/projects/{project}/work").url.path
        if address.endswith("/work"):
            return
        yield kind_on(client), address
    raise AssertionError("there is no end")


def test_subjects_answer_with_the_widget_of_the_kind_and_agree_as_it_says(served: Served, tmp_path: Path) -> None:
    project = served.project("answer")
    sam, sue = served.person("subject", "Sam"), served.person("subject", "Sue")
    refused = {
        "words": {"": "Write an answer.", " … ": "The answer has no words."},
        "yes-no": {"maybe": "Choose one of the options.", "Yes": "Choose one of the options."},
        "order": {"BA": "The order &#39;BA&#39; doesn&#39;t name each option once.", "": "Write an answer."},
        "choice": {"C": "Choose one of the options."},
        "number": {"two": "Give a number in digits, such as 3 or 2.5."},
    }
    pages = {}
    for kind, address in each(sam, project):
        pages[kind] = sam.last.text
        for wrong, sentence in refused[kind].items():
            answer = sam.post(address, answer=wrong)
            assert (answer.status_code, sentence in answer.text) == (422, True), (kind, wrong, answer.text)
        sam.post(f"{address}/draft", answer=RIGHT[kind], seconds=1)
        assert re.search(rf'value="{re.escape(RIGHT[kind])}"', sam.get(address).text)
        sam.post(address, answer=RIGHT[kind], seconds=3)
    assert set(pages) == set(QUESTIONS)
    assert 'value="yes" data-key="1" required' in pages["yes-no"]
    assert "a digit chooses" in pages["yes-no"]
    assert 'value="A" data-key="a" required' in pages["choice"]
    assert "a letter chooses" in pages["choice"]
    assert "the lamp" in pages["order"]
    for kind in ("words", "order"):
        assert 'id="answer" name="answer" autocomplete="off"' in pages[kind]
        assert "chooses" not in pages[kind]
    for kind, address in each(sue, project):
        sue.post(address, answer={"words": "red  chair", "number": "3"}.get(kind, RIGHT[kind]), seconds=3)
    found = served.told(answers, project)
    assert {kind: given for kind, (given, _) in found["Sam"].items()} == RIGHT
    # Of five questions with two answers each, one differs: the numbers; words are the same in other words.
    told = served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    alpha = float(re.search(r"Krippendorff&#39;s alpha of the answers</th><td>([\d.]+)", told).group(1))
    assert alpha == 0.78  # 0.57, were they two

    folders = export_runs(served.site, tmp_path / "people").folders
    cells = {
        run.record.settings.model: run.figures["rule_sets"]["careful"]["cells"]
        for run in load_runs([one.path for one in folders])
    }
    assert cells["human/Sam"]["average"]["value"] == 100.0
    assert cells["human/Sue"]["number"]["value"] < 100.0
    assert cells["human/Sue"]["words"]["value"] == 100.0


def test_reviewers_see_the_truth_in_words_and_words_are_counted(served: Served, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    for kind, address in each(ann, project):
        for secret in ("the red chair", "then the sofa", "BCA"):
            assert secret not in ann.last.text
        page = ann.post(f"{address}/answer", answer=RIGHT[kind], seconds=3).text
        shown = {
            "words": "<dd class=\"text\">the red chair</dd>",
            "order": "<dd class=\"text\">the lamp, then the sofa, then the bed</dd>",
            "yes-no": "<dd class=\"text\">no</dd>",
            "number": "<dd class=\"text\">2</dd>",
            "choice": "the benchmark's</span>",
        }  # fmt: skip
        assert shown[kind] in page
        assert ("one on each line" in page) == (kind in ("order", "choice"))
        assert ("Answer, a letter" in page) == (kind == "choice")
        ann.post(f"{address}/decide", verdict="approve", seconds=3)
    for kind, address in each(bob, project):
        bob.post(f"{address}/answer", answer={"words": "the chair"}.get(kind, RIGHT[kind]), seconds=3)
        bob.post(f"{address}/decide", verdict="approve", seconds=3)
    found = agreement(served.told(votes_of, project))
    assert (found.with_truth, found.answers_alpha.value) == (1.0, 1.0)
    assert found.words_with_truth == 3 / 4  # Bob's chair has no colour
    assert found.words_alpha is not None
    assert (found.words_alpha.n, found.words_alpha.value < 1) == (2, True)
    told = served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    assert re.search(r"blind answers in words that are the benchmark&#39;s</th><td>75 %</td><td></td><td>4", told)
    done = publish(served.site, tmp_path / "out")
    assert done.verdicts == {"approve": 5}
    out = {item.id: item for item in read_items(tmp_path / "out" / "items.parquet")}
    assert {kind: item.evidence["review"]["answered_alike"] for kind, item in out.items()} == {
        "words": 1, "yes-no": 2, "order": 2, "choice": 2, "number": 2,
    }  # fmt: skip
    assert json.loads((tmp_path / "out" / "review.json").read_text())["agreement"]["words_with_truth"] == 0.75


def test_questions_of_plugins_kinds_are_revised_by_their_rules(served: Served) -> None:
    project = served.project("review", people=1)
    ann = served.person("reviewer", "Ann")
    for kind, address in each(ann, project):
        ann.post(f"{address}/answer", answer=RIGHT[kind], seconds=3)
        better = {"verdict": "revise", "reason": "more to see", "question": QUESTIONS[kind]["question"]}
        if kind == "words":
            refused = ann.post(f"{address}/decide", **better, answer="the")
            assert (refused.status_code, "The answer: The answer has no words." in refused.text) == (422, True)
            ann.post(f"{address}/decide", **better, answer="a green chair")
        elif kind == "order":
            options = "the bed\nthe lamp\nthe sofa\nthe door"
            refused = ann.post(f"{address}/decide", **better, options=options, answer="BCA")
            assert "The answer: The order &#39;BCA&#39; doesn&#39;t name each option once." in refused.text
            ann.post(f"{address}/decide", **better, options=options, answer="BDCA")
        else:
            ann.post(f"{address}/decide", verdict="approve", seconds=3)
    with served.site.database.read() as db:
        chosen = select(ItemVersion).where(ItemVersion.current, ItemVersion.origin == "revised")
        revised = {version.item: version.content for version in db.scalars(chosen)}
    assert revised["words"]["answer"] == "a green chair"
    assert (revised["order"]["answer"], len(revised["order"]["options"])) == ("BDCA", 4)


def test_proposed_and_validated_answers_agree_as_their_kind_says(served: Served) -> None:
    project = served.project("verify", fresh=1)
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    for kind, address in each(ann, project):
        ann.post(f"{address}/answer", answer=RIGHT[kind], trace="It is seen.", seconds=3)
    seen = []
    for kind, address in each(bob, project):
        answer = {"words": "the red chair", "number": "2.05", "order": "CBA"}.get(kind, RIGHT[kind])
        page = bob.post(f"{address}/answer", answer=answer, trace="I see it too.", seconds=3).text
        assert ("differs</span>" in page) == (kind == "order")
        if kind == "order":
            assert "<strong>the sofa, then the lamp, then the bed</strong>" in page
        points = page.count('name="fine"')
        data = {"csrf": bob.csrf, "verdict": "approve", "seconds": "3", "fine": [str(n) for n in range(points)]}
        assert bob.http.post(f"{address}/decide", data=data).status_code == 303
        seen.append(kind)
    assert sorted(seen) == sorted(QUESTIONS)
    with served.site.database.read() as db:
        decided = {
            version.item: decision.verdict
            for decision, version in db.execute(
                select(Decision, ItemVersion).join(ItemVersion, ItemVersion.id == Decision.item_id)
            )
        }
        pairs = pairs_of(db, db.get_one(Project, project))
    assert decided == dict.fromkeys(set(QUESTIONS) - {"order"}, "approve")  # the order goes to a third person
    assert sorted((pair.group, pair.same) for pair in pairs) == [
        ("", True), ("choices", True), ("choices", True), ("words", False), ("words", True)
    ]  # fmt: skip
    told = served.person("owner", "Olga").get(f"/projects/{project}/progress").text
    assert re.search(r"the same answer in words</th><td>50 %</td><td></td><td>2", told)
    assert re.search(r"the same option</th><td>100 %</td><td></td><td>2", told)


def test_questions_of_plugins_kinds_are_answered_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    for number in range(1, len(QUESTIONS) + 1):
        page.get_by_text(f"{number} of {len(QUESTIONS)}", exact=True).wait_for()
        question = page.locator("h1.question").inner_text()
        kind = next(kind for kind, fields in QUESTIONS.items() if fields["question"] in question)
        if page.locator("#answer").count():
            page.get_by_label("Your answer").fill(RIGHT[kind])
        else:
            page.locator("h1.question").focus()
            page.keyboard.press({"yes-no": "2", "choice": "a"}[kind])
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    found = served.told(answers, project)["Sam"]
    assert {kind: given for kind, (given, _) in found.items()} == RIGHT
