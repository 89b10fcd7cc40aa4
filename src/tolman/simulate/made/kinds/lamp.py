"""Lamps that stand on tables or on the floor."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import ball, bar, bent, box, cylinder, lathe, rotated, shifted
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
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
        parts = [box((-w / 2, s * d / 2 - (s > 0) * t, low), (w / 2, s * d / 2 + (s < 0) * t, high)) for s in (-1, 1)]
        parts += [
            box((s * w / 2 - (s > 0) * t, -d / 2 + t, low), (s * w / 2 + (s < 0) * t, d / 2 - t, high)) for s in (-1, 1)
        ]
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
        mesh = lathe(
            [
                (outer[0][0] - 0.03, low),
                *outer,
                *inner[:-1],
                (inner[-1][0] - 0.005, low + 0.004),
                (0.06, high - 0.3 * (high - low)),
            ],
            sides=32,
        )
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


FURNITURE = FurnitureKind(
    name="lamp",
    category="lamp",
    habit="surface",
    sizes=(
        SizeClass((0.29, 0.235, 0.55), (0.2, 0.2, 0.2), common=0.7, share=0.6),
        SizeClass((0.17, 0.40, 0.52), (0.14, 0.15, 0.18), name="arm", share=0.25),
        SizeClass((0.28, 0.27, 0.78), (0.15, 0.15, 0.1), common=0.7, name="tall", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 26 lamps, sorted sides 0.24, 0.32 and 0.63 m in the median",
    real="lamp",
    share=0.75,
)
