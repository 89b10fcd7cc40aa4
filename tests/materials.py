"""Something of everything that commands take: a benchmark, scenes, a scan, clouds, answers of somebody else's."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl

from ingest.generic_writer import write_generic
from ingest.lidar.pcd_writer import save_pcd
from ingest.worlds import SIZE, small_world
from reviewing import make_benchmark
from three_rooms import ROOMS
from tolman.simulate.render import Frame

EXTRACT = Path(__file__).resolve().parent / "extracts" / "vsi_bench_extract.jsonl"


def make_materials(folder: Path) -> Path:
    """Fill a folder.

    ```
    bench/                          six questions about two videos and two images
    rooms/                          three scenes with videos
    scans/kitchen/                  a scan with a mesh, boxes, frames and poses
    cloud.laz, cloud.pcd, cloud.ply a box of 1 m by 0.6 m by 0.5 m and a drum of 0.6 m by 0.9 m on a floor
    answers.jsonl, answers.xlsx     a response to each question of tests/extracts/vsi_bench_extract.jsonl
    ```
    """
    folder.mkdir(parents=True)
    make_benchmark(folder / "bench")
    shutil.copytree(ROOMS, folder / "rooms", ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    write_scan(folder / "scans" / "kitchen")
    _write_clouds(folder)
    rows = [json.loads(line) for line in EXTRACT.read_text(encoding="utf-8").splitlines()]
    answers = [{"id": row["id"], "response": "2"} for row in rows]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers), encoding="utf-8")
    pl.DataFrame([{"index": row["id"], "question": row["question"], "prediction": "2"} for row in rows]).write_excel(
        folder / "answers.xlsx"
    )
    return folder


def write_scan(folder: Path) -> None:
    """The small world of the tests of ingest, with frames on which nothing is to be seen."""
    world = small_world()
    blank = Frame(
        np.zeros((SIZE[1], SIZE[0], 3), np.uint8), np.zeros(SIZE[::-1], np.float32), np.zeros(SIZE[::-1], np.uint16)
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_generic(folder, world, (blank,) * len(world.poses))


def _write_clouds(folder: Path) -> None:
    import laspy

    rng = np.random.default_rng(0)
    floor = np.column_stack([rng.uniform(-3, 3, (20_000, 2)), np.zeros(20_000)])
    points = np.concatenate([floor, _box(rng, (1.0, 0.6, 0.5)), _drum(rng, (1.7, 1.7), 0.3, 0.9)])
    points += rng.normal(0, 0.002, points.shape)
    header = laspy.LasHeader(version="1.4", point_format=6)
    header.scales, header.offsets = np.full(3, 1e-4), np.zeros(3)
    las = laspy.LasData(header)
    las.x, las.y, las.z = points.T
    las.write(folder / "cloud.laz")
    save_pcd(folder / "cloud.pcd", dict(zip("xyz", points.astype(np.float32).T, strict=True)))
    lines = "\n".join(" ".join(f"{value:.4f}" for value in point) for point in points)
    properties = "".join(f"property float {axis}\n" for axis in "xyz")
    head = f"ply\nformat ascii 1.0\nelement vertex {len(points)}\n{properties}end_header\n"
    (folder / "cloud.ply").write_text(head + lines + "\n", encoding="ascii")


def _box(rng: np.random.Generator, size: tuple[float, float, float]) -> np.ndarray:
    """Points on the sides and the top of a box that stands in the middle of the floor."""
    points = rng.uniform(-0.5, 0.5, (8_000, 3))
    for axis in (0, 1, 2):
        part = slice(axis * 2_600, (axis + 1) * 2_600)
        points[part, axis] = 0.5 if axis == 2 else np.sign(points[part, axis]) * 0.5
    return points[: 3 * 2_600] * size + (0, 0, size[2] / 2)


def _drum(rng: np.random.Generator, place: tuple[float, float], radius: float, height: float) -> np.ndarray:
    """Points on the mantle of an upright cylinder."""
    turn = rng.uniform(0, 2 * np.pi, 5_000)
    level = rng.uniform(0, height, 5_000)
    return np.column_stack([place[0] + radius * np.cos(turn), place[1] + radius * np.sin(turn), level])
