"""Electronics: computer towers, keyboards, laptops, monitors, printers and televisions.

Towers are for the floor. The user of a keyboard sits at its front. Laptops are open by some angle. A television is a
flat screen on a foot or two.
"""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import (
    DARK,
    SCREEN,
    bar,
    bent,
    box,
    cylinder,
    lathe,
    prism,
    rotated,
    rounded_rectangle,
    sheet,
    shifted,
)
from tolman.simulate.made.joinery import display, slab, split
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_computer_tower(draws: Draws) -> MadeParts:
    """A body on feet; a front with drives, a grille, fans or a plain door; a window in the side of some."""
    w, d, h = draws.size
    body = draws.material("casing")
    front = body if draws.chance(0.5) else draws.material("casing", "metal")
    foot = draws.between(0.008, 0.025)
    face = d / 2 - draws.between(0.015, 0.04)
    bodies: list[Mesh] = [*body.on(box((-w / 2, -d / 2, foot), (w / 2, face, h), 0.004))]
    bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.03, 0.0), (w / 2 - 0.01, -d / 2 + 0.07, foot + 0.002)).painted(DARK))
    bodies.append(box((-w / 2 + 0.01, face - 0.07, 0.0), (w / 2 - 0.01, face - 0.03, foot + 0.002)).painted(DARK))
    style = draws.pick("drives", "grille", "fans", "plain", "split")
    edge = d / 2 - 0.003
    bodies += front.on(
        box((-w / 2, face - 0.002, foot + draws.between(0.0, 0.03)), (w / 2, edge, h), draws.between(0.003, 0.012))
    )
    x0, x1 = -w / 2 + 0.018, w / 2 - 0.018
    if style == "drives":
        z = h - 0.05
        for _ in range(draws.count(1, 4)):
            bodies += front.shade(draws.between(0.6, 1.4)).on(
                slab((x0, z - 0.038), (x1, z), (edge - 0.002, d / 2 - 0.001), 0.001)
            )
            bodies.append(slab((x1 - 0.02, z - 0.03), (x1 - 0.008, z - 0.024), (edge, d / 2), 0.0005).painted(DARK))
            z -= 0.044
    elif style == "grille":
        top = h * draws.between(0.55, 0.92)
        for a, b in split(foot + 0.04, top, max(5, round(top / 0.025))):
            bodies.append(
                slab((x0, a + 0.3 * (b - a)), (x1, b - 0.2 * (b - a)), (edge - 0.004, d / 2), 0.001).painted(DARK)
            )
    elif style == "fans":
        radius = min(0.07, (x1 - x0) / 2)
        count = max(1, min(3, int((h - 0.1) / (2.15 * radius))))
        for a, b in split(foot + 0.03, h - 0.05, count):
            for share, colour in ((1.0, DARK), (0.86, (0.2, 0.22, 0.25)), (0.3, (0.08, 0.08, 0.09))):
                ring_ = rotated(
                    cylinder((0, 0, 0), radius * share, d / 2 - edge + 0.002 - 0.001 * share, sides=24), -1.5708, axis=0
                )
                bodies.append(shifted(ring_, (0.0, edge - 0.002, (a + b) / 2)).painted(colour))
    elif style == "split":
        bodies.append(slab((-w * 0.03, foot + 0.04), (w * 0.03, h - 0.02), (edge - 0.002, d / 2), 0.001).painted(DARK))
    else:
        bodies += front.shade(0.8).on(slab((x0, foot + 0.06), (x1, h - 0.1), (edge - 0.002, d / 2), 0.002))
    low = foot + draws.between(0.5, 0.85) * (h - foot)
    button = rotated(cylinder((0, 0, 0), 0.008, 0.003, sides=14), -1.5708, axis=0)
    bodies.append(shifted(button, (x0 + 0.01, edge - 0.0005, h - 0.025)).painted((0.75, 0.76, 0.78)))
    bodies += [
        slab(
            (x0 + 0.03 + 0.016 * i, h - 0.03), (x0 + 0.04 + 0.016 * i, h - 0.024), (edge - 0.001, edge + 0.001), 0.0003
        ).painted(DARK)
        for i in range(2)
    ]
    if draws.chance(0.35):
        pane = box((w / 2 - 0.001, -d / 2 + 0.03, foot + 0.03), (w / 2 + 0.0015, face - 0.03, low))
        bodies.append(pane.painted((0.07, 0.09, 0.11)))
    elif draws.chance(0.5):
        for a, b in split(-d * 0.2, d * 0.2, 6):
            bodies += [
                box(
                    (s * w / 2 - 0.0012, a + 0.2 * (b - a), h * 0.55), (s * w / 2 + 0.0012, b - 0.2 * (b - a), h * 0.7)
                ).painted(DARK)
                for s in (-1, 1)
            ]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.01, -d / 2 + 0.02), (w / 2 - 0.01, face - 0.02), h)])


def make_keyboard(draws: Draws) -> MadeParts:
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


def make_laptop(draws: Draws) -> MadeParts:
    """Make a base with keys and a pad at the front, a lid with the screen; shut ones have a smooth lid.

    The user sits at the front and sees the screen's face from there.
    """
    w, d, h = draws.size
    body = draws.material("metal", "casing")
    thick = draws.between(0.012, 0.018)
    if draws.design == "shut":
        low = h * 0.58
        bodies: list[Mesh] = body.on(
            box((-w / 2, -d / 2, 0.001), (w / 2, d / 2, low - 0.001), 0.003),
            box((-w / 2, -d / 2, low), (w / 2, d / 2, h), 0.003),
        )
        bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, d / 2 - 0.01, h - 0.003)).painted(DARK))
        hinge = (-w / 2, -d / 2, low)
        return MadeParts(bodies, [], [OpeningPart("lid", hinge, (w / 2, d / 2, h), hinge)])
    lid = 0.006
    # The lid is about as long as the base is deep, and leans back over the base's rear edge.
    rise = h - thick
    over = float(np.clip((d * d - rise * rise) / (2 * d), 0.02 * d, 0.32 * d))
    long = float(np.hypot(rise, over))
    lean = float(np.arcsin(over / long))
    back = -d / 2 + over
    bodies = body.on(box((-w / 2, back, 0.0), (w / 2, d / 2, thick), 0.003))
    key = DARK if draws.chance(0.7) else (0.85, 0.85, 0.85)
    deep = d / 2 - back
    bodies.append(
        box((-w * 0.46, back + 0.02, thick - 0.002), (w * 0.46, back + 0.55 * deep, thick + 0.0006)).painted(
            (0.1, 0.1, 0.11)
        )
    )
    for p, q in split(back + 0.025, back + 0.54 * deep, 5):
        for a, b in split(-w * 0.45, w * 0.45, 14):
            bodies.append(box((a + 0.0015, p + 0.0015, thick), (b - 0.0015, q - 0.0015, thick + 0.0018)).painted(key))
    pad = draws.between(0.14, 0.2) * w
    bodies += body.shade(0.88).on(box((-pad, back + 0.6 * deep, thick - 0.001), (pad, d / 2 - 0.012, thick + 0.0006)))
    panel = box((-w / 2, 0.0, 0.0), (w / 2, lid, long), 0.002)
    bezel = draws.between(0.005, 0.015)
    face = box((-w / 2 + bezel, lid - 0.001, 0.012), (w / 2 - bezel, lid + 0.0006, long - bezel)).painted(SCREEN)
    logo = box((-0.015, -0.0005, long * 0.5 - 0.015), (0.015, 0.001, long * 0.5 + 0.015), 0.0003)
    for mesh in (*body.on(panel), face, *body.shade(1.25).on(logo)):
        bodies.append(shifted(rotated(mesh, lean, axis=0), (0.0, back, thick)))
    bodies += body.shade(0.6).on(box((-w * 0.35, back, thick - 0.004), (w * 0.35, back + 0.01, thick + 0.004), 0.001))
    return MadeParts(
        bodies, [], [OpeningPart("lid", (-w / 2, -d / 2, thick), (w / 2, back + lid, h), (-w / 2, back, thick))]
    )


def make_monitor(draws: Draws) -> MadeParts:
    """A flat or curved panel on a neck and a foot."""
    w, d, h = draws.size
    frame = draws.material("casing")
    low = h - min(draws.between(0.5, 0.62) * w, h - 0.07)
    thick, bezel = draws.between(0.016, 0.03), draws.between(0.005, 0.018)
    y = d * draws.between(-0.02, 0.12)
    bodies: list[Mesh] = []
    if w > 0.58 and draws.chance(0.35):
        t = np.linspace(-1, 1, 13)
        curve = 0.05 * t**2
        for inset, front, material in ((0.0, 0.0, None), (bezel, thick / 2, SCREEN)):
            rows = [
                np.column_stack([t * (w / 2 - inset), y + curve + front, np.full(13, z)])
                for z in (low + inset, h - inset)
            ]
            mesh = sheet(np.array(rows), 0.003 if material else thick)
            bodies += [mesh.painted(material)] if material else frame.on(mesh)
    else:
        bodies += frame.on(box((-w / 2, y - thick / 2, low), (w / 2, y + thick / 2, h), 0.003))
        bodies.append(
            box(
                (-w / 2 + bezel, y + thick / 2 - 0.002, low + bezel * draws.between(1, 2.5)),
                (w / 2 - bezel, y + thick / 2 + 0.001, h - bezel),
            ).painted(SCREEN)
        )
    back = y - thick / 2
    middle = (low + h) / 2
    bodies += frame.on(box((-w * 0.17, back - 0.025, middle - 0.09), (w * 0.17, back + 0.004, middle + 0.09), 0.008))
    rear = max(-d / 2 + 0.025, back - 0.05)
    neck = draws.pick("flat", "round", "bent", "two")
    if neck == "flat":
        bodies += frame.on(box((-0.035, rear - 0.012, 0.004), (0.035, rear + 0.012, middle), 0.004))
    elif neck == "round":
        bodies += frame.on(cylinder((0.0, rear, 0.004), 0.02, middle - 0.004, sides=16))
    elif neck == "bent":
        bodies += frame.on(bar((0.0, 0.0, 0.01), (0.0, rear, middle), 0.02, square=True))
    else:
        bodies += frame.on(bar((s * 0.07, 0.0, 0.01), (s * 0.03, rear, middle), 0.01) for s in (-1, 1))
    bodies += frame.on(box((-0.04, rear - 0.005, middle - 0.03), (0.04, back, middle + 0.03), 0.004))
    foot = draws.pick("plate", "round", "vee", "ring")
    half = min(0.42 * w, draws.between(0.11, 0.15))
    if foot == "plate":
        bodies += frame.on(
            prism(rounded_rectangle((-half, -d / 2), (half, d / 2), draws.between(0.004, 0.08)), 0.0, 0.012)
        )
    elif foot == "round":
        mesh = lathe([(0.5, 0.0), (0.5, 0.007), (0.45, 0.012), (0.1, 0.018)], sides=28)
        bodies += frame.on(bent(mesh, mesh.points * (d, d, 1.0)))
    else:
        for s in (-1, 1):
            bodies += frame.on(bar((0.0, -d / 2 + 0.02, 0.009), (s * half, d / 2 - 0.012, 0.009), 0.009, square=True))
        bodies += frame.on(box((-0.05, -d / 2, 0.0), (0.05, -d / 2 + 0.08, 0.018), 0.004))
        if foot == "ring":
            bodies += frame.on(box((-half, d / 2 - 0.02, 0.0), (half, d / 2, 0.018), 0.003))
        bodies += frame.on(box((-0.03, -d / 2 + 0.03, 0.0), (0.03, max(0.02, rear + 0.02), 0.016), 0.003))
    return MadeParts(bodies)


PAPER = (0.95, 0.95, 0.94)


def make_printer(draws: Draws) -> MadeParts:
    """A body with a slot and a tray at the front; drawers of paper, a scanner's lid, keys, paper at the back."""
    w, d, h = draws.size
    body = draws.material("casing", "appliance")
    second = body.shade(0.75) if draws.chance(0.5) else draws.material("casing")
    feed = draws.chance(0.35)
    top = h * draws.between(0.72, 0.82) if feed else h
    scanner = draws.chance(0.65)
    tray = min(0.3 * d, draws.between(0.06, 0.14))
    face = d / 2 - tray
    bodies: list[Mesh] = []
    lid = draws.between(0.03, 0.05) if scanner else 0.0
    low = 0.35 * top if top > 0.26 and draws.chance(0.8) else 0.012
    bodies += body.on(box((-w / 2, -d / 2, 0.0), (w / 2, face, top - lid - 0.002), draws.between(0.004, 0.02)))
    openings: list[OpeningPart] = []
    if low > 0.02:
        for a, b in split(0.012, low, 1 if low < 0.13 else 2):
            part = ((-w / 2 + 0.02, face - 0.005, a + 0.003), (w / 2 - 0.02, face + 0.006, b - 0.003))
            bodies += second.on(box(*part, 0.003))
            bodies.append(
                slab((-0.05, (a + b) / 2 - 0.006), (0.05, (a + b) / 2 + 0.006), (face, face + 0.0075), 0.002).painted(
                    DARK
                )
            )
            openings.append(OpeningPart("drawer", *part))
    slot = low + (top - lid - low) * draws.between(0.2, 0.35)
    half = min(w * 0.36, 0.16)
    bodies.append(
        slab((-half, slot), (half, slot + 0.25 * (top - lid - low)), (face - 0.004, face + 0.001), 0.0005).painted(DARK)
    )
    bodies += second.on(box((-half, face - 0.01, slot - 0.008), (half, d / 2, slot), 0.002))
    if draws.chance(0.5):
        bodies.append(box((-half * 0.9, face, slot), (half * 0.9, d / 2 - 0.015, slot + 0.004)).painted(PAPER))
    panel = draws.pick("front", "slope", "top")
    if scanner:
        part = ((-w / 2, -d / 2, top - lid), (w / 2, face - 0.01, top))
        bodies += second.on(box(*part, 0.008))
        openings.append(OpeningPart("lid", *part, hinge=part[0]))
    if panel == "front" or (panel == "top" and scanner):
        z = top - lid - 0.35 * (top - lid - slot)
        bodies.append(display(draws, (-0.04, z - 0.012), (0.04, z + 0.012), face))
        bodies += [
            slab((x - 0.006, z - 0.006), (x + 0.006, z + 0.006), (face - 0.001, face + 0.003), 0.001).painted(
                (0.3, 0.6, 0.4) if x > 0 else (0.5, 0.5, 0.52)
            )
            for x in (-0.09, -0.065, 0.065, 0.09)
        ]
    elif panel == "slope":
        wedge = box((-w * 0.45, face - 0.03, top - lid - 0.055), (w * 0.45, face + 0.03, top - lid - 0.035), 0.004)
        bodies += second.on(rotated(wedge, -0.6, about=(0, face, top - lid - 0.045), axis=0))
    else:
        for a, b in split(w * 0.1, w * 0.4, 4):
            bodies += second.on(
                box((a + 0.004, face - 0.05, top - 0.003), (b - 0.004, face - 0.03, top + 0.0005), 0.001)
            )
    if feed:
        lean = draws.between(0.15, 0.35)
        rest = rotated(box((-half, -0.004, 0.0), (half, 0.004, h - top + 0.03), 0.002), lean, axis=0)
        back = -d / 2 + 0.01 - float(rest.points[:, 1].min())
        rest.points[:, 1] += back
        rest.points[:, 2] += top - 0.03
        bodies += second.on(rest)
        sheet = rotated(box((-half * 0.92, 0.0045, 0.01), (half * 0.92, 0.007, h - top + 0.015)), lean, axis=0)
        sheet.points[:, 1] += back
        sheet.points[:, 2] += top - 0.03
        bodies.append(sheet.painted(PAPER))
    surface = (
        []
        if feed or panel == "top"
        else [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, face - 0.05), h if scanner else h - 0.002)]
    )
    return MadeParts(bodies, surface, openings)


def make_tv(draws: Draws) -> MadeParts:
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
            (bar((s * half * 0.8, 0.0, 0.0), (s * half * 0.5, 0.0, rise + 0.02), 0.008) for s in (-1, 1)),
            box((-half, -0.008, 0.0), (half, 0.008, t)),
        )
    if draws.chance(0.2):
        bodies += frame.shade(1.5).on(
            box((-w * 0.3, -0.01, rise - 0.02), (w * 0.3, thick / 2 + 0.004, rise + 0.004), 0.004)
        )
    return MadeParts(bodies)


FURNITURE_KINDS = own_kinds(
    {
        "computer tower": make_computer_tower,
        "keyboard": make_keyboard,
        "laptop": make_laptop,
        "monitor": make_monitor,
        "printer": make_printer,
        "tv": make_tv,
    }
)
