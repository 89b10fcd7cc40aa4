"""Contract of a format of scans: it finds the scenes of a folder and reads one of them into a RawScene.

A format only reads. The steps common to all formats follow in `build`: the mapping of labels to categories, room area
and centre, the standard video, sightings, completeness, corrections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.scenes import Capture, Clock, Event, Lifted, OrientedBox, Sighting, TrackPoint

PROGRESS: ContextVar[Callable[[str], None]] = ContextVar("progress", default=lambda _: None)
"""Called with how far a long scan has been read, where the process that reads it can show that."""

Picture = NDArray[np.uint8]
Mask = NDArray[np.integer]
Axes = Literal["opencv", "opengl"]
Direction = Literal["camera_to_scene", "scene_to_camera"]
Up = Literal["x", "y", "z", "-x", "-y", "-z"]


@dataclass(frozen=True)
class ScanHints:
    """Facts about scans that their files don't hold, and their owner knows.

    Attributes:
        scale: metres of one unit of length; None where it isn't known.
        up: the axis that points up; None to level a scan by its cameras.
        rate: pictures a second, for those without times.
        objects: file or folder of objects marked on its pictures; None without.
    """

    scale: float | None = None
    up: Up | None = None
    rate: float | None = None
    objects: Path | None = None

    @property
    def given(self) -> dict[str, float | str]:
        """The hints that are given, by name."""
        known = {name: value for name, value in vars(self).items() if value is not None}
        return {name: str(value) if isinstance(value, Path) else value for name, value in known.items()}


@dataclass(frozen=True)
class SceneSource:
    """One scene on disk, not yet read.

    Attributes:
        id: 'dataset/name', unique in its collection.
        path: its folder, or its file where it is only one.
        files: of the scene; their names, sizes and times of change decide whether it must be read again.
        hints: declarations of its owner.
    """

    id: str
    path: Path
    files: tuple[Path, ...]
    hints: ScanHints = ScanHints()


@dataclass(frozen=True)
class Instance:
    """One annotated object.

    Attributes:
        id: unique in its scene.
        label: the data set's own word for it.
        box: where it is, z up, in the scene's frame; None where it follows from the surface.
        track: where it moves.
        number: its number in the surface and in masks, from 1; 0 is no object.
        lifted: as in SceneObject.
    """

    id: str
    label: str
    box: OrientedBox | None
    track: tuple[TrackPoint, ...] = ()
    number: int = 0
    lifted: Lifted | None = None


@dataclass(frozen=True)
class ScannedSurface:
    """A scan's mesh, or its points where it has no faces.

    Attributes:
        points: metres, z up, shape (n, 3).
        faces: three points each, shape (m, 3); shape (0, 3) for a cloud.
        numbers: the instance that each face (for a cloud: each point) belongs to, 0 for none, shape (m,) or (n,).
        own: the instance of each point, shape (n,), where a data set annotates the points of a mesh: boxes are those of
            these points then. None where it doesn't.
    """

    points: Floats
    faces: NDArray[np.int64]
    numbers: NDArray[np.int64]
    own: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class CameraRecording:
    """One camera's recording as it is on disk.

    Attributes:
        role: 'ego', 'exo' or the camera's own name.
        times: of all its frames, by its own clock, in seconds, shape (n,).
        poses: camera → scene, looking along +z with y down, shape (n, 4, 4); nan where tracking was lost; or (0, 4, 4).
        intrinsics: fx, fy, cx, cy in pixels of `size`, one row or a row for each frame, shape (1 or n, 4); or (0, 4).
        size: width and height of its pictures as they are on disk.
        pictures: called with frame numbers in rising order, gives their pictures in that order, RGB as on disk.
        masks: called with a frame number, gives the instance number of each pixel at any resolution of the same
            shape, or None where that frame has none.
        turns: quarter turns clockwise that make its pictures upright, 0 to 3.
        standard: width, height and frame rate of the video that is written of it, after turning; None where the file
            `media` is taken as it is.
        media: a video that exists already.
        sightings: the objects seen in each of these frames, if a format knows them without masks or a surface.
        offset, clock: as in Capture.
        depths: called with a frame number, gives metres along the view at any resolution, 0 for no reading, or None
            where that frame has none; the cameras are held to them.
        depth_intrinsics: as `intrinsics`, of the depths' own camera, in pixels of its pictures brought to `size`, shape
            (4,); None if depths and pictures show the same.
        axes, direction: how the poses were written on disk; named where a scan turns out to be written otherwise.
        anamorphic: whether fx and fy may differ.
        names: of its frames' files, by which marks on pictures are matched; empty where marks aren't taken.
        lenses: one, or one for each frame, that pictures on disk were made with; empty for pinhole cameras.
    """

    role: str
    times: Floats
    poses: Floats
    intrinsics: Floats
    size: tuple[int, int]
    pictures: Callable[[Sequence[int]], Iterator[Picture]] | None = None
    masks: Callable[[int], Mask | None] | None = None
    turns: int = 0
    standard: tuple[int, int, float] | None = None
    media: Path | None = None
    offset: float = 0.0
    sightings: tuple[Sighting, ...] | None = None
    clock: Clock | None = None
    depths: Callable[[int], Floats | None] | None = None
    depth_intrinsics: Floats | None = None
    axes: Axes = "opencv"
    direction: Direction = "camera_to_scene"
    anamorphic: bool = False
    names: Sequence[str] = ()
    lenses: Sequence[Lens] = ()


@dataclass(frozen=True)
class RawScene:
    """One scene as a format read it.

    Attributes:
        instances: the annotated objects, those among them too that the category lists leave out.
        surface: of the whole scan.
        recordings: its cameras.
        captures: recordings that need nothing more, as a LiDAR's.
        files: of the media of `captures`: a file's place in the collection, and where it is now.
        written: further parts of those media: a folder's place in the collection, and its writer.
        room_area, room_center: where the data set says them; else they follow from the surface.
        outdoors: whether there is no room to measure.
        metric: whether lengths are metres; False where the scale is unknown.
        events: of the scene, by time.
        up: the axis of the files that points up.
        repaired: corrected errors, a sentence each that names the file and the rule.
        notes: further remarks, such as data that the scan lacks.
        points: measured, metres, z up, too few for a surface, shape (n, 3).
    """

    instances: tuple[Instance, ...] = ()
    surface: ScannedSurface | None = None
    recordings: tuple[CameraRecording, ...] = ()
    captures: tuple[Capture, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    written: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    room_area: float | None = None
    room_center: tuple[float, float, float] | None = None
    outdoors: bool = False
    metric: bool = True
    events: tuple[Event, ...] = ()
    up: Up = "z"
    repaired: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = field(default=())
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))


class Format(Protocol):
    """One format; a module of `ingest` calls its own one FORMAT, other packages name theirs in `tolman.formats`.

    Attributes:
        name: of the data set, the first part of its scenes' ids.
        title: for people.

    A format that takes hints has the attribute `takes`: a frozenset of the names of fields of `ScanHints`.
    """

    name: str
    title: str

    def find(self, root: Path) -> list[SceneSource]:
        """The scenes below a folder, in the order of their names compared as numbers where they are numbers.

        Raises:
            InputError: there are none; the sentence names the expected files.
        """
        ...

    def read(self, source: SceneSource) -> RawScene:
        """Read one scene.

        Raises:
            InputError: it can't be used; names the file and, in a binary file, the offset.
            MissingExtraError: a package is missing that reads such files.
        """
        ...
