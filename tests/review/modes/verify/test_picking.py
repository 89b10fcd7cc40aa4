"""Metric truth by picking a region in a point cloud beside the video."""

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")

from sqlalchemy import select

from ingest.lidar.layouts import TRUE_CLOCK, write_calibration, write_pcd, write_rig, write_stamps, write_trajectory
from ingest.lidar.yard import SIZE, THINGS, pictures, region_of, shot
from reviewing import Serve, Served, at_work, opened_page, serving, settings_of, snap
from tolman.errors import InputError
from tolman.ingest.scan_measures import open_recording
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review.evidence import point_clouds
from tolman.review.evidence.point_clouds import top_view
from tolman.review.store import ItemVersion
from tolman.scene_table import write_captures
from tolman.scenes import Capture

AT = 2.0
THING = {thing.name: thing for thing in THINGS}


@pytest.fixture(scope="session")
def yard(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A rig's folder, and a benchmark with one question about a length in its video and one about no recording."""
    from tolman.media.video import VideoWriter

    rig, bench = tmp_path_factory.mktemp("measuring") / "hall", tmp_path_factory.mktemp("metric") / "bench"
    whole = shot()
    write_pcd(rig / "lidar", whole)
    write_stamps(rig / "stamps.txt", whole.stamps)
    write_trajectory(rig / "trajectory.txt", whole.times, whole.poses)
    write_calibration(rig / "calibration.json")
    with VideoWriter(rig / "ego.mp4", SIZE, 3, "worlds") as video:
        for picture in pictures(10)[1]:
            video.add(picture)
    lidar = {"path": "lidar", "stamps": "stamps.txt", "trajectory": {"path": "trajectory.txt"}, "clock": TRUE_CLOCK}
    write_rig(rig, lidar, {"path": "ego.mp4", "calibration": "calibration.json", "clock": {"method": "none"}})
    (bench / "videos").mkdir(parents=True)
    shutil.copyfile(rig / "ego.mp4", bench / "videos" / "hall.mp4")
    asked = {"kind": "number", "unit": "cm", "task": "object_size_estimation", "answer": "150",
             "media": [{"kind": "video", "path": "videos/hall.mp4"}]}  # fmt: skip
    write_items(
        bench / "items.parquet",
        [
            Item.model_validate(asked | {"id": "bench", "question": "How long is the bench?", "scene": "rig/hall"}),
            Item.model_validate(asked | {"id": "else", "question": "How long is the lamp?", "scene": "rig/elsewhere"}),
        ],
    )
    (bench / "benchmark.json").write_text('{"name": "metric", "title": "Lengths"}', encoding="utf-8")
    return rig, bench


@pytest.fixture
def measuring(yard: tuple[Path, Path], serve: Serve) -> Served:
    """A server with the recording."""
    rig, bench = yard
    return serve(bench, rigs=(rig,))


@pytest.mark.full
def test_a_length_is_measured_taken_over_and_kept_with_its_evidence(measuring: Served) -> None:
    project = measuring.project("verify", fresh=1)
    ann = measuring.person("annotator", "Ann")
    seen = {}
    for _ in range(2):
        page = ann.get(f"/projects/{project}/work")
        is_bench = "the bench" in page.text
        seen[is_bench] = "Measure in the point cloud" in page.text
        path = page.url.path
        if not is_bench:
            assert ann.get(f"{path}/cloud").status_code == 404
            ann.post(f"{path}/answer", answer="20", frames="1", trace="guessed")
            continue
        panel = ann.get(f"{path}/cloud").text
        assert "From above" in panel
        for picture in (f"{path}/cloud/top", f"{path}/cloud/frame?at={AT}"):
            png = ann.get(picture)
            assert png.headers["content-type"] == "image/png"
            assert len(np.unique(_picture(png.content).reshape(-1, 3), axis=0)) > 50
        for wrong, sentence in (
            ({"first": "1,2,3"}, "takes 4 numbers"),
            ({"first": "50,50,50.5,50,51,51"}, "holds no points"),
            ({"first": "1,1,0,2,2,1", "quantity": "mass"}, "no quantity"),
            ({"first": "0,0,0,7,6,2.7", "quantity": "room-area"}, "asks for cm"),
        ):
            refused = ann.post(f"{path}/measure", **wrong)
            assert refused.status_code == 422, wrong
            assert sentence in refused.text
        low, high = region_of(THING["bench"])
        found = ann.post(f"{path}/measure", first=", ".join(f"{v:.2f}" for v in (*low, *high)), quantity="length").text
        answer, number = re.search(r'data-take="([\d.]+)" data-number="(\d+)"', found).groups()
        assert abs(float(answer) - 160) <= 3
        assert "± 0.0" in found
        off = ann.post(f"{path}/answer", answer="200", frames="2", trace="x", measured=number)
        assert off.status_code == 422
        assert "isn&#39;t what was measured" in off.text
        ann.post(f"{path}/answer", answer=answer, frames="2", trace="Its ends are seen.", measured=number)
    assert seen == {True: True, False: False}
    with measuring.site.database.read() as db:
        version = db.query(ItemVersion).filter_by(item="bench", version=2).one()
    measured = version.content["evidence"]["measured"]
    assert measured["capture"] == "rig/hall/lidar"
    assert abs(measured["value"] - 1.6) <= max(measured["error"], 0.032)
    assert len(measured["regions"][0]) == 6
    bob = measuring.person("annotator", "Bob")
    while bob.get(f"/projects/{project}/work").url.path.startswith("/verify/"):
        if "the bench" in bob.last.text:
            assert "returns" not in bob.last.text  # the first one's measurement is not for the second yet
            bob.post(f"{bob.last.url.path}/answer", answer="161", frames="2", trace="y")
            assert "Measured: length 1." in bob.last.text
            break
        path = bob.last.url.path
        bob.post(f"{path}/answer", answer="20", frames="1", trace="y")
        bob.post(f"{path}/decide", verdict="approve", fine="0", **{"wrong-1": "no"})
    told = measuring.person("owner", "Olga").get(f"/projects/{project}/progress").text
    assert "can be measured in a recording" in told


def _picture(content: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(content)))


def test_what_is_drawn_lies_where_the_cloud_is(yard: tuple[Path, Path]) -> None:
    recording = open_recording(yard[0])
    points = np.random.default_rng(0).uniform([1, 1, 0], [1.5, 1.3, 0.4], (4000, 3))
    far = np.array([[0.0, 0, 0], [7.0, 6, 0]] * 200)
    top = top_view(recording, np.concatenate([points, far]))
    picture = _picture(top.png).astype(int)
    columns = np.flatnonzero((picture.max(-1) > 70).sum(0) > 20)
    x = top.left + columns / top.scale
    inside = x[(x > 0.5) & (x < 2)]
    assert abs(inside.min() - 1) < 0.03
    assert abs(inside.max() - 1.5) < 0.03


def test_the_scenes_of_a_collection_have_their_own_recordings(yard: tuple[Path, Path], tmp_path: Path) -> None:
    captures = [
        Capture(id=f"world/{n}/lidar", scene=f"world/{n}", sensor="lidar", role="ego", media="x.ply", times=(0.0,))
        for n in range(2)
    ]
    write_captures(tmp_path, captures)
    found = point_clouds.places([yard[0], tmp_path])
    assert {scene: place.capture for scene, place in found.items()} == {
        "rig/hall": None, "world/0": "world/0/lidar", "world/1": "world/1/lidar"
    }  # fmt: skip


def test_recordings_that_are_none_are_told_at_the_start(benchmark: Path, tmp_path: Path) -> None:
    settings, clock = settings_of(benchmark, tmp_path / "store", None, rigs=(tmp_path,))
    with pytest.raises(InputError, match="is no recording"), serving(settings, clock):
        pass


@pytest.fixture
def page(browser: Any, measuring: Served) -> Iterator[Any]:
    with opened_page(browser, measuring.url, 1280, 1000) as opened:
        yield opened


def test_a_region_is_dragged_in_chromium(page: Any, measuring: Served) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    project = measuring.project("verify", fresh=1)
    at_work(page, measuring, "annotator", "Ann", project)
    if "lamp" in page.locator("h1.question").inner_text():
        page.get_by_label("Your answer").fill("20")
        page.get_by_label("Key frames").fill("1")
        page.get_by_label("What settles it").fill("The lamp is as high as the door.")
        page.get_by_role("button", name="Propose").click()
    page.get_by_text("How long is the bench?").wait_for()
    page.get_by_role("button", name="Measure in the point cloud").click()
    above = page.locator("[data-pick=top]")
    above.wait_for()
    for picture in page.locator(".pick img").all():
        picture.evaluate("image => image.decode()")
    page.get_by_label("What", exact=True).select_option("length")
    low, high = region_of(THING["bench"])
    page.get_by_label("Lowest height, metres").fill("-0.1")
    page.get_by_label("Highest height, metres").fill("0.6")
    above.scroll_into_view_if_needed()
    frame = above.bounding_box()
    told = {key: float(above.get_attribute(f"data-{key}")) for key in ("left", "top", "scale", "width")}
    factor = frame["width"] / told["width"] * told["scale"]
    start = frame["x"] + (low[0] - told["left"]) * factor, frame["y"] + (told["top"] - high[1]) * factor
    end = frame["x"] + (high[0] - told["left"]) * factor, frame["y"] + (told["top"] - low[1]) * factor
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Measure", exact=True).click()
    take = page.get_by_role("button", name="as the answer")
    take.wait_for()
    told_by_axe = axe.run(page).response["violations"]
    assert not [(v["id"], v["nodes"][0]["html"]) for v in told_by_axe if v["impact"] in ("serious", "critical")]
    take.click()
    assert abs(float(page.get_by_label("Your answer").input_value()) - 160) <= 3
    page.get_by_text("Measured in the point cloud.").wait_for()
    page.get_by_label("Key frames").fill("2")
    page.get_by_label("What settles it").fill("Both ends are seen from the front.")
    page.evaluate("window.scrollTo(0, 0)")
    snap(page, "measure")
    page.get_by_role("button", name="Propose").click()
    page.get_by_text("How long is the bench?").wait_for(state="detached")
    with measuring.site.database.read() as db:
        version = db.query(ItemVersion).filter_by(item="bench", version=2).one()
    assert version.content["evidence"]["measured"]["quantity"] == "length"


@pytest.mark.full
def test_the_workbench_is_sent_the_cloud_as_floats(measuring: Served, yard: tuple[Path, Path]) -> None:
    measuring.project("verify", fresh=0)
    owner, vic = measuring.person("owner", "Olga"), measuring.person("annotator", "Vic")
    items = {one.scene: one.id for one in measuring.scalars(select(ItemVersion))}
    sent = owner.http.get(f"/workbench/{items['rig/hall']}/cloud")
    assert sent.headers["content-type"] == "application/octet-stream"
    points = np.frombuffer(sent.content, "<f4").reshape(-1, 3)
    whole = open_recording(yard[0], None).gathered().cloud.points
    step = -(-len(whole) // 120_000)
    assert np.array_equal(points, np.asarray(whole)[::step].astype("<f4"))
    assert owner.get(f"/workbench/{items['rig/elsewhere']}/cloud").status_code == 404
    vic.get("/projects/1/work")
    assert vic.get(f"/workbench/{items['rig/hall']}/cloud").status_code == 404  # before their own answer
