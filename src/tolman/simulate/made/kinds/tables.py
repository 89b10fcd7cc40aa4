"""Tables, desks, coffee tables and nightstands.

Tables that people sit at are round, oval or rectangular, on legs, trestles or a pedestal. A desk is a worktop on legs,
panels or pedestals with drawers, some with a raised shelf. Coffee tables are low, some with a shelf or a drawer below
the top. Nightstands are small, with drawers or a drawer and an open field; with a door they are taken for cupboards.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import Material, bar, box, ellipse, lathe, leg, prism, rounded_rectangle
from tolman.simulate.made.joinery import LEG_STYLES, Niche, base, case, drawn_fronts, drawn_handles, fronts, legs, split
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_coffee_table(draws: Draws) -> MadeParts:
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
            (box((s * (x - t) - t / 2, -y, 0.0), (s * (x - t) + t / 2, y, under)) for s in (-1, 1)), turn=1
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
        bodies += frame.on(legs((-x, -y), (x, y), 0.0, under, kind, radius, lean=0.05))
        if kind != "hairpin":
            reach = radius + (0.045 if kind == "splayed" else 0.0)
            a, b, t = x - reach, y - reach, 0.009
            bodies += frame.on(box((-a, s * b - t, under - 0.05), (a, s * b + t, under)) for s in (-1, 1))
            bodies += frame.on(box((s * a - t, -b, under - 0.05), (s * a + t, b, under)) for s in (-1, 1))
        if kind in ("square", "round") and draws.chance(0.55):
            z = draws.between(0.08, 0.16)
            bodies += frame.on(box((-x + radius, -y + radius, z), (x - radius, y - radius, z + 0.016)))
    return MadeParts(bodies, surfaces)


def make_desk(draws: Draws) -> MadeParts:
    """A worktop; on each side a pedestal, a panel or legs; a board behind the knees; maybe a raised shelf."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    hutch = draws.design == "hutch"
    top_z = draws.between(0.72, 0.76) if hutch else h
    thick = draws.between(0.018, 0.035)
    under = top_z - thick
    bodies = [
        *body.on(prism(rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), draws.between(0.003, 0.03)), under, top_z))
    ]
    openings: list[OpeningPart] = []
    handles = drawn_handles(draws)
    style = drawn_fronts(draws, body, handles, ("plain", "plain", "frame"), 0.6, "paint")
    layout = draws.pick("legs", "left", "right", "both", "legs") if w > 1.15 else draws.pick("legs", "left", "right")
    frame = draws.material("metal", "wood") if layout == "legs" else body
    wide = draws.between(0.32, 0.42)
    edge = 0.01
    if layout == "legs":
        kind = draws.pick(*LEG_STYLES)
        radius = draws.between(0.016, 0.035)
        x, y = w / 2 - 0.01, d / 2 - 0.01
        bodies += frame.on(legs((-x, -y), (x, y), 0.0, under, kind, radius))
        lean = radius + 0.06 if kind == "splayed" else radius
        bodies += frame.on(box((-x + lean, -y + lean, under - 0.06), (x - lean, -y + lean + 0.018, under)))
        if draws.chance(0.5):
            count = draws.count(1, 3)
            low = (-x + lean + 0.02, under - draws.between(0.08, 0.12))
            cells = [Niche((a, low[1]), (b, under), "drawer") for a, b in split(low[0], -low[0], count)]
            face = d / 2 - 0.02 - 0.019 - handles.depth
            bodies += body.on(box((low[0], -y + lean + 0.02, low[1]), (-low[0], face, under)))
            made, openings = fronts(cells, face, style)
            bodies += made
    else:
        face = d / 2 - edge - 0.019 - handles.depth
        for side, name in ((-1, "left"), (1, "right")):
            inner, outer = side * (w / 2 - edge - wide), side * (w / 2 - edge)
            low_x, high_x = min(inner, outer), max(inner, outer)
            if layout in (name, "both"):
                bodies += body.on(box((low_x, -d / 2 + edge, 0.04), (high_x, face, under)), turn=1)
                bodies += body.shade(0.7).on(
                    box((low_x + 0.02, -d / 2 + edge + 0.02, 0.0), (high_x - 0.02, face - 0.03, 0.04))
                )
                count = draws.count(2, 4)
                kinds = ["drawer"] * count if draws.chance(0.75) else ["left" if side < 0 else "right"]
                cells = [
                    Niche((low_x, a), (high_x, b), k)
                    for (a, b), k in zip(split(0.05, under, len(kinds)), kinds, strict=True)
                ]
                made, opened = fronts(cells, face, style)
                bodies += made
                openings += opened
            else:
                bodies += body.on(
                    box(
                        (outer - 0.014 - side * 0.014, -d / 2 + edge, 0.0), (outer + 0.014 - side * 0.014, face, under)
                    ),
                    turn=1,
                )
        span = (
            w / 2 - edge - wide if layout in ("left", "both") else w / 2 - 0.03,
            w / 2 - edge - wide if layout in ("right", "both") else w / 2 - 0.03,
        )
        low_z = under - draws.between(0.2, 0.45)
        bodies += body.shade(0.95).on(box((-span[0], -d / 2 + 0.05, low_z), (span[1], -d / 2 + 0.066, under)))
    surfaces = [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, d / 2 - 0.02), top_z)]
    if hutch:
        deep, t = draws.between(0.2, 0.28), 0.018
        back = -d / 2
        z = h - t
        bodies += body.on(box((-w / 2, back, z), (w / 2, back + deep, h)))
        uprights = [-w / 2 + t / 2, w / 2 - t / 2, *([0.0] if draws.chance(0.5) else [])]
        bodies += body.on(
            (box((x - t / 2, back, top_z), (x + t / 2, back + deep - 0.004, z)) for x in uprights), turn=1
        )
        bodies += body.shade(0.9).on(box((-w / 2 + t, back, top_z + 0.001), (w / 2 - t, back + 0.006, z)))
        surfaces = [
            LevelSurface((-w / 2 + 0.02, back + deep + 0.02), (w / 2 - 0.02, d / 2 - 0.02), top_z),
            LevelSurface((-w / 2 + 0.01, back + 0.01), (w / 2 - 0.01, back + deep - 0.01), h),
        ]
    return MadeParts(bodies, surfaces, openings)


def make_nightstand(draws: Draws) -> MadeParts:
    """Make two or three drawers, one next to an open field, or one on tall legs."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = drawn_fronts(draws, body, handles, ("plain", "plain", "frame", "inset"), 0.7, "paint", "wood")
    face, top = d / 2 - 0.019 - handles.depth, draws.between(0.016, 0.03)
    layout = draws.pick("drawers", "drawers", "mixed", "tall")
    slab = prism(rounded_rectangle((-w / 2, -d / 2), (w / 2, d / 2), draws.between(0.003, 0.05)), h - top, h)
    bodies = [*body.on(slab)]
    if layout == "tall":
        foot = h * draws.between(0.5, 0.68)
        low, high = (-w / 2 + 0.01, -d / 2 + 0.01), (w / 2 - 0.01, face)
        bodies += body.on(legs(low, high, 0.0, foot, draws.pick(*LEG_STYLES[:4]), 0.018, lean=0.03), turn=1)
        if draws.chance(0.5):
            bodies += body.on(
                box((-w / 2 + 0.03, -d / 2 + 0.03, foot * 0.3), (w / 2 - 0.03, face - 0.02, foot * 0.3 + 0.015))
            )
    else:
        foot = draws.between(0.04, 0.16)
        bodies += base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    x0, x1, z1 = -w / 2 + 0.006, w / 2 - 0.006, h - top
    if layout == "tall":
        cells = [Niche((x0, foot), (x1, z1), "drawer")]
    elif layout == "drawers":
        cells = [Niche((x0, a), (x1, b), "drawer") for a, b in split(foot, z1, draws.count(2, 3))]
    else:
        middle = foot + (z1 - foot) * draws.between(0.4, 0.62)
        kinds = ("open", "drawer") if draws.chance(0.5) else ("drawer", "open")
        cells = [Niche((x0, foot), (x1, middle), kinds[0]), Niche((x0, middle), (x1, z1), kinds[1])]
    shelves = [cell.high[1] for cell in cells[:-1]]
    bodies += case((x0, -d / 2 + 0.004, foot), (x1, face, z1), body, shelves=[shelves], board=0.016)
    made, openings = fronts(cells, face, style)
    return MadeParts([*bodies, *made], [draws.top(0.03)], openings)


def make_table(draws: Draws) -> MadeParts:
    """Make a top, its support, and mostly an apron between the legs."""
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
        bodies += frame.on(_pedestal(draws, w, d, under))
    elif style == "trestle":
        bodies += frame.on(_trestle(draws, w, d, under), turn=1)
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
                (0.9, 0.0), (0.95, 0.05), (0.35, 0.12), (0.25, 0.3), (0.42, 0.5), (0.22, 0.75), (0.3, 0.93), (0.6, 1.0),
            ]  # fmt: skip
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


FURNITURE_KINDS = own_kinds(
    {"coffee table": make_coffee_table, "desk": make_desk, "nightstand": make_nightstand, "table": make_table}
)
