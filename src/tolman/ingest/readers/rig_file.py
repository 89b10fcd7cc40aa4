"""`rig.json`: the parts of a recording of cameras and a LiDAR, and the offset of the LiDAR's clock.

docs/ingest/lidar.md describes the file. The offset is as a rig says it, or estimated from how fast its sensors turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from tolman.benchmarks.rows import parse_json
from tolman.errors import InputError, invalid_field
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import Offset, Signal, TooLittleMotionError, estimate_offset
from tolman.ingest.clouds import PointTime
from tolman.scenes import Clock, OrientedBox, named

NAME = "rig.json"
_TOLERANCE = 1e-3


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RigClock(_Part):
    """Relation of a sensor's clock to the scene's time line, which is the clock of the first camera.

    Attributes:
        method: as in `tolman.scenes.Clock`; 'estimated' without an offset asks for it to be estimated.
        offset: to add to this sensor's clock, seconds.
        residual: 95 % bound of the remaining error, seconds.
    """

    method: Literal["hardware", "ptp", "ntp", "manual", "estimated", "none"] = "none"
    offset: float | None = Field(default=None, allow_inf_nan=False)
    residual: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _says_enough(self) -> RigClock:
        if self.method == "manual" and self.offset is None:
            raise ValueError("a clock found by hand needs its 'offset' in seconds")
        return self


class RigFiles(_Part):
    """Something on disk, relative to the rig's folder.

    Attributes:
        path: a file, a folder or a bag.
        topic: of a bag.
    """

    path: str
    topic: str | None = None


class RigTime(_Part):
    """As `tolman.ingest.clouds.PointTime`."""

    kind: Literal["auto", "relative", "absolute", "none"] = "auto"
    unit: Literal["auto", "s", "ms", "us", "ns"] = "auto"
    field: str | None = None

    def rule(self) -> PointTime:
        return PointTime(self.kind, self.unit, self.field)


class RigLidar(RigFiles):
    """The LiDAR.

    Attributes:
        stamps: a text file with the time of each cloud, seconds, where names and points don't say it.
        frame: of the points: 'sensor', or 'scene' where they are brought together already.
        trajectory: poses sensor → scene by the LiDAR's clock; not needed where the frame is 'scene'.
        point_time: how the time of points is to be understood.
        clock: of the LiDAR.
    """

    stamps: str | None = None
    frame: Literal["sensor", "scene"] = "sensor"
    trajectory: RigFiles | None = None
    point_time: RigTime = RigTime()
    clock: RigClock = RigClock()


class RigCamera(RigFiles):
    """A camera.

    Attributes:
        path: a video, a folder of pictures, or a bag.
        role: 'ego', 'exo' or its own name.
        stamps: a text file with the time of each frame, seconds; a video's own times without one.
        calibration: a JSON file with K, T_cam_lidar, and size if the pictures don't have it; None takes K from a bag.
        clock: of this camera; the first one's is the time line.
        trajectory: poses of the camera in any frame, by its own clock, to estimate offsets with.
        rates: angular rates of an inertial unit on the camera's clock, for the same.
        rate: frames a second of the video that is written of pictures.
    """

    role: str = "ego"
    stamps: str | None = None
    calibration: str
    clock: RigClock = RigClock()
    trajectory: RigFiles | None = None
    rates: RigFiles | None = None
    rate: float = Field(default=30.0, gt=0, le=240)


class RigObject(_Part):
    """An object whose box is known."""

    id: str = Field(pattern=r"\S")
    category: Annotated[str, AfterValidator(named)]
    box: OrientedBox


class RigFile(_Part):
    """A recording.

    Attributes:
        rig: the version of this form, 1.
        dataset, scene: name the scene 'dataset/scene'.
        category: of the place, as SpatialBench notes it.
        outdoors: whether there is no room to measure.
        lidar: the LiDAR.
        cameras: the cameras.
        objects: whose boxes are known, as measured.
    """

    rig: Literal[1]
    dataset: str = "rig"
    scene: str = Field(min_length=1)
    category: str = ""
    outdoors: bool = False
    lidar: RigLidar
    cameras: tuple[RigCamera, ...] = ()
    objects: tuple[RigObject, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> RigFile:
        roles = [camera.role for camera in self.cameras]
        if len(set(roles)) < len(roles):
            raise ValueError("two cameras have the same role")
        if self.lidar.frame == "sensor" and self.lidar.trajectory is None:
            raise ValueError("a LiDAR whose points are in its own coordinates needs a 'trajectory'")
        if self.lidar.frame == "scene" and self.lidar.trajectory is None and self.cameras:
            raise ValueError("cameras need the LiDAR's 'trajectory': their poses follow from it")
        if "/" in self.scene or "/" in self.dataset:
            raise ValueError("the names of scene and dataset hold no '/'")
        return self


class Calibration(_Part):
    """A camera's calibration.

    Attributes:
        K: camera matrix in pixels.
        T_cam_lidar: LiDAR → camera, 4×4; the camera looks along +z with y down.
        size: width and height that K is for.
        distortion: must be zeros; undistort pictures first.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    K: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    T_cam_lidar: tuple[
        tuple[float, float, float, float],
        tuple[float, float, float, float],
        tuple[float, float, float, float],
        tuple[float, float, float, float],
    ]
    size: tuple[int, int] | None = None
    distortion: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _is_rigid(self) -> Calibration:
        matrix, rotation = self.extrinsics, self.extrinsics[:3, :3]
        if not np.isfinite(matrix).all() or not np.allclose(matrix[3], [0, 0, 0, 1], atol=1e-9):
            raise ValueError("T_cam_lidar is no rigid motion: its last row must be 0 0 0 1")
        if np.abs(rotation @ rotation.T - np.eye(3)).max() > _TOLERANCE:
            raise ValueError("the rotation of T_cam_lidar is none: its rows are not orthonormal")
        if np.linalg.det(rotation) < 0:
            raise ValueError("T_cam_lidar turns right-handed axes into left-handed ones")
        if np.linalg.norm(matrix[:3, 3]) > 20:
            raise ValueError("T_cam_lidar puts the sensors over 20 m apart: its unit is metres")
        fx, fy, _, _ = self.intrinsics
        if not (np.isfinite(self.intrinsics).all() and fx > 0 and fy > 0):
            raise ValueError("K has a focal length that can't be right")
        if any(self.distortion):
            raise ValueError("the pictures are distorted: undistort them, and give the K of the result")
        return self

    @property
    def extrinsics(self) -> Floats:
        """LiDAR → camera, shape (4, 4)."""
        return np.array(self.T_cam_lidar, dtype=np.float64)

    @property
    def intrinsics(self) -> tuple[float, float, float, float]:
        """fx, fy, cx, cy."""
        return self.K[0][0], self.K[1][1], self.K[0][2], self.K[1][2]


def read_rig(folder: Path) -> RigFile:
    """The description of a rig.

    Raises:
        InputError: it isn't there, or says something that can't be.
    """
    found: RigFile = _read(folder / NAME, RigFile)
    return found


def read_calibration(path: Path) -> Calibration:
    """A camera's calibration.

    Raises:
        InputError: it isn't there, or can't be right.
    """
    found: Calibration = _read(path, Calibration)
    return found


def inside(folder: Path, name: str) -> Path:
    """Return a path that a rig names, which must be in its folder.

    Raises:
        InputError: it is elsewhere, or isn't there.
    """
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(folder / NAME, f"names '{name}', which lies outside its folder")
    if not path.exists():
        raise InputError(folder / NAME, f"names '{name}', which isn't there")
    return path


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        content = parse_json(path, path.read_bytes())
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    try:
        return kind.model_validate_json(json.dumps(content), strict=True)
    except ValidationError as error:
        field, what = invalid_field(error)
        raise InputError(path, what, field=field) from None


_WIDTH = 96


@dataclass(frozen=True)
class Synchronised:
    """An offset and how it was found.

    Attributes:
        offset: to add to the sensor's clock, seconds.
        clock: method and residual.
        found: the estimate's result, if one was made.
    """

    offset: float
    clock: Clock
    found: Offset | None = None


def said(clock: RigClock) -> Synchronised:
    """Offset that a rig declares, without estimating."""
    return Synchronised(clock.offset or 0.0, Clock(method=clock.method, residual=clock.residual))


def estimate_clock(path: Path, reference: Signal, other: Signal) -> Synchronised:
    """The offset of a sensor's clock to the reference's.

    Args:
        path: of the recording, for messages.
        reference: how fast the sensor turns whose clock is the time line.
        other: how fast the other does.

    Raises:
        InputError: the motion doesn't determine it.
    """
    try:
        # Clocks that count from different days differ by more than any search: their beginnings are laid together.
        apart = float(reference.times[0] - other.times[0]) if len(reference.times) and len(other.times) else 0.0
        apart = apart if abs(apart) > 3600 else 0.0
        found = estimate_offset(reference, Signal(other.times + apart, other.speeds))
    except TooLittleMotionError as error:
        raise InputError(
            path, f"the offset of its clocks can't be estimated: {error}", fix="give 'offset' with method 'manual'"
        ) from None
    return Synchronised(found.seconds + apart, Clock(method="estimated", residual=found.error), found)


def pictures_turning(frames: Iterable[tuple[float, NDArray[np.uint8]]], focal: float) -> Signal:
    """Estimate a camera's angular speed from the shift of its pictures (phase correlation, Kuglin and Hines 1975).

    A shift measures turning about the two axes across the view; rolling and walking past near things disturb it, so it
    serves where the camera has neither poses nor an inertial unit.

    Args:
        frames: times, seconds, and pictures, shape (height, width, 3).
        focal: of the pictures, pixels.
    """
    times: list[float] = []
    speeds: list[float] = []
    before: tuple[float, Floats] | None = None
    for seconds, picture in frames:
        step = max(1, round(picture.shape[1] / _WIDTH))
        small = _shrunk(picture, step)
        if before is not None and seconds > before[0] and small.shape == before[1].shape:
            shift = np.hypot(*_shift(before[1], small)) * step
            times.append((seconds + before[0]) / 2)
            speeds.append(float(np.arctan(shift / focal)) / (seconds - before[0]))
        before = (seconds, small)
    return Signal(np.array(times), np.array(speeds))


def _shrunk(picture: NDArray[np.uint8], step: int) -> Floats:
    """Grey means of squares of pixels."""
    height, width = (n // step * step for n in picture.shape[:2])
    grey = picture[:height, :width].astype(np.float64).mean(2)
    return np.asarray(grey.reshape(height // step, step, width // step, step).mean((1, 3)))


def _shift(first: Floats, second: Floats) -> tuple[float, float]:
    """Return the second picture's offset from the first, down and to the right, in fractional pixels."""
    window = np.outer(np.hanning(first.shape[0]), np.hanning(first.shape[1]))
    spectra = [np.fft.rfft2((picture - picture.mean()) * window) for picture in (first, second)]
    cross = spectra[1] * np.conj(spectra[0])
    peaks = np.fft.irfft2(cross / np.maximum(np.abs(cross), 1e-9), s=first.shape)
    found = []
    place = np.unravel_index(int(peaks.argmax()), peaks.shape)
    for axis, size in enumerate(peaks.shape):
        line = np.take(peaks, place[1 - axis], axis=1 - axis)
        at = int(place[axis])
        left, middle, right = line[at - 1], line[at], line[(at + 1) % size]
        bend = left - 2 * middle + right
        fine = at + (0.5 * (left - right) / bend if bend < 0 else 0.0)
        found.append(float(fine - size if fine > size / 2 else fine))
    return found[0], found[1]
