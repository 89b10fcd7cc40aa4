"""Tables that people sit at: round, oval or rectangular, on legs, trestles or a pedestal."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, box, lathe, leg, prism
from tolman.simulate.made.joinery import LEG_STYLES, legs
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.materials import Material
from tolman.simulate.made.outlines import ellipse, rounded_rectangle
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
    """A top, what carries it, and mostly an apron between the legs."""
    w, d, h = draws.size
    frame = draws.material("wood", "wood", "metal", "paint")
    top = frame if frame.family == "wood" and draws.chance(0.6) else draws.material("wood", "paint", "stone", "glass")
    thick = 0.012 if top.family == "glass" else draws.between(0.02, 0.045)
    under = h - thick
    if draws.design == "round" or (draws.design == "" and draws.chance(0.12)):
        slab = prism(ellipse((0, 0), (w / 2, d / 2), 48), under, h)
        inner = (w * 0.34, d * 0.34)
    else:
        corner = draws.between(0.0, 0.3) * d if draws.chance(0.4) else 0.004
        slab = prism(rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), max(corner, 0.004)), under, h)
        inner = (w / 2 - 0.29 * corner, d / 2 - 0.29 * corner)
    bodies = [*top.on(slab)]
    style = draws.pick("legs", "legs", "legs", "trestle", "pedestal", "cross")
    if draws.design == "round":
        style = draws.pick("pedestal", "legs", "cross")
    if style == "pedestal":
        bodies += frame.on(*_pedestal(draws, w, d, under))
    elif style == "trestle":
        bodies += frame.on(*_trestle(draws, w, d, under), turn=1)
    elif style == "cross":
        r = draws.between(0.016, 0.03)
        x, y = inner[0] - 2 * r, inner[1] - 2 * r
        for sign in (-1, 1):
            bodies += frame.on(
                leg((x, sign * y, 0.0), (-x, -sign * y, under), r, square=True),
                leg((-x, -sign * y, 0.0), (x, sign * y, under), r, square=True),
            )
    else:
        bodies += _legs_and_apron(draws, inner, under, frame, glass=top.family == "glass")
    margin = 0.71 if draws.design == "round" else 0.97
    area = (min(inner[0], margin * w / 2), min(inner[1], margin * d / 2))
    return MadeParts(bodies, [LevelSurface((-area[0], -area[1]), area, h)])


def _legs_and_apron(
    draws: Draws, inner: tuple[float, float], under: float, frame: Material, *, glass: bool
) -> list[Mesh]:
    style = draws.pick(*LEG_STYLES)
    radius = draws.between(0.022, 0.045) if frame.family != "metal" else draws.between(0.014, 0.028)
    inset = draws.between(0.0, 0.06)
    low, high = (-inner[0] + inset, -inner[1] + inset), (inner[0] - inset, inner[1] - inset)
    made = legs(low, high, 0.0, under, style, radius, lean=0.07)
    reach = (radius if style != "splayed" else radius * 0.6 + 0.07) + (0.02 if style == "hairpin" else 0)
    if style != "hairpin" and (glass or draws.chance(0.75)):
        drop = draws.between(0.05, 0.1) if not glass else 0.03
        x, y, t = high[0] - reach, high[1] - reach, 0.01
        made += [box((-x, s * y - t, under - drop), (x, s * y + t, under)) for s in (-1, 1)]
        made += [box((s * x - t, -y, under - drop), (s * x + t, y, under)) for s in (-1, 1)]
    if style in ("square", "round") and draws.chance(0.2):
        x, y, z = high[0] - reach, high[1] - reach, draws.between(0.1, 0.2)
        made += [bar((s * x, -y, z), (s * x, y, z), radius * 0.6, square=style == "square") for s in (-1, 1)]
        made.append(bar((-x, 0, z), (x, 0, z), radius * 0.6, square=style == "square"))
    return frame.on(*made)


def _pedestal(draws: Draws, w: float, d: float, under: float) -> list[Mesh]:
    radius = draws.between(0.035, 0.06)
    foot = 0.32 * min(w, d)
    spots = [0.0] if w < 1.6 * d else [-w * 0.25, w * 0.25]
    style = draws.pick("disc", "star", "turned")
    made: list[Mesh] = []
    for x in spots:
        if style == "star":
            made.append(lathe([(radius, 0.06), (radius, under)], center=(x, 0.0)))
            for angle in np.arange(4) * np.pi / 2 + np.pi / 4:
                reach = (float(np.cos(angle)) * foot * 1.2, float(np.sin(angle)) * foot * 1.2)
                made.append(bar((x, 0.0, 0.11), (x + reach[0], reach[1], 0.024), 0.03, 0.024))
        elif style == "disc":
            profile = [(foot, 0.0), (foot, 0.014), (radius, 0.03), (radius, under - 0.02), (foot * 0.5, under)]
            made.append(lathe(profile, center=(x, 0.0), sides=32))
        else:
            heights = [
                (0.9, 0.0),
                (0.95, 0.05),
                (0.35, 0.12),
                (0.25, 0.3),
                (0.42, 0.5),
                (0.22, 0.75),
                (0.3, 0.93),
                (0.6, 1.0),
            ]
            made.append(lathe([(foot * r, under * z) for r, z in heights], center=(x, 0.0), sides=32))
    return made


def _trestle(draws: Draws, w: float, d: float, under: float) -> list[Mesh]:
    x, y, t = w * draws.between(0.3, 0.42), d * 0.36, draws.between(0.03, 0.05)
    made: list[Mesh] = []
    style = draws.pick("frame", "panel", "x")
    for s in (-1, 1):
        if style == "panel":
            made.append(box((s * x - t / 2, -y, 0.0), (s * x + t / 2, y, under)))
            continue
        made += [
            box((s * x - t, -y, under - 0.05), (s * x + t, y, under)),
            box((s * x - t, -y, 0.0), (s * x + t, y, 0.04)),
        ]
        if style == "frame":
            made.append(box((s * x - t * 0.8, -t, 0.04), (s * x + t * 0.8, t, under - 0.05)))
        else:
            for sign, shift in ((-1, -0.3), (1, 0.3)):
                a, b = (s * x + shift * t, -sign * y * 0.85, 0.03), (s * x + shift * t, sign * y * 0.85, under - 0.04)
                made.append(bar(a, b, t * 0.6, square=True))
    made.append(box((-x, -0.014, under * 0.28), (x, 0.014, under * 0.28 + 0.07)))
    return made


FURNITURE = FurnitureKind(
    name="table",
    category="table",
    habit="table",
    sizes=(
        SizeClass((1.42, 0.84, 0.74), (0.28, 0.16, 0.04), name="", share=0.7),
        SizeClass((0.95, 0.95, 0.74), (0.16, 0.16, 0.03), common=0.95, name="round", share=0.3),
    ),
    make=make,
    source="VSI-Bench boxes: 409 tables of all kinds, sorted sides 0.61, 0.77 and 1.21 m in the median",
    real="table",
    share=0.42,
)
