"""Draws contact sheets of simulated places, each from where most of it is seen.

python benchmarks/world_sheet.py --out docs/images/rooms-made.jpg --rooms 48 --outdoors 0
python benchmarks/world_sheet.py --out docs/images/outdoors.jpg --rooms 0 --outdoors 16
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from tolman.geometry.boxes import Floats
from tolman.parallel import cores, parallel_map
from tolman.simulate.outdoors import OUTDOOR_SHAPES
from tolman.simulate.render import Renderer
from tolman.simulate.simulated_places import WorldsConfig, place
from tolman.simulate.view_planning import PITCH, find_views, outlook
from tolman.simulate.walks import intrinsics_of, looking
from tolman.simulate.world import World

SHAPES = ("rectangle", "l-shape", "two-rooms")
SIZE = (960, 720)
YAWS = np.arange(24) * np.pi / 12
COLUMNS, TILE = 8, (240, 180)
MOST = 0.45
"""Share of a view that things fill; more is no better."""
FAR = 4.0
"""Metres; a view that reaches further is no better."""
MOST_OUTDOORS, FAR_OUTDOORS = 0.25, 9.0
"""The same for places outdoors."""
LEAST = 0.5
"""Share of the most categories seen in one view that an eye must see to be thought of."""


def picture(place_number: tuple[str, int], seed: int) -> Image.Image:
    """A place from where most of it is seen, at twice the size of the usual pictures."""
    shape, number = place_number
    world, _ = place(WorldsConfig(seed=seed), shape, f"sheet/{seed}-{number:04d}", f"{seed}:{number}")
    pose = best_pose(world)
    with Renderer(world, SIZE) as renderer:
        return Image.fromarray(renderer.frame(pose, intrinsics_of(SIZE)).colour)


def best_pose(world: World) -> Floats:
    """Where a walker of that place sees many categories and things, far, and nothing stands in the way."""
    views = find_views(world, intrinsics_of((640, 480)), (640, 480))
    categories = np.array([thing.category for thing in world.scene.objects])
    seen = np.array([[len(set(categories[views.seen(eye, yaw)])) for yaw in YAWS] for eye in range(len(views.eyes))])
    most, far = (MOST, FAR) if world.scene.room_area is not None else (MOST_OUTDOORS, FAR_OUTDOORS)
    worth = np.zeros(seen.shape)
    for eye in np.flatnonzero(seen.max(1) >= LEAST * seen.max()):
        view = outlook(world, views.eyes[eye], YAWS, views.half_angle)
        worth[eye] = (
            seen[eye] * np.minimum(view.things, most) * np.minimum(view.distance, far) * (1 - view.blocked) ** 3
        )
    eye, yaw = (int(i) for i in np.unravel_index(np.argmax(worth), worth.shape))
    return looking(views.eyes[eye][None], YAWS[yaw : yaw + 1], np.array([PITCH]), np.zeros(1))[0]


def sheet(pictures: list[Image.Image]) -> Image.Image:
    """Pictures in rows."""
    rows = -(-len(pictures) // COLUMNS)
    made = Image.new("RGB", (COLUMNS * TILE[0], rows * TILE[1]), "white")
    for number, one in enumerate(pictures):
        small = one.resize(TILE, Image.Resampling.LANCZOS)
        made.paste(small, (number % COLUMNS * TILE[0], number // COLUMNS * TILE[1]))
    return made


def main() -> None:
    """Draw a sheet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="The sheet.")
    parser.add_argument("--rooms", type=int, default=48)
    parser.add_argument("--homes", type=int, default=0)
    parser.add_argument("--outdoors", type=int, default=0)
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--workers", type=int, default=cores())
    asked = parser.parse_args()
    places = [(SHAPES[n % len(SHAPES)], n) for n in range(asked.rooms)]
    places += [("home", n) for n in range(asked.homes)]
    places += [(OUTDOOR_SHAPES[n % len(OUTDOOR_SHAPES)], n) for n in range(asked.outdoors)]
    drawn = list(parallel_map(partial(picture, seed=asked.seed), places, asked.workers))
    sheet(drawn).save(asked.out, quality=84, optimize=True)
    print(f"{asked.out}: {len(drawn)} places, {asked.out.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
