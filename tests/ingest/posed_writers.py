"""Write the small world as COLMAP and nerfstudio write it, from the descriptions of their formats."""

import json
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.worlds import SIZE, place, small_world
from tolman.simulate.render import Frame, Renderer

NUMBERS = {"SIMPLE_PINHOLE": 0, "PINHOLE": 1, "SIMPLE_RADIAL": 2, "RADIAL": 3, "OPENCV": 4, "OPENCV_FISHEYE": 5}
TO_MODEL = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""The scene's axes → those of a model whose y points down, as COLMAP's often does."""


def save_pictures(folder: Path, pictures: Sequence[np.ndarray], name: str = "{}.jpg") -> None:
    """Pictures as files with numbers in their names."""
    folder.mkdir(parents=True)
    for i, picture in enumerate(pictures):
        Image.fromarray(picture).save(folder / name.format(i), quality=95)


def through_lens(model: str, coefficients: tuple[float, ...]) -> list[np.ndarray]:
    """The room's pictures as a lens makes them that has the pinhole camera's focal length and middle."""
    return [frame.colour for frame in frames_through_lens(model, coefficients)]


@cache
def frames_through_lens(model: str, coefficients: tuple[float, ...]) -> tuple[Frame, ...]:
    """The same with depth and numbers.

    OpenCV finds the rays of its pixels; they are looked up in pictures of a wider pinhole camera.
    """
    import cv2

    world = small_world()
    fx, fy, cx, cy = world.intrinsics
    wide = (3 * SIZE[0], 3 * SIZE[1])
    shift = (SIZE[0], SIZE[1])
    columns, rows = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
    pixels = np.stack([columns, rows], -1).reshape(-1, 1, 2)
    matrix = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    values = np.array(coefficients, dtype=np.float64)
    if model == "OPENCV_FISHEYE":
        rays = cv2.fisheye.undistortPoints(pixels, matrix, values)
    else:
        rays = cv2.undistortPoints(pixels, matrix, values)
    rays = rays.reshape(SIZE[1], SIZE[0], 2)
    x = (fx * rays[..., 0] + cx + shift[0] - 0.5).astype(np.float32)
    y = (fy * rays[..., 1] + cy + shift[1] - 0.5).astype(np.float32)
    camera = (fx, fy, cx + shift[0], cy + shift[1])
    with Renderer(place(), wide) as renderer:
        drawn = [renderer.frame(pose, camera) for pose in world.poses]
    return tuple(
        Frame(
            cv2.remap(frame.colour, x, y, cv2.INTER_LINEAR),
            cv2.remap(frame.depth, x, y, cv2.INTER_NEAREST),
            cv2.remap(frame.instances, x, y, cv2.INTER_NEAREST),
        )
        for frame in drawn
    )


def model_poses(unit: float) -> tuple[np.ndarray, np.ndarray]:
    """World → camera rotations and translations of the room's frames in the model's unit and axes."""
    poses = small_world().poses
    turns = np.array([(TO_MODEL @ pose[:3, :3]).T for pose in poses])
    shifts = np.array([-turn @ (TO_MODEL @ pose[:3, 3]) / unit for turn, pose in zip(turns, poses, strict=True)])
    return turns, shifts


def write_colmap(
    folder: Path,
    pictures: Sequence[np.ndarray],
    model: str,
    parameters: Sequence[float],
    *,
    unit: float = 1.0,
    binary: bool = True,
    name: str = "{}.jpg",
    points: np.ndarray | None = None,
) -> None:
    """A project with images and sparse/0, its poses in another unit, y down."""
    save_pictures(folder / "images", pictures, name)
    sparse = folder / "sparse" / "0"
    sparse.mkdir(parents=True)
    turns, shifts = model_poses(unit)
    quaternions = Rotation.from_matrix(turns).as_quat()[:, [3, 0, 1, 2]]
    cloud = small_world().points[::25] @ TO_MODEL.T / unit if points is None else points
    names = [name.format(i) for i in range(len(pictures))]
    (_write_binary if binary else _write_text)(sparse, model, parameters, quaternions, shifts, names, cloud)


def _write_binary(folder: Path, model: str, parameters: Any, turns: Any, shifts: Any, names: Any, cloud: Any) -> None:
    camera = struct.pack("<QIiQQ", 1, 7, NUMBERS[model], *SIZE) + struct.pack(f"<{len(parameters)}d", *parameters)
    (folder / "cameras.bin").write_bytes(camera)
    images = [struct.pack("<Q", len(names))]
    for i, name in reversed(list(enumerate(names))):
        images.append(struct.pack("<I7dI", i + 1, *turns[i], *shifts[i], 7) + name.encode() + b"\0")
        images.append(struct.pack("<Q", i % 2) + struct.pack("<ddQ", 1.5, 2.5, 2**64 - 1) * (i % 2))
    (folder / "images.bin").write_bytes(b"".join(images))
    points = [struct.pack("<Q", len(cloud))]
    points += [struct.pack("<Q3d3BdQII", i, *p, 1, 2, 3, 0.5, 1, 1, 0) for i, p in enumerate(cloud)]
    (folder / "points3D.bin").write_bytes(b"".join(points))


def _write_text(folder: Path, model: str, parameters: Any, turns: Any, shifts: Any, names: Any, cloud: Any) -> None:
    def line(*values: Any) -> str:
        return " ".join(f"{value:.17g}" if isinstance(value, float) else str(value) for value in values)

    head = "# a comment\n"
    (folder / "cameras.txt").write_text(head + line(7, model, *SIZE, *map(float, parameters)) + "\n")
    rows = []
    for i, name in reversed(list(enumerate(names))):
        rows.append(line(i + 1, *map(float, turns[i]), *map(float, shifts[i]), 7, name))
        rows.append("1.5 2.5 -1 " * (i % 2))
    (folder / "images.txt").write_text(head + "\n".join(rows) + "\n")
    points = [line(i, *map(float, p), 1, 2, 3, 0.5, 1, 0) for i, p in enumerate(cloud)]
    (folder / "points3D.txt").write_text(head + "\n".join(points) + "\n")


def write_nerfstudio(folder: Path, pictures: Sequence[np.ndarray], *, unit: float = 1.0, **fields: Any) -> None:
    """A folder with images and transforms.json, its poses in another unit, z up as in the scene."""
    save_pictures(folder / "images", pictures, "frame_{:05d}.jpg")
    world = small_world()
    frames = []
    for i in reversed(range(len(pictures))):
        pose = world.poses[i] @ np.diag([1.0, -1.0, -1.0, 1.0])
        pose[:3, 3] /= unit
        frames.append({"file_path": f"./images/frame_{i:05d}.jpg", "transform_matrix": pose.tolist()})
    fx, fy, cx, cy = world.intrinsics
    content = {"fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "w": SIZE[0], "h": SIZE[1], "frames": frames, **fields}
    (folder / "transforms.json").write_text(json.dumps(content))


def write_walk(folder: Path, names: Sequence[str], cameras: Sequence[int] = (), focal: float = 50.0) -> None:
    """A COLMAP project of small grey pictures along the x axis, one unit apart; camera i has the focal length + i."""
    sparse = folder / "sparse" / "0"
    sparse.mkdir(parents=True)
    numbers = list(cameras) or [1] * len(names)
    rows = []
    for i, (name, camera) in enumerate(zip(names, numbers, strict=True)):
        path = folder / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (64, 48)).save(path)
        rows += [f"{i + 1} 1 0 0 0 {-i} 0 0 {camera} {name}", ""]
    lenses = [f"{one} PINHOLE 64 48 {focal + one} {focal + one} 32 24" for one in sorted(set(numbers))]
    (sparse / "cameras.txt").write_text("\n".join(lenses) + "\n")
    (sparse / "images.txt").write_text("\n".join(rows) + "\n")
