"""Planning routes on a floor plan."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="routes need the extra 'build'")

from making import HOSTILE, make_rooms, violations, written
from reviewing import Client, Serve, Served, at_work, press_media_keys, snap
from tolman.generate.families.vsi_bench.route_plan import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.item_table import read_items
from tolman.review.accounts import AccountError
from tolman.review.modes.route_planning import SETTINGS
from tolman.review.projects.project_export import publish
from tolman.review.tasks import item_of


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_rooms(tmp_path_factory.mktemp("rooms"))


@pytest.fixture
def served(benchmark: Path, rooms: Path, database: str | None, serve: Serve) -> Served:
    return serve(benchmark, database, scenes=rooms)


def _send(client: Client, path: str, start: str, stops: list[str], facing: str = "") -> Any:
    fields = {"start": start, "facing": facing, "stop": stops, "seconds": "2"}
    return client.post(path, **fields)


def test_a_route_becomes_a_question_with_the_scene_s_truth(served: Served, rooms: Path, tmp_path: Path) -> None:
    project = served.project("routes", routes=4)
    ann = served.person("annotator", "Ann")
    page = ann.get(f"/projects/{project}/work")
    path = page.url.path
    assert path.startswith("/routes/")
    assert HOSTILE not in page.text
    assert (
        ann.get(page.text.split('<video controls preload="metadata" playsinline src="')[1].split('"')[0]).status_code
        == 200
    )
    for start, stops, facing, sentence in (
        ("", [], "", "Choose where the route begins"),
        ("door", ["bed"], "", "2 to 5 stops"),
        ("door", ["chair", "sofa"], "", "“chair” can&#39;t be named"),
        ("door", ["bed", "door"], "", "twice"),
        ("door", ["lamp", "plant"], "door", "twice"),
        ("door", ["lamp", "bed"], "", "A turn is ambiguous"),
        ("bed", ["sofa", "lamp"], "", "chair stands in the way"),
        ("door", ["nothing", "bed"], "", "can&#39;t be named"),
    ):  # fmt: skip
        told = _send(ann, f"{path}/plan", start, stops, facing).text
        assert sentence in told, told
        assert _send(ann, path, start, stops, facing).status_code == 422
    assert not written(served, project)
    preview = _send(ann, f"{path}/plan", "door", ["bed", "sofa"]).text
    assert "beginning at the door facing the bed" in preview
    assert 'Turn Left <span class="tag good">✓' in preview
    assert "selected>bed" in ann.get(path).text
    for start, stops, facing in (
        ("door", ["bed", "sofa"], ""), ("door", ["bed", "sofa"], "lamp"), ("lamp", ["door", "bed"], ""),
    ):  # fmt: skip
        path = ann.get(f"/projects/{project}/work").url.path
        assert _send(ann, path, start, stops, facing).status_code == 200
    path = ann.get(f"/projects/{project}/work").url.path
    assert "there already" in _send(ann, path, "door", ["bed", "sofa"]).text

    made = [item_of(version) for version in written(served, project)]
    truths = [(item.evidence["stops"], item.evidence.get("facing"), item.answer_text) for item in made]
    assert truths == [
        (["door", "bed", "sofa"], None, "Turn Left"),
        (["door", "bed", "sofa"], "lamp", "Turn Right, Turn Left"),
        (["lamp", "door", "bed"], None, "Turn Left"),
    ]
    letters = [item.answer for item in made if len(item.options) == 3]
    assert letters == ["A", "B"]  # whichever is right least often
    (geometry,) = [g for g in open_collection(rooms) if isinstance(g, SceneGeometry) and g.scene.video]
    for item in made:
        again = recompute(geometry, item, SETTINGS)
        assert (again.exact, again.violations) == (item.answer_text, ())
    publish(served.site, tmp_path / "out")
    published = read_items(tmp_path / "out" / "items.parquet")
    assert {item.id for item in made} < {item.id for item in published}
    assert (tmp_path / "out" / "videos" / "room.mp4").read_bytes() == (rooms / "videos" / "room.mp4").read_bytes()
    owner = served.person("owner", "Olga")
    assert "Turn Left" in owner.get(f"/projects/{project}/progress").text
    assert served.person("annotator", "Bob").get(path).status_code == 404


def test_a_route_is_taken_back_and_planned_again(served: Served, tmp_path: Path) -> None:
    project = served.project("routes", routes=2)
    ann = served.person("annotator", "Ann")
    first = ann.get(f"/projects/{project}/work").url.path
    _send(ann, first, "door", ["bed", "sofa"])
    (made,) = written(served, project)
    back = ann.post(f"/projects/{project}/undo")
    assert back.url.path == first
    assert "selected>bed" in back.text
    assert not written(served, project)
    publish(served.site, tmp_path / "without")
    assert made.item not in {item.id for item in read_items(tmp_path / "without" / "items.parquet")}
    _send(ann, first, "door", ["bed", "sofa"], "lamp")
    _send(ann, first, "lamp", ["door", "bed"])  # a double click is one route still
    (again,) = written(served, project)
    assert (again.item, again.version) == (made.item, 2)
    assert item_of(again).answer_text == "Turn Right, Turn Left"
    publish(served.site, tmp_path / "out")
    assert [item.answer_text for item in read_items(tmp_path / "out" / "items.parquet") if item.id == made.item] == [
        "Turn Right, Turn Left"
    ]


@pytest.mark.parametrize("mode", ["routes", "distractors"])
def test_without_scenes(served_sqlite: Served, mode: str) -> None:
    with pytest.raises(AccountError, match="--scenes FOLDER"):
        served_sqlite.project(mode)


@pytest.mark.parametrize("database", [None])
def test_a_route_is_planned_on_the_page(page: Any, served: Served) -> None:
    project = served.project("routes", routes=2)
    at_work(page, served, "annotator", "Ann", project)
    page.locator("[data-landmark=door]").click()
    page.locator("[data-landmark=bed]").click()
    page.get_by_text("2 to 5 stops").wait_for()
    page.locator("[data-landmark=sofa]").click()
    page.get_by_text("The route is clear").wait_for()
    assert page.locator("svg polyline.way").count() == 1
    page.get_by_label("facing").select_option("lamp")
    page.get_by_text("1. [please fill in] 2. Go forward until the bed").wait_for()
    page.set_viewport_size({"width": 1180, "height": 1050})
    page.evaluate("scrollTo(0, 0)")
    snap(page, "routes")
    assert not violations(page)
    page.get_by_role("button", name="Submit the route").click()
    page.get_by_text("2 of 2", exact=True).wait_for()

    # By keyboard alone, and over a lost connection.
    for label, letters in (("The robot begins at", "la"), ("Stop 1", "do"), ("Stop 2", "be")):
        page.get_by_label(label, exact=True).focus()
        page.keyboard.type(letters)
    page.get_by_text("The route is clear").wait_for()
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit the route").press("Enter")
    page.get_by_text("The connection is lost").wait_for()
    page.context.set_offline(False)
    page.get_by_role("heading", name="Nothing is left to do").wait_for(timeout=15000)
    answers = [item_of(version).answer_text for version in written(served, project)]
    assert answers == ["Turn Right, Turn Left", "Turn Left"]
    assert page.title() != "owned"


@pytest.mark.parametrize("database", [None])
def test_media_keys_leave_the_route_as_it_was_chosen(page: Any, served: Served) -> None:
    project = served.project("routes", routes=4)
    at_work(page, served, "annotator", "Ann", project)
    for label, value in (("The robot begins at", "door"), ("Stop 1", "bed"), ("Stop 2", "sofa")):
        field = page.get_by_label(label, exact=True)
        field.select_option(value)
        press_media_keys(page)
        field.focus()
        for key in ("Space", "ArrowRight", "ArrowLeft", "Space"):  # up and down do move in a list
            page.keyboard.press(key)
        assert field.input_value() == value
    page.get_by_text("The route is clear").wait_for()
    page.get_by_role("button", name="Submit the route").click()
    page.locator(".place-bar", has_text="2 of").wait_for()
    (version,) = written(served, project)
    assert "beginning at the door facing the bed" in item_of(version).question
