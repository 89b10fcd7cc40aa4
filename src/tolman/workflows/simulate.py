"""Simulating: rooms and streets whose truth is known, and recordings of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.names import unknown
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted
from tolman.workflows.settings import NumberOfWorkers, On, ShardOfJob

if TYPE_CHECKING:
    import polars as pl

    from tolman.simulate.collection import SimulatedScene
    from tolman.simulate.settings import WorldsConfig

LEAST_SIDE, MOST_SIDE = 16, 4096
"""Pixels of a picture's width and height."""
CAMERA_WORDS = ("walk", "handheld", "robot")
QUALITIES = ("fast", "default", "high")
FURNITURE_WORDS = ("made", "catalogue")
"""What `furniture` names besides files."""


@dataclass(frozen=True, kw_only=True)
class SimulateConfig:
    """Which scenes are simulated, and how they are recorded."""

    out: Annotated[Path, Setting("Folder of the scenes.")]
    scenes: Annotated[int, Setting("Number of scenes, from 1.", least=1)] = 3
    seed: Annotated[int, Setting("Seed of everything that is drawn at random, a whole number.")] = 0
    shapes: Annotated[
        tuple[str, ...],
        Setting(
            "Shapes of the places, taken in turn: rectangle, l-shape, two-rooms, home (two to six rooms), street, "
            "parking-lot, park, courtyard.",
            metavar="SHAPE[,SHAPE…]",
        ),
    ] = ("rectangle", "l-shape", "two-rooms")
    objects: Annotated[
        int, Setting("Number of objects in each scene, doors and windows apart, 4–200.", least=4, most=200)
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
            "Library of furniture, an .sh3f file; 'made' for furniture made by rule, drawn anew for each scene, beside "
            "Tolman's 54 models; 'catalogue' (the default) for those models alone.",
            metavar="FILE|made|catalogue",
        ),
    ] = None
    depth: Annotated[bool, Setting("Write depth and instances of each frame beside the videos.")] = False
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
        int, Setting("Number of fixed (exocentric) cameras beside the moving one, 0–16.", least=0, most=16)
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
    no_media: Annotated[
        bool, Setting("Draw no videos: rays tell what they would show, for questions to be drawn from many scenes.")
    ] = False
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


@dataclass(frozen=True, repr=False)
class SimulateResult(Displayable):
    """Scenes that were simulated.

    Attributes:
        out: the collection's folder.
        scenes: what is told of each, with notes on what was asked for and didn't fit; `tolman.open_scenes(out)` has
            the scenes themselves.
        media: whether their videos were written.
        seconds: that it took.
    """

    out: Path
    scenes: tuple[SimulatedScene, ...]
    media: bool = True
    seconds: float = 0.0

    @property
    def frames_drawn(self) -> int:
        """Frames of the scenes that were drawn now, not of those that were there."""
        return sum(scene.frames for scene in self.scenes if scene.drawn) if self.media else 0

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scene.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, room_area (m²), objects, categories (counts), coverage (share of the objects that the first
            recording shows, 0–1), frames (of all recordings), notes (what was asked for and didn't fit).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        from tolman.workflows.frames import given_as

        schema: dict[str, Any] = {
            "id": pl.String, "room_area": pl.Float64, "objects": pl.Int64, "categories": pl.Int64,
            "coverage": pl.Float64, "frames": pl.Int64, "notes": pl.String,
        }  # fmt: skip
        rows = [
            (s.id, s.room_area, s.objects, s.categories, s.coverage, s.frames, "; ".join(s.notes)) for s in self.scenes
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        return f"{self.out}: {counted(len(self.scenes), 'scene')}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table())


def simulate(config: SimulateConfig, events: Events = silent) -> SimulateResult:
    """Simulate scenes into a folder; the same config goes on where it was stopped.

    Raises:
        UsageError: an unknown shape, or a size that videos can't have.
        InputError: the folder holds something else, or the furniture can't be used.
        NoDisplayError: the machine can't draw.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    from tolman.parallel import place_of
    from tolman.scene_shards import Shard
    from tolman.simulate.collection import simulate as carry_out

    order, place = _order(config), place_of(config.on, config.workers)
    shard = None if config.shard is None else Shard.parse(config.shard)
    count = config.scenes if shard is None else len(shard.part(range(config.scenes)))
    events(Began("drawing and recording scenes", count))
    begun = time.monotonic()
    made = carry_out(order, config.out, place, lambda _: events(Advanced()), shard)
    events(Ended())
    return SimulateResult(config.out, tuple(made), not config.no_media, time.monotonic() - begun)


def _order(config: SimulateConfig) -> WorldsConfig:
    from tolman.simulate.rooms import ROOM_SHAPES
    from tolman.simulate.settings import PLACES, WorldsConfig
    from tolman.simulate.twins import DIFFERENCES

    if not config.shapes:
        raise UsageError(f"--shapes names no place; known: {', '.join(PLACES)}.")
    for shape in config.shapes:
        if shape not in PLACES:
            raise unknown("place", shape, PLACES)
    if config.no_media and (config.depth or config.lidar):
        raise UsageError("--no-media writes no pictures and no scans: leave out --depth and --lidar.")
    if config.quality not in QUALITIES:
        raise unknown("quality", config.quality, QUALITIES)
    if config.camera not in CAMERA_WORDS:
        raise unknown("camera", config.camera, CAMERA_WORDS)
    movers = config.actors or config.robots or config.traffic
    if config.twins > 1 and (movers or set(config.shapes) - set(ROOM_SHAPES)):
        raise UsageError(
            "--twins takes rooms where nothing moves: leave out --actors, --robots, --traffic and places outdoors."
        )
    if config.twins > 1 and config.scenes % config.twins:
        raise UsageError(f"--scenes is no multiple of --twins {config.twins}: a group would lack scenes.")
    for word in config.differ:
        if word not in DIFFERENCES:
            raise unknown("difference of twins", word, DIFFERENCES)
    if config.camera == "robot" and config.exo:
        raise UsageError("--exo shows the person who carries the moving camera: leave it out, or --camera robot.")
    if config.furniture is not None and _is_wrong_word(config.furniture):
        raise unknown("library of furniture", str(config.furniture), FURNITURE_WORDS)
    return WorldsConfig(
        scenes=config.scenes,
        seed=config.seed,
        shapes=config.shapes,
        objects=config.objects,
        seconds=config.seconds,
        rate=config.rate,
        size=_size(config.size),
        furniture=None if _word(config.furniture) else config.furniture,
        made=_word(config.furniture) == "made",
        depth=config.depth,
        actors=config.actors,
        robots=config.robots,
        traffic=config.traffic,
        exo=config.exo,
        lidar=config.lidar,
        media=not config.no_media,
        twins=config.twins,
        differ=config.differ,
        quality=config.quality,
        camera=config.camera,
    )


def _word(furniture: Path | None) -> str:
    """The word that stands for a library; '' for a file, and for one that is named as a word is but is there."""
    named = "" if furniture is None else str(furniture)
    return named if named in FURNITURE_WORDS and furniture is not None and not furniture.exists() else ""


def _is_wrong_word(furniture: Path) -> bool:
    """Whether it can only be meant for one of the words: a bare name that is no file."""
    bare = len(furniture.parts) == 1 and not furniture.suffix
    return bare and not _word(furniture) and not furniture.exists()


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not all(side.isascii() and side.isdigit() and LEAST_SIDE <= int(side) <= MOST_SIDE for side in (width, height)):
        raise UsageError(
            f"--size takes WIDTHxHEIGHT such as 640x480, each from {LEAST_SIDE} to {MOST_SIDE}, not '{text}'."
        )
    if int(width) % 2 or int(height) % 2:
        raise UsageError(f"--size takes even numbers, which the video format needs, not '{text}'.")
    return int(width), int(height)
