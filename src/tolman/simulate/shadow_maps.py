"""Shadows for the renderer: dark crevices, shadows and baked light in rooms, shadows of the sun outdoors.

Crevices are narrow gaps between surfaces; they are computed once for static things. Outdoors everything casts shadows,
and only those of moving things are redrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from tolman.geometry.boxes import Floats
from tolman.simulate.lighting import Quality
from tolman.simulate.mesh import Mesh
from tolman.simulate.render_input import columns, corners_of, light_axes, light_view, parallel_view, texel_metres
from tolman.simulate.world import Daylight, World

CONTACT = 256
"""Side of the picture of a floor's dimness."""
BLUR = 1.25
"""Standard deviation, in cells, by which surfaces are blurred."""
FULL = 2.0
"""Times the density of a plane at itself that is the greatest density told."""
_SPACING = 0.6
"""Cells between the points with which surfaces are filled."""
_R2 = 0.7548776662466927, 0.5698402909980532
"""Steps of a sequence that fills a square evenly (M. Roberts, "The unreasonable effectiveness of quasirandom
sequences", 2018)."""


@dataclass(frozen=True)
class Crevices:
    """Density of surfaces at places.

    Attributes:
        low: the first cell's middle, metres.
        cell: metres from one to the next.
        density: of surfaces around each cell; 255 is `FULL` times that of a plane at itself, shape (z, y, x).
    """

    low: tuple[float, float, float]
    cell: float
    density: NDArray[np.uint8]


def find_crevices(meshes: Sequence[Mesh], cell: float) -> Crevices:
    """Return surfaces as a blurred grid of cells.

    Args:
        meshes: of static things.
        cell: metres.
    """
    corners = np.concatenate([mesh.points[mesh.faces] for mesh in meshes])
    points, areas = _filled(corners, _SPACING * cell)
    low = points.min(0) - 3 * cell
    counts = np.ceil((points.max(0) + 3 * cell - low) / cell).astype(np.intp) + 1
    at = (points - low) / cell
    base = np.floor(at).astype(np.intp)
    part = at - base
    filled = np.zeros(int(counts.prod()))
    for corner in np.ndindex(2, 2, 2):
        place = np.ravel_multi_index(tuple((base + corner).T), tuple(counts))
        weight = np.where(np.array(corner, dtype=bool), part, 1 - part).prod(1)
        filled += np.bincount(place, weight * areas, len(filled))
    # Both sides of a board fill its cells once.
    occupied = np.minimum(filled / cell**2, 1.0).reshape(tuple(counts))
    blurred = gaussian_filter(occupied, BLUR) * BLUR * np.sqrt(2 * np.pi)
    density = np.clip(blurred / FULL * 255 + 0.5, 0, 255).astype(np.uint8)
    x, y, z = (float(value) for value in low)
    return Crevices((x, y, z), cell, np.ascontiguousarray(density.transpose(2, 1, 0)))


def _filled(corners: Floats, spacing: float) -> tuple[Floats, Floats]:
    """Return points spread evenly over triangles, shape (n, 3), and the square metres of each."""
    edges = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.linalg.norm(np.cross(*edges), axis=1) / 2
    counts = np.maximum(1, np.ceil(areas / spacing**2)).astype(np.intp)
    owner = np.repeat(np.arange(len(corners)), counts)
    step = np.arange(len(owner)) - np.repeat(counts.cumsum() - counts, counts)
    u, v = (0.5 + step * _R2[0]) % 1, (0.5 + step * _R2[1]) % 1
    beyond = u + v > 1
    u, v = np.where(beyond, 1 - u, u)[:, None], np.where(beyond, 1 - v, v)[:, None]
    return corners[owner, 0] + u * edges[0][owner] + v * edges[1][owner], (areas / counts)[owner]


def floor_contact(world: World) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Return the brightness of the floor between things on it: 255 in the open, darker next to walls and furniture.

    Returns:
        A picture of `CONTACT` pixels a side; and least x and y, and the size, of its area: 0 for none.
    """
    if world.contact is None:
        return np.full((CONTACT, CONTACT), 255, dtype=np.uint8), (0.0, 0.0, 0.0, 0.0)

    floor, standing = world.contact
    low_x, low_y, high_x, high_y = floor.buffer(0.3).bounds
    x = low_x + (np.arange(CONTACT) + 0.5) * (high_x - low_x) / CONTACT
    y = low_y + (np.arange(CONTACT) + 0.5) * (high_y - low_y) / CONTACT
    grid_x, grid_y = np.meshgrid(x, y)
    closed = ~shapely.contains_xy(floor, grid_x, grid_y)
    covered = shapely.contains_xy(shapely.union_all(standing), grid_x, grid_y) if standing else np.zeros_like(closed)
    cells_per_metre = CONTACT / max(high_x - low_x, high_y - low_y)
    dim = 0.35 * gaussian_filter(closed.astype(float), 0.22 * cells_per_metre)
    dim += 0.75 * gaussian_filter(covered.astype(float), 0.12 * cells_per_metre)
    bright = np.clip(1.0 - dim, 0.15, 1.0)
    return (bright * 255).astype(np.uint8), (low_x, low_y, high_x - low_x, high_y - low_y)


_MIDDLE = 0.42
"""Light on a surface in the middle of a room whose light is baked."""


class RoomLight:
    """Textures of a pixel's light: a map of shadows, and grids of baked light, black where nothing is baked.

    Attributes:
        maps: their textures, by the names of their samplers.

    Args:
        gl: the context.
        moderngl: its module.
        world: with its light.
        quality: of the maps and grids.
        program: draws the world; its uniforms are set, but for the units of samplers.
        shadow: draws a map: uniforms `light_view` and `model`.
        draw: draws the numbered part of the world with that, as it is at a time.
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
            crevices.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
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
    """Check whether crevices are darker: only baked light leaves them as bright as all around."""
    return bool(quality.crevices) and world.lighting is not None


def shadow_map(gl: Any, moderngl: Any, side: int) -> Any:
    """Make a texture of depths, so many texels a side, that compares places with it."""
    texture = gl.depth_texture((side, side))
    texture.compare_func = "<="
    texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
    texture.repeat_x = texture.repeat_y = False
    return texture


_AROUND, _HIGH = 3.0, 7.0
"""Metres around the floor, and above it, that the finer map covers."""
_NAMES = ("near_shadows", "far_shadows", "moving_shadows")


class SunShadows:
    """Depth maps from the sun: one of near things, one of everything, one of moving things.

    Attributes:
        maps: their textures, by the names of their samplers.

    Args:
        gl: the context.
        moderngl: its module.
        world: lit by daylight.
        quality: of the maps.
        program: draws the world; its uniforms are set, but for the units of samplers.
        shadow: draws a map: uniforms `light_view` and `model`.
        draw: draws the numbered part of the world with that, as it is at a time.
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
        """Draw the map of moving things at a time."""
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
    """Set a program's uniforms of the sky, the sun and the clouds."""
    program["toward_light"].value, program["sun"].value = light.toward, light.sun
    program["background"].value, program["horizon"].value = light.background, light.horizon
    program["clouds"].value = (light.cover, *light.drift, light.shadow)


def _views(world: World) -> tuple[Floats, Floats]:
    """Return scene → clip transforms of the sun's views of the near part and of all, equally deep, shape (4, 4)."""
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
