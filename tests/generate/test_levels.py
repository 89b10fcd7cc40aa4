"""SpatialBench's families: true by a solver of its own, by the rules written down, and never without their margins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.conftest import Asked, asked_of
from generate.plan_solver import PlanSolver
from generate.test_captures import capture, scene, thing  # the small room whose answers are seen at a glance
from three_rooms import ROOMS
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF
from tolman.generate.draft import Draft, Rejected
from tolman.generate.families.spatialbench import affordance, causal, landmark_reasoning, planning, relations
from tolman.generate.families.spatialbench.support import ground
from tolman.generate.family_registry import SPATIALBENCH
from tolman.generate.presets import preset, recompute
from tolman.generate.scene_geometry import SceneGeometry
from tolman.items import Item
from tolman.scene_table import write_scenes
from tolman.scenes import Scene

RULES = preset("spatialbench")
NEW = SPATIALBENCH[7:]
"""The families that VSI-Bench doesn't make."""


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
        found = recompute(scenes[str(item.scene)], item, RULES, released=False)
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


def made(found: object) -> list[Draft]:
    return [one for one in found if isinstance(one, Draft)]  # type: ignore[attr-defined]


def item_of(draft: Draft) -> Item:
    return Item(id="1", question=draft.question, kind="choice", options=draft.options, answer="A", task=draft.task)


def several(**counts: int) -> list[object]:
    """So many things of each kind, each kind in a row of its own."""
    return [thing(f"{name}-{i}", 0.5 + i, 3 + y) for y, (name, n) in enumerate(counts.items()) for i in range(n)]


def test_counts_are_asked_both_ways_about_what_there_are_several_of() -> None:
    assert (
        made(
            relations.draft_relative_counting(
                room(*several(chair=5, box=3)), relations.RELATIVE_COUNTING_FAMILY.settings
            )
        )
        == []
    )
    drafts = made(
        relations.draft_relative_counting(
            room(*several(chair=5, box=3, vase=2)), relations.RELATIVE_COUNTING_FAMILY.settings
        )
    )
    assert {d.kind: d.answer for d in drafts} == {"most": "chair", "fewest": "vase"}
    assert all(set(d.options) == {"chair", "box", "vase", relations.SHARED} for d in drafts)
    shared = made(
        relations.draft_relative_counting(
            room(*several(chair=5, box=3, vase=3)), relations.RELATIVE_COUNTING_FAMILY.settings
        )
    )
    assert {d.kind: d.answer for d in shared} == {"most": "chair", "fewest": relations.SHARED}
    close = made(
        relations.draft_relative_counting(
            room(*several(chair=5, box=4, vase=2)), relations.RELATIVE_COUNTING_FAMILY.settings
        )
    )
    assert [d.kind for d in close] == ["fewest"]  # five are not 1.3 times four


def test_counts_are_computed_anew() -> None:
    geometry = room(*several(chair=5, box=3, vase=3))
    for draft in made(relations.draft_relative_counting(geometry, relations.RELATIVE_COUNTING_FAMILY.settings)):
        again = relations.recompute_relative_counting(
            geometry, item_of(draft), relations.RELATIVE_COUNTING_FAMILY.settings
        )
        assert (again.exact, again.violations) == (draft.answer, ())


def test_one_passes_things_in_the_order_along_the_line() -> None:
    geometry = room(thing("box", 2.0, 0.5), thing("stool", 3, 3.5), thing("vase", 5, 4))
    spans, beside, length = relations.along(geometry, "door", "desk", ["vase", "box", "stool"])
    assert spans[:, 1] == pytest.approx([4.950, 0.354, 3.182], abs=0.001)
    assert beside == pytest.approx([-0.707, -1.061, 0.354], abs=0.001)
    assert length == pytest.approx(8.485, abs=0.001)
    assert relations.violations(
        geometry, "door", "desk", ["lamp", "stool", "vase"], relations.ORDER_ON_ROUTE_FAMILY.settings
    ) == ["two things within 1.0 m of each other along the route"]
    assert relations.violations(
        geometry, "door", "desk", ["lamp", "stool", "sofa"], relations.ORDER_ON_ROUTE_FAMILY.settings
    )[0].endswith("route")
    drafts = made(relations.draft_order_on_route(geometry, relations.ORDER_ON_ROUTE_FAMILY.settings))
    assert all(draft.evidence["gap"] >= 1 for draft in drafts)


def test_a_wall_ends_a_route_and_a_walk() -> None:
    corner = (((0.0, 0.0), (8.0, 0.0), (8.0, 4.0), (2.0, 4.0), (2.0, 8.0), (0.0, 8.0)),)
    open_floor, angle = room(thing("box", 3.0, 5.0)), room(thing("box", 3.0, 5.0), floor=corner)
    assert (
        relations.violations(angle, "sofa", "lamp", ["box", "box", "box"], relations.ORDER_ON_ROUTE_FAMILY.settings)[0]
        == "the floor ends"
    )
    blocked = causal.on_walk(angle, "sofa", "lamp", causal.FAMILY.settings)
    assert blocked is not None
    assert "a wall comes first" in blocked.broken
    free = causal.on_walk(open_floor, "sofa", "lamp", causal.FAMILY.settings)
    assert free is not None
    assert (free.category, free.broken) == ("box", ())
    (lamp,) = angle.members["lamp"]
    (sofa,) = angle.members["sofa"]
    for geometry, ends in ((angle, True), (open_floor, False)):
        assert ground.walled(geometry, sofa, lamp) is ends
        assert ground.hidden(geometry, ground.middle(geometry, sofa), lamp) is ends
        assert not ground.hidden(geometry, ground.middle(geometry, sofa), sofa)


def test_the_first_thing_on_the_way_is_bumped_into() -> None:
    settings = causal.FAMILY.settings
    assert causal.on_walk(room(), "door", "sofa", settings) is None
    found = causal.on_walk(room(thing("box", 1, 3), thing("vase", 1.1, 4)), "door", "sofa", settings)
    assert found is not None
    assert (found.category, found.broken, found.later) == ("box", (), ("vase",))
    assert (found.metres, found.gap) == pytest.approx((1.6, 1.0))
    beside = causal.on_walk(room(thing("box", 1.41, 3), thing("vase", 1.1, 4)), "door", "sofa", settings)
    assert beside is None or beside.broken  # whether a shoulder touches it depends on the person
    both = causal.on_walk(room(thing("box", 1, 3), thing("vase", 1.3, 3.2)), "door", "sofa", settings)
    assert both is not None
    assert both.broken == ("two obstacles within 0.4 m of each other",)


def test_what_hangs_on_a_wall_is_not_bumped_into() -> None:
    picture = thing("picture", 1, 3)
    x, y, _ = picture.box.center
    hung = picture.model_copy(update={"box": picture.box.model_copy(update={"center": (x, y, 1.4)})})
    found = causal.on_walk(room(hung), "door", "sofa", causal.FAMILY.settings)
    assert found is not None
    assert found.broken == ("what is met hangs on a wall, or stands on something",)


@pytest.mark.parametrize(("jamb", "broken"), [(0.8, ()), (0.95, ("a wall is grazed first",))])
def test_who_walks_through_a_door_does_not_graze_its_jamb(jamb: float, broken: tuple[str, ...]) -> None:
    floor = ((0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0), (0.0, 2.8), (jamb, 2.8), (jamb, 2.6), (0.0, 2.6))
    found = causal.on_walk(room(thing("box", 1, 3.6), floor=(floor,)), "door", "sofa", causal.FAMILY.settings)
    assert found is not None
    assert (found.category, found.broken) == ("box", broken)


def test_a_last_resort_is_not_what_a_purpose_is_asked_for() -> None:
    seats = [one for one in room().scene.objects if one.category not in ("sofa", "bed")]
    for name, times in (("bench", False), ("bed", True)):
        geometry = SceneGeometry(room().scene.model_copy(update={"objects": (*seats, thing(name, 5, 6))}))
        drafts = made(affordance.draft(geometry, affordance.FAMILY.settings))
        assert any("sleep" in draft.question for draft in drafts) is times
        for draft in drafts:
            if "sleep" in draft.question:
                asked = item_of(draft)
    bench = SceneGeometry(room().scene.model_copy(update={"objects": (*seats, thing("bench", 5, 6))}))
    told = affordance.recompute(bench, asked, affordance.FAMILY.settings)
    assert affordance.ONLY_LAST_RESORT in told.violations


def test_commands_are_followed_from_the_turn_on() -> None:
    geometry = room(thing("wardrobe", 4, 5, 1.6))
    right = planning.after_turn(geometry, "door", "sofa", "right", planning.COMMANDS_FAMILY.settings)
    assert right is not None
    assert (right.category, right.broken) == ("wardrobe", ())
    assert right.metres == pytest.approx(2.0)
    assert planning.after_turn(geometry, "door", "sofa", "left", planning.COMMANDS_FAMILY.settings) is None
    narrow = planning.after_turn(room(), "door", "sofa", "right", planning.COMMANDS_FAMILY.settings)
    assert narrow is not None
    assert narrow.broken == ("a slightly other turn leads elsewhere",)


def test_gaps_are_as_wide_as_they_are_and_free() -> None:
    settings = affordance.FAMILY.settings
    assert affordance.gap_between(room(), "door", "bed", settings) == (pytest.approx(360), [])
    _, broken = affordance.gap_between(room(thing("box", 3, 1.15)), "door", "bed", settings)
    assert broken == ["something is in the gap"]
    assert affordance.widest(360, settings) == (240, pytest.approx(0.5))
    assert affordance.widest(100, settings)[0] == 60
    assert affordance.widest(20, settings) == (None, 0.0)
    drafts = made(affordance.draft(room(), settings))
    assert {d.kind for d in drafts} == {"use", "gap"}
    assert all(d.evidence["object"] in ("door", "sofa", "bed") for d in drafts if d.kind == "use")
    assert not [d for d in drafts if "sit down" in d.question or "sleep" in d.question]  # sofa and bed both serve


def test_two_hops_need_both() -> None:
    geometry = room(thing("chair-0", 2, 1), thing("chair-1", 6, 5))
    number, gap, ratio = landmark_reasoning.first_hop(geometry, "chair", "door")
    assert geometry.scene.objects[number].id == "chair-0"
    assert gap > 4
    assert ratio > 5
    drafts = made(landmark_reasoning.draft_multi_hop(geometry, landmark_reasoning.MULTI_HOP_FAMILY.settings))
    assert {draft.kind for draft in drafts} == {"nearest", "where"}
    for draft in drafts:
        swapped = draft.question.replace("that is closest to the door", "that is closest to the desk")
        if swapped != draft.question and "desk" not in "".join(draft.options) + draft.question:
            told = landmark_reasoning.recompute_multi_hop(
                geometry,
                item_of(draft).model_copy(update={"question": swapped}),
                landmark_reasoning.MULTI_HOP_FAMILY.settings,
            )
            assert told.exact != draft.answer


def test_a_place_is_where_both_landmarks_are_as_told() -> None:
    geometry = room()
    assert landmark_reasoning.off(geometry, "bed", "lamp", "door", "on its left") == pytest.approx(0)
    assert landmark_reasoning.off(geometry, "bed", "lamp", "door", "on its right") == pytest.approx(180)
    assert landmark_reasoning.off(geometry, "lamp", "sofa", "bed", "on its left") == pytest.approx(0)
    for draft in made(
        landmark_reasoning.draft_landmark_pose(geometry, landmark_reasoning.LANDMARK_POSE_FAMILY.settings)
    ):
        assert draft.evidence["margin"] >= landmark_reasoning.LANDMARK_POSE_FAMILY.settings.margin


def test_what_moves_or_is_not_seen_is_not_asked_about() -> None:
    half = SceneGeometry(scene(thing("box", 1, 3)), [capture()])  # the recording never shows the box
    for family in (relations.RELATIVE_COUNTING_FAMILY, causal.FAMILY, planning.COMMANDS_FAMILY):
        drafts = made(family.draft(half, family.settings))
        assert not [d for d in drafts if "box" in d.question or "box" in d.options]


def test_without_a_floor_or_objects_there_are_reasons() -> None:
    empty = SceneGeometry(Scene(id="made/empty", dataset="made", objects=()))
    for family in (
        relations.RELATIVE_COUNTING_FAMILY,
        causal.FAMILY,
        planning.COMMANDS_FAMILY,
        landmark_reasoning.LANDMARK_POSE_FAMILY,
    ):
        assert all(isinstance(found, Rejected) for found in family.draft(empty, family.settings))


def test_all_fifteen_tasks_have_a_family() -> None:
    assert len(SPATIALBENCH) == 15
