"""Boxes and a scale that a person picks in a scene's cloud, in Chromium: a simulated room whose boxes were left out."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

pytest.importorskip("shapely", reason="generating needs the extra 'build'")
pytest.importorskip("moderngl", reason="simulating needs the extra 'worlds'")

import shapely
from scipy.spatial import cKDTree

from reviewing import opened_page, serving_picking, until
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate
from tolman.geometry.boxes import Boxes
from tolman.geometry.camera_geometry import project
from tolman.ground_truth.corrections import BoxIs, read_corrections
from tolman.ground_truth.scene_arrays import SceneGeometry, geometries_by_id
from tolman.review.scene_picking import Picking
from tolman.scene_table import Part, write_collection
from tolman.scenes import Capture, OrientedBox, SceneObject

pytestmark = pytest.mark.full
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HOSTILE = '"><img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium with WebGL by software."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS + WEBGL)
        yield started
        started.close()


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SceneGeometry]:
    """A room with a LiDAR's cloud and without boxes, and its truth."""
    folder = tmp_path_factory.mktemp("picking") / "scenes"
    simulate(
        SimulateConfig(
            out=folder,
            scenes=1,
            seed=1,
            shapes=("rectangle",),
            objects=6,
            seconds=12,
            rate=6,
            size="320x240",
            lidar=True,
        )
    )
    (truth,) = geometries_by_id(folder).values()
    _leave_out_boxes(folder, truth)
    return folder, truth


def _leave_out_boxes(folder: Path, truth: SceneGeometry) -> None:
    scene = truth.scene.model_copy(update={"objects": (), "counts": {}})
    captures = tuple(one.model_copy(update={"sightings": (), "recorded": ()}) for one in truth.captures)
    write_collection(folder, [Part(scene, captures)])


@dataclass(frozen=True)
class Served:
    """A server, its link and its scene."""

    url: str
    link: str
    picking: Picking


@pytest.fixture
def served(room: tuple[Path, SceneGeometry], tmp_path: Path) -> Iterator[Served]:
    """A running server of a copy of the room."""
    shutil.copytree(room[0], tmp_path / "scenes")
    picking = Picking(tmp_path / "scenes", "1-0000", tmp_path / "store")
    with serving_picking(picking) as url:
        yield Served(url, f"{url}/enter/{picking.token}", picking)


@pytest.fixture
def page(browser: Any, served: Served) -> Iterator[Any]:
    """The page; an error in a script or of the policy fails the test."""
    with opened_page(browser, served.url, 1440, 1000) as opened:
        opened.goto(served.link)
        opened.locator("[data-workbench][data-ready]").wait_for(timeout=60_000)
        until(opened, lambda: opened.locator("figure.three").get_attribute("data-points") is not None, 60)
        yield opened


def _corners(box: OrientedBox) -> np.ndarray:
    return np.asarray(Boxes(*(np.array([getattr(box, name)]) for name in ("center", "axes", "extents"))).vertices()[0])


def _camera(truth: SceneGeometry) -> Capture:
    return next(one for one in truth.captures if one.sensor == "camera")


def _view(pose: np.ndarray, back: int, points: np.ndarray, size: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Pixels and depths of points in the view that looks as a camera does, but upright, so many steps behind it."""
    ahead = pose[:3, 2]
    right = np.cross(ahead, [0, 0, 1]) / np.linalg.norm(np.cross(ahead, [0, 0, 1]))
    upright = np.eye(4)
    upright[:3, :3], upright[:3, 3] = np.column_stack([right, np.cross(ahead, right), ahead]), pose[:3, 3]
    upright[:3, 3] -= (1.1**back - 1) * ahead
    focal = size[1] / 2 / np.tan(np.radians(25))
    return project(points, upright, (focal, focal, size[0] / 2, size[1] / 2))


def _show(page: Any, frame: int) -> None:
    slider = page.locator("#workbench-frame")
    slider.fill(str(frame))
    until(page, lambda: page.locator(".framed").get_attribute("data-shown") == str(frame), 30)
    page.get_by_role("button", name="As the camera").click()


def _press_corners(page: Any, truth: SceneGeometry, thing: SceneObject, cloud: np.ndarray) -> None:
    """Press on two opposite corners of a thing, as a camera sees it that shows both in front."""
    camera, corners, tree = _camera(truth), _corners(thing.box), cKDTree(cloud)
    place = page.locator("figure.three canvas").bounding_box()
    size = place["width"], place["height"]
    best: tuple[float, int, int, np.ndarray] | None = None
    frames = sorted({one.frame for one in camera.sightings if one.object == thing.id})
    for frame, back in itertools.product(frames, (0, 4, 8)):
        pixels, depths = _view(camera.pose(frame), back, cloud, size)
        for pair in ((0, 7), (1, 6), (2, 5), (3, 4)):
            ends = cloud[tree.query(corners[list(pair)])[1]]
            at, away = _view(camera.pose(frame), back, ends, size)
            if not ((at > 9) & (at < np.array(size) - 9)).all() or away.min() < 0.3:
                continue
            fronts = [depths[(np.linalg.norm(pixels - one, axis=1) < 12) & (depths > 0.05)].min() for one in at]
            off = float(np.linalg.norm(ends - corners[list(pair)], axis=1).max() + (away - fronts).max())
            if best is None or off < best[0]:
                best = off, frame, back, ends
    assert best is not None
    _, frame, back, ends = best
    _show(page, frame)
    page.get_by_role("button", name="Pick two corners").click()
    page.locator("figure.three canvas").scroll_into_view_if_needed()
    for _ in range(back):
        page.locator("figure.three canvas").press("-")
    page.wait_for_timeout(500)
    place = page.locator("figure.three canvas").bounding_box()
    for x, y in _view(camera.pose(frame), back, ends, size)[0]:
        page.mouse.click(place["x"] + x, place["y"] + y)
        page.wait_for_timeout(200)


def _draw_rectangle(page: Any, truth: SceneGeometry, thing: SceneObject) -> None:
    """Draw a rectangle around a thing in the frame that shows most of it whole."""
    camera = _camera(truth)
    best: tuple[int, int, np.ndarray] | None = None
    for one in camera.sightings:
        pixels, _ = project(_corners(thing.box), camera.pose(one.frame), camera.intrinsics[0])
        ends = np.array([pixels.min(0) - 6, pixels.max(0) + 6])
        whole = (ends > 0).all() and (ends < np.array(camera.size)).all()
        if one.object == thing.id and whole and (best is None or one.pixels > best[0]):
            best = one.pixels, one.frame, ends
    assert best is not None
    _show(page, best[1])
    page.get_by_role("button", name="Draw in the frame").click()
    frame = page.locator(".framed")
    frame.scroll_into_view_if_needed()
    place = frame.bounding_box()
    scale = place["width"] / (camera.size or (1, 1))[0]
    (x0, y0), (x1, y1) = best[2] * scale + [place["x"], place["y"]]
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move(x1, y1, steps=4)
    page.mouse.up()


def _name(page: Any, name: str) -> str:
    """Name the object that was picked, once it is there; what was said of it."""
    told = page.locator("[data-picked]")
    until(page, lambda: "95 %" in told.inner_text() or "region" in told.inner_text(), 120)
    assert "95 %" in told.inner_text(), told.inner_text()
    page.locator("#workbench-name").fill(name)
    page.locator("#workbench-name").press("Tab")
    return str(told.inner_text())


def _overlap(one: OrientedBox, other: OrientedBox) -> float:
    """Intersection over union of upright boxes."""
    first, second = (shapely.convex_hull(shapely.multipoints(_corners(box)[:, :2])) for box in (one, other))
    (low, high), (floor, top) = ((_corners(box)[:, 2].min(), _corners(box)[:, 2].max()) for box in (one, other))
    shared = shapely.area(shapely.intersection(first, second)) * max(0.0, min(high, top) - max(low, floor))
    return float(shared / (sum(float(np.prod(box.extents)) for box in (one, other)) - shared))


def test_three_picked_objects_become_questions(
    page: Any, served: Served, room: tuple[Path, SceneGeometry], tmp_path: Path
) -> None:
    truth, cloud = room[1], served.picking.cloud().points
    things = {one.category: one for one in truth.scene.objects}
    named = {"coffee table": "coffee table", "trash can": "trash can", "suitcase": HOSTILE}
    for category in ("coffee table", "trash can"):
        _press_corners(page, truth, things[category], cloud)
        _name(page, category)
    _draw_rectangle(page, truth, things["suitcase"])
    _name(page, HOSTILE)
    page.get_by_role("button", name="Save the boxes").click()
    page.get_by_text("Saved").wait_for(timeout=120_000)
    page.locator("[data-workbench][data-ready]").wait_for(timeout=60_000)
    assert page.locator("img[src=x]").count() == 0
    assert page.title() != "1"
    assert httpx.get(served.link).status_code == 403

    facts = {one.category: one for one in read_corrections(tmp_path / "scenes") if isinstance(one, BoxIs)}
    fitted = {one.box: one for one in served.picking._fitted.values()}
    assert facts.keys() == set(named.values())
    for category, name in named.items():
        fact, true = facts[name], things[category].box
        assert fact.note == f"picked in the cloud: {fitted[fact.box]}"
        length, width = sorted(true.extents[:2], reverse=True)
        for side, size in zip(fitted[fact.box].sides, (length, width, true.extents[2]), strict=True):
            assert abs(side.value - size) <= side.error
        assert _overlap(fact.box, true) > 0.75

    (now,) = geometries_by_id(tmp_path / "scenes").values()
    assert all(one.lifted is None for one in now.scene.objects)
    assert not now.unseen
    camera = _camera(truth)
    for thing in now.scene.objects:
        own = next(key for key, name in named.items() if name == thing.category)
        shown = {one.frame for one in camera.sightings if one.object == things[own].id and one.pixels >= 200}
        picked = set(now.shown_frames[thing.id])
        looked = {one.frame for one in _camera(now).sightings}
        assert picked
        assert len(picked ^ (shown & looked)) <= 0.1 * len(looked)

    generate(GenerateConfig(scenes=tmp_path / "scenes", out=tmp_path / "bench", max_filter_rounds=0))
    items = open_folder(tmp_path / "bench").load(tmp_path / "bench", "all")
    asked = " ".join(item.question for item in items)
    assert all(name in asked for name in named.values())
