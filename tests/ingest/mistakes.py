"""A scan in the generic format, right, and copies of it in each of which one thing is wrong."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Content = dict[str, Any]
Change = Callable[[Content, list[np.ndarray]], None]


def field(name: str, value: Any) -> Change:
    """Another value of a camera's field."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        for camera in content["cameras"]:
            camera[name] = value

    return change


def top(name: str, value: Any) -> Change:
    """Another value of a field of the file."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        content[name] = value

    return change


def scaled(*factors: float) -> Change:
    """Intrinsics multiplied."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        for camera in content["cameras"]:
            camera["intrinsics"] = [float(v * f) for v, f in zip(camera["intrinsics"], factors, strict=True)]

    return change


def moved(edit: Callable[[np.ndarray], np.ndarray]) -> Change:
    """Each pose changed."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        for i, pose in enumerate(poses):
            poses[i] = edit(pose)

    return change


def ordered(edit: Callable[[list[np.ndarray]], list[np.ndarray]]) -> Change:
    """The poses in another order."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        poses[:] = edit(list(poses))

    return change


def boxes(edit: Callable[[dict[str, Any]], None]) -> Change:
    """Each box changed."""

    def change(content: Content, poses: list[np.ndarray]) -> None:
        for entry in content["objects"]:
            edit(entry["box"])

    return change


def exchanged(content: Content, poses: list[np.ndarray]) -> None:
    """Numbers of objects given to other objects."""
    numbers = [entry["number"] for entry in content["objects"]]
    for entry, number in zip(content["objects"], [*numbers[1:], numbers[0]], strict=True):
        entry["number"] = number


def _stretched(pose: np.ndarray) -> np.ndarray:
    found = pose.copy()
    found[:3, :3] *= 1.5
    return found


def _far(pose: np.ndarray) -> np.ndarray:
    found = pose.copy()
    found[:3, 3] *= 1000
    return found


def _mirrored(pose: np.ndarray) -> np.ndarray:
    return np.diag([1.0, 1.0, -1.0, 1.0]) @ pose


def _no_box_axes(box: dict[str, Any]) -> None:
    box["center"] = [box["center"][0], box["center"][2], box["center"][1]]


MISTAKES: dict[str, Change] = {
    "axes": field("axes", "opencv"),
    "direction": field("direction", "camera_to_scene"),
    "up: another axis": top("up", "z"),
    "up: the other way": top("up", "-y"),
    "focal length ÷ 3": scaled(1 / 3, 1 / 3, 1, 1),
    "focal length × 2": scaled(2, 2, 1, 1),
    "focal length ÷ 30": scaled(1 / 30, 1 / 30, 1, 1),
    "fx far from fy": scaled(1.5, 1, 1, 1),
    "intrinsics of larger pictures": scaled(2, 2, 2, 2),
    "middle of the picture": scaled(1, 1, 0.01, 1.9),
    "unit": top("unit", "m"),
    "unit, near": top("unit", "in"),
    "mirrored poses": moved(_mirrored),
    "scaling poses": moved(_stretched),
    "positions in another unit": moved(_far),
    "poses in reverse order": ordered(lambda poses: poses[::-1]),
    "poses three frames late": ordered(lambda poses: poses[:3] + poses[:-3]),
    "y and z of boxes exchanged": boxes(_no_box_axes),
    "numbers of objects exchanged": exchanged,
    "turns": field("turns", 1),
    "depth_scale": field("depth_scale", 5000),
}
"""What is wrong, of a scan that is written in cm, y up, with cameras as OpenGL has them, poses scene → camera."""


def write_wrong(folder: Path, content: Content, change: Change | None) -> None:
    """Write scene.json and its poses anew, with a mistake.

    Args:
        folder: of the scan, with the files that its content names.
        content: of the right one, its poses inline.
        change: the mistake; None for none.
    """
    wrong = copy.deepcopy(content)
    poses = [np.vstack([np.reshape(row, (-1, 4))[:3], [0, 0, 0, 1]]) for row in wrong["cameras"][0]["poses"]]
    if change is not None:
        change(wrong, poses)
    wrong["cameras"][0]["poses"] = [pose[:3].ravel().tolist() for pose in poses]
    (folder / "scene.json").write_text(json.dumps(wrong))
