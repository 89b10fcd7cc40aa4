"""Settings of `tolman ingest`, `simulate`, `measure` and `merge`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tolman.ingest.scan_format import ScanHints

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tolman.errors import UsageError
from tolman.features.config import NumberOfWorkers, On, Setting, ShardOfJob, setting

MEDIA = "media"
"""The format that is none of scans: media for a pool (`tolman.features.scenes.compute`)."""
VIDEO = "video"
"""The format of a video alone, whose poses are found first."""
_POOL = "Media pools"
_ALONE = "Videos without poses"
_HINTS = "Scans without a scale, an up, times or boxes"


@dataclass(frozen=True, kw_only=True)
class IngestConfig:
    """Which scans become scenes, or which media come into a pool."""

    format: Annotated[
        str,
        Setting(
            "Format of the scans, such as scannet; 'auto' finds it, a wrong one lists all. 'video' finds the poses of "
            "a video, 'media' makes a media pool. A folder alone is looked into.",
            positional=True,
            metavar="FORMAT",
        ),
    ]
    path: tuple[Path, ...] = setting(
        "Folder of the scans, or of one of them. For 'media': folders, media, or lists of them.",
        default=(),
        positional=True,
    )
    out: Path | None = setting(
        "Folder of the scenes, or of the pool. Its content stays. Default: none, to look into a folder.",
        writes="ingested",
    )
    categories: Path | None = setting(
        "JSON file that says which labels are asked about, and under which names. Default: the data set's list."
    )
    corrections: Path | None = setting("JSON file of corrections, added to the folder's own corrections.json.")
    completeness: float = setting(
        "Least completeness of a scene's mesh, 0–1; others are left out.", default=0.75, least=0, most=1
    )
    scale: float | None = setting("Metres of one unit of the scan. Default: unknown.", panel=_HINTS)
    up: str | None = setting(
        "Axis of the scan that points up: x, y, z, -x, -y, -z. Default: found by its cameras.", panel=_HINTS
    )
    rate: float | None = setting(
        "Pictures a second. Default: unknown; those taken of a video: 4, or 400 in all.", panel=_HINTS
    )
    objects: Path | None = setting(
        "COCO instances, or folder of PNG masks with categories.json: objects marked on the scan's pictures, which get "
        "boxes. For several scans, a folder with one named after each. Default: none.",
        panel=_HINTS,
    )
    poses: str = setting(
        "Way to find the poses of a video: colmap, which needs the package pycolmap.",
        default="colmap",
        choices=("colmap",),
        panel=_ALONE,
    )
    focal: float | None = setting(
        "Focal length of the camera, pixels of the video. Default: found with the poses.", panel=_ALONE
    )
    source: str | None = setting(
        "Name of the data set that the media come from. Default: the folder's name.", panel=_POOL
    )
    licence: str = setting("Licence of the media, in your words.", default="", panel=_POOL)
    groups: Path | None = setting(
        "CSV with the columns file and group: which media show one place. Default: media of one sub-folder do, "
        "others are in no group.",
        panel=_POOL,
    )
    copy: bool = setting("Copy the media instead of sharing their bytes on the disk.", default=False, panel=_POOL)
    shard: ShardOfJob = None
    on: On = None
    workers: NumberOfWorkers = None

    @property
    def folder(self) -> Path:
        """Folder of the scenes, or of the pool.

        Raises:
            UsageError: nothing is named.
        """
        if self.out is None:
            raise UsageError("--out is missing; give it, or write 'out' into a --config file.")
        return self.out

    @property
    def is_hint(self) -> bool:
        """Check whether a folder or file was given in place of a format, to be looked into."""
        return not self.path and Path(self.format).exists()

    @property
    def is_pool(self) -> bool:
        """Check whether media are brought into a pool: a case for `pool`."""
        return self.format == MEDIA

    @property
    def hints(self) -> ScanHints:
        """Hints about scans, for facts that their files lack.

        Raises:
            UsageError: a number isn't positive, or `up` is no axis.
        """
        from tolman.ingest.camera_conventions import UP_TURNS
        from tolman.ingest.scan_format import ScanHints

        for name, value in (("scale", self.scale), ("rate", self.rate), ("focal", self.focal)):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"--{name} takes a number above 0, not {value:g}.")
        up = next((axis for axis in UP_TURNS if axis == self.up), None)
        if up is None and self.up is not None:
            raise UsageError(f"--up takes one of {', '.join(UP_TURNS)}, not '{self.up}'.")
        return ScanHints(self.scale, up, self.rate, self.objects)


_FIRST, _SECOND = "The picked region", "The second region, for distances and angles"
_BOX, _PIXELS = "X0,Y0,Z0,X1,Y1,Z1", "X0,Y0,X1,Y1"


@dataclass(frozen=True, kw_only=True)
class MeasureConfig:
    """Settings of a measurement: quantity and place."""

    recording: Annotated[
        Path, Setting("Folder of a rig, collection of scenes, or file or folder of a cloud.", positional=True)
    ]
    quantity: str = setting(
        "Quantity: size, length, width, height, diameter, area, room-area; of two regions: distance, box-distance, "
        "angle, and span between two points. Default: size.",
        default="size",
        positional=True,
    )
    box: tuple[float, ...] = setting(
        "Two corners of a box in the cloud, or a point for span, metres.", default=(), metavar=_BOX, panel=_FIRST
    )
    pixels: tuple[float, ...] = setting(
        "Two corners of a box in a frame, or a point for span, pixels.", default=(), metavar=_PIXELS, panel=_FIRST
    )
    at: float | None = setting("Time of that frame, seconds of the recording.", panel=_FIRST)
    camera: str | None = setting("Role of the camera of that frame. Default: the first camera.", panel=_FIRST)
    to_box: tuple[float, ...] = setting(
        "Two corners of a box in the cloud, or a point for span, metres.", default=(), metavar=_BOX, panel=_SECOND
    )
    to_pixels: tuple[float, ...] = setting(
        "Two corners of a box in a frame, or a point for span, pixels.", default=(), metavar=_PIXELS, panel=_SECOND
    )
    to_at: float | None = setting("Time of that frame, seconds of the recording. Default: as --at.", panel=_SECOND)
    capture: str | None = setting("Id of a collection's LiDAR capture, or of its scene. Default: the only one.")
    shape: str = setting("Shape that is fitted: box (upright), free-box or cylinder.", default="box")
    whole: bool = setting("Keep floors and walls that go on beyond the region.", default=False)
    objects: Path | None = setting(
        "COCO instances, or folder of PNG masks with categories.json, on frames named by number (000042). They "
        "separate things that touch. Default: none."
    )
    wide: bool = setting("Give dimensions with wide error bounds, too.", default=False)
    between: tuple[float, ...] = setting(
        "Times between which points are used, seconds. Default: the whole recording.", default=(), metavar="FROM,TO"
    )
    cell: float = setting(
        "Side of the voxels that points are thinned to, 0.001–1 metres.", default=0.01, least=0.001, most=1.0
    )
    seed: int = setting("Seed of the random trials of fits, a whole number.", default=0)


@dataclass(frozen=True, kw_only=True)
class MergeConfig:
    """Which shards are joined."""

    parts: Annotated[tuple[Path, ...], Setting("Folders that were made with --shard, all of one job.", positional=True)]
    out: Annotated[Path, Setting("Folder of the whole, empty or new.", writes="scenes")]


CAMERA_WORDS = ("walk", "handheld", "robot")
QUALITIES = ("fast", "default", "high")


@dataclass(frozen=True, kw_only=True)
class SimulateConfig:
    """Which scenes are simulated, and how they are recorded."""

    out: Annotated[Path, Setting("Folder of the scenes.", writes="scenes")]
    scenes: int = setting("Number of scenes, from 1.", default=3, least=1)
    seed: int = setting("Seed of everything that is drawn at random, a whole number.", default=0)
    shapes: tuple[str, ...] = setting(
        "Shapes of the places, taken in turn: rectangle, l-shape, two-rooms, home (two to six rooms), street, "
        "parking-lot, park, courtyard.",
        default=("home",),
        metavar="SHAPE[,SHAPE…]",
    )
    objects: int = setting(
        "Number of objects in each scene, doors and windows apart, 4–200; a home has more, by its rooms.",
        default=22,
        least=4,
        most=200,
    )
    seconds: float = setting("Length of the camera trajectory, 1–600 seconds.", default=30.0, least=1, most=600)
    rate: int = setting("Frames a second, 1–60.", default=12, least=1, most=60)
    size: str = setting(
        "Width and height of frames, pixels: even numbers, 16–4096.", default="640x480", metavar="WIDTHxHEIGHT"
    )
    furniture: Path | None = setting(
        "Sweet Home 3D library (.sh3f) whose models are added to the furniture made by rule. Default: none.",
        metavar="FILE",
    )
    depth: bool = setting("Also write depth and instances of each frame.", default=False)
    actors: int = setting("Number of people who walk around and carry things, 0–20.", default=0, least=0, most=20)
    robots: int = setting("Number of round robots that drive about, 0–20.", default=0, least=0, most=20)
    traffic: int = setting(
        "Number of cars and bicycles that drive along streets and across parking lots, bicycles in parks and "
        "courtyards, 0–20.",
        default=0,
        least=0,
        most=20,
    )
    camera: str = setting(
        "Motion of the moving camera: walk, at 1.5 m; handheld, the same with a hand's tremor; robot, level at 0.3 "
        "to 0.6 m, driving straight and turning on the spot.",
        default="walk",
        choices=CAMERA_WORDS,
    )
    exo: int = setting(
        "Number of fixed (exocentric) cameras in addition to the moving one, 0–16.", default=0, least=0, most=16
    )
    quality: str = setting(
        "Quality of the videos' colours: fast; default, with reflections in mirrors and, in rooms with types, "
        "darker crevices; high, with nine samples a pixel and finer light and shadows, for graphics cards. Depth "
        "and instances are the same.",
        default="default",
        choices=QUALITIES,
    )
    lidar: bool = setting("Record with a spinning LiDAR on the moving camera too.", default=False)
    media: bool = setting(
        "Draw videos. Without them rays find what they would show, for questions from many scenes. Default: yes.",
        default=True,
        aliases=("--no-no-media",),
        negates="no_media",
    )
    twins: int = setting(
        "Scenes in a group that differ in one thing, 1 (no groups) to 8. Cameras are the same for all of a group; "
        "a question about the thing has other answers. Rooms only.",
        default=1,
        least=1,
        most=8,
    )
    differ: tuple[str, ...] = setting(
        "Ways in which twins differ, taken in turn by groups: landmark (one thing stands beside another one in "
        "each), side (to another side of one), number (there are more of it in each), exchange (several things "
        "change places), scale (things have other sizes), kinds (three kinds are there in other numbers), walk (the "
        "camera takes another walk), watched (and a fixed camera sees it).",
        default=("landmark", "side", "number"),
        metavar="WORD[,WORD…]",
    )
    shard: ShardOfJob = None
    on: On = None
    workers: NumberOfWorkers = None
