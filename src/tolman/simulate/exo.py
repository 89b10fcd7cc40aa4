"""Exocentric cameras: fixed ones around a room or a street, frame-synchronous with a walk, as Ego-Exo4D records."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.walks import Walk, intrinsics_of, looking
from tolman.simulate.world import World

HEIGHT = 2.2
"""Metres above the ground."""
_INSET, _APART, _STEP = 0.3, 3.0, 1.5
_CLEAR = 0.15
"""Metres that a camera keeps from every object's box."""
_COLUMNS = 64
"""Width in pixels of the coarse pictures that are compared."""
_LEAST = 3
"""Pixels of such a picture that show an object."""
_BEFORE, _BLOCKED = 1.5, 0.2
"""A view is worse than any other if more than this share of it is nearer than this, metres."""


def exo_walks(
    world: World, walk: Walk, count: int = 4, *, size: tuple[int, int] = (640, 480), height: float = HEIGHT
) -> list[tuple[str, Walk]]:
    """Fixed cameras that together see most objects.

    They stand in the corners of the floor and along its sides and look towards the middle of what is there, each turned
    by up to 30° to where it shows most that the others don't. What they show is found by casting rays.

    Args:
        world: where.
        walk: the egocentric one, whose times they share.
        count: how many; fewer where there is no room for so many.
        size: of the picture, for what its angle of view shows.
        height: metres above the ground.

    Returns:
        A role, 'exo-1' and so on, and a walk that stays in one place, for each.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    eyes = _places(world, height)
    if not len(eyes) or count < 1:
        return []
    middle = np.mean([thing.box.center for thing in world.scene.objects], axis=0)
    away = middle - eyes
    pitches = np.clip(np.arctan2(0.7 - height, np.linalg.norm(away[:, :2], axis=1)), np.radians(-32), np.radians(-10))
    turns = np.radians([0, -15, 15, -30, 30])
    looks = np.repeat(np.arange(len(eyes)), len(turns))
    yaws = np.arctan2(away[:, 1], away[:, 0])[looks] + np.tile(turns, len(eyes))
    poses = looking(eyes[looks], yaws, pitches[looks], np.zeros(len(looks)))
    seen, clear = _seen(world, poses, size)
    chosen: list[int] = []
    missing = np.ones(seen.shape[1], dtype=bool)
    for _ in range(count):
        free = [i for i in range(len(looks)) if looks[i] not in looks[chosen]]
        if not free:
            break
        # Nothing hangs before it if that can be; then what nobody shows yet counts most; then to stand apart.
        best = max(
            free,
            key=lambda i: (
                bool(clear[i]),
                int((seen[i] & missing).sum()),
                all(np.linalg.norm(eyes[looks[i]] - eyes[looks[other]]) > _APART for other in chosen),
                int(seen[i].sum()),
                -i,
            ),
        )
        chosen.append(best)
        missing &= ~seen[best]
    return [
        (f"exo-{number}", Walk(walk.times, np.repeat(poses[i][None], len(walk.times), axis=0)))
        for number, i in enumerate(chosen, start=1)
    ]


def _seen(world: World, poses: Floats, size: tuple[int, int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Objects seen from each pose, shape (poses, objects), and whether nothing hangs right before it."""
    from tolman.geometry.casting import pixel_rays
    from tolman.simulate.casting import Caster

    coarse = (_COLUMNS, max(1, round(_COLUMNS * size[1] / size[0])))
    intrinsics = intrinsics_of(coarse)
    caster = Caster(world)
    found = np.zeros((len(poses), len(world.scene.objects)), dtype=bool)
    clear = np.zeros(len(poses), dtype=bool)
    for number, pose in enumerate(poses):
        ways = pixel_rays(pose, intrinsics, coarse)
        hits = caster.cast(np.tile(pose[:3, 3], (len(ways), 1)), ways)
        clear[number] = (hits.distances < _BEFORE).mean() < _BLOCKED
        found[number] = np.bincount(hits.numbers, minlength=found.shape[1] + 1)[1:] >= _LEAST
    return found, clear


def _places(world: World, height: float) -> Floats:
    """Corners of the floor and points along its sides that are inside nothing, shape (e, 3)."""
    import shapely

    floor = shapely.Polygon(world.scene.floor[0]).buffer(-_INSET, join_style="mitre")
    rings = [shapely.get_coordinates(part.exterior) for part in shapely.get_parts(floor) if not part.is_empty]
    places = []
    for ring in rings:
        for a, b in itertools.pairwise(ring):
            steps = max(1, int(np.linalg.norm(b - a) // _STEP))
            places += [a + (b - a) * i / steps for i in range(steps)]
    if not places:
        return np.zeros((0, 3))
    eyes = np.column_stack([np.array(places), np.full(len(places), height)])
    free = np.ones(len(eyes), dtype=bool)
    for thing in world.scene.objects:
        local = np.abs((eyes - np.array(thing.box.center)) @ np.array(thing.box.axes).T)
        free &= (local > np.array(thing.box.extents) / 2 + _CLEAR).any(1)
    return np.asarray(eyes[free])
