"""Street furniture made in code: lamp posts, benches, bins, boxes, signs.

Each maker gives a thing with its front along +y; `fitting` brings it to the size that a plan says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tolman.simulate import greenery
from tolman.simulate.human_figure import AXLES, bicycle_frame, bicycle_wheel
from tolman.simulate.mesh import Mesh, block, extruded, flat_shaded, joined, placed, rod, smoothed, turned
from tolman.simulate.textures import stop_face
from tolman.simulate.vehicles import COLOURS

_STEEL, _IRON = (0.55, 0.57, 0.59), (0.12, 0.13, 0.14)
_WOOD = (0.5, 0.33, 0.19)


def fitting(category: str, size: tuple[float, float, float], generator: np.random.Generator) -> Mesh:
    """Make a thing of one of the categories in SIZES, its base centred on (0, 0, 0)."""
    if category == "bush":
        return greenery.bush(generator, size)
    make, _ = _THINGS[category]
    return make(generator).fitted(size)


def _lamp_post(generator: np.random.Generator) -> Mesh:
    pole = [
        (0.16, 0.0), (0.16, 0.05), (0.1, 0.1), (0.085, 0.6), (0.055, 0.68), (0.045, 3.72), (0.09, 3.76), (0.09, 3.8),
    ]  # fmt: skip
    glass = turned([(0.12, 3.8), (0.19, 4.12)], sides=14).painted((0.97, 0.95, 0.85), 0.55)
    hood = turned([(0.21, 4.12), (0.2, 4.15), (0.1, 4.26), (0.02, 4.3)], _IRON, 14)
    return joined([smoothed(turned(pole, _IRON, 14)), glass, hood])


def _bench(generator: np.random.Generator) -> Mesh:
    wood = np.array(_WOOD) * generator.uniform(0.8, 1.2)
    parts = [block((-0.8, y, 0.43), (0.8, y + 0.085, 0.465), wood) for y in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    for i, z in enumerate((0.55, 0.66, 0.77)):
        parts.append(block((-0.8, -0.25 - 0.025 * i, z), (0.8, -0.22 - 0.025 * i, z + 0.085), wood))
    for x in (-0.66, 0.66):
        parts += [
            rod((x, 0.25, 0), (x, 0.22, 0.43), 0.024, _IRON),
            rod((x, -0.27, 0), (x, -0.2, 0.43), 0.024, _IRON),
            rod((x, -0.2, 0.42), (x, -0.31, 0.84), 0.02, _IRON),
            rod((x, -0.24, 0.62), (x, 0.24, 0.62), 0.02, _IRON),
            rod((x, 0.24, 0.62), (x, 0.22, 0.43), 0.018, _IRON),
        ]
    return joined(parts)


def _trash_can(generator: np.random.Generator) -> Mesh:
    colour = np.array([0.16, 0.27, 0.2]) * generator.uniform(0.7, 1.5)
    body = turned([(0.2, 0.0), (0.22, 0.03), (0.24, 0.74), (0.25, 0.78), (0.21, 0.78), (0.19, 0.7)], colour, 24)
    hood = turned([(0.25, 0.86), (0.25, 0.89), (0.15, 0.95), (0.01, 0.96)], colour * 0.8, 24)
    slats = []
    for angle in np.arange(0, 2 * np.pi, np.pi / 12):
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        slats.append(rod(way * 0.222 + (0, 0, 0.05), way * 0.245 + (0, 0, 0.72), 0.012, colour * 1.25, 5))
    posts = [rod((x, 0, 0.75), (x, 0, 0.88), 0.02, _IRON, 6) for x in (-0.22, 0.22)]
    dark = turned([(0.2, 0.6), (0.001, 0.6)], _IRON, 16)
    return joined([smoothed(body), smoothed(hood), dark, *slats, *posts])


def _mailbox(generator: np.random.Generator) -> Mesh:
    colour = np.array([(0.1, 0.2, 0.5), (0.7, 0.1, 0.08), (0.85, 0.65, 0.1)][int(generator.integers(3))])
    angles = np.linspace(0, np.pi, 15)
    arch = np.column_stack([0.24 * np.cos(angles), 0.24 * np.sin(angles)])
    profile = np.concatenate([[[-0.24, -0.75], [0.24, -0.75]], arch])
    # Extruded along its own z, then laid so that the arch stands up.
    body = smoothed(extruded(profile, -0.22, 0.22, colour), 30)
    stand = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1.0], [0, 0, 0, 1]])
    parts = [body.moved(stand), block((-0.17, 0.2, 0.9), (0.17, 0.235, 1.0), colour * 0.55)]
    parts.append(block((-0.12, 0.2, 0.55), (0.12, 0.226, 0.75), (0.9, 0.9, 0.88)))
    parts += [
        block((x - 0.04, y - 0.04, 0), (x + 0.04, y + 0.04, 0.27), _IRON) for x in (-0.17, 0.17) for y in (-0.15, 0.15)
    ]
    return joined(parts)


def _hydrant(generator: np.random.Generator) -> Mesh:
    colour = np.array([(0.78, 0.1, 0.07), (0.88, 0.68, 0.08)][int(generator.integers(2))])
    body = [(0.17, 0.0), (0.17, 0.05), (0.12, 0.06), (0.12, 0.5), (0.15, 0.5), (0.15, 0.55), (0.13, 0.6)]
    body += [(0.08, 0.68), (0.04, 0.7), (0.04, 0.77), (0.001, 0.78)]
    parts = [smoothed(turned(body, colour, 20))]
    for way in ((1, 0), (-1, 0), (0, 1)):
        end = np.array([*way, 0.0])
        parts.append(rod(end * 0.08 + (0, 0, 0.4), end * 0.18 + (0, 0, 0.4), 0.055, colour, 12))
        parts.append(rod(end * 0.18 + (0, 0, 0.4), end * 0.21 + (0, 0, 0.4), 0.068, colour * 0.75, 8))
    return joined(parts)


def _stop_sign(generator: np.random.Generator) -> Mesh:
    """A plate with its face as a picture: layers of colour a few millimetres apart would flicker at a distance."""
    angles = np.arange(8) * np.pi / 4 + np.pi / 8
    eight = np.column_stack([np.cos(angles), np.sin(angles)]) * 0.39
    stand = np.array([[-1.0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 2.12], [0, 0, 0, 1]])
    plate = extruded(eight, 0.03, 0.04, (0.6, 0.61, 0.62)).moved(stand)
    front = flat_shaded(np.column_stack([eight, np.full(8, 0.04)])[[[0, i, i + 1] for i in range(1, 7)]])
    uvs = front.points[:, :2] / 0.78 + 0.5
    papered = replace(
        front,
        uvs=uvs,
        tints=np.tile([1.0, 1.0, 1.0, 0.0], (len(uvs), 1)),
        textures_of=np.zeros(len(uvs), dtype=np.int64),
        textures=(stop_face(),),
    )
    # The plate's own front would lie in the face's plane.
    kept = np.abs(plate.points[plate.faces][:, :, 1] - 0.04).max(1) > 1e-6
    shell = replace(plate, faces=plate.faces[kept])
    return joined([rod((0, 0, 0), (0, 0, 2.45), 0.03, _STEEL), shell, papered.moved(stand)])


def _bollard(generator: np.random.Generator) -> Mesh:
    body = turned([(0.095, 0.0), (0.095, 0.03), (0.075, 0.05), (0.075, 0.8), (0.06, 0.87), (0.001, 0.9)], _IRON, 18)
    band = turned([(0.078, 0.62), (0.078, 0.72)], (0.9, 0.88, 0.8), 18)
    return joined([smoothed(body), band])


def _cone(generator: np.random.Generator) -> Mesh:
    orange, white = (0.92, 0.33, 0.06), (0.93, 0.93, 0.93)
    parts = [block((-0.19, -0.19, 0), (0.19, 0.19, 0.035), (0.15, 0.15, 0.15))]
    profile = (0.14, 0.035), (0.112, 0.24), (0.085, 0.38), (0.065, 0.48), (0.048, 0.58), (0.025, 0.7)
    for number, band in enumerate(itertools.pairwise(profile)):
        parts.append(smoothed(turned(band, white if number % 2 else orange, 20)))
    return joined([*parts, turned([(0.025, 0.7), (0.001, 0.69)], orange, 20)])


def _planter(generator: np.random.Generator) -> Mesh:
    stone = np.array([0.62, 0.58, 0.53]) * generator.uniform(0.85, 1.1)
    profile = [(0.33, 0.0), (0.36, 0.04), (0.44, 0.42), (0.48, 0.44), (0.48, 0.5), (0.42, 0.5), (0.4, 0.42)]
    pot = turned(profile, stone, 24)
    earth = turned([(0.41, 0.44), (0.001, 0.46)], (0.2, 0.14, 0.1), 24)
    plant = greenery.bush(generator, (0.85, 0.85, 0.6)).moved(placed((0.0, 0.0, 0.42)))
    flowers = []
    colour = [(0.85, 0.25, 0.3), (0.9, 0.75, 0.2), (0.75, 0.4, 0.75)][int(generator.integers(3))]
    for _ in range(16):
        way = generator.normal(size=3) * (1, 1, 0.6) + (0, 0, 0.6)
        place = way / np.linalg.norm(way) * (0.4, 0.4, 0.3) + (0, 0, 0.7)
        flowers.append(rod(place, place + np.array([0, 0, 0.03]), 0.04, colour, 6))
    return joined([smoothed(pot), earth, plant, *flowers])


def _meter(generator: np.random.Generator) -> Mesh:
    profile = [(0.07, 1.0), (0.1, 1.04), (0.11, 1.2), (0.1, 1.32), (0.05, 1.39), (0.001, 1.4)]
    head = smoothed(turned(profile, _STEEL, 20))
    pane = block((-0.05, 0.07, 1.2), (0.05, 0.11, 1.29), (0.2, 0.3, 0.28))
    return joined([rod((0, 0, 0), (0, 0, 1.02), 0.035, _STEEL, 12), head, pane])


def _cabinet(generator: np.random.Generator) -> Mesh:
    colour = np.array([0.5, 0.53, 0.5]) * generator.uniform(0.85, 1.1)
    parts = [
        block((-0.45, -0.2, 0), (0.45, 0.2, 0.1), (0.4, 0.4, 0.4)),
        block((-0.43, -0.18, 0.1), (0.43, 0.18, 1.2), colour),
        block((-0.45, -0.2, 1.2), (0.45, 0.2, 1.25), colour * 0.85),
    ]
    parts += [block((x, 0.18, 0.16), (x + 0.4, 0.192, 1.14), colour * 1.06) for x in (-0.41, 0.01)]
    parts.append(block((-0.05, 0.19, 0.62), (-0.02, 0.2, 0.78), _IRON))
    return joined(parts)


def _bus_stop(generator: np.random.Generator) -> Mesh:
    glass, roof = (0.5, 0.62, 0.66), np.array([0.16, 0.22, 0.3]) * generator.uniform(0.8, 1.3)
    parts = [
        block((-1.3, -0.6, 2.33), (1.3, 0.62, 2.42), roof),
        block((-1.25, -0.55, 2.4), (1.25, 0.55, 2.45), roof * 0.8),
    ]
    posts = [(x, y) for x in (-1.2, 1.2) for y in (-0.52, 0.1)]
    parts += [block((x - 0.035, y - 0.035, 0), (x + 0.035, y + 0.035, 2.33), _STEEL) for x, y in posts]
    parts += [block((x, -0.53, 0.3), (x + 1.1, -0.515, 2.2)).painted(glass, 0.2) for x in (-1.15, 0.05)]
    parts.append(block((-1.21, -0.48, 0.3), (-1.195, 0.06, 2.2)).painted(glass, 0.2))
    parts.append(block((1.16, -0.48, 0.35), (1.24, 0.06, 2.1), (0.86, 0.8, 0.72)))
    parts.append(block((-0.95, -0.46, 0.43), (0.95, -0.1, 0.48), _WOOD))
    parts += [block((x - 0.03, -0.4, 0), (x + 0.03, -0.16, 0.43), _IRON) for x in (-0.75, 0.75)]
    return joined(parts)


def _picnic_table(generator: np.random.Generator) -> Mesh:
    wood = np.array(_WOOD) * generator.uniform(0.85, 1.25)
    parts = [block((-0.85, y, 0.72), (0.85, y + 0.135, 0.76), wood) for y in np.arange(-0.36, 0.3, 0.145)]
    for y in (-0.775, 0.495):
        parts += [block((-0.85, y + i * 0.145, 0.42), (0.85, y + i * 0.145 + 0.135, 0.46), wood) for i in range(2)]
    for x in (-0.6, 0.6):
        parts.append(block((x - 0.04, -0.75, 0.35), (x + 0.04, 0.75, 0.42), wood * 0.8))
        parts += [rod((x, s * 0.6, 0), (x, s * 0.2, 0.72), 0.045, wood * 0.8, 4) for s in (-1, 1)]
    return joined(parts)


def _bicycle(generator: np.random.Generator) -> Mesh:
    colour = COLOURS[int(generator.integers(len(COLOURS)))]
    stand = rod((0.02, -0.3, 0.3), (0.14, -0.34, 0.003), 0.008, _IRON, 6)
    wheels = [bicycle_wheel().moved(placed(middle)) for middle in AXLES]
    return joined([bicycle_frame(colour), *wheels, stand])


_THINGS: dict[str, tuple[Callable[[np.random.Generator], Mesh], tuple[float, float, float]]] = {
    "lamp post": (_lamp_post, (0.42, 0.42, 4.3)),
    "bench": (_bench, (1.6, 0.62, 0.85)),
    "trash can": (_trash_can, (0.5, 0.5, 0.95)),
    "mailbox": (_mailbox, (0.5, 0.48, 1.25)),
    "fire hydrant": (_hydrant, (0.42, 0.36, 0.78)),
    "stop sign": (_stop_sign, (0.72, 0.09, 2.5)),
    "bollard": (_bollard, (0.2, 0.2, 0.9)),
    "traffic cone": (_cone, (0.38, 0.38, 0.7)),
    "flower pot": (_planter, (0.95, 0.95, 1.0)),
    "parking meter": (_meter, (0.24, 0.2, 1.4)),
    "utility box": (_cabinet, (0.9, 0.4, 1.25)),
    "bus stop": (_bus_stop, (2.6, 1.25, 2.45)),
    "picnic table": (_picnic_table, (1.7, 1.55, 0.76)),
    "bicycle": (_bicycle, (0.62, 1.72, 1.01)),
}
SIZES = {category: size for category, (_, size) in _THINGS.items()} | {"bush": (1.1, 1.1, 0.95)}
"""Width, depth and height in metres of each category that is made here."""
