"""Armchairs: one seat, upholstered all over or in a frame of wood."""

from __future__ import annotations

from tolman.simulate.made.forms import bent, box, cushion, leg, tube
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.upholstery import seat_with_cushions


def make(draws: Draws) -> MadeParts:
    """An upholstered seat, or two cushions in an open frame with arms."""
    return seat_with_cushions(draws, 1) if draws.design == "" else _framed(draws)


def _framed(draws: Draws) -> MadeParts:
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal")
    cover = draws.material("fabric", "leather")
    r = draws.between(0.016, 0.026) if frame.family == "wood" else draws.between(0.011, 0.015)
    square = frame.family == "wood" and draws.chance(0.6)
    x, front, back = w / 2 - r, d / 2 - r, -d / 2 + r
    seat, arm = draws.between(0.38, 0.43), draws.between(0.54, 0.62)
    style = draws.pick("posts", "loop", "rocker")
    made = []
    for s in (-1, 1):
        if style == "posts":
            made += [leg((s * x, front, 0.0), (s * x, front - 0.03, arm), r, square=square)]
            made += [leg((s * x, back, 0.0), (s * x, back + 0.08, arm), r, square=square)]
            made.append(
                box(
                    (s * x - 0.03 * (s > 0) - r * (s < 0), back, arm - 0.01),
                    (s * x + 0.03 * (s < 0) + r * (s > 0), front + r, arm + 0.015),
                    0.006,
                )
            )
        else:
            path = [(front - 0.05, r), (back + 0.02, r), (back + 0.1, arm), (front, arm), (front - 0.05, r * 2.2)]
            if style == "rocker":
                path = [
                    (back + 0.05, arm),
                    (back + 0.02, r),
                    (front - 0.02, r),
                    (front - 0.04, arm),
                    (back + 0.07, arm + 0.001),
                ]
            made.append(tube([(s * x, y, z) for y, z in path], r, square=square))
    made += [
        tube([(-x, y, z), (x, y, z)], r * 0.9, square=square)
        for y, z in ((front - 0.07, seat - 0.13), (back + 0.12, seat - 0.16))
    ]
    inner = x - r - 0.006
    made += [
        tube([(s * inner * 0.9, back + 0.14, seat - 0.15), (s * inner * 0.9, back + 0.02, h - 0.05)], r * 0.8)
        for s in (-1, 1)
    ]
    bottom = cushion((-inner, back + 0.12, seat - 0.1), (inner, d / 2, seat + 0.02), 0.035, puff=0.025)
    points = bottom.points.copy()
    points[:, 2] -= 0.06 * (front - points[:, 1]) / (front - back)
    upper = cushion((-inner, -0.05, seat - 0.08), (inner, 0.07, h), 0.04, puff=0.03, axis=1)
    leant = upper.points.copy()
    leant[:, 1] += back + 0.19 - 0.16 * (leant[:, 2] - seat) / (h - seat)
    return MadeParts([*frame.on(*made, turn=1), *cover.on(bent(bottom, points), bent(upper, leant))])


FURNITURE = FurnitureKind(
    name="armchair",
    category="armchair",
    habit="seat",
    sizes=(
        SizeClass((0.86, 0.86, 0.83), (0.12, 0.09, 0.1), share=0.65),
        SizeClass((0.70, 0.78, 0.84), (0.09, 0.08, 0.1), name="framed", share=0.35),
    ),
    make=make,
    source="VSI-Bench boxes: 146 sofas, armchairs too",
    real="sofa",
    share=0.3,
)
