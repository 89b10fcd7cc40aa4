"""Rendering: colour, depth in metres and instances, by OpenGL on EGL, with or without a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.simulate import outdoor_shaders, shaders
from tolman.simulate.canvas import Canvas, Readings
from tolman.simulate.daylight import Daylight
from tolman.simulate.devices import opened_context
from tolman.simulate.mirrors import MirrorPlane
from tolman.simulate.occlusion import CONTACT, FULL, floor_contact
from tolman.simulate.packing import LAYER, PackedBody, packed, stacked
from tolman.simulate.quality import DEFAULT, Quality
from tolman.simulate.room_light import RoomLight, has_crevices
from tolman.simulate.sun_shadows import SunShadows, set_sky
from tolman.simulate.viewing import Intrinsics, columns, is_outside, projection
from tolman.simulate.world import World

_LEAST_MIRROR = 0.001
"""Share of a picture that an object with a mirror has at least where a reflection is drawn."""
_BEFORE_GLASS = 0.002
"""Metres before a mirror from which things are reflected: the glass itself isn't."""
_CLIP = 0x3000
"""GL_CLIP_DISTANCE0."""
_ALL = (0.0, 0.0, 0.0, 1.0)
"""A plane behind which nothing is."""
_Seen = list[tuple[PackedBody, Floats]]
"""Bodies, and where each stands: 4×4 transforms to the scene."""


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
class _Mirror:
    """A mirror, the number of its object, and what draws its glass."""

    plane: MirrorPlane
    instance: int
    glass: Any


@dataclass(frozen=True)
class _Pass:
    """A way to draw bodies: a program, and all bodies' vertices as it takes them."""

    program: Any
    bodies: Any


class Renderer:
    """A world, ready to be drawn. Use it in a `with` block.

    The pixel in column i and row j looks through (i + 0.5, j + 0.5) of the intrinsics' plane.

    Args:
        world: what is drawn.
        size: width and height of pictures.
        quality: of the colours; depth and instances are the same at every level.

    Raises:
        NoDisplayError: there is no EGL.
        MissingExtraError: moderngl is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int], quality: Quality = DEFAULT) -> None:
        with needs("simulate", "Rendering"):
            import moderngl
        self._gl = opened_context(moderngl)
        self.world, self.size, self.quality = world, size, quality
        self._programs(moderngl)
        self._upload(moderngl)
        self._gl.enable(moderngl.DEPTH_TEST)
        self._lighten(moderngl)
        self._readings = Readings(self._gl, size)
        fine = (size[0] * quality.samples, size[1] * quality.samples)
        self._canvas = Canvas(self._gl, moderngl, fine, self._readings.depths if fine == size else None)
        self._reflected = Canvas(self._gl, moderngl, fine) if self._mirrors else None
        self._final = self._gl.framebuffer([self._gl.texture(size, 4, dtype="f1")])
        self._light.cast(0.0)

    @property
    def driver(self) -> str:
        """The name of what draws, as OpenGL gives it: a graphics card, or llvmpipe for the processor."""
        return str(self._gl.info["GL_RENDERER"])

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._gl.release()

    def frame(self, pose: Floats, intrinsics: Intrinsics, seconds: float = 0.0) -> Frame:
        """A picture.

        Args:
            pose: camera → scene, shape (4, 4); the camera looks along +z with y down.
            intrinsics: fx, fy, cx, cy in pixels.
            seconds: when; it matters where something moves.
        """
        if any(part.pose is not None for part in self._bodies):
            self._light.cast(seconds)
        view = np.asarray(np.linalg.inv(pose), dtype=np.float64)
        width, height = self.size
        seen = self._in_view(view, intrinsics, (0, 0, width, height), seconds)
        self._readings.target.use()
        self._readings.target.clear()
        self._draw_bodies(self._measuring, seen, view, projection(intrinsics, self.size))
        depth, ids = self._readings.read()
        fx, fy, cx, cy = (value * self.quality.samples for value in intrinsics)
        self._show(seen, view, pose, (fx, fy, cx, cy))
        for mirror in self._mirrors:
            if np.count_nonzero(ids == mirror.instance) > _LEAST_MIRROR * ids.size:
                self._reflect(mirror, view, pose, (fx, fy, cx, cy), seconds)
        self._final.use()
        self._canvas.picture.use(0)
        self._screen.render()
        colour = np.frombuffer(self._final.read(components=3, alignment=1), dtype=np.uint8).reshape(height, width, 3)
        return Frame(colour, depth, ids)

    def _show(self, seen: _Seen, view: Floats, pose: Floats, intrinsics: Intrinsics) -> None:
        """Draw the world's colours and the sky behind it."""
        canvas = self._canvas
        lens = projection(intrinsics, canvas.size)
        canvas.target.use()
        # What is hidden costs no light: depths come first, where they aren't those of the readings.
        if canvas.size != self.size:
            canvas.target.clear()
            canvas.target.color_mask = (False,) * 4
            self._draw_bodies(self._hiding, seen, view, lens)
            canvas.target.color_mask = (True,) * 4
        self._gl.depth_func = "<="
        self._colour_bodies(seen, view, pose, lens)
        self._fill(pose, intrinsics, canvas.size)
        self._gl.depth_func = "<"

    def _in_view(
        self, view: Floats, intrinsics: Intrinsics, window: tuple[int, int, int, int], seconds: float
    ) -> _Seen:
        """The bodies that may be seen in a window (left, top, width, height) of a picture, the nearest first."""
        left, top, width, height = window
        fx, fy, cx, cy = intrinsics
        seen: list[tuple[float, int, PackedBody, Floats]] = []
        for number, part in enumerate(self._bodies):
            matrix = np.eye(4) if part.pose is None else np.asarray(part.pose(seconds))
            towards = view @ matrix
            if not is_outside(part.corners, towards, (fx, fy, cx - left, cy - top), (width, height)):
                middle = towards[:3, :3] @ part.corners.mean(0) + towards[:3, 3]
                seen.append((float(np.linalg.norm(middle)), number, part, matrix))
        return [one[2:] for one in sorted(seen, key=lambda one: one[:2])]

    def _draw_bodies(self, how: _Pass, seen: _Seen, view: Floats, lens: Floats) -> None:
        """Draw bodies as a camera sees them, whose projection is `lens`."""
        program = how.program
        program["view"].write(columns(view))
        program["projection"].write(columns(lens))
        for part, matrix in seen:
            program["model"].write(columns(matrix))
            if how is self._measuring:
                program["instance"].value = float(part.instance)
            how.bodies.render(vertices=part.count, first=part.first)

    def _colour_bodies(self, seen: _Seen, view: Floats, pose: Floats, lens: Floats) -> None:
        """Draw bodies in their colours."""
        self._draw["eye"].value = tuple(float(x) for x in pose[:3, 3])
        for unit, texture in enumerate(self._looked_up.values()):
            texture.use(unit)
        self._draw_bodies(self._colouring, seen, view, lens)

    def _reflect(self, mirror: _Mirror, view: Floats, pose: Floats, intrinsics: Intrinsics, seconds: float) -> None:
        """Draw what a mirror reflects, as its image behind the glass, then the glass."""
        canvas = self._reflected
        assert canvas is not None
        window = mirror.plane.window(pose, intrinsics, canvas.size)
        if window is None:
            return
        through = mirror.plane.reflection
        canvas.target.use()
        canvas.target.scissor = window
        canvas.target.clear(*self.world.light.horizon)
        x, y, z, away = mirror.plane.plane.tolist()
        self._draw["kept"].value = (x, y, z, away - _BEFORE_GLASS)
        self._gl.enable_direct(_CLIP)
        back, lens = view @ through, projection(intrinsics, canvas.size)
        self._colour_bodies(self._in_view(back, intrinsics, window, seconds), back, through @ pose, lens)
        self._gl.disable_direct(_CLIP)
        self._draw["kept"].value = _ALL
        self._canvas.target.use()
        self._glass["view"].write(columns(view))
        self._glass["projection"].write(columns(lens))
        self._glass["model"].write(columns(np.eye(4)))
        canvas.picture.use(0)
        self._gl.depth_func = "<="
        mirror.glass.render()
        self._gl.depth_func = "<"

    def _programs(self, moderngl: Any) -> None:
        gl, light = self._gl, self.world.light
        often = self.quality.taps, self.quality.samples
        dark = has_crevices(self.world, self.quality)
        if isinstance(light, Daylight):
            pixel, heaven = outdoor_shaders.fragment(*often), outdoor_shaders.SKY_FRAGMENT
        else:
            pixel, heaven = shaders.fragment(*often, crevices=FULL if dark else 0.0), shaders.SKY_FRAGMENT
        self._draw = gl.program(vertex_shader=shaders.VERTEX, fragment_shader=pixel)
        self._shadow = gl.program(vertex_shader=shaders.SHADOW_VERTEX, fragment_shader=shaders.SHADOW_FRAGMENT)
        self._measure = gl.program(vertex_shader=shaders.VERTEX, fragment_shader=shaders.READINGS_FRAGMENT)
        self._hide = gl.program(vertex_shader=shaders.VERTEX, fragment_shader=shaders.SHADOW_FRAGMENT)
        self._glass = gl.program(vertex_shader=shaders.VERTEX, fragment_shader=shaders.MIRROR_FRAGMENT)
        screen = gl.program(vertex_shader=shaders.SCREEN_VERTEX, fragment_shader=shaders.FINISH_FRAGMENT)
        screen["samples"].value = self.quality.samples
        corners = np.array([-1, -1, 3, -1, -1, 3], dtype=np.float32)
        self._screen = gl.vertex_array(screen, [(gl.buffer(corners.tobytes()), "2f", "in_corner")])
        self._sky = gl.program(vertex_shader=shaders.SKY_VERTEX, fragment_shader=heaven)
        self._behind = gl.vertex_array(self._sky, [(gl.buffer(corners.tobytes()), "2f", "in_corner")])
        self._sky["background"].value, self._sky["horizon"].value = light.background, light.horizon
        for program in (self._draw, self._measure, self._hide, self._glass):
            program["kept"].value = _ALL
        self._draw["sky"].value, self._draw["ground"].value = light.sky, light.ground
        if isinstance(light, Daylight):
            set_sky(self._draw, light)
            set_sky(self._sky, light)

    def _upload(self, moderngl: Any) -> None:
        """All bodies into one vertex buffer and one index buffer, all pictures into one array."""
        gl, pack = self._gl, packed(self.world)
        self._bodies = pack.bodies
        buffer, index = gl.buffer(pack.vertices), gl.buffer(pack.indices)
        whole = [(buffer, "3f 3f 2f 4f1 1f", "in_point", "in_normal", "in_uv", "in_tint", "in_layer")]
        points = [(buffer, "3f 28x", "in_point")]
        self._colouring = _Pass(self._draw, gl.vertex_array(self._draw, whole, index))
        self._measuring = _Pass(self._measure, gl.vertex_array(self._measure, points, index))
        self._hiding = _Pass(self._hide, gl.vertex_array(self._hide, points, index))
        self._shadow_vao = gl.vertex_array(self._shadow, points, index)
        self._mirrors = []
        for plane, number, first in pack.mirrors if self.quality.mirrors else ():
            triangles = gl.buffer((plane.faces + first).astype(np.uint32).tobytes())
            self._mirrors.append(_Mirror(plane, number, gl.vertex_array(self._glass, points, triangles)))
        self._pictures = gl.texture_array((LAYER, LAYER, max(1, len(pack.pictures))), 3, stacked(pack.pictures))
        self._pictures.build_mipmaps()
        self._pictures.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)

    def _lighten(self, moderngl: Any) -> None:
        """Make all that a pixel looks into beside pictures: what dims a floor, and what tells the light."""
        gl, draw = self._gl, self._draw
        dimness, place = floor_contact(self.world)
        contact = gl.texture((CONTACT, CONTACT), 1, dimness.tobytes(), alignment=1)
        contact.filter = (moderngl.LINEAR, moderngl.LINEAR)
        contact.repeat_x = contact.repeat_y = False
        draw["contact_place"].value = place
        means = gl, moderngl, self.world, self.quality, draw, self._shadow, self._draw_shadow
        self._light: SunShadows | RoomLight
        if isinstance(self.world.light, Daylight):
            self._light = SunShadows(*means, [part.pose is not None for part in self._bodies])
        else:
            self._light = RoomLight(*means, [part.casts for part in self._bodies])
        self._looked_up = {"pictures": self._pictures, "contact": contact, **self._light.maps}
        for unit, name in enumerate(self._looked_up):
            draw[name].value = unit

    def _draw_shadow(self, number: int, seconds: float) -> None:
        """Draw a numbered part of the world into a map of shadows."""
        part = self._bodies[number]
        matrix = np.eye(4) if part.pose is None else np.asarray(part.pose(seconds))
        self._shadow["model"].write(columns(matrix))
        self._shadow_vao.render(vertices=part.count, first=part.first)

    def _fill(self, pose: Floats, intrinsics: Intrinsics, size: tuple[int, int]) -> None:
        """Draw the sky wherever nothing was drawn: there the clear leaves instances and depth undefined."""
        fx, fy, cx, cy = intrinsics
        width, height = size
        self._sky["to_scene"].write(columns(np.asarray(pose)[:3, :3]))
        self._sky["lens"].value = (width / 2 / fx, height / 2 / fy, (width / 2 - cx) / fx, (height / 2 - cy) / fy)
        self._gl.depth_func = "<="
        self._behind.render()
        self._gl.depth_func = "<"
