"""Scene and Capture: a place with known geometry, and one sensor's recording of it."""

from __future__ import annotations

import itertools
import math
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

Vector = tuple[float, float, float]
_ROTATION_TOLERANCE = 1e-6


class OrientedBox(BaseModel):
    """An oriented bounding box; z is up.

    Attributes:
        center: metres.
        axes: the box's unit axes, one in each row; a right-handed rotation.
        extents: full lengths along the axes in metres; zero for a flat box.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    center: Vector
    axes: tuple[Vector, Vector, Vector]
    extents: Vector

    @model_validator(mode="after")
    def _is_a_box(self) -> OrientedBox:
        # Plain arithmetic: arrays of nine numbers take ten times as long, and a scene has dozens of boxes.
        if not all(map(math.isfinite, itertools.chain(self.center, *self.axes, self.extents))):
            raise ValueError("a box holds a number that isn't finite")
        if min(self.extents) < 0:
            raise ValueError(f"an extent is negative: {min(self.extents):g} m")
        if max(self.extents) == 0:
            raise ValueError("all extents are zero")
        if not _is_rotation(*self.axes):
            raise ValueError("the axes are no rotation")
        return self

    @property
    def longest(self) -> float:
        """The longest extent in metres."""
        return max(self.extents)


def _is_rotation(x: Vector, y: Vector, z: Vector) -> bool:
    """Check that vectors are unit vectors at right angles to each other, right-handed."""
    if max(abs(_dot(x, x) - 1), abs(_dot(y, y) - 1), abs(_dot(z, z) - 1)) > _ROTATION_TOLERANCE:
        return False
    if max(abs(_dot(x, y)), abs(_dot(y, z)), abs(_dot(z, x))) > _ROTATION_TOLERANCE:
        return False
    across = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    return _dot(across, z) >= 0


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


class TrackPoint(BaseModel):
    """The place of a moving object's box at one time.

    Attributes:
        seconds: on the scene's time line.
        center, axes: as in OrientedBox; the extents don't change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    seconds: float
    center: Vector
    axes: tuple[Vector, Vector, Vector]


class Lifted(BaseModel):
    """How a box was found by marks on pictures.

    Attributes:
        frames: in which the object is marked.
        error: 1.96 standard errors of the worst side's place by the spread over frames, metres. Errors that all frames
            share aren't in it.
        unseen: metres by which the object may go on where no frame shows its end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    frames: int = Field(ge=1)
    error: float = Field(ge=0, allow_inf_nan=False)
    unseen: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class SceneObject(BaseModel):
    """One object.

    Attributes:
        id: unique in its scene.
        category: its name in questions.
        box: where it is; for a moving object, at the scene's time 0.
        track: where it moves; empty for one that stays.
        lifted: how its box was found, where it needs review: no person has agreed to it. None for any other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    category: str
    box: OrientedBox
    track: tuple[TrackPoint, ...] = ()
    lifted: Lifted | None = None

    @model_validator(mode="after")
    def _times_rise(self) -> SceneObject:
        times = [point.seconds for point in self.track]
        if any(b <= a for a, b in itertools.pairwise(times)):
            raise ValueError(f"the times of {self.id}'s track don't rise")
        return self


class Event(BaseModel):
    """Something that happens in a scene, as people have written it down.

    Attributes:
        start, end: on the scene's time line, in seconds; the same for a moment.
        label: the event in the data set's words.
        kind: which of a data set's annotations it is: 'keystep', 'description' or another word.
        essential: whether the activity can't do without it; None where not stated.
        views: roles of the captures that are said to show it; empty where not stated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    start: float = Field(allow_inf_nan=False)
    end: float = Field(allow_inf_nan=False)
    label: str = Field(min_length=1)
    kind: str = ""
    essential: bool | None = None
    views: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _ends_after_its_start(self) -> Event:
        if self.end < self.start:
            raise ValueError(f"it ends at {self.end:g} s, before it starts at {self.start:g} s")
        return self


class Scene(BaseModel):
    """A place.

    Attributes:
        id: unique in its collection.
        dataset: where it comes from.
        objects: with their boxes.
        counts: how many of each category there are, where that is known apart from the boxes.
        room_area: square metres.
        room_center: metres.
        rooms: how many it has; None where that isn't known.
        floor: the outline of the floor, rings of (x, y) in metres; the first is the outer one.
        video: the path of the scene's standard video, relative to the collection's media.
        events: those in it, by time.
        twins: the same for all scenes that differ in a few things only, and for no other; None where there are none.
        differs: the categories of these things, separated by commas.
        metric: whether lengths are metres. False where the scale is unknown, as in a model from pictures alone: lengths
            are then right up to one factor, and no family asks about them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    dataset: str
    objects: tuple[SceneObject, ...]
    counts: dict[str, int] = Field(default_factory=dict)
    room_area: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    room_center: Vector | None = None
    rooms: int | None = Field(default=None, ge=1)
    floor: tuple[tuple[tuple[float, float], ...], ...] = ()
    video: str | None = None
    events: tuple[Event, ...] = ()
    twins: str | None = None
    differs: str | None = None
    metric: bool = True

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Scene:
        if len({o.id for o in self.objects}) != len(self.objects):
            raise ValueError("two objects have the same id")
        if any(len(set(ring)) < 3 for ring in self.floor):
            raise ValueError("a ring of the floor has fewer than three corners")
        if any(b.start < a.start for a, b in itertools.pairwise(self.events)):
            raise ValueError("its events aren't in the order of time")
        return self

    @property
    def differing(self) -> tuple[str, ...]:
        """The categories in which it differs from its twins."""
        return tuple(self.differs.split(", ")) if self.differs else ()

    def of(self, category: str) -> list[SceneObject]:
        """The objects of a category."""
        return [o for o in self.objects if o.category == category]

    def count(self, category: str) -> int:
        """How many there are: the known count, or the number of boxes."""
        return self.counts[category] if category in self.counts else len(self.of(category))

    @property
    def categories(self) -> list[str]:
        """All categories, in the order of first appearance among counts and objects."""
        return list(dict.fromkeys([*self.counts, *(o.category for o in self.objects)]))


class Sighting(BaseModel):
    """One object in one frame.

    Attributes:
        frame: the frame's number in the capture.
        object: the object's id.
        pixels: how many show it.
        depth: of the nearest of them, in metres; None where it isn't known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    frame: int
    object: str
    pixels: int
    depth: float | None = None


class Recorded(BaseModel):
    """How much of one object a whole recording shows: unseen parts can't be measured.

    Attributes:
        object: the object's id.
        missing: metres by which the convex hull of its recorded surface falls short of its box (their Hausdorff
            distance).
        longest: the least and the greatest longest extent, in metres, that the least upright box around its recorded
            surface can have.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    object: str
    missing: float = Field(ge=0, allow_inf_nan=False)
    longest: tuple[float, float]


class Clock(BaseModel):
    """How a sensor's clock was brought onto the scene's time line.

    Attributes:
        method: 'hardware' (triggered or stamped together), 'ptp' or 'ntp' (over a network), 'manual' (a person found
            the offset), 'estimated' (from both sensors' recordings), 'none' (taken as it is), 'untimed' (its frames
            have an order and no times).
        residual: by how many seconds it may still be off, as 95 % bound, where that is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    method: Literal["hardware", "ptp", "ntp", "manual", "estimated", "none", "untimed"]
    residual: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Capture(BaseModel):
    """One sensor's recording of a scene. A scene has any number, on one time line.

    Attributes:
        id: unique in its collection.
        scene: the scene's id.
        sensor: the recording device.
        role: 'ego', 'exo' or another word for which one it was.
        media: path of the video or the clouds.
        size: width and height in pixels.
        offset: seconds to add to the sensor's own clock to reach the scene's time line.
        clock: how that was found out.
        times: of each frame, by the sensor's own clock, in seconds.
        poses: sensor → scene for each frame, 4×4, row by row; a camera looks along +z with y down.
        intrinsics: fx, fy, cx, cy of each frame, or of all where there is one row.
        sightings: which object is visible when.
        recorded: how much of each object it shows, where that is known.
        recorded_area: the alpha shape's area of everything it shows, in square metres, where that is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    scene: str
    sensor: Literal["camera", "lidar"]
    role: str = ""
    media: str | None = None
    size: tuple[int, int] | None = None
    offset: float = 0.0
    clock: Clock | None = None
    times: tuple[float, ...] = ()
    poses: tuple[tuple[float, ...], ...] = ()
    intrinsics: tuple[tuple[float, float, float, float], ...] = ()
    sightings: tuple[Sighting, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    recorded_area: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _lengths_agree(self) -> Capture:
        if self.poses and len(self.poses) != len(self.times):
            raise ValueError(f"{len(self.poses)} poses for {len(self.times)} frames")
        if len(self.intrinsics) not in (0, 1, len(self.times)):
            raise ValueError(f"{len(self.intrinsics)} rows of intrinsics for {len(self.times)} frames")
        if any(len(pose) != 16 for pose in self.poses):
            raise ValueError("a pose has not 16 numbers")
        if any(b < a for a, b in itertools.pairwise(self.times)):
            raise ValueError("the times of its frames fall")
        if any(not 0 <= sighting.frame < len(self.times) for sighting in self.sightings):
            raise ValueError(f"a sighting is in none of its {len(self.times)} frames")
        return self

    def pose(self, frame: int) -> NDArray[np.float64]:
        """The pose of a frame as a matrix, shape (4, 4)."""
        return np.array(self.poses[frame]).reshape(4, 4)

    def scene_time(self, frame: int) -> float:
        """When a frame was taken, on the scene's time line, in seconds."""
        return self.times[frame] + self.offset


@dataclass(frozen=True)
class Skipped:
    """A scene or object that can't be used, and why."""

    scene: str
    reason: str


def plain(label: str) -> str:
    """A label in lower case, with spaces for underscores, and as `composed` gives it."""
    return composed(label.replace("_", " ").lower())


def composed(label: str) -> str:
    """A label in Unicode's NFC with single spaces, without control, format and lone surrogate characters.

    Labels that look the same become equal. NFKC would also change labels that look different, such as 'm²'.
    """
    shown = (c for c in label if c.isspace() or unicodedata.category(c) not in _INVISIBLE)
    return " ".join(unicodedata.normalize("NFC", "".join(shown)).split())


_INVISIBLE = ("Cc", "Cf", "Cs")


def named(label: str) -> str:
    """Check that a label is left when it is made plain.

    Raises:
        ValueError: it isn't.
    """
    if not plain(label):
        raise ValueError("is blank; name the kind of object")
    return label
