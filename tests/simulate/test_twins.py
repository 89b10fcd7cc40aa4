"""Twins: places that differ in one thing, which stands elsewhere in each."""

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simulate.holding import HUNG, faults, overlaps
from tolman.errors import UsageError
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate as command
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.scene_table import read_captures, read_scenes
from tolman.scenes import OrientedBox, Scene
from tolman.simulate.collection import simulate
from tolman.simulate.interior import draw_plan, scene_of
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.simulated_places import WorldsConfig, twin_place
from tolman.simulate.twins import APART, COUNTS, DIFFERENCES, LEAST_SIZE, SIZES, twin_of

CONFIG = WorldsConfig(scenes=3, seed=5, shapes=("rectangle",), seconds=4, rate=5, media=False, twins=3,
                      differ=("side",))  # fmt: skip


def test_twins_differ_in_the_place_of_one_thing_and_cameras_are_the_same(tmp_path: Path) -> None:
    simulate(CONFIG, tmp_path, 1)
    scenes, captures = list(read_scenes(tmp_path)), list(read_captures(tmp_path))
    assert len({scene.twins for scene in scenes}) == 1
    assert scenes[0].twins
    assert all(capture.poses == captures[0].poses and capture.times == captures[0].times for capture in captures)
    boxes = [{thing.id: (thing.category, thing.box) for thing in scene.objects} for scene in scenes]
    assert all(own.keys() == boxes[0].keys() for own in boxes)
    for one, other in itertools.combinations(boxes, 2):
        differing = [name for name in one if one[name] != other[name]]
        assert len(differing) == 1
        (moved,) = differing
        assert one[moved][0] == other[moved][0]
        assert one[moved][1].extents == other[moved][1].extents
        away = np.subtract(one[moved][1].center[:2], other[moved][1].center[:2])
        assert np.hypot(*away) >= APART
    assert scenes[0].counts == scenes[1].counts == scenes[2].counts


def test_what_stays_looks_the_same() -> None:
    _, one, _ = twin_place(CONFIG, "rectangle", "d/0", "5:0", 0)
    _, other, _ = twin_place(CONFIG, "rectangle", "d/0", "5:0", 1)
    assert len(one.bodies) == len(other.bodies)
    seen = [sorted((body.object or "", body.mesh.points.tobytes()) for body in twin.bodies) for twin in (one, other)]
    assert sum(a != b for a, b in zip(*seen, strict=True)) == 1


def test_beside_landmarks_each_twin_has_another_that_is_nearest() -> None:
    config = replace(CONFIG, twins=4, differ=("landmark",))
    nearest = []
    for number in range(4):
        _, world, _ = twin_place(config, "rectangle", f"d/{number}", "7:0", number, "landmark")
        scene = world.scene
        (moved,) = scene.of(scene.differs or "")
        alone = [
            thing
            for thing in scene.objects
            if scene.count(thing.category) == 1
            and thing.category not in (moved.category, "rug", "door", "window")
            and thing.box.center[2] - thing.box.extents[2] / 2 < 0.03
        ]
        known = SceneGeometry(scene, ())
        nearest.append(min((t.category for t in alone), key=lambda c: known.exact_distance(moved.category, c)))
    assert len(set(nearest)) == 4


@cache
def in_number(seed: str) -> tuple[Scene, ...]:
    config = replace(CONFIG, twins=4, differ=("number",))
    return tuple(twin_place(config, "rectangle", f"d/{n}", seed, n, "number")[1].scene for n in range(4))


@pytest.mark.full
def test_in_number_twins_have_more_and_more_of_one_thing() -> None:
    scenes = sorted(in_number("5:1"), key=lambda scene: scene.count(scene.differs or ""))
    assert [scene.count(scene.differs or "") for scene in scenes] == list(COUNTS)
    for fewer, more in itertools.pairwise(scenes):
        assert {thing.id: thing.box for thing in fewer.objects}.items() <= {t.id: t.box for t in more.objects}.items()


def test_a_twin_s_number_tells_nothing_of_what_is_in_it() -> None:
    groups = [in_number(seed) for seed in ("5:1", "8:0", "8:1")]
    orders = {tuple(scene.count(scene.differs or "") for scene in scenes) for scenes in groups}
    assert len(orders) == 3
    assert {tuple(sorted(order)) for order in orders} == {COUNTS}


@cache
def plans(differ: str) -> tuple[Scene, ...]:
    plan = draw_plan("d/0", "rectangle", "9:0", MadeLibrary("9:0"), twins=4, differ=differ)
    return tuple(scene_of(twin_of(plan, n)) for n in range(4))


def differing(scenes: tuple[Scene, ...]) -> dict[str, list[list[OrientedBox]]]:
    """Category → for each twin the boxes of its things, of those categories that aren't the same in all twins."""
    names = {thing.category for scene in scenes for thing in scene.objects}
    boxes = {name: [[thing.box for thing in scene.of(name)] for scene in scenes] for name in names}
    return {name: own for name, own in boxes.items() if any(one != own[0] for one in own)}


def test_exchanged_things_are_at_each_place_once_and_any_three_come_in_four_orders() -> None:
    places = {name: [own[0].center[:2] for own in boxes] for name, boxes in differing(plans("exchange")).items()}
    assert len(places) == 4
    spots = sorted({place for own in places.values() for place in own})
    assert len(spots) == 4
    for own in places.values():
        assert sorted(own) == spots
    for three in itertools.combinations(places, 3):
        assert len({tuple(sorted(three, key=lambda name: places[name][n])) for n in range(4)}) == 4


def test_scaled_things_have_one_size_in_each_quarter_of_the_range_and_keep_their_shape() -> None:
    found = differing(plans("scale"))
    assert found
    for boxes in found.values():
        longest = [own[0].longest for own in boxes]
        assert {int(4 * np.log(one / LEAST_SIZE) / np.log(SIZES)) for one in longest} == {0, 1, 2, 3}
        assert longest == [round(one, 2) for one in longest]  # else "50.5 cm" would be asked for
        shapes = np.array([np.array(own[0].extents) / own[0].longest for own in boxes])
        assert np.ptp(shapes, axis=0).max() < 0.01


def test_of_three_kinds_each_has_each_count_and_is_once_the_most_and_once_the_fewest() -> None:
    scenes = plans("kinds")
    found = differing(scenes)
    counts = np.array([[scene.count(name) for scene in scenes] for name in sorted(found)])
    assert counts.shape == (3, 4)
    assert np.sort(counts, axis=1).tolist() == [list(COUNTS)] * 3
    for extreme in (counts.max(0), counts.min(0)):
        alone = (counts == extreme).sum(0).tolist()
        assert sorted(alone) == [1, 1, 1, 3]


def test_watched_twins_are_walked_through_on_different_ways_before_fixed_cameras(tmp_path: Path) -> None:
    simulate(replace(CONFIG, twins=2, scenes=2, differ=("watched",)), tmp_path, 1)
    scenes, captures = list(read_scenes(tmp_path)), list(read_captures(tmp_path))
    roles = [capture.role for capture in captures]
    assert roles == ["ego", "exo-1", "exo-2"] * 2
    assert captures[0].poses != captures[3].poses
    assert captures[1].poses == captures[4].poses
    assert all(26 <= (scene.room_area or 0) <= 36 for scene in scenes)
    assert [thing.id for scene in scenes for thing in scene.objects if thing.track] == ["wearer", "wearer"]


@pytest.mark.parametrize("differ", DIFFERENCES)
def test_all_copies_stand_and_overlap_nothing(differ: str) -> None:
    whole, _, _ = twin_place(replace(CONFIG, twins=4), "rectangle", "d/0", "6:0", 0, differ)
    assert not faults(whole, hung=HUNG)
    assert not overlaps(whole)


def test_an_unknown_difference_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="landmark, side, number"):
        command(SimulateConfig(out=tmp_path / "out", scenes=4, twins=2, differ=("place",)))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scenes": 4, "twins": 3}, "no multiple"),
        ({"scenes": 4, "twins": 2, "actors": 1}, "nothing moves"),
        ({"scenes": 4, "twins": 2, "traffic": 1}, "nothing moves"),
        ({"scenes": 4, "twins": 2, "shapes": ("street",)}, "nothing moves"),
    ],
)
def test_what_can_t_be_twins_is_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        command(SimulateConfig(out=tmp_path / "out", **changes))  # type: ignore[arg-type]
