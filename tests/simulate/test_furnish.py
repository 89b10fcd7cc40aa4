"""Layouts: nothing intersects, everything stands on something, the floor can be walked on, counts tell nothing."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("shapely", reason="layouts need the extra 'worlds'")

import shapely
import trimesh

from simulate.worlds import SHAPES, fingerprint
from tolman.simulate.furniture import Library
from tolman.simulate.interior import draw_plan, scene_of
from tolman.simulate.placing import HEAD, walking_floor
from tolman.simulate.plan import FloorLayout, Placed
from tolman.simulate.room_contents import FLAT_TOPS
from tolman.simulate.room_shells import Shape

HASHES = Path(__file__).parent / "plans.json"


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**9), shape=st.sampled_from(SHAPES), objects=st.integers(4, 60))
def test_a_plan_keeps_all_rules(library: Library, seed: int, shape: Shape, objects: int) -> None:
    plan = draw_plan("t/1", shape, str(seed), library, objects=objects)
    _no_two_intersect(plan, library)
    floor = plan.shell.floor
    for thing in plan.placed:
        inside = floor.buffer(0.2 if thing.category in ("door", "window") else 1e-5)
        assert inside.covers(thing.footprint), thing
        assert thing.high <= plan.shell.height + 1e-9
        assert thing.low >= -1e-9
    _everything_is_held_up(plan, library)
    free = walking_floor(floor, list(plan.placed))
    largest = max(shapely.get_parts(free), key=lambda part: part.area)
    assert largest.area >= 0.9 * free.area
    doors = [p for p in plan.placed if p.category == "door"]
    assert doors
    assert all(largest.distance(door.footprint) < 0.6 for door in doors)
    assert len({thing.id for thing in plan.placed}) == len(plan.placed)
    assert scene_of(plan).room_area == pytest.approx(floor.area)


def _no_two_intersect(plan: FloorLayout, library: Library) -> None:
    """Boxes are apart, but for a thing on a desk below its raised part: it is inside the desk's box, not in the desk."""
    for a, b in itertools.combinations(plan.placed, 2):
        apart_in_height = a.high <= b.low + 1e-4 or b.high <= a.low + 1e-4
        apart = apart_in_height or a.footprint.intersection(b.footprint).area < 1e-9
        assert apart or _stands_on(b, a, library), (a, b)


def _stands_on(thing: Placed, below: Placed, library: Library) -> bool:
    # Surfaces are known to half a step of their rays.
    if below.category not in FLAT_TOPS or not below.footprint.buffer(0.015).covers(thing.footprint):
        return False
    mesh = library.mesh(library.pieces[below.model])
    assert mesh is not None
    solid = trimesh.Trimesh(mesh.points, mesh.faces, process=False)
    middle = np.array([*thing.center[:2], 5.0]) - (*below.center[:2], below.low)
    c, s = np.cos(below.yaw), np.sin(below.yaw)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    # Several rays: one may fall between two planks.
    aside = np.array([[x, y, 0.0] for x in (-0.02, 0.0, 0.02) for y in (-0.02, 0.0, 0.02)])
    places, _, _ = solid.ray.intersects_location(middle @ turn + aside, np.tile([0, 0, -1.0], (9, 1)))
    return abs(below.low + places[:, 2].max() - thing.low) < 5e-3


def _everything_is_held_up(plan: FloorLayout, library: Library) -> None:
    for thing in plan.placed:
        if thing.category in ("door", "window", "clock", "radiator") or thing.low < 1e-9:
            continue
        rugs = [p for p in plan.placed if p.category == "rug" and abs(p.high - thing.low) < 1e-9]
        on_a_rug = any(rug.footprint.intersects(thing.footprint) for rug in rugs)
        assert on_a_rug or any(_stands_on(thing, p, library) for p in plan.placed), thing


def test_a_room_that_cannot_hold_it_says_so(library: Library) -> None:
    plan = draw_plan("t/1", "rectangle", "7", library, objects=200)
    assert plan.notes
    assert all(note.startswith("no room for ") for note in plan.notes)
    asked = sum(int(note.split()[3]) for note in plan.notes)
    assert 0 < asked < 200


@pytest.mark.full
def test_the_whole_catalogue_furnishes_rooms(shared_data: Path) -> None:
    whole = Library(shared_data / "furniture" / "BlendSwap-CC-0.sh3f")
    plan = draw_plan("t/1", "two-rooms", "0", whole, objects=40)
    _no_two_intersect(plan, whole)
    assert len(plan.placed) > 12


def test_the_same_seed_gives_the_committed_plans(library: Library) -> None:
    made = {f"{shape}:{seed}": fingerprint(draw_plan("t/1", shape, seed, library)) for shape, seed in _cases()}
    assert made == json.loads(HASHES.read_text(encoding="utf-8"))


def _cases() -> list[tuple[Shape, str]]:
    return [(shape, f"0:{number}") for shape in SHAPES for number in range(3)]


def test_what_begins_above_the_head_is_in_nobodys_way(library: Library) -> None:
    plan = draw_plan("t/1", "rectangle", "3", library)
    (first, *_) = [p for p in plan.placed if p.category not in ("door", "window", "rug")]
    raised = type(first)(**{**first.__dict__, "center": (*first.center[:2], HEAD + first.size[2])})
    bare = walking_floor(plan.shell.floor, [])
    assert walking_floor(plan.shell.floor, [raised]).equals(bare)
    assert not walking_floor(plan.shell.floor, [first]).equals(bare)
    assert np.isfinite(bare.area)
