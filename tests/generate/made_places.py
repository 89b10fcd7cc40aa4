"""Places made of numbers alone: furniture along walls, a camera's views, what each shows; nothing is drawn.

What a view shows of an object is the part of its box's outline inside the picture; nothing hides anything.
"""

import math
from collections.abc import Iterator

import numpy as np

from tolman.geometry.boxes import Boxes
from tolman.geometry.camera_geometry import boxes_in_view
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting, TrackPoint

SIZE = (320, 240)
INTRINSICS = (220.0, 220.0, 160.0, 120.0)
KINDS = {
    "sofa": (1.9, 0.9, 0.8),
    "door": (0.9, 0.1, 2.0),
    "bookcase": (0.9, 0.35, 1.8),
    "refrigerator": (0.7, 0.7, 1.8),
    "tv": (1.1, 0.2, 0.7),
    "lamp": (0.4, 0.4, 1.5),
    "piano": (1.4, 0.7, 1.1),
    "plant": (0.5, 0.5, 1.2),
    "trash can": (0.4, 0.4, 0.6),
    "radiator": (1.2, 0.15, 0.7),
    "table": (1.4, 0.8, 0.75),
    "clock": (0.4, 0.15, 0.6),
    "guitar": (0.5, 0.3, 1.1),
    "toilet": (0.45, 0.6, 0.8),
}


def box(x: float, y: float, yaw: float, size: tuple[float, float, float]) -> OrientedBox:
    c, s = math.cos(yaw), math.sin(yaw)
    return OrientedBox(center=(x, y, size[2] / 2), axes=((c, s, 0), (-s, c, 0), (0, 0, 1)), extents=size)


def looking(x: float, y: float, yaw: float, high: float = 1.5, down: float = 0.2) -> np.ndarray:
    """A camera's pose."""
    ahead = np.array([math.cos(yaw) * math.cos(down), math.sin(yaw) * math.cos(down), -math.sin(down)])
    right = np.array([math.sin(yaw), -math.cos(yaw), 0.0])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(ahead, right), ahead], axis=1)
    pose[:3, 3] = (x, y, high)
    return pose


def made_place(number: int, views: int = 26) -> SceneGeometry:
    """A room with furniture along its walls, somebody who walks through it, and views from everywhere."""
    generator = np.random.default_rng([7, number])
    width, depth = generator.uniform(6.0, 8.5, 2)
    turn = generator.uniform(0, 2 * math.pi)
    c, s = math.cos(turn), math.sin(turn)
    identity = f"made/{number}"

    def at(x: float, y: float) -> tuple[float, float]:
        return c * x - s * y, s * x + c * y

    objects: list[SceneObject] = []
    middles: list[tuple[float, float]] = []
    for name in generator.permutation(list(KINDS)):
        for _ in range(40):
            along, side = generator.uniform(0.12, 0.88), int(generator.integers(4))
            inset = KINDS[name][1] / 2 + 0.05
            x, y, yaw = (
                (along * width, inset, 0.0),
                (width - inset, along * depth, math.pi / 2),
                (along * width, depth - inset, math.pi),
                (inset, along * depth, -math.pi / 2),
            )[side]
            if name == "table":
                x, y = width * generator.uniform(0.35, 0.65), depth * generator.uniform(0.35, 0.65)
            if all(math.dist((x, y), other) > 1.2 for other in middles):
                middles.append((x, y))
                objects.append(SceneObject(id=f"{name}-0", category=name, box=box(*at(x, y), yaw + turn, KINDS[name])))
                break
    table = next((m for o, m in zip(objects, middles, strict=True) if o.category == "table"), None)
    if table is not None:
        for k, (dx, dy) in enumerate(((0.9, 0.0), (-0.9, 0.0))):
            chair = box(*at(table[0] + dx, table[1] + dy), turn, (0.45, 0.45, 0.9))
            objects.append(SceneObject(id=f"chair-{k}", category="chair", box=chair))
    times = np.arange(views) * 0.5
    stops = np.column_stack([generator.uniform(1, width - 1, 5), generator.uniform(1, depth - 1, 5)])
    knots = np.linspace(0, times[-1], 5)
    way = np.column_stack([np.interp(times, knots, stops[:, k]) for k in (0, 1)])
    facing = generator.uniform(0, 2 * math.pi, views)
    steps = [box(*at(*place), float(yaw), (0.5, 0.4, 1.7)) for place, yaw in zip(way, facing, strict=True)]
    track = tuple(
        TrackPoint(seconds=float(t), center=one.center, axes=one.axes) for t, one in zip(times, steps, strict=True)
    )
    objects.append(SceneObject(id="person-0", category="person", box=steps[0], track=track))
    eyes = [at(*place) for place in np.column_stack([generator.uniform(0.8, width - 0.8, views),
                                                     generator.uniform(0.8, depth - 0.8, views)])]  # fmt: skip
    walk = [looking(*eye, float(yaw)) for eye, yaw in zip(eyes, generator.uniform(0, 2 * math.pi, views), strict=True)]
    corner = [looking(*at(0.3, 0.3), turn + math.pi / 4, 2.2, 0.35)] * views
    floor = tuple(at(*p) for p in ((0, 0), (width, 0), (width, depth), (0, depth)))
    scene = Scene(
        id=identity,
        dataset="made",
        objects=tuple(objects),
        room_area=width * depth,
        floor=(floor,),
        video=f"{number}.mp4",
    )
    captures = [
        Capture(
            id=f"{identity}/{role}",
            scene=identity,
            sensor="camera",
            role=role,
            media=f"{number}-{role}.mp4",
            size=SIZE,
            times=tuple(times.tolist()),
            poses=tuple(tuple(pose.ravel().tolist()) for pose in poses),
            intrinsics=(INTRINSICS,),
            sightings=tuple(seen(objects, poses, steps)),
        )
        for role, poses in (("ego", walk), ("exo-1", corner))
    ]
    return SceneGeometry(scene, captures)


def seen(objects: list[SceneObject], poses: list[np.ndarray], steps: list[OrientedBox]) -> Iterator[Sighting]:
    """The pixels that each object's outline covers in each picture."""
    for frame, pose in enumerate(poses):
        boxes = [steps[frame] if thing.track else thing.box for thing in objects]
        arrays = Boxes(*(np.array([getattr(b, name) for b in boxes]) for name in ("center", "axes", "extents")))
        for thing, area in zip(objects, boxes_in_view(arrays, pose, INTRINSICS, SIZE), strict=True):
            if area >= 1:
                yield Sighting(frame=frame, object=thing.id, pixels=int(area))
