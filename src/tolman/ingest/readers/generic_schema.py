"""scene.json: a scene of one's own in one file that says its units and axes. docs/ingest/generic.md describes it."""

from __future__ import annotations

import json
import math
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from tolman.errors import InputError
from tolman.ingest.base import Axes, Direction, Up
from tolman.ingest.readers.segments import read_json

NAME = "scene.json"
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}
"""Metres of one."""
Numbers3 = tuple[float, float, float]
Numbers4 = tuple[float, float, float, float]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _inside(path: str) -> str:
    """A path below the scene's folder."""
    pure = PurePosixPath(path)
    if not path or "\\" in path or "\0" in path or pure.is_absolute() or ".." in pure.parts:
        raise ValueError("takes a path below the folder of scene.json, with forward slashes")
    return path


def _problem(row: Any, pose: bool) -> str | None:
    """Find a fault of a pose, or of a row of intrinsics, as the rest of a sentence."""
    lost = "; null in its place stands for a pose that isn't known" if pose else ""
    if row is None and pose:
        return None
    if not isinstance(row, list):
        return f"is {json.dumps(row)[:40]}, not a list of numbers{lost}"
    for value in row:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"holds {json.dumps(value)[:40]}, which is no number{lost}"
        if not math.isfinite(value):
            return f"holds {value}, which isn't finite{lost}"
    if pose and len(row) not in (12, 16):
        return f"has {len(row)} numbers: a pose takes 16 numbers, or the 12 of its first three rows{lost}"
    if not pose and len(row) != 4:
        return f"has {len(row)} numbers, not fx, fy, cx, cy"
    return None


class BoxEntry(_Strict):
    """An oriented box in the file's unit: centre, full extents, axes in rows (upright along x, y, z without them)."""

    center: Numbers3
    extents: Numbers3
    axes: tuple[Numbers3, Numbers3, Numbers3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class TrackEntry(_Strict):
    """Pose of a moving object at one time, in seconds on the scene's time line."""

    seconds: float
    center: Numbers3
    axes: tuple[Numbers3, Numbers3, Numbers3]


class ObjectEntry(_Strict):
    """An object: its box, or the number under which the mesh and masks have it, or both."""

    id: str = Field(min_length=1)
    label: str = Field(min_length=1)
    box: BoxEntry | None = None
    number: int = Field(default=0, ge=0)
    track: tuple[TrackEntry, ...] = ()

    @model_validator(mode="after")
    def _is_somewhere(self) -> ObjectEntry:
        if self.box is None and not self.number:
            raise ValueError("takes a box, or the number that it has in the mesh")
        if self.box is None and self.track:
            raise ValueError("takes a box where it has a track")
        return self


class MeshEntry(_Strict):
    """A PLY mesh or cloud; `labels` names the property, of its faces or vertices, that holds objects' numbers."""

    file: str
    labels: str | None = None

    _file = field_validator("file")(_inside)


class CameraEntry(_Strict):
    """A camera: its video or folder of frames, when they were taken, poses, intrinsics, masks."""

    name: str = Field(default="ego", min_length=1, pattern=r"^[\w.-]+$")
    video: str | None = None
    frames: str | None = None
    masks: str | None = None
    depth: str | None = None
    depth_scale: float = Field(default=1000.0, gt=0)
    rate: float | None = Field(default=None, gt=0, le=1000)
    times: tuple[float, ...] | None = None
    offset: float = 0.0
    axes: Axes = "opencv"
    direction: Direction = "camera_to_scene"
    poses: str | tuple[tuple[float, ...] | None, ...] | None = None
    intrinsics: Numbers4 | tuple[Numbers4, ...] | None = None
    turns: int = Field(default=0, ge=0, le=3)
    standard: tuple[int, int, float] | None = None
    as_it_is: bool = False
    anamorphic: bool = False

    @field_validator("poses", "intrinsics", mode="before")
    @classmethod
    def _holds_numbers(cls, rows: Any, info: ValidationInfo) -> Any:
        """Name the pose that is wrong, which a choice of types can't."""
        if isinstance(rows, list):
            what = "pose" if info.field_name == "poses" else "row of intrinsics"
            several = info.field_name == "poses" or any(isinstance(row, list) for row in rows)
            for i, row in enumerate(rows if several else [rows], start=1):
                if problem := _problem(row, info.field_name == "poses"):
                    raise ValueError(f"{what} {i} {problem}" if several else problem)
        return rows

    @field_validator("video", "frames", "masks", "depth")
    @classmethod
    def _stays_inside(cls, path: str | None) -> str | None:
        return None if path is None else _inside(path)

    @model_validator(mode="after")
    def _has_pictures(self) -> CameraEntry:
        if (self.video is None) == (self.frames is None):
            raise ValueError("takes a 'video' or a folder 'frames', one of the two")
        if self.frames is not None and (self.rate is None) == (self.times is None):
            raise ValueError("takes a 'rate' or 'times' for its frames, one of the two")
        if self.video is not None and (self.rate is not None or self.times is not None):
            raise ValueError("takes no 'rate' and no 'times' with a video, which has its own")
        if isinstance(self.poses, str):
            _inside(self.poses)
        if self.standard is not None and (self.as_it_is or min(self.standard) <= 0 or max(self.standard[:2]) > 8192):
            raise ValueError("'standard' takes width, height and rate above 0, and no 'as_it_is' beside it")
        if self.as_it_is and (self.video is None or self.turns):
            raise ValueError("only a 'video' that stands upright can be taken 'as_it_is'")
        return self


class SceneFile(_Strict):
    """The whole file."""

    tolman_scene: Literal[1]
    unit: Literal["m", "cm", "mm", "ft", "in"]
    up: Up
    origin: Numbers3 = (0.0, 0.0, 0.0)
    objects: tuple[ObjectEntry, ...]
    mesh: MeshEntry | None = None
    cameras: tuple[CameraEntry, ...] = ()
    room_area: float | None = Field(default=None, ge=0)
    room_center: Numbers3 | None = None
    outdoors: bool = False

    @model_validator(mode="after")
    def _is_unambiguous(self) -> SceneFile:
        for what, values in (
            ("two objects have the id", [one.id for one in self.objects]),
            ("two objects have the number", [one.number for one in self.objects if one.number]),
            ("two cameras have the name", [one.name for one in self.cameras]),
        ):
            twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
            if twice is not None:
                raise ValueError(f"{what} '{twice}'")
        return self


def read_scene_file(path: Path) -> SceneFile:
    """Read and check a scene.json.

    Raises:
        InputError: names the field that is wrong.
    """
    try:
        return SceneFile.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        what = "isn't a field of this file" if first["type"] == "extra_forbidden" else what[0].lower() + what[1:]
        raise InputError(path, what, field=field or None, fix="docs/ingest/generic.md describes the file") from None
