"""Processor time and memory of `tolman generate` over many geometry-only scenes, shortcut filtering included.

    python benchmarks/records.py 100000 [--per-scene 1] [--per-task N] [--max-filter-rounds N] [--workers 2]
                                        [--folder DIR] [--scenes DIR]

A record is a scene of ten objects without any capture, in Parquet as Tolman stores scenes: ten of `CATEGORIES`, each
with a box of the size that its category mostly has, somewhere in a rectangular room. Three families ask about them:
relative distance, absolute distance and object size. Memory is the greatest sum of the proportional set sizes of the
command and all processes below it (`memory.py`); processor time is theirs as well. Fails where a record takes more than
`MOST_MS` or memory is over `MOST_MB`. Needs Linux and the extra 'build'.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from memory import watch

from tolman.scene_table import write_scenes
from tolman.scenes import OrientedBox, Scene, SceneObject

FAMILIES = ("relative-distance", "absolute-distance", "object-size")
OBJECTS = 10
CATEGORIES = (
    "sofa", "table", "chair", "lamp", "bed", "desk", "shelf", "stool", "bin", "plant", "stove", "sink", "fridge",
    "monitor", "piano", "cabinet", "basket", "printer", "radiator", "suitcase", "mirror", "bench", "fan", "heater",
)  # fmt: skip
MOST_MS, MOST_MB = 3.0, 2000.0
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def records(count: int, seed: int = 0) -> Iterator[Scene]:
    """So many scenes."""
    generator = np.random.default_rng(seed)
    usual = generator.uniform(0.3, 1.8, (len(CATEGORIES), 3))
    for number in range(count):
        width, depth = generator.uniform(3.0, 9.0, 2)
        kinds = generator.choice(len(CATEGORIES), OBJECTS, replace=False)
        extents = usual[kinds] * generator.uniform(0.6, 1.4, (OBJECTS, 1))
        places = generator.random((OBJECTS, 2)) * (width, depth)
        yield Scene(
            id=f"records/{number:07d}",
            dataset="records",
            video=f"{number:07d}.mp4",
            room_area=float(width * depth),
            objects=tuple(
                SceneObject(
                    id=str(i),
                    category=CATEGORIES[kind],
                    box=OrientedBox(
                        center=(float(places[i, 0]), float(places[i, 1]), float(extents[i, 2]) / 2),
                        axes=AXES,
                        extents=tuple(extents[i].tolist()),
                    ),
                )
                for i, kind in enumerate(kinds)
            ),
        )


def main() -> None:
    """Write the records, generate, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=int)
    parser.add_argument("--per-scene", type=int, default=1, help="most questions of a family from a scene")
    parser.add_argument("--per-task", type=int, help="most questions of a family; default: no limit")
    parser.add_argument("--max-filter-rounds", type=int, help="default: the preset's")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where everything is made; a temporary folder where not given")
    parser.add_argument("--scenes", type=Path, help="records of an earlier run; where there are none, they stay there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        folder = Path(name)
        scenes = (asked.scenes or folder / "scenes").resolve()
        if not scenes.exists():
            write_scenes(scenes, records(asked.records))
        command = [sys.executable, "-m", "tolman", "generate", str(scenes), "--out", "bench"]
        command += ["--families", ",".join(FAMILIES), "--per-scene", str(asked.per_scene)]
        command += ["--workers", str(asked.workers)]
        for option in ("per_task", "max_filter_rounds"):
            if (value := getattr(asked, option)) is not None:
                command += [f"--{option.replace('_', '-')}", str(value)]
        peak = watch(command, folder)
        print((folder / "log.txt").read_text()[-1500:])
    each = 1000 * peak.processor / asked.records
    print(f"load of the machine: {', '.join(f'{one:.1f}' for one in os.getloadavg())}\n")
    print("| records | peak of all processes, MB | processes | s | CPU s | CPU ms a record |")
    print("|---:|---:|---:|---:|---:|---:|")
    told = f"{peak.memory:.0f} | {peak.processes} | {peak.seconds:.0f} | {peak.processor:.0f} | {each:.2f}"
    print(f"| {asked.records:,} | {told} |")
    if each > MOST_MS or peak.memory > MOST_MB:
        sys.exit(f"more than {MOST_MS:g} ms of processor time a record, or than {MOST_MB:,.0f} MB")


if __name__ == "__main__":
    main()
