"""Rendering: colour, depth in metres and instances, by OpenGL on EGL, with or without a GPU.

EGL knows each graphics card of a machine, and Mesa's drawing by the processor as one more device. Colours are drawn on
one canvas, depths and instances on another.

The shader programs of the folder `glsl` draw a depth map from the light, pictures with depth and instances, mirrors
and smooth edges. Those for places outdoors draw sun with soft shadows, sky light, panes that mirror the sky, haze and
clouds. There, the fourth number of a vertex's colour is its material: up to `GLOSS` varnish, up to `GLASS` a pane.
Above that it shines by itself, as in rooms.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from tolman.errors import NoDisplayError, TolmanError
from tolman.extras import needs
from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox, Scene, SceneObject
from tolman.simulate.lighting import DEFAULT, Quality
from tolman.simulate.mesh import block
from tolman.simulate.render_input import (
    LAYER,
    Intrinsics,
    MirrorPlane,
    PackedBody,
    columns,
    is_outside,
    packed,
    projection,
    stacked,
)
from tolman.simulate.shadow_maps import CONTACT, FULL, RoomLight, SunShadows, floor_contact, has_crevices, set_sky
from tolman.simulate.world import Body, Daylight, World


@cache
def source(name: str) -> str:
    """Return a file of the folder `glsl`, with those that it includes."""
    text = files("tolman.simulate").joinpath("glsl", name).read_text(encoding="utf-8")
    return re.sub(r'#include "(.+)"\n', lambda found: source(found[1]), text)


_TAPS = (
    (-0.61, -0.37), (0.17, -0.76), (0.71, -0.11), (0.36, 0.62), (-0.29, 0.85), (-0.87, 0.32), (0.05, 0.11),
    (-0.2, -0.12),
)  # fmt: skip
"""Places on a disc, at which the map of shadows is looked into."""


def tap_places(taps: int, samples: int) -> str:
    """Return lines of a program: `COUNT`, `TAPS`, so many places on a disc, and `turned()`, by which a sample turns
    them.

    Args:
        taps: number of places at which a sample looks into a map of shadows; 1 is the middle.
        samples: a pixel has so many across and so many down: each turns the places by another part of a circle, so that
            the edge of a shadow has more shades than one sample gives.
    """
    if taps == 1:
        places: list[tuple[float, float]] = [(0.0, 0.0)]
    elif taps == len(_TAPS):
        places = list(_TAPS)
    else:
        turns = np.arange(taps) * np.pi * (3 - np.sqrt(5))
        radii = np.sqrt((np.arange(taps) + 0.5) / taps)
        places = list(zip((radii * np.cos(turns)).tolist(), (radii * np.sin(turns)).tolist(), strict=True))
    parts = 2 * np.pi * np.arange(samples**2) / samples**2
    ways = list(zip(np.cos(parts).tolist(), np.sin(parts).tolist(), strict=True))
    turned = source("turned.glsl").replace("SIDE", str(samples))
    return f"#define COUNT {taps}\n{_array('TAPS', places)}{_array('WAYS', ways)}{turned}"


def _array(name: str, values: Sequence[tuple[float, float]]) -> str:
    listed = ", ".join(f"vec2({x!r}, {y!r})" for x, y in values)
    return f"const vec2 {name}[{len(values)}] = vec2[]({listed});\n"


def fragment(taps: int, samples: int, *, crevices: float = 0.0) -> str:
    """Return the program of a pixel.

    Args:
        taps, samples: of `tap_places`.
        crevices: the density of surfaces at the brightest texel of `crevices`; 0 to leave it out.
    """
    defined = f"#define CREVICES\n#define FULL {crevices!r}\n" if crevices else ""
    return f"#version 330\n{defined}{tap_places(taps, samples)}{source('room.frag')}"


GLOSS, GLASS = 0.06, 0.27


def outdoor_fragment(taps: int, samples: int) -> str:
    """Return the program of a pixel.

    Args:
        taps: number of places at which a sample looks into the map of near shadows; 1 is the middle.
        samples: a pixel has so many across and so many down.
    """
    return f"#version 330\n{tap_places(taps, samples)}{source('outdoor.frag')}"


class Canvas:
    """Target of colours.

    Attributes:
        target: the framebuffer to draw on.
        picture: the texture of its colours.
        size: width and height, pixels.

    Args:
        gl: the context.
        moderngl: its module.
        size: width and height, pixels.
        depths: a buffer of that size that holds earlier drawings; a new one by default.
    """

    def __init__(self, gl: Any, moderngl: Any, size: tuple[int, int], depths: Any = None) -> None:
        self.size = size
        self.picture = gl.texture(size, 4, dtype="f1")
        self.picture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.picture.repeat_x = self.picture.repeat_y = False
        self.target = gl.framebuffer([self.picture], depths or gl.depth_renderbuffer(size))


class Readings:
    """Target of depths and instances, at each pixel's middle.

    Attributes:
        target: the framebuffer to draw on.
        depths: the buffer by which hidden surfaces aren't drawn.
        size: width and height, pixels.

    Args:
        gl: the context.
        size: width and height, pixels.
    """

    def __init__(self, gl: Any, size: tuple[int, int]) -> None:
        self.size = size
        # Both as floats, exact up to 2^24: a clear leaves integers undefined.
        self._both = gl.texture(size, 2, dtype="f4")
        self.depths = gl.depth_renderbuffer(size)
        self.target = gl.framebuffer([self._both], self.depths)

    def read(self) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
        """Depths in metres and numbers of instances, each of shape (height, width); 0 where nothing was drawn."""
        width, height = self.size
        both = np.frombuffer(self._both.read(), dtype=np.float32).reshape(height, width, 2)
        return np.ascontiguousarray(both[..., 0]), both[..., 1].astype(np.uint16)


VISIBLE = "CUDA_VISIBLE_DEVICES"
_EXTENSIONS, _CUDA_DEVICE = 0x3055, 0x323A  # EGL_EXTENSIONS; EGL_CUDA_DEVICE_NV of EGL_NV_device_cuda
_SOFTWARE = "EGL_MESA_device_software"
_MOST = 64


@dataclass(frozen=True)
class DrawingDevice:
    """A device of EGL.

    Attributes:
        index: its place in EGL's list.
        software: whether it draws by the processor.
        cuda: the number of the graphics card as CUDA has it; None where it isn't known.
    """

    index: int
    software: bool = False
    cuda: int | None = None


def drawing_devices() -> list[DrawingDevice]:
    """The devices of this machine, in EGL's order; none where EGL can't be asked (EGL_EXT_device_query)."""
    try:
        egl = ctypes.CDLL(ctypes.util.find_library("EGL") or "libEGL.so.1")
    except OSError:
        return []
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query = _function(egl, "eglQueryDevicesEXT", ctypes.c_uint)
    told = _function(egl, "eglQueryDeviceStringEXT", ctypes.c_char_p)
    attribute = _function(egl, "eglQueryDeviceAttribEXT", ctypes.c_uint)
    if query is None or told is None:
        return []
    found, count = (ctypes.c_void_p * _MOST)(), ctypes.c_int()
    if not query(ctypes.c_int(_MOST), found, ctypes.byref(count)):
        return []
    devices = []
    for index, handle in enumerate(found[: count.value]):
        device = ctypes.c_void_p(handle)
        names = (told(device, ctypes.c_int(_EXTENSIONS)) or b"").decode("ascii", "replace").split()
        number = ctypes.c_ssize_t()
        known = attribute is not None and "EGL_NV_device_cuda" in names
        known = known and bool(attribute(device, ctypes.c_int(_CUDA_DEVICE), ctypes.byref(number)))  # type: ignore[misc]
        devices.append(DrawingDevice(index, _SOFTWARE in names, int(number.value) if known else None))
    return devices


def order(devices: Sequence[DrawingDevice], visible: str | None, process: int) -> list[int]:
    """Return the devices that a process tries, the best first.

    Graphics cards come before the processor. If CUDA may see some cards only, as a cluster sets for each of its tasks,
    those come first. Several are taken in turn, so that the processes of a machine share them.

    Args:
        devices: of `drawing_devices`.
        visible: CUDA_VISIBLE_DEVICES, numbers with commas between; None or anything else allows all.
        process: a number that differs between the processes of a machine.

    Returns:
        Their places in EGL's list; the first place where nothing is known.
    """
    cards = [one for one in devices if not one.software]
    numbers = [int(part) for part in (visible or "").split(",") if part.strip().isdecimal()]
    seen = [one for one in cards if one.cuda in numbers]
    first = _turned(seen or cards, process)
    rest = [one for one in (*cards, *devices) if one not in first]
    return list(dict.fromkeys(one.index for one in (*first, *rest))) or [0]


def devices_to_try() -> list[int]:
    """The devices that this process tries, the best first; `GLCONTEXT_DEVICE_INDEX` names another one."""
    return order(drawing_devices(), os.environ.get(VISIBLE), os.getpid())


def _turned(devices: Sequence[DrawingDevice], turn: int) -> list[DrawingDevice]:
    start = turn % len(devices) if devices else 0
    return [*devices[start:], *devices[:start]]


def _function(egl: ctypes.CDLL, name: str, result: type) -> ctypes._FuncPointer | None:
    address = egl.eglGetProcAddress(name.encode())
    return ctypes.CFUNCTYPE(result)(address) if address else None


def opened_context(moderngl: Any) -> Any:
    """OpenGL on the first device that can be opened: a card may be there that this process mustn't use.

    Raises:
        NoDisplayError: none can.
    """
    places = devices_to_try()
    for place in places:
        try:
            return moderngl.create_context(standalone=True, backend="egl", device_index=place)
        except Exception as error:  # glcontext raises whatever the loader of libEGL gives
            if place == places[-1]:
                raise NoDisplayError(str(error) or type(error).__name__) from None
    raise AssertionError


_LEAST_MIRROR = 0.001
"""Share of a picture that an object with a mirror has at least where a reflection is drawn."""
_BEFORE_GLASS = 0.002
"""Metres before a mirror from which things are reflected: the glass itself isn't."""
_LEAST_EDGE, _LEAST_FINE_EDGE = (0.03, 0.1), (0.05, 0.1)
"""Difference in brightness that is smoothed, and that which is drawn with several samples for each pixel: in all, and
as a share of the brightest."""
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
    """A mirror, the number of its object, and the vertex array of its glass."""

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
        world: the world to draw.
        size: width and height of pictures.
        quality: of the colours; depth and instances are the same at every level.

    Raises:
        NoDisplayError: there is no EGL.
        MissingExtraError: moderngl is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int], quality: Quality = DEFAULT) -> None:
        with needs("worlds", "Rendering"):
            import moderngl
        self._gl = opened_context(moderngl)
        self.world, self.size, self.quality = world, size, quality
        self._programs(moderngl)
        self._upload(moderngl)
        self._gl.enable(moderngl.DEPTH_TEST)
        self._lighten(moderngl)
        self._readings = Readings(self._gl, size)
        self._canvas = Canvas(self._gl, moderngl, size, self._readings.depths)
        self._final = Canvas(self._gl, moderngl, size)
        self._fine = self._canvas
        if quality.samples > 1:
            fine = (size[0] * quality.samples, size[1] * quality.samples)
            depths = self._gl.depth_renderbuffer(fine)
            self._fine, self._keys = (Canvas(self._gl, moderngl, fine, depths) for _ in range(2))
        self._reflected = Canvas(self._gl, moderngl, self._fine.size) if self._mirrors else None
        self._light.cast(0.0)

    @property
    def driver(self) -> str:
        """The name of the device, as OpenGL gives it: a graphics card, or llvmpipe for the processor."""
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
        self._show(self._canvas, seen, view, pose, intrinsics)
        mirrors = [one for one in self._mirrors if np.count_nonzero(ids == one.instance) > _LEAST_MIRROR * ids.size]
        if self._fine is not self._canvas:
            self._mark(mirrors, view, projection(intrinsics, self.size))
            self._refine(seen, view, pose, (fx, fy, cx, cy))
        for mirror in mirrors:
            self._reflect(mirror, view, pose, (fx, fy, cx, cy), seconds)
        if self._fine is self._canvas:
            self._find_edges()
        self._final.target.use()
        self._fine.picture.use(0)
        self._screen.render()
        colour = np.frombuffer(self._final.target.read(components=3, alignment=1), dtype=np.uint8).reshape(
            height, width, 3
        )
        return Frame(colour, depth, ids)

    def _find_edges(self) -> None:
        """Copy the picture to the final one, whose depths let `finish.frag` draw at edges only."""
        self._final.target.use()
        self._canvas.picture.use(0)
        if self._fine is not self._canvas:
            self._keys.picture.use(1)
        self._gl.depth_func = "1"
        self._edges.render()
        self._gl.depth_func = "<"

    def _mark(self, mirrors: Sequence[_Mirror], view: Floats, lens: Floats) -> None:
        """Make the pixels of mirrors ones that need several samples."""
        self._canvas.target.use()
        self._canvas.target.color_mask = (False, False, False, True)
        for mirror in mirrors:
            self._draw_glass(mirror, view, lens)
        self._canvas.target.color_mask = (True,) * 4

    def _refine(self, seen: _Seen, view: Floats, pose: Floats, intrinsics: Intrinsics) -> None:
        """Draw with several samples a pixel where one isn't enough, and copy the other pixels."""
        self._keys.target.use()
        self._keys.target.clear()
        self._draw_bodies(self._hiding, seen, view, projection(intrinsics, self._fine.size))
        self._find_edges()
        self._fine.target.use()
        self._final.picture.use(0)
        self._gl.depth_func = "1"
        self._coarse.render()
        self._show(self._fine, seen, view, pose, intrinsics)

    def _show(self, canvas: Canvas, seen: _Seen, view: Floats, pose: Floats, intrinsics: Intrinsics) -> None:
        """Draw the world's colours and the sky behind it. Depths are there, so that hidden surfaces cost no light."""
        lens = projection(intrinsics, canvas.size)
        canvas.target.use()
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
        """Draw a mirror's reflection, as its image behind the glass, then the glass."""
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
        self._fine.target.use()
        canvas.picture.use(0)
        self._draw_glass(mirror, view, lens)

    def _draw_glass(self, mirror: _Mirror, view: Floats, lens: Floats) -> None:
        """Draw a mirror's glass on the canvas in use."""
        self._glass["view"].write(columns(view))
        self._glass["projection"].write(columns(lens))
        self._glass["model"].write(columns(np.eye(4)))
        self._gl.depth_func = "<="
        mirror.glass.render()
        self._gl.depth_func = "<"

    def _programs(self, moderngl: Any) -> None:
        gl, light = self._gl, self.world.light
        often = self.quality.taps, self.quality.samples
        dark = has_crevices(self.world, self.quality)
        if isinstance(light, Daylight):
            pixel, heaven = outdoor_fragment(*often), source("outdoor_sky.frag")
        else:
            pixel, heaven = fragment(*often, crevices=FULL if dark else 0.0), source("room_sky.frag")
        self._draw = gl.program(vertex_shader=source("surface.vert"), fragment_shader=pixel)
        self._shadow = gl.program(vertex_shader=source("shadow.vert"), fragment_shader=source("shadow.frag"))
        self._measure = gl.program(vertex_shader=source("surface.vert"), fragment_shader=source("readings.frag"))
        self._hide = gl.program(vertex_shader=source("surface.vert"), fragment_shader=source("key.frag"))
        self._glass = gl.program(vertex_shader=source("surface.vert"), fragment_shader=source("mirror.frag"))
        corners = np.array([-1, -1, 3, -1, -1, 3], dtype=np.float32)
        whole = [(gl.buffer(corners.tobytes()), "2f", "in_corner")]
        passes = []
        for name in ("edges.frag", "coarse.frag", "finish.frag"):
            program = f"#version 330\n#define SAMPLES {self.quality.samples}\n{source(name)}"
            screen = gl.program(vertex_shader=source("screen.vert"), fragment_shader=program)
            passes.append(gl.vertex_array(screen, whole))
        self._edges, self._coarse, self._screen = passes
        if self.quality.samples > 1:
            self._edges.program["keys"].value = 1
        self._edges.program["least"].value = _LEAST_EDGE if self.quality.samples == 1 else _LEAST_FINE_EDGE
        self._sky = gl.program(vertex_shader=source("sky.vert"), fragment_shader=heaven)
        self._behind = gl.vertex_array(self._sky, whole)
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
        looks = [(buffer, "12x 3f 8x 4f1 1f", "in_normal", "in_tint", "in_layer")]
        self._hiding = _Pass(self._hide, gl.vertex_array(self._hide, [*points, *looks], index))
        self._shadow_vao = gl.vertex_array(self._shadow, points, index)
        self._mirrors = []
        for plane, number, first in pack.mirrors if self.quality.mirrors else ():
            triangles = gl.buffer((plane.faces + first).astype(np.uint32).tobytes())
            self._mirrors.append(_Mirror(plane, number, gl.vertex_array(self._glass, points, triangles)))
        self._pictures = gl.texture_array((LAYER, LAYER, max(1, len(pack.pictures))), 3, stacked(pack.pictures))
        self._pictures.build_mipmaps()
        self._pictures.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)

    def _lighten(self, moderngl: Any) -> None:
        """Make the textures that a pixel reads in addition to pictures: the floor's dimness, and the light."""
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


def draw_cube() -> str:
    """Draw a cube with its far side 1 m behind its near one, check its depth, and return the renderer's name.

    Raises:
        TolmanError: EGL can't be opened, or the picture is wrong.
    """
    box = OrientedBox(center=(0.0, 0.0, 2.5), axes=((1, 0, 0), (0, 1, 0), (0, 0, 1)), extents=(1.0, 1.0, 1.0))
    scene = Scene(id="doctor/cube", dataset="doctor", objects=(SceneObject(id="cube", category="cube", box=box),))
    body = Body(block((-0.5, -0.5, 2.0), (0.5, 0.5, 3.0)), "cube")
    try:
        with Renderer(World(scene, (body,), shapely.box(-1, -1, 1, 1)), (64, 64)) as renderer:
            frame = renderer.frame(np.eye(4), (64.0, 64.0, 32.0, 32.0))
            driver = renderer.driver
    except NoDisplayError as error:
        raise TolmanError(f"EGL can't be opened ({error.reason})") from None
    depth, instance = float(frame.depth[32, 32]), int(frame.instances[32, 32])
    if abs(depth - 2.0) > 0.01 or instance != 1:
        raise TolmanError(f"{driver} draws wrongly: a cube at 2 m is seen as object {instance} at {depth:.3f} m")
    return f"drawn by {driver}"
