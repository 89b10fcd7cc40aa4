"""Televisions: a flat screen on a foot or two."""

from __future__ import annotations

from tolman.simulate.made.forms import bar, box, prism
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.materials import SCREEN
from tolman.simulate.made.outlines import rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A panel with a bezel and a thicker back, on a plate, two feet or a bent bar."""
    w, d, h = draws.size
    frame = draws.material("casing")
    style = draws.pick("plate", "feet", "feet", "bar")
    rise = draws.between(0.04, 0.1) * min(1.0, h / 0.55)
    thick = min(draws.between(0.02, 0.035), d * 0.5)
    bezel = draws.between(0.006, 0.02)
    bodies: list[Mesh] = [*frame.on(box((-w / 2, -thick / 2, rise), (w / 2, thick / 2, h), 0.003))]
    screen = box(
        (-w / 2 + bezel, thick / 2 - 0.002, rise + bezel * draws.between(1.0, 2.5)),
        (w / 2 - bezel, thick / 2 + 0.001, h - bezel),
    )
    bodies.append(screen.painted(SCREEN))
    bulge = min(0.03, d / 2 - thick / 2)
    if bulge > 0.006:
        a, b = w * draws.between(0.25, 0.42), rise + (h - rise) * draws.between(0.5, 0.8)
        bodies += frame.shade(0.9).on(box((-a, -thick / 2 - bulge, rise + 0.03), (a, -thick / 2, b), 0.005))
    t = 0.008
    if style == "plate":
        plate = rounded_rectangle((-w * 0.2, -d / 2), (w * 0.2, d / 2), draws.between(0.004, 0.4 * d))
        bodies += frame.on(prism(plate, 0.0, t), box((-0.04, -0.012, t - 0.001), (0.04, 0.012, rise + 0.03)))
    elif style == "feet":
        x = w * draws.between(0.25, 0.42)
        for s in (-1, 1):
            for y in (-d / 2 + 0.004, d / 2 - 0.004):
                bodies += frame.on(bar((s * x, 0.0, rise + 0.01), (s * x * 1.04, y, 0.005), 0.006, 0.005, square=True))
    else:
        half = w * draws.between(0.18, 0.3)
        for y in (-d / 2 + 0.008, d / 2 - 0.008):
            bodies += frame.on(box((-half, y - 0.008, 0.0), (half, y + 0.008, t)))
        for s in (-1, 1):
            bodies += frame.on(box((s * half - 0.008, -d / 2, 0.0), (s * half + 0.008, d / 2, t)))
        bodies += frame.on(
            *(bar((s * half * 0.8, 0.0, 0.0), (s * half * 0.5, 0.0, rise + 0.02), 0.008) for s in (-1, 1)),
            box((-half, -0.008, 0.0), (half, 0.008, t)),
        )
    if draws.chance(0.2):
        bodies += frame.shade(1.5).on(
            box((-w * 0.3, -0.01, rise - 0.02), (w * 0.3, thick / 2 + 0.004, rise + 0.004), 0.004)
        )
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="tv",
    category="tv",
    habit="surface",
    sizes=(
        SizeClass((0.95, 0.057, 0.58), (0.22, 0.12, 0.2), common=0.9, name="slim", share=0.72),
        SizeClass((0.90, 0.2, 0.57), (0.22, 0.15, 0.2), common=0.9, name="on feet", share=0.28),
    ),
    make=make,
    source="VSI-Bench boxes: 94 televisions, sorted sides 0.06, 0.57 and 0.93 m in the median, feet mostly left out",
    real="tv",
)
