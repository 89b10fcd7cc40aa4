"""Light in rooms: shadows of things, light that is baked at places, crevices that are darker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tolman.simulate.occlusion import find_crevices
from tolman.simulate.quality import Quality
from tolman.simulate.viewing import columns, light_view, texel_metres
from tolman.simulate.world import World

_MIDDLE = 0.42
"""Light on a surface in the middle of a room whose light is baked."""


class RoomLight:
    """What tells a pixel its light: a map of shadows, and grids of what is baked, black where nothing is.

    Attributes:
        maps: their textures, by the names of their samplers.

    Args:
        gl: the context.
        moderngl: its module.
        world: with its light.
        quality: of the maps and grids.
        program: draws the world; its uniforms are set, but for the units of samplers.
        shadow: draws a map: uniforms `light_view` and `model`.
        draw: draws the numbered part of the world with that, as it stands at a time.
        casts: for each part of the world whether it casts a shadow. Walls, floors and ceilings don't: they would keep
            the light out.
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
        casts: Sequence[bool],
    ) -> None:
        self._shadow, self._draw, self._casts = shadow, draw, casts
        self._view = light_view(world)
        program["toward_light"].value, program["sun"].value = world.light.toward, world.light.sun
        program["light_view"].write(columns(self._view))
        program["grain"].value = texel_metres(self._view, quality.bias_side)
        if quality.taps > 1:
            program["texel"].value = 1.0 / quality.bias_side
        shadows = shadow_map(gl, moderngl, quality.shadows)
        self._target = gl.framebuffer(depth_attachment=shadows)
        self.maps: dict[str, Any] = {"shadows": shadows}
        grid = world.lighting.grid_of(quality.light) if world.lighting else None
        shape = grid.shape if grid else (1, 1, 1)
        baked = (grid.amount.tobytes(), grid.flow.tobytes()) if grid else (bytes(4), bytes(4))
        for name, content in zip(("light_amount", "light_flow"), baked, strict=True):
            self.maps[name] = gl.texture3d(shape, 4, content)
            self.maps[name].filter = (moderngl.LINEAR, moderngl.LINEAR)
        program["grid_low"].value = grid.low if grid else (0.0, 0.0, 0.0)
        program["grid_size"].value = tuple(map(float, shape))
        program["grid"].value = (grid.step, grid.most * grid.exposure * _MIDDLE) if grid else (1.0, 0.0)
        if has_crevices(world, quality):
            found = find_crevices([body.mesh for body in world.bodies if body.pose is None], quality.crevices)
            size = found.density.shape[::-1]
            crevices = gl.texture3d(size, 1, found.density.tobytes(), alignment=1)
            crevices.build_mipmaps()
            crevices.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
            self.maps["crevices"] = crevices
            program["cell_low"].value, program["cells"].value, program["cell"].value = found.low, size, found.cell
        for name, texture in self.maps.items():
            if name != "shadows":
                texture.repeat_x = texture.repeat_y = texture.repeat_z = False

    def cast(self, seconds: float) -> None:
        """Draw the map of shadows, as they fall at a time."""
        self._target.use()
        self._target.clear()
        self._shadow["light_view"].write(columns(self._view))
        for part, casts in enumerate(self._casts):
            if casts:
                self._draw(part, seconds)


def has_crevices(world: World, quality: Quality) -> bool:
    """Whether crevices are darker: only baked light leaves them as bright as all around."""
    return bool(quality.crevices) and world.lighting is not None


def shadow_map(gl: Any, moderngl: Any, side: int) -> Any:
    """A texture of depths, so many texels a side, that tells which places lie behind it."""
    texture = gl.depth_texture((side, side))
    texture.compare_func = "<="
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = False
    return texture
