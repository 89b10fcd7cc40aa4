"""Writes scans with scene.json, right ones and ones with a planted mistake, by code that shares nothing with the doctor."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.arkit_writer import write_ply
from tolman.geometry.camera_geometry import Tree, pixel_rays

SIZE, MASKS = (640, 480), (160, 120)
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}
TURNS = {
    "z": np.eye(3),
    "y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "-y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "x": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
}
"""From z up to another axis."""
KINDS = (
    "up", "unit", "axes", "direction", "focal", "mirrored", "times", "late", "quaternion", "extents", "offset", "principal",
    "depth",
)  # fmt: skip
DEPTH_SCALE = 5000.0
EVIDENCE = ("masks", "mesh", "poses")
HIDDEN = {
    "masks": frozenset[str](),
    "mesh": frozenset({"late", "principal", "depth"}),
    "poses": frozenset({"unit", "axes", "direction", "late", "quaternion", "extents", "offset", "principal", "depth"}),
}
"""Mistakes that the evidence can't show."""


@dataclass(frozen=True)
class TrueScan:
    """A scan in metres, z up.

    Attributes:
        labels, centers, axes, extents: of n boxes, axes in rows; object i has number i + 1.
        points, faces, numbers: the mesh, and each face's object, 0 for none.
        poses: camera → scene, looking along +z with y down, shape (f, 4, 4).
        times: seconds, shape (f,).
        intrinsics: of pictures of SIZE.
    """

    labels: Sequence[str]
    centers: np.ndarray
    axes: np.ndarray
    extents: np.ndarray
    points: np.ndarray
    faces: np.ndarray
    numbers: np.ndarray
    poses: np.ndarray
    times: np.ndarray
    intrinsics: tuple[float, float, float, float]

    def write_pictures(self, folder: Path, *, masks: bool) -> None:
        """Write grey frames, and masks and depths by rays on the mesh."""
        (folder / "frames").mkdir(parents=True)
        Image.new("RGB", SIZE, (128, 128, 128)).save(folder / "frames" / "0.jpg")
        for i in range(1, len(self.poses)):
            os.link(folder / "frames" / "0.jpg", folder / "frames" / f"{i}.jpg")
        if not masks:
            return
        (folder / "masks").mkdir()
        (folder / "depth").mkdir()
        tree = Tree(self.points, self.faces, "build")
        fx, fy, cx, cy = (value * MASKS[0] / SIZE[0] for value in self.intrinsics)
        for i, pose in enumerate(self.poses):
            rays = pixel_rays(pose, (fx, fy, cx, cy), MASKS)
            hit, far = tree.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
            deep = np.where(hit >= 0, far * (rays @ pose[:3, 2]) * DEPTH_SCALE, 0).clip(0, 65535).reshape(MASKS[::-1])
            Image.fromarray(deep.astype(np.uint16)).save(folder / "depth" / f"{i}.png")
            shown = np.where(hit >= 0, self.numbers[hit], 0).reshape(MASKS[::-1])
            Image.fromarray(shown.astype(np.uint16)).save(folder / "masks" / f"{i}.png")


def write_planted(folder: Path, scan: TrueScan, pictures: Path, evidence: str, mistake: str | None, seed: int) -> str:
    """Write a scan in conventions that are drawn, with one mistake or none.

    Args:
        folder: written.
        scan: the truth.
        pictures: folder with 'frames', 'masks' and 'depth', which are linked.
        evidence: of EVIDENCE; 'masks' and 'mesh' have boxes too.
        mistake: of KINDS.
        seed: of the draws.

    Returns:
        The mistake in detail.
    """
    draw = np.random.default_rng(seed)
    unit, up = str(draw.choice(["m", "cm", "mm"])), str(draw.choice(["z", "y", "-y"]))
    axes, direction = str(draw.choice(["opencv", "opengl"])), str(draw.choice(["camera_to_scene", "scene_to_camera"]))
    declared = {"unit": unit, "up": up, "axes": axes, "direction": direction}
    detail = ""
    poses, centers, extents = scan.poses.copy(), scan.centers.copy(), scan.extents.copy()
    box_axes, points, times = scan.axes.copy(), scan.points.copy(), scan.times.copy()
    intrinsics = np.array(scan.intrinsics)
    if mistake == "up":
        declared["up"] = detail = str(draw.choice([one for one in ("z", "y", "-y", "x") if one != up]))
    if mistake == "unit":
        unit = str(draw.choice(["mm", "cm", "ft"]))
        declared["unit"], detail = "m", unit
    if mistake == "axes":
        declared["axes"] = "opengl" if axes == "opencv" else "opencv"
    if mistake == "direction":
        declared["direction"] = "camera_to_scene" if direction == "scene_to_camera" else "scene_to_camera"
    if mistake == "focal":
        factor = float(draw.choice([0.5, 1.5, 2.0, 3.0]))
        whole = evidence != "masks" or bool(draw.random() < 0.5)
        intrinsics = intrinsics * ([factor] * 4 if whole else [factor, factor, 1, 1])
        detail = f"{factor} {'whole' if whole else 'fx, fy'}"
    if mistake == "times":
        factor = float(draw.choice([1e3, 1e6]))
        times, detail = times * factor, f"{factor:g}"
    if mistake == "late":
        k = int(draw.integers(3, 9))
        poses, detail = np.concatenate([poses[:k], poses[:-k]]), str(k)
        if draw.random() < 0.5:
            poses, detail = np.concatenate([scan.poses[k:], scan.poses[-k:]]), str(-k)
    if mistake == "extents":
        extents = extents / 2
    if mistake == "offset":
        shift = draw.normal(size=3)
        shift *= draw.uniform(0.5, 4.0) / np.linalg.norm(shift)
        detail = np.round(shift, 2).tolist().__str__()
        if evidence == "masks":
            poses[:, :3, 3] += shift
        else:
            centers = centers + shift
    depth_scale = DEPTH_SCALE
    if mistake == "principal":
        shift = draw.choice([-1, 1], 2) * draw.uniform(50, 150, 2)
        intrinsics[2:] += shift
        detail = np.round(shift).tolist().__str__()
    if mistake == "depth":
        depth_scale = float(draw.choice([1000.0, 4000.0, 6553.5]))
        detail = f"{depth_scale:g}"
    turn, scale = TURNS[up], 1 / METRES[unit]
    centers, points = centers @ turn.T * scale, points @ turn.T * scale
    box_axes, extents = box_axes @ turn.T, extents * scale
    written = []
    for pose in poses:
        own = pose.copy()
        if axes == "opengl":
            own[:3, 1] *= -1
            own[:3, 2] *= -1
        own[:3] = turn @ own[:3]
        own[:3, 3] *= scale
        written.append(np.linalg.inv(own) if direction == "scene_to_camera" else own)
    if mistake == "quaternion":
        first = bool(draw.random() < 0.5)
        detail = "w first" if first else "w last"
        for own in written:
            x, y, z, w = Rotation.from_matrix(own[:3, :3]).as_quat()
            misread = [w, x, y, z] if first else [y, z, w, x]
            own[:3, :3] = Rotation.from_quat(misread).as_matrix()
    if mistake == "mirrored":
        axis = int(draw.integers(3))
        detail = "xyz"[axis]
        centers[:, axis] *= -1
        points[:, axis] *= -1
        box_axes[:, :, axis] *= -1
        for i, own in enumerate(written):
            mirror = np.eye(4)
            mirror[axis, axis] = -1
            written[i] = own @ mirror if direction == "scene_to_camera" else mirror @ own
    for name in ("frames", "masks", "depth") if evidence == "masks" else ("frames",):
        (folder / name).mkdir(parents=True)
        for file in (pictures / name).iterdir():
            os.link(file, folder / name / file.name)
    objects: list[dict[str, Any]] = [
        {"id": f"{label} {i}", "label": label, "number": i + 1,
         "box": {"center": centers[i].tolist(), "extents": extents[i].tolist(), "axes": box_axes[i].tolist()}}
        for i, label in enumerate(scan.labels)
    ] if evidence != "poses" else []  # fmt: skip
    if evidence == "mesh":
        write_ply(folder / "mesh.ply", points, scan.faces, object=scan.numbers)
    camera: dict[str, Any] = {
        "name": "ego", "frames": "frames", "times": times.tolist(), "axes": declared["axes"],
        "direction": declared["direction"], "intrinsics": intrinsics.tolist(),
        **({"masks": "masks", "depth": "depth", "depth_scale": depth_scale} if evidence == "masks" else {}),
    }  # fmt: skip
    rows = [own[:3].ravel().tolist() for own in written]
    if draw.random() < 0.5:
        camera["poses"] = rows
    else:
        camera["poses"] = "poses.txt"
        (folder / "poses.txt").write_text("\n".join(" ".join(map(repr, row)) for row in rows) + "\n")
    content = {
        "tolman_scene": 1, "unit": declared["unit"], "up": declared["up"], "objects": objects, "cameras": [camera],
        **({"mesh": {"file": "mesh.ply", "labels": "object"}} if evidence == "mesh" else {}),
    }  # fmt: skip
    (folder / "scene.json").write_text(json.dumps(content))
    return detail
