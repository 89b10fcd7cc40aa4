"""The cameras of a rig: their pictures wherever they lie, their motion, and their poses by the LiDAR's trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import poses_at
from tolman.geometry.synchronisation import Signal, gyroscope, turning
from tolman.ingest.base import CameraRecording
from tolman.ingest.clouds.along import Track
from tolman.ingest.clouds.bags import PICTURES, bag_pictures, bag_times, find_topic, is_bag
from tolman.ingest.clouds.clocks import Synchronised, pictures_turning
from tolman.ingest.clouds.files import read_stamps
from tolman.ingest.clouds.trajectories import read_rates, read_trajectory
from tolman.ingest.readers.numbers import in_order
from tolman.ingest.readers.rig_file import Calibration, RigCamera, inside, read_calibration
from tolman.media.images import eight_bits
from tolman.media.video import BrokenMediaError, need_pillow, read_frames, read_index

_VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v")
_PICTURES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True)
class OpenedCamera:
    """A camera of a rig, looked at.

    Attributes:
        rig: what rig.json says of it.
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
        raise InputError(
            camera.place,
            f"none of its {len(camera.times):,} frames was taken while a pose of the LiDAR is known: the clocks differ",
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
    from PIL import Image

    try:
        with Image.open(path) as image:
            return np.asarray(eight_bits(image).convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise InputError(path, f"is no readable picture ({error})") from None
