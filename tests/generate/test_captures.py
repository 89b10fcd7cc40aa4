"""Appearance order and routes, on small scenes whose answers are seen at a glance."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="routes need the extra 'build'")

from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.families.vsi_bench import appearance_order, numerical, route_plan
from tolman.generate.families.vsi_bench.appearance_order import AppearanceSettings
from tolman.generate.families.vsi_bench.numerical import CountingSettings
from tolman.generate.families.vsi_bench.route_plan import RouteSettings
from tolman.generate.family import Draft, Rejected
from tolman.generate.presets import preset
from tolman.generate.selection import select
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item
from tolman.scene_table import write_captures, write_scenes
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting

PAPER = preset("vsi-paper")
PLACES = {"door": (1, 1), "sofa": (1, 5), "lamp": (5, 5), "bed": (5, 1), "desk": (7, 7), "plant": (3, 7)}
FIRST_SEEN = {"bed": 0.5, "door": 2.0, "lamp": 4.1, "sofa": 6.3, "desk": 8.8, "plant": 9.4}
FLOOR = (((0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)),)


def thing(name: str, x: float, y: float, size: float = 0.4) -> SceneObject:
    box = OrientedBox(center=(x, y, 0.5), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), extents=(size, size, 1.0))
    return SceneObject(id=name, category=name.split("-")[0], box=box)


def scene(*more: SceneObject, identity: str = "made/room", floor: object = FLOOR) -> Scene:
    objects = (*(thing(name, *place) for name, place in PLACES.items()), *more)
    return Scene.model_validate(
        {
            "id": identity,
            "dataset": "made",
            "objects": objects,
            "room_area": 64.0,
            "floor": floor,
            "video": f"{identity}.mp4",
        }
    )


def capture(identity: str = "made/room", pixels: int = 500, more: Iterable[str] = ()) -> Capture:
    times = tuple(100 + i / 10 for i in range(120))  # a clock of its own
    sightings = [
        Sighting(frame=i, object=name, pixels=pixels if i / 10 >= first else 20)
        for i in range(120)
        for name, first in FIRST_SEEN.items()
        if i / 10 >= first - 0.4  # a few pixels are there earlier
    ] + [Sighting(frame=119, object=name, pixels=pixels) for name in more]
    return Capture(
        id=f"{identity}/walk",
        scene=identity,
        sensor="camera",
        media=f"{identity}.mp4",
        times=times,
        sightings=tuple(sightings),
    )


def test_first_appearances_wait_for_enough_pixels() -> None:
    geometry = SceneGeometry(scene(), [capture()])
    first = appearance_order.first_appearances(geometry, AppearanceSettings())
    assert first == pytest.approx(FIRST_SEEN)
    early = appearance_order.first_appearances(geometry, AppearanceSettings(pixels=1))
    assert early["door"] == pytest.approx(1.6)
    assert appearance_order.first_appearances(SceneGeometry(scene(), [capture(pixels=50)]), AppearanceSettings()) == {}


def test_orders_are_true_and_apart() -> None:
    geometry = SceneGeometry(scene(), [capture()])
    found = list(appearance_order.draft(geometry, AppearanceSettings()))
    drafts = [d for d in found if isinstance(d, Draft)]
    assert drafts
    for draft in drafts:
        names = draft.answer.split(", ")
        times = [FIRST_SEEN[name] for name in names]
        assert times == sorted(times)
        assert min(np.diff(times)) > 1
        assert len(set(draft.options)) == 4
        assert all(sorted(option.split(", ")) == sorted(names) for option in draft.options)
        assert not {"desk", "plant"} <= set(names)  # 0.6 s apart
    crowded = list(appearance_order.draft(geometry, AppearanceSettings(gap=3.0)))
    assert crowded
    assert all(isinstance(r, Rejected) and "more than 3.0 s apart" in r.reason for r in crowded)


def test_what_the_video_does_not_show_is_not_asked() -> None:
    chairs = [thing(f"chair-{i}", 3 + 0.5 * i, 3) for i in range(3)]
    half = SceneGeometry(scene(*chairs), [capture(more=["chair-0", "chair-1"])])
    assert half.unseen == {"chair"}
    assert "chair" not in half.whole
    (reason,) = {
        d.reason
        for d in numerical.draft_counting(half, CountingSettings())
        if isinstance(d, Rejected) and "video" in d.reason
    }
    assert reason == "the video doesn't show all of them"
    full = SceneGeometry(scene(*chairs), [capture(more=[c.id for c in chairs])])
    assert [d.answer for d in numerical.draft_counting(full, CountingSettings()) if isinstance(d, Draft)] == ["3"]
    assert SceneGeometry(scene(*chairs)).unseen == frozenset()  # without a recording all may be asked about


def test_no_recording_no_order() -> None:
    (rejected,) = appearance_order.draft(SceneGeometry(scene()), AppearanceSettings())
    assert isinstance(rejected, Rejected)


@pytest.mark.parametrize(
    ("stops", "turns"),
    [
        (("door", "sofa", "lamp"), ["Turn Right"]),
        (("bed", "lamp", "sofa"), ["Turn Left"]),
        (("door", "sofa", "lamp", "bed"), ["Turn Right", "Turn Right"]),
        (("bed", "lamp", "sofa", "door"), ["Turn Left", "Turn Left"]),
    ],
)
def test_turns_follow_from_the_floor_plan(stops: tuple[str, ...], turns: list[str]) -> None:
    assert [name for name, _ in route_plan.turns_of(SceneGeometry(scene()), stops)] == turns


def test_turning_back_is_behind() -> None:
    geometry = SceneGeometry(scene(thing("chair", 1.2, 3.0)))
    ((name, margin),) = route_plan.turns_of(geometry, ("door", "sofa", "chair"))
    assert name == "Turn Back"
    assert margin > 35


def test_routes_are_free_and_unambiguous() -> None:
    geometry = SceneGeometry(scene())
    drafts = [d for d in route_plan.draft(geometry, RouteSettings()) if isinstance(d, Draft)]
    assert {len(d.evidence["stops"]) - 1 for d in drafts} >= {2, 3}
    for draft in drafts:
        stops = draft.evidence["stops"]
        assert min(draft.evidence["margins"]) >= 20
        assert len(draft.answer.split(", ")) == len(stops) - 2
        assert draft.options[0] == draft.answer
        assert len(set(draft.options)) == len(draft.options) == (3 if len(stops) == 3 else 4)
        assert draft.question.count("[please fill in]") == len(stops) - 2 + 1  # and once in the explanation
        assert f"beginning at the {stops[0]} facing the {stops[1]}" in draft.question


def test_what_stands_in_the_way_or_beyond_the_floor_forbids_a_route() -> None:
    free = ("door", "sofa", "lamp")
    settings = RouteSettings()
    assert route_plan.violations(SceneGeometry(scene()), free, settings) == []
    blocked = SceneGeometry(scene(thing("box", 3, 5)))
    assert route_plan.obstacles(blocked, free, settings) == ["box"]
    assert route_plan.violations(blocked, free, settings) == ["something is in the way"]
    corner = (((0.0, 0.0), (8.0, 0.0), (8.0, 4.0), (2.0, 4.0), (2.0, 8.0), (0.0, 8.0)),)
    assert route_plan.obstacles(SceneGeometry(scene(floor=corner)), free, settings) == ["the floor ends"]
    (rejected,) = route_plan.draft(SceneGeometry(scene(floor=())), settings)
    assert isinstance(rejected, Rejected)
    straight = SceneGeometry(scene(thing("chair", 1.2, 7.5)))
    assert "of another answer" in route_plan.violations(straight, ("door", "sofa", "chair"), settings)[0]


def test_all_eight_families_go_through_the_whole_way(tmp_path: Path) -> None:
    rooms = [f"made/room{i}" for i in range(6)]
    chairs = [thing(f"chair-{i}", 3 + 0.5 * i, 3) for i in range(3)]
    write_scenes(tmp_path, [scene(*chairs, identity=room) for room in rooms])
    write_captures(tmp_path, [capture(room, more=[chair.id for chair in chairs]) for room in rooms])
    with DraftFile(tmp_path / "drafts") as draft_file:
        collected = collect(open_collection(tmp_path), PAPER, 0, draft_file)
        items = list(items_of(select(collected, PAPER, 0), collected, 0))
    assert len({item.task for item in items}) == 10
    scenes = {g.scene.id: g for g in open_collection(tmp_path) if isinstance(g, SceneGeometry)}
    for item in items:
        found = recompute(scenes[item.scene or ""], item, PAPER.settings, released=False)
        assert found.violations == ()
        assert str(found.exact) == item.answer_text or item.kind == "number"


def test_a_released_route_of_straight_moves_is_read() -> None:
    text = (
        "You are a robot beginning at the door facing the sofa. You want to navigate to the lamp. You will perform the "
        "following actions (Note: for each [please fill in], choose either 'turn back,' 'turn left,' or 'turn right.'): "
        "1. Go forward until the sofa 2. [please fill in] 3. Go forward until the lamp. You have reached the final "
        "destination."
    )
    item = Item(
        id="1", question=text, kind="choice", options=("Turn Left", "Turn Right"), answer="B", task="route_planning"
    )
    found = recompute(SceneGeometry(scene()), item, PAPER.settings)
    assert (found.exact, found.violations) == ("Turn Right", ())
