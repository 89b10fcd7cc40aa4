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
from tolman.features.config import NumberOfWorkers, On, Setting, ShardOfJob

MEDIA = "media"
"""The format that is none of scans: media for a pool (`tolman.features.scenes.compute`)."""
_POOL = "Media pools"
_HINTS = "Scans without a scale, an up or times"


@dataclass(frozen=True, kw_only=True)
class IngestConfig:
    """Which scans become scenes, or which media come into a pool."""

    format: Annotated[
        str,
        Setting(
            "Format of the scans, such as scannet; 'auto' finds it, a wrong one lists all. 'media' makes a media pool. "
            "A folder alone is looked into.",
            positional=True,
            metavar="FORMAT",
        ),
    ]
    path: Annotated[
        tuple[Path, ...],
        Setting(
            "Folder of the scans, or of one of them. For 'media': folders, media, or lists of them.", positional=True
        ),
    ] = ()
    out: Annotated[
        Path | None,
        Setting(
            "Folder of the scenes, or of the pool. Its content stays. Default: none, to look into a folder.",
            writes="ingested",
        ),
    ] = None
    categories: Annotated[
        Path | None,
        Setting(
            "JSON file that says which labels are asked about, and under which names. Default: the data set's list."
        ),
    ] = None
    corrections: Annotated[
        Path | None, Setting("JSON file of corrections, added to the folder's own corrections.json.")
    ] = None
    completeness: Annotated[
        float, Setting("Least completeness of a scene's mesh, 0–1; others are left out.", least=0, most=1)
    ] = 0.75
    scale: Annotated[float | None, Setting("Metres of one unit of the scan. Default: unknown.", panel=_HINTS)] = None
    up: Annotated[
        str | None,
        Setting("Axis of the scan that points up: x, y, z, -x, -y, -z. Default: found by its cameras.", panel=_HINTS),
    ] = None
    rate: Annotated[float | None, Setting("Pictures a second. Default: unknown.", panel=_HINTS)] = None
    source: Annotated[
        str | None, Setting("Name of the data set that the media come from. Default: the folder's name.", panel=_POOL)
    ] = None
    licence: Annotated[str, Setting("Licence of the media, in your words.", panel=_POOL)] = ""
    groups: Annotated[
        Path | None,
        Setting(
            "CSV with the columns file and group: which media show one place. Default: media of one sub-folder do, "
            "others are in no group.",
            panel=_POOL,
        ),
    ] = None
    copy: Annotated[bool, Setting("Copy the media instead of sharing their bytes on the disk.", panel=_POOL)] = False
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
        """Check whether a folder was given in place of a format, to be looked into."""
        return not self.path and Path(self.format).is_dir()

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

        for name, value in (("scale", self.scale), ("rate", self.rate)):
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"--{name} takes a number above 0, not {value:g}.")
        up = next((axis for axis in UP_TURNS if axis == self.up), None)
        if up is None and self.up is not None:
            raise UsageError(f"--up takes one of {', '.join(UP_TURNS)}, not '{self.up}'.")
        return ScanHints(self.scale, up, self.rate)


_FIRST, _SECOND = "The picked region", "The second region, for distances and angles"
_BOX, _PIXELS = "X0,Y0,Z0,X1,Y1,Z1", "X0,Y0,X1,Y1"


@dataclass(frozen=True, kw_only=True)
class MeasureConfig:
    """Settings of a measurement: quantity and place."""

    recording: Annotated[
        Path, Setting("Folder of a rig, collection of scenes, or file or folder of a cloud.", positional=True)
    ]
    quantity: Annotated[
        str,
        Setting(
            "Quantity: size, length, width, height, diameter, area, room-area; of two regions: distance, box-distance, "
            "angle. Default: size.",
            positional=True,
        ),
    ] = "size"
    box: Annotated[
        tuple[float, ...], Setting("Two corners of a box in the cloud, metres.", metavar=_BOX, panel=_FIRST)
    ] = ()
    pixels: Annotated[
        tuple[float, ...], Setting("Two corners of a box in a frame, pixels.", metavar=_PIXELS, panel=_FIRST)
    ] = ()
    at: Annotated[float | None, Setting("Time of that frame, seconds of the recording.", panel=_FIRST)] = None
    camera: Annotated[
        str | None, Setting("Role of the camera of that frame. Default: the first camera.", panel=_FIRST)
    ] = None
    to_box: Annotated[
        tuple[float, ...], Setting("Two corners of a box in the cloud, metres.", metavar=_BOX, panel=_SECOND)
    ] = ()
    to_pixels: Annotated[
        tuple[float, ...], Setting("Two corners of a box in a frame, pixels.", metavar=_PIXELS, panel=_SECOND)
    ] = ()
    to_at: Annotated[
        float | None, Setting("Time of that frame, seconds of the recording. Default: as --at.", panel=_SECOND)
    ] = None
    capture: Annotated[
        str | None, Setting("Id of a collection's LiDAR capture, or of its scene. Default: the only one.")
    ] = None
    shape: Annotated[str, Setting("Shape that is fitted: box (upright), free-box or cylinder.")] = "box"
    whole: Annotated[bool, Setting("Keep floors and walls that go on beyond the region.")] = False
    between: Annotated[
        tuple[float, ...],
        Setting("Times between which points are used, seconds. Default: the whole recording.", metavar="FROM,TO"),
    ] = ()
    cell: Annotated[
        float, Setting("Side of the voxels that points are thinned to, 0.001–1 metres.", least=0.001, most=1.0)
    ] = 0.01
    seed: Annotated[int, Setting("Seed of the random trials of fits, a whole number.")] = 0


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
    scenes: Annotated[int, Setting("Number of scenes, from 1.", least=1)] = 3
    seed: Annotated[int, Setting("Seed of everything that is drawn at random, a whole number.")] = 0
    shapes: Annotated[
        tuple[str, ...],
        Setting(
            "Shapes of the places, taken in turn: rectangle, l-shape, two-rooms, home (two to six rooms), street, "
            "parking-lot, park, courtyard.",
            metavar="SHAPE[,SHAPE…]",
        ),
    ] = ("home",)
    objects: Annotated[
        int,
        Setting(
            "Number of objects in each scene, doors and windows apart, 4–200; a home has more, by its rooms.",
            least=4,
            most=200,
        ),
    ] = 22
    seconds: Annotated[float, Setting("Length of the camera trajectory, 1–600 seconds.", least=1, most=600)] = 30.0
    rate: Annotated[int, Setting("Frames a second, 1–60.", least=1, most=60)] = 12
    size: Annotated[
        str,
        Setting("Width and height of frames, pixels: even numbers, 16–4096.", metavar="WIDTHxHEIGHT"),
    ] = "640x480"
    furniture: Annotated[
        Path | None,
        Setting(
            "Sweet Home 3D library (.sh3f) whose models are added to the furniture made by rule. Default: none.",
            metavar="FILE",
        ),
    ] = None
    depth: Annotated[bool, Setting("Also write depth and instances of each frame.")] = False
    actors: Annotated[int, Setting("Number of people who walk around and carry things, 0–20.", least=0, most=20)] = 0
    robots: Annotated[int, Setting("Number of round robots that drive about, 0–20.", least=0, most=20)] = 0
    traffic: Annotated[
        int,
        Setting(
            "Number of cars and bicycles that drive along streets and across parking lots, bicycles in parks and "
            "courtyards, 0–20.",
            least=0,
            most=20,
        ),
    ] = 0
    camera: Annotated[
        str,
        Setting(
            "Motion of the moving camera: walk, at 1.5 m; handheld, the same with a hand's tremor; robot, level at 0.3 "
            "to 0.6 m, driving straight and turning on the spot.",
            choices=CAMERA_WORDS,
        ),
    ] = "walk"
    exo: Annotated[
        int, Setting("Number of fixed (exocentric) cameras in addition to the moving one, 0–16.", least=0, most=16)
    ] = 0
    quality: Annotated[
        str,
        Setting(
            "Quality of the videos' colours: fast; default, with reflections in mirrors and, in rooms with types, "
            "darker crevices; high, with nine samples a pixel and finer light and shadows, for graphics cards. Depth "
            "and instances are the same.",
            choices=QUALITIES,
        ),
    ] = "default"
    lidar: Annotated[bool, Setting("Record with a spinning LiDAR on the moving camera too.")] = False
    media: Annotated[
        bool,
        Setting(
            "Draw videos. Without them rays find what they would show, for questions from many scenes. Default: yes.",
            aliases=("--no-no-media",),
            negates="no_media",
        ),
    ] = True
    twins: Annotated[
        int,
        Setting(
            "Scenes in a group that differ in one thing, 1 (no groups) to 8. Cameras are the same for all of a group; "
            "a question about the thing has other answers. Rooms only.",
            least=1,
            most=8,
        ),
    ] = 1
    differ: Annotated[
        tuple[str, ...],
        Setting(
            "Ways in which twins differ, taken in turn by groups: landmark (one thing stands beside another one in "
            "each), side (to another side of one), number (there are more of it in each).",
            metavar="WORD[,WORD…]",
        ),
    ] = ("landmark", "side", "number")
    shard: ShardOfJob = None
    on: On = None
    workers: NumberOfWorkers = None
