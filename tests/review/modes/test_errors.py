"""Labelling errors: from a run to the file that `tolman analyze errors` reads."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from making import violations
from reviewing import LABELS, Client, Serve, Served, at_work, items, press_media_keys
from terminal import tolman
from tolman.curate.filtering import read_hand_labels
from tolman.curate.mapping import open_taxonomy
from tolman.review.accounts import AccountError
from tolman.review.console import ItemFilter, page_of
from tolman.review.modes.labelling import majority_labels
from tolman.review.store import Submission

THOUGHT = "The lamp stands to the left of the door, so that it must be seen before the others are."


def _tolman(place: Path, *arguments: str) -> str:
    done = tolman(place, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model that is wrong on all questions but one, and explains all but one of its answers."""
    place = tmp_path_factory.mktemp("run")
    lines = []
    for item in items():
        wrong = "9" if item.kind == "number" else next(letter for letter in item.letters if letter != item.answer)
        answer = item.answer if item.id == "order" else wrong
        lines.append({"id": item.id, "response": answer if item.id == "pair" else f"{THOUGHT} {item.id}.\n\n{answer}"})
    (place / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _tolman(place, "score", "answers.jsonl", "--benchmark", str(benchmark), "--name", "guesser", "--out", "run")
    return place / "run"


@pytest.fixture
def served(benchmark: Path, run: Path, database: str | None, serve: Serve) -> Served:
    return serve(benchmark, database, runs=(run,))


def _tasks(client: Client, project: int) -> Iterator[str]:
    for _ in range(20):
        page = client.get(f"/projects/{project}/work")
        if not page.url.path.startswith("/errors/"):
            return
        yield page.url.path
    raise AssertionError("there is no end of tasks")


def test_two_people_label_and_their_file_is_read(served: Served, run: Path) -> None:
    project = served.project("errors")
    for name, choices in (("Ann", ["perception"]), ("Bob", ["relational", "transformation"])):
        client = served.person("annotator", name)
        seen = 0
        for path in _tasks(client, project):
            assert THOUGHT in client.last.text
            assert "guesser" not in client.last.text
            csrf = {"csrf": client.csrf, "seconds": "2"}
            first = client.http.post(path, data=csrf)
            assert (first.status_code, "choose what applies" in first.text) == (422, True)
            both = client.http.post(path, data=csrf | {"group-categories": ["perception", "correct"]})
            assert (both.status_code, "stands alone" in both.text) == (422, True)
            strange = client.http.post(path, data=csrf | {"group-categories": ["perception", "owned"]})
            assert strange.status_code == 422
            note = "<b>unsure</b>" if not seen else ""
            done = client.http.post(path, data=csrf | {"group-categories": choices, "note": note})
            assert done.status_code == 303
            seen += 1
        # One number of two is the worse half; 'order' is right, 'pair' comes without reasoning.
        assert seen == 4
    owner = served.person("reviewer", "Rita")
    progress = owner.get(f"/projects/{project}/progress").text
    assert "Visual perception error" in progress
    assert f"/errors/projects/{project}/labels.jsonl" in progress
    got = owner.get(f"/errors/projects/{project}/labels.jsonl")
    rows = [json.loads(line) for line in got.text.splitlines()]
    assert [(row["annotator"], row["categories"]) for row in rows] == [
        ("Ann", ["perception"]), ("Bob", ["relational", "transformation"]),
    ] * 4  # fmt: skip
    rows_shown = served.told(page_of, project, ItemFilter(), 0.0).rows
    assert {(row.state, row.answers, row.wanted, row.missed, row.disagreement) for row in rows_shown} == {
        ("settled", 2, 2, 1, 1.0)
    }
    file = run.parent / "labels.jsonl"
    file.write_text(got.text)
    found = json.loads(_tolman(run.parent, "analyze", "errors", "run", "--labels", "labels.jsonl", "--json"))
    assert found["distributions"][0]["n"] == 4


@pytest.mark.parametrize("database", [None])
def test_drafts_are_kept(served: Served) -> None:
    project = served.project("errors")
    ann = served.person("annotator", "Ann")
    path = next(_tasks(ann, project))
    data = {"csrf": ann.csrf, "group-categories": ["perception", "relational"], "note": "half done", "seconds": "1"}
    assert ann.http.post(f"{path}/draft", data=data).status_code == 204
    page = ann.get(path).text
    assert page.count("checked") == 2
    assert "half done" in page


def test_without_a_run_the_owner_is_told_how_to_give_one(served_sqlite: Served) -> None:
    with pytest.raises(AccountError, match="--errors-of RUN"):
        served_sqlite.project("errors")


def test_an_error_is_labelled_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("errors")
    at_work(page, served, "annotator", "Ann", project)
    page.get_by_text(THOUGHT).wait_for()
    assert not violations(page)
    keys = [row["key"] for row in page.evaluate("tolmanKeys.list()")]
    assert len(set(keys)) == len(keys)  # no key does two things
    heading = page.locator("h1").inner_text()
    page.keyboard.press("3")
    page.keyboard.press("4")
    assert page.locator("input:checked").count() == 2
    page.keyboard.press("3")
    assert page.locator("input:checked").count() == 1
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.locator("h1").filter(has_not_text=heading).wait_for()
    (given,) = served.scalars(select(Submission.content))
    assert given["labels"] == {"categories": ["relational", "transformation"]}


@pytest.mark.full
def test_media_keys_leave_the_errors_chosen(page: Any, served: Served) -> None:
    project = served.project("errors", people=1)
    at_work(page, served, "annotator", "Ann", project)
    for number in range(1, 5):
        page.get_by_text(f"{number} of 4", exact=True).wait_for()
        kind = page.locator("input[type=checkbox]").nth(1)
        if number % 2:
            kind.check()
        else:
            page.keyboard.press("2")
        assert kind.is_checked()
        press_media_keys(page)
        press_media_keys(page, kind)
        page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    chosen = [content["labels"]["categories"] for content in served.scalars(select(Submission.content))]
    assert len(chosen) == 4
    assert chosen == [chosen[0]] * 4
    assert len(chosen[0]) == 1


def _label_all(client: Client, project: int, labels: dict[str, str]) -> int:
    for done in range(20):
        page = client.get(f"/projects/{project}/work")
        if not page.url.path.startswith("/classify/"):
            return done
        fields = {f"group-{name}": value for name, value in labels.items()}
        assert client.post(page.url.path, follow=False, seconds=1, **fields).status_code == 303
    raise AssertionError("there is no end of tasks")


def test_what_two_agree_on_is_what_curation_reads(served: Served, tmp_path: Path) -> None:
    project = served.project("classify")
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    assert _label_all(ann, project, LABELS) == len(items())
    assert _label_all(bob, project, LABELS | {"scale": "figural"}) == len(items())
    rita = served.person("reviewer", "Rita")
    file = tmp_path / "hand.jsonl"
    file.write_text(rita.get(f"/classify/projects/{project}/labels.jsonl").text)
    found = read_hand_labels(file, open_taxonomy("site"))
    agreed = {name: value for name, value in LABELS.items() if name != "scale"}
    assert found == {item.id: agreed for item in items()}
    progress = rita.get(f"/projects/{project}/progress").text
    assert "Scale of the space" in progress


@pytest.mark.parametrize("database", [None])
def test_labels_stay_closed_to_who_may_still_label(served: Served) -> None:
    project = served.project("classify")
    ann, rita = served.person("annotator", "Ann"), served.person("reviewer", "Rita")
    other, owner = served.person("reviewer", "Otto"), served.person("owner", "Olga")
    file, progress = f"/classify/projects/{project}/labels.jsonl", f"/projects/{project}/progress"
    assert _label_all(ann, project, LABELS) == len(items())
    for _ in (1, 2):  # before anything is taken, and with a task that is held
        for client in (rita, other):
            assert client.get(file).status_code == 403
            page = client.get(progress).text
            assert "Krippendorff" not in page
            assert "vista" not in page.lower()
            assert "when you have done all your tasks" in page
        rita.get(f"/projects/{project}/work")
    assert len(owner.get(file).text.splitlines()) == len(items())
    assert "Krippendorff" in owner.get(progress).text
    served.clock.ahead += 60
    assert _label_all(rita, project, LABELS) == len(items())
    for client in (rita, other):  # two have labelled everything: nobody is asked any more
        assert len(client.get(file).text.splitlines()) == len(items())
        assert "Krippendorff" in client.get(progress).text
    assert owner.get(f"{file}?marked=false").text == ""  # no browser said that the media had loaded


def test_a_missing_label_is_asked_for(served_sqlite: Served) -> None:
    project = served_sqlite.project("classify")
    ann = served_sqlite.person("annotator", "Ann")
    path = ann.get(f"/projects/{project}/work").url.path
    fields = {f"group-{name}": value for name, value in LABELS.items() if name != "change"}
    answer = ann.post(path, **fields)
    assert answer.status_code == 422
    assert "Static or dynamic: choose one." in answer.text
    assert answer.text.count(" checked") == 4


def test_an_even_vote_leaves_a_label_out() -> None:
    rows = [{"id": "1", "annotator": name, **LABELS, "scale": scale} for name, scale in
            (("a", "vista"), ("b", "figural"), ("c", "vista"))]  # fmt: skip
    assert majority_labels(rows)[0]["scale"] == "vista"
    assert "scale" not in majority_labels(rows[:2])[0]
    assert json.loads(json.dumps(majority_labels(rows)))[0]["annotators"] == ["a", "b", "c"]


def test_the_page_is_accessible(page: Any, served: Served) -> None:
    at_work(page, served, "annotator", "Ann", served.project("classify"))
    page.get_by_label("Vista").check()
    page.get_by_text("Kept.").wait_for()
    assert not violations(page)
