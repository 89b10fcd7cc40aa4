"""What ingesting costs: room areas, visibility, the memory that a large mesh takes; and how right lifted boxes are.

python benchmarks/scans.py [area] [visibility] [memory] [lifting]
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

import tolman
from runs import measure
from tolman.geometry.camera_geometry import Tree
from tolman.geometry.ground_plane import room_area
from tolman.ingest.formats import get
from tolman.ingest.marked_objects import lift_marked
from tolman.ingest.scan_format import CameraRecording, ScanHints
from tolman.ingest.standard_video import Sight, record
from tolman.simulate.render import Frame

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from ingest import worlds  # noqa: E402 - of the tests
from ingest.marks import lifted_home, write_home  # noqa: E402
from ingest.results import collection  # noqa: E402
from ingest.scannet_writer import write_scannet  # noqa: E402


class Took:
    """Wall and CPU seconds."""

    text = ""

    def __str__(self) -> str:
        return self.text


@contextmanager
def timed() -> Iterator[Took]:
    """Time a block."""
    took, wall, cpu = Took(), time.perf_counter(), time.process_time()
    yield took
    took.text = f"{time.perf_counter() - wall:.1f} s, {time.process_time() - cpu:.1f} s CPU"


def time_area() -> None:
    """The room area of 200,000 points of an L-shaped floor of 200 m²."""
    points = np.random.default_rng(0).uniform((0, 0), (20, 15), (400_000, 2))
    points = points[(points[:, 0] < 10) | (points[:, 1] < 5)][:200_000]
    with timed() as took:
        area = room_area(points)
    print(f"| room area of {len(points):,} points ({area:.1f} of 200 m²) | {took} | 10 s |")


def dense_world(step: float) -> worlds.SmallWorld:
    """The tests' room with smaller triangles."""
    worlds.STEP = step
    worlds.small_world.cache_clear()
    return worlds.small_world()


def time_visibility() -> None:
    """What 1,000 frames show, on a mesh as large as ScanNet's."""
    world = dense_world(0.0256)
    with timed() as took:
        tree = Tree(world.points, world.faces, "build")
    print(f"| tree of {len(world.faces):,} triangles | {took} | |")
    poses = np.tile(world.poses, (63, 1, 1))[:1000]
    recording = CameraRecording("ego", np.arange(1000) / 30, poses, np.array([world.intrinsics]), worlds.SIZE)
    sight = Sight(tree, world.numbers, {i + 1: thing.id for i, thing in enumerate(world.objects)})
    with timed() as took:
        capture, _ = record(recording, "s", "s.mp4", Path(), sight, Path())
    print(f"| what 1,000 frames show at 160×120 ({len(capture.sightings):,} sightings) | {took} | 30 s |")


def measure_memory() -> None:
    """`tolman ingest` of a scan with two million faces, the whole process."""
    world = dense_world(0.0117)
    grey = np.full((worlds.SIZE[1], worlds.SIZE[0], 3), 128, dtype=np.uint8)
    blank = np.zeros(worlds.SIZE[::-1])
    frames = [Frame(grey, blank.astype(np.float32), blank.astype(np.uint16))] * len(world.poses)
    with tempfile.TemporaryDirectory() as folder:
        write_scannet(Path(folder) / "scans", frames, masks=False)
        words = ["-m", "tolman", "ingest", "scannet", f"{folder}/scans", "--out", f"{folder}/out", "--workers", "1"]
        wall, cpu, peak, _ = measure([sys.executable, *words], ROOT)
    print(
        f"| `tolman ingest` of a scan with {len(world.faces):,} faces, whole process | {wall:.0f} s, {cpu:.0f} s CPU, "
        f"{peak:,.0f} MB | 2,000 MB |"
    )


def measure_lifting() -> None:
    """Boxes lifted from rough marks on recordings of four simulated homes, by kind of input."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "homes"
        tolman.simulate(home, scenes=4, seconds=30, rate=2, size="640x480", depth=True)
        for faulty, measured, tracks in itertools.product((False, True), ("depth", "cloud"), (True, False)):
            overlaps, thick, right, excess = [], [], [], []
            with timed() as took:
                for i, got in enumerate(collection(home).values()):
                    folder = Path(place) / f"{measured}-{tracks}-{faulty}" / f"{i}"
                    options = {"tracks": tracks, "faulty": faulty}
                    marks = write_home(home, got.scene, got.captures[0], folder, measured=measured, **options)
                    (source,) = get("nerfstudio").find(folder)
                    source = replace(source, hints=ScanHints(1.0, "z", objects=marks))
                    reading = lift_marked(source, get("nerfstudio").read(source))
                    own = lifted_home(got.scene, marks, reading.instances)
                    overlaps += own[0].values()
                    sizes = {one.id: min(one.box.extents) for one in got.scene.objects}
                    thick += [value for name, value in own[0].items() if sizes[name] > 0.12]
                    right += own[1]
                    excess += own[2]
            kind = f"{measured}, {'tracks' if tracks else 'no tracks'}{', faults' * faulty}"
            print(
                f"| {kind} | {np.median(overlaps):.2f} | "
                f"{np.median(thick):.2f} | {np.mean(np.array(overlaps) > 0):.0%} | {np.mean(right):.0%} | "
                f"{np.mean(np.array(excess) <= 0):.0%} | {took} |",
                flush=True,
            )


def main() -> None:
    """Run what is named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["area", "visibility", "memory"])
    for what in parser.parse_args().what:
        {"area": time_area, "visibility": time_visibility, "memory": measure_memory, "lifting": measure_lifting}[what]()


if __name__ == "__main__":
    main()
