"""The page of floor plans: what it shows, and that names reach it as text."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from three_rooms import ROOMS
from tolman.cli import app
from tolman.geometry.ground_plane import outline
from tolman.reports.scene_pages import floor_plan_svg, page, plain, summary
from tolman.scene_table import write_captures, write_scenes
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, TrackPoint

HOSTILE = (
    "<script>alert(1)</script>",
    r"$\frac{",
    "_hidden",
    'a"><img src=x onerror=alert(1)>',
    "椅子 &amp; \u202eevil\x00",
)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.floats(-180, 180)] * 3), st.tuples(*[st.floats(0.01, 5)] * 3))
def test_an_outline_is_the_hull_of_the_corners_seen_from_above(
    turns: tuple[float, float, float], extents: tuple[float, float, float]
) -> None:
    shapely = pytest.importorskip("shapely", reason="the reference needs shapely")
    axes = Rotation.from_euler("zyx", turns, degrees=True).as_matrix()
    box = OrientedBox.model_validate({"center": (1, 2, 3), "axes": axes.tolist(), "extents": extents})
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    hull = shapely.convex_hull(shapely.multipoints(((signs * extents) @ axes + (1, 2, 3))[:, :2]))
    found = shapely.Polygon(outline(box))
    assert found.area == pytest.approx(hull.area, rel=1e-6, abs=1e-9)
    assert found.hausdorff_distance(hull) < 1e-6
    assert found.exterior.is_ccw


def hostile() -> tuple[Scene, Capture]:
    things = [
        SceneObject(id=name, category=name, box=OrientedBox(center=(2.0 * i, 0, 0.5), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), extents=(1.9, 1.0, 1.0)))
        for i, name in enumerate(HOSTILE)
    ]  # fmt: skip
    moving = things[0].model_copy(
        update={"track": (TrackPoint(seconds=0, center=(0, 0, 0), axes=things[0].box.axes), TrackPoint(seconds=1, center=(1, 1, 0), axes=things[0].box.axes))}
    )  # fmt: skip
    scene = Scene(id="x/<b>scene</b>", dataset="<i>x</i>", objects=(moving, *things[1:]), video="</style><script>")
    pose = (1.0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1.5, 0, 0, 0, 1)
    lost = (float("nan"),) * 16
    capture = Capture(
        id="c", scene=scene.id, sensor="camera", role=r"$\bad <u>", times=(0, 1, 2),
        poses=(pose, lost, (*pose[:3], 2.0, *pose[4:])),
    )  # fmt: skip
    return scene, capture


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_hostile_names_are_text() -> None:
    scene, capture = hostile()
    text = page("<title>", [summary(scene, [capture])], [floor_plan_svg(scene, [capture])], [])
    found = Page(text)
    assert not found.tags & {"script", "img", "i", "u", "iframe"}
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert not [
        value
        for name, value in found.attributes
        if name in ("href", "src", "xlink:href") and not (value or "").startswith("#")
    ]
    joined = "\n".join(found.texts)
    for name in HOSTILE:
        # In the list of categories, and in the plan, where it may be cut.
        assert plain(name) in joined
        assert plain(name, 24) in joined
    assert "\u202e" not in text
    assert "\x00" not in text


def test_a_plan_shows_floor_boxes_and_ways(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["scenes", str(ROOMS), "--out", str(tmp_path / "p.html"), "--most", "2"])
    assert result.exit_code == 0
    assert "3 scenes" in result.stdout
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert text.count('href="#s') >= 2
    assert "The first 2 scenes have a plan" in text
    assert "http" not in "".join(Page(text).texts)


def test_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scene, capture = hostile()
    write_scenes(tmp_path / "c", [scene])
    write_captures(tmp_path / "c", [capture])
    result = CliRunner().invoke(app, ["scenes", "c", "--json"])
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)["scenes"]
    assert found["categories"] == dict.fromkeys(HOSTILE, 1)
    assert found["captures"][0]["metres"] == pytest.approx(2.0)
    assert not (tmp_path / "scenes.html").exists()


def test_released_meta_info(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "vsi-bench" / "meta_info"
    result = CliRunner().invoke(app, ["scenes", str(folder), "--out", str(tmp_path / "p.html"), "--most", "1"])
    assert result.exit_code == 0
    assert "288 scenes, 3,185 objects" in result.stdout
