"""Open crates of slats or of a plastic grid; with closed sides they are taken for boxes."""

from __future__ import annotations

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A floor and four sides of slats, with posts in the corners, or of a grid; handles."""
    w, d, h = draws.size
    style = draws.pick("slats", "slats", "grid")
    body = draws.material("wood") if style == "slats" else draws.material("plastic")
    t = draws.between(0.006, 0.014)
    bodies: list[Mesh] = [*body.on(box((-w / 2 + t, -d / 2 + t, 0.0), (w / 2 - t, d / 2 - t, t)))]

    def sides(low: float, high: float, x0: float = 0.0) -> list[Mesh]:
        long = [
            box((-w / 2 + x0, s * d / 2 - (s > 0) * t, low), (w / 2 - x0, s * d / 2 + (s < 0) * t, high))
            for s in (-1, 1)
        ]
        return long + [
            box((s * w / 2 - (s > 0) * t, -d / 2 + t, low), (s * w / 2 + (s < 0) * t, d / 2 - t, high)) for s in (-1, 1)
        ]

    if style == "slats":
        count = draws.count(3, 5)
        gap = draws.between(0.18, 0.34)
        for a, b in split(0.0, h, count):
            bodies += body.shade(draws.between(0.9, 1.1)).on(*sides(a + gap * (b - a) * (a > 0), b))
        post = 0.02
        bodies += body.on(
            *(
                box(
                    (sx * (w / 2 - t - post / 2) - post / 2, sy * (d / 2 - t - post / 2) - post / 2, 0.001),
                    (sx * (w / 2 - t - post / 2) + post / 2, sy * (d / 2 - t - post / 2) + post / 2, h - 0.004),
                )
                for sx in (-1, 1)
                for sy in (-1, 1)
            ),
            turn=1,
        )
    else:
        for a, b in [(0.0, 0.22 * h), (0.42 * h, 0.58 * h), (0.8 * h, h)]:
            bodies += body.on(*sides(a, b))
        for a, b in split(-w / 2, w / 2, max(4, round(w / 0.06))):
            bodies += body.on(
                *(
                    box((a, s * d / 2 - (s > 0) * t * 0.9, 0.0), (a + 0.25 * (b - a), s * d / 2 + (s < 0) * t * 0.9, h))
                    for s in (-1, 1)
                )
            )
        for a, b in split(-d / 2 + t, d / 2 - t, max(4, round(d / 0.06))):
            bodies += body.on(
                *(
                    box((s * w / 2 - (s > 0) * t * 0.9, a, 0.0), (s * w / 2 + (s < 0) * t * 0.9, a + 0.25 * (b - a), h))
                    for s in (-1, 1)
                )
            )
    if draws.chance(0.6):
        for s in (-1, 1):
            bodies.append(
                box(
                    (s * (w / 2 - t / 2) - t * 0.6, -0.05, h * 0.72),
                    (s * (w / 2 - t / 2) + t * 0.6, 0.05, h * 0.72 + min(0.03, 0.12 * h)),
                    0.002,
                ).painted((0.12, 0.11, 0.1))
            )
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="crate",
    category="crate",
    habit="floor",
    sizes=(SizeClass((0.405, 0.34, 0.27), (0.17, 0.2, 0.2)),),
    make=make,
    source="VSI-Bench boxes: 11 crates, sorted sides 0.27, 0.34 and 0.40 m in the median",
    real="crate",
)
