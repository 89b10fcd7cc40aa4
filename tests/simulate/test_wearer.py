"""The wearer: where the egocentric camera is, seen by the others and not by it."""

from __future__ import annotations

import numpy as np
import pytest

from simulate.worlds import walk, world
from tolman.simulate.exocentric import CATEGORY, ID, with_wearer, without_body


@pytest.mark.parametrize("place", ["rectangle", "street"])
def test_the_wearer_walks_with_the_camera_and_looks_its_way(place: str) -> None:
    carried = walk(place)
    found = with_wearer(world(place), carried, "look")
    (thing,) = [thing for thing in found.scene.objects if thing.id == ID]
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
    (thing,) = [thing for thing in found.scene.objects if thing.id == ID]
    for point in thing.track[::20]:
        parts = [b.mesh.moved(b.pose(point.seconds)).points for b in found.bodies if b.object == ID and b.pose]
        local = (np.concatenate(parts) - np.array(point.center)) @ np.array(point.axes).T
        assert (np.abs(local) <= np.array(thing.box.extents) / 2 + 1e-6).all()
