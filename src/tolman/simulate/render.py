"""Rendering: colour, depth in metres and instances in one pass, by OpenGL on EGL, with or without a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import NoDisplayError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.simulate import outdoor_shaders, shaders
from tolman.simulate.daylight import Daylight
from tolman.simulate.devices import devices_to_try
from tolman.simulate.lighting import STEP
from tolman.simulate.mesh import PLAIN, Mesh, Texture
from tolman.simulate.sun_shadows import SunShadows, set_sky
from tolman.simulate.world import World

_LAYER = 512
"""Side in pixels to which pictures on surfaces are brought."""
_SHADOWS = 2048
_NEAR, _FAR = 0.05, 300.0
_CONTACT = 256
_MIDDLE = 0.42
"""Light on a surface in the middle of a room whose light is baked."""


@dataclass(frozen=True)
class Frame:
    """One camera frame.

    Attributes:
        colour: shape (height, width, 3), uint8.
        depth: metres along the view at each pixel's middle, shape (height, width), float32; 0 where
            nothing is, or a surface is seen edge on.
        instances: the numbers of `World.numbers`, 0 for no object, shape (height, width), uint16.
    """

    colour: NDArray[np.uint8]
    depth: NDArray[np.float32]
    instances: NDArray[np.uint16]


@dataclass(frozen=True)
class _Range:
    """A body's part of the vertex buffer."""

    instance: int
    first: int
    count: int
    low: Floats
    high: Floats
    pose: Any
    casts: bool


class Renderer:
    """A world, ready to be drawn. Use it in a `with` block.

    The pixel in column i and row j looks through (i + 0.5, j + 0.5) of the intrinsics' plane.

    Args:
        world: what is drawn.
        size: width and height of pictures.

    Raises:
        NoDisplayError: there is no EGL.
        MissingExtraError: moderngl is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int]) -> None:
        with needs("simulate", "Rendering"):
            import moderngl
        self._gl = _context(moderngl)
        self.world, self.size = world, size
        self._programs(moderngl)
        self._upload(moderngl)
        self._colour = self._gl.texture(size, 4, dtype="f1")
        self._colour.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._colour.repeat_x = self._colour.repeat_y = False
        self._depth = self._gl.texture(size, 1, dtype="f4")
        self._ids = self._gl.texture(size, 1, dtype="u4")
        self._target = self._gl.framebuffer([self._colour, self._depth, self._ids], self._gl.depth_renderbuffer(size))
        self._final = self._gl.framebuffer([self._gl.texture(size, 4, dtype="f1")])
        self._gl.enable(moderngl.DEPTH_TEST)
        self._sun: SunShadows | None = None
        if isinstance(world.light, Daylight):
            movers = [part.pose is not None for part in self._ranges]
            self._sun = SunShadows(
                gl=self._gl,
                moderngl=moderngl,
                world=world,
                program=self._draw,
                shadow=self._shadow,
                draw=self._cast_part,
                movers=movers,
            )
        else:
            self._light_view = _light_view(world)
            scale = np.linalg.norm(self._light_view[:2, :3], axis=1).min()
            self._draw["grain"].value = float(2.0 / scale / _SHADOWS)
        self._cast(0.0)

    @property
    def driver(self) -> str:
        """The name of what draws, as OpenGL gives it: a graphics card, or llvmpipe for the processor."""
        return str(self._gl.info["GL_RENDERER"])

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._gl.release()

    def frame(self, pose: Floats, intrinsics: tuple[float, float, float, float], seconds: float = 0.0) -> Frame:
        """A picture.

        Args:
            pose: camera → scene, shape (4, 4); the camera looks along +z with y down.
            intrinsics: fx, fy, cx, cy in pixels.
            seconds: when; it matters where something moves.
        """
        if any(part.pose is not None for part in self._ranges):
            self._cast(seconds)
        view = np.asarray(np.linalg.inv(pose), dtype=np.float64)
        self._target.use()
        self._target.clear()
        program = self._draw
        program["view"].write(_columns(view))
        program["projection"].write(_columns(_projection(intrinsics, self.size)))
        program["eye"].value = tuple(float(x) for x in pose[:3, 3])
        self._shadow_map.use(0)
        self._pictures.use(1)
        self._contact.use(2)
        self._amount.use(3)
        self._flow.use(4)
        if self._sun:
            self._sun.use()
        for part in self._ranges:
            matrix = np.eye(4) if part.pose is None else np.asarray(part.pose(seconds))
            if _outside(part, view @ matrix, intrinsics, self.size):
                continue
            program["model"].write(_columns(matrix))
            program["instance"].value = part.instance
            self._scene_vao.render(vertices=part.count, first=part.first)
        self._fill(pose, intrinsics)
        self._final.use()
        self._colour.use(0)
        self._screen.render()
        width, height = self.size
        colour = np.frombuffer(self._final.read(components=3, alignment=1), dtype=np.uint8).reshape(height, width, 3)
        depth = np.frombuffer(self._depth.read(), dtype=np.float32).reshape(height, width)
        ids = np.frombuffer(self._ids.read(), dtype=np.uint32).reshape(height, width)
        return Frame(colour, depth, ids.astype(np.uint16))

    def _programs(self, moderngl: Any) -> None:
        gl, light = self._gl, self.world.light
        look = outdoor_shaders if isinstance(light, Daylight) else shaders
        self._draw = gl.program(vertex_shader=shaders.VERTEX, fragment_shader=look.FRAGMENT)
        self._shadow = gl.program(vertex_shader=shaders.SHADOW_VERTEX, fragment_shader=shaders.SHADOW_FRAGMENT)
        smooth = gl.program(vertex_shader=shaders.SCREEN_VERTEX, fragment_shader=shaders.SMOOTH_FRAGMENT)
        corners = np.array([-1, -1, 3, -1, -1, 3], dtype=np.float32)
        self._screen = gl.vertex_array(smooth, [(gl.buffer(corners.tobytes()), "2f", "in_corner")])
        self._sky = gl.program(vertex_shader=shaders.SKY_VERTEX, fragment_shader=look.SKY_FRAGMENT)
        self._behind = gl.vertex_array(self._sky, [(gl.buffer(corners.tobytes()), "2f", "in_corner")])
        self._sky["background"].value, self._sky["horizon"].value = light.background, light.horizon
        self._draw["sky"].value, self._draw["ground"].value = light.sky, light.ground
        self._draw["pictures"].value, self._draw["contact"].value = 1, 2
        if isinstance(light, Daylight):
            set_sky(self._sky, light)
            self._sky["sun"].value = light.sun
            return
        for value, name in ((0, "shadows"), (3, "light_amount"), (4, "light_flow")):
            self._draw[name].value = value
        self._draw["toward_light"].value, self._draw["sun"].value = light.toward, light.sun
        self._draw["texel"].value = 1.0 / _SHADOWS

    def _upload(self, moderngl: Any) -> None:
        """All bodies into one vertex buffer and one index buffer, all pictures into one array."""
        gl = self._gl
        numbers = self.world.numbers
        layers: dict[int, int] = {}
        pictures: list[Texture] = []
        vertices, indices = [], []
        self._ranges: list[_Range] = []
        first_vertex = first_index = 0
        for body in self.world.bodies:
            mesh = body.mesh
            own = np.full(len(mesh.textures) + 1, PLAIN)
            for i, texture in enumerate(mesh.textures):
                if id(texture) not in layers:
                    layers[id(texture)] = len(pictures)
                    pictures.append(texture)
                own[i] = layers[id(texture)]
            vertices.append(_vertices(mesh, own))
            indices.append((mesh.faces + first_vertex).astype(np.uint32).ravel())
            low, high = mesh.bounds
            number = numbers[body.object] if body.object else 0
            self._ranges.append(
                _Range(number, first_index, mesh.faces.size, low, high, body.pose, body.object is not None)
            )
            first_vertex += len(mesh.points)
            first_index += mesh.faces.size
        buffer = gl.buffer(np.concatenate(vertices).tobytes())
        index = gl.buffer(np.concatenate(indices).tobytes())
        self._scene_vao = gl.vertex_array(
            self._draw,
            [(buffer, "3f 3f 2f 4f1 1f", "in_point", "in_normal", "in_uv", "in_tint", "in_layer")],
            index,
        )
        self._shadow_vao = gl.vertex_array(self._shadow, [(buffer, "3f 28x", "in_point")], index)
        self._pictures = gl.texture_array((_LAYER, _LAYER, max(1, len(pictures))), 3, _stacked(pictures))
        self._pictures.build_mipmaps()
        self._pictures.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        self._shadow_map = gl.depth_texture((_SHADOWS, _SHADOWS))
        self._shadow_map.compare_func = "<="
        self._shadow_map.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._shadow_map.repeat_x = self._shadow_map.repeat_y = False
        self._shadow_target = gl.framebuffer(depth_attachment=self._shadow_map)
        dimness, place = _contact(self.world)
        self._contact = gl.texture((_CONTACT, _CONTACT), 1, dimness.tobytes(), alignment=1)
        self._contact.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._contact.repeat_x = self._contact.repeat_y = False
        self._draw["contact_place"].value = place
        self._bake(moderngl)

    def _bake(self, moderngl: Any) -> None:
        """The light at places in a room, as textures; black ones of one place where nothing is baked."""
        grid = self.world.lighting.grid if self.world.lighting else None
        shape = grid.shape if grid else (1, 1, 1)
        self._amount = self._gl.texture3d(shape, 4, grid.amount.tobytes() if grid else bytes(4))
        self._flow = self._gl.texture3d(shape, 4, grid.flow.tobytes() if grid else bytes(4))
        for texture in (self._amount, self._flow):
            texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
            texture.repeat_x = texture.repeat_y = texture.repeat_z = False
        if isinstance(self.world.light, Daylight):
            return
        self._draw["grid_low"].value = grid.low if grid else (0.0, 0.0, 0.0)
        self._draw["grid_size"].value = tuple(map(float, shape))
        self._draw["grid"].value = (STEP, grid.most * grid.exposure * _MIDDLE if grid else 0.0)

    def _cast(self, seconds: float) -> None:
        """Draw the map of shadows. Walls, floors and ceilings cast none: they would keep the light out."""
        if self._sun:
            self._sun.cast(seconds)
            return
        self._shadow_target.use()
        self._shadow_target.clear()
        self._shadow["light_view"].write(_columns(self._light_view))
        self._draw["light_view"].write(_columns(self._light_view))
        for number, part in enumerate(self._ranges):
            if part.casts:
                self._cast_part(number, seconds)

    def _cast_part(self, number: int, seconds: float) -> None:
        part = self._ranges[number]
        matrix = np.eye(4) if part.pose is None else np.asarray(part.pose(seconds))
        self._shadow["model"].write(_columns(matrix))
        self._shadow_vao.render(vertices=part.count, first=part.first)

    def _fill(self, pose: Floats, intrinsics: tuple[float, float, float, float]) -> None:
        """Draw the sky wherever nothing was drawn: there the clear leaves instances and depth undefined."""
        fx, fy, cx, cy = intrinsics
        width, height = self.size
        self._sky["to_scene"].write(_columns(np.asarray(pose)[:3, :3]))
        self._sky["lens"].value = (width / 2 / fx, height / 2 / fy, (width / 2 - cx) / fx, (height / 2 - cy) / fy)
        self._gl.depth_func = "<="
        self._behind.render()
        self._gl.depth_func = "<"


def _vertices(mesh: Mesh, layers: NDArray[np.int64]) -> NDArray[np.void]:
    """A mesh as the vertex buffer holds it: 3 + 3 + 2 floats, 4 bytes, 1 float."""
    layout = np.dtype([("point", "f4", 3), ("normal", "f4", 3), ("uv", "f4", 2), ("tint", "u1", 4), ("layer", "f4")])
    rows = np.zeros(len(mesh.points), dtype=layout)
    rows["point"], rows["normal"], rows["uv"] = mesh.points, mesh.normals, mesh.uvs
    rows["tint"] = np.clip(mesh.tints * 255 + 0.5, 0, 255)
    rows["layer"] = layers[mesh.textures_of]
    return rows


def _stacked(pictures: Sequence[Texture]) -> bytes:
    """Pictures of any size as the layers of an array, lowest row first."""
    from PIL import Image

    if not pictures:
        return bytes(_LAYER * _LAYER * 3)
    resized = [
        np.asarray(Image.fromarray(p).resize((_LAYER, _LAYER), Image.Resampling.BILINEAR))[::-1] for p in pictures
    ]
    return np.stack(resized).tobytes()


def _contact(world: World) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Brightness of the floor between things that stand on it: 255 in the open, darker beside walls and furniture."""
    if world.contact is None:
        return np.full((_CONTACT, _CONTACT), 255, dtype=np.uint8), (0.0, 0.0, 0.0, 0.0)
    import shapely
    from scipy.ndimage import gaussian_filter

    floor, standing = world.contact
    low_x, low_y, high_x, high_y = floor.buffer(0.3).bounds
    x = low_x + (np.arange(_CONTACT) + 0.5) * (high_x - low_x) / _CONTACT
    y = low_y + (np.arange(_CONTACT) + 0.5) * (high_y - low_y) / _CONTACT
    grid_x, grid_y = np.meshgrid(x, y)
    closed = ~shapely.contains_xy(floor, grid_x, grid_y)
    covered = shapely.contains_xy(shapely.union_all(standing), grid_x, grid_y) if standing else np.zeros_like(closed)
    cells_per_metre = _CONTACT / max(high_x - low_x, high_y - low_y)
    dim = 0.35 * gaussian_filter(closed.astype(float), 0.22 * cells_per_metre)
    dim += 0.75 * gaussian_filter(covered.astype(float), 0.12 * cells_per_metre)
    bright = np.clip(1.0 - dim, 0.15, 1.0)
    return (bright * 255).astype(np.uint8), (low_x, low_y, high_x - low_x, high_y - low_y)


def _context(moderngl: Any) -> Any:
    """OpenGL on the first device that can be opened: a card may be there that this process mustn't use."""
    places = devices_to_try()
    for place in places:
        try:
            return moderngl.create_context(standalone=True, backend="egl", device_index=place)
        except Exception as error:  # glcontext raises whatever the loader of libEGL gives
            if place == places[-1]:
                raise NoDisplayError(str(error) or type(error).__name__) from None
    raise AssertionError


def _light_view(world: World) -> Floats:
    """Scene → clip coordinates of the light's parallel view of all objects that cast shadows."""
    toward = np.array(world.light.toward)
    side = np.cross([0.0, 0.0, 1.0], toward) if abs(toward[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    axes = np.array([side, np.cross(toward, side), toward])
    corners = []
    # Only what casts shadows has to be on the map: the ground of a street would make it coarse.
    still = [body for body in world.bodies if body.pose is None]
    for body in [body for body in still if body.object is not None] or still:
        (x0, y0, z0), (x1, y1, z1) = body.mesh.bounds
        corners += [[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
    seen = np.array(corners) @ axes.T
    low, high = seen.min(0) - 0.1, seen.max(0) + 0.1
    scale = 2.0 / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = axes * (scale * (1, 1, -1))[:, None]
    matrix[:3, 3] = -(low + high) / 2 * scale * (1, 1, -1)
    return matrix


def _projection(intrinsics: tuple[float, float, float, float], size: tuple[int, int]) -> Floats:
    """Camera → clip coordinates; the picture's upper row comes first in memory."""
    fx, fy, cx, cy = intrinsics
    width, height = size
    return np.array(
        [
            [2 * fx / width, 0, 2 * cx / width - 1, 0],
            [0, 2 * fy / height, 2 * cy / height - 1, 0],
            [0, 0, (_FAR + _NEAR) / (_FAR - _NEAR), -2 * _FAR * _NEAR / (_FAR - _NEAR)],
            [0, 0, 1, 0],
        ]
    )


def _outside(
    part: _Range, to_camera: Floats, intrinsics: tuple[float, float, float, float], size: tuple[int, int]
) -> bool:
    """Tell whether a body's box lies wholly outside the picture."""
    corners = np.array(
        [
            [x, y, z]
            for x in (part.low[0], part.high[0])
            for y in (part.low[1], part.high[1])
            for z in (part.low[2], part.high[2])
        ]
    )
    seen = corners @ to_camera[:3, :3].T + to_camera[:3, 3]
    if (seen[:, 2] < _NEAR).all():
        return True
    fx, fy, cx, cy = intrinsics
    u, v, z = fx * seen[:, 0], fy * seen[:, 1], seen[:, 2]
    return bool(
        (u + cx * z < 0).all()
        or (u + (cx - size[0]) * z > 0).all()
        or (v + cy * z < 0).all()
        or (v + (cy - size[1]) * z > 0).all()
    )


def _columns(matrix: Floats) -> bytes:
    """A matrix as OpenGL takes it, column after column."""
    return np.ascontiguousarray(matrix.T, dtype=np.float32).tobytes()
