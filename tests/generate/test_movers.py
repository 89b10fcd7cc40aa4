"""What moves: who has a front, and where something is between two points of its track."""

import numpy as np
import pytest

pytest.importorskip("shapely", reason="views need the extra 'build'")

from simulate.worlds import world
from tolman.generate.families.mmsi_bench.motion_questions import movers_of
from tolman.generate.families.mmsi_bench.support.views import ViewSettings, gallery
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.simulate.agents import with_actors, with_robots


def test_people_have_a_front_and_robots_have_none() -> None:
    peopled, _ = with_actors(world("street"), "act", seconds=12.0)
    moving, _ = with_robots(peopled, "drive", seconds=12.0)
    shown = gallery(SceneGeometry(moving.scene), ViewSettings())
    movers = {shown.category(mover.number): mover for mover in movers_of(shown)}
    assert len(movers) == 3  # a person, what is carried, a robot
    for name, mover in movers.items():
        assert mover.turns == ("robot" not in name), name
        assert mover.place(float(mover.times[3])) == pytest.approx(mover.centers[3, :2])
        between = mover.place(float(mover.times[3] + mover.times[4]) / 2)
        assert between == pytest.approx(np.mean(mover.centers[3:5, :2], axis=0))
