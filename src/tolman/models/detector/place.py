"""A place as far as detections tell it: landmarks as a scene with a capture, which question families can be asked."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.generate.geometry import SceneGeometry
from tolman.models.detector.detection import Detection
from tolman.models.detector.mapping import Landmark, find_landmarks, sure
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting

SIZE = (640, 480)
"""Pictures of this size are what thresholds of pixels in questions are about."""
FILLED = 0.6
"""Share of its box that an object fills, about."""
SUPPORT = 1.0
"""The least sum of scores that makes a landmark count, where another of its category has as much."""
_UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_LEAST_EXTENT = 0.02


class DetectedPlace:
    """What some pictures of a place show.

    Args:
        frames: detections of each picture.
        seconds: when each was taken; empty where that isn't known.

    Attributes:
        counted: the scene with every landmark.
        single: the scene with the best supported one of each category, for questions about *the* chair.
    """

    def __init__(self, frames: Sequence[Sequence[Detection]], seconds: Sequence[float] = ()) -> None:
        taken = sure(frames)
        landmarks = find_landmarks(taken, seconds)
        best: dict[str, Landmark] = {}
        for mark in landmarks:
            best.setdefault(mark.category, mark)
        standing = [m for m in landmarks if m is best[m.category] or m.support >= SUPPORT]
        self.counted = SceneGeometry(_scene(standing))
        first = list(best.values())
        times = tuple(seconds) or tuple(map(float, range(len(frames))))
        self.single = SceneGeometry(_scene(first), (_capture(first, taken, times),))

    def __bool__(self) -> bool:
        """Whether anything was seen."""
        return bool(self.single.scene.objects)


def _scene(landmarks: Sequence[Landmark]) -> Scene:
    things = []
    for number, mark in enumerate(landmarks):
        # Which way a thing is turned isn't known: its sides are made alike.
        side = max((float(mark.size[0]) + float(mark.size[1])) / 2, _LEAST_EXTENT)
        extents = (side, side, max(float(mark.size[2]), _LEAST_EXTENT))
        x, y, z = map(float, mark.place)
        box = OrientedBox(center=(x, y, z), axes=_UPRIGHT, extents=extents)
        things.append(SceneObject(id=f"{mark.category}-{number}", category=mark.category, box=box))
    return Scene(id="detected", dataset="detected", objects=tuple(things), video="detected")


def _capture(first: Sequence[Landmark], frames: Sequence[Sequence[Detection]], times: tuple[float, ...]) -> Capture:
    """Which category is seen when, each category's object standing for all of them."""
    names = {mark.category: f"{mark.category}-{number}" for number, mark in enumerate(first)}
    seen = []
    for frame, found in enumerate(frames):
        pixels: dict[str, float] = {}
        for one in found:
            pixels[one.category] = pixels.get(one.category, 0.0) + one.area * FILLED * SIZE[0] * SIZE[1]
        seen += [Sighting(frame=frame, object=names[name], pixels=round(area)) for name, area in pixels.items()]
    return Capture(
        id="detected",
        scene="detected",
        sensor="camera",
        media="detected",
        size=SIZE,
        times=times,
        sightings=tuple(seen),
    )
