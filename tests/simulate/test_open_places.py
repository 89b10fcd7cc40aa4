"""Parks and courtyards: exact boxes, nothing in another, everything can be reached, no two alike."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shapely

from simulate.worlds import world
from tolman.errors import UsageError
from tolman.geometry.boxes import Boxes, pairwise_distances
from tolman.simulate.greenery import CLEAR, SPECIES, SPRUCE, tree
from tolman.simulate.open_places import LANE_ROOM, OPEN_KINDS, OpenPlace
from tolman.simulate.outdoors import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.parks_and_courtyards import draw_courtyard, draw_park
from tolman.simulate.yard_things import YARD_SIZES, yard_thing

NAMING = Path(__file__).parents[2] / "benchmarks" / "naming_outdoors.json"
SEEDS = [f"s{number}" for number in range(6)]
DRAW: dict[str, Callable[..., OpenPlace]] = {"park": draw_park, "courtyard": draw_courtyard}


@pytest.mark.parametrize("shape", OUTDOOR_SHAPES)
def test_things_have_the_names_that_nine_of_ten_gave(shape: str) -> None:
    record = json.loads(NAMING.read_text(encoding="utf-8"))
    known = {entry["category"] for entry in record if entry["right"] >= 0.9 * entry["of"] and entry["of"] >= 10}
    assert {thing.category for thing in world(shape).scene.objects} <= known


@pytest.mark.parametrize("kind", OPEN_KINDS)
def test_each_mesh_fills_its_box(kind: str) -> None:
    here = world(kind)
    bodies = {body.object: body.mesh for body in here.bodies if body.object}
    assert len(bodies) == len(here.scene.objects) >= 12
    for thing in here.scene.objects:
        local = (bodies[thing.id].points - np.array(thing.box.center)) @ np.array(thing.box.axes).T
        half = np.array(thing.box.extents) / 2
        assert local.min(0) == pytest.approx(-half, abs=1e-6), thing.id
        assert local.max(0) == pytest.approx(half, abs=1e-6), thing.id
    assert here.scene.counts == Counter(thing.category for thing in here.scene.objects)
    assert shapely.Polygon(here.scene.floor[0]).buffer(1e-6).covers(here.walkable)


@pytest.mark.parametrize(("kind", "seed"), list(itertools.product(OPEN_KINDS, SEEDS)))
def test_nothing_intersects_and_the_way_is_free(kind: str, seed: str) -> None:
    plan = DRAW[kind]("t/s", seed)
    boxes = [thing.box for thing in plan.placed]
    arrays = Boxes(*(np.array([getattr(box, name) for box in boxes]) for name in ("center", "axes", "extents")))
    apart = pairwise_distances(arrays)
    assert apart[~np.eye(len(boxes), dtype=bool)].min() > 0.02
    inside = [thing for thing in plan.placed if thing.category != "door"]
    assert all(plan.floor.buffer(1e-6).covers(thing.footprint) for thing in inside)
    way = shapely.LinearRing(plan.round.points)
    assert all(way.distance(thing.footprint) >= LANE_ROOM - 0.02 for thing in inside if thing.low < 2.0)
    assert sum(count == 1 for count in plan.counts.values()) >= 4


@pytest.mark.parametrize("kind", OPEN_KINDS)
def test_places_differ(kind: str) -> None:
    plans = [DRAW[kind]("t/s", seed) for seed in SEEDS]
    assert len({plan.size for plan in plans}) == len(plans)
    assert len({frozenset(plan.counts.items()) for plan in plans}) == len(plans)
    assert DRAW[kind]("t/s", "s0").fingerprint() == plans[0].fingerprint() != plans[1].fingerprint()


def test_courts_have_doors_in_their_walls_and_some_are_open_on_one_side() -> None:
    plans = [draw_courtyard("t/s", seed) for seed in SEEDS]
    assert {len(plan.closed) for plan in plans} == {3, 4}
    assert any(plan.counts.get("balcony", 0) >= 2 for plan in plans)
    for plan in plans:
        assert 3 <= plan.counts["door"] <= 8
        for thing in plan.placed:
            if thing.category == "door":
                assert not plan.floor.contains(shapely.Point(thing.center[:2]))
                assert plan.floor.distance(shapely.Point(thing.center[:2])) < 0.13


@pytest.mark.parametrize("category", YARD_SIZES)
def test_things_are_made_in_their_size(category: str) -> None:
    mesh = yard_thing(category, YARD_SIZES[category], np.random.default_rng(0))
    assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx(YARD_SIZES[category], abs=1e-9)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert mesh.tints.min() >= 0
    assert mesh.tints.max() <= 1
    assert len(mesh.faces) < 20_000


@pytest.mark.parametrize("species", [*SPECIES, SPRUCE])
def test_people_walk_below_the_leaves_of_broad_leaved_trees(species: str) -> None:
    mesh = tree(np.random.default_rng(1), (2.6, 2.6, 5.5), species)
    low = mesh.points[mesh.points[:, 2] < CLEAR - 0.15]
    reach = np.linalg.norm(low[:, :2], axis=1).max()
    assert (reach > 1.0) == (species == SPRUCE)
    assert mesh.bounds[1] - mesh.bounds[0] == pytest.approx((2.6, 2.6, 5.5))


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(UsageError, match="park"):
        outdoor_place("beach", "t/s", "0")
    assert {"street", "parking-lot", "park", "courtyard"} == set(OUTDOOR_SHAPES)
