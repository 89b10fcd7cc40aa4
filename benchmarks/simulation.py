"""What simulating costs: frames a second at each quality, and a 30 s walk with its questions, as whole processes.

python benchmarks/simulation.py [--quality fast,default,high]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from runs import measure
from tolman.simulate.lighting import LEVELS, quality_named
from tolman.simulate.render import Renderer
from tolman.simulate.simulated_places import WorldsConfig, place
from tolman.simulate.walks import draw_trajectory, intrinsics_of

SIZE = (640, 480)
TOLMAN = str(Path(sys.executable).with_name("tolman"))
PLACES = {
    "room": (WorldsConfig(), "l-shape", "benchmark:1"),
    "home": (WorldsConfig(), "home", "benchmark:2"),
    "street": (WorldsConfig(), "street", "benchmark:3"),
}


def frames(qualities: Sequence[str]) -> None:
    """Colour, depth and instances of three places."""
    for name, (config, shape, seed) in PLACES.items():
        world, _ = place(config, shape, "b/1", seed)
        walk = draw_trajectory(world, "0", seconds=8.0, rate=5)
        triangles = sum(len(body.mesh.faces) for body in world.bodies)
        print(f"{name}: {len(world.scene.objects)} objects, {triangles:,} triangles; load {os.getloadavg()[0]:.1f}")
        for quality in qualities:
            begun = time.process_time()
            with Renderer(world, SIZE, quality_named(quality)) as renderer:
                renderer.frame(walk.poses[0], intrinsics_of(SIZE))
                ready = time.process_time()
                begin = time.perf_counter()
                for pose in walk.poses:
                    renderer.frame(pose, intrinsics_of(SIZE))
                rate = len(walk.poses) / (time.perf_counter() - begin)
                cost = (time.process_time() - ready) / len(walk.poses)
            print(
                f"  {quality}: {rate:.1f} frames/s, {1000 * cost:.0f} ms CPU a frame, {ready - begun:.1f} s CPU before",
                flush=True,
            )


def walk(quality: str) -> None:
    """`tolman simulate` and `tolman generate` for one 30 s walk at the default rate."""
    with tempfile.TemporaryDirectory() as folder:
        scenes, bench = f"{folder}/scenes", f"{folder}/bench"
        command = [TOLMAN, "simulate", "--scenes", "1", "--quality", quality, "--depth", "--out", scenes]
        wall, cpu, memory, _ = measure(command, Path(folder))
        asked, *_ = measure([TOLMAN, "generate", scenes, "--out", bench], Path(folder))
        print(
            f"30 s walk, {quality}, with depth and instances: {wall:.1f} s, {cpu:.1f} s CPU, {memory:.0f} MB; "
            f"its questions: {asked:.1f} s; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quality", default="fast,default", help=f"levels, of {', '.join(LEVELS)}")
    parser.add_argument("--no-walk", action="store_true", help="frames alone")
    options = parser.parse_args()
    chosen = options.quality.split(",")
    frames(chosen)
    if not options.no_walk:
        for level in chosen:
            walk(level)
