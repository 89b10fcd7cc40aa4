"""Writes many simulated scenes without drawing a picture: for measuring what questions' texts give away.

python benchmarks/blind_scenes.py 240 scenes
tolman generate scenes --preset spatialbench --per-scene 15 --per-task 1500 --out blind
tolman analyze bias ./blind --out bias
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tolman.scene_table import write_scenes
from tolman.scenes import Scene
from tolman.simulate.open_worlds import KINDS
from tolman.simulate.room_shells import ROOM_SHAPES
from tolman.simulate.simulated_places import WorldsConfig, place

SEED = 77


def scenes(count: int) -> Iterator[Scene]:
    """Rooms of all shapes, streets and parking lots in turn."""
    for number in range(count):
        identity, seed = f"simulated/{SEED}-{number:04d}", f"{SEED}:{number}"
        shapes = (*ROOM_SHAPES, *KINDS)
        yield place(WorldsConfig(), shapes[number % len(shapes)], identity, seed)[0].scene


if __name__ == "__main__":
    out = Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write_scenes(out, scenes(int(sys.argv[1])))
