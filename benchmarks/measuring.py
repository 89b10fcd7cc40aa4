"""How well furniture and street furniture are measured: the longest dimension of each object of simulated recordings.

python benchmarks/measuring.py [--places rectangle,street] [--scenes 8] [--seed 0] [--all]

Each place is walked through for 10 s with a LiDAR that turns five times a second. Each object is picked by a level box
around it that is 7 cm wider on every side, as a person would draw it. "In their bound" counts the values that were
given, "refused" the objects without one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.fitting import FitError
from tolman.geometry.measuring import measure
from tolman.geometry.regions import BoxRegion
from tolman.ingest.clouds.recording import Recording, open_collection
from tolman.scene_table import write_captures
from tolman.scenes import OrientedBox, SceneObject
from tolman.simulate.rig_sensors import ROOM, STREET, record_lidar
from tolman.simulate.simulated_places import PLACES, WorldsConfig, place
from tolman.simulate.walks import draw_trajectory

SECONDS, TURNS, AROUND = 10.0, 5.0, 0.07


@dataclass(frozen=True)
class Try:
    """One object measured."""

    place: str
    category: str
    wanted: float
    value: float
    error: float
    reason: str = ""

    @property
    def off(self) -> float:
        return abs(self.value - self.wanted)

    @property
    def good(self) -> bool:
        return self.off <= max(0.02, 0.02 * self.wanted)


def region_of(box: OrientedBox, around: float = AROUND) -> BoxRegion:
    """The level box around an object that a person would draw."""
    half = (np.abs(np.array(box.axes)) * np.array(box.extents)[:, None] / 2).sum(0) + around
    center = np.array(box.center)
    return BoxRegion(tuple((center - half).tolist()), tuple((center + half).tolist()))


def tries(recording: Recording, objects: tuple[SceneObject, ...], name: str) -> Iterator[Try]:
    """Each object of a recording, measured; the recording is read once."""
    whole = recording.gathered(cell=0.01, crossing=lambda rays: np.ones(len(rays), dtype=bool), most_rays=800_000)
    assert whole.rays is not None
    for one in objects:
        region, wanted = region_of(one.box), max(one.box.extents)
        near = region.crossed(whole.rays)
        rays = Rays(whole.rays.origins[near], whole.rays.ends[near])
        try:
            found = measure(whole.cloud, region, "size", rays=rays)
            yield Try(name, one.category, wanted, found.value, found.error)
        except FitError as error:
            yield Try(name, one.category, wanted, np.nan, np.nan, str(error))


def scene(shape: str, number: int, seed: int, folder: Path) -> Iterator[Try]:
    """The objects of one simulated place."""
    world, _ = place(WorldsConfig(), shape, f"simulated/{number}", f"{seed}:{number}")
    walk = draw_trajectory(world, f"{seed}:{number}", seconds=SECONDS, rate=24, size=(640, 480))
    spinner = replace(STREET if world.scene.room_area is None else ROOM, rate=TURNS)
    capture = record_lidar(
        world, walk, folder / "lidar", identity="l", media="lidar", seed=f"{seed}:{number}", spinner=spinner
    )
    write_captures(folder, [capture])
    yield from tries(open_collection(folder), world.scene.objects, shape)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", default=",".join(PLACES))
    parser.add_argument("--scenes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="print each object")
    asked = parser.parse_args()
    shapes = asked.places.split(",")
    found: list[Try] = []
    begun = time.process_time()
    for number in range(asked.scenes):
        with tempfile.TemporaryDirectory() as folder:
            try:
                for one in scene(shapes[number % len(shapes)], number, asked.seed, Path(folder)):
                    found.append(one)
                    if asked.all:
                        state = f"{one.value:.3f} ± {one.error:.3f}" if not one.reason else one.reason
                        missed = " MISSED" if one.off > one.error else ""
                        print(f"{one.place:12} {one.category:20} {one.wanted:.3f}: {state}{missed}", flush=True)
            except InputError as error:
                print(f"left out: {error}")
    print("| objects | refused | within 2 cm or 2 % | median error | in their bound | median bound | bound over 10 % |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    outdoors = {"street", "parking-lot", "park", "courtyard"}
    for name, rows in (
        ("rooms", [one for one in found if one.place not in outdoors]),
        ("streets", [one for one in found if one.place in outdoors]),
        ("all", found),
    ):
        print(line(name, rows))
    print(f"{time.process_time() - begun:.0f} s CPU")


def line(name: str, rows: list[Try]) -> str:
    """A row of the table."""
    done = [one for one in rows if not one.reason]
    if not done:
        return f"| {name}: {len(rows)} | {len(rows)} | | | | | |"
    off, errors = np.array([one.off for one in done]), np.array([one.error for one in done])
    wide, good = np.mean([one.error > 0.1 * one.wanted for one in done]), sum(one.good for one in done)
    return (
        f"| {name}: {len(rows)} | {len(rows) - len(done)} | {good} ({good / len(done):.0%}) "
        f"| {1000 * np.median(off):.0f} mm | {np.mean(off <= errors):.1%} "
        f"| {1000 * np.median(errors):.0f} mm | {wide:.0%} |"
    )


if __name__ == "__main__":
    main()
