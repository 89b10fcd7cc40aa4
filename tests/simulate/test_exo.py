"""Fixed cameras: in free places, turned to what is there, together seeing most of it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from simulate.worlds import PLACES, SLOW_PLACES, walk, world
from tolman.geometry.camera_geometry import pixel_rays
from tolman.simulate.exocentric import HEIGHT, exo_walks
from tolman.simulate.walks import intrinsics_of
from tolman.simulate.world import Caster

SIZE = (160, 120)


@pytest.mark.parametrize("place", [pytest.param(p, marks=SLOW_PLACES.get(p, ())) for p in PLACES])
def test_four_cameras_see_most_of_a_place(place: str) -> None:
    here, carried = world(place), walk(place)
    found = exo_walks(here, carried, 4)
    assert [role for role, _ in found] == ["exo-1", "exo-2", "exo-3", "exo-4"]
    caster, seen = Caster(here), set[int]()
    floor = shapely.Polygon(here.scene.floor[0])
    for _, fixed in found:
        assert (fixed.times == carried.times).all()
        assert (fixed.poses == fixed.poses[0]).all()
        x, y, z = fixed.poses[0][:3, 3]
        assert z == HEIGHT
        assert floor.contains(shapely.Point(x, y))
        rays = pixel_rays(fixed.poses[0], intrinsics_of(SIZE), SIZE)
        hits = caster.cast(np.tile([x, y, z], (len(rays), 1)), rays)
        seen |= set(np.unique(hits.numbers[hits.numbers > 0]).tolist())
        assert (hits.distances < 1.0).mean() < 0.2
    assert len(seen) >= 0.8 * len(here.scene.objects)
    places = np.array([fixed.poses[0][:3, 3] for _, fixed in found])
    assert len(np.unique(places.round(6), axis=0)) == 4


def test_no_camera_is_asked_for() -> None:
    assert exo_walks(world("rectangle"), walk("rectangle"), 0) == []
