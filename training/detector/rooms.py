"""Draw the frames from which `baseline/detector` learns: Tolman's rooms with their exact truth.

    python training/detector/rooms.py FOLDER --first 0 --rooms 100

Room n is drawn from the seed `detector:n`, which no collection has: theirs are `NUMBER:NUMBER`. One of four has the
models of Tolman-1 besides furniture made by rule, and one of twelve is a home. The network that ships learned from
rooms of an earlier version: one in four had such models only. Several processes may share the work, each with rooms of
its own, and a stopped one goes on. A room is one file, `00000.npz`: 24 frames of a walk of 20 seconds, drawn at
320×240, where videos have 640×480, and a row for each object that is seen in each. The network sees 160×120; so that a
room takes 3 s of a core, baked light is computed for fewer places too.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from tolman.files import atomic_write
from tolman.geometry.boxes import Floats
from tolman.simulate.lighting import DEFAULT, LightDetail
from tolman.simulate.render import Frame, Renderer
from tolman.simulate.room_contents import room_types
from tolman.simulate.simulated_places import WorldsConfig, place
from tolman.simulate.walks import draw_trajectory, intrinsics_of
from tolman.simulate.world import World

SIZE = (320, 240)
FRAMES = 24
COARSE = replace(DEFAULT, light=LightDetail(step=0.26))
"""As videos are drawn, but for light, which is computed for places twice as far apart."""
SECONDS = 20.0
RATE = 10
MOST_OBJECTS = 26
FEWEST_OBJECTS = 16
MODELS = Path(__file__).resolve().parents[2] / "tolman-1" / "furniture.sh3f"
MODELS_EVERY = 4
"""One room of so many has these, too."""
HOME_EVERY = 12
"""One of so many is a home."""
SHAPES = ("rectangle", "l-shape", "two-rooms")
"""Of the others, in turn."""
_PIXEL = 4
"""Pixels of 640×480 that a pixel covers."""
LEAST_PIXELS = 48
"""Of 640×480; what shows fewer is not learned."""
COLUMNS = ("frame", "category", "left", "top", "right", "bottom", "pixels", "depth", "x", "y", "z", "w", "d", "h")
"""Of a row: the number of the frame and of the category; the visible part's box, pixels; how many of 640×480 it covers;
its median depth; the middle of the object's box seen from the camera; the box's extents; metres."""


def categories() -> list[str]:
    """What rooms hold, in the order of the network's maps."""
    held = {category for kind in room_types() for category in (*kind.contents, *kind.home)}
    return sorted(held | {"door", "rug", "window"})


def settings_of(number: int) -> tuple[WorldsConfig, str]:
    """Settings and shape of a room."""
    shape = "home" if number % HOME_EVERY == 0 else SHAPES[number % len(SHAPES)]
    return WorldsConfig(furniture=MODELS if number % MODELS_EVERY == MODELS_EVERY - 1 else None), shape


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0, help="number of the first room (default 0)")
    parser.add_argument("--rooms", type=int, default=100, help="number of rooms (default 100)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    names = {name: number for number, name in enumerate(categories())}
    (options.folder / "categories.json").write_text(json.dumps(list(names)))
    for number in range(options.first, options.first + options.rooms):
        path = options.folder / f"{number:05d}.npz"
        if path.exists():
            continue
        colours, rows, poses = draw(number, names)
        with atomic_write(path) as partial, partial.open("wb") as out:
            np.savez(out, colours=colours, rows=rows, poses=poses)
        print(f"{path.name}: {len(rows)} rows", flush=True)


def draw(number: int, names: dict[str, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A room's frames, shape (n, 240, 320, 3); its rows, shape (m, 14), see `COLUMNS`; the poses, shape (n, 4, 4)."""
    seed = f"detector:{number}"
    generator = np.random.default_rng(np.frombuffer(seed.encode(), dtype=np.uint8))
    objects = int(generator.integers(FEWEST_OBJECTS, MOST_OBJECTS + 1))
    config, shape = settings_of(number)
    world, _ = place(replace(config, objects=objects), shape, f"detector/{number}", seed)
    walk = draw_trajectory(world, seed, seconds=SECONDS, rate=RATE)
    poses = walk.poses[np.linspace(0, len(walk.poses) - 1, FRAMES).astype(int)]
    intrinsics = intrinsics_of(SIZE)
    colours, rows = [], []
    with Renderer(world, SIZE, COARSE) as renderer:
        for index, pose in enumerate(poses):
            frame = renderer.frame(pose, intrinsics)
            colours.append(frame.colour)
            rows += [(index, *row) for row in _rows(world, frame, pose, names)]
    return np.stack(colours), np.array(rows, dtype=np.float32).reshape(-1, len(COLUMNS)), np.stack(poses)


def _rows(world: World, frame: Frame, pose: Floats, names: dict[str, int]) -> list[tuple[float, ...]]:
    found = []
    for thing in world.scene.objects:
        inside = frame.instances == world.numbers[thing.id]
        pixels = int(inside.sum()) * _PIXEL
        if pixels < LEAST_PIXELS or thing.category not in names or thing.box is None:
            continue
        lines, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
        box = (columns[0], lines[0], columns[-1] + 1, lines[-1] + 1)
        depth = float(np.median(frame.depth[inside]))
        middle = (np.array(thing.box.center) - pose[:3, 3]) @ pose[:3, :3]
        found.append((names[thing.category], *box, pixels, depth, *middle, *thing.box.extents))
    return found


if __name__ == "__main__":
    main()
