"""How often `tolman scenes --check` names a planted mistake, raises a false alarm, and gives the truth back.

python benchmarks/scan_doctor.py [--scans 200] [--worlds 40] [--first 1000] [--show]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from tolman.errors import InputError
from tolman.ingest.formats import generic
from tolman.ingest.scan_doctor import diagnose
from tolman.simulate.simulated_places import WorldsConfig, place, walk_through

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from ingest.planted_scans import EVIDENCE, HIDDEN, KINDS, TrueScan, write_planted  # noqa: E402 - of the tests

SHAPES = ("rectangle", "l-shape", "two-rooms", "home")


def true_scan(number: int) -> TrueScan:
    """A simulated room with a walk through it."""
    shape = SHAPES[number % len(SHAPES)]
    config = WorldsConfig(objects=14, seconds=20.0, rate=5, shapes=(shape,))
    world, _ = place(config, shape, f"scan/{number}", f"doctor:{number}")
    walk = walk_through(world, config, shape, f"{number}")
    points, faces, numbers, first = [], [], [], 0
    for body in world.bodies:
        points.append(body.mesh.points)
        faces.append(body.mesh.faces + first)
        numbers.append(np.full(len(body.mesh.faces), world.numbers[body.object] if body.object else 0))
        first += len(body.mesh.points)
    boxes = [thing.box for thing in world.scene.objects]
    return TrueScan(
        [thing.category for thing in world.scene.objects],
        np.array([box.center for box in boxes]), np.array([box.axes for box in boxes]),
        np.array([box.extents for box in boxes]), np.concatenate(points), np.concatenate(faces),
        np.concatenate(numbers), np.array(walk.poses), np.array(walk.times),
        (320 / np.tan(np.radians(36)), 320 / np.tan(np.radians(36)), 320.0, 240.0),
    )  # fmt: skip


def error(folder: Path, scan: TrueScan) -> tuple[float, float]:
    """Metres by which cameras and boxes are off after a rigid alignment, and the largest error of angles (degrees),
    focal lengths (%) and times (%)."""
    (source,) = generic.FORMAT.find(folder)
    read = generic.FORMAT.read(source)
    (recording,) = read.recordings
    there = np.isfinite(recording.poses).all((1, 2))
    found, true = [recording.poses[there, :3, 3]], [scan.poses[there, :3, 3]]
    for one, center in zip(read.instances, scan.centers, strict=False):
        assert one.box is not None
        found.append(np.array([one.box.center]))
        true.append(center[None])
    a, b = np.concatenate(found), np.concatenate(true)
    turn, _ = Rotation.align_vectors(b - b.mean(0), a - a.mean(0))
    moved = turn.apply(a - a.mean(0)) + b.mean(0)
    off = float(np.linalg.norm(moved - b, axis=1).max())
    for one, extents in zip(read.instances, scan.extents, strict=False):
        assert one.box is not None
        off = max(off, float(np.abs(np.sort(one.box.extents) - np.sort(extents)).max()))
    turns = turn.as_matrix() @ recording.poses[there, :3, :3]
    cosines = (np.einsum("nij,nij->n", turns, scan.poses[there, :3, :3]) - 1) / 2
    rest = [
        float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).max()),
        100 * float(np.abs(recording.intrinsics[0] / scan.intrinsics - 1).max()),
        100 * float(np.abs(np.diff(recording.times) / np.diff(scan.times) - 1).max()),
    ]
    return off, max(rest)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scans", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1000, help="Number of the first world.")
    parser.add_argument("--evidence", default=",".join(EVIDENCE))
    parser.add_argument("--show", action="store_true", help="Print each scan that fails.")
    options = parser.parse_args()
    rows: Counter[tuple[str, str, str]] = Counter()
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as place_:
        place = Path(place_)
        worlds = []
        for number in range(options.first, options.first + options.worlds):
            worlds.append(true_scan(number))
            worlds[-1].write_pictures(place / "pictures" / str(number), masks=True)
        for evidence in options.evidence.split(","):
            for i in range(2 * options.scans):
                mistake = KINDS[i % len(KINDS)] if i < options.scans else None
                if mistake in ("extents", "offset") and evidence == "poses":
                    continue
                world = i // len(KINDS) % len(worlds)
                folder = place / "scan"
                pictures = place / "pictures" / str(options.first + world)
                detail = write_planted(folder, worlds[world], pictures, evidence, mistake, options.first + i)
                outcome, said = check(folder, place / "fixed", worlds[world], mistake, took.setdefault(evidence, []))
                rows[evidence, mistake or "none", outcome] += 1
                if options.show and outcome not in ("right", "silent"):
                    print(f"{evidence} {mistake} ({detail}) {world} {outcome}: {said}", flush=True)
                shutil.rmtree(folder)
                shutil.rmtree(place / "fixed", ignore_errors=True)
            print_table(evidence, rows, options.scans, float(np.mean(took[evidence])))


def print_table(evidence: str, rows: Counter[tuple[str, str, str]], clean: int, seconds: float) -> None:
    """Print the outcomes of one kind of evidence."""
    outcomes = ("right", "tie", "refused", "silent", "wrong", "not the truth")
    print(f"| evidence | mistake | {' | '.join(outcomes)} |\n|---|---|{'---|' * len(outcomes)}")
    for mistake in (*KINDS, "none"):
        counts = [rows[evidence, mistake, outcome] for outcome in outcomes]
        if sum(counts):
            hidden = " (can't be told)" if mistake in HIDDEN[evidence] else ""
            print(f"| {evidence} | {mistake}{hidden} | {' | '.join(map(str, counts))} |")
    shown = [kind for kind in KINDS if kind not in HIDDEN[evidence]]
    every = sum(n for (one, kind, _), n in rows.items() if one == evidence and kind in shown)
    right = sum(rows[evidence, kind, outcome] for kind in shown for outcome in ("right", "not the truth"))
    true = sum(rows[evidence, kind, "right"] for kind in shown)
    alarms = clean - rows[evidence, "none", "silent"]
    figures = f"{right / every:.1%} named, {true / every:.1%} given back, {alarms / clean:.1%} false alarms"
    print(f"{evidence}: {figures}, {seconds:.2f} s of CPU for each scan", flush=True)


def check(folder: Path, fixed: Path, scan: TrueScan, mistake: str | None, took: list[float]) -> tuple[str, str]:
    """The outcome of one scan, and the doctor's words."""
    (source,) = generic.FORMAT.find(folder)
    start = time.process_time()
    try:
        before = generic.scan_numbers(source)
    except InputError as refusal:
        return "refused", str(refusal)
    found = diagnose(before)
    took.append(time.process_time() - start)
    parts = [one.statement + " " + str(one.evidence) for one in (*found.findings, *found.ties)]
    said = "; ".join((*parts, *found.contradictions))
    if found.ties:
        return "tie", said
    if found.contradictions:
        return "refused", said
    if not found.findings:
        return "silent", said
    if mistake is None or found.findings[0].kind != mistake or len(found.findings) > 1:
        return "wrong", said
    generic.write_corrected(source, before, found.scan, fixed)
    off, rest = error(fixed, scan)
    return ("right" if off < 0.01 and rest < 2 else "not the truth"), f"{said}: {off:.3f} m, {rest:.2g}"


if __name__ == "__main__":
    main()
