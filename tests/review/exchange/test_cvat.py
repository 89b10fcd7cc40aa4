"""Pictures, marks and choices to CVAT and back, and files that can't be used."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from review.exchange.picture_sets import ONE, PICTURE, marks, picture_sets, receiver, shapes
from reviewing import zipped
from tolman.review.exchange import Choices, ExchangeError, PictureSet, Returned, Shape, annotation_programs
from tolman.review.exchange.annotation_programs import read, write

MANIFEST = "data/manifest.jsonl"


def _files(project: PictureSet) -> dict[str, str | bytes]:
    return {**write(project), **{f"data/{one.picture.file}": b"jpeg" for one in project.pictures}}


def _read(files: dict[str, str | bytes], person: str = "Ann") -> dict[str, Returned]:
    return read(zipped(files), receiver(ONE, person))


def _changed(change: Callable[[dict[str, Any]], object]) -> dict[str, str | bytes]:
    """The files of one picture with its job's annotations changed."""
    files = _files(ONE)
    jobs = json.loads(files["annotations.json"])
    change(jobs[0])
    return files | {"annotations.json": json.dumps(jobs)}


@settings(max_examples=30, deadline=None)
@given(project=picture_sets())
def test_what_goes_out_comes_back_as_it_was_drawn(project: PictureSet) -> None:
    content = zipped(_files(project))
    for person in ("Ann", "Bob"):
        found = read(content, receiver(project, person))
        assert shapes(found) == marks(project, person)
        told = {one.picture.key: dict(one.chosen).get(person, {}) for one in project.pictures}
        assert {key: one.chosen for key, one in found.items()} == told
        assert not any(one.left for one in found.values())


def test_the_task_has_a_label_for_each_annotation_and_a_frame_for_each_picture() -> None:
    files = write(ONE)
    task = json.loads(files["task.json"])
    (job,) = json.loads(files["annotations.json"])
    labels = {one["name"]: [attribute["name"] for attribute in one["attributes"]] for one in task["labels"]}
    for region in (*job["tags"], *job["shapes"]):
        assert [one["name"] for one in region["attributes"]] == labels[region["label"]]
    assert [(one["type"], one["points"]) for one in job["shapes"]] == [
        ("points", [320, 120]), ("polyline", [0, 0, 640, 480]), ("rectangle", [64, 48, 128, 96]),
    ]  # fmt: skip
    assert [one["label"] for one in job["tags"]] == [
        "category = movement <1 m>", "errors = logic", "errors = perception",
    ]  # fmt: skip
    assert task["data"]["stop_frame"] == task["jobs"][0]["stop_frame"] == 0
    assert all(len(name) <= 64 for name in labels)
    assert "- t000001-m01: Where is it?" in files["annotation_guide.md"].splitlines()


def test_the_list_of_the_data_says_which_frame_is_which_picture() -> None:
    rows = [
        {"version": "1.1"},
        {"type": "images"},
        {"name": "t000001-m01", "extension": ".jpg", "width": 640, "height": 480},
    ]
    files = _files(ONE)
    del files["data/t000001-m01.jpg"]
    files[MANIFEST] = "\n".join(map(json.dumps, rows))
    assert shapes(_read(files)) == marks(ONE, "Ann")
    rows[2] |= {"width": 320}
    with pytest.raises(ExchangeError, match=r"data/manifest.jsonl, line 3 is about a picture of 320 × 480 pixels"):
        _read(files | {MANIFEST: "\n".join(map(json.dumps, rows))})
    task = json.loads(files["task.json"])
    task["data"]["sorting_method"] = "random"
    with pytest.raises(ExchangeError, match="which says which frame is which picture"):
        _read({"task.json": json.dumps(task), "annotations.json": "[]"})


def test_what_bears_no_name_is_the_persons_and_other_shapes_are_counted() -> None:
    def change(job: dict[str, Any]) -> None:
        job["shapes"].append({"type": "points", "points": [1, 2, 3, 4], "frame": 0, "label": "evidence point"})
        job["shapes"] += [{"type": kind, "points": [], "frame": 0} for kind in ("mask", "rectangle")]
        job["tracks"].append({"frame": 0, "label": "evidence point", "shapes": []})
        job["tags"][0]["attributes"] = []

    found = _read(_changed(change), "Bob")[PICTURE.key]
    assert found.shapes == [Shape("point", ((1.0, 2.0),)), Shape("point", ((3.0, 4.0),))]
    assert found.chosen == {"category": ["movement <1 m>"]}
    assert found.left == {"mask": 1, "rectangle": 1, "track": 1}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda job: job.update(tags=3), "Job 1 in annotations.json has no list of tags"),
        (lambda job: job["tags"].append(3), "annotations.json, job 1, tag 4 is no annotation"),
        (lambda job: job["shapes"][0].update(frame=1), "job 1, shape 1 is on frame 1, which the backup does not have"),
        (lambda job: job["shapes"][0].update(frame=[]), r"is on frame \[\]"),
        (lambda job: job["shapes"][0].update(points=[1]), "shape 1 has a mark without a place"),
        (lambda job: job["shapes"][0].update(points=[1, 481]), "shape 1 has a mark outside of its picture"),
        (lambda job: job["shapes"][0].update(points=[1, None]), "shape 1 has a mark outside of its picture"),
        (lambda job: _name(job, "Zoe"), "shape 1 bears the name 'Zoe', who is nobody here"),
        (lambda job: job["shapes"][0].update(label="lamp"), "shape 1 has the label lamp"),
        (lambda job: job["shapes"][0].update(attributes=["x"]), "shape 1 has attributes that are none"),
        (lambda job: job["tags"][0].update(label="category = sport"), "tag 1 has the label 'category = sport'"),
        (lambda job: job["tags"][0].update(label=[]), r"tag 1 has the label '\[\]'"),
    ],
)
def test_what_can_not_be_is_refused_with_its_place(change: Any, why: str) -> None:
    with pytest.raises(ExchangeError, match=why):
        _read(_changed(change))


def _name(job: dict[str, Any], name: str) -> None:
    job["shapes"][0]["attributes"][0]["value"] = name


def test_files_that_are_no_backup_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    files = _files(ONE)
    for wrong, why in (
        ({"task.json": "{}"}, "no annotations.json"),
        ({"task.json": "x", "annotations.json": "[]"}, "no JSON"),
        ({"task.json": "{}", "annotations.json": "{}"}, "which says which frame"),
        (files | {"annotations.json": "{}"}, "no list of jobs"),
        (files | {"data/other.jpg": b""}, "File data/other.jpg: there is no picture 'other' in this project"),
        (files | {MANIFEST: b"\xff{"}, f"line 1 of {MANIFEST} can't be read"),
    ):
        with pytest.raises(ExchangeError, match=why):
            _read(wrong)  # type: ignore[arg-type]
    for content in (b"", b"PK", b"[]"):
        with pytest.raises(ExchangeError, match="no zip file"):
            read(content, receiver(ONE, "Ann"))
    broken = bytearray(zipped(files))
    broken[40:60] = b"\0" * 20
    with pytest.raises(ExchangeError):
        read(bytes(broken), receiver(ONE, "Ann"))
    monkeypatch.setattr(annotation_programs, "MOST_REGIONS", 2)
    with pytest.raises(ExchangeError, match="more than 2 annotations"):
        _read(files)
    monkeypatch.setattr(annotation_programs, "MOST_BYTES", 1_000_000)
    with pytest.raises(ExchangeError, match=r"annotations.json has more than 1 MB"):
        _read(files | {"annotations.json": " " * 1_000_001})
    monkeypatch.setattr(annotation_programs, "MOST_FILES", 2)
    with pytest.raises(ExchangeError, match="more than 2 files"):
        _read(files)


def test_categories_that_are_one_in_cvat_are_refused() -> None:
    long = Choices("group", "Group", ("a" * 70 + "1", "a" * 70 + "2"), several=False)
    with pytest.raises(ExchangeError, match="begin with the same 64 letters"):
        write(PictureSet("x", "x", (), (long,)))
