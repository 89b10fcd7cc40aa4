"""What simulating costs: frames a second, and a 30 s walk with its questions, as whole processes.

python benchmarks/simulation.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from runs import measure
from tolman.simulate.furnish import draw_plan
from tolman.simulate.furniture import Library
from tolman.simulate.interior import build_interior
from tolman.simulate.render import Renderer
from tolman.simulate.walks import draw_walk, intrinsics_of

SIZE = (640, 480)
TOLMAN = str(Path(sys.executable).with_name("tolman"))


def frames() -> None:
    """Colour, depth and instances of rooms with at least 20 objects."""
    library = Library()
    for number in range(3):
        plan = draw_plan("b/1", "rectangle", f"benchmark:{number}", library, objects=24)
        world = build_interior(plan, library)
        walk = draw_walk(world, "0", seconds=8.0, rate=10)
        with Renderer(world, SIZE) as renderer:
            renderer.frame(walk.poses[0], intrinsics_of(SIZE))
            begin = time.perf_counter()
            for pose in walk.poses:
                renderer.frame(pose, intrinsics_of(SIZE))
            rate = len(walk.poses) / (time.perf_counter() - begin)
        triangles = sum(len(body.mesh.faces) for body in world.bodies)
        print(f"{len(plan.placed)} objects, {triangles:,} triangles: {rate:.1f} frames/s")


def walk() -> None:
    """`tolman simulate` and `tolman generate` for one 30 s walk at 24 frames a second."""
    with tempfile.TemporaryDirectory() as place:
        scenes, bench = f"{place}/scenes", f"{place}/bench"
        wall, cpu, memory, _ = measure([TOLMAN, "simulate", "--scenes", "1", "--out", scenes], Path(place))
        asked, *_ = measure([TOLMAN, "generate", scenes, "--out", bench], Path(place))
        print(f"30 s walk, 720 frames: {wall:.1f} s, {cpu:.1f} s CPU, {memory:.0f} MB; its questions: {asked:.1f} s")


if __name__ == "__main__":
    frames()
    walk()
