"""A person-sized figure, made in code, on foot or on a bicycle.

The figure is a body with limbs that swing. A bicycle and its rider are made of moving parts: y ahead, x to the right,
the ground at z = 0, metres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh, block, joined, pitched, placed, rod, smoothed, turned

HEIGHT = 1.74
"""Metres."""
_SKINS = ((0.87, 0.68, 0.55), (0.71, 0.5, 0.36), (0.48, 0.32, 0.23), (0.93, 0.76, 0.65))
_SHIRTS = ((0.72, 0.18, 0.16), (0.15, 0.35, 0.6), (0.85, 0.7, 0.2), (0.2, 0.5, 0.33), (0.82, 0.82, 0.8))
_TROUSERS = ((0.13, 0.17, 0.3), (0.3, 0.26, 0.2), (0.16, 0.16, 0.17), (0.42, 0.42, 0.45))
_HAIRS = ((0.13, 0.1, 0.08), (0.35, 0.22, 0.12), (0.55, 0.5, 0.45), (0.7, 0.55, 0.3))
SWING = np.radians(24)
"""The most that legs and arms swing."""
REACH = np.radians(52)
"""Angle by which arms are raised to carry."""
STRIDE = 1.35
"""Metres for a step of each leg."""
_HIP = 0.86
_HEEL, _TOE = -0.08, 0.17
"""The ends of a sole, metres behind and ahead of the hip."""


def stance(swing: float) -> float:
    """Height by which a figure is raised so that its lower foot is on the ground, metres; legs swing from -1 to 1."""
    # A sole's end at (y, -hip) below the pivot comes to the height y sin a - hip cos a.
    angle = swing * SWING
    lowest = min(y * np.sin(a) - _HIP * np.cos(a) for a in (angle, -angle) for y in (_HEEL, _TOE))
    return float(-lowest - _HIP)


@dataclass(frozen=True)
class Limb:
    """A part that turns about the x axis through a point.

    Attributes:
        mesh: hanging down, in the figure's coordinates.
        pivot: metres.
        sign: of its swing against the left leg's.
        arm: whether it is raised to carry.
    """

    mesh: Mesh
    pivot: tuple[float, float, float]
    sign: float
    arm: bool

    def pose(self, swing: float, raised: float) -> Floats:
        """Its transform in the figure: `swing` from -1 to 1, `raised` from 0 to 1."""
        angle = self.sign * swing * SWING * ((1 - raised) * 0.8 if self.arm else 1.0) + self.arm * raised * REACH
        matrix, pivot = pitched((0.0, 0.0, 0.0), angle), np.array(self.pivot)
        matrix[:3, 3] = pivot - matrix[:3, :3] @ pivot
        return matrix


@dataclass(frozen=True)
class Clothes:
    """Colours of a figure."""

    skin: tuple[float, float, float]
    shirt: tuple[float, float, float]
    trousers: tuple[float, float, float]
    hair: tuple[float, float, float]


def draw_clothes(generator: np.random.Generator) -> Clothes:
    """Colours of skin, clothes and hair."""

    def pick(colours: tuple[tuple[float, float, float], ...]) -> tuple[float, float, float]:
        return colours[int(generator.integers(len(colours)))]

    return Clothes(pick(_SKINS), pick(_SHIRTS), pick(_TROUSERS), pick(_HAIRS))


def head(clothes: Clothes, neck: Floats) -> Mesh:
    """A head that faces +y, above a neck's lower end."""
    x, y, z = (float(part) for part in neck)
    parts = [rod((x, y - 0.01, z - 0.06), (x, y, z + 0.03), 0.052, clothes.skin)]
    parts.append(_ball((x, y, z + 0.11), (0.085, 0.1, 0.12), clothes.skin))
    parts.append(_ball((x, y - 0.022, z + 0.145), (0.091, 0.1, 0.095), clothes.hair))
    return joined([*parts, block((x - 0.012, y + 0.09, z + 0.08), (x + 0.012, y + 0.115, z + 0.12), clothes.skin)])


def draw_figure(generator: np.random.Generator) -> tuple[Mesh, tuple[Limb, ...]]:
    """Draw a body, and its legs and arms: facing +y, feet on z = 0, metres."""
    clothes = draw_clothes(generator)
    skin, shirt, trousers, hair = clothes.skin, clothes.shirt, clothes.trousers, clothes.hair
    flat = np.diag([1.0, 0.62, 1.0, 1.0])
    profile = [
        (0.001, 0.84), (0.16, 0.85), (0.17, 0.95), (0.155, 1.08), (0.19, 1.28), (0.2, 1.38), (0.13, 1.46), (0.06, 1.48),
    ]  # fmt: skip
    torso = turned(profile, shirt, 20)
    hips = turned([(0.001, 0.78), (0.15, 0.8), (0.168, 0.9), (0.165, 0.96), (0.001, 0.97)], trousers, 20)
    parts = [
        smoothed(torso, 50).moved(flat),
        smoothed(hips, 50).moved(flat),
        rod((0, 0, 1.44), (0, 0.01, 1.53), 0.052, skin),
        _ball((0, 0.01, 1.61), (0.085, 0.1, 0.12), skin),
        _ball((0, -0.012, 1.645), (0.091, 0.1, 0.095), hair),
        block((-0.012, 0.1, 1.58), (0.012, 0.125, 1.62), skin),
    ]
    legs = []
    for side, sign in ((-1, 1.0), (1, -1.0)):
        x = side * 0.09
        thigh = smoothed(turned([(0.05, 0.09), (0.058, 0.45), (0.08, 0.82), (0.05, 0.9)], trousers, 14), 60)
        shoe = block((x - 0.045, _HEEL, 0.0), (x + 0.045, _TOE, 0.085), (0.12, 0.1, 0.09))
        legs.append(Limb(joined([thigh.moved(placed((x, 0.0, 0.0))), shoe]), (x, 0.0, _HIP), sign, False))
        shoulder = (side * 0.215, 0.0, 1.4)
        elbow, hand = (side * 0.245, -0.02, 1.12), (side * 0.245, 0.03, 0.86)
        arm = [rod(shoulder, elbow, 0.05, shirt), rod(elbow, hand, 0.038, skin), _ball(shoulder, (0.058,) * 3, shirt)]
        arm += [_ball(elbow, (0.044,) * 3, shirt), _ball((hand[0], hand[1], 0.83), (0.042, 0.045, 0.06), skin)]
        legs.append(Limb(joined(arm), shoulder, -sign, True))
    return _scaled(joined(parts)), tuple(legs)


def _scaled(mesh: Mesh) -> Mesh:
    """With the top of the head at HEIGHT."""
    return replace(mesh, points=mesh.points * (1, 1, HEIGHT / float(mesh.bounds[1, 2])))


def _ball(center: tuple[float, float, float], radii: tuple[float, ...], colour: tuple[float, float, float]) -> Mesh:
    angles = np.linspace(-np.pi / 2, np.pi / 2, 10)
    ball = turned([(max(float(np.cos(a)), 1e-4), float(np.sin(a))) for a in angles], colour, 14)
    matrix = np.diag([*radii, 1.0])
    matrix[:3, 3] = center
    return smoothed(ball, 80).moved(matrix)


AXLES = ((0.0, -0.52, 0.34), (0.0, 0.52, 0.34))
WHEEL = 0.34
"""Radius of a wheel."""
_CRANK, _ARM = (-0.08, 0.3), 0.17
"""Where the pedals turn, y and z, and at what distance from that they are."""
_RIDER_HIP = (-0.2, 0.99)
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
        hip = np.array(_RIDER_HIP)
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
            return pitched((0.09 * self.side, *knee), float(np.arctan2(shin[0], -shin[1])))
        return pitched((0.09 * self.side, *hip), float(lean))


def draw_rider(generator: np.random.Generator) -> tuple[Mesh, tuple[Leg, ...]]:
    """Draw a cyclist: the body, and the legs that tread."""
    clothes = draw_clothes(generator)
    tilt = pitched((0.0, -0.2, 0.97), float(np.radians(-24)))
    flat = np.diag([1.0, 0.62, 1.0, 1.0])
    trunk = [
        (0.001, -0.02), (0.15, 0.0), (0.165, 0.1), (0.155, 0.22), (0.19, 0.42), (0.2, 0.5), (0.12, 0.57), (0.05, 0.59),
    ]  # fmt: skip
    parts = [smoothed(turned(trunk, clothes.shirt, 20), 50).moved(flat).moved(tilt)]
    hips = turned([(0.001, -0.05), (0.15, -0.03), (0.165, 0.06), (0.001, 0.08)], clothes.trousers, 20)
    parts.append(smoothed(hips, 50).moved(flat).moved(tilt))
    top = np.array([0.0, 0.06, 1.5])
    parts.append(head(clothes, top))
    if generator.random() < 0.6:
        angles = np.linspace(0.0, np.pi / 2, 7)
        profile = [(max(float(np.cos(a)), 1e-4), float(np.sin(a))) for a in angles]
        shell = turned(profile, generator.uniform(0.1, 0.85, 3), 16)
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
