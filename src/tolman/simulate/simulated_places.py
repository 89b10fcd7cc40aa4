"""The settings of a collection, and its single places before anybody is in them, with the walks through them.

A place is a room, a place outdoors, or a twin of a room.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import tolman
from tolman.errors import InputError, unknown
from tolman.simulate.furniture import FurnitureSource, Library
from tolman.simulate.interior import build_interior, draw_plan
from tolman.simulate.lighting import DEFAULT
from tolman.simulate.made.kind import MadeLibrary
from tolman.simulate.outdoors import OUTDOOR_SHAPES, outdoor_place
from tolman.simulate.plan import FloorLayout
from tolman.simulate.room_shells import ROOM_SHAPES, SINGLE_ROOMS
from tolman.simulate.twins import (
    KINDS,
    LANDMARK,
    NUMBER,
    OTHER_WALK,
    SCALE,
    SIDE,
    SIMPLER,
    WALKS,
    WATCHED,
    twin_of,
)
from tolman.simulate.walks import WALK, Walk, draw_trajectory
from tolman.simulate.world import World

PLACES = (*ROOM_SHAPES, *OUTDOOR_SHAPES)


@dataclass(frozen=True)
class WorldsConfig:
    """Settings of a collection of simulated scenes.

    Attributes:
        scenes: number of scenes.
        seed: of everything that is drawn.
        shapes: of the places, `PLACES`, taken in turn.
        objects: asked for in each place, doors and windows apart; in a home more, by its rooms.
        seconds: duration of a walk.
        rate: frames a second.
        size: width and height of pictures, pixels.
        furniture: a library whose models are used in addition to the furniture that is made by rule; None for none.
        depth: whether depth and instances are written next to the video.
        actors: number of people who walk around and carry things.
        robots: number of round robots that drive about.
        traffic: number of cars and bicycles that drive along the ways of places outdoors.
        exo: number of fixed cameras in addition to the walking one.
        lidar: whether a spinning LiDAR is carried along.
        media: whether videos are drawn; else rays compute their content.
        twins: scenes in a group that differ in one thing only; 1 for none.
        differ: their difference, of `twins.DIFFERENCES`, taken in turn by groups.
        quality: of the videos' colours, a name of `quality.LEVELS`.
        camera: how the moving one is moved, of `cameras.CAMERAS`.
    """

    scenes: int = 3
    seed: int = 0
    shapes: tuple[str, ...] = ("home",)
    objects: int = 22
    seconds: float = 30.0
    rate: int = 12
    size: tuple[int, int] = (640, 480)
    furniture: Path | None = None
    depth: bool = False
    actors: int = 0
    robots: int = 0
    traffic: int = 0
    exo: int = 0
    lidar: bool = False
    media: bool = True
    twins: int = 1
    differ: tuple[str, ...] = (LANDMARK, SIDE, NUMBER)
    quality: str = DEFAULT.name
    camera: str = WALK

    def settings(self) -> dict[str, Any]:
        """All that determines a scene with its number, as JSON values; how many there are doesn't."""
        fields = {key: value for key, value in asdict(self).items() if key != "scenes"}
        # Collections of before there were such settings go on under their old ones.
        if self.media:
            del fields["media"]
        if self.twins == 1:
            del fields["twins"], fields["differ"]
        if not self.traffic:
            del fields["traffic"]
        furniture = ["made"]
        if self.furniture is not None:
            try:
                furniture.append(hashlib.sha256(self.furniture.read_bytes()).hexdigest())
            except OSError as error:
                raise InputError(
                    self.furniture,
                    f"can't be read ({error.strerror})",
                    fix="give an .sh3f file, or no --furniture: furniture made by rule needs no option",
                ) from None
        found: dict[str, Any] = json.loads(json.dumps(fields | {"furniture": furniture, "tolman": tolman.__version__}))
        return found


_PLANS = 8
"""Plans that are drawn until one has room for twins."""
_ROOMY = {KINDS: (26.0, 36.0), SCALE: (20.0, 36.0), WATCHED: (26.0, 36.0)}
"""Least and greatest square metres of the rooms of twins that need much room."""


def place(config: WorldsConfig, shape: str, identity: str, seed: str) -> tuple[World, tuple[str, ...]]:
    """Make a world of a shape, and notes of requested things that aren't in it.

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
    """Make a twin of a room.

    Args:
        config, shape: as for `place`.
        identity: of the twin.
        seed: of all twins of the group.
        number: of the twin in its group, from 0.
        differ: the difference of the twins.

    Returns:
        The room with all copies of the thing in which twins differ, in which cameras are planned, so that they are the
        same for all twins; the twin; notes of requested things that aren't in it.

    Raises:
        UsageError: there is no such shape, or it is no room's.
    """
    plan, library, whole = _group(replace(config, scenes=0), shape, seed, differ)
    if not plan.twins:
        named = {"id": identity, "dataset": identity.split("/")[0]}
        same = replace(whole, scene=whole.scene.model_copy(update=named))
        return same, same, plan.notes + _left_out(library)
    own = build_interior(replace(twin_of(plan, number), id=identity), library)
    things = ", ".join(sorted({thing.category for thing in plan.twins[0]}))
    own = replace(own, scene=own.scene.model_copy(update={"differs": things}))
    return whole, own, plan.notes + _left_out(library)


def twin_walk(config: WorldsConfig, shape: str, seed: str, number: int, differ: str = SIDE) -> Walk:
    """The walk of a twin, the same for all of a group unless they differ in it; arguments as for `twin_place`."""
    return _walk(replace(config, scenes=0), shape, seed, differ, number if differ in WALKS else None)


@lru_cache(maxsize=1)
def _walk(config: WorldsConfig, shape: str, seed: str, differ: str, twin: int | None) -> Walk:
    own = seed if twin is None else f"{seed}:{twin}"
    room = _group(config, shape, seed, differ)[2]
    return walk_through(room, config, shape, own, twin if differ == OTHER_WALK else None)


def walk_through(world: World, config: WorldsConfig, shape: str, seed: str, twin: int | None = None) -> Walk:
    """The trajectory of the camera that is asked for; `twin` as for `draw_trajectory`.

    Walks through single rooms are those of earlier versions: questions of Tolman-1 rest on them.
    """
    clear = shape == "home"
    return draw_trajectory(
        world, seed, camera=config.camera, seconds=config.seconds, rate=config.rate, size=config.size, clear=clear,
        twin=twin,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _group(config: WorldsConfig, shape: str, seed: str, differ: str) -> tuple[FloorLayout, FurnitureSource, World]:
    """Make the common parts of a group's twins, once for those that a process makes one after the other."""
    plan, library = _plan(config, shape, seed, seed, differ)
    return plan, library, build_interior(plan, library)


def _plan(
    config: WorldsConfig, shape: str, identity: str, seed: str, differ: str = SIDE
) -> tuple[FloorLayout, FurnitureSource]:
    """A room's plan; with twins the first of some that have a thing in which so many can differ."""
    if shape not in ROOM_SHAPES:
        raise unknown("place", shape, PLACES)
    for attempt in range(_PLANS):
        if attempt == _PLANS - 1:
            differ = SIMPLER.get(differ, differ)
        own = f"{seed}:{attempt}" if attempt else seed
        area = None
        if differ in _ROOMY and shape in SINGLE_ROOMS:
            generator = np.random.default_rng(np.frombuffer(f"area:{own}".encode(), dtype=np.uint8))
            area = float(generator.uniform(*_ROOMY[differ]))
        library = MadeLibrary(own, None if config.furniture is None else library_at(config.furniture))
        room = ROOM_SHAPES[ROOM_SHAPES.index(shape)]
        twins = 1 if differ in WALKS else config.twins
        plan = draw_plan(identity, room, own, library, objects=config.objects, twins=twins, differ=differ, area=area)
        if plan.twins or twins == 1:
            break
    return plan, library


def _left_out(library: FurnitureSource) -> tuple[str, ...]:
    unused = (*library.broken, *library.unstable())
    return tuple(f"{broken.name} is left out: {broken.reason}" for broken in unused)


_LIBRARIES: dict[Path, Library] = {}


def library_at(path: Path) -> Library:
    """A library, opened once in each process."""
    if path not in _LIBRARIES:
        _LIBRARIES[path] = Library(path)
    return _LIBRARIES[path]
