"""The scene workbench in Chromium: looking, moving boxes by mouse and by keyboard, and what comes of it."""

import json
import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

pytest.importorskip("shapely", reason="generating needs the extra 'build'")

from making import make_rig
from reviewing import ROOT, Serve, Served, enter, opened_page, serving, settings_of, snap, until
from three_rooms import ROOMS
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.generate.presets import preset
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.released_audit import AuditFinding, audit as compute
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.ingest.media_pool import bring_in
from tolman.items import Item
from tolman.review.store import Decision, ItemVersion
from tolman.scenes import Event

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SOFTWARE_WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
pytestmark = pytest.mark.full


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with three rooms and a benchmark of questions about them."""
    shutil.copytree(ROOMS, tmp_path / "scenes")
    generate(GenerateConfig(scenes=tmp_path / "scenes", out=tmp_path / "bench", per_scene=12))
    return tmp_path


@pytest.fixture(scope="module", params=["webgl", "none"])
def drawing(request: pytest.FixtureRequest) -> str:
    """Whether the browser draws in three dimensions."""
    return str(request.param)


in_three_dimensions = pytest.mark.parametrize("drawing", ["webgl"], indirect=True)
"""What pages show without WebGL is in the other tests."""


@pytest.fixture(scope="module")
def browser(drawing: str) -> Iterator[Any]:
    """Headless Chromium with WebGL by software, or without any."""
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    flags = SOFTWARE_WEBGL if drawing == "webgl" else ["--disable-gpu", "--disable-3d-apis"]
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS + flags)
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, rooms: Served) -> Iterator[Any]:
    """A page; an error in a script or of the policy fails the test."""
    with opened_page(browser, rooms.url, 1440, 900) as opened:
        yield opened


def _all(made: Path) -> list[Item]:
    return open_folder(made / "bench").load(made / "bench", "all")


def _contents(rooms: Served) -> dict[str, tuple[int, str]]:
    """Item → the current version's number and its bytes."""
    with rooms.site.database.read() as db:
        found = db.scalars(select(ItemVersion).order_by(ItemVersion.id))
        return {one.item: (one.version, json.dumps(one.content, sort_keys=True)) for one in found}


def _open(page: Any, rooms: Served, item: Item) -> None:
    with rooms.site.database.read() as db:
        version = db.scalar(
            select(ItemVersion.id).where(ItemVersion.item == item.id).order_by(ItemVersion.id.desc()).limit(1)
        )
    page.goto(f"/workbench/{version}")
    page.locator("[data-workbench][data-ready]").wait_for(timeout=60_000)


def _choose(page: Any, identity: str) -> None:
    page.locator("#workbench-object").select_option(identity)


def _save(page: Any, note: str) -> None:
    page.get_by_label("Reason of the correction").fill(note)
    page.get_by_role("button", name="Save and make the items again").click()
    page.get_by_text("Last correction").wait_for(timeout=60_000)


def _drag_in_view(page: Any, by: tuple[int, int]) -> None:
    """Drag the chosen box in the view in three dimensions, by a place of it that no handle covers."""
    figure = page.locator("figure.three")
    until(page, lambda: figure.get_attribute("data-at") is not None)
    page.locator("figure.three canvas").scroll_into_view_if_needed()
    x, y = (float(v) for v in figure.get_attribute("data-at").split(","))
    place = page.locator("figure.three canvas").bounding_box()
    page.mouse.move(place["x"] + x, place["y"] + y)
    page.wait_for_timeout(300)
    page.mouse.down()
    for share in (0.3, 0.6, 1.0):
        page.mouse.move(place["x"] + x + by[0] * share, place["y"] + y + by[1] * share)
        page.wait_for_timeout(100)
    page.mouse.up()


def _drag_on_plan(page: Any, by: tuple[int, int]) -> None:
    """Drag the chosen box on the floor plan."""
    chosen = page.locator(".plan-host path.facing").last
    chosen.scroll_into_view_if_needed()
    place = chosen.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0] / 2, y + by[1] / 2)
    page.mouse.move(x + by[0], y + by[1])
    page.mouse.up()


def _scenes(made: Path) -> dict[str, SceneGeometry]:
    return {one.scene.id: one for one in open_collection(made / "scenes") if isinstance(one, SceneGeometry)}


def _audited(made: Path, items: list[Item]) -> dict[str, AuditFinding]:
    """What `tolman audit` computes of items from the scenes as they are now."""
    return {one.id: one for one in compute(items, _scenes(made), preset("vsi-paper").settings)}


def _box_to_move(made: Path) -> tuple[Item, str, str]:
    """A question about a distance, and the id and name of the thing in it that most questions of its scene name."""
    everything = _all(made)
    best: tuple[int, Item, str, str] | None = None
    for item in everything:
        if item.task != "object_abs_distance":
            continue
        geometry = _scenes(made)[item.scene or ""]
        for name in categories_in(item):
            thing = geometry.scene.of(geometry.category(name))[0]
            count = sum(one.scene == item.scene and name in categories_in(one) for one in everything)
            if thing.box.extents[2] > 0.4 and (best is None or count > best[0]):
                best = count, item, thing.id, name
    assert best is not None
    return best[1:]


def _check(
    made: Path, rooms: Served, items: list[Item], before: dict[str, AuditFinding], old: dict[str, tuple[int, str]],
    name: str,
) -> set[str]:  # fmt: skip
    """Hold what came of a correction against the audit before and after it; which items changed or went."""
    after, new = _audited(made, items), _contents(rooms)
    with rooms.site.database.read() as db:
        discarded = select(ItemVersion.item).join(Decision).where(Decision.verdict == "discard")
        gone = set(db.scalars(discarded))
    changed = {item for item in new if new[item] != old[item]}
    assert all(new[item][0] == old[item][0] + 1 for item in changed)
    concerned = {one for one, found in after.items() if found.verdict != before[one].verdict}
    assert any(found.status == "differs" for found in after.values()), "no answer depends on so short a move"
    assert changed | gone == concerned  # all others are byte-equal, and of the same version
    by_id = {item.id: item for item in items}
    # What is moved may come into the way of a route that doesn't name it.
    assert all(name in categories_in(by_id[one]) or by_id[one].task == "route_planning" for one in concerned)
    assert not changed & gone
    kept = [Item.model_validate(json.loads(content)) for one, (_, content) in new.items() if one not in gone]
    assert {one.verdict for one in _audited(made, kept).values()} == {"sound"}
    assert all(json.loads(new[one][1])["id"] == one for one in changed)
    return concerned


def test_moving_a_box_changes_the_answers_that_depend_on_it_and_nothing_else(
    page: Any, rooms: Served, made: Path, drawing: str
) -> None:
    rooms.project("review", people=1)
    enter(page, rooms, "owner", "Olga")
    item, identity, name = _box_to_move(made)
    items, old = _all(made), _contents(rooms)
    before = _audited(made, items)
    assert {one.verdict for one in before.values()} == {"sound"}
    _open(page, rooms, item)
    _choose(page, identity)
    center = [float(page.locator(f"#workbench-{axis}").input_value()) for axis in "xyz"]
    if drawing == "webgl":
        _drag_in_view(page, (60, 45))
    else:
        assert page.get_by_text("it has no WebGL").count() == 1
        _drag_on_plan(page, (70, 40))
    moved = [float(page.locator(f"#workbench-{axis}").input_value()) for axis in "xyz"]
    assert 0.2 < abs(moved[0] - center[0]) + abs(moved[1] - center[1]) < 6
    assert moved[2] == center[2]
    assert page.get_by_text("Not saved yet: 1 changed.").count() == 1
    if drawing == "webgl":
        _snap(page, "moved", ".views")
    _save(page, "it stands elsewhere in the video")
    [fact] = json.loads((made / "scenes" / "corrections.json").read_text())["corrections"]
    assert (fact["fact"], fact["scene"], fact["object"]) == ("box", item.scene, identity)
    assert fact["box"]["center"] == pytest.approx(moved, abs=1e-4)
    mouse = _check(made, rooms, items, before, old, name)
    assert mouse

    # By keyboard alone, from the top of the page: back to where it was, and all is as before.
    page.locator("#workbench-object").focus()
    _choose(page, identity)
    for axis, value in zip("xyz", center, strict=True):
        page.locator(f"#workbench-{axis}").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type(repr(value))
        page.keyboard.press("Tab")
    page.get_by_label("Reason of the correction").focus()
    page.keyboard.type("it stood right after all")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, lambda: page.get_by_text("Last correction").count() == 1, 60)
    until(page, lambda: "at " + ", ".join(f"{v:.2f}" for v in center) in page.locator(".done").inner_text(), 60)
    back = _contents(rooms)
    assert all(back[one] == old[one] for one in old if one not in mouse)
    gone = set(rooms.scalars(select(ItemVersion.item).join(Decision).where(Decision.verdict == "discard")))
    for one in mouse - gone:  # under the same id and letter
        was, now = json.loads(old[one][1]), json.loads(back[one][1])
        assert now["answer"] == was["answer"], one


def _snap(page: Any, name: str, place: str = "main") -> None:
    """Leave a picture for the documentation, where somebody asks for it."""
    if os.environ.get("TOLMAN_SCREENSHOTS"):
        page.wait_for_timeout(1500)
        page.locator(place).first.screenshot(path=ROOT / "docs" / "images" / f"workbench-{name}.png", caret="initial")


def test_frame_video_and_views_go_together(page: Any, rooms: Served, made: Path, drawing: str) -> None:
    rooms.project("review", people=1)
    enter(page, rooms, "owner", "Olga")
    item, identity, name = _box_to_move(made)
    _open(page, rooms, item)
    video, shown = page.locator(".work .media video"), page.locator(".workbench .framed")
    until(page, lambda: video.evaluate("v => v.readyState > 1"), 30)
    for number in (40, 41, 87):  # the scrubber leads
        page.locator("#workbench-frame").fill(str(number))
        until(page, lambda: shown.get_attribute("data-shown") == str(number), 30)  # noqa: B023
        until(page, lambda: not video.evaluate("v => v.seeking"), 30)
        assert int(video.evaluate("v => v.currentTime") * 15) == number  # 15 frames a second
        assert f"frame {number} of 119" in page.locator("[data-frame]").inner_text()
    page.locator("#workbench-frame").focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: shown.get_attribute("data-shown") == "88", 30)
    video.evaluate("v => { v.currentTime = 20.5 / 15; }")  # the video leads
    until(page, lambda: shown.get_attribute("data-shown") == "20", 30)
    _choose(page, identity)
    best = page.locator("[data-best] button").first
    assert f"Best frame of the {name}" in best.inner_text()
    best.click()
    until(page, lambda: shown.get_attribute("data-shown") not in ("20", "88"), 30)
    until(page, lambda: page.locator(".framed path.chosen").count() == 1)
    box = page.locator(".framed path.chosen").bounding_box()
    frame = shown.bounding_box()
    assert frame["x"] - 1 <= box["x"] + box["width"] / 2 <= frame["x"] + frame["width"] + 1
    if drawing == "webgl":
        _snap(page, "owner", ".workbench")
    page.set_viewport_size({"width": 1280, "height": 800})  # what is drawn in three dimensions is no picture to zoom
    until(page, lambda: page.evaluate("innerWidth") == 1280)


def test_objects_are_added_named_resized_turned_and_removed_by_keyboard(page: Any, rooms: Served, made: Path) -> None:
    rooms.project("review", people=1)
    enter(page, rooms, "owner", "Olga")
    item, identity, name = _box_to_move(made)
    _open(page, rooms, item)
    page.get_by_role("button", name="Add an object").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("birdcage")  # the name has the focus
    for field, value in (
        ("x", "0.5"),
        ("y", "0.25"),
        ("z", "0.4"),
        ("length", "0.3"),
        ("width", "0.2"),
        ("height", "0.8"),
        ("turn", "30"),
    ):
        page.locator(f"#workbench-{field}").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type(value)
        page.keyboard.press("Tab")
    page.locator("#workbench-height").focus()
    page.keyboard.press("ArrowUp")  # by 5 cm
    assert page.locator("#workbench-height").input_value() == "0.85"
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    assert page.locator("#workbench-height").input_value() == "0.8"
    _choose(page, identity)
    page.get_by_role("button", name="Remove the object").focus()
    page.keyboard.press("Enter")
    assert page.get_by_text("Not saved yet: 1 added, 1 removed.").count() == 1
    _save(page, "as the video shows")
    facts = json.loads((made / "scenes" / "corrections.json").read_text())["corrections"]
    assert next((one["fact"], one["object"]) for one in facts) == ("absent", identity)
    box, added = facts[1]["box"], facts[1]
    assert (added["category"], box["center"], box["extents"]) == ("birdcage", [0.5, 0.25, 0.4], [0.3, 0.2, 0.8])
    assert box["axes"][0] == pytest.approx([math.cos(math.pi / 6), 0.5, 0])
    scene = _scenes(made)[item.scene or ""].scene
    assert [one.id for one in scene.of("birdcage")] == [added["object"]]
    assert identity not in {one.id for one in scene.objects}
    gone = set(rooms.scalars(select(ItemVersion.item).join(Decision).where(Decision.verdict == "discard")))
    asked = {one.id for one in _all(made) if one.scene == item.scene and name in categories_in(one)}
    assert item.id in gone <= asked


@pytest.mark.parametrize("width", [390, 1440])
def test_every_page_with_a_scene_is_accessible(
    browser: Any, rooms: Served, made: Path, drawing: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    project = rooms.project("review", people=1)
    ann = rooms.person("reviewer", "Ann")
    path = ann.get(f"/projects/{project}/work").url.path
    answer = "1" if "inputmode" in ann.last.text else "A"
    ann.post(f"{path}/answer", answer=answer, seconds=3)
    # A context of its own: axe itself sets styles that the policy forbids.
    context = browser.new_context(base_url=rooms.url, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.context.add_cookies([{"name": "tolman", "value": ann.http.cookies["tolman"], "url": rooms.url}])
    found = {}

    def look(where: str) -> None:
        page.locator("[data-workbench][data-ready]").wait_for(timeout=60_000)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(500)
            told = axe.run(page).response
            assert len(told["passes"]) > 10
            for violation in told["violations"]:
                found[where, scheme, violation["id"]] = [node["html"][:150] for node in violation["nodes"]]
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"), where

    page.goto(path)
    look("review")
    ann.post(f"{path}/decide", verdict="flag", target="scene", reason="look")
    page.context.clear_cookies()
    enter(page, rooms, "owner", "Olga")
    page.goto("/flags/1")
    look("flag")
    context.close()
    assert not found


@in_three_dimensions
@pytest.mark.parametrize("chosen", ["vsi-paper", "mmsi", "spatialbench", "site"])
def test_evidence_of_every_question_type_is_drawn(browser: Any, tmp_path: Path, chosen: str) -> None:
    bench, scenes = tmp_path / chosen, Path(shutil.copytree(ROOMS, tmp_path / "scenes"))
    if chosen == "site":  # its questions are about recordings by two cameras
        events = ((9.0, "cut"), (14.0, "stir"))
        keysteps = tuple(Event(start=at, end=at + 1, label=label, kind="keystep") for at, label in events)
        scenes = make_rig(tmp_path / "rig", keysteps)
    generate(GenerateConfig(scenes=scenes, out=bench, preset=chosen, per_scene=3))
    by_task: dict[str, Item] = {}
    for item in open_folder(bench).load(bench, "all"):
        by_task.setdefault(item.labels["family"] if chosen == "site" else item.task, item)
    with serving(*settings_of(bench, tmp_path / f"store-{chosen}", None)) as served:
        served.project("review", people=1)
        context = browser.new_context(base_url=served.url, viewport={"width": 1280, "height": 900})
        page = context.new_page()
        enter(page, served, "owner", "Olga")
        for number, item in enumerate(by_task.values()):
            _open(page, served, item)
            told = page.locator("[data-evidence]").inner_text()
            drawn = page.locator(".plan-host").locator(
                ".measure, .wedge, .route, .view-cone, .area, .stop, .thing.named"
            )
            assert drawn.count() > 0, (item.task, told)
            assert "isn't drawn" not in told, (item.task, told)
            assert page.locator("figure.three canvas").count() == 1
            _snap(page, f"evidence-{chosen}-{number}", ".views")
        context.close()
    assert len(by_task) > (5 if chosen != "site" else 0)


@in_three_dimensions
@pytest.mark.parametrize("prefix", ["", "/tolman"])
def test_the_scene_is_there_while_a_question_about_it_is_written(
    browser: Any, tmp_path: Path, serve: Serve, prefix: str
) -> None:
    shutil.copytree(ROOMS, tmp_path / "scenes")
    bring_in([tmp_path / "scenes" / "videos"], tmp_path / "pool", source="Rooms", licence="CC BY 4.0")
    served = serve(
        tmp_path / "fresh",
        pool=tmp_path / "pool",
        scenes=tmp_path / "scenes",
        base_url=f"http://localhost{prefix}" if prefix else None,
    )
    project = served.project("write", questions=1)
    page = browser.new_context(base_url=served.url, viewport={"width": 1440, "height": 900}).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    enter(page, served, "annotator", "Ann")
    page.goto(f"{prefix}/projects/{project}/work")
    page.locator("#pool").get_by_role("button", name="Choose").first.click()
    page.get_by_role("button", name="Show its scene").press("Enter")
    page.locator("[data-workbench][data-ready]").wait_for(timeout=60_000)
    assert page.locator("#workbench-object option").count() > 5
    assert page.locator("[data-workbench] img").first.evaluate("i => i.complete && i.naturalWidth > 0")
    assert page.locator("[data-workbench] button", has_text="Save").count() == 0
    assert [path for path in asked if not path.startswith(f"{prefix}/")] == []
    assert len(asked) > 20
    page.locator("[data-workbench]").scroll_into_view_if_needed()
    snap(page, "write-scene")
    page.context.close()
