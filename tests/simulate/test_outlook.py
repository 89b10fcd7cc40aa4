"""What a view reaches and shows, in a hall with one cabinet."""

import numpy as np
import pytest
import shapely

from simulate.worlds import thing_at
from tolman.scenes import Scene
from tolman.simulate.view_planning import DIRECTIONS, outlook, surroundings
from tolman.simulate.world import World

HALF_ANGLE = np.radians(30)
EYE = np.array([0.0, 0.0, 1.5])


def hall(away: float) -> World:
    """20 m × 20 m, with a cabinet so many metres from its middle along +x."""
    cabinet = thing_at("cabinet", (away + 0.5, 0.0, 1.1), (1.0, 3.0, 2.2))
    floor = ((-10.0, -10.0), (10.0, -10.0), (10.0, 10.0), (-10.0, 10.0))
    scene = Scene(id="t/hall", dataset="t", objects=(cabinet,), floor=(floor,))
    return World(scene, (), shapely.box(-9, -9, 9, 9))


@pytest.mark.parametrize(("away", "blocks"), [(0.6, True), (3.0, False)])
def test_what_stands_right_before_a_view_blocks_it(away: float, blocks: bool) -> None:
    towards, from_it = (outlook(hall(away), EYE, np.array([yaw]), HALF_ANGLE) for yaw in (0.0, np.pi))
    assert (towards.blocked[0] > 0.6) == blocks
    assert from_it.blocked[0] == 0.0


def test_things_are_shown_and_distances_measured() -> None:
    both = outlook(hall(3.0), EYE, np.array([0.0, np.pi]), HALF_ANGLE)
    assert both.things[0] > 0.4
    assert both.things[1] == 0.0
    assert 3.0 <= both.distance[0] < 4.5
    assert both.distance[1] > 4.5


def test_surroundings_have_the_distance_of_what_is_in_the_middle() -> None:
    around = surroundings(hall(0.6), EYE[None], HALF_ANGLE)
    assert around.ahead.shape == around.blocked.shape == (1, DIRECTIONS)
    assert around.ahead[0, 0] == pytest.approx(0.72, abs=0.04)  # things fill less than their boxes
    assert around.ahead[0, DIRECTIONS // 2] > 4.5
    assert around.blocked[0, 0] > 0.6
    assert around.blocked[0, DIRECTIONS // 2] == 0.0
