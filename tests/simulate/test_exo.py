"""Fixed cameras, which together see most of a place, and the wearer, where the egocentric camera is."""

import numpy as np
import pytest
import shapely

from simulate.worlds import PLACES, SLOW_PLACES, added, in_their_boxes, walk, world
from tolman.geometry.camera_geometry import pixel_rays
from tolman.simulate.rig_sensors import CATEGORY, HEIGHT, ID, exo_walks, with_wearer, without_body
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


@pytest.mark.parametrize("place", ["rectangle", "street"])
def test_the_wearer_walks_with_the_camera_and_looks_its_way(place: str) -> None:
    carried = walk(place)
    found = with_wearer(world(place), carried, "look")
    (thing,) = added(world(place), found)
    assert thing.id == ID
    assert found.scene.counts[CATEGORY] == 1
    for point in thing.track:
        i = int(np.argmin(np.abs(carried.times - point.seconds)))
        pose = carried.poses[i]
        assert np.linalg.norm(np.array(point.center[:2]) - pose[:2, 3]) < 0.35
        ahead = pose[:2, 2] / np.linalg.norm(pose[:2, 2])
        assert ahead @ np.array(point.axes[1][:2]) > 0.9
    assert thing.box.extents[2] == pytest.approx(1.8, abs=0.1)


def test_the_own_camera_sees_no_body() -> None:
    found = with_wearer(world("rectangle"), walk("rectangle"), "look")
    assert any(body.object == ID for body in found.bodies)
    own = without_body(found)
    assert not any(body.object == ID for body in own.bodies)
    assert own.numbers == found.numbers  # instances keep their numbers in all cameras' pictures


def test_the_body_is_where_the_track_says() -> None:
    found = with_wearer(world("street"), walk("street"), "look")
    (thing,) = added(world("street"), found)
    for point in thing.track[::20]:
        assert (np.abs(in_their_boxes(found, thing, point.seconds)) <= np.array(thing.box.extents) / 2 + 1e-6).all()
