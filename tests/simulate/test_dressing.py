"""How rooms with types are dressed: lamps light them, windows show a day, curtains stay in their niches."""

from functools import cache

import numpy as np
import pytest

pytest.importorskip("embreex", reason="furniture needs the extra 'worlds'")

from simulate.worlds import SHAPES
from tolman.simulate.dressing import Dressing
from tolman.simulate.furniture import Library
from tolman.simulate.interior import LIT_AREA, draw_plan
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.plan import RECESS, FloorLayout
from tolman.simulate.simulated_places import WorldsConfig, place


@cache
def plan_of(library: Library, number: int) -> FloorLayout:
    both = MadeLibrary(str(number), library)
    return draw_plan("t/1", SHAPES[number % 3], f"dressing:{number}", both)


@pytest.mark.full
@pytest.mark.parametrize("number", range(6))
def test_lamps_hang_in_their_rooms_one_for_so_much_floor(library: Library, number: int) -> None:
    import shapely

    plan = plan_of(library, number)
    for room, lamps in zip(plan.shell.rooms, plan.lamps, strict=True):
        assert len(lamps) == max(1, round(room.polygon.area / LIT_AREA))
        assert all(room.polygon.buffer(-0.2).contains(shapely.Point(place)) for place in lamps)
    emitters = Dressing(plan).emitters()
    windows = sum(thing.model == "window" for thing in plan.placed)
    assert len(emitters) == sum(map(len, plan.lamps)) + windows
    for emitter in emitters:
        inside = np.array(emitter.center) + 0.3 * np.array(emitter.normal)
        assert plan.shell.floor.contains(shapely.Point(inside[:2]))
        assert 0 < inside[2] < plan.shell.height


def test_curtains_stay_in_their_niches(library: Library) -> None:
    import shapely

    curtains = 0
    for number in range(6):
        plan = plan_of(library, number)
        dressing = Dressing(plan)
        lamps = sum(map(len, plan.lamps))
        walls = plan.shell.floor.boundary
        for mesh in dressing.extras()[lamps:]:
            curtains += 1
            away = shapely.distance(shapely.points(mesh.points[:, :2]), walls)
            assert away.max() < RECESS + 0.001
            assert not plan.shell.floor.buffer(-0.001).intersects(shapely.MultiPoint(mesh.points[:, :2]))
    assert curtains > 4


def test_a_dressed_room_is_the_same_each_time(library: Library) -> None:
    first, second = (place(WorldsConfig(), "rectangle", "t/1", "1")[0] for _ in range(2))
    for one, other in zip(first.bodies, second.bodies, strict=True):
        np.testing.assert_array_equal(one.mesh.points, other.mesh.points)
        np.testing.assert_array_equal(one.mesh.tints, other.mesh.tints)
        for a, b in zip(one.mesh.textures, other.mesh.textures, strict=True):
            np.testing.assert_array_equal(a, b)
