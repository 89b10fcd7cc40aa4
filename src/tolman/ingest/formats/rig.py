"""Rigs: recordings of cameras and a LiDAR on one carrier, as SpatialBench's were made (its section 4.2).

A folder with `rig.json` names the files. The LiDAR's trajectory, the extrinsic calibration and the offset of the clocks
give the poses of the cameras; the clouds, brought together along the track, are the scene's surface.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.rooms import floor_plan, room_area
from tolman.geometry.synchronisation import turning
from tolman.ingest.base import Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.clouds.along import Gathered, Track
from tolman.ingest.clouds.bags import bag_sweeps, is_bag
from tolman.ingest.clouds.clocks import Synchronised, estimate_clock, said
from tolman.ingest.clouds.files import read_stamps, read_sweeps
from tolman.ingest.clouds.own import Keeper
from tolman.ingest.clouds.recording import Recording
from tolman.ingest.clouds.sweep import Sweep
from tolman.ingest.clouds.trajectories import read_trajectory
from tolman.ingest.readers.numbers import in_order
from tolman.ingest.readers.rig_cameras import OpenedCamera, look_at, motion_of, poses_of, recording_of
from tolman.ingest.readers.rig_file import NAME, RigFile, inside, read_rig
from tolman.scenes import Capture

CELL = 0.04


class RigFormat:
    """Rigs of cameras and a LiDAR."""

    name = "rig"
    title = "LiDAR and video rigs"

    def find(self, root: Path) -> list[SceneSource]:
        """Every folder with a rig.json, the given one or those below it.

        Raises:
            InputError: there are none.
        """
        files = [root / NAME] if (root / NAME).is_file() else in_order(root.glob(f"**/{NAME}")) if root.is_dir() else []
        if not files:
            raise InputError(root, f"holds no {NAME}", fix="describe the recording in one: docs/ingest/lidar.md")
        found = []
        for file in files:
            rig = read_rig(file.parent)
            below = tuple(sorted(path for path in file.parent.rglob("*") if path.is_file()))
            found.append(SceneSource(f"{rig.dataset}/{rig.scene}", file.parent, below))
        return found

    def read(self, source: SceneSource) -> RawScene:
        """Read a rig: its cameras with poses, its LiDAR, and the cloud as the scene's surface.

        Raises:
            InputError: something in it can't be used.
            MissingExtraError: a package is missing that reads its files.
        """
        rig = read_rig(source.path)
        track, cameras, clocks = _looked_at(source.path, rig)
        recording = _recording(source.path, rig, track, cameras, clocks)
        keeper = Keeper(recording.track)
        gathered = recording.gathered(cell=CELL, seen=keeper.look)
        points = gathered.cloud.points
        if not len(points):
            raise InputError(source.path / rig.lidar.path, "holds no usable point")
        recordings = tuple(recording_of(camera, track, clocks) for camera in cameras)
        area = None
        if not rig.outdoors:
            plan = floor_plan(points)
            area = room_area(plan) if len(plan) >= 100 else None
        return RawScene(
            instances=tuple(Instance(one.id, one.category, one.box, number=0) for one in rig.objects),
            surface=ScannedSurface(points, np.zeros((0, 3), dtype=np.int64), np.zeros(len(points), dtype=np.int64)),
            recordings=recordings,
            captures=(_lidar_capture(source, keeper, clocks["lidar"]),),
            written={_media(source): lambda folder: keeper.write(recording.sweeps(), folder)},
            room_area=area or None,
            outdoors=rig.outdoors,
            repaired=tuple(_repaired(source.path, rig, gathered, clocks)),
        )


FORMAT = RigFormat()


def open_rig(folder: Path) -> Recording:
    """A rig, to be measured.

    Raises:
        InputError: something in it can't be used.
        MissingExtraError: a package is missing that reads its files.
    """
    rig = read_rig(folder)
    track, cameras, clocks = _looked_at(folder, rig)
    return _recording(folder, rig, track, cameras, clocks)


def synchronise(folder: Path) -> dict[str, Synchronised]:
    """The clocks of a rig: that of its LiDAR as 'lidar', those of its cameras by their roles."""
    return _looked_at(folder, read_rig(folder))[2]


def _looked_at(folder: Path, rig: RigFile) -> tuple[Track | None, tuple[OpenedCamera, ...], dict[str, Synchronised]]:
    track = None
    if rig.lidar.trajectory is not None:
        named = rig.lidar.trajectory
        track = Track(*read_trajectory(inside(folder, named.path), named.topic))
    cameras = tuple(look_at(folder, one) for one in rig.cameras)
    return track, cameras, _clocks(folder, rig, track, cameras)


def _clocks(
    folder: Path, rig: RigFile, track: Track | None, cameras: tuple[OpenedCamera, ...]
) -> dict[str, Synchronised]:
    """The offset of each sensor to the clock of the first camera."""
    found: dict[str, Synchronised] = {}
    for camera in cameras:
        clock = camera.rig.clock
        if clock.method == "estimated" and clock.offset is None:
            if camera is cameras[0]:
                raise InputError(folder / NAME, "the first camera's clock is the time line: it has no offset")
            found[camera.rig.role] = estimate_clock(folder, motion_of(folder, cameras[0]), motion_of(folder, camera))
        else:
            found[camera.rig.role] = said(clock)
    clock = rig.lidar.clock
    if clock.method == "estimated" and clock.offset is None:
        if not cameras or track is None:
            raise InputError(folder / NAME, "an offset is estimated from a camera and the LiDAR's trajectory")
        found["lidar"] = estimate_clock(folder, motion_of(folder, cameras[0]), turning(track.times, track.poses))
    else:
        found["lidar"] = said(clock)
    return found


def _recording(
    folder: Path, rig: RigFile, track: Track | None, cameras: tuple[OpenedCamera, ...], clocks: dict[str, Synchronised]
) -> Recording:
    captures = tuple(
        Capture(
            id=f"{rig.dataset}/{rig.scene}/{camera.rig.role}",
            scene=f"{rig.dataset}/{rig.scene}",
            sensor="camera",
            role=camera.rig.role,
            size=camera.size,
            offset=clocks[camera.rig.role].offset,
            times=tuple(camera.times.tolist()),
            poses=tuple(tuple(pose.ravel().tolist()) for pose in poses_of(camera, track, clocks)),
            intrinsics=(camera.calibration.intrinsics,),
        )
        for camera in cameras
    )
    place = inside(folder, rig.lidar.path)
    frame = track if rig.lidar.frame == "sensor" else None
    return Recording(place, lambda: _sweeps(folder, rig), frame, clocks["lidar"].offset, captures)


def _sweeps(folder: Path, rig: RigFile) -> Iterator[Sweep]:
    place, rule = inside(folder, rig.lidar.path), rig.lidar.point_time.rule()
    if is_bag(place):
        return bag_sweeps(place, rig.lidar.topic, rule)
    stamps = read_stamps(inside(folder, rig.lidar.stamps)) if rig.lidar.stamps is not None else None
    return read_sweeps(place, stamps, rule)


def _media(source: SceneSource) -> str:
    return f"lidar/{source.id}"


def _lidar_capture(source: SceneSource, keeper: Keeper, clock: Synchronised) -> Capture:
    """The LiDAR's capture: a frame for each sweep that is kept, with the pose at its middle."""
    return Capture(
        id=f"{source.id}/lidar",
        scene=source.id,
        sensor="lidar",
        role="ego",
        media=_media(source),
        offset=clock.offset,
        clock=clock.clock,
        times=tuple(keeper.times.tolist()),
        poses=tuple(tuple(pose.ravel().tolist()) for pose in keeper.poses),
    )


def _repaired(folder: Path, rig: RigFile, gathered: Gathered, clocks: dict[str, Synchronised]) -> Iterator[str]:
    name = f"{folder.name}/{rig.lidar.path}"
    if gathered.untimed:
        yield f"{name}: {gathered.untimed:,} points left out, measured while no pose of the LiDAR is known"
    if gathered.strays:
        among = gathered.strays + len(gathered.cloud)
        yield f"{name}: {gathered.strays:,} sparse or noisy voxels left out of {among:,}"
    if gathered.cell > CELL:
        yield f"{name}: voxels of {gathered.cell:g} m instead of {CELL:g} m, to keep the cloud in memory"
    for sensor, clock in clocks.items():
        if clock.found is not None:
            yield (
                f"{folder.name}: the clock of '{sensor}' was found to be {clock.offset:+.4f} s off, "
                f"± {clock.found.error:.4f} s (correlation {clock.found.correlation:.3f}, "
                f"next best {clock.found.rival:.3f})"
            )
