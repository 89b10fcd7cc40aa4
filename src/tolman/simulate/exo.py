"""Exocentric cameras: fixed ones around a room or a street, frame-synchronous with a walk, as Ego-Exo4D records."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.gaze import views_from
from tolman.simulate.walks import Walk, intrinsics_of, looking
from tolman.simulate.world import World

HEIGHT = 2.2
"""Metres above the ground."""
_INSET, _APART = 0.3, 3.0
_CLEAR = 0.15
"""Metres that a camera keeps from every object's box."""
_FAR = 14.0
_YAWS = 24


def exo_walks(
    world: World, walk: Walk, count: int = 4, *, size: tuple[int, int] = (640, 480), height: float = HEIGHT
) -> list[tuple[str, Walk]]:
    """Fixed cameras that together see most objects.

    They stand in the corners of the floor and along its sides, and look towards its middle: each is turned, by up to
    a third of a right angle, to where it shows most that the others don't.

    Args:
        world: where.
        walk: the egocentric one, whose times they share.
        count: how many; fewer where there is no room for so many.
        size: of the picture, for what its angle of view shows.
        height: metres above the ground.

    Returns:
        A role, 'exo-1' and so on, and a walk that stays in one place, for each.
    """
    eyes = _places(world, height)
    if not len(eyes) or count < 1:
        return []
    intrinsics = intrinsics_of(size)
    views = views_from(world, eyes, intrinsics, size, _FAR)
    middle = np.mean([thing.box.center for thing in world.scene.objects], axis=0)
    inward = np.arctan2(middle[1] - eyes[:, 1], middle[0] - eyes[:, 0])
    looks = [(eye, float(inward[eye] + turn)) for eye in range(len(eyes)) for turn in np.radians([0, -15, 15, -30, 30])]
    seen = np.array([views.seen(eye, yaw, 0.3) for eye, yaw in looks])
    chosen: list[tuple[int, float]] = []
    missing = np.ones(seen.shape[1], dtype=bool)
    for _ in range(count):
        taken = {eye for eye, _ in chosen}
        free = [i for i, (eye, _) in enumerate(looks) if eye not in taken]
        if not free:
            break
        # What nobody shows yet counts most; then what is shown at all; then to stand far from the others.
        best = max(
            free,
            key=lambda i: (
                int((seen[i] & missing).sum()),
                min((float(np.linalg.norm(eyes[looks[i][0]] - eyes[eye])) > _APART for eye, _ in chosen), default=True),
                int(seen[i].sum()),
                -i,
            ),
        )
        chosen.append(looks[best])
        missing &= ~seen[best]
    found = []
    for number, (eye, yaw) in enumerate(chosen, start=1):
        away = float(np.linalg.norm(middle[:2] - eyes[eye, :2]))
        pitch = np.clip(np.arctan2(0.7 - height, away), np.radians(-32), np.radians(-10))
        pose = looking(eyes[eye][None], np.array([yaw]), np.array([pitch]), np.zeros(1))
        found.append((f"exo-{number}", Walk(walk.times, np.repeat(pose, len(walk.times), axis=0))))
    return found


def _places(world: World, height: float) -> Floats:
    """Corners of the floor and points along its sides that are inside nothing, shape (e, 3)."""
    import shapely

    floor = shapely.Polygon(world.scene.floor[0]).buffer(-_INSET, join_style="mitre")
    rings = [shapely.get_coordinates(part.exterior) for part in shapely.get_parts(floor) if not part.is_empty]
    places = []
    for ring in rings:
        for a, b in zip(ring, ring[1:], strict=False):
            steps = max(1, int(np.linalg.norm(b - a) // _APART))
            places += [a + (b - a) * i / steps for i in range(steps)]
    if not places:
        return np.zeros((0, 3))
    eyes = np.column_stack([np.array(places), np.full(len(places), height)])
    free = np.ones(len(eyes), dtype=bool)
    for thing in world.scene.objects:
        local = np.abs((eyes - np.array(thing.box.center)) @ np.array(thing.box.axes).T)
        free &= (local > np.array(thing.box.extents) / 2 + _CLEAR).any(1)
    return np.asarray(eyes[free])
