"""Robots: round machines that drive from place to place and stop there.

They have no front, so no picture tells where one is going.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.scenes import SceneObject
from tolman.simulate.ground import WalkableFloor
from tolman.simulate.mesh import Mesh, joined, placed, smoothed, turned
from tolman.simulate.moving import moving_object
from tolman.simulate.paths import LEAST, RATE, KeepOff, ease, ground_of, travel
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, World

COLOURS: dict[str, tuple[float, float, float]] = {
    "red robot": (0.75, 0.13, 0.1),
    "blue robot": (0.1, 0.27, 0.7),
    "yellow robot": (0.9, 0.72, 0.1),
    "green robot": (0.12, 0.5, 0.2),
}
"""Names and colours of robots."""
RADIUS, HEIGHT = 0.24, 1.1
"""Metres."""
_SPEED = (0.4, 0.9)
_STOP = (0.5, 2.0)
"""Seconds between two ways."""
_SLOW = 0.4
"""Seconds that starting and stopping take."""
_APART = 0.6
"""Metres that a robot's middle keeps from the camera and from whatever else moves."""
_STARTS, _NEXT = 50, 8
"""Numbers of starts that are tried, and of ways on at each stop."""
_DARK, _PALE = (0.1, 0.1, 0.11), (0.86, 0.86, 0.84)


@dataclass(frozen=True)
class _Drive:
    """Positions of a robot, `RATE` times a second: metres on the floor plan, shape (n, 2)."""

    places: Floats

    def middle(self, seconds: float) -> Floats:
        """The pose of its box's middle."""
        return self._at(seconds, HEIGHT / 2)

    def foot(self, seconds: float) -> Floats:
        """The pose of its mesh, which stands on z = 0."""
        return self._at(seconds, 0.0)

    def _at(self, seconds: float, height: float) -> Floats:
        step = float(np.clip(seconds * RATE, 0, len(self.places) - 1))
        low = min(int(step), len(self.places) - 2)
        x, y = self.places[low] + (self.places[low + 1] - self.places[low]) * (step - low)
        return placed((x, y, height))


def with_robots(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """A world with robots in it, which touch nothing that stands there, one another, people or the camera.

    Args:
        world: people may be in it.
        seed: of what is drawn.
        seconds: how long they drive about; before and after they stand.
        count: how many robots.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'robot-0', …, their boxes at time 0 and their tracks; and notes of what found no
        room.
    """
    generator = np.random.default_rng(np.frombuffer(f"robots:{seed}".encode(), dtype=np.uint8))
    times = np.arange(int(np.ceil(seconds * RATE)) + 1) / RATE
    others = [_followed(thing, times) for thing in world.scene.objects if thing.track]
    keep_off = KeepOff(world, walk, _APART, others)
    names = list(COLOURS)
    generator.shuffle(names)
    bodies: list[Body] = []
    objects: list[SceneObject] = []
    ground = ground_of(world, generator, 0.0)
    for number in range(count):
        drive = None if ground is None else _draw(ground, generator, times, keep_off)
        if drive is None:
            return world.adding(bodies, objects), (f"no room for {count - number} more robot",)
        keep_off.others.append(drive.places)
        identity, name = f"robot-{number}", names[number % len(names)]
        bodies.append(Body(_robot(COLOURS[name]), identity, drive.foot))
        size = np.array([2 * RADIUS, 2 * RADIUS, HEIGHT])
        objects.append(moving_object(identity, name, size, drive.middle, seconds))
    return world.adding(bodies, objects), ()


def _followed(thing: SceneObject, times: Floats) -> Floats:
    """Positions of something that moves at some times, shape (n, 2)."""
    known = [point.seconds for point in thing.track]
    return np.column_stack([np.interp(times, known, [point.center[i] for point in thing.track]) for i in range(2)])


def _draw(ground: WalkableFloor, generator: np.random.Generator, times: Floats, keep_off: KeepOff) -> _Drive | None:
    """A drive that touches nothing; None where none was found."""
    for _ in range(_STARTS):
        at = int(generator.integers(len(ground.nodes) - ground.first))
        drive = _Drive(np.repeat(ground.nodes[ground.first + at][None], len(times), axis=0))
        begin = float(generator.uniform(*_STOP))
        if not _free(drive, keep_off, 0.0, begin):
            continue
        while (found := _onward(ground, generator, times, keep_off, drive, at, begin)) is not None:
            drive, at, begin = found
        if begin >= times[-1]:
            return drive
    return None


def _onward(
    ground: WalkableFloor,
    generator: np.random.Generator,
    times: Floats,
    keep_off: KeepOff,
    drive: _Drive,
    at: int,
    begin: float,
) -> tuple[_Drive, int, float] | None:
    """The drive with one way more and the stop after it, or with a longer stop; where it is then, and when it goes on.

    None where the time is over, or nothing is free.
    """
    if begin >= times[-1]:
        return None
    for goal in generator.permutation(len(ground.nodes) - ground.first)[:_NEXT].tolist():
        if not LEAST <= ground.length(at, goal) < np.inf:
            continue
        along, path = travel(ground.way(at, goal), ground)
        there = begin + along[-1] / float(generator.uniform(*_SPEED)) + _SLOW
        gone = along[-1] * ease((times - begin) / (there - begin))
        places = np.column_stack([np.interp(gone, along, path[:, i]) for i in range(2)])
        longer = _Drive(np.where(times[:, None] < begin, drive.places, places))
        end = there + float(generator.uniform(*_STOP))
        if _free(longer, keep_off, begin, min(end, float(times[-1]))):
            return longer, goal, end
    end = begin + _STOP[0]
    return (drive, at, end) if _free(drive, keep_off, begin, min(end, float(times[-1]))) else None


def _free(drive: _Drive, keep_off: KeepOff, begin: float, end: float) -> bool:
    size = np.array([2 * RADIUS, 2 * RADIUS, HEIGHT])
    return keep_off.allows(drive.places, [(size, drive.middle)], begin, end)


def _robot(colour: tuple[float, float, float]) -> Mesh:
    """A body of revolution: a dark base, a coloured body, a pale head with a dark band around it."""
    profiles = [
        ([(0.001, 0.0), (0.22, 0.0), (0.24, 0.03), (0.24, 0.12), (0.2, 0.16)], _DARK),
        ([(0.2, 0.14), (0.22, 0.2), (0.2, 0.45), (0.15, 0.75), (0.13, 0.82)], colour),
        ([(0.12, 0.8), (0.17, 0.86), (0.18, 0.92)], _PALE),
        ([(0.18, 0.91), (0.185, 0.93), (0.185, 0.98), (0.18, 1.0)], _DARK),
        ([(0.18, 0.99), (0.17, 1.04), (0.11, 1.085), (0.001, 1.1)], _PALE),
    ]
    return joined([smoothed(turned(profile, tint, 28), 50) for profile, tint in profiles])
