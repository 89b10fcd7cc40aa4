"""Memory and time of `tolman score` and `tolman audit` over many rows and scenes, whole processes.

python benchmarks/memory.py [--rows 10000,100000,1000000] [--scenes 144,1440,14400] [--folder DIR] [--most 1000]

Places are drawn by the simulator, recorded by a camera that sees every object in turn, and asked about by the
generator; larger collections are copies of these scenes and questions under other ids. Memory is the greatest sum of
the proportional set sizes (PSS) of the command and all processes below it, as Linux counts them, looked at every
`INTERVAL` seconds; `--most` is what it may be, in MB. Needs Linux and the extra 'build'.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tolman.item_table import read_items, write_items
from tolman.items import Item
from tolman.scene_table import read_captures, read_scenes, write_captures, write_scenes
from tolman.scenes import Capture, Scene, Sighting
from tolman.simulate.simulated_places import WorldsConfig, place
from tolman.simulate.walks import draw_trajectory

INTERVAL = 0.1
DRAWN = 4
"""Scenes that are drawn; all others are copies."""
SECONDS, RATE, SIZE = 30.0, 5, (640, 480)
SEEN_AT_ONCE = 4
"""Objects in each frame."""
FORMS = ("{}", "The answer is {}.", "Let me think step by step. There are 2 sofas.\nFinal answer: {}", "?")


@dataclass(frozen=True)
class Peak:
    """What a command took: the greatest sum of PSS in MB, seconds, processor seconds, and processes at most."""

    memory: float
    seconds: float
    processor: float
    processes: int


def watch(command: list[str], cwd: Path) -> Peak:
    """Run a command to its end."""
    begun, before = time.perf_counter(), os.times()
    most, processes = 0.0, 0
    with (cwd / "log.txt").open("w") as log:
        process = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=subprocess.STDOUT)
        while process.poll() is None:
            tree = [process.pid, *below(process.pid)]
            most, processes = max(most, sum(map(memory, tree))), max(processes, len(tree))
            time.sleep(INTERVAL)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{(cwd / 'log.txt').read_text()[-2000:]}")
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Peak(most, time.perf_counter() - begun, spent, processes)


def below(pid: int) -> Iterator[int]:
    """The processes that one started, and those that these started."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in path.read_text().split()]
        except OSError:
            continue  # it has gone
        for child in children:
            yield child
            yield from below(child)


def memory(pid: int) -> float:
    """The proportional set size of a process in MB; its resident set where there is none."""
    for name, field in (("smaps_rollup", "Pss"), ("status", "VmRSS")):
        try:
            found = re.search(rf"^{field}:\s+(\d+) kB", Path(f"/proc/{pid}/{name}").read_text(), re.MULTILINE)
        except OSError:
            continue
        if found:
            return int(found.group(1)) * 1.024 / 1000
    return 0.0  # it has gone


def draw(folder: Path) -> None:
    """Scenes, their recordings and questions about them, as all others are copies of."""
    scenes, captures = [], []
    for number in range(DRAWN):
        world, _ = place(WorldsConfig(), "rectangle", f"drawn/{number}", f"0:{number}")
        walk = draw_trajectory(world, f"0:{number}", seconds=SECONDS, rate=RATE, size=SIZE)
        scene = world.scene.model_copy(update={"video": f"{world.scene.id}.mp4"})
        ids = [one.id for one in scene.objects]
        sightings = [
            Sighting(frame=frame, object=ids[(frame // RATE + k) % len(ids)], pixels=5000)
            for frame in range(len(walk.times))
            for k in range(min(SEEN_AT_ONCE, len(ids)))
        ]
        scenes.append(scene)
        captures.append(
            Capture(
                id=f"{scene.id}/walk",
                scene=scene.id,
                sensor="camera",
                media=scene.video,
                size=SIZE,
                times=tuple(walk.times.tolist()),
                poses=tuple(tuple(pose.ravel().tolist()) for pose in walk.poses),
                sightings=tuple(sightings),
            )
        )
    write_scenes(folder / "scenes", scenes)
    write_captures(folder / "scenes", captures)
    command = [sys.executable, "-m", "tolman", "generate", "scenes", "--out", "bench", "--max-filter-rounds", "0"]
    watch(command, folder)


def copies(folder: Path, scenes: int, per_scene: int) -> Iterator[tuple[Scene, Capture, list[Item]]]:
    """As many scenes as wanted, each with its recording and questions."""
    originals = zip(read_scenes(folder / "scenes"), read_captures(folder / "scenes"), strict=True)
    drawn = list(originals)
    asked = read_items(next((folder / "bench").rglob("*.parquet")))
    of_scene = {scene.id: [item for item in asked if item.scene == scene.id] for scene, _ in drawn}
    for number in range(scenes):
        scene, capture = drawn[number % len(drawn)]
        own = of_scene[scene.id]
        name = f"copied/{number:06d}"
        items = [
            own[k % len(own)].model_copy(update={"id": f"{number:06d}-{k:03d}", "scene": name})
            for k in range(per_scene)
        ]
        copied = capture.model_copy(update={"id": f"{name}/walk", "scene": name})
        yield scene.model_copy(update={"id": name}), copied, items


def make(drawn: Path, folder: Path, scenes: int, per_scene: int, *, places: bool) -> None:
    """A benchmark with a file of responses, and its scenes where `places`."""
    folder.mkdir(parents=True)
    shutil.copy(drawn / "bench" / "benchmark.json", folder / "benchmark.json")
    with (folder / "answers.jsonl").open("w", encoding="utf-8") as file:

        def written() -> Iterator[Item]:
            for _, _, items in copies(drawn, scenes, per_scene):
                for number, item in enumerate(items):
                    said = FORMS[number % len(FORMS)].format(item.answer)
                    file.write(json.dumps({"id": item.id, "response": said}) + "\n")
                    yield item

        write_items(folder / "items.parquet", written())
    if places:
        write_scenes(folder / "scenes", (scene for scene, _, _ in copies(drawn, scenes, 0)))
        write_captures(folder / "scenes", (capture for _, capture, _ in copies(drawn, scenes, 0)))


def score_times(drawn: Path, room: Path, rows: int, per_scene: int) -> Iterator[tuple[str, int, Peak]]:
    """A file of responses scored, and the folder of that run scored again."""
    folder = room / f"rows-{rows}"
    make(drawn, folder, max(1, rows // per_scene), per_scene, places=False)
    tolman = [sys.executable, "-m", "tolman", "score"]
    yield "`score FILE`", rows, watch([*tolman, "answers.jsonl", "--benchmark", "./", "--out", "run"], folder)
    yield "`score RUN`", rows, watch([*tolman, "run"], folder)
    shutil.rmtree(folder)


def audit_times(drawn: Path, room: Path, scenes: int, per_scene: int) -> Iterator[tuple[str, int, Peak]]:
    """The audit of a benchmark of copied scenes."""
    folder = room / f"scenes-{scenes}"
    make(drawn, folder, scenes, per_scene, places=True)
    command = [sys.executable, "-m", "tolman", "audit", "./", "--scenes", "scenes", "--out", "audit"]
    yield f"`audit`, {per_scene} questions a scene", scenes, watch(command, folder)
    shutil.rmtree(folder)


def numbers(text: str) -> list[int]:
    """'100,1000' as numbers."""
    return [int(part) for part in text.split(",") if part]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=numbers, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--scenes", type=numbers, default=[144, 1_440, 14_400])
    parser.add_argument("--per-scene", type=int, default=18, help="questions about each scene")
    parser.add_argument("--folder", type=Path, help="where everything is made; a temporary folder where not given")
    parser.add_argument("--most", type=float, default=1000.0, help="MB that a command may take")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        room = Path(name)
        drawn = room / "drawn"
        drawn.mkdir()
        draw(drawn)
        print(f"load of the machine: {', '.join(f'{one:.1f}' for one in os.getloadavg())}\n")
        print("| command | rows or scenes | peak of all processes, MB | processes | s | CPU s |")
        print("|---|---:|---:|---:|---:|---:|", flush=True)
        over = []
        jobs = [(score_times, count) for count in asked.rows] + [(audit_times, count) for count in asked.scenes]
        for measured, count in jobs:
            for what, size, peak in measured(drawn, room, count, asked.per_scene):
                told = f"{peak.memory:.0f} | {peak.processes} | {peak.seconds:.1f} | {peak.processor:.1f}"
                print(f"| {what} | {size:,} | {told} |", flush=True)
                over += [what] if peak.memory > asked.most else []
    if over:
        sys.exit(f"more than {asked.most:.0f} MB: {', '.join(over)}")


if __name__ == "__main__":
    main()
