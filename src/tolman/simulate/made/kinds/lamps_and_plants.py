"""Lamps and plants in pots, on tables or on the floor."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.made.forms import SOIL, Material, ball, bar, bent, box, cylinder, lathe, rotated, shifted, tube
from tolman.simulate.made.joinery import walls
from tolman.simulate.made.kind import Draws, MadeParts, own_kinds
from tolman.simulate.mesh import Mesh, flat_shaded, smoothed


def make_floor_lamp(draws: Draws) -> MadeParts:
    """Make a shade on a stem or on three legs, at the height of a person."""
    return lamp(replace(draws, design="floor"))


def make_plant(draws: Draws) -> MadeParts:
    """A pot, earth, and leaves: a rosette, a bush, arching blades, a tree, a cactus or hanging shoots."""
    w, d, h = draws.size
    style = draws.pick("rosette", "bush", "blades", "tree", "cactus", "fan")
    pot_high = h * (draws.between(0.2, 0.34) if style != "cactus" else draws.between(0.3, 0.45))
    pot_wide = min(w, d) * draws.between(0.26, 0.42)
    bodies = _pot(draws, pot_wide, pot_high)
    earth = pot_high * 0.9
    soil = lathe(
        [(pot_wide * 0.86, earth - 0.01 * h), (pot_wide * 0.86, earth), (pot_wide * 0.4, earth + 0.01 * h)], sides=20
    )
    bodies.append(soil.painted(SOIL))
    return MadeParts([*bodies, *_filling(_growth(draws, style, w, d, h, earth, pot_wide), w, d, h, earth)])


def _filling(leaves: list[Mesh], w: float, d: float, h: float, earth: float) -> list[Mesh]:
    """Stretch leaves until they fill the box above the earth."""
    points = np.concatenate([mesh.points for mesh in leaves])
    low, high = points.min(0), points.max(0)
    half = np.array([w / 2, d / 2])

    def filled(points: Floats) -> Floats:
        # Each side by itself, so that what grows stays in the middle of its pot.
        flat = points[:, :2]
        wide = np.where(flat < 0, -half * flat / np.minimum(low[:2], -1e-6), half * flat / np.maximum(high[:2], 1e-6))
        return np.column_stack([wide, earth + (points[:, 2] - earth) * (h - earth) / (high[2] - earth)])

    return [bent(mesh, filled(mesh.points)) for mesh in leaves]


def _growth(draws: Draws, style: str, w: float, d: float, h: float, earth: float, pot: float) -> list[Mesh]:
    """Make the leaves of a plant."""
    leaf = draws.material("leaf")
    bodies: list[Mesh] = []
    rng = draws.generator
    if style == "cactus":
        return _cactus(draws, leaf, w, d, earth, h, pot)
    high = h - earth
    if style == "tree":
        bodies += draws.material("wood").on(
            tube(
                [(0, 0, earth - 0.01), (0.03 * w, 0.02 * d, earth + 0.3 * high), (0, 0, earth + 0.62 * high)],
                (0.02 * h, 0.013 * h, 0.01 * h),
            )
        )
    count = {
        "rosette": draws.count(12, 22),
        "bush": draws.count(40, 70),
        "blades": draws.count(12, 24),
        "tree": draws.count(45, 80),
        "fan": draws.count(7, 12),
    }[style]
    shape = draws.between(0.18, 0.5)
    for number in range(count):
        angle = number * 2.39996 + rng.uniform(-0.2, 0.2)
        out = np.array([np.cos(angle) * w / 2, np.sin(angle) * d / 2, 0.0])
        share = (number + 0.5) / count
        if style in ("rosette", "blades"):
            up = 1.0 - share * rng.uniform(0.4, 0.75) if style == "blades" else 0.35 + 0.65 * (1 - share)
            far = share**0.5 * rng.uniform(0.85, 1.0)
            start, end = (
                0.1 * out + (0, 0, earth),
                out * far + (0, 0, earth + high * up * (0.75 if style == "blades" and share > 0.5 else 1.0)),
            )
            droop = high * (0.3 if style == "blades" else 0.1)
            bodies += _tone(leaf, rng).on(
                _leaf(start, end, (0.06 if style == "blades" else 0.1 + 0.2 * shape) * min(w, d), droop, 5)
            )
            continue
        if style == "fan":
            base, tip = (
                0.06 * out + (0, 0, earth),
                out * rng.uniform(0.3, 0.7) + (0, 0, earth + high * rng.uniform(0.35, 0.75)),
            )
            bodies += leaf.shade(0.8).on(
                tube([base, (base + tip) / 2 + (0, 0, 0.08 * high), tip], 0.006 * h + 0.001, sides=5)
            )
            end = out * rng.uniform(0.85, 1.0) + (0, 0, min(h, tip[2] + high * rng.uniform(0.0, 0.25)))
            bodies += _tone(leaf, rng).on(_leaf(tip, end, (0.14 + 0.22 * shape) * min(w, d), 0.05 * high, 4))
            continue
        middle = earth + high * (0.5 if style == "bush" else 0.72)
        tall = high * (0.5 if style == "bush" else 0.28)
        lift = 1 - 2 * share
        ring = np.sqrt(max(0.0, 1 - lift**2))
        deep = rng.uniform(0.45, 0.75)
        start = out * ring * deep + (0, 0, middle + tall * lift * deep)
        root = np.array([0.0, 0.0, earth if style == "bush" else earth + 0.6 * high])
        bodies += leaf.shade(0.6).on(tube([root, start], (0.004 * h, 0.002 * h), sides=4))
        end = out * ring + (0, 0, middle + tall * lift)
        bodies += _tone(leaf, rng).on(_leaf(start, end, (0.1 + 0.22 * shape) * min(w, d), 0.06 * high, 3))
    return bodies


def _tone(leaf: Material, rng: np.random.Generator) -> Material:
    return leaf.shade(float(rng.uniform(0.8, 1.2)))


def _leaf(start: Floats, end: Floats, width: float, droop: float, parts: int) -> Mesh:
    """A leaf from a point to a tip: broad in its middle, hanging by `droop`, a closed sliver."""
    t = np.linspace(0, 1, parts + 1)
    path = start + np.outer(t, end - start)
    path[:, 2] += 4 * droop * t * (1 - t) * 0.5
    along = end - start
    side = np.cross(along, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-9 else np.array([1.0, 0.0, 0.0])
    half = 0.5 * width * np.sin(np.pi * (0.06 + 0.94 * t[:-1])) ** 0.8
    up = np.cross(side, along)
    up = up / np.linalg.norm(up) * max(0.0012, 0.04 * width)
    corners = []
    rings = [np.array([p - side * q, p + up, p + side * q, p - up * 0.3]) for p, q in zip(path[:-1], half, strict=True)]
    for a, b in itertools.pairwise(rings):
        for i in range(4):
            j = (i + 1) % 4
            corners += [[a[i], a[j], b[j]], [a[i], b[j], b[i]]]
    for i in range(4):
        j = (i + 1) % 4
        corners.append([rings[-1][i], rings[-1][j], path[-1]])
    corners += [[rings[0][0], rings[0][2], rings[0][1]], [rings[0][0], rings[0][3], rings[0][2]]]
    faces = np.array(corners)
    total = (faces[:, 0] * np.cross(faces[:, 1], faces[:, 2])).sum()
    return smoothed(flat_shaded(faces if total > 0 else faces[:, ::-1]), 60.0)


def _pot(draws: Draws, radius: float, high: float) -> list[Mesh]:
    clay = draws.material("pottery", "pottery", "plastic", "wood")
    style = draws.pick("cone", "rim", "bowl", "square", "cylinder")
    wall = 0.88
    if style == "square":
        side = radius * 0.92
        t = side * 0.12
        return clay.on(
            walls((side, side), t, 0.0, high), box((-side + t, -side + t, 0.0), (side - t, side - t, high * 0.88))
        )
    rows = {
        "cone": [(0.68, 0.0), (1.0, 1.0)], "rim": [(0.62, 0.0), (0.88, 0.78), (1.0, 0.78), (1.0, 1.0)],
        "bowl": [(0.5, 0.0), (0.9, 0.3), (1.0, 0.65), (0.94, 1.0)], "cylinder": [(0.96, 0.0), (1.0, 0.03), (1.0, 1.0)],
    }[style]  # fmt: skip
    outer = [(radius * r, high * z) for r, z in rows]
    return clay.on(lathe([*outer, (outer[-1][0] * wall, high), (outer[-1][0] * wall, high * 0.8)], sides=24))


def _cactus(draws: Draws, leaf: Material, w: float, d: float, earth: float, h: float, pot: float) -> list[Mesh]:
    trunk = min(pot * 0.75, 0.3 * (h - earth))
    made = leaf.on(ball((0, 0, (earth + h) / 2 - 0.02 * h), (trunk, trunk, (h - earth) / 2 + 0.02 * h), sides=18))
    for s, out in ((-1, w), (1, w)):
        z = earth + (h - earth) * draws.between(0.3, 0.5)
        x = s * (out / 2 - trunk * 0.4)
        made += leaf.on(
            tube(
                [(0, 0, z), (x * 0.8, 0, z), (x, 0, z + 0.1 * (h - earth)), (x, 0, z + 0.35 * (h - earth))],
                trunk * 0.4,
                sides=12,
            )
        )
        made += leaf.on(ball((x, 0, z + 0.35 * (h - earth)), (trunk * 0.4, trunk * 0.4, trunk * 0.4), sides=12))
    if draws.chance(0.6):
        made += leaf.on(
            ball(
                (0, s * (d / 2 - trunk * 0.5), earth + trunk * 0.6),
                (trunk * 0.5, trunk * 0.5, trunk * 0.8),
                sides=12,
            )
            for s in (-1, 1)
        )
    return made


def make_lamp(draws: Draws) -> MadeParts:
    """A foot and a shade: on a stem, a pot or three legs; or an arm with joints; or a ball."""
    return _with_arm(draws) if draws.design == "arm" else lamp(draws)


def lamp(draws: Draws) -> MadeParts:
    """A shade over a foot; the design 'floor' has long stems."""
    w, d, h = draws.size
    tall = draws.design == "floor"
    metal = draws.material("metal", "wood", "paint")
    foot = draws.pick("tripod", "stem", "stem", "bow") if tall else draws.pick("pot", "pot", "stem", "ball", "blocks")
    lit = draws.chance(0.3)
    high = draws.between(0.18, 0.28) * h if tall else draws.between(0.34, 0.48) * h
    shade = _shade(draws, w, d, h - high, h, lit)
    stem = draws.between(0.008, 0.014)
    z = h - high * 0.6
    bodies: list[Mesh] = []
    if foot == "tripod":
        knot = (0.0, 0.0, h - high * 1.1)
        for angle in np.arange(3) * 2 * np.pi / 3 + np.pi / 2:
            bodies += metal.on(
                bar(
                    (float(0.46 * w * np.cos(angle)), float(0.46 * d * np.sin(angle)), stem),
                    (float(0.03 * np.cos(angle)), float(0.03 * np.sin(angle)), knot[2]),
                    stem,
                )
            )
        bodies += metal.on(lathe([(0.035, knot[2] - 0.03), (0.035, knot[2] + 0.01), (stem, knot[2] + 0.02), (stem, z)]))
    elif foot == "pot":
        under = h - high * 0.95
        swell = draws.between(0.2, 0.36) * min(w, d)
        rows = [(0.7, 0.0), (1.0, draws.between(0.2, 0.5)), (draws.between(0.3, 0.8), 0.8), (0.25, 0.97), (0.2, 1.0)]
        bodies += draws.material("pottery", "ceramic", "wood").on(
            lathe([(swell * r, under * q) for r, q in rows], sides=28)
        )
        bodies += metal.on(cylinder((0, 0, under - 0.01), stem * 0.7, z - under + 0.01))
    elif foot == "ball":
        r = min(0.24 * min(w, d), (h - high) / 2)
        bodies += draws.material("pottery", "metal").on(ball((0, 0, r), (r, r, r), sides=24))
        bodies += metal.on(cylinder((0, 0, 1.9 * r), stem * 0.8, z - 1.9 * r), cylinder((0, 0, 0), r * 0.5, 0.012))
    elif foot == "blocks":
        count, under = draws.count(2, 4), h - high * 0.95
        size = draws.between(0.12, 0.2) * min(w, d)
        for n in range(count):
            block = box((-size, -size, under * n / count), (size, size, under * (n + 1) / count - 0.002), 0.008)
            bodies += metal.on(rotated(block, 0.4 * n))
        bodies += metal.shade(0.7).on(cylinder((0, 0, 0.01), stem * 0.7, z - 0.01))
    else:
        disc = draws.between(0.26, 0.36) * min(w, d) if not tall else draws.between(0.3, 0.42) * min(w, d)
        base = 0.02 if draws.chance(0.6) else 0.04
        bodies += metal.on(
            lathe([(disc, 0.0), (disc, base * 0.7), (disc * 0.8, base), (stem, base * 1.3), (stem, z)], sides=28)
        )
        if foot == "bow":
            bodies += metal.on(ball((0, 0, h * 0.45), (stem * 2.2, stem * 2.2, stem * 2.2)))
    return MadeParts([*bodies, *shade])


def _shade(draws: Draws, w: float, d: float, low: float, high: float, lit: bool) -> list[Mesh]:
    material = draws.material("bedding", "fabric", "paint")
    style = draws.pick("cone", "drum", "box", "dome", "empire")
    t = 0.012
    if style == "box":
        parts = walls((w / 2, d / 2), t, low, high)
        parts.append(box((-w / 2 + t, -0.006, high - 0.03), (w / 2 - t, 0.006, high - 0.018)))
    else:
        top = {"cone": draws.between(0.35, 0.6), "drum": draws.between(0.88, 1.0), "dome": 0.3, "empire": 0.5}[style]
        rows = [(1.0, 0.0), (top, 1.0)]
        if style == "dome":
            rows = [(1.0, 0.0), (0.96, 0.3), (0.8, 0.65), (0.5, 0.92), (0.25, 1.0)]
        elif style == "empire":
            rows = [(1.0, 0.0), (0.78, 0.25), (0.62, 0.6), (0.52, 1.0)]
        outer = [(0.5 * r, low + (high - low) * z) for r, z in rows]
        inner = [(max(0.05, r - 0.03), z) for r, z in outer[::-1]]
        ends = [(inner[-1][0] - 0.005, low + 0.004), (0.06, high - 0.3 * (high - low))]
        mesh = lathe([(outer[0][0] - 0.03, low), *outer, *inner[:-1], *ends], sides=32)
        # Down the inside it comes back to where it began, so that the shade is open below.
        parts = [bent(mesh, mesh.points * (w, d, 1.0))]
    made = material.on(*parts)
    return [mesh.painted(material.colour, 0.55) for mesh in made] if lit else made


def _with_arm(draws: Draws) -> MadeParts:
    """A desk lamp: a foot, two rods with joints, a head at the front."""
    w, d, h = draws.size
    metal = draws.material("paint", "metal", "plastic")
    r = draws.between(0.006, 0.01)
    # Under the arm's middle, so that it doesn't tip over.
    foot = min(0.12, 0.5 * w, 0.34 * d)
    base_y = 0.03 * d
    elbow = (0.0, -d / 2 + r * 2, h * draws.between(0.45, 0.6))
    shoulder = (0.0, draws.between(0.0, 0.2) * d, h - 0.02)
    reach = min(0.5 * w, 0.3 * d, 0.1)
    head = (0.0, d / 2 - reach, h * draws.between(0.7, 0.8))
    bodies = metal.on(
        cylinder((0.0, base_y, 0.0), foot, draws.between(0.02, 0.035), bevel=0.004),
        bar((0.0, base_y, 0.01), elbow, r), bar(elbow, shoulder, r), bar(shoulder, (0.0, head[1], head[2] + 0.03), r),
    )  # fmt: skip
    for joint in (elbow, shoulder):
        bodies += metal.shade(0.6).on(ball(joint, (r * 1.9, r * 1.9, r * 1.9), sides=10))
    if draws.chance(0.6):
        high = min(0.13, head[2] * 0.5)
        shade = lathe([(0.9, 0.0), (1.0, 0.0), (0.55, 0.75), (0.3, 1.0)], sides=24)
        bell = bent(shade, shade.points * (w / 2, reach, high))
        tilted = rotated(bell, -0.25, axis=0)
        bodies += metal.on(shifted(tilted, (0.0, head[1], head[2] - high * 0.6)))
    else:
        bodies += metal.on(box((-w / 2, head[1] - 0.03, head[2]), (w / 2, head[1] + reach, head[2] + 0.035), 0.012))
        bodies.append(
            box(
                (-w / 2 + 0.01, head[1] - 0.02, head[2] - 0.002),
                (w / 2 - 0.01, head[1] + reach - 0.01, head[2] + 0.004),
            ).painted((0.95, 0.93, 0.85))
        )
    return MadeParts(bodies)


FURNITURE_KINDS = own_kinds(
    {"floor lamp": make_floor_lamp, "floor plant": make_plant, "lamp": make_lamp, "plant": make_plant}
)
