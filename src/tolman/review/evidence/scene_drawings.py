"""Drawings of a scene: boxes, camera trajectories, boxes on pictures, and a floor plan that can be pressed.

A browser draws the plan of the explorer of reports with the evidence of a question on it; the explorer also supplies
the scripts. The boxes of a scene's objects on a question's pictures and frames are computed from the scene's truth.
The floor plan whose things can be pressed is drawn by a template.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tolman.reports.site as explorer
from tolman.generate.evidence_drawing import evidence_on_plan
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import rectangles_in_view
from tolman.geometry.ground_plane import outline
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.reports.site.data_shards import plan_of
from tolman.review.exchange import Place, Shape
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
    """Return the drawing of a scene, for a question or for a page where one is being written.

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


SIGHTED_SECONDS = 0.5
"""By so much a frame whose sightings are known may be from the one that is shown."""


def boxes_on(geometry: SceneGeometry, item: Item, medium: int, frame: int | None, size: tuple[int, int]) -> list[Shape]:
    """The upright boxes around the objects that are seen on a picture.

    Args:
        geometry: the item's scene.
        item: the question.
        medium: which of its media, from 1.
        frame: the frame of a video, from 0; None on an image.
        size: width and height of the picture, in pixels.

    Returns:
        By the order of the scene's objects. Empty if the picture's camera isn't known. If the recording's sightings
        are known, an object that isn't seen in them is left out; else those behind others are in. Things that move are
        left out, as their boxes hold for one time only.
    """
    view = _view(geometry, item, medium, frame)
    if view is None:
        return []
    capture, number = view
    pose = capture.pose(number)
    if not capture.intrinsics or not np.isfinite(pose[:3]).all():
        return []
    fx, fy, cx, cy = capture.intrinsics[0 if len(capture.intrinsics) == 1 else number]
    own = capture.size or size
    scale = np.array([size[0] / own[0], size[1] / own[1]] * 2)
    found = rectangles_in_view(geometry.boxes, pose, (fx, fy, cx, cy), own) * scale
    seen = _seen(capture, number)
    return [
        Shape("box", (_place(rectangle[:2]), _place(rectangle[2:])), name=thing.category)
        for thing, rectangle in zip(geometry.scene.objects, found, strict=True)
        if not thing.track and not np.isnan(rectangle).any() and (seen is None or thing.id in seen)
    ]


def _view(geometry: SceneGeometry, item: Item, medium: int, frame: int | None) -> tuple[Capture, int] | None:
    """The camera that a picture is from, and the frame of its recording."""
    cameras = cameras_of(geometry)
    if frame is None:
        shots = shots_of(item, cameras)
        if len(shots) != len(item.media):
            return None
        camera, frame = shots[medium - 1]
        return cameras[camera], frame
    followed = camera_of(item.media[medium - 1].path, cameras)
    return (cameras[followed], frame) if followed is not None and frame < len(cameras[followed].poses) else None


def _seen(capture: Capture, frame: int) -> set[str] | None:
    """Ids of the objects that a frame shows, or one shortly before or after it; None where no frame's are known."""
    if not capture.sightings:
        return None
    now = capture.times[frame]
    nearest = min({one.frame for one in capture.sightings}, key=lambda one: abs(capture.times[one] - now))
    if abs(capture.times[nearest] - now) > SIGHTED_SECONDS:
        return set()
    return {one.object for one in capture.sightings if one.frame == nearest and one.pixels > 0}


def _place(corner: Floats) -> Place:
    return round(float(corner[0]), 1), round(float(corner[1]), 1)


_WIDTH = 560.0
"""Units of the drawing."""
_MARGIN = 24.0
_LETTER = 7.5
"""Units that a letter of a name is wide."""


@dataclass(frozen=True)
class Thing:
    """An object from above.

    Attributes:
        category: of the object.
        points: of its outline, as SVG writes them.
        x, y: its middle.
        name: its label; '' if there is no room.
        unique: whether a route may name it.
    """

    category: str
    points: str
    x: float
    y: float
    name: str
    unique: bool


@dataclass(frozen=True)
class FloorView:
    """A drawing, with north (the scene's y) at the top.

    Attributes:
        width, height: in units.
        floor: SVG path of the floor's rings.
        things: the largest first.
        metre: units that are one metre.
    """

    width: float
    height: float
    floor: str
    things: tuple[Thing, ...]
    metre: float


def floor_view(geometry: SceneGeometry) -> FloorView:
    """The plan of a scene that has objects and a floor."""
    scene = geometry.scene
    shadows = [outline(thing.box) for thing in scene.objects]
    rings = [np.array(ring, dtype=np.float64) for ring in scene.floor]
    points = np.concatenate([*shadows, *rings])
    low, high = points.min(0), points.max(0)
    metre = (_WIDTH - 2 * _MARGIN) / max(float(high[0] - low[0]), 0.5 * float(high[1] - low[1]), 0.5)

    def at(point: Sequence[float]) -> tuple[float, float]:
        x, y = float(point[0]), float(point[1])
        return round(_MARGIN + (x - float(low[0])) * metre, 1), round(_MARGIN + (float(high[1]) - y) * metre, 1)

    def path(ring: Sequence[Sequence[float]]) -> str:
        return "M" + " L".join(f"{x:g} {y:g}" for x, y in map(at, ring)) + " Z"

    order = sorted(range(len(shadows)), key=lambda i: -_area(shadows[i]))
    unique = set(geometry.unique)
    taken: list[tuple[float, float, float]] = []
    names: dict[int, str] = {}
    for i in reversed(order):  # the smallest first: of two that are in each other's way, the larger has other room
        x, y = at(shadows[i].mean(0))
        name = scene.objects[i].category[:24]
        half = len(name) * _LETTER / 2
        if all(abs(y - other) > 14 or abs(x - across) > half + width for across, other, width in taken):
            taken.append((x, y, half))
            names[i] = name
    things = []
    for i in order:
        x, y = at(shadows[i].mean(0))
        corners = " ".join(f"{a:g},{b:g}" for a, b in map(at, shadows[i].tolist()))
        category = scene.objects[i].category
        things.append(Thing(category, corners, x, y, names.get(i, ""), category in unique))
    height = math.ceil(2 * _MARGIN + float(high[1] - low[1]) * metre)
    return FloorView(_WIDTH, height, " ".join(path(ring.tolist()) for ring in rings), tuple(things), round(metre, 1))


def floor_path(plan: FloorView, stops: Sequence[str]) -> list[tuple[float, float]]:
    """Points of a route's stops on a plan; those that aren't on it are left out."""
    places = {thing.category: (thing.x, thing.y) for thing in plan.things}
    return [places[name] for name in stops if name in places]


def _area(ring: Floats) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)
