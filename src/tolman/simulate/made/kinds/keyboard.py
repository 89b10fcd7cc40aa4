"""Computer keyboards: the user sits at the front."""

from __future__ import annotations

from tolman.simulate.made.forms import bent, box
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """Five or six rows of keys on a slab that rises to the back; with or without a block of numbers."""
    w, d, h = draws.size
    body = draws.material("casing", "casing", "plastic")
    keys = draws.material("casing") if draws.chance(0.7) else body
    front = draws.between(0.4, 0.8) * h
    travel = min(0.008, 0.4 * front)
    rest = draws.between(0.04, 0.07) if d > 0.19 and draws.chance(0.4) else draws.between(0.006, 0.014)
    slab = box((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h - travel), min(0.004, 0.3 * h))

    def sloped(mesh: Mesh) -> Mesh:
        points = mesh.points.copy()
        share = (points[:, 1] + d / 2) / d
        points[:, 2] *= 1 - share * (1 - front / h)
        return bent(mesh, points)

    bodies: list[Mesh] = [*body.on(sloped(slab))]
    rows = draws.count(5, 6)
    y0, y1 = -d / 2 + draws.between(0.006, 0.02), d / 2 - rest
    blocks = draws.pick("full", "full", "short", "split")
    margin = 0.008
    # Whoever sits before it has -x on the right.
    ends = {
        "full": [(-w * 0.17, w / 2 - margin, 14), (-w * 0.295, -w * 0.19, 3), (-w / 2 + margin, -w * 0.31, 4)],
        "short": [(-w / 2 + margin, w / 2 - margin, 15)],
        "split": [(-w / 2 + margin, -w * 0.06, 6), (w * 0.06, w / 2 - margin, 7)],
    }[blocks]
    for number, (p, q) in enumerate(split(y0, y1, rows)):
        for start, end, count in ends:
            steps = split(start, end, count)
            if number == rows - 1 and count > 5:
                third = len(steps) // 4
                steps = [*steps[:third], (steps[third][0], steps[-third - 1][1]), *steps[-third:]]
            shift = 0.0 if count < 5 else 0.25 * (number % 2) * (end - start) / count
            for a, b in steps:
                b = min(b + shift, end)
                key = box((min(a + shift, b - 0.006) + 0.001, p + 0.001, h - travel * 1.5), (b - 0.001, q - 0.001, h))
                bodies += keys.on(sloped(key))
    if draws.chance(0.3):
        feet = [
            box((s * w * 0.4 - 0.01, -d / 2 + 0.01, 0.0), (s * w * 0.4 + 0.01, -d / 2 + 0.02, h * 0.5)) for s in (-1, 1)
        ]
        bodies += body.on(*feet)
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="keyboard",
    category="keyboard",
    habit="surface",
    sizes=(SizeClass((0.445, 0.175, 0.028), (0.09, 0.15, 0.25)),),
    make=make,
    source="VSI-Bench boxes: 49 keyboards, sorted sides 0.03, 0.18 and 0.45 m in the median",
    real="keyboard",
)
