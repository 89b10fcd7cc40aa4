"""Boxes picked in a scan's cloud: a mesh, depth, or sparse points, as they are read again from the scan."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ingest.phone_writers import write_record3d, write_scanner_app
from ingest.pipeline import made
from ingest.posed_writers import write_colmap
from ingest.results import collection
from ingest.test_posed_pictures import PINHOLES, UNIT, plain
from ingest.worlds import corners, same_box, small_world
from tolman.errors import InputError
from tolman.geometry.fitting import FitError
from tolman.ground_truth.scene_arrays import SEEN
from tolman.ingest.picked_boxes import PickingCloud, open_picking
from tolman.scenes import Sighting

pytest.importorskip("embreex", reason="rays need the extra 'build'")
pytest.importorskip("av", reason="scans need the extra 'build'")

WRITERS = {"3d-scanner-app": ("walk", write_scanner_app), "record3d": ("walk.r3d", write_record3d)}


def opened(tmp_path: Path, app: str, drawn: tuple) -> PickingCloud:  # type: ignore[type-arg]
    name, write = WRITERS[app]
    write(tmp_path / "in" / name, drawn)
    scene, _, _ = made(app, tmp_path / "in", tmp_path / "out")
    assert not scene.objects
    return open_picking(tmp_path / "out", scene.id, collection(tmp_path / "out")[scene.id].captures)


def test_two_corners_of_a_table_in_depth_give_its_box(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    """It stands at 20° to the walls. What hangs over its sides by the depth's steps is in the bounds."""
    table = small_world().objects[0].box
    cloud = opened(tmp_path, "record3d", drawn)
    ends = corners(table)[[0, 7]]
    found = cloud.between(*ends.tolist())
    assert same_box(found.box, table) < 0.1
    for side, size in zip(found.sides, (1.3, 0.7), strict=False):
        assert abs(side.value - size) <= side.error
    assert "95 %" in str(found)


@pytest.mark.parametrize("app", WRITERS)
def test_what_frames_show_of_boxes_is_that_of_their_pictures(tmp_path: Path, drawn: tuple, app: str) -> None:  # type: ignore[type-arg]
    cloud = opened(tmp_path, app, drawn)
    (capture,) = cloud.captures
    seen = cloud.seen([one.box for one in small_world().wanted])
    share = np.prod(capture.size or (1, 1)) / drawn[0].instances.size
    agree, close = [], []
    for thing, frames in zip(small_world().wanted, seen, strict=True):
        pixels = dict(frames.get(capture.id, ()))
        for frame in range(0, len(capture.times), 6):
            true = (drawn[round(capture.times[frame] * 10)].instances == int(thing.id)).sum() * share
            agree.append((pixels.get(frame, 0) >= SEEN) == (true >= SEEN))
            close.append(abs(pixels.get(frame, 0) - true) <= max(0.5 * true, SEEN))
    assert len(agree) > 40
    assert np.mean(agree) >= 0.95
    assert np.mean(close) >= 0.85


def test_frames_at_the_steps_of_those_that_were_looked_at_are_looked_at(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    """Earlier boxes are in some of these frames only."""
    cloud = opened(tmp_path, "3d-scanner-app", drawn)
    (capture,) = cloud.captures
    seen = tuple(Sighting(frame=frame, object="x", pixels=9) for frame in (11, 15, 19))
    own = capture.model_copy(update={"sightings": seen})
    (found,) = PickingCloud(cloud.cloud, (own,), cloud.mesh).seen([small_world().objects[0].box])
    frames = {frame for frames in found.values() for frame, _ in frames}
    assert {frame % 4 for frame in frames} == {3}
    assert len(frames) > 4


def test_what_cannot_be_picked_is_refused(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    cloud = opened(tmp_path, "3d-scanner-app", drawn)
    (capture,) = cloud.captures
    with pytest.raises(FitError, match="no points"):
        cloud.between((0, 0, 50), (1, 1, 51))
    with pytest.raises(FitError, match="has no area"):
        cloud.in_frame(capture, 0, (10, 10, 10, 40))
    lost = capture.model_copy(update={"poses": ((float("nan"),) * 16,) * len(capture.times)})
    with pytest.raises(FitError, match="no pose"):
        cloud.in_frame(lost, 0, (10, 10, 20, 40))
    shutil.move(tmp_path / "in", tmp_path / "elsewhere")
    with pytest.raises(InputError, match="isn't there any more"):
        open_picking(tmp_path / "out", "3d-scanner-app/walk", ())
    with pytest.raises(InputError, match="no point cloud of 'other'"):
        open_picking(tmp_path / "out", "other", ())


def test_the_scale_and_up_of_the_ingest_hold_when_a_scan_is_read_again(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    write_colmap(tmp_path / "in" / "flat", plain(drawn), "PINHOLE", PINHOLES["PINHOLE"], unit=UNIT)
    scene, capture, row = made("colmap", tmp_path / "in", tmp_path / "out", scale=UNIT, up="-y")
    assert row.hints == {"scale": UNIT, "up": "-y"}
    assert scene.metric
    cloud = open_picking(tmp_path / "out", scene.id, [capture], 7.0)
    own, true = (np.sort(np.ptp(points, axis=0)) for points in (cloud.points, small_world().points[::25]))
    assert np.allclose(own, true, atol=0.05)
