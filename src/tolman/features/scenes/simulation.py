"""Simulating: rooms and streets whose truth is known, and recordings of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tolman.errors import UsageError, counted, unknown
from tolman.features.config import shared_settings
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.scenes.config import CAMERA_WORDS, QUALITIES, SimulateConfig
from tolman.files import alone_in
from tolman.parallel import place_of
from tolman.scene_shards import Shard
from tolman.simulate.collection import SimulatedScene, simulate as carry_out
from tolman.simulate.room_shells import ROOM_SHAPES
from tolman.simulate.simulated_places import PLACES, WorldsConfig
from tolman.simulate.twins import DIFFERENCES, WATCHED

LEAST_SIDE, MOST_SIDE = 16, 4096
"""Pixels of a picture's width and height."""


@dataclass(frozen=True, repr=False)
class SimulateResult(Displayable):
    """Scenes that were simulated.

    Attributes:
        out: the collection's folder.
        scenes: the description of each, with notes on requests that didn't fit; `tolman.open_scenes(out)` has the
            scenes themselves.
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
            recording shows, 0–1), frames (of all recordings), notes (requests that didn't fit).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

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

    order, place = _order(config), place_of(config.on, config.workers)
    shard = None if config.shard is None else Shard.parse(config.shard)
    count = config.scenes if shard is None else len(shard.part(range(config.scenes)))
    events(Began("drawing and recording scenes", count))
    begun = time.monotonic()
    with alone_in(config.out):
        made = carry_out(order, config.out, place, lambda _: events(Advanced()), shard)
    events(Ended())
    return SimulateResult(config.out, tuple(made), config.media, time.monotonic() - begun)


def settings_of(config: SimulateConfig) -> dict[str, Any]:
    """All settings that scenes depend on, as `simulation.json` has them.

    Raises:
        UsageError, InputError: as `simulate` does.
    """
    return _order(config).settings()


def _order(config: SimulateConfig) -> WorldsConfig:
    if not config.shapes:
        raise UsageError(f"--shapes names no place; known: {', '.join(PLACES)}.")
    for shape in config.shapes:
        if shape not in PLACES:
            raise unknown("place", shape, PLACES)
    if not config.media and (config.depth or config.lidar):
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
    if config.camera == "robot" and (config.exo or (config.twins > 1 and WATCHED in config.differ)):
        raise UsageError(
            "--exo and --differ watched show the person who carries the moving camera: leave them out, or "
            "--camera robot."
        )
    return WorldsConfig(**shared_settings(config, WorldsConfig) | {"size": _size(config.size)})


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not all(side.isascii() and side.isdigit() and LEAST_SIDE <= int(side) <= MOST_SIDE for side in (width, height)):
        raise UsageError(
            f"--size takes WIDTHxHEIGHT such as 640x480, each from {LEAST_SIDE} to {MOST_SIDE}, not '{text}'."
        )
    if int(width) % 2 or int(height) % 2:
        raise UsageError(f"--size takes even numbers, which the video format needs, not '{text}'.")
    return int(width), int(height)
