"""SpatialBench's families: true by a solver of its own, by the rules written down, and never without their margins."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.conftest import Asked, asked_of
from generate.plan_solver import PlanSolver
from generate.test_captures import capture, scene, thing  # the small room whose answers are seen at a glance
from three_rooms import ROOMS
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.generate.families.spatialbench import affordance, causal, landmark_reasoning, planning, relations
from tolman.generate.families.spatialbench.support import ground
from tolman.generate.family import Draft, Family, Rejected
from tolman.generate.presets import preset
from tolman.ground_truth.question_families import SPATIALBENCH, recompute
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.scene_table import write_scenes
from tolman.scenes import Capture, Scene, Sighting

RULES = preset("spatialbench")
NEW = SPATIALBENCH[7:]
"""The families that VSI-Bench doesn't make."""
COUNTING, ON_ROUTE = relations.RELATIVE_COUNTING_FAMILY, relations.ORDER_ON_ROUTE_FAMILY
MULTI_HOP, POSE = landmark_reasoning.MULTI_HOP_FAMILY, landmark_reasoning.LANDMARK_POSE_FAMILY
COMMANDS, WALKS, USES = planning.COMMANDS_FAMILY, causal.FAMILY, affordance.FAMILY


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """What is asked about three rooms."""
    return asked_of(ROOMS, "spatialbench", tmp_path_factory.mktemp("drafts") / "rooms")


def solved(asked: Asked) -> Counter[str]:
    """By the last part of its name, how many of each new family the second solver answers; it must answer all of them right."""
    scenes, items = asked
    right: Counter[str] = Counter()
    for item in items:
        if item.labels["family"] in NEW:
            geometry = scenes[str(item.scene)]
            told = PlanSolver(geometry.scene, list(geometry.captures)).answer(item)
            assert told == item.answer_text, (item.question, item.options, item.evidence)
            right[item.labels["family"].removeprefix("spatialbench/")] += 1
    return right


def test_a_second_solver_answers_everything_about_rooms(rooms: Asked) -> None:
    right = solved(rooms)
    assert set(right) >= {"route-gaps", "multi-hop", "affordance", "landmark-pose", "commands"}, right


@pytest.mark.full
def test_a_second_solver_answers_everything_about_a_recorded_room(asked: Callable[[str], Asked]) -> None:
    right = solved(asked("spatialbench"))
    assert sum(right.values()) > 20
    assert {"commands", "affordance"} <= set(right)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["street", "parking-lot"])
def test_a_second_solver_answers_everything_about_streets(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="streets need the extra 'worlds'")
    from simulate.worlds import world

    here = world(kind).scene.model_copy(update={"id": f"simulated/{kind}", "dataset": "simulated"})
    write_scenes(tmp_path, [here])
    right = solved(asked_of(tmp_path, "spatialbench", tmp_path / "drafts"))
    assert {"causal", "affordance", "order-on-route", "multi-hop"} <= set(right), right


def test_every_item_names_its_place_and_is_recomputed(rooms: Asked) -> None:
    scenes, items = rooms
    assert len({item.task for item in items} & set(LEVEL_OF)) >= 10
    for item in items:
        assert item.labels["spatialbench_task"] == item.task
        assert item.labels["spatialbench_level"] == LEVEL_OF[item.task]
        assert {"site_category", "mmsi_type", "vsi_task", "scale", "factor", "information", "change"} <= set(
            item.labels
        )
        found = recompute(scenes[str(item.scene)], item, RULES.settings, released=False)
        assert found.violations == (), item.question
        if item.kind == "choice":
            assert found.exact == item.answer_text
            assert len(set(item.options)) == 4
        else:
            assert float(item.answer) == pytest.approx(float(found.exact), abs=0.5)
        assert item.evidence


def test_lengths_are_in_whole_centimetres(rooms: Asked) -> None:
    _, items = rooms
    for item in items:
        if item.task == "absolute_distance":
            assert item.unit == "cm"
            assert "in centimeters" in item.question
            assert float(item.answer) == pytest.approx(100 * item.evidence["distance"], abs=0.5)


def room(*more: object, **changes: object) -> SceneGeometry:
    return SceneGeometry(scene(*more, **changes))  # type: ignore[arg-type]


def made(family: Family[Any], geometry: SceneGeometry) -> list[Draft]:
    """The questions of a family under its own thresholds."""
    return [one for one in family.draft(geometry, family.settings) if isinstance(one, Draft)]


def bumped(geometry: SceneGeometry, start: str = "door", end: str = "sofa") -> ground.Obstacle:
    """What somebody who walks from one thing towards another meets."""
    found = causal.on_walk(geometry, start, end, WALKS.settings)
    assert found is not None
    return found


def item_of(draft: Draft) -> Item:
    return Item(id="1", question=draft.question, kind="choice", options=draft.options, answer="A", task=draft.task)


@pytest.mark.parametrize(("before", "side"), [(1, "ahead"), (4, "")])
def test_the_end_of_a_video_is_seen_in_the_last_picture_that_says_what_it_shows(before: int, side: str) -> None:
    """Simulated recordings without media say it of every other picture."""
    count = 10
    pose = (0.0, 0.0, 1.0, 2.0, -1.0, 0.0, 0.0, 5.0, 0.0, -1.0, 0.0, 1.5, 0.0, 0.0, 0.0, 1.0)  # at (2, 5), along +x
    walk = Capture(
        id="made/room/walk", scene="made/room", sensor="camera", media="made/room.mp4", size=(640, 480),
        times=tuple(i / 10 for i in range(count)), poses=(pose,) * count, intrinsics=((500.0, 500.0, 320.0, 240.0),),
        sightings=tuple(Sighting(frame=count - 1 - before, object=name, pixels=900) for name in ("lamp", "bed")),
    )  # fmt: skip
    geometry = SceneGeometry(scene(), [walk])
    found, _, broken = planning.last_look(geometry, "lamp", COMMANDS.settings)
    assert found == "ahead"
    assert broken == ([] if side else ["the last picture and the answer disagree"])


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_twins_that_exchange_four_things_are_asked_about_these(place: int) -> None:
    """In each of them one of the four stands where only one can be right: so they answer each question differently."""
    names = ["crate", "stool", "suitcase", "trash can"]
    spots = [(4.0, 6.5), (4.0, 1.5), (6.5, 4.0), (1.5, 4.0)]
    own = [thing(name, *spots[number ^ place]) for number, name in enumerate(names)]
    twin = scene(thing("hub", 4.0, 4.0), *own).model_copy(update={"twins": "made/group", "differs": ", ".join(names)})
    geometry = SceneGeometry(twin)
    poses = made(POSE, geometry)
    assert poses
    assert all({option.removeprefix("At the ") for option in one.options} == set(names) for one in poses)
    walks = [one for one in made(WALKS, geometry) if one.kind == "walk"]
    assert walks
    assert all(one.answer in names and set(one.options) == set(names) for one in walks)
    uses = [one for one in made(USES, geometry) if one.kind == "use"]
    assert uses
    assert all(sum(name in one.question or name == one.evidence["object"] for name in names) == 1 for one in uses)


def several(**counts: int) -> list[object]:
    """So many things of each kind, each kind in a row of its own."""
    return [thing(f"{name}-{i}", 0.5 + i, 3 + y) for y, (name, n) in enumerate(counts.items()) for i in range(n)]


@pytest.mark.parametrize(
    ("counts", "answers"),
    [
        ({"chair": 5, "box": 3}, {}),
        ({"chair": 5, "box": 3, "vase": 2}, {"most": "chair", "fewest": "vase"}),
        ({"chair": 5, "box": 3, "vase": 3}, {"most": "chair", "fewest": relations.SHARED}),
        ({"chair": 5, "box": 4, "vase": 2}, {"fewest": "vase"}),  # five are not 1.3 times four
    ],
)
def test_counts_are_asked_both_ways_about_what_there_are_several_of(
    counts: dict[str, int], answers: dict[str, str]
) -> None:
    geometry = room(*several(**counts))
    drafts = made(COUNTING, geometry)
    assert {draft.kind: draft.answer for draft in drafts} == answers
    for draft in drafts:
        assert set(draft.options) == {*counts, relations.SHARED}
        again = COUNTING.recompute(geometry, item_of(draft), COUNTING.settings)
        assert (again.exact, again.violations) == (draft.answer, ())


def test_one_passes_things_in_the_order_along_the_line() -> None:
    geometry = room(thing("box", 2.0, 0.5), thing("stool", 3, 3.5), thing("vase", 5, 4))
    spans, beside, length = relations.along(geometry, "door", "desk", ["vase", "box", "stool"])
    assert spans[:, 1] == pytest.approx([4.950, 0.354, 3.182], abs=0.001)
    assert beside == pytest.approx([-0.707, -1.061, 0.354], abs=0.001)
    assert length == pytest.approx(8.485, abs=0.001)
    tied, aside = (
        relations.violations(geometry, "door", "desk", ["lamp", "stool", third], ON_ROUTE.settings)
        for third in ("vase", "sofa")
    )
    assert tied == ["two things within 1.0 m of each other along the route"]
    assert aside[0].endswith("route")
    assert all(draft.evidence["gap"] >= 1 for draft in made(ON_ROUTE, geometry))


def test_a_wall_ends_a_route_and_a_walk() -> None:
    corner = (((0.0, 0.0), (8.0, 0.0), (8.0, 4.0), (2.0, 4.0), (2.0, 8.0), (0.0, 8.0)),)
    open_floor, angle = room(thing("box", 3.0, 5.0)), room(thing("box", 3.0, 5.0), floor=corner)
    first, *_ = relations.violations(angle, "sofa", "lamp", ["box", "box", "box"], ON_ROUTE.settings)
    assert first == "the floor ends"
    assert "a wall comes first" in bumped(angle, "sofa", "lamp").broken
    free = bumped(open_floor, "sofa", "lamp")
    assert (free.category, free.broken) == ("box", ())
    (lamp,) = angle.members["lamp"]
    (sofa,) = angle.members["sofa"]
    for geometry, ends in ((angle, True), (open_floor, False)):
        assert ground.walled(geometry, sofa, lamp) is ends
        assert ground.hidden(geometry, ground.middle(geometry, sofa), lamp) is ends
        assert not ground.hidden(geometry, ground.middle(geometry, sofa), sofa)


def test_the_first_thing_on_the_way_is_bumped_into() -> None:
    assert causal.on_walk(room(), "door", "sofa", WALKS.settings) is None
    found = bumped(room(thing("box", 1, 3), thing("vase", 1.1, 4)))
    assert (found.category, found.broken, found.later) == ("box", (), ("vase",))
    assert (found.metres, found.gap) == pytest.approx((1.6, 1.0))
    beside = causal.on_walk(room(thing("box", 1.41, 3), thing("vase", 1.1, 4)), "door", "sofa", WALKS.settings)
    assert beside is None or beside.broken  # whether a shoulder touches it depends on the person
    both = bumped(room(thing("box", 1, 3), thing("vase", 1.3, 3.2)))
    assert both.broken == ("two obstacles within 0.4 m of each other",)


def test_what_hangs_on_a_wall_is_not_bumped_into() -> None:
    picture = thing("picture", 1, 3)
    x, y, _ = picture.box.center
    hung = picture.model_copy(update={"box": picture.box.model_copy(update={"center": (x, y, 1.4)})})
    assert bumped(room(hung)).broken == ("what is met hangs on a wall, or stands on something",)


@pytest.mark.parametrize(("jamb", "broken"), [(0.8, ()), (0.95, ("a wall is grazed first",))])
def test_who_walks_through_a_door_does_not_graze_its_jamb(jamb: float, broken: tuple[str, ...]) -> None:
    floor = ((0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0), (0.0, 2.8), (jamb, 2.8), (jamb, 2.6), (0.0, 2.6))
    found = bumped(room(thing("box", 1, 3.6), floor=(floor,)))
    assert (found.category, found.broken) == ("box", broken)


def test_a_last_resort_is_not_what_a_purpose_is_asked_for() -> None:
    seats = [one for one in room().scene.objects if one.category not in ("sofa", "bed")]
    for name, times in (("bench", False), ("bed", True)):
        geometry = SceneGeometry(room().scene.model_copy(update={"objects": (*seats, thing(name, 5, 6))}))
        drafts = made(USES, geometry)
        assert any("sleep" in draft.question for draft in drafts) is times
        for draft in drafts:
            if "sleep" in draft.question:
                asked = item_of(draft)
    bench = SceneGeometry(room().scene.model_copy(update={"objects": (*seats, thing("bench", 5, 6))}))
    told = USES.recompute(bench, asked, USES.settings)
    assert affordance.ONLY_LAST_RESORT in told.violations


def test_commands_are_followed_from_the_turn_on() -> None:
    geometry = room(thing("wardrobe", 4, 5, 1.6))
    right = planning.after_turn(geometry, "door", "sofa", "right", COMMANDS.settings)
    assert right is not None
    assert (right.category, right.broken) == ("wardrobe", ())
    assert right.metres == pytest.approx(2.0)
    assert planning.after_turn(geometry, "door", "sofa", "left", COMMANDS.settings) is None
    narrow = planning.after_turn(room(), "door", "sofa", "right", COMMANDS.settings)
    assert narrow is not None
    assert narrow.broken == ("a slightly other turn leads elsewhere",)


def test_gaps_are_as_wide_as_they_are_and_free() -> None:
    settings = USES.settings
    assert affordance.gap_between(room(), "door", "bed", settings) == (pytest.approx(360), [])
    _, broken = affordance.gap_between(room(thing("box", 3, 1.15)), "door", "bed", settings)
    assert broken == ["something is in the gap"]
    assert affordance.widest(360, settings) == (240, pytest.approx(0.5))
    assert affordance.widest(100, settings)[0] == 60
    assert affordance.widest(20, settings) == (None, 0.0)
    drafts = made(USES, room())
    assert {d.kind for d in drafts} == {"use", "gap"}
    assert all(d.evidence["object"] in ("door", "sofa", "bed") for d in drafts if d.kind == "use")
    assert not [d for d in drafts if "sit down" in d.question or "sleep" in d.question]  # sofa and bed both serve


def test_two_hops_need_both() -> None:
    geometry = room(thing("chair-0", 2, 1), thing("chair-1", 6, 5))
    number, gap, ratio = landmark_reasoning.first_hop(geometry, "chair", "door")
    assert geometry.scene.objects[number].id == "chair-0"
    assert gap > 4
    assert ratio > 5
    drafts = made(MULTI_HOP, geometry)
    assert {draft.kind for draft in drafts} == {"nearest", "where"}
    for draft in drafts:
        swapped = draft.question.replace("that is closest to the door", "that is closest to the desk")
        if swapped != draft.question and "desk" not in "".join(draft.options) + draft.question:
            other = item_of(draft).model_copy(update={"question": swapped})
            assert MULTI_HOP.recompute(geometry, other, MULTI_HOP.settings).exact != draft.answer


def test_a_place_is_where_both_landmarks_are_as_told() -> None:
    geometry = room()
    assert landmark_reasoning.off(geometry, "bed", "lamp", "door", "on its left") == pytest.approx(0)
    assert landmark_reasoning.off(geometry, "bed", "lamp", "door", "on its right") == pytest.approx(180)
    assert landmark_reasoning.off(geometry, "lamp", "sofa", "bed", "on its left") == pytest.approx(0)
    assert all(draft.evidence["margin"] >= POSE.settings.margin for draft in made(POSE, geometry))


def test_what_moves_or_is_not_seen_is_not_asked_about() -> None:
    half = SceneGeometry(scene(thing("box", 1, 3)), [capture()])  # the recording never shows the box
    for family in (COUNTING, WALKS, COMMANDS):
        assert not [d for d in made(family, half) if "box" in d.question or "box" in d.options]


def test_without_a_floor_or_objects_there_are_reasons() -> None:
    empty = SceneGeometry(Scene(id="made/empty", dataset="made", objects=()))
    for family in (COUNTING, WALKS, COMMANDS, POSE):
        assert all(isinstance(found, Rejected) for found in family.draft(empty, family.settings))


def test_all_fifteen_tasks_have_a_family() -> None:
    assert len(SPATIALBENCH) == 15
