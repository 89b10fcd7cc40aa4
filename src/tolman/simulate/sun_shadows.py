"""Shadows of the sun outdoors: everything casts some, and what moves doesn't make all of them be drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.daylight import Daylight
from tolman.simulate.world import World

SIDE = 2048
"""Of each map, in pixels."""
_AROUND, _HIGH = 3.0, 7.0
"""Metres around the floor, and above it, that the finer map covers."""
_FIRST_UNIT = 5
"""The first of three texture units; those before it are the renderer's."""


class SunShadows:
    """Maps of what the sun meets first: one of what stands near, one of everything, one of what moves.

    Args:
        gl: the context.
        moderngl: its module.
        world: lit by daylight.
        program: draws the world; its uniforms are set.
        shadow: draws a map: uniforms `light_view` and `model`.
        draw: draws the numbered part of the world with that, as it stands at a time.
        movers: for each part of the world whether it moves.
    """

    def __init__(
        self,
        gl: Any,
        moderngl: Any,
        world: World,
        program: Any,
        shadow: Any,
        draw: Callable[[int, float], None],
        movers: Sequence[bool],
    ) -> None:
        light = world.light
        assert isinstance(light, Daylight)
        self._shadow, self._draw, self._movers = shadow, draw, movers
        axes = _axes(np.array(light.toward))
        bounds = np.array([body.mesh.bounds for body in world.bodies if body.pose is None])
        whole = np.array([bounds[:, 0].min(0), bounds[:, 1].max(0)])
        floor = np.array(world.scene.floor[0])
        near = np.array([[*(floor.min(0) - _AROUND), whole[0, 2]], [*(floor.max(0) + _AROUND), _HIGH]])
        near = np.clip(near, whole[0], np.maximum(whole[1], whole[0] + 1.0))
        self._near, self._far = _view(axes, near, whole), _view(axes, whole, whole)
        self._maps, self._targets = [], []
        for unit in range(3):
            texture = gl.depth_texture((SIDE, SIDE))
            texture.compare_func = "<="
            texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
            texture.repeat_x = texture.repeat_y = False
            self._maps.append(texture)
            self._targets.append(gl.framebuffer(depth_attachment=texture))
            program[("near_shadows", "far_shadows", "moving_shadows")[unit]].value = _FIRST_UNIT + unit
        program["near_view"].write(_columns(self._near))
        program["far_view"].write(_columns(self._far))
        program["texel"].value = 1.0 / SIDE
        grains = [2.0 / np.linalg.norm(view[:2, :3], axis=1).min() / SIDE for view in (self._near, self._far)]
        program["grain"].value = (float(grains[0]), float(grains[1]), 1.0 if any(movers) else 0.0)
        for name in ("background", "horizon", "sun"):
            program[name].value = getattr(light, name)
        set_sky(program, light)
        program["haze"].value, program["exposure"].value = light.haze, light.exposure
        for number, view in enumerate((self._near, self._far)):
            self._cast(number, view, 0.0, moving=False)

    def cast(self, seconds: float) -> None:
        """Draw the map of what moves, as it stands at a time."""
        if any(self._movers):
            self._cast(2, self._near, seconds, moving=True)

    def use(self) -> None:
        """Bind the maps."""
        for unit, texture in enumerate(self._maps):
            texture.use(_FIRST_UNIT + unit)

    def _cast(self, number: int, view: Floats, seconds: float, *, moving: bool) -> None:
        self._targets[number].use()
        self._targets[number].clear()
        self._shadow["light_view"].write(_columns(view))
        for part, moves in enumerate(self._movers):
            if moves is moving:
                self._draw(part, seconds)


def set_sky(program: Any, light: Daylight) -> None:
    """Tell a program where the sun and the clouds are."""
    program["toward_light"].value = light.toward
    program["clouds"].value = (light.cover, *light.drift, light.shadow)


def _axes(toward: Floats) -> Floats:
    side = np.cross([0.0, 0.0, 1.0], toward) if abs(toward[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    return np.array([side, np.cross(toward, side), toward])


def _view(axes: Floats, region: Floats, whole: Floats) -> Floats:
    """Scene → clip coordinates of the sun's parallel view of a region, as deep as the whole, shape (4, 4)."""

    def corners(bounds: Floats) -> Floats:
        x, y, z = bounds.T
        return np.array([[a, b, c] for a in x for b in y for c in z]) @ axes.T

    seen, deep = corners(region), corners(whole)
    low, high = seen.min(0) - 0.1, seen.max(0) + 0.1
    low[2], high[2] = deep[:, 2].min() - 0.1, deep[:, 2].max() + 0.1
    scale = 2.0 / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (scale * (1, 1, -1))[:, None]
    matrix[:3, 3] = -(low + high) / 2 * scale * (1, 1, -1)
    return matrix


def _columns(matrix: Floats) -> bytes:
    """A matrix as OpenGL takes it, column after column."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32).tobytes()
