"""Sinks that stand: on a pedestal, on legs, or in a cabinet."""

from __future__ import annotations

from tolman.simulate.made.forms import bar, box, cylinder, loft, tube
from tolman.simulate.made.joinery import FrontStyle, Niche, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, OpeningPart, SizeClass
from tolman.simulate.made.materials import DARK
from tolman.simulate.made.outlines import ring
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A basin with a drain and a tap, over what carries it."""
    w, d, h = draws.size
    ceramic = draws.material("ceramic")
    metal = draws.material("metal")
    tap = draws.between(0.1, 0.18)
    top = h - tap
    style = draws.pick("pedestal", "cabinet", "cabinet", "legs")
    vessel = style != "pedestal" and draws.chance(0.35)
    power = draws.between(2.0, 6.0)
    bodies: list[Mesh] = []
    openings: list[OpeningPart] = []
    rise = draws.between(0.1, 0.14)
    if vessel:
        counter = top - rise
        r = (min(w * 0.42, 0.27), d * 0.36)
        y = d * 0.06
        rows = [(0.55, 0.0), (0.9, 0.5), (1.0, 1.0), (0.93, 1.0), (0.8, 0.5), (0.3, 0.15)]
        bodies += ceramic.on(loft([ring((0, y, counter + rise * z), (r[0] * q, r[1] * q), power) for q, z in rows]))
        slab = draws.material("wood", "stone")
        bodies += slab.on(box((-w / 2, -d / 2, counter - 0.04), (w / 2, d / 2, counter), 0.003))
        under, drain = counter - 0.04, counter + rise * 0.15
    else:
        outer = 2.0 * power if style == "pedestal" else 24.0
        thick = draws.between(0.08, 0.16) if style != "cabinet" else draws.between(0.03, 0.06)
        r, y = (w / 2 - 0.05, d / 2 - 0.08), 0.03
        bowl = min(0.13, thick + 0.1)
        low = top - thick
        shell = (
            [
                ring((0, 0, low), (w / 2 * 0.8, d / 2 * 0.8), outer),
                ring((0, 0, low + 0.3 * thick), (w / 2 * 0.96, d / 2 * 0.96), outer),
            ]
            if style != "cabinet"
            else [ring((0, 0, low), (w / 2, d / 2), outer)]
        )
        inner = max(top - bowl, low + 0.012)
        rings = [
            *shell,
            ring((0, 0, top), (w / 2, d / 2), outer),
            ring((0, y, top), r, power),
            ring((0, y, (top + inner) / 2), (r[0] * 0.85, r[1] * 0.85), power),
            ring((0, y, inner), (r[0] * 0.5, r[1] * 0.5), power),
        ]
        bodies += ceramic.on(loft(rings))
        under, drain = low, inner
    bodies += metal.on(cylinder((0, y, drain - 0.003), 0.022, 0.006, sides=16))
    if style == "pedestal":
        foot = min(0.13, 0.28 * w)
        rows = [(1.1, 0.0), (1.0, 0.03), (0.62, 0.3), (0.6, 0.7), (0.95, 1.0)]
        bodies += ceramic.on(
            loft([ring((0, -0.04, under * z + 0.02 * z), (foot * q, foot * 0.9 * q), 3.0) for q, z in rows])
        )
    elif style == "legs":
        frame = draws.material("metal", "wood")
        x, y0, y1 = w / 2 - 0.04, -d / 2 + 0.04, d / 2 - 0.05
        bodies += frame.on(
            *(bar((s * x, yy, 0.0), (s * x, yy, under + 0.03), 0.015, square=True) for s in (-1, 1) for yy in (y0, y1))
        )
        bodies += frame.on(
            box((-x, y0, 0.18), (x, y1, 0.2)),
            *(bar((s * x, y0, under - 0.03), (s * x, y1, under - 0.03), 0.012) for s in (-1, 1)),
        )
        bodies += metal.on(
            tube(
                [
                    (0, 0.0, under + 0.02),
                    (0, 0.0, under - 0.16),
                    (0, -0.06, under - 0.2),
                    (0, -d / 2 + 0.03, under - 0.17),
                ],
                0.02,
            )
        )
    else:
        body = draws.material("wood", "paint", "paint")
        handles = drawn_handles(draws)
        face = d / 2 - 0.019 - handles.depth
        hung = 0.02 if draws.chance(0.7) else 0.1
        bodies += body.on(box((-w / 2 + 0.006, -d / 2 + 0.004, hung), (w / 2 - 0.006, face, under + 0.002)), turn=1)
        bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.02, 0.0), (w / 2 - 0.02, face - 0.05, hung + 0.002)).painted(DARK))
        columns = 1 if w < 0.5 else draws.count(1, 3)
        kinds = draws.pick("doors", "drawers")
        cells = [
            Niche((a, p), (b, q), ("left" if i % 2 == 0 else "right") if kinds == "doors" else "drawer")
            for i, (a, b) in enumerate(split(-w / 2 + 0.008, w / 2 - 0.008, columns))
            for p, q in split(hung + 0.005, under - 0.005, 1 if kinds == "doors" else 2)
        ]
        made, openings = fronts(cells, face, FrontStyle(draws.pick("plain", "frame", "slats"), body, handles))
        bodies += made
    back = -d / 2 + 0.045
    kind = draws.pick("bend", "block", "two")
    start = under if vessel else top - 0.02
    if kind == "block":
        bodies += metal.on(
            box((-0.02, back - 0.02, start), (0.02, back + 0.02, h - 0.02), 0.004),
            box((-0.015, back, h - 0.045), (0.015, back + 0.15, h - 0.02), 0.004),
            box((-0.006, back - 0.015, h - 0.02), (0.006, back + 0.035, h), 0.002),
        )
    else:
        bodies += metal.on(
            tube(
                [
                    (0, back, start),
                    (0, back, h - 0.04),
                    (0, back + 0.03, h - 0.012),
                    (0, back + 0.1, h - 0.012),
                    (0, back + 0.13, h - 0.05),
                ],
                0.012,
            )
        )
        bodies += metal.on(
            *(
                cylinder((s * 0.08, back, start), 0.016, min(0.06, h - start - 0.01), sides=12)
                for s in ((-1, 1) if kind == "two" else (1,))
            )
        )
    return MadeParts(bodies, [], openings)


FURNITURE = FurnitureKind(
    name="sink",
    category="sink",
    habit="wall",
    sizes=(SizeClass((0.62, 0.48, 0.97), (0.2, 0.1, 0.06)),),
    make=make,
    source="no boxes of sinks among the statistics; 0.45–0.9 m wide, rims at 0.8–0.9 m as on sale",
)
