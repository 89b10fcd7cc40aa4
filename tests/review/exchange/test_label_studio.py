"""Label Studio: labels out and back in, and files that can't be used.

Pictures and marks to Label Studio and back, and files that can't be used.
"""

import json
from copy import deepcopy
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from review.exchange.picture_sets import ONE, PICTURE, marks, picture_sets, receiver, shapes
from reviewing import LABELS, TRUTHS, Served, items, unzipped, upload
from tolman.review.exchange import (
    ExchangeError,
    NamedPicture,
    PictureSet,
    Receiver,
    Returned,
    Shape,
    annotation_programs,
)
from tolman.review.exchange.annotation_programs import (
    LabelledTask,
    read_pictures,
    read_tasks,
    write_pictures,
    write_tasks,
)


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


def _tasks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(write_pictures(ONE)["tasks.json"])
    return found


def _read(tasks: object, person: str = "Ann") -> dict[str, Returned]:
    return read_pictures(json.dumps(tasks).encode(), receiver(ONE, person))


@settings(max_examples=30, deadline=None)
@given(project=picture_sets())
def test_what_goes_out_comes_back_as_it_was_drawn(project: PictureSet) -> None:
    content = write_pictures(project)["tasks.json"].encode()
    for person in ("Ann", "Bob", "Carl"):
        assert shapes(read_pictures(content, receiver(project, person))) == marks(project, person)


def test_places_are_per_cent_of_the_picture() -> None:
    (task,) = _tasks()
    assert task["data"] == {
        "id": "t000001-m01", "question": "Where is it?",
        "image": "/data/local-files/?d=3-one/pictures/t000001-m01.jpg",
    }  # fmt: skip
    point, line = task["annotations"][0]["result"]
    assert (point["type"], point["original_width"], point["original_height"]) == ("keypointlabels", 640, 480)
    assert {name: point["value"][name] for name in ("x", "y", "keypointlabels")} == {
        "x": 50.0, "y": 25.0, "keypointlabels": ["point"],
    }  # fmt: skip
    assert point["meta"] == {"text": ["the lamp"], "person": "Ann"}
    assert line["type"] == "vectorlabels"
    assert [(one["x"], one["y"]) for one in line["value"]["vertices"]] == [(0, 0), (100, 100)]
    (box,) = task["predictions"][0]["result"]
    assert box["value"] == {
        "x": 10, "y": 10, "width": 10, "height": 10, "rotation": 0, "rectanglelabels": ["chair"],
    }  # fmt: skip


def test_the_configuration_has_a_control_for_each_region() -> None:
    tree = ElementTree.fromstring(write_pictures(ONE)["config.xml"])
    controls = {one.get("name"): [label.get("value") for label in one] for one in tree.iter() if one.get("toName")}
    assert controls == {"points": ["point"], "lines": ["line"], "boxes": ["chair"]}
    (task,) = _tasks()
    regions = [*task["annotations"][0]["result"], *task["predictions"][0]["result"]]
    assert {region["from_name"] for region in regions} == set(controls)
    assert {region["to_name"] for region in regions} == {tree.find("Image").get("name")}  # type: ignore[union-attr]


def test_of_several_annotations_the_last_counts_that_has_marks_of_the_person() -> None:
    (task,) = _tasks()
    theirs = task["annotations"][0]
    fresh = deepcopy(theirs)
    del fresh["result"][1]
    for region in fresh["result"]:
        del region["meta"]
    cancelled = {"was_cancelled": True, "result": theirs["result"]}
    task["annotations"] = [theirs, fresh, cancelled]
    drawn = [Shape("point", ((320.0, 120.0),))]
    assert _read([task])[PICTURE.key].shapes == drawn
    task["annotations"] = [fresh, theirs]
    assert _read([task], "Bob")[PICTURE.key].shapes == drawn, "what bears Ann's name is not Bob's"
    assert len(_read([task], "Ann")[PICTURE.key].shapes) == 2


def test_paths_are_lines_one_after_the_other_and_other_shapes_are_counted() -> None:
    (task,) = _tasks()
    result = task["annotations"][0]["result"]
    path = [{"x": x, "y": y} for x, y in ((0, 0), (50, 0), (50, 50))]
    result[1]["value"] |= {"vertices": path, "closed": True}
    result += [{"type": "polygonlabels", "value": {"points": []}}, {"type": "rectanglelabels", "value": {}}]
    found = _read([task])[PICTURE.key]
    a, b, c = (0.0, 0.0), (320.0, 0.0), (320.0, 240.0)
    assert [one.points for one in found.shapes if one.kind == "line"] == [(a, b), (b, c), (c, a)]
    assert found.left == {"polygon": 1, "rectangle": 1}


def test_what_was_drawn_in_label_studio_is_read() -> None:
    """A point and a line that were drawn in the editor of Label Studio 1.23.2 with a pointer, at a quarter and half of
    the picture, and from its middle to three quarters and three fifths; as it exported them."""
    common = {
        "original_width": 320,
        "original_height": 240,
        "image_rotation": 0,
        "to_name": "image",
        "origin": "manual",
    }
    point = {"x": 25.0351617440225, "y": 50, "width": 0.29895366218236175, "keypointlabels": ["point"]}
    vertices = [
        {"x": 50.07032348804501, "y": 50, "id": "318Sn1nZnUO8SLm0hD4GR", "isBezier": False},
        {"x": 50.07032348804501, "y": 50, "id": "-2x7LoLeKYV7zvruB495E", "prevPointId": "318Sn1nZnUO8SLm0hD4GR",
         "isBezier": False},
        {"x": 74.96483825597751, "y": 59.939052977027664, "id": "vJs3HeutOZ5PbNxJE3QZE",
         "prevPointId": "-2x7LoLeKYV7zvruB495E", "isBezier": False},
    ]  # fmt: skip
    line = {"vertices": vertices, "closed": False, "vectorlabels": ["line"]}
    result = [
        common | {"id": "rhQI-_bWkb", "from_name": "points", "type": "keypointlabels", "value": point},
        common | {"id": "gDInjPWlD-", "from_name": "lines", "type": "vectorlabels", "value": line},
    ]
    exported = [{"id": 4, "data": {"id": PICTURE.key}, "annotations": [{"was_cancelled": False, "result": result}]}]

    def find(key: str) -> NamedPicture:
        return NamedPicture(key, "", (320, 240))

    assert read_pictures(json.dumps(exported).encode(), Receiver("Ann", (), find))[PICTURE.key].shapes == [
        Shape("point", ((80.1, 120.0),)),
        Shape("line", ((160.2, 120.0), (239.9, 143.9))),
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda task: task["data"].update(id="t9-m1"), "Task 1: there is no picture 't9-m1'"),
        (
            lambda task: _region(task)["meta"].update(person="Zoe"),
            "Task 1, region 1 bears the name 'Zoe', who is nobody",
        ),
        (lambda task: task.update(annotations=[3]), "annotations of task 1 are none"),
        (lambda task: task["annotations"][0].update(result=[{"type": 1, "value": {}}]), "are none of Label Studio's"),
        (lambda task: _region(task).update(original_width=64), "Task 1, region 1 is about a picture of 64 × 480"),
        (lambda task: _region(task).pop("original_height"), "640 × None pixels"),
        (lambda task: _region(task)["value"].update(keypointlabels=["lamp"]), r"has the label \['lamp'\]"),
        (lambda task: _region(task)["value"].update(x=101), "outside of its picture of 640 × 480"),
        (lambda task: _region(task)["value"].update(x=10**400), "no pair of numbers"),
        (lambda task: _region(task)["value"].update(x="1"), "no pair of numbers"),
        (
            lambda task: _region(task, 1)["value"].update(vertices=[{"x": 1, "y": 1}]),
            "region 2 has a line of one point",
        ),
        (lambda task: _region(task, 1)["value"].update(vertices=7), "a mark without a place"),
    ],
)
def test_what_can_not_be_is_refused_with_its_place(change: Any, why: str) -> None:
    tasks = _tasks()
    change(tasks[0])
    with pytest.raises(ExchangeError, match=why):
        _read(tasks)


def _region(task: dict[str, Any], number: int = 0) -> dict[str, Any]:
    region: dict[str, Any] = task["annotations"][0]["result"][number]
    return region


def test_numbers_that_json_has_not_and_too_many_regions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExchangeError, match="no JSON"):
        read_pictures(write_pictures(ONE)["tasks.json"].replace("50.0", "NaN").encode(), receiver(ONE, "Ann"))
    monkeypatch.setattr(annotation_programs, "MOST_REGIONS", 1)
    with pytest.raises(ExchangeError, match="more than 1 regions"):
        _read(_tasks())
