"""What construction costs: box distances, room areas, generating and auditing, and memory over many scenes.

python benchmarks/construction.py [distances] [areas] [generate] [scale] [--shared ../shared]
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from runs import measure
from tolman.geometry.boxes import Boxes, distances, grid_points, pairwise_distances, sampled_distance
from tolman.geometry.ground_plane import alpha_area
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.scene_table import write_scenes
from tolman.scenes import Scene

ROOT = Path(__file__).resolve().parents[1]
TOLMAN = str(Path(sys.executable).with_name("tolman"))


def geometries(meta_info: Path) -> list[SceneGeometry]:
    """The 288 scenes."""
    return [g for g in open_collection(meta_info) if isinstance(g, SceneGeometry)]


def time_distances(meta_info: Path) -> None:
    """Exact distances of all pairs, and of 500 sampled ones against the released approximation."""
    scenes = geometries(meta_info)
    all_boxes = [g.boxes for g in scenes]
    start = time.perf_counter()
    pairs = 0
    for boxes in all_boxes:
        pairwise_distances(boxes)
        pairs += len(boxes) * (len(boxes) - 1) // 2
    print(f"| exact distances of all {pairs:,} pairs in 288 scenes | {time.perf_counter() - start:.2f} s | 10 s |")
    generator = np.random.default_rng(0)
    chosen = []
    while len(chosen) < 500:
        boxes = all_boxes[generator.integers(len(all_boxes))]
        if len(boxes) > 1:
            i, j = generator.choice(len(boxes), 2, replace=False)
            chosen.append((boxes, int(i), int(j)))
    a = Boxes(*(np.array([getattr(b, name)[i] for b, i, _ in chosen]) for name in ("centers", "axes", "extents")))
    c = Boxes(*(np.array([getattr(b, name)[j] for b, _, j in chosen]) for name in ("centers", "axes", "extents")))
    start = time.perf_counter()
    for _ in range(5):
        distances(a, c)
    exact = (time.perf_counter() - start) / 5
    start = time.perf_counter()
    for b, i, j in chosen:
        sampled_distance(grid_points(b, i), grid_points(b, j))
    tree = time.perf_counter() - start
    start = time.perf_counter()
    for b, i, j in chosen:
        one, other = grid_points(b, i), grid_points(b, j)
        min(cdist(one[k : k + 500], other).min() for k in range(0, len(one), 500))
    every = time.perf_counter() - start
    print(f"| 500 sampled pairs: exact | {exact:.3f} s | |")
    print(f"| … the released grid sampling, all distances of points as released | {every:.1f} s | |")
    print(f"| … exact is faster by | {every / exact:,.0f}× | 500× |")
    print(f"| … the same grid sampling with a search tree | {tree:.1f} s | |")


def time_areas() -> None:
    """The alpha shape of 200,000 points against the `alphashape` package."""
    import alphashape

    points = np.random.default_rng(0).uniform(0, [9, 7], (200_000, 2))
    alpha_area(points[:100])  # imports
    start = time.perf_counter()
    ours = alpha_area(points)
    own = time.perf_counter() - start
    start = time.perf_counter()
    theirs = alphashape.alphashape(points, 5).area
    package = time.perf_counter() - start
    print(f"| alpha shape of 200,000 points | {own:.1f} s | |")
    print(
        f"| … the `alphashape` package ({'same' if abs(ours - theirs) < 1e-9 else 'other'} area) | {package:.1f} s | |"
    )
    print(f"| … faster by | {package / own:.0f}× | 10× |")


def time_generate(meta_info: Path, shared: Path, place: Path) -> None:
    """A benchmark from 288 scenes, and the audit of the released one, as whole processes."""
    for rounds, limit in (("0", "20 s"), ("10", "")):
        asked = [TOLMAN, "generate", str(meta_info), "--filter-rounds", rounds, "--out", str(place / f"b{rounds}")]
        wall, cpu, peak, _ = measure(asked, place)
        what = f"`tolman generate` on 288 scenes, whole process, {rounds} rounds of filtering at most"
        print(f"| {what} | {wall:.1f} s, {cpu:.1f} s CPU, {peak:.0f} MB | {limit} |")
    command = [TOLMAN, "audit", "vsi-bench", "--scenes", str(meta_info), "--data", str(shared / "data" / "vsi-bench")]
    wall, *_ = measure([*command, "--out", str(place / "a")], place)
    print(f"| `tolman audit vsi-bench`, 5,130 questions, released and exact geometry | {wall:.1f} s | |")


def time_scale(meta_info: Path, place: Path) -> None:
    """Generating from the scenes, replicated: time and memory grow how?"""
    scenes = [g.scene for g in geometries(meta_info)]
    for copies in (5, 50):
        folder = place / f"x{copies}"
        write_scenes(folder, (_copy(scene, k) for k in range(copies) for scene in scenes))
        asked = [TOLMAN, "generate", str(folder), "--filter-rounds", "0", "--out", str(place / f"b{copies}")]
        wall, _, peak, samples = measure(asked, place)
        questions = json.loads((place / f"b{copies}" / "provenance.json").read_text())["statistics"]["tasks"]
        count = sum(task["taken"] for task in questions.values())
        half = samples[len(samples) // 2] if samples else 0
        print(f"| {288 * copies:,} scenes, {count:,} questions | {wall:.0f} s | |")
        print(f"| … memory half way and at most | {half:.0f} MB, {peak:.0f} MB | 1,000 MB |")


def _copy(scene: Scene, number: int) -> Scene:
    return scene.model_copy(update={"id": f"{scene.id}-{number}"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="distances|areas|generate|scale", help="default: all")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    options = parser.parse_args()
    what = options.what or ["distances", "areas", "generate", "scale"]
    shared = options.shared.resolve()
    meta_info = shared / "data" / "vsi-bench" / "meta_info"
    place = Path(tempfile.mkdtemp(prefix="tolman-construction-"))
    print("| what | measured | limit |\n|---|---:|---:|")
    try:
        if "distances" in what:
            time_distances(meta_info)
        if "areas" in what:
            time_areas()
        if "generate" in what:
            time_generate(meta_info, shared, place)
        if "scale" in what:
            time_scale(meta_info, place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
