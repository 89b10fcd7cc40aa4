"""Supports: what models stand on, and that nothing in a finished world hovers, sinks in or falls over.

The places are checked by rays on their final triangles (`holding`), which share no code with what puts things there.
"""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("embreex", reason="rays need the extra 'worlds'")

from simulate.holding import ALLOWED, ON_WALL, Fault, faults, off_the_wall
from simulate.worlds import SHAPES, walk, world
from tolman.simulate.agents import with_actors
from tolman.simulate.furniture import Library, support_of
from tolman.simulate.interior import build_interior, draw_plan
from tolman.simulate.mesh import Mesh, block, joined, placed
from tolman.simulate.outdoors import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.plan import FloorLayout, Placed
from tolman.simulate.rig_sensors import with_wearer

QUICK = [("rectangle", 8), ("parking-lot", 0), ("courtyard", 1)]
"""A room with cups and bread on a table, and places with trees that were sunk into their islands."""


MANY = [(SHAPES[n % 3], 100 + n) for n in range(12)] + [(OUTDOOR_SHAPES[n % 4], 100 + n) for n in range(4)]


@pytest.mark.parametrize(("shape", "number"), [*QUICK, *(pytest.param(*one, marks=pytest.mark.full) for one in MANY)])
def test_nothing_hovers_or_sinks_in(library: Library, shape: str, number: int) -> None:
    if shape in OUTDOOR_SHAPES:
        made = outdoor_place(shape, "t/s", f"place:{number}")[0]
    else:
        (room,) = (room for room in SHAPES if room == shape)
        made = build_interior(draw_plan("t/1", room, f"place:{number}", library), library)
    assert faults(made, hung=("clock", "radiator", "balcony")) == []
    assert all(gap <= ON_WALL for category in ("clock", "radiator", "balcony") for gap in off_the_wall(made, category))


@pytest.mark.parametrize(("by", "kind"), [(0.02, "hovers"), (-0.02, "sinks")])
def test_the_check_finds_what_is_two_centimetres_off(library: Library, by: float, kind: str) -> None:
    plan = draw_plan("t/1", "rectangle", "place:3", library)
    (lamp, *_) = [p for p in plan.placed if p.category == "lamp"]
    x, y, z = lamp.center
    moved = Placed(**{**lamp.__dict__, "center": (x, y, z + by)})
    things = tuple(moved if p is lamp else p for p in plan.placed)
    found = faults(build_interior(FloorLayout(**{**plan.__dict__, "placed": things}), library))
    assert [(fault.object, fault.kind) for fault in found] == [(lamp.id, kind)]
    assert isinstance(found[0], Fault)
    assert found[0].by == pytest.approx(abs(by), abs=0.004)
    assert found[0].by > ALLOWED


def test_people_walk_on_the_ground_and_hold_what_they_carry() -> None:
    moving, notes = with_actors(with_wearer(world("two-rooms"), walk("two-rooms"), "0"), "act", seconds=12.0)
    assert notes == ()
    for owner in ("wearer", "person-0"):
        own = [body for body in moving.bodies if body.object == owner]
        for seconds in np.arange(0, 8, 0.37):
            lowest = min(b.mesh.moved(b.pose(seconds)).bounds[0, 2] for b in own if b.pose)
            assert abs(lowest) <= 0.002, (owner, seconds)
    (load,) = [thing for thing in moving.scene.objects if thing.track and thing.category in ("parcel", "toolbox")]
    carried = max(load.track, key=lambda point: point.center[2])
    arms = [body for body in moving.bodies if body.object == "person-0" and body.pose is not None]
    points = np.concatenate([b.mesh.moved(b.pose(carried.seconds)).points for b in arms if b.pose])
    local = np.abs((points - np.array(carried.center)) @ np.array(carried.axes).T) - np.array(load.box.extents) / 2
    apart = np.linalg.norm(np.maximum(local, 0), axis=1).min()
    assert apart <= ALLOWED
    assert -local.max(1).min() <= ALLOWED


def step() -> Mesh:
    """A desk of 1 × 0.5 m, 0.7 m high, whose last 0.3 m are raised to 1 m."""
    return joined([block((-0.5, -0.25, 0), (0.2, 0.25, 0.7)), block((0.2, -0.25, 0), (0.5, 0.25, 1.0))])


@pytest.mark.parametrize(
    ("center", "height"),
    [
        ((-0.2, 0.0), 0.7),
        ((0.35, 0.0), 1.0),
        ((0.2, 0.0), -np.inf),  # over the step
        ((0.13, 0.0), -np.inf),  # before the step, nearer than the gap
        ((-0.48, 0.0), -np.inf),  # over the edge
        ((0.0, 0.24), -np.inf),
        ((3.0, 0.0), -np.inf),
    ],
)
def test_a_surface_is_where_the_triangles_are(center: tuple[float, float], height: float) -> None:
    assert support_of(step()).height_under(center, 0.3, (0.1, 0.1), 0.02) == height


def test_a_slope_carries_nothing() -> None:
    tilted = np.eye(4)
    tilted[2, 0] = 0.4
    assert support_of(step().moved(tilted)).height_under((-0.2, 0.0), 0.0, (0.1, 0.1), 0.02) == -np.inf


@pytest.mark.full
def test_what_stands_on_a_lip_is_not_stable(shared_data: Path) -> None:
    lip = block((-0.3, 0.25, 0), (0.3, 0.27, 0.05))
    body = block((-0.3, -0.25, 0.05), (0.3, 0.25, 1.0))
    assert not support_of(joined([lip, body])).stable
    assert support_of(body.moved(placed((0, 0, -0.05)))).stable
    whole = Library(shared_data / "furniture" / "BlendSwap-CC-0.sh3f")
    assert {"Knife stand", "Range hood"} <= {left_out.name for left_out in whole.unstable()}
    lying = {p.id for p in whole.pieces.values() if p.name in ("Knife stand", "Range hood")}
    plan = draw_plan("t/1", "l-shape", "whole", whole, objects=60)
    assert not {p.model for p in plan.placed} & lying


def test_everything_that_ships_stands_or_hangs(library: Library) -> None:
    assert library.unstable() == []
