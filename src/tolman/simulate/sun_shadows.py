"""Shadows of the sun outdoors: everything casts some, and what moves doesn't make all of them be drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.daylight import Daylight
from tolman.simulate.quality import Quality
from tolman.simulate.room_light import shadow_map
from tolman.simulate.viewing import columns, corners_of, light_axes, parallel_view, texel_metres
from tolman.simulate.world import World

_AROUND, _HIGH = 3.0, 7.0
"""Metres around the floor, and above it, that the finer map covers."""
_NAMES = ("near_shadows", "far_shadows", "moving_shadows")


class SunShadows:
    """Maps of what the sun meets first: one of what stands near, one of everything, one of what moves.

    Attributes:
        maps: their textures, by the names of their samplers.

    Args:
        gl: the context.
        moderngl: its module.
        world: lit by daylight.
        quality: of the maps.
        program: draws the world; its uniforms are set, but for the units of samplers.
        shadow: draws a map: uniforms `light_view` and `model`.
        draw: draws the numbered part of the world with that, as it stands at a time.
        movers: for each part of the world whether it moves.
    """

    def __init__(
        self,
        gl: Any,
        moderngl: Any,
        world: World,
        quality: Quality,
        program: Any,
        shadow: Any,
        draw: Callable[[int, float], None],
        movers: Sequence[bool],
    ) -> None:
        light = world.light
        assert isinstance(light, Daylight)
        self._shadow, self._draw, self._movers = shadow, draw, movers
        self._near, self._far = _views(world)
        self.maps: dict[str, Any] = {}
        self._targets = []
        for name in _NAMES:
            self.maps[name] = shadow_map(gl, moderngl, quality.shadows)
            self._targets.append(gl.framebuffer(depth_attachment=self.maps[name]))
        program["near_view"].write(columns(self._near))
        program["far_view"].write(columns(self._far))
        if quality.taps > 1:
            program["texel"].value = 1.0 / quality.bias_side
        near, far = (texel_metres(view, quality.bias_side) for view in (self._near, self._far))
        program["grain"].value = (near, far, 1.0 if any(movers) else 0.0)
        program["haze"].value, program["exposure"].value = light.haze, light.exposure
        for number, view in enumerate((self._near, self._far)):
            self._cast(number, view, 0.0, moving=False)

    def cast(self, seconds: float) -> None:
        """Draw the map of what moves, as it stands at a time."""
        if any(self._movers):
            self._cast(2, self._near, seconds, moving=True)

    def _cast(self, number: int, view: Floats, seconds: float, *, moving: bool) -> None:
        self._targets[number].use()
        self._targets[number].clear()
        self._shadow["light_view"].write(columns(view))
        for part, moves in enumerate(self._movers):
            if moves is moving:
                self._draw(part, seconds)


def set_sky(program: Any, light: Daylight) -> None:
    """Tell a program what the sky looks like, and where the sun and the clouds are."""
    program["toward_light"].value, program["sun"].value = light.toward, light.sun
    program["background"].value, program["horizon"].value = light.background, light.horizon
    program["clouds"].value = (light.cover, *light.drift, light.shadow)


def _views(world: World) -> tuple[Floats, Floats]:
    """Scene → clip coordinates of the sun's view of what is near and of all, both as deep as all, shape (4, 4)."""
    axes = light_axes(world.light.toward)
    bounds = np.array([body.mesh.bounds for body in world.bodies if body.pose is None])
    whole = np.array([bounds[:, 0].min(0), bounds[:, 1].max(0)])
    floor = np.array(world.scene.floor[0])
    near = np.array([[*(floor.min(0) - _AROUND), whole[0, 2]], [*(floor.max(0) + _AROUND), _HIGH]])
    near = np.clip(near, whole[0], np.maximum(whole[1], whole[0] + 1.0))
    seen, deep = corners_of(*near) @ axes.T, corners_of(*whole) @ axes.T
    low, high = seen.min(0), seen.max(0)
    low[2], high[2] = deep[:, 2].min(), deep[:, 2].max()
    return parallel_view(axes, low, high), parallel_view(axes, deep.min(0), deep.max(0))
