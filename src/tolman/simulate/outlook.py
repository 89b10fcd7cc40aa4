"""Outlook: how far a view reaches and how much of it shows things.

From boxes and the floor's outline alone, as gaze is: a walk doesn't depend on how a machine draws or casts rays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.world import World

PITCH = np.radians(-13)
"""The mean pitch of a walker's camera, upwards."""
_COLUMNS, _ROWS = 11, 7
"""Rays across and up a view."""
_ASPECT = 0.75
_FILLED = 0.8
"""Share of a box's sides that its thing is counted to fill."""
FIXTURES = frozenset({"door", "window", "rug"})
"""Categories that belong to walls and floors."""
_RIGHT_BEFORE = 1.2
"""Metres within which something stands in the way of a view."""


@dataclass(frozen=True)
class Outlook:
    """Distances and things in views.

    Attributes:
        distance: metres to what half of the view is nearer than, shape (k,).
        things: share of the view that shows things other than walls, floors and their fixtures, 0 … 1, shape (k,).
        blocked: share of the view in which something stands nearer than 1.2 m, 0 … 1, shape (k,).
    """

    distance: Floats
    things: Floats
    blocked: Floats


def outlook(world: World, eye: Floats, yaws: Floats, half_angle: float, pitch: float = PITCH) -> Outlook:
    """Measure the views of an eye in some directions.

    Args:
        world: its still objects count, and its floor's outline as a wall.
        eye: metres, shape (3,).
        yaws: counter-clockwise from +x, radians, shape (k,).
        half_angle: half of the horizontal angle of view, radians.
        pitch: of the camera, upwards, radians.
    """
    ways = _ways(yaws, half_angle, pitch)
    distances = _to_the_shell(world, eye, ways)
    shown = np.zeros(len(ways), dtype=bool)
    for thing in world.scene.objects:
        if thing.category in FIXTURES or thing.track:
            continue
        axes, half = np.array(thing.box.axes), np.array(thing.box.extents) / 2 * _FILLED
        origin, along = axes @ (eye - np.array(thing.box.center)), ways @ axes.T
        safe = np.where(np.abs(along) < 1e-12, 1e-12, along)
        one, two = (-half - origin) / safe, (half - origin) / safe
        enter, leave = np.minimum(one, two).max(1), np.maximum(one, two).min(1)
        hit = (enter < leave) & (leave > 0) & (np.maximum(enter, 0) < distances)
        distances = np.where(hit, np.maximum(enter, 0), distances)
        shown |= hit
    views = (len(yaws), _COLUMNS * _ROWS)
    distances = distances.reshape(views)
    return Outlook(
        distance=np.median(distances, axis=1),
        things=shown.reshape(views).mean(1),
        blocked=(distances < _RIGHT_BEFORE).mean(1),
    )


def _ways(yaws: Floats, half_angle: float, pitch: float) -> Floats:
    """Unit vectors through the pixels of coarse pictures, one picture after the other, shape (n, 3)."""
    across = np.tan(half_angle)
    x, y = np.meshgrid(np.linspace(-0.92, 0.92, _COLUMNS) * across, np.linspace(-0.92, 0.92, _ROWS) * across * _ASPECT)
    ahead = np.cos(pitch) + y.ravel() * np.sin(-pitch)
    up = np.sin(pitch) + y.ravel() * np.cos(pitch)
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    ways = np.stack([c * ahead + s * x.ravel(), s * ahead - c * x.ravel(), np.tile(up, (len(yaws), 1))], axis=-1)
    return np.asarray((ways / np.linalg.norm(ways, axis=-1, keepdims=True)).reshape(-1, 3))


def _to_the_shell(world: World, eye: Floats, ways: Floats) -> Floats:
    """Metres to the ground or to the wall on each way, infinite where there is neither, shape (n,)."""
    down = np.minimum(ways[:, 2], -1e-12)
    distances = np.where(ways[:, 2] < 0, -eye[2] / down, np.inf)
    for ring in world.scene.floor:
        corners = np.array(ring)
        for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            side, toward = end - start, start - eye[:2]
            across = ways[:, 0] * side[1] - ways[:, 1] * side[0]
            safe = np.where(np.abs(across) < 1e-12, 1e-12, across)
            distance = (toward[0] * side[1] - toward[1] * side[0]) / safe
            place = (toward[0] * ways[:, 1] - toward[1] * ways[:, 0]) / safe
            hit = (distance > 0) & (place >= 0) & (place <= 1)
            distances = np.where(hit & (distance < distances), distance, distances)
    return distances
