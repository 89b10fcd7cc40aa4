"""A scene as a browser draws it: boxes, camera trajectories, the floor plan with the evidence of a question on it.

The plan and the evidence are those of the explorer of reports, which also brings the scripts that draw them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import tolman.reports.site as explorer
from tolman.generate.geometry import SceneGeometry
from tolman.items import Item
from tolman.reports.evidence.drawing import evidence_on_plan
from tolman.reports.site.plans import plan_of
from tolman.scenes import Capture, SceneObject

EXPLORER = Path(explorer.__file__).parent / "static"
"""The explorer's scripts and styles."""
SCRIPTS = ("view.js", "marks.js", "plan.js")
"""Those of them that draw plans, in the order in which they need each other."""
BEST_FRAMES = 3
MOST_FRAMES = 20_000
"""Frames of a camera that are sent."""


def cameras_of(geometry: SceneGeometry) -> list[Capture]:
    """The scene's cameras whose poses are known, the one of the standard video first."""
    known = [one for one in geometry.captures if one.sensor == "camera" and one.poses]
    return sorted(known, key=lambda one: one is not geometry.video_capture)


def scene_data(geometry: SceneGeometry, item: Item | None, *, whole: bool) -> dict[str, Any]:
    """What is drawn of a scene, beside a question or where one is being written.

    Args:
        geometry: the scene.
        item: the question; None where there is none yet, which has no evidence.
        whole: whether the things that the question doesn't name, and the floor, may be seen.

    Returns:
        `boxes` (id, name, center, axes, extents, metres), `marks` (see the explorer's evidence), `undrawn` (why
        there are none but things), `plan`, `cameras`
        (poses as the upper three rows of the matrix camera → scene, row by row, None where unknown), `follows` (the
        number of the camera whose recording the question's first video is), `shots` (camera and frame of each picture).
    """
    marks, undrawn = ([], None) if item is None else evidence_on_plan(item, geometry)
    plan = plan_of(geometry)
    things = list(geometry.scene.objects)
    if not whole:
        marks, kept = _named_only(marks)
        things = [things[number] for number in kept]
        plan |= {"objects": [plan["objects"][number] for number in kept], "floor": []}
    cameras = cameras_of(geometry)
    return {
        "scene": geometry.scene.id,
        "whole": whole,
        "boxes": [_box(thing, cameras) for thing in things],
        "marks": marks,
        "undrawn": undrawn,
        "plan": plan,
        "cameras": [_camera(one) for one in cameras],
        "follows": _followed(item, cameras) if item is not None else 0 if cameras else None,
        "shots": [] if item is None else shots_of(item, cameras),
        "scripts": list(SCRIPTS),
    }


def _named_only(marks: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[int]]:
    """Marks with the numbers that things have once all others are left out, and the numbers of those that stay."""
    kept = sorted({number for mark in marks for number in mark.get("objects", ())})
    place = {number: new for new, number in enumerate(kept)}
    found = []
    for mark in marks:
        if "objects" in mark:
            found.append(mark | {"objects": [place[number] for number in mark["objects"]]})
        elif "object" not in mark:
            found.append(mark)
        elif mark["object"] in place:
            found.append(mark | {"object": place[mark["object"]]})
    return found, kept


def _box(thing: SceneObject, cameras: Sequence[Capture]) -> dict[str, Any]:
    return {
        "id": thing.id,
        "name": thing.category,
        "center": thing.box.center,
        "axes": thing.box.axes,
        "extents": thing.box.extents,
        "moves": bool(thing.track),
        "best": _best(thing.id, cameras),
    }


def _best(identity: str, cameras: Sequence[Capture]) -> list[tuple[int, int, int]]:
    """Camera, frame and pixels of the frames that show most of an object, no two within a second of one camera."""
    seen = [
        (one.pixels, number, one.frame)
        for number, camera in enumerate(cameras)
        for one in camera.sightings
        if one.object == identity and one.pixels > 0
    ]
    found: list[tuple[int, int, int]] = []
    for pixels, camera, frame in sorted(seen, key=lambda one: (-one[0], one[1], one[2])):
        times = cameras[camera].times
        if all(camera != other or abs(times[frame] - times[there]) >= 1 for other, there, _ in found):
            found.append((camera, frame, pixels))
        if len(found) == BEST_FRAMES:
            break
    return found


def _camera(capture: Capture) -> dict[str, Any]:
    poses = capture.poses[:MOST_FRAMES]
    return {
        "name": capture.role or capture.id,
        "size": capture.size,
        "seconds": [round(time - capture.times[0], 4) for time in capture.times[:MOST_FRAMES]],
        "poses": [[round(v, 5) for v in pose[:12]] if all(map(math.isfinite, pose)) else None for pose in poses],
        "intrinsics": capture.intrinsics[:MOST_FRAMES],
        "pictures": capture.media is not None,
    }


def _followed(item: Item, cameras: Sequence[Capture]) -> int | None:
    videos = [medium.path for medium in item.media if medium.kind == "video"]
    return camera_of(videos[0], cameras) if videos else None


def camera_of(video: str, cameras: Sequence[Capture]) -> int | None:
    """Number of the camera that recorded a question's video; None where it is none of them."""
    for number, camera in enumerate(cameras):
        if camera.media is not None and Path(video).name == Path(camera.media).name:
            return number
    return None


def shots_of(item: Item, cameras: Sequence[Capture]) -> list[tuple[int, int]]:
    """Camera and frame of each picture of a question, in their order, as far as they are known."""
    known = {camera.id: number for number, camera in enumerate(cameras)}
    stored: Collection[Any] = item.evidence.get("shots") or ()
    shots = [one for one in stored if isinstance(one, list | tuple) and len(one) >= 2 and one[0] in known]
    return [
        (known[name], frame)
        for name, frame, *_ in shots
        if isinstance(frame, int) and 0 <= frame < len(cameras[known[name]].poses)
    ]
