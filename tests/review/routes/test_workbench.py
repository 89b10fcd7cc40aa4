"""Who is sent a scene, and what of it."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

pytest.importorskip("shapely", reason="generating needs the extra 'build'")

from reviewing import Client, Served
from three_rooms import ROOMS
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.review.store import Assignment, ItemVersion, Task

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three rooms and a benchmark of questions about them."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOMS, folder / "scenes")
    generate(GenerateConfig(scenes=folder / "scenes", out=folder / "bench", per_scene=1))
    return folder


def _version(served: Served, path: str) -> ItemVersion:
    """The item of a task's page."""
    with served.site.database.read() as db:
        own = db.get_one(Assignment, int(path.rsplit("/", 1)[1]))
        version = own.task.item
        assert version is not None
        return version


def _told(client: Client, path: str) -> tuple[Any, ...]:
    answer = client.get(path)
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "date")
    return answer.status_code, headers, re.sub(r'"csrf" value="\w+"', "", answer.text)


def test_who_has_not_answered_is_told_as_of_a_scene_that_is_not_there(rooms: Served) -> None:
    project, verify = rooms.project("review", people=1), rooms.project("verify", "V")
    rooms.project("answer", "A")
    for role, name, number in (("reviewer", "Ann", project), ("annotator", "Vic", verify), ("subject", "Sam", 3)):
        person = rooms.person(role, name)
        page = person.get(f"/projects/{number}/work")
        version = _version(rooms, page.url.path)
        assert "data-workbench" not in page.text
        for rest in ("scene", "cloud", "frame/0/0", "frame/7/9"):
            there = _told(person, f"/workbench/{version.id}/{rest}")
            assert there == _told(person, f"/workbench/999999/{rest}"), (role, rest)
            assert there[0] == (403 if role == "subject" else 404)
        assert person.get(f"/workbench/{version.id}").status_code == 403


def test_a_reviewer_sees_only_what_the_question_names_while_others_of_the_scene_wait(rooms: Served) -> None:
    project = rooms.project("review", people=1)
    ann, owner = rooms.person("reviewer", "Ann"), rooms.person("owner", "Olga")
    with rooms.site.database.write() as db:  # a question that names things comes first
        wanted = next(one for one in db.scalars(select(ItemVersion)) if one.content["task"] == "object_abs_distance")
        for task in db.scalars(select(Task).where(Task.item_id == wanted.id)):
            task.position = ""
    path = ann.get(f"/projects/{project}/work").url.path
    version = _version(rooms, path)
    assert version.id == wanted.id
    assert "data-workbench" in ann.post(f"{path}/answer", answer="1", seconds=3).text
    some, everything = (json.loads(one.get(f"/workbench/{version.id}/scene").text) for one in (ann, owner))
    assert everything["whole"]
    assert len(everything["boxes"]) > 10
    assert everything["plan"]["floor"]
    assert not some["whole"]
    assert not some["plan"]["floor"]
    named = {mark["name"] for mark in some["marks"] if mark["kind"] == "objects"}
    assert {box["name"] for box in some["boxes"]} == named
    assert len(named) == 2
    assert len(some["plan"]["objects"]) == len(some["boxes"])
    assert some["follows"] == 0
    assert len(some["cameras"][0]["poses"]) == len(some["cameras"][0]["seconds"]) == 120
    assert all(box["best"] for box in some["boxes"])
    picture = ann.http.get(f"/workbench/{version.id}/frame/0/7")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/jpeg")
    assert ann.get(f"/workbench/{version.id}/frame/0/120").status_code == 404
    assert ann.get(f"/workbench/{version.id}").status_code == 403
    with rooms.site.database.write() as db:  # nothing else of the scene is to be asked any more
        for task in db.scalars(select(Task).join(ItemVersion).where(ItemVersion.scene == version.scene)):
            task.open = False
    assert json.loads(ann.get(f"/workbench/{version.id}/scene").text)["whole"]


def test_a_flag_is_closed_by_boxes_that_are_mended(rooms: Served, made: Path) -> None:
    project = rooms.project("review", people=1)
    ann, owner = rooms.person("reviewer", "Ann"), rooms.person("owner", "Olga")
    path = ann.get(f"/projects/{project}/work").url.path
    version = _version(rooms, path)
    ann.post(f"{path}/answer", answer="1" if "inputmode" in ann.last.text else "A")
    ann.post(f"{path}/decide", verdict="flag", target="scene", reason="look")
    assert 'data-action="/flags/1/boxes"' in owner.get("/flags/1").text
    box = json.loads(owner.get(f"/workbench/{version.id}/scene").text)["boxes"][0]
    change = [
        {"object": box["id"], "name": box["name"] + " x", "box": {k: box[k] for k in ("center", "axes", "extents")}}
    ]
    assert owner.post("/flags/1/boxes", changes="[]", note="x").status_code == 422
    assert owner.post("/flags/1/boxes", changes=json.dumps(change)).status_code == 422  # no reason
    assert "Closed: scene corrected" in owner.post("/flags/1/boxes", changes=json.dumps(change), note="seen").text
    [fact] = json.loads((made / "scenes" / "corrections.json").read_text())["corrections"]
    assert (fact["fact"], fact["object"], fact["category"]) == ("category", box["id"], box["name"] + " x")
    (made / "scenes" / "corrections.json").unlink()
