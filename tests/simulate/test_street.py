"""Streets and parking lots: exact boxes, nothing in another, everything can be reached."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
import shapely

from simulate.worlds import world
from tolman.geometry.boxes import Boxes, pairwise_distances
from tolman.simulate.fittings import SIZES, fitting
from tolman.simulate.open_worlds import KINDS, Kind
from tolman.simulate.street import draw_street
from tolman.simulate.vehicles import COLOURS, PATTERNS, vehicle

SEEDS = [f"s{number}" for number in range(6)]


@pytest.mark.parametrize("kind", KINDS)
def test_each_mesh_fills_its_box(kind: Kind) -> None:
    here = world(kind)
    bodies = {body.object: body.mesh for body in here.bodies if body.object}
    assert len(bodies) == len(here.scene.objects) >= 15
    for thing in here.scene.objects:
        local = (bodies[thing.id].points - np.array(thing.box.center)) @ np.array(thing.box.axes).T
        half = np.array(thing.box.extents) / 2
        assert local.min(0) == pytest.approx(-half, abs=1e-6), thing.id
        assert local.max(0) == pytest.approx(half, abs=1e-6), thing.id


@pytest.mark.parametrize("kind", KINDS)
def test_a_scene_tells_the_truth_of_its_plan(kind: Kind) -> None:
    here = world(kind)
    assert here.scene.room_area is None
    assert here.scene.counts == Counter(thing.category for thing in here.scene.objects)
    floor = shapely.Polygon(here.scene.floor[0])
    assert floor.buffer(1e-6).covers(here.walkable)
    for thing in here.scene.objects:
        assert floor.contains(shapely.Point(thing.box.center[:2]))
    assert sum(len(body.mesh.faces) for body in here.bodies) < 260_000


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(KINDS, SEEDS)))
def test_nothing_intersects_and_everything_is_reached(kind: Kind, seed: str) -> None:
    plan = draw_street("t/s", seed, kind=kind)
    boxes = [thing.box for thing in plan.placed]
    arrays = Boxes(*(np.array([getattr(box, name) for box in boxes]) for name in ("center", "axes", "extents")))
    apart = pairwise_distances(arrays)
    assert apart[~np.eye(len(boxes), dtype=bool)].min() > 0.02
    assert all(plan.floor.buffer(1e-6).covers(thing.footprint) for thing in plan.placed)
    assert sum(count == 1 for count in plan.counts.values()) >= 4
    asked = sum(plan.counts.values()) + sum(int(note.split()[3]) for note in plan.notes)
    assert 22 <= asked <= 34


def test_counts_are_spread() -> None:
    cars = Counter(draw_street("t/s", f"c{n}", kind="parking-lot").counts.get("car", 0) for n in range(40))
    assert len(cars) >= 4
    assert max(cars.values()) <= 16


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    one, two, other = draw_street("t/s", "a"), draw_street("t/s", "a"), draw_street("t/s", "b")
    assert one == two
    assert one.fingerprint() == two.fingerprint() != other.fingerprint()


def test_too_much_is_noted_and_left_out() -> None:
    plan = draw_street("t/s", "s0", kind="street", objects=200)
    assert len(plan.placed) < 200


def test_vehicles_have_real_sizes() -> None:
    for name, pattern in PATTERNS.items():
        mesh = vehicle(name, COLOURS[0])
        width, length, height = mesh.bounds[1] - mesh.bounds[0]
        assert (width, length, height) == pytest.approx(pattern.size, rel=0.05), name
        assert 3.5 <= length <= 5.4
        assert mesh.bounds[0, 2] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("category", SIZES)
def test_what_stands_along_streets_is_made_in_its_size(category: str) -> None:
    mesh = fitting(category, SIZES[category], np.random.default_rng(0))
    assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx(SIZES[category], abs=1e-9)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert mesh.tints.min() >= 0
    assert mesh.tints.max() <= 1


def test_a_stop_sign_looks_the_same_from_a_little_farther_off() -> None:
    pytest.importorskip("moderngl", reason="drawing needs the extra 'worlds'")
    from tolman.simulate.mesh import block
    from tolman.simulate.render import Renderer
    from tolman.simulate.walks import intrinsics_of, looking
    from tolman.simulate.world import Body, Daylight, World

    size = (160, 120)
    sign = fitting("stop sign", SIZES["stop sign"], np.random.default_rng(0))
    still = world("street")
    alone = World(
        still.scene.model_copy(update={"floor": (((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)),)}),
        (Body(sign, still.scene.objects[0].id), Body(block((-9, -9, -1), (9, 9, 0)))),
        still.walkable,
        Daylight(toward=(0.0, 0.8, 0.6)),
    )
    means = []
    with Renderer(alone, size) as renderer:
        for away in 12.0 + np.arange(12) * 0.011:
            for side in (1, -1):
                eye = np.array([[0.0, side * away, 2.1]])
                pose = looking(eye, np.array([-side * np.pi / 2]), np.zeros(1), np.zeros(1))[0]
                frame = renderer.frame(pose, intrinsics_of(size, 20.0))
                plate = frame.instances[35:85, 55:105] == 1
                means.append((side, frame.colour[35:85, 55:105][plate].mean(0)))
    front, back = (np.array([mean for side, mean in means if side == one]) for one in (1, -1))
    assert np.ptp(front, axis=0).max() < 4
    assert np.ptp(back, axis=0).max() < 4
    assert front[0, 0] > front[0, 1] + 40
    assert abs(back[0, 0] - back[0, 1]) < 12
