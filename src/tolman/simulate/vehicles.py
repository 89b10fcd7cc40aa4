"""Vehicles, made in code: patterns with sizes and body curves, and the bodies, wheels, lights and glass.

A body is drawn over a row of cross-sections. A vehicle's own coordinates: y ahead, x to its right, the ground at z = 0,
metres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh, block, flat_shaded, joined, quads, smoothed, turned
from tolman.toml_catalogue import read_table, with_tuples

Curve = tuple[tuple[float, float], ...]
"""Values over the length: 0 is the rear, 1 the front."""


@dataclass(frozen=True)
class Pattern:
    """A kind of vehicle.

    Attributes:
        size: width with its mirrors, length and height in metres.
        half: half width of the body.
        top: height of its middle line.
        belt: height of the shoulder, below the side windows.
        roof: half width of the roof.
        rear, front: where the rear window and the windscreen begin and end.
        sides: where the side windows begin and end, one pair each.
        axles: where the wheels are.
        wheel: their radius.
    """

    size: tuple[float, float, float]
    half: float
    top: Curve
    belt: Curve
    roof: float
    rear: tuple[float, float]
    front: tuple[float, float]
    sides: tuple[tuple[float, float], ...]
    axles: tuple[float, float]
    wheel: float = 0.33


_, _TABLES = read_table(Path(__file__).with_name("data") / "vehicles.toml")
PATTERNS = {name: Pattern(**with_tuples(table)) for name, table in _TABLES.items()}


VANS = ("van", "delivery van")
"""The patterns that are called vans; the others are cars."""


COLOURS = (
    (0.9, 0.9, 0.89), (0.56, 0.58, 0.6), (0.09, 0.09, 0.1), (0.28, 0.3, 0.33), (0.6, 0.08, 0.08), (0.09, 0.18, 0.42),
    (0.34, 0.52, 0.68), (0.1, 0.28, 0.2), (0.85, 0.55, 0.1), (0.38, 0.1, 0.14), (0.72, 0.67, 0.56), (0.78, 0.28, 0.08),
    (0.4, 0.45, 0.36), (0.12, 0.36, 0.4),
)  # fmt: skip
"""Of vehicles' paint; the commonest first."""


_VARNISH = 0.05
"""What marks paint that mirrors a little, below `GLOSS` of the shaders outdoors."""
_GLASS = (0.13, 0.17, 0.2)
_DARK = (0.05, 0.05, 0.055)
_LOW = 0.2
"""Clearance between the body and the ground, metres."""


def vehicle(model: str, colour: tuple[float, float, float]) -> Mesh:
    """A vehicle of one of the PATTERNS."""
    pattern = PATTERNS[model]
    return joined([vehicle_body(model, colour), *(wheel(pattern).moved(at) for at in wheel_places(pattern))])


def vehicle_body(model: str, colour: tuple[float, float, float]) -> Mesh:
    """A vehicle without its wheels."""
    pattern = PATTERNS[model]
    arches = [_arch(pattern).moved(at) for at in wheel_places(pattern)]
    return joined([_body(pattern, colour), *_details(pattern, colour), *arches])


def wheel_places(pattern: Pattern) -> list[Floats]:
    """Return the poses of a vehicle's wheels: 4×4 transforms from `wheel`'s coordinates."""
    found = []
    for axle in pattern.axles:
        for side in (-1, 1):
            matrix = np.eye(4)
            if side < 0:
                matrix[:2, :2] = -np.eye(2)
            matrix[:3, 3] = (0.0, (axle - 0.5) * pattern.size[1], pattern.wheel)
            found.append(matrix)
    return found


def _over(curve: Curve, at: Floats) -> Floats:
    return np.asarray(np.interp(at, [u for u, _ in curve], [value for _, value in curve]))


def _body(pattern: Pattern, colour: tuple[float, float, float]) -> Mesh:
    """The painted shell and its windows: a net of cross-sections, seven points on each side of the middle."""
    ends = [u for pair in (pattern.rear, pattern.front, *pattern.sides) for u in pair]
    ends += [u for curve in (pattern.top, pattern.belt) for u, _ in curve]
    u = np.unique([*np.linspace(0, 1, 29), *ends])
    u = u[np.append(True, np.diff(u) > 1e-6)]
    widths = [0.86, 0.93, 0.98, 1, 1, 0.98, 0.91, 0.8]
    half = pattern.half * np.interp(u, [0, 0.02, 0.1, 0.25, 0.75, 0.9, 0.97, 1], widths)
    top, belt = _over(pattern.top, u), _over(pattern.belt, u)
    low = np.interp(u, [0, 0.04, 0.12, 0.88, 0.96, 1], [0.34, 0.26, _LOW, _LOW, 0.22, 0.3])
    cabin = np.clip((top - belt - 0.12) / 0.25, 0, 1)
    rail = np.where(cabin > 0, top - 0.05 * cabin, top)
    edge = (1 - cabin) * half * 0.86 + cabin * (pattern.roof + 0.03)
    sill = (1 - cabin) * (belt + (top - belt) * 0.4) + cabin * (belt + 0.02)
    zero = np.zeros_like(u)
    side = [
        (zero, low),
        (half * 0.88, low),
        (half * 0.975, low + 0.1),
        (half, low + (belt - low) * 0.55),
        (half * 0.985, belt - 0.06),
        (half * 0.945, belt),
        (half * 0.93, sill),
        (edge, (1 - cabin) * (belt + (top - belt) * 0.75) + cabin * (rail - 0.05)),
        ((1 - cabin) * half * 0.6 + cabin * pattern.roof * 0.9, (1 - cabin) * (top - 0.008) + cabin * (top - 0.02)),
        (zero, top),
    ]
    y = (u - 0.5) * pattern.size[1]
    net = np.array([np.column_stack([x, y, z]) for x, z in side]).transpose(1, 0, 2)
    middle = (u[1:] + u[:-1]) / 2
    corners, colours = [], []
    for mirrored in (1.0, -1.0):
        points = net * (mirrored, 1, 1)
        for row in range(len(side) - 1):
            patch = np.stack([points[:-1, row], points[:-1, row + 1], points[1:, row + 1], points[1:, row]], axis=1)
            corners.append(patch[:, ::-1] if mirrored > 0 else patch)
            colours.append(np.array([_paint(pattern, row, float(at), colour) for at in middle]))
    for end, turn in ((0, 1), (-1, -1)):
        ring = np.concatenate([net[end, 1:], (net[end, 1:-1] * (-1, 1, 1))[::-1]])[::turn]
        center = ring.mean(0)
        fan = np.stack([np.tile(center, (len(ring), 1)), ring, np.roll(ring, -1, 0)], axis=1)
        corners.append(np.concatenate([fan, fan[:, 2:]], axis=1))
        colours.append(np.tile([*colour, _VARNISH], (len(ring), 1)))
    net_mesh = quads(np.concatenate(corners))
    # Each quad's two triangles lie in two halves of the list.
    tints = np.repeat(np.tile(np.concatenate(colours), (2, 1)), 3, axis=0)
    return replace(smoothed(net_mesh, 38), tints=tints)


def _paint(pattern: Pattern, row: int, at: float, colour: tuple[float, float, float]) -> tuple[float, ...]:
    """The colour of one face of the net."""
    if row >= 7 and (pattern.rear[0] < at < pattern.rear[1] or pattern.front[0] < at < pattern.front[1]):
        return (*_GLASS, 0.25)
    if row == 6 and any(a < at < b for a, b in pattern.sides):
        return (*_GLASS, 0.25)
    if row in (0, 1) or (row == 6 and pattern.sides[0][0] < at < pattern.sides[-1][1]):
        return (*_DARK, 0.0)
    if row in (3, 4) and at < 0.03:
        return (0.62, 0.05, 0.05, 0.3)
    if row in (3, 4) and at > 0.955:
        return (0.88, 0.9, 0.92, 0.3)
    return (*colour, _VARNISH)


def _details(pattern: Pattern, colour: tuple[float, float, float]) -> list[Mesh]:
    """Grille, plates, bumpers, mirrors, door handles and joints."""
    width, length, _ = pattern.size
    nose, tail = length / 2, -length / 2
    front, rear = pattern.belt[-1][1], pattern.belt[0][1]
    parts = [
        block((-0.42, nose - 0.05, front - 0.16), (0.42, nose + 0.01, front - 0.02), _DARK),
        block((-0.6, nose - 0.06, 0.3), (0.6, nose + 0.012, 0.38), _DARK),
        block((-0.26, nose, front - 0.29), (0.26, nose + 0.02, front - 0.18), (0.9, 0.9, 0.88)),
        block((-0.26, tail - 0.02, rear - 0.25), (0.26, tail, rear - 0.14), (0.9, 0.9, 0.88)),
        block((-0.66, tail - 0.012, 0.36), (0.66, tail + 0.06, 0.44), _DARK),
    ]
    for side in (-1, 1):
        x = sorted((side * pattern.half * 0.52, side * pattern.half * 0.79))
        lamp = block((x[0], nose - 0.06, front - 0.13), (x[1], nose + 0.006, front - 0.02))
        parts.append(lamp.painted((0.88, 0.9, 0.92), 0.3))
        x = sorted((side * pattern.half * 0.6, side * pattern.half * 0.85))
        lamp = block((x[0], tail - 0.006, rear - 0.16), (x[1], tail + 0.06, rear - 0.02))
        parts.append(lamp.painted((0.62, 0.05, 0.05), 0.3))
    at = pattern.front[1] - 0.07
    height = float(_over(pattern.belt, np.array([at]))[0])
    for side in (-1, 1):
        x = sorted((side * pattern.half * 0.92, side * width / 2))
        y = (at - 0.5) * length
        parts.append(block((x[0], y - 0.05, height + 0.02), (x[1], y + 0.06, height + 0.15), colour))
        out = side * (pattern.half + 0.003)
        doors = [end for _, end in pattern.sides]
        for end in doors:
            joint = (end + 0.01 - 0.5) * length
            top = height - 0.07
            x = sorted((out - side * 0.02, out))
            parts.append(block((x[0], joint - 0.006, 0.34), (x[1], joint + 0.006, top), _DARK))
            if end != doors[-1]:
                parts.append(block((x[0], joint + 0.06, height - 0.16), (x[1], joint + 0.22, height - 0.13), _DARK))
    return parts


def _arch(pattern: Pattern) -> Mesh:
    """The dark arch above a wheel on the right, about the wheel's middle."""
    radius, out = pattern.wheel, pattern.half + 0.006
    angles = np.linspace(-0.35, np.pi + 0.35, 25)
    arch = np.column_stack([np.full(25, out), (radius + 0.055) * np.cos(angles), (radius + 0.055) * np.sin(angles)])
    arch = arch[arch[:, 2] > _LOW + 0.02 - radius]
    fan = np.stack([np.tile([out, 0.0, 0.0], (len(arch) - 1, 1)), arch[:-1], arch[1:]], axis=1)
    return flat_shaded(fan, _DARK)


def wheel(pattern: Pattern) -> Mesh:
    """A wheel on the right of a vehicle, turning about the x axis."""
    radius, out = pattern.wheel, pattern.half + 0.008
    tyre = turned([(0.05, 0.0), (radius - 0.02, 0.0), (radius, 0.03), (radius, 0.19), (radius - 0.02, 0.22)], _DARK, 28)
    rim = turned([(radius * 0.7, 0.205), (radius * 0.68, 0.223), (0.04, 0.228), (0.001, 0.228)], (0.68, 0.69, 0.71), 28)
    wall = turned([(radius - 0.02, 0.22), (radius * 0.7, 0.222), (radius * 0.69, 0.2)], (0.09, 0.09, 0.09), 28)
    parts = [smoothed(tyre), wall, rim]
    for spoke in range(5):
        angle = 2 * np.pi * spoke / 5
        corners = (0.28, -0.2), (0.6, -0.36), (0.63, 0.0), (0.6, 0.36), (0.28, 0.2)
        hole = [[away * np.cos(angle + turn), away * np.sin(angle + turn)] for away, turn in corners]
        flat = np.column_stack([np.array(hole) * radius, np.full(5, 0.2305)])
        parts.append(flat_shaded(flat[[[0, 1, 2], [0, 2, 3], [0, 3, 4]]], (0.07, 0.07, 0.08)))
    # The wheel's axis is z so far; it turns to point out of the vehicle.
    turn = np.array([[0.0, 0, 1, out - 0.222], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    return joined(parts).moved(turn)
