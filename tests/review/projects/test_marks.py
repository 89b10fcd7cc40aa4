"""Marks on pictures: out to other programs and back in as somebody's evidence."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from reviewing import (
    LABELS,
    Client,
    Serve,
    Served,
    item_on,
    make_benchmark,
    unzipped,
    upload,
    zipped,
)
from tolman.review.projects import question_pictures
from tolman.review.projects.project_files import FORMATS
from tolman.review.store import Submission
from tolman.review.tasks.blinding import MARKED

POINT = {"medium": 1, "points": [[160.0, 120.0]], "size": [320, 240], "note": "the lamp"}
Files = dict[str, bytes]


def _load(owner: Client, project: int, form: str, **chosen: object) -> Files:
    answer = owner.http.get(f"/projects/{project}/pictures/{form}.zip", params={k: str(v) for k, v in chosen.items()})
    assert answer.status_code == 200, answer.text
    return unzipped(answer.content)


def _draw(person: Client, project: int, *marks: dict[str, Any], of: str = "which") -> str:
    """Answer until a question has come, with marks on that one; its page."""
    for _ in range(20):
        page = person.get(f"/projects/{project}/work")
        asked, path = item_on(person), page.url.path
        person.post(path, answer="A", seconds=5, shown="ready", drawn=json.dumps(marks) if asked == of else "")
        if asked == of:
            return path
    raise AssertionError(of)


def _drawn(served: Served, step: str = MARKED) -> list[dict[str, Any]]:
    with served.site.database.read() as db:
        found = db.scalars(select(Submission.content).where(Submission.step == step).order_by(Submission.id))
        return [one for content in found for one in content.get("drawn", [])]


@pytest.fixture
def pictured(tmp_path: Path, serve: Serve) -> Any:
    """A server with two questions about two pictures, and one about a video."""
    return serve(make_benchmark(tmp_path / "bench", "which", "pair", "order"), uploads=5)


def test_every_form_has_all_pictures_and_nothing_of_anybodys_unless_asked(pictured: Served) -> None:
    project = pictured.project("answer")
    owner, sam = pictured.person("owner", "Olga"), pictured.person("subject", "Sam")
    _draw(sam, project, POINT)
    for name, form in FORMATS.items():
        bare = _load(owner, project, name, frames=2)
        shown = sorted(file for file in bare if file.endswith(".jpg"))
        assert [re.sub(r"t\d{6}", "", Path(file).stem) for file in shown].count("-m01") == 2
        assert len([file for file in shown if "-f" in file]) == 2, "frames of the only video"
        assert all(file.startswith(form.pictures) for file in shown)
        assert {Image.open(io.BytesIO(bare[file])).size for file in shown if "-f" not in file} == {(320, 240)}
        texts = b"".join(content for file, content in bare.items() if not file.endswith(".jpg"))
        assert b"Sam" not in texts
        assert b"the lamp" not in texts
        assert b"Which way did the camera move" in texts
        marked = _load(owner, project, name, frames=2, marked=True)
        texts = b"".join(content for file, content in marked.items() if not file.endswith(".jpg"))
        assert texts.count(b"Sam") == texts.count(b"the lamp") == 1
        assert not any(file.endswith(".jpg") for file in _load(owner, project, name, frames=0) if "-f" in file)
    log = [json.loads(line) for line in owner.get("/audit/events.jsonl").text.splitlines()]
    assert {one["more"]["kind"] for one in log if one["what"] == "exported"} == {
        "label-studio pictures",
        "cvat pictures",
    }


def test_marks_of_label_studio_come_back_beside_an_answer(pictured: Served) -> None:
    project = pictured.project("review", people=2)
    owner, rita = pictured.person("owner", "Olga"), pictured.person("reviewer", "Rita")
    pictured.account("subject", "Sam")
    tasks = json.loads(_load(owner, project, "label-studio", frames=3)["tasks.json"])
    (frame,) = [one for one in tasks if one["data"]["id"].endswith("f000000")]
    on_frame = Image.open(io.BytesIO(_load(owner, project, "label-studio", frames=3)[
        "pictures/" + frame["data"]["image"].rsplit("/", 1)[1]])).size  # fmt: skip

    def region(size: tuple[int, int], kind: str, name: str, value: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "x", "from_name": name, "to_name": "image", "type": kind, "original_width": size[0],
            "original_height": size[1], "value": value,
        }  # fmt: skip

    line = {"vertices": [{"x": 0, "y": 0}, {"x": 50, "y": 50}], "vectorlabels": ["line"]}
    frame["annotations"] = [{"result": [region(on_frame, "vectorlabels", "lines", line)]}]
    (picture,) = [one for one in tasks if "-m02" in one["data"]["id"] and "Which way" in one["data"]["question"]]
    point = region((320, 240), "keypointlabels", "points", {"x": 25, "y": 50, "keypointlabels": ["point"]})
    picture["annotations"] = [{"result": [point | {"meta": {"text": ["the  knob"]}}, {"type": "brush", "value": {}}]}]
    content = json.dumps(tasks).encode()
    page = upload(owner, project, "pictures/label-studio", "Rita", content).text
    assert "2 marks on 2 questions are Rita&#39;s." in page
    assert "left out: 1 × brush" in page
    found = sorted(_drawn(pictured), key=lambda one: -one["medium"])
    assert found[0] == {"medium": 2, "points": [[80.0, 120.0]], "size": [320.0, 240.0], "note": "the knob"}
    assert (found[1]["frame"], found[1]["time"]) == (0, 0.0)
    assert found[1]["points"] == [[0.0, 0.0], [round(on_frame[0] / 2, 1), round(on_frame[1] / 2, 1)]]

    again = upload(owner, project, "pictures/label-studio", "Rita", content).text
    assert "0 marks on 0 questions are Rita&#39;s. 2 questions stay unchanged" in again
    assert len(_drawn(pictured)) == 2
    out = json.loads(_load(owner, project, "label-studio", frames=3, marked=True)["tasks.json"])
    assert sum(len(one["annotations"]) for one in out) == 2
    assert "Choose somebody" in upload(owner, project, "pictures/label-studio", "Sam", content).text
    assert (
        upload(owner, project, "pictures/label-studio", "Olga", content).text.count("Olga is not asked the question")
        == 1
    )
    # Rita is still asked all questions, answers without seeing the truth, and sees her marks after that.
    for _ in range(3):
        page = rita.get(f"/projects/{project}/work")
        assert "Because it is" not in page.text
        assert "the knob" not in page.text
        asked, path = item_on(rita), page.url.path
        opened = rita.post(f"{path}/answer", answer="A", seconds=5, shown="ready").text
        assert ("the knob" in opened) == (asked == "which")
        rita.post(f"{path}/decide", verdict="flag", target="item", reason="unclear", seconds=6)


def test_a_backup_of_cvat_brings_marks_and_labels(pictured: Served) -> None:
    project = pictured.project("classify", people=2)
    owner = pictured.person("owner", "Olga")
    pictured.account("annotator", "Bob")
    files = _load(owner, project, "cvat", frames=1)
    names = sorted(name for name in files if name.endswith(".jpg"))
    (job,) = json.loads(files["annotations.json"])
    frame = next(number for number, name in enumerate(names) if name.endswith("-m02.jpg"))
    job["shapes"] = [
        {"type": "points", "points": [10, 20], "frame": frame, "label": "evidence point", "attributes": []}
    ]
    job["tags"] = [{"frame": frame, "label": f"{group} = {value}", "attributes": []} for group, value in LABELS.items()]
    files["annotations.json"] = json.dumps([job]).encode()
    page = upload(owner, project, "pictures/cvat", "Bob", zipped(files)).text
    assert "1 mark on 1 question is Bob&#39;s. 1 question is labelled as Bob&#39;s." in page
    (row,) = map(json.loads, owner.get(f"/classify/projects/{project}/labels.jsonl").text.splitlines())
    assert {name: row[name] for name in LABELS} == LABELS
    assert _drawn(pictured, "labels") == [{"medium": 2, "points": [[10.0, 20.0]], "size": [320.0, 240.0], "note": ""}]
    assert "0 marks on 0 questions" in upload(owner, project, "pictures/cvat", "Bob", zipped(files)).text

    (out,) = json.loads(_load(owner, project, "cvat", frames=1, marked=True)["annotations.json"])
    assert {one["label"] for one in out["tags"]} == {f"{group} = {value}" for group, value in LABELS.items()}
    assert [(one["points"], one["attributes"][0]["value"]) for one in out["shapes"]] == [([10, 20], "Bob")]
    del job["tags"][0]
    files["annotations.json"] = json.dumps([job]).encode()
    pictured.account("annotator", "Cleo")
    answer = upload(owner, project, "pictures/cvat", "Cleo", zipped(files))
    assert answer.status_code == 400
    assert "can&#39;t be used. Category" in answer.text
    assert len(owner.get(f"/classify/projects/{project}/labels.jsonl").text.splitlines()) == 1


def test_what_somebody_has_drawn_here_does_not_come_in_twice(pictured: Served) -> None:
    project = pictured.project("answer")
    owner, sam = pictured.person("owner", "Olga"), pictured.person("subject", "Sam")
    _draw(sam, project, POINT)
    for name in FORMATS:
        files = _load(owner, project, name, frames=0, marked=True)
        content = files["tasks.json"] if name == "label-studio" else zipped(files)
        assert (
            "0 marks on 0 questions are Sam&#39;s. 1 question stays"
            in upload(owner, project, f"pictures/{name}", "Sam", content).text
        )
    assert _drawn(pictured) == []


def test_what_can_not_be_is_refused_and_changes_nothing(pictured: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    project = pictured.project("answer")
    owner = pictured.person("owner", "Olga")
    pictured.account("subject", "Sam")
    tasks = json.loads(_load(owner, project, "label-studio", frames=1)["tasks.json"])
    key = next(one["data"]["id"] for one in tasks if "-f" not in one["data"]["id"])
    video = next(one["data"]["id"] for one in tasks if "-f" in one["data"]["id"])
    for wrong in (
        "t999999-m01",
        key.replace("t0", "t"),
        key[:-1] + "9",
        key + "-f000000",
        video[:-7],
        "x",
        "t1-m1" * 99,
    ):
        answer = upload(owner, project, "pictures/label-studio", "Sam", json.dumps([{"data": {"id": wrong}}]).encode())
        assert answer.status_code == 400
        assert f"Task 1: there is no picture &#39;{wrong[:80]}" in answer.text
    content = json.dumps([{"data": {"id": video[:-6] + "999999"}}])
    answer = upload(owner, project, "pictures/label-studio", "Sam", content)
    assert "the video has fewer frames" in answer.text
    assert (
        "no points, lines or labels of Sam"
        in upload(owner, project, "pictures/label-studio", "Sam", json.dumps(tasks).encode()).text
    )
    (one,) = [one for one in tasks if one["data"]["id"] == key]
    point = {"type": "keypoint", "original_width": 320, "original_height": 240, "value": {"x": 1, "y": 1}}
    one["annotations"] = [{"result": [point] * 51}]
    answer = upload(owner, project, "pictures/label-studio", "Sam", json.dumps(tasks).encode())
    assert "can&#39;t be used. There are 51 drawings: at most 50, please." in answer.text
    assert _drawn(pictured) == []
    assert owner.get(f"/projects/{project}/pictures/coco.zip").status_code == 404
    monkeypatch.setattr(question_pictures, "MOST_PICTURES", 3)
    answer = owner.get(f"/projects/{project}/pictures/cvat.zip")
    assert answer.status_code == 409
    assert "more than 3 pictures" in answer.text
    monkeypatch.setattr(question_pictures, "DRAWN_IN", ())
    assert owner.get(f"/projects/{project}/pictures/cvat.zip").status_code == 404
    assert "Pictures for CVAT" not in owner.get(f"/projects/{project}/files").text


def test_a_picture_that_is_gone_is_named(tmp_path: Path, serve: Serve) -> None:
    bench = make_benchmark(tmp_path / "bench", "which", "order")
    running = serve(bench)
    project, owner = running.project("answer"), running.person("owner", "Olga")
    running.account("subject", "Sam")
    tasks = _load(owner, project, "label-studio", frames=1)["tasks.json"]
    (bench / "images" / "b.png").unlink()
    files = _load(owner, project, "label-studio", frames=1)
    assert files["left-out.txt"] == b"question which, medium 2: images/b.png can't be read\n"
    assert len([name for name in files if name.endswith(".jpg")]) == 2
    answer = upload(owner, project, "pictures/label-studio", "Sam", tasks)
    assert "can&#39;t be read here any more" in answer.text
