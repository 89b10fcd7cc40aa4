"""Coffee tables: low, some with a shelf or a drawer below the top."""

from __future__ import annotations

from tolman.simulate.made.forms import box, prism
from tolman.simulate.made.joinery import LEG_STYLES, legs
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.outlines import ellipse, rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A low top on legs or on side panels, often with a shelf below it; on a block people take it for a box."""
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint")
    top = frame if frame.family == "wood" and draws.chance(0.6) else draws.material("wood", "glass", "stone", "paint")
    thick = 0.01 if top.family == "glass" else draws.between(0.018, 0.04)
    under = h - thick
    oval = draws.chance(0.3)
    corner = draws.between(0.005, 0.3 * d) if draws.chance(0.5) else 0.005

    def plate(grow: float, low: float, high: float) -> Mesh:
        a, b = w / 2 + grow, d / 2 + grow
        outline = (
            ellipse((0, 0), (a, b), 48) if oval else rounded_rectangle((-a, -b), (a, b), max(0.004, corner + grow))
        )
        return prism(outline, low, high)

    bodies = [*top.on(plate(0.0, under, h))]
    share = 0.69 if oval else 1.0
    x, y = share * w / 2 - 0.29 * corner * (not oval), share * d / 2 - 0.29 * corner * (not oval)
    surfaces = [LevelSurface((-x, -y), (x, y), h)]
    style = draws.pick("legs", "legs", "panels") if not oval else "legs"
    if style == "panels":
        t = draws.between(0.02, 0.04)
        bodies += frame.on(
            *(box((s * (x - t) - t / 2, -y, 0.0), (s * (x - t) + t / 2, y, under)) for s in (-1, 1)), turn=1
        )
        bodies += frame.on(box((-x + t, -y + 0.01, h * 0.3), (x - t, y - 0.01, h * 0.3 + 0.018)))
        if draws.chance(0.5):
            front = box((-x + t * 1.6, y - 0.03, under - 0.1), (x - t * 1.6, y - 0.012, under - 0.004))
            handles = draws.material("metal").on(box((-0.05, y - 0.012, under - 0.06), (0.05, y, under - 0.048)))
            tray = box((-x + t * 1.6, -y + 0.02, under - 0.09), (x - t * 1.6, y - 0.03, under))
            bodies += [*frame.shade(1.06).on(front, tray), *handles]
    else:
        kind = draws.pick(*LEG_STYLES)
        radius = draws.between(0.018, 0.035) if frame.family != "metal" else draws.between(0.01, 0.02)
        bodies += frame.on(*legs((-x, -y), (x, y), 0.0, under, kind, radius, lean=0.05))
        if kind != "hairpin":
            reach = radius + (0.045 if kind == "splayed" else 0.0)
            a, b, t = x - reach, y - reach, 0.009
            bodies += frame.on(*(box((-a, s * b - t, under - 0.05), (a, s * b + t, under)) for s in (-1, 1)))
            bodies += frame.on(*(box((s * a - t, -b, under - 0.05), (s * a + t, b, under)) for s in (-1, 1)))
        if kind in ("square", "round") and draws.chance(0.55):
            z = draws.between(0.08, 0.16)
            bodies += frame.on(box((-x + radius, -y + radius, z), (x - radius, y - radius, z + 0.016)))
    return MadeParts(bodies, surfaces)


FURNITURE = FurnitureKind(
    name="coffee table",
    category="coffee table",
    habit="floor",
    sizes=(SizeClass((0.98, 0.58, 0.43), (0.22, 0.16, 0.12)),),
    make=make,
    source="VSI-Bench boxes: 409 tables of all kinds; heights 0.35 to 0.5 m as in Infinigen Indoors",
    real="table",
    share=0.25,
)
