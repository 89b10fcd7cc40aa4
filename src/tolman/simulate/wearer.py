"""The wearer: whoever carries the egocentric camera, as the fixed cameras see them.

Without a body a walk leaves no trace in the other cameras' pictures, and nothing tells which of them belong together.
In Ego-Exo4D, too, the wearer is what egocentric and exocentric pictures have in common. A helmet with the camera before
its brow tells the wearer from other people, and where they look.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.figure import STRIDE, Limb, draw_figure, stance
from tolman.simulate.mesh import Mesh, block, joined, placed, smoothed, turned
from tolman.simulate.moving import moving_object, reach_of, shift
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, World

ID, CATEGORY = "wearer", "person with the orange helmet"
_ORANGE, _BLACK = (0.95, 0.42, 0.05), (0.06, 0.06, 0.07)
_EYE = 0.1
"""Metres from the middle of the body to the eyes."""


def with_wearer(world: World, walk: Walk, seed: str) -> World:
    """A world with a person who walks as a camera does, for every recording but that camera's own.

    The body turns as the camera looks. The walk keeps a person's width from everything, so at most a swinging arm
    touches what stands there.

    Args:
        world: a world, people in it or not.
        walk: of the egocentric camera.
        seed: of what the person looks like.

    Returns:
        The world with the object 'wearer', its box at time 0 and its track.
    """
    generator = np.random.default_rng(np.frombuffer(f"wearer:{seed}".encode(), dtype=np.uint8))
    figure, limbs = draw_figure(generator)
    figure = joined([figure, _helmet()])
    way = _Way(walk)
    reach = reach_of(figure, limbs)
    middle = partial(shift, way.person, reach.mean(0))
    thing = moving_object(ID, CATEGORY, reach[1] - reach[0], middle, float(walk.times[-1]))
    bodies = [*world.bodies, Body(figure, ID, way.body)]
    bodies += [Body(limb.mesh, ID, partial(way.limb, limb)) for limb in limbs]
    counts = {**world.scene.counts, CATEGORY: 1}
    scene = world.scene.model_copy(update={"objects": (*world.scene.objects, thing), "counts": counts})
    return replace(world, scene=scene, bodies=tuple(bodies))


def without_body(world: World) -> World:
    """World for the wearer's own camera: everything but the wearer, who stays an object of the scene."""
    return replace(world, bodies=tuple(body for body in world.bodies if body.object != ID))


def _helmet() -> Mesh:
    """A helmet on a figure's head, with a camera in front."""
    angles = np.linspace(0.0, np.pi / 2, 8)
    shell = turned([(max(float(np.cos(a)), 1e-4), float(np.sin(a))) for a in angles], _ORANGE, 18)
    size = np.diag([0.135, 0.15, 0.15, 1.0])
    size[:3, 3] = (0.0, -0.005, 1.645)
    brim = block((-0.12, 0.08, 1.64), (0.12, 0.2, 1.66), _ORANGE)
    camera = block((-0.05, 0.12, 1.66), (0.05, 0.24, 1.74), _BLACK)
    return joined([smoothed(shell, 80).moved(size), brim, camera])


class _Way:
    """Track of the wearer."""

    def __init__(self, walk: Walk) -> None:
        ahead = walk.poses[:, :2, 2]
        self._times = walk.times
        self._yaws = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
        heading = np.column_stack([np.cos(self._yaws), np.sin(self._yaws)])
        self._places = walk.poses[:, :2, 3] - _EYE * heading
        steps = np.linalg.norm(np.diff(walk.poses[:, :2, 3], axis=0), axis=1)
        self._moved = np.append(0.0, steps.cumsum())
        pace = np.gradient(self._moved, self._times) if len(self._times) > 1 else np.zeros(len(self._times))
        self._lively = np.clip(pace / 0.8, 0, 1)

    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""
        x, y = (float(np.interp(seconds, self._times, self._places[:, i])) for i in range(2))
        return placed((x, y, 0.0), float(np.interp(seconds, self._times, self._yaws)) - np.pi / 2)

    def body(self, seconds: float) -> Floats:
        """The transform of the person's body, which a step lifts and lowers."""
        return np.asarray(self.person(seconds) @ placed((0.0, 0.0, stance(self._swing(seconds)))))

    def limb(self, limb: Limb, seconds: float) -> Floats:
        """The transform of one of the person's limbs."""
        return np.asarray(self.body(seconds) @ limb.pose(self._swing(seconds), 0.0))

    def _swing(self, seconds: float) -> float:
        moved, lively = (float(np.interp(seconds, self._times, one)) for one in (self._moved, self._lively))
        return float(np.sin(2 * np.pi * moved / STRIDE)) * lively
