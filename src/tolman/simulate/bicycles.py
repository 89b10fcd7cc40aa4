"""Bicycles and who rides them, in parts that move: y ahead, x to the right, the ground at z = 0, metres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.figure import draw_clothes, head
from tolman.simulate.mesh import Mesh, block, joined, rod, smoothed, turned

AXLES = ((0.0, -0.52, 0.34), (0.0, 0.52, 0.34))
WHEEL = 0.34
"""Radius of a wheel."""
_CRANK, _ARM = (-0.08, 0.3), 0.17
"""Where the pedals turn, y and z, and at what distance from that they are."""
_HIP = (-0.2, 0.99)
_THIGH, _SHIN = 0.42, 0.46
_GEAR = 2.4
"""Turns of a wheel for one of the pedals."""
_IRON = (0.12, 0.13, 0.14)


def bicycle_frame(colour: tuple[float, float, float]) -> Mesh:
    """A bicycle without its wheels."""
    rear, front = AXLES
    crank, saddle, neck, top = (0, *_CRANK), (0, -0.2, 0.8), (0, 0.34, 0.85), (0, 0.37, 0.74)
    tubes = ((rear, crank), (rear, saddle), (crank, saddle), (crank, top), (saddle, neck), (neck, front))
    parts = [rod(a, b, 0.017, colour) for a, b in tubes]
    parts += [
        rod(saddle, (0, -0.235, 0.94), 0.013, (0.6, 0.6, 0.6)),
        rod(neck, (0, 0.31, 1.0), 0.013, (0.6, 0.6, 0.6)),
        rod((-0.29, 0.31, 1.0), (0.29, 0.31, 1.0), 0.013, _IRON),
        rod((-0.09, *_CRANK), (0.09, *_CRANK), 0.02, _IRON),
        block((-0.07, -0.36, 0.94), (0.07, -0.12, 0.985), _IRON),
    ]
    return joined(parts)


def bicycle_wheel() -> Mesh:
    """A wheel about its middle, turning about the x axis."""
    # A multiple of four sides: a corner touches the ground.
    tyre = turned([(0.325, -0.018), (WHEEL, 0.0), (0.325, 0.018), (0.31, 0.0), (0.325, -0.018)], _IRON, 32)
    rim = turned([(0.3, -0.01), (0.312, 0.0), (0.3, 0.01)], (0.7, 0.7, 0.72), 32)
    stand = np.array([[0.0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    parts = [joined([smoothed(tyre, 80), rim]).moved(stand)]
    for angle in np.arange(0, np.pi, np.pi / 8):
        reach = np.array([0, np.cos(angle), np.sin(angle)]) * 0.31
        parts.append(rod(-reach, reach, 0.0025, (0.6, 0.6, 0.62), 4))
    return joined(parts)


@dataclass(frozen=True)
class Leg:
    """A part of a rider's leg.

    Attributes:
        mesh: from its upper joint at the origin down to (0, 0, -length).
        side: -1 for the left leg, 1 for the right.
        lower: whether it is the shin.
    """

    mesh: Mesh
    side: int
    lower: bool

    def pose(self, along: float) -> Floats:
        """Its transform in the bicycle's coordinates after so many metres."""
        angle = along / WHEEL / _GEAR + (np.pi if self.side > 0 else 0.0)
        hip = np.array(_HIP)
        foot = np.array(_CRANK) + _ARM * np.array([np.cos(angle), -np.sin(angle)]) + (-0.03, 0.06)
        away = foot - hip
        far = min(float(np.linalg.norm(away)), _THIGH + _SHIN - 1e-3)
        bend = np.arccos(np.clip((_THIGH**2 + far**2 - _SHIN**2) / (2 * _THIGH * far), -1, 1))
        down = np.arctan2(away[0], -away[1])
        # The knee is ahead of the line from the hip to the foot.
        lean = down + bend
        knee = hip + _THIGH * np.array([np.sin(lean), -np.cos(lean)])
        if self.lower:
            shin = foot - knee
            return _hanging((0.09 * self.side, *knee), float(np.arctan2(shin[0], -shin[1])))
        return _hanging((0.09 * self.side, *hip), float(lean))


def _hanging(joint: tuple[float, float, float], lean: float) -> Floats:
    """The transform of what hangs from a joint and leans forward by an angle."""
    c, s = np.cos(lean), np.sin(lean)
    matrix = np.eye(4)
    matrix[1:3, 1:3] = [[c, -s], [s, c]]
    matrix[:3, 3] = joint
    return matrix


def draw_rider(generator: np.random.Generator) -> tuple[Mesh, tuple[Leg, ...]]:
    """Who sits on a bicycle: the body, and the legs that tread."""
    clothes = draw_clothes(generator)
    lean = np.radians(-24)
    tilt = np.eye(4)
    tilt[1:3, 1:3] = [[np.cos(lean), -np.sin(lean)], [np.sin(lean), np.cos(lean)]]
    tilt[:3, 3] = (0.0, -0.2, 0.97)
    flat = np.diag([1.0, 0.62, 1.0, 1.0])
    trunk = [
        (0.001, -0.02),
        (0.15, 0.0),
        (0.165, 0.1),
        (0.155, 0.22),
        (0.19, 0.42),
        (0.2, 0.5),
        (0.12, 0.57),
        (0.05, 0.59),
    ]
    parts = [smoothed(turned(trunk, clothes.shirt, 20), 50).moved(flat).moved(tilt)]
    hips = turned([(0.001, -0.05), (0.15, -0.03), (0.165, 0.06), (0.001, 0.08)], clothes.trousers, 20)
    parts.append(smoothed(hips, 50).moved(flat).moved(tilt))
    top = np.array([0.0, 0.06, 1.5])
    parts.append(head(clothes, top))
    if generator.random() < 0.6:
        angles = np.linspace(0.0, np.pi / 2, 7)
        shell = turned(
            [(max(float(np.cos(a)), 1e-4), float(np.sin(a))) for a in angles], generator.uniform(0.1, 0.85, 3), 16
        )
        size = np.diag([0.112, 0.135, 0.115, 1.0])
        size[:3, 3] = top + np.array([0.0, 0.0, 0.2])
        parts.append(smoothed(shell, 80).moved(size))
    for x in (-1, 1):
        shoulder, elbow, hand = (0.2 * x, 0.02, 1.43), (0.3 * x, 0.13, 1.2), (0.26 * x, 0.3, 1.03)
        parts += [rod(shoulder, elbow, 0.05, clothes.shirt), rod(elbow, hand, 0.036, clothes.skin)]
    legs = []
    for side in (-1, 1):
        thigh = turned([(0.001, -_THIGH - 0.03), (0.055, -_THIGH), (0.078, -0.08), (0.05, 0.03)], clothes.trousers, 12)
        shin = turned([(0.045, -_SHIN + 0.04), (0.056, -0.12), (0.05, 0.02), (0.001, 0.04)], clothes.trousers, 12)
        shoe = block((-0.045, -0.08, -_SHIN - 0.03), (0.045, 0.17, -_SHIN + 0.05), (0.12, 0.1, 0.09))
        legs.append(Leg(smoothed(thigh, 60), side, False))
        legs.append(Leg(joined([smoothed(shin, 60), shoe]), side, True))
    return joined(parts), tuple(legs)
