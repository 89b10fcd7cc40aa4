"""Rigs: recordings of cameras and a LiDAR on one carrier, as SpatialBench's were made (its section 4.2).

A folder with `rig.json` names the files. The LiDAR's trajectory, the extrinsic calibration and the offset of the clocks
give the poses of the cameras; the clouds, brought together along the track, are the scene's surface. Pictures of the
cameras are read in place, from any folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import floor_plan, room_area
from tolman.geometry.motion import Signal, gyroscope, poses_at, turning
from tolman.ingest.checks import check_reach, check_scale, check_track, clocks_apart, is_too_long, seconds_doubted
from tolman.ingest.clouds import Gathered, Sweep, Track
from tolman.ingest.clouds.bags import (
    PICTURES,
    bag_pictures,
    bag_sweeps,
    bag_times,
    find_topic,
    is_bag,
    read_rates,
    read_trajectory,
)
from tolman.ingest.clouds.cloud_files import read_stamps, read_sweeps
from tolman.ingest.clouds.recording import Keeper, Recording
from tolman.ingest.readers import in_order
from tolman.ingest.readers.rig_file import (
    NAME,
    Calibration,
    RigCamera,
    RigFile,
    Synchronised,
    estimate_clock,
    inside,
    pictures_turning,
    read_calibration,
    read_rig,
    said,
)
from tolman.ingest.scan_format import PROGRESS, CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.media.images import eight_bits
from tolman.media.video import BrokenMediaError, need_pillow, read_frames, read_index
from tolman.scenes import Capture

_VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v")
_PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True)
class OpenedCamera:
    """A camera of a rig, looked at.

    Attributes:
        rig: its entry in rig.json.
        calibration: its own.
        place: its video, folder or bag.
        topic: of a bag.
        times: of its frames by its own clock, seconds, in the order of the frames, shape (n,).
        size: of its pictures.
        order: the number in the recording of each frame, where a bag's messages come out of order.
    """

    rig: RigCamera
    calibration: Calibration
    place: Path
    topic: str | None
    times: Floats
    size: tuple[int, int]
    order: NDArray[np.intp]

    def pictures(self, numbers: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
        """The pictures of frames, in rising order."""
        if self.topic is not None:
            yield from self._from_bag(numbers)
        elif self.place.is_dir():
            need_pillow()
            files = _picture_files(self.place)
            for number in numbers:
                yield _picture(files[number])
        else:
            try:
                for _, image in read_frames(self.place, read_index(self.place), numbers):
                    yield np.asarray(image.convert("RGB"))
            except BrokenMediaError as error:
                raise InputError(self.place, str(error).removeprefix(f"{self.place}: ")) from None

    def _from_bag(self, numbers: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
        assert self.topic is not None
        wanted = {int(self.order[number]): number for number in numbers}
        early: dict[int, NDArray[np.uint8]] = {}
        following = iter(numbers)
        expected = next(following, None)
        for position, (_, picture) in enumerate(bag_pictures(self.place, self.topic)):
            if position in wanted:
                early[wanted[position]] = picture
            while expected in early:
                yield early.pop(expected)
                expected = next(following, None)
            if expected is None:
                return


def look_at(folder: Path, one: RigCamera) -> OpenedCamera:
    """Look at a camera of a rig's folder.

    Raises:
        InputError: its files can't be used.
        MissingExtraError: a package is missing that reads them.
    """
    place = inside(folder, one.path)
    calibration = read_calibration(inside(folder, one.calibration))
    topic, order = None, None
    if is_bag(place):
        topic = find_topic(place, PICTURES, one.topic)
        times = bag_times(place, topic)
        order = np.argsort(times, kind="stable")
        times = times[order]
        first = next((picture for _, picture in bag_pictures(place, topic)), None)
        if first is None:
            raise InputError(place, f"topic '{topic}' holds no picture")
        size = (first.shape[1], first.shape[0])
    elif place.is_dir():
        files = _picture_files(place)
        first = _picture(files[0])
        size, times = (first.shape[1], first.shape[0]), np.arange(len(files)) / one.rate
    elif place.suffix.lower() in _VIDEOS:
        times, size = _video(place)
    else:
        raise InputError(place, "is no video, folder of pictures or bag")
    if one.stamps is not None:
        stamps = read_stamps(inside(folder, one.stamps))
        if len(stamps) != len(times):
            raise InputError(folder / one.stamps, f"holds {len(stamps)} times for {len(times)} frames of {place.name}")
        times = stamps
        if is_too_long(times):
            what = f"lasts {times[-1] - times[0]:,.0f} s with {len(times):,} frames"
            doubt = seconds_doubted(times) or "are wrong"
            raise InputError(folder / one.stamps, f"{what}: its times {doubt}", fix="give them in seconds")
    if calibration.size not in (None, size):
        raise InputError(
            folder / one.calibration, f"is for pictures of {calibration.size}, and those of {place.name} are {size}"
        )
    return OpenedCamera(one, calibration, place, topic, times, size, np.arange(len(times)) if order is None else order)


def _video(path: Path) -> tuple[Floats, tuple[int, int]]:
    try:
        index = read_index(path)
        times = np.array([index.seconds(number) for number in range(len(index.times))])
        _, image = next(read_frames(path, index, [0]))
    except BrokenMediaError as error:
        raise InputError(path, str(error).removeprefix(f"{path}: ")) from None
    return times, (image.width, image.height)


def motion_of(folder: Path, camera: OpenedCamera) -> Signal:
    """Angular speed of a camera: by its inertial unit, by its own trajectory, or by its pictures."""
    if (rates := camera.rig.rates) is not None:
        return gyroscope(*read_rates(inside(folder, rates.path), rates.topic))
    if (named := camera.rig.trajectory) is not None:
        return turning(*read_trajectory(inside(folder, named.path), named.topic))
    pictures = camera.pictures(range(len(camera.times)))
    return pictures_turning(zip(camera.times.tolist(), pictures, strict=True), camera.calibration.intrinsics[0])


def poses_of(camera: OpenedCamera, track: Track | None, clocks: Mapping[str, Synchronised]) -> Floats:
    """Camera → scene at each frame, nan where no pose of the LiDAR is known; shape (n, 4, 4) or (0, 4, 4)."""
    if track is None:
        return np.zeros((0, 4, 4))
    when = camera.times + clocks[camera.rig.role].offset - clocks["lidar"].offset
    poses = poses_at(track.times, track.poses, when) @ np.linalg.inv(camera.calibration.extrinsics)
    poses[~track.covers(when)] = np.nan
    return poses


def recording_of(camera: OpenedCamera, track: Track | None, clocks: Mapping[str, Synchronised]) -> CameraRecording:
    """The recording of an opened camera, with poses on the rig's clock.

    Raises:
        InputError: no pose is known for any of its frames.
    """
    poses = poses_of(camera, track, clocks)
    if len(poses) and np.isnan(poses).all():
        assert track is not None
        when = camera.times + clocks[camera.rig.role].offset - clocks["lidar"].offset
        raise InputError(
            camera.place,
            f"none of its {len(camera.times):,} frames was taken while a pose of the LiDAR is known: "
            f"{clocks_apart('its frames', when, track.times)}",
            fix="give the LiDAR's 'clock', or let it be estimated",
        )
    clock = clocks[camera.rig.role]
    is_video = camera.topic is None and not camera.place.is_dir()
    return CameraRecording(
        role=camera.rig.role,
        times=camera.times,
        poses=poses,
        intrinsics=np.array([camera.calibration.intrinsics]),
        size=camera.size,
        pictures=partial(camera.pictures),
        standard=None if is_video else (camera.size[0] // 2 * 2, camera.size[1] // 2 * 2, camera.rig.rate),
        media=camera.place if is_video else None,
        offset=clock.offset,
        clock=clock.clock,
    )


def _picture_files(folder: Path) -> list[Path]:
    files = in_order(path for path in folder.iterdir() if path.suffix.lower() in _PICTURES)
    if not files:
        raise InputError(folder, f"holds no pictures ({', '.join(_PICTURES)})")
    return files


def _picture(path: Path) -> NDArray[np.uint8]:
    need_pillow()

    try:
        with Image.open(path) as image:
            return np.asarray(eight_bits(image).convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise InputError(path, f"is no readable picture ({error})") from None


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
        if not rig.outdoors:
            check_scale(source.path / rig.lidar.path, points)
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
        check_track(folder / named.path, track.times, track.poses, outdoors=rig.outdoors)
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
        sweeps = bag_sweeps(place, rig.lidar.topic, rule)
    else:
        stamps = read_stamps(inside(folder, rig.lidar.stamps)) if rig.lidar.stamps is not None else None
        sweeps = read_sweeps(place, stamps, rule)
    for number, sweep in enumerate(sweeps):
        if not number and rig.lidar.frame == "sensor":
            check_reach(place, sweep.points)
        PROGRESS.get()(f"{place.name}: {number + 1:,} sweeps")
        yield sweep


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
        yield f"{name}: {counted(gathered.untimed, 'point')} left out, measured while no pose of the LiDAR is known"
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
