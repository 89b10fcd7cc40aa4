"""Label Studio: labels out and back in, and files that can't be used."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from reviewing import LABELS, TRUTHS, Served, items, unzipped, upload
from tolman.review.exchange import ExchangeError
from tolman.review.exchange.annotation_programs import LabelledTask, read_tasks, write_tasks


def test_labels_go_out_and_come_back_as_somebodys(served: Served) -> None:
    project = served.project("classify", people=2)
    owner, ann = served.person("owner", "Olga"), served.person("annotator", "Ann")
    served.account("annotator", "Bob")
    served.account("subject", "Sam")
    task = ann.get(f"/projects/{project}/work").url.path
    ann.post(task, seconds=1, **{f"group-{name}": value for name, value in LABELS.items()})
    loaded = unzipped(owner.get(f"/projects/{project}/files/label-studio.zip").content)
    config, tasks = loaded["config.xml"], loaded["tasks.json"]
    offered = {
        one.get("name"): [choice.get("value") for choice in one]
        for one in ElementTree.fromstring(config).iter("Choices")
    }
    assert set(offered) == set(LABELS)
    assert all(value in offered[name] for name, value in LABELS.items())
    told = json.loads(tasks)
    assert {one["data"]["id"] for one in told} == set(TRUTHS)
    (labelled,) = [one for one in told if one["annotations"]]
    assert {r["from_name"]: r["value"]["choices"] for r in labelled["annotations"][0]["result"]} == {
        name: [value] for name, value in LABELS.items()
    }
    assert labelled["annotations"][0]["result"][0]["meta"] == {"text": ["Ann"]}

    for one in told:  # as somebody labels all of them there
        one["annotations"] = labelled["annotations"]
    theirs = [{**one, "meta": {}} for one in labelled["annotations"][0]["result"]]
    told[0]["annotations"] = [{"result": theirs, "completed_by": 2}, *labelled["annotations"]]
    page = upload(owner, project, "files/label-studio", "Bob", json.dumps(told)).text
    assert f"{len(items())} questions are labelled as Bob" in page
    assert "Annotations left out: 1. Only the last one on a question is read" in page
    again = upload(owner, project, "files/label-studio", "Bob", json.dumps(told)).text
    assert "0 questions are labelled as Bob" in again
    assert f"{len(items())} questions stay unchanged" in again
    rows = owner.get(f"/classify/projects/{project}/labels.jsonl").text.splitlines()
    found = {row["id"]: row for row in map(json.loads, rows)}
    assert found[labelled["data"]["id"]]["annotators"] == ["Ann", "Bob"]
    assert all({name: row[name] for name in LABELS} == LABELS for row in found.values())
    assert "Choose somebody" in upload(owner, project, "files/label-studio", "Sam", json.dumps(told)).text


@pytest.mark.parametrize("database", [None])
def test_a_file_with_one_wrong_label_changes_nothing(served: Served) -> None:
    project = served.project("classify")
    owner = served.person("owner", "Olga")
    served.account("annotator", "Bob")
    good = {name: [value] for name, value in LABELS.items()}
    bad = LabelledTask("size", "x", [("Bob", good | {"scale": ["huge"]}, None)])
    answer = upload(
        owner,
        project,
        "files/label-studio",
        "Bob",
        write_tasks([LabelledTask("count", "x", [("Bob", good, 2.0)]), bad]),
    )
    assert answer.status_code == 400
    assert "The labels of &#39;size&#39; can&#39;t be used." in answer.text
    assert owner.get(f"/classify/projects/{project}/labels.jsonl").text == ""
    strange = upload(
        owner, project, "files/label-studio", "Bob", write_tasks([LabelledTask("nowhere", "x", [("Bob", good, None)])])
    )
    assert "&#39;nowhere&#39; is not in this project" in strange.text
    assert owner.get(f"/projects/{served.project('answer', 'A')}/files/label-studio.zip").status_code == 404


def test_the_last_annotation_counts_that_is_not_cancelled() -> None:
    def annotation(value: str, *, cancelled: bool = False) -> dict[str, object]:
        result = {"type": "choices", "from_name": "g", "to_name": "text", "value": {"choices": [value]}}
        return {"was_cancelled": cancelled, "result": [result, {"type": "textarea", "value": {"text": ["x"]}}]}

    tasks = [
        {"data": {"id": "a"}, "annotations": [annotation("1"), annotation("2"), annotation("3", cancelled=True)]},
        {"data": {"id": "b"}, "annotations": []},
    ]
    assert read_tasks(json.dumps(tasks).encode()) == ({"a": {"g": ["2"]}}, 1)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\xff", "no JSON"),
        (b"{}", "no list"),
        (b"[1]", "Task 1 has no data.id"),
        (b'[{"data": {"id": "a"}}, {"data": {"id": "a"}}]', "Task 2 has the id 'a' of an earlier one"),
        (b'[{"data": {"id": "a"}, "annotations": [{"result": [{}]}]}]', "annotations of task 1"),
        (b'[{"data": {"id": "a"}, "annotations": [3]}]', "annotations of task 1"),
    ],
)
def test_what_is_no_export_is_refused_with_a_sentence(content: bytes, why: str) -> None:
    with pytest.raises(ExchangeError, match=why):
        read_tasks(content)
