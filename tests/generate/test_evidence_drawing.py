"""What is drawn on a plan, against another computation of it."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tolman
import tolman.reports.evidence_marks as marks_module
from making import thing
from three_rooms import ROOMS
from tolman.generate.evidence_drawing import evidence_on_plan
from tolman.generate.families.spatialbench.causal import to_load
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item
from tolman.reports.evidence_marks import nearest_points
from tolman.reports.site.data_shards import plan_of
from tolman.scene_table import read_captures, read_scenes
from tolman.scenes import Capture, Scene, Sighting, TrackPoint


@pytest.fixture
def room() -> SceneGeometry:
    """A room of four things; there are two chairs."""
    things = (thing("tv", 0, 0), thing("sofa", 3, 0), thing("lamp", 0, 4), thing("chair", 5, 5), thing("chair", 3, 1))
    return SceneGeometry(Scene(id="r", dataset="d", objects=things, floor=(((-1, -1), (6, -1), (6, 6), (-1, 6)),)))


def item(question: str, task: str, answer: str = "A", options: tuple[str, ...] = ("a", "b"), **more: Any) -> Item:
    kind = "choice" if options else "number"
    return Item(id="1", question=question, kind=kind, answer=answer, options=options, task=task, scene="r", **more)


def test_the_ends_of_a_line_are_as_near_as_the_outlines_come() -> None:
    shapely = pytest.importorskip("shapely", reason="the independent computation is shapely's")
    chance = np.random.default_rng(0)
    for _ in range(20):
        a = np.array(shapely.convex_hull(shapely.multipoints(chance.uniform(0, 2, (6, 2)))).exterior.coords)[:-1]
        b = np.array(shapely.convex_hull(shapely.multipoints(chance.uniform(3, 5, (6, 2)))).exterior.coords)[:-1]
        one, other = nearest_points(a, b)
        assert np.linalg.norm(one - other) == pytest.approx(shapely.distance(shapely.Polygon(a), shapely.Polygon(b)))
        assert shapely.distance(shapely.Polygon(a), shapely.Point(one)) < 1e-9
        assert shapely.distance(shapely.Polygon(b), shapely.Point(other)) < 1e-9


def test_a_distance_is_a_line_between_the_two_things_with_its_length(room: SceneGeometry) -> None:
    asked = item(
        "Measuring from the closest point of each object, what is the distance between the tv and the sofa (in meters)?",
        "object_abs_distance", "2.6", (), unit="m",
    )  # fmt: skip
    *objects, line = evidence_on_plan(asked, room).marks
    assert [(mark["name"], mark["objects"]) for mark in objects] == [("tv", [0]), ("sofa", [1])]
    assert line["metres"] == pytest.approx(3 - 0.4, abs=1e-3)
    assert line["from"][0] == pytest.approx(0.2)
    assert line["to"][0] == pytest.approx(2.8)


def test_options_are_each_joined_to_what_they_are_compared_by(room: SceneGeometry) -> None:
    asked = item(
        "Measuring from the closest point of each object, which of these objects (sofa, lamp, chair) is the closest to "
        "the tv?", "object_rel_distance", "A", ("sofa", "lamp", "chair"),
    )  # fmt: skip
    lines = [mark for mark in evidence_on_plan(asked, room).marks if mark["kind"] == "line"]
    assert {line["name"]: line["metres"] for line in lines} == {
        name: pytest.approx(room.exact_distance("tv", name), abs=1e-3) for name in ("sofa", "lamp", "chair")
    }


def test_a_direction_is_a_wedge_counter_clockwise(room: SceneGeometry) -> None:
    asked = item(
        "If I am standing by the tv and facing the sofa, is the lamp to the left or the right of the sofa?",
        "object_rel_direction_easy", "A", ("left", "right"),
    )  # fmt: skip
    wedge = evidence_on_plan(asked, room).marks[-1]
    assert wedge == {"kind": "wedge", "at": [0, 0], "facing": [3, 0], "toward": [0, 4], "degrees": 90.0}


def test_what_the_scene_lacks_is_not_drawn(room: SceneGeometry) -> None:
    asked = item(
        "If I am standing by the tv and facing the piano, is the lamp to the left or the right of the piano?",
        "object_rel_direction_easy", "A", ("left", "right"),
    )  # fmt: skip
    assert [mark["kind"] for mark in evidence_on_plan(asked, room).marks] == ["objects", "objects"]
    assert evidence_on_plan(item("How are you?", "none"), room).marks == []


def test_a_plan_has_floor_things_and_the_cameras_way() -> None:
    scene, captures = next(read_scenes(ROOMS)), list(read_captures(ROOMS))
    own = [one for one in captures if one.scene == scene.id]
    plan = plan_of(SceneGeometry(scene, own))
    assert len(plan["objects"]) == len(scene.objects)
    assert len(plan["floor"][0]) == len(scene.floor[0])
    camera = plan["cameras"][0]
    assert camera["places"][0] == pytest.approx([own[0].pose(0)[0, 3], own[0].pose(0)[1, 3]], abs=1e-3)
    assert camera["seconds"][0] == 0
    assert len(camera["places"]) == len(camera["views"]) == len(camera["seconds"]) <= 240


def kinds(marks: list[dict[str, Any]]) -> list[str]:
    return [mark["kind"] for mark in marks if mark["kind"] != "objects"]


def camera(name: str, x: float, y: float, ahead: tuple[float, float], **more: Any) -> Capture:
    """A camera that stands still, level, for three seconds."""
    a, b = ahead
    pose = (-b, 0.0, a, x, a, 0.0, b, y, 0.0, -1.0, 0.0, 1.5, 0.0, 0.0, 0.0, 1.0)
    return Capture(
        id=name, scene="r", sensor="camera", media=f"{name}.mp4", size=(200, 100), times=(0.0, 1.0, 2.0),
        poses=(pose,) * 3, intrinsics=((100.0, 100.0, 100.0, 50.0),), **more,
    )  # fmt: skip


def test_a_bearing_is_a_wedge_from_its_stored_ends_with_the_pictures_cameras(room: SceneGeometry) -> None:
    cameras = SceneGeometry(room.scene, (camera("a", 1, 1, (1, 0)), camera("b", 2, 3, (0, 1))))
    asked = item(
        "When I took the first image, where was the lamp relative to me?", "Positional Relationship (Cam.–Obj.)",
        evidence={"angle": 108.4349, "origin": [1, 1], "target": [0, 4], "shots": [["a", 0, None], ["b", 2, None]]},
    )  # fmt: skip
    drawn = evidence_on_plan(asked, cameras)
    assert drawn.undrawn == ""
    assert kinds(drawn.marks) == ["wedge", "view", "view"]
    wedge, first, second = drawn.marks[-3:]
    assert wedge["at"] == [1, 1]
    assert wedge["toward"] == [0, 4]
    assert wedge["degrees"] == pytest.approx(108.4, abs=0.1)
    assert wedge["facing"][1] == pytest.approx(1, abs=1e-3)  # as the first camera looks, along x
    assert (first["name"], first["at"], first["ahead"], first["half"]) == ("1", [1, 1], [1, 0], 45.0)
    assert (second["name"], second["at"], second["ahead"]) == ("2", [2, 3], [0, 1])


def test_pictures_of_one_place_share_a_camera(room: SceneGeometry) -> None:
    still = SceneGeometry(room.scene, (camera("a", 1, 1, (1, 0)),))
    asked = item("Which?", "none", evidence={"shots": [["a", 0, None], ["a", 1, None], ["gone", 0, None]]})
    drawn = evidence_on_plan(asked, still)
    assert [(mark["name"], mark["at"]) for mark in drawn.marks] == [("1, 2", [1, 1])]


def test_measures_and_areas_stand_on_what_they_measure(room: SceneGeometry) -> None:
    size = item(
        "What is the length of the longest dimension (length, width, or height) of the tv, measured in centimeters?",
        "object_size_estimation", "40", (), evidence={"extents": [0.4, 0.2, 0.3]},
    )  # fmt: skip
    assert evidence_on_plan(size, room).marks[-1] == {"kind": "size", "object": 0, "text": "40 × 30 × 20 cm"}
    area = item(
        "What is the size of this room (in square meters)?", "room_size_estimation", "49", (), evidence={"area": 49}
    )
    (mark,) = evidence_on_plan(area, room).marks
    assert (mark["kind"], mark["text"], len(mark["rings"][0])) == ("area", "49.0 m²", 4)


def test_a_count_highlights_all_and_says_how_many(room: SceneGeometry) -> None:
    asked = item("How many chair(s) are in this room?", "object_counting", "2", (), evidence={"count": 2})
    assert evidence_on_plan(asked, room).marks[-1] == {"kind": "objects", "name": "chair", "objects": [3, 4], "text": "chair: 2"}  # fmt: skip


def test_first_sights_lead_from_the_camera_in_the_order_of_time(room: SceneGeometry) -> None:
    seen = tuple(Sighting(frame=f, object=room.scene.objects[n].id, pixels=900) for f, n in ((0, 1), (2, 0)))
    watched = SceneGeometry(room.scene, (camera("a", 1, 2, (1, 0), sightings=seen),))
    asked = item(
        "What will be the first-time appearance order of the following categories in the video: tv, sofa?",
        "obj_appearance_order", evidence={"first_seen": {"tv": 2.0, "sofa": 0.0}},
    )  # fmt: skip
    sights = evidence_on_plan(asked, watched).marks[-2:]
    assert [(one["name"], one["at"], one["to"]) for one in sights] == [("1", [1, 2], [3, 0]), ("2", [1, 2], [0, 0])]
    assert sights[1]["text"] == "2: tv first seen at 2.0 s"


def test_an_order_on_a_route_has_the_feet_of_the_perpendiculars(room: SceneGeometry) -> None:
    asked = item(
        "If you move in a straight line from the tv to the lamp, in which order do you pass the sofa, the sofa and the "
        "sofa?", "appearance_order_on_self-defined_route", evidence={"along": {"sofa": 1.5}, "beside": {"sofa": 3}},
    )  # fmt: skip
    way, places = evidence_on_plan(asked, room).marks[-2:]
    assert way["points"] == [[0, 0], [0, 4]]
    assert (places["points"], places["names"]) == ([[0, 1.5]], ["1"])


def test_a_walk_ends_where_the_first_thing_in_the_way_begins() -> None:
    things = (thing("tv", 0, 0), thing("lamp", 3, 0, 1.0), thing("sofa", 6, 0, 1.0))
    walked = SceneGeometry(Scene(id="r", dataset="d", objects=things))
    asked = item(
        "If a person walks from the tv straight towards the sofa without looking, what are they most likely to bump "
        "into first?", "spatial_causal_reasoning", "A", ("lamp", "b"), evidence={"metres": 2.3, "gap": 2},
    )  # fmt: skip
    drawn = evidence_on_plan(asked, walked)
    assert drawn.undrawn == ""
    aimed, met, way = drawn.marks[-3:]
    assert (aimed["aimed"], aimed["points"]) == (True, [[0, 0], [6, 0]])
    assert (met["name"], met["objects"]) == ("lamp", [1])
    assert way["points"][1][0] == pytest.approx(2.5, abs=0.06)  # the ray is looked at every 5 cm


def test_a_vehicle_rolls_from_its_middle_to_what_it_hits() -> None:
    things = (thing("car", 0, 0, 2.0), thing("tree", 0, 6, 1.0), thing("lamp", 5, 5))
    street = SceneGeometry(Scene(id="r", dataset="simulated", objects=things))
    asked = item(
        "If the car suddenly accelerates straight ahead, what is it most likely to hit first?",
        "spatial_causal_reasoning", "A", ("tree", "lamp"), evidence={"metres": 4.5, "gap": 2},
    )  # fmt: skip
    drawn = evidence_on_plan(asked, street)
    assert drawn.undrawn == ""
    way = drawn.marks[-1]
    assert way["points"][0] == [0, 0]
    assert way["points"][1][1] == pytest.approx(5.5, abs=0.06)


def test_distances_of_a_load_begin_where_they_were_measured() -> None:
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    track = tuple(TrackPoint(seconds=t, center=(x, 0.0, 0.2), axes=axes) for t, x in ((0.0, 0.0), (1.0, 8.0)))
    things = (thing("parcel", 0, 0, track=track), thing("tv", 2, 0), thing("sofa", 10, 0))
    carried = SceneGeometry(Scene(id="r", dataset="d", objects=things))
    for moved, asked_for, begin in (
        (False, "If nobody had moved it, which of the following would be", 0),
        (True, "Because of that, which of the following is", 8),
    ):
        asked = item(
            f"A person carries the parcel to another place. {asked_for} closest to it at the end of the video?",
            "spatial_causal_reasoning", "A", ("tv", "sofa"),
            evidence={"distances": to_load(carried, "parcel", ["tv", "sofa"], moved=moved), "margin": 1},
        )  # fmt: skip
        lines = [mark for mark in evidence_on_plan(asked, carried).marks if mark["kind"] == "line"]
        assert {line["name"]: line["from"] for line in lines} == {"tv": [begin, 0], "sofa": [begin, 0]}
        assert {line["name"]: line["metres"] for line in lines} == pytest.approx(asked.evidence["distances"], abs=1e-3)


@pytest.mark.parametrize(
    "evidence",
    [
        {"origin": "x", "target": None, "angle": []}, {"distances": 3}, {"first_seen": ["tv"]}, {"stops": 5},
        {"off": {}}, {"along": {"piano": "far"}, "beside": 1}, {"first": [], "second": 0}, {"area": "wide"},
        {"shots": [["a"]]}, {"shots": 4, "bend": 1}, {"extents": {}},
    ],
)  # fmt: skip
def test_evidence_of_any_shape_leaves_the_plan_and_says_why(room: SceneGeometry, evidence: dict[str, Any]) -> None:
    asked = item("Is the tv near the sofa?", "none", evidence=evidence)
    assert evidence_on_plan(asked, room).undrawn.startswith("The evidence isn't drawn: ")


def test_what_has_no_place_on_a_plan_is_said(room: SceneGeometry) -> None:
    asked = item(
        "How many chair(s) are in this room?", "obj_appearance_order", evidence={"gap": 2, "needed_frames": {}}
    )
    told = "The evidence isn't drawn: vsi-bench/appearance-order stores gap, which has no place on a plan."
    assert evidence_on_plan(asked, room).undrawn == told
    assert "no question family" in evidence_on_plan(item("How are you?", "none"), room).undrawn


def test_the_page_draws_every_kind_of_mark() -> None:
    script = (files("tolman.reports.site") / "static" / "marks.js").read_text(encoding="utf-8")
    drawn = re.findall(r"^    (\w+)\(\{", script.partition("const DRAWN = {")[2].partition("\n  };")[0], re.MULTILINE)
    listed = re.findall(r"^\| `(\w+)` \|", marks_module.__doc__ or "", re.MULTILINE)
    assert sorted([*drawn, "objects"]) == sorted(listed)  # the plan itself highlights objects
    assert len(listed) == 10


@pytest.mark.full
def test_every_question_that_is_generated_is_drawn_as_its_evidence_says(tmp_path: Path) -> None:
    """All families that find something in rooms with people, robots, fixed cameras; against the stored numbers."""
    pytest.importorskip("trimesh", reason="simulating needs the extra 'worlds'")
    scenes, bench = tmp_path / "scenes", tmp_path / "bench"
    tolman.simulate(
        scenes, scenes=1, seed=3, shapes=("rectangle",), seconds=8, rate=6, size="192x144", exo=2, actors=1,
        robots=1, objects=24,
    )  # fmt: skip
    tolman.generate(scenes, bench, preset="all", per_scene=3, max_filter_rounds=0)
    geometries = {one.scene.id: one for one in open_collection(scenes) if isinstance(one, SceneGeometry)}
    items = tolman.load(bench).items()
    assert len({one.labels["family"] for one in items}) > 25
    for one in items:
        marks, undrawn = evidence_on_plan(one, geometries[one.scene or ""])
        assert undrawn == "", (one.labels, one.question)
        wedges = [mark["degrees"] for mark in marks if mark["kind"] == "wedge"]
        for angle in (one.evidence[key] for key in ("angle", "bend") if key in one.evidence and wedges):
            assert abs((wedges[0] - angle + 180) % 360 - 180) < 0.2, one.question
        lines = {mark["name"]: mark["metres"] for mark in marks if mark["kind"] == "line"}
        for name, metres in one.evidence.get("distances", {}).items():
            assert name not in lines or lines[name] == pytest.approx(metres, abs=1e-3), one.question
        if "distance" in one.evidence and len(lines) == 1 and one.unit != "cm":
            assert next(iter(lines.values())) == pytest.approx(one.evidence["distance"], abs=1e-3), one.question
