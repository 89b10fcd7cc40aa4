"""A single place of a collection, before anybody is in it: a room, a place outdoors, or a twin of a room; and the walk
through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from tolman.names import unknown
from tolman.simulate.cameras import draw_trajectory
from tolman.simulate.furnish import draw_plan
from tolman.simulate.furniture import FurnitureSource, Library
from tolman.simulate.interior import build_interior
from tolman.simulate.made.library import MadeLibrary
from tolman.simulate.outdoor_places import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.plan import FloorLayout
from tolman.simulate.room_types import RoomType, room_types
from tolman.simulate.rooms import ROOM_SHAPES
from tolman.simulate.settings import PLACES, WorldsConfig
from tolman.simulate.twins import SIDE, twin_of
from tolman.simulate.walks import Walk
from tolman.simulate.world import World

_PLANS = 8
"""Plans that are drawn until one has room for twins."""


def place(config: WorldsConfig, shape: str, identity: str, seed: str) -> tuple[World, tuple[str, ...]]:
    """A world of a shape, and what was asked for and isn't in it.

    Raises:
        UsageError: there is no such shape.
    """
    if shape in OUTDOOR_SHAPES:
        return outdoor_place(shape, identity, seed, config.objects)
    plan, library = _plan(config, shape, identity, seed)
    return build_interior(plan, library), plan.notes + _left_out(library)


def twin_place(
    config: WorldsConfig, shape: str, identity: str, seed: str, number: int, differ: str = SIDE
) -> tuple[World, World, tuple[str, ...]]:
    """A twin of a room.

    Args:
        config, shape: as for `place`.
        identity: of the twin.
        seed: of all twins of the group.
        number: of the twin in its group, from 0.
        differ: in what the twins do.

    Returns:
        The room with all copies of the thing in which twins differ, in which cameras are planned, so that they are the
        same for all twins; the twin; what was asked for and isn't in it.

    Raises:
        UsageError: there is no such shape, or it is no room's.
    """
    plan, library, whole = _group(replace(config, scenes=0), shape, seed, differ)
    if not plan.twins:
        same = replace(whole, scene=whole.scene.model_copy(update={"id": identity}))
        return same, same, plan.notes + _left_out(library)
    own = build_interior(replace(twin_of(plan, number), id=identity), library)
    (thing,) = (thing.category for thing in plan.placed if thing.id == plan.twins[0][0])
    own = replace(own, scene=own.scene.model_copy(update={"differs": thing}))
    return whole, own, plan.notes + _left_out(library)


def twin_walk(config: WorldsConfig, shape: str, seed: str, differ: str = SIDE) -> Walk:
    """The walk that all twins of a group share; arguments as for `twin_place`."""
    return _walk(replace(config, scenes=0), shape, seed, differ)


@lru_cache(maxsize=1)
def _walk(config: WorldsConfig, shape: str, seed: str, differ: str) -> Walk:
    return walk_through(_group(config, shape, seed, differ)[2], config, seed)


def walk_through(world: World, config: WorldsConfig, seed: str) -> Walk:
    """The trajectory of the camera that is asked for."""
    return draw_trajectory(
        world, seed, camera=config.camera, seconds=config.seconds, rate=config.rate, size=config.size
    )


@lru_cache(maxsize=1)
def _group(config: WorldsConfig, shape: str, seed: str, differ: str) -> tuple[FloorLayout, FurnitureSource, World]:
    """What all twins of a group share: made once for those that a process makes one after the other."""
    plan, library = _plan(config, shape, seed, seed, differ)
    return plan, library, build_interior(plan, library)


def _plan(
    config: WorldsConfig, shape: str, identity: str, seed: str, differ: str = SIDE
) -> tuple[FloorLayout, FurnitureSource]:
    """A room's plan; with twins the first of some that have a thing in which so many can differ."""
    if shape not in ROOM_SHAPES:
        raise unknown("place", shape, PLACES)
    for attempt in range(_PLANS):
        own = f"{seed}:{attempt}" if attempt else seed
        library: FurnitureSource = library_at(config.furniture)
        types: Sequence[RoomType] = ()
        if config.made:
            library, types = MadeLibrary(own, library), room_types()
        room = ROOM_SHAPES[ROOM_SHAPES.index(shape)]
        plan = draw_plan(
            identity, room, own, library, objects=config.objects, types=types, twins=config.twins, differ=differ
        )
        if plan.twins or config.twins == 1:
            break
    return plan, library


def _left_out(library: FurnitureSource) -> tuple[str, ...]:
    unused = (*library.broken, *library.unstable())
    return tuple(f"{broken.name} is left out: {broken.reason}" for broken in unused)


_LIBRARIES: dict[Path | None, Library] = {}


def library_at(path: Path | None) -> Library:
    """A library, opened once in each process."""
    if path not in _LIBRARIES:
        _LIBRARIES[path] = Library(path)
    return _LIBRARIES[path]
