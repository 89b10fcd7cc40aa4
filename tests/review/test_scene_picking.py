"""Picking in a scene without a review: who is let in, what is refused, and a scale of two points."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the web application needs the extra 'review'")
pytest.importorskip("embreex", reason="scans need the extra 'build'")

from typer.testing import CliRunner

from ingest.pipeline import made
from ingest.posed_writers import write_colmap
from ingest.test_posed_pictures import PINHOLES
from reviewing import serving_picking
from tolman.cli import app
from tolman.errors import UsageError
from tolman.ground_truth.corrections import BoxIs, ScaleIs, append_corrections, read_corrections
from tolman.ground_truth.scene_arrays import geometries_by_id
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.scan_format import ScanHints
from tolman.review.scene_picking import Length, Picking
from tolman.scene_table import read_collection
from tolman.scenes import OrientedBox

SCENE = "colmap/flat"
BOX = OrientedBox(center=(1, 2, 0.5), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), extents=(0.5, 0.4, 1))
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    """A COLMAP model without a scale."""
    picture = np.full((120, 160, 3), 128, dtype=np.uint8)
    write_colmap(tmp_path / "in" / "flat", [picture] * 16, "PINHOLE", PINHOLES["PINHOLE"], unit=0.5)
    scene, _, _ = made("colmap", tmp_path / "in", tmp_path / "out", up="-y")
    assert not scene.metric
    return tmp_path / "out"


@pytest.fixture
def picking(scenes: Path, tmp_path: Path) -> Picking:
    return Picking(scenes, "flat", tmp_path / "store")


@pytest.fixture
def url(picking: Picking) -> Iterator[str]:
    """The address of a running server."""
    with serving_picking(picking) as url:
        yield url


@pytest.fixture
def stranger(url: str) -> Iterator[httpx.Client]:
    """A browser that has not used the link."""
    with httpx.Client(base_url=url, follow_redirects=True) as found:
        yield found


@pytest.fixture
def client(url: str, picking: Picking) -> Iterator[httpx.Client]:
    """A browser that has used the link."""
    with httpx.Client(base_url=url, headers={"x-csrf-token": picking.csrf}, follow_redirects=True) as found:
        assert found.get(f"/enter/{picking.token}").status_code == 200
        yield found


def test_only_the_one_who_has_the_link_is_let_in(picking: Picking, stranger: httpx.Client) -> None:
    for address in ("/", "/pick/scene", "/pick/cloud", "/pick/frame/0/0", "/enter/guess"):
        assert stranger.get(address).status_code == 403
    assert stranger.post("/pick/boxes", data={"changes": "[]"}).status_code == 403
    link = f"/enter/{picking.token}"
    assert stranger.get(link, headers={"host": "evil.example"}).status_code == 421
    assert stranger.get(link).status_code == 200
    assert stranger.post("/pick/boxes", data={"changes": "[]"}).text == "This page is out of date. Load it again."
    stranger.cookies.clear()
    assert stranger.get(link).status_code == 403


def test_the_page_has_the_scene_its_cloud_and_its_frames(client: httpx.Client) -> None:
    told = client.get("/pick/scene").json()
    assert told["cloud"]
    assert told["pick"]["scalable"]
    assert len(told["cameras"]) == 1
    assert len(client.get("/pick/cloud").content) % 12 == 0
    assert client.get("/pick/frame/0/0").headers["content-type"] == "image/jpeg"
    assert client.get("/pick/frame/0/99999").status_code == 404


def test_two_points_give_the_scale_to_boxes_cameras_and_cloud(client: httpx.Client, scenes: Path) -> None:
    append_corrections(scenes, [BoxIs(scene=SCENE, object="a", category="chair", box=BOX)])
    before = geometries_by_id(scenes)[SCENE]
    points = np.frombuffer(client.get("/pick/cloud").content, "<f4").reshape(-1, 3)
    ends = points[[0, len(points) // 2]].astype(float)
    length = float(np.linalg.norm(ends[0] - ends[1]))
    asked = {"first": ends[0].tolist(), "second": ends[1].tolist()}
    for metres, factor in ((2 * length, 2.0), (3 * length, 3.0)):  # the second time, of a scene that has a scale
        now = ends if factor == 2 else 2 * ends
        asked = {"first": now[0].tolist(), "second": now[1].tolist(), "metres": metres}
        assert client.post("/pick/scale", json=asked).status_code == 200, factor
        after = geometries_by_id(scenes)[SCENE]
        assert after.scene.metric
        assert np.allclose(after.boxes.centers, factor * before.boxes.centers)
        assert np.allclose(after.boxes.extents, factor * before.boxes.extents)
        old, new = (np.array(one.captures[0].poses).reshape(-1, 4, 4) for one in (before, after))
        assert np.allclose(new[:, :3, 3], factor * old[:, :3, 3])
        assert np.allclose(new[:, :3, :3], old[:, :3, :3])
        shown = np.frombuffer(client.get("/pick/cloud").content, "<f4").reshape(-1, 3)
        assert np.allclose(np.ptp(shown[:, :2], axis=0), factor * np.ptp(points[:, :2], axis=0), rtol=0.02)
    (scale,) = (one for one in read_corrections(scenes) if isinstance(one, ScaleIs))
    assert scale.metres == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("what", "body", "sentence"),
    [
        ("scale", {"first": [0, 0, 0], "second": [1, 0, 0], "metres": 0}, "The field 'metres' can't be used: input should be"),
        ("scale", {"first": [0, 0, 0], "second": [0, 0, 0], "metres": 1}, "The two points are at one place; pick two"),
        ("between", {"first": [0, 0, 90], "second": [1, 0, 91]}, "The region holds no points."),
        ("between", {"first": [0, 0], "second": [1, 0, 91]}, "The field 'first' can't be used"),
        ("rectangle", {"camera": 0, "frame": 0, "pixels": [5, 5, 5, 9]}, "The points of the region are none"),
        ("rectangle", {"camera": 4, "frame": 0, "pixels": [5, 5, 8, 9]}, "There is no such frame."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(
    client: httpx.Client, scenes: Path, what: str, body: object, sentence: str
) -> None:
    answer = client.post(f"/pick/{what}", json=body)
    assert answer.status_code in (404, 422)
    assert answer.text.startswith(sentence)
    assert not read_corrections(scenes)


def test_a_saved_box_keeps_what_was_there_and_a_hostile_name_is_text(client: httpx.Client, scenes: Path) -> None:
    other = BoxIs(scene="colmap/another", object="a", category="chair", box=BOX)
    append_corrections(scenes, [other])
    change = [{"object": "", "name": HOSTILE, "box": BOX.model_dump(mode="json")}]
    assert client.post("/pick/boxes", data={"changes": json.dumps(change), "note": "by me"}).status_code == 200
    kept, new = read_corrections(scenes)
    assert kept == other
    assert isinstance(new, BoxIs)
    assert (new.category, new.box, new.note) == (HOSTILE, BOX, "set by hand; by me")
    shown = client.get("/").text
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown
    refused = client.post("/pick/boxes", data={"changes": json.dumps([change[0] | {"name": " "}])})
    assert (refused.status_code, refused.text) == (422, "Each object needs a name.")


def test_boxes_and_scale_stay_when_the_scan_is_ingested_again(
    client: httpx.Client, scenes: Path, tmp_path: Path
) -> None:
    points = np.frombuffer(client.get("/pick/cloud").content, "<f4").reshape(-1, 3).astype(float)
    at = points[np.argmin(points[:, 2])]
    box = {"center": at.tolist(), "axes": BOX.axes, "extents": [0.6, 0.6, 0.6]}
    change = json.dumps([{"object": "", "name": "rug", "box": box}])
    assert client.post("/pick/boxes", data={"changes": change}).status_code == 200
    asked = {"first": points[0].tolist(), "second": points[-1].tolist()}
    length = float(np.linalg.norm(points[0] - points[-1]))
    assert client.post("/pick/scale", json=asked | {"metres": 2 * length}).status_code == 200
    before = geometries_by_id(scenes)[SCENE]
    assert before.shown_frames
    ingest(ScansConfig("colmap", tmp_path / "in", hints=ScanHints(up="-y")), scenes, 1)
    stored = next(iter(read_collection(scenes)))
    assert stored.scene.metric
    assert [one.category for one in stored.scene.objects] == ["rug"]
    after = geometries_by_id(scenes)[SCENE]
    assert after.scene == before.scene
    assert list(after.captures) == list(before.captures)
    assert stored.captures == tuple(after.captures)


def test_a_scene_in_metres_takes_no_scale(scenes: Path, tmp_path: Path) -> None:
    """Neither does one that got another scale by its ingest since."""
    made("colmap", tmp_path / "in", tmp_path / "metric", up="-y", scale=0.5)
    append_corrections(tmp_path / "metric", [ScaleIs(scene=SCENE, metres=2.0)])
    own = Picking(tmp_path / "metric", SCENE, tmp_path / "store")
    assert not own.data()["pick"]["scalable"]
    with pytest.raises(UsageError, match="in metres already"):
        own.declare(Length(first=(0, 0, 0), second=(1, 0, 0), metres=2))


def test_the_command_refuses_scenes_that_it_cannot_open(scenes: Path) -> None:
    def told(*words: str) -> str:
        return str(CliRunner().invoke(app, ["scenes", *words]).exception)

    assert "no scene 'flot'" in told(str(scenes), "--pick", "flot")
    assert "--out names the page" in told(str(scenes), "--pick", "flat", "--out", "a.html")
    rooms = Path(__file__).parents[1] / "rooms"
    assert "has no point cloud" in told(str(rooms), "--pick", "6-0000")
