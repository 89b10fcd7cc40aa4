"""Streets, parking lots, parks and courtyards: exact boxes, nothing in another, everything can be reached, no two alike."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import shapely

from simulate.worlds import gaze, world
from tolman.errors import UsageError
from tolman.geometry.boxes import Boxes, pairwise_distances
from tolman.simulate.fittings import SIZES, fitting
from tolman.simulate.greenery import CLEAR, SPECIES, SPRUCE, tree
from tolman.simulate.open_worlds import KINDS, Kind
from tolman.simulate.outdoors import OUTDOOR_SHAPES, Street, draw_street, outdoor_place
from tolman.simulate.parks_and_courtyards import LANE_ROOM, OPEN_KINDS, OpenPlace, draw_courtyard, draw_park
from tolman.simulate.plan import counts_of
from tolman.simulate.vehicles import COLOURS, PATTERNS, vehicle
from tolman.simulate.yard_things import YARD_SIZES, yard_thing

NAMING = Path(__file__).parents[2] / "benchmarks" / "naming_outdoors.json"
SEEDS = [f"s{number}" for number in range(6)]
DRAW: dict[str, Callable[..., OpenPlace]] = {"park": draw_park, "courtyard": draw_courtyard}


@cache
def street(kind: Kind, seed: str) -> Street:
    return draw_street("t/s", seed, kind=kind)


@cache
def drawn(kind: str, seed: str) -> OpenPlace:
    return DRAW[kind]("t/s", seed)


@pytest.mark.parametrize("shape", OUTDOOR_SHAPES)
def test_things_have_the_names_that_nine_of_ten_gave(shape: str) -> None:
    record = json.loads(NAMING.read_text(encoding="utf-8"))
    known = {entry["category"] for entry in record if entry["right"] >= 0.9 * entry["of"] and entry["of"] >= 10}
    assert {thing.category for thing in world(shape).scene.objects} <= known


@pytest.mark.parametrize("shape", OUTDOOR_SHAPES)
def test_each_mesh_fills_its_box_and_the_scene_tells_the_truth(shape: str) -> None:
    here = world(shape)
    bodies = {body.object: body.mesh for body in here.bodies if body.object}
    assert len(bodies) == len(here.scene.objects) >= (15 if shape in KINDS else 12)
    for thing in here.scene.objects:
        local = (bodies[thing.id].points - np.array(thing.box.center)) @ np.array(thing.box.axes).T
        half = np.array(thing.box.extents) / 2
        assert local.min(0) == pytest.approx(-half, abs=1e-6), thing.id
        assert local.max(0) == pytest.approx(half, abs=1e-6), thing.id
    assert here.scene.counts == Counter(thing.category for thing in here.scene.objects)
    floor = shapely.Polygon(here.scene.floor[0])
    assert floor.buffer(1e-6).covers(here.walkable)
    if shape in KINDS:
        assert here.scene.room_area is None
        assert all(floor.contains(shapely.Point(thing.box.center[:2])) for thing in here.scene.objects)
        assert sum(len(body.mesh.faces) for body in here.bodies) < 260_000


def check_apart_and_mostly_unique(plan: Street | OpenPlace) -> None:
    boxes = [thing.box for thing in plan.placed]
    arrays = Boxes(*(np.array([getattr(box, name) for box in boxes]) for name in ("center", "axes", "extents")))
    assert pairwise_distances(arrays)[~np.eye(len(boxes), dtype=bool)].min() > 0.02
    assert sum(count == 1 for count in counts_of(plan.placed).values()) >= 4


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(KINDS, SEEDS)))
def test_nothing_intersects_and_everything_is_reached(kind: Kind, seed: str) -> None:
    plan = street(kind, seed)
    check_apart_and_mostly_unique(plan)
    assert all(plan.floor.buffer(1e-6).covers(thing.footprint) for thing in plan.placed)
    assert 22 <= len(plan.placed) + sum(int(note.split()[3]) for note in plan.notes) <= 34


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(OPEN_KINDS, SEEDS)))
def test_nothing_intersects_and_the_way_is_free(kind: str, seed: str) -> None:
    plan = drawn(kind, seed)
    check_apart_and_mostly_unique(plan)
    inside = [thing for thing in plan.placed if thing.category != "door"]
    assert all(plan.floor.buffer(1e-6).covers(thing.footprint) for thing in inside)
    way = shapely.LinearRing(plan.round.points)
    assert all(way.distance(thing.footprint) >= LANE_ROOM - 0.02 for thing in inside if thing.low < 2.0)


@pytest.mark.parametrize("kind", OPEN_KINDS)
def test_places_differ(kind: str) -> None:
    plans = [drawn(kind, seed) for seed in SEEDS]
    assert len({plan.size for plan in plans}) == len(plans)
    assert len({frozenset(counts_of(plan.placed).items()) for plan in plans}) == len(plans)
    assert DRAW[kind]("t/s", "s0").placed == plans[0].placed != plans[1].placed


def test_counts_of_cars_are_spread() -> None:
    plans = (draw_street("t/s", f"c{n}", kind="parking-lot") for n in range(40))
    cars = Counter(counts_of(plan.placed).get("car", 0) for plan in plans)
    assert len(cars) >= 4
    assert max(cars.values()) <= 16


def test_the_same_seed_gives_the_same_street_and_another_another() -> None:
    one, two, other = (draw_street("t/s", seed) for seed in "aab")
    assert one == two != other
    assert one.placed != other.placed


def test_too_much_is_noted_and_left_out() -> None:
    plan = draw_street("t/s", "s0", kind="street", objects=200)
    assert len(plan.placed) < 200


def test_courts_have_doors_in_their_walls_and_some_are_open_on_one_side() -> None:
    plans = [drawn("courtyard", seed) for seed in SEEDS]
    assert {len(plan.closed) for plan in plans} == {3, 4}
    assert any(counts_of(plan.placed).get("balcony", 0) >= 2 for plan in plans)
    for plan in plans:
        doors = [shapely.Point(thing.center[:2]) for thing in plan.placed if thing.category == "door"]
        assert 3 <= len(doors) <= 8
        assert all(not plan.floor.contains(door) and plan.floor.distance(door) < 0.13 for door in doors)


@pytest.mark.parametrize("category", {**SIZES, **YARD_SIZES})
def test_things_are_made_in_their_size(category: str) -> None:
    for make, sizes in ((fitting, SIZES), (yard_thing, YARD_SIZES)):
        if category in sizes:
            mesh = make(category, sizes[category], np.random.default_rng(0))
            assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx(sizes[category], abs=1e-9)
            assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-6)
            assert 0 <= mesh.tints.min() <= mesh.tints.max() <= 1
            assert len(mesh.faces) < 20_000


def test_vehicles_have_real_sizes() -> None:
    for name, pattern in PATTERNS.items():
        mesh = vehicle(name, COLOURS[0])
        width, length, height = mesh.bounds[1] - mesh.bounds[0]
        assert (width, length, height) == pytest.approx(pattern.size, rel=0.05), name
        assert 3.5 <= length <= 5.4
        assert mesh.bounds[0, 2] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("species", [*SPECIES, SPRUCE])
def test_people_walk_below_the_leaves_of_broad_leaved_trees(species: str) -> None:
    mesh = tree(np.random.default_rng(1), (2.6, 2.6, 5.5), species)
    low = mesh.points[mesh.points[:, 2] < CLEAR - 0.15]
    reach = np.linalg.norm(low[:, :2], axis=1).max()
    assert (reach > 1.0) == (species == SPRUCE)
    assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx((2.6, 2.6, 5.5))


def test_a_stop_sign_looks_the_same_from_a_little_farther_off() -> None:
    pytest.importorskip("moderngl", reason="drawing needs the extra 'worlds'")
    from tolman.simulate.mesh import block
    from tolman.simulate.render import Renderer
    from tolman.simulate.walks import intrinsics_of
    from tolman.simulate.world import Body, Daylight, World

    size = (160, 120)
    sign = fitting("stop sign", SIZES["stop sign"], np.random.default_rng(0))
    still = world("street")
    floor = (((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)),)
    bodies = (Body(sign, still.scene.objects[0].id), Body(block((-9, -9, -1), (9, 9, 0))))
    scene = still.scene.model_copy(update={"floor": floor})
    means = []
    with Renderer(World(scene, bodies, still.walkable, Daylight(toward=(0.0, 0.8, 0.6))), size) as renderer:
        for away in 12.0 + np.arange(12) * 0.011:
            for side in (1, -1):
                pose = gaze((0.0, side * away, 2.1), yaw=-side * np.pi / 2)
                frame = renderer.frame(pose, intrinsics_of(size, 20.0))
                plate = frame.instances[35:85, 55:105] == 1
                means.append((side, frame.colour[35:85, 55:105][plate].mean(0)))
    front, back = (np.array([mean for side, mean in means if side == one]) for one in (1, -1))
    assert np.ptp(front, axis=0).max() < 4
    assert np.ptp(back, axis=0).max() < 4
    assert front[0, 0] > front[0, 1] + 40
    assert abs(back[0, 0] - back[0, 1]) < 12


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(UsageError, match="park"):
        outdoor_place("beach", "t/s", "0")
    assert {"street", "parking-lot", "park", "courtyard"} == set(OUTDOOR_SHAPES)
