"""Household appliances: dishwashers, microwave ovens, refrigerators, stoves and washing machines.

Dishwashers are freestanding. Refrigerators have one to four doors, high or below a worktop. A stove is a hob over an
oven. Washing machines have a round door at the front, or a lid above.
"""

from __future__ import annotations

from tolman.simulate.made.forms import DARK, STEEL, bar, box, cylinder, lathe
from tolman.simulate.made.joinery import PANE, display, knobs, pull, round_door, slab, split
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, OpeningPart, own_kinds
from tolman.simulate.mesh import Mesh


def make_dishwasher(draws: Draws) -> MadeParts:
    """A body with a flap, a strip of buttons over it or hidden on its edge, a plinth and a top."""
    w, d, h = draws.size
    body = draws.material("appliance")
    grip = draws.pick("bar", "flat", "grip")
    out = 0.008 if grip == "grip" else draws.between(0.025, 0.045)
    face, door = d / 2 - out - 0.03, d / 2 - out
    plinth, top = draws.between(0.06, 0.14), draws.between(0.015, 0.035)
    bodies: list[Mesh] = [*body.shade(0.97).on(box((-w / 2, -d / 2, 0.03), (w / 2, face, h - top)))]
    bodies.append(box((-w / 2 + 0.01, -d / 2 + 0.02, 0.0), (w / 2 - 0.01, face - 0.04, plinth)).painted(DARK))
    lid = draws.material("appliance", "wood") if draws.chance(0.4) else body
    bodies += lid.on(box((-w / 2, -d / 2, h - top), (w / 2, door, h), 0.004))
    panel = draws.chance(0.7)
    high = h - top - 0.003
    cut = high - (draws.between(0.09, 0.14) if panel else 0.0)
    bodies += body.on(slab((-w / 2 + 0.003, plinth), (w / 2 - 0.003, cut - 0.002), (face, door)))
    if panel:
        strip = body if draws.chance(0.5) else draws.material("casing", "appliance")
        bodies += strip.on(slab((-w / 2 + 0.003, cut + 0.002), (w / 2 - 0.003, high), (face, door)))
        z = (cut + high) / 2
        side = -1 if draws.chance(0.5) else 1
        bodies.append(display(draws, (side * w * 0.32 - 0.05, z - 0.014), (side * w * 0.32 + 0.05, z + 0.014), door))
        for a, b in split(-w * 0.12, w * 0.12, draws.count(3, 6)):
            bodies += draws.material("casing").on(
                slab(
                    ((a + b) / 2 - 0.006, z - 0.006),
                    ((a + b) / 2 + 0.006, z + 0.006),
                    (door - 0.001, door + 0.004),
                    0.001,
                )
            )
        if draws.chance(0.4):
            bodies += knobs([(-side * w * 0.36, z)], (door, door + min(out, 0.016)), 0.022, strip.shade(0.9))
    else:
        bodies.append(box((-w / 2 + 0.004, face, cut - 0.006), (w / 2 - 0.004, door - 0.006, cut)).painted(DARK))
    at = cut - 0.05
    half = w * draws.between(0.2, 0.42)
    bodies += pull(grip, (-half, at), (half, at), (door, d / 2))
    if draws.chance(0.3):
        inset = draws.between(0.05, 0.08)
        under, over = plinth + inset, at - 0.05
        if over > under + 0.02:
            bodies += body.shade(0.94).on(
                slab((-w / 2 + inset, under), (w / 2 - inset, over), (door - 0.002, door + 0.003))
            )
    openings = [OpeningPart("flap", (-w / 2, face, plinth), (w / 2, door, cut), (-w / 2, face, plinth))]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, door - 0.02), h)], openings)


def make_microwave(draws: Draws) -> MadeParts:
    """Make a door with a window next to a panel of keys or knobs."""
    w, d, h = draws.size
    body = draws.material("appliance", "appliance", "casing")
    grip = draws.pick("bar", "flat", "none", "none")
    out = 0.022 if grip != "none" else 0.012
    face, door = d / 2 - out - 0.02, d / 2 - out
    foot = 0.012
    bodies: list[Mesh] = [*body.shade(0.95).on(box((-w / 2, -d / 2, foot), (w / 2, face, h), 0.008))]
    bodies += [
        cylinder((x, y, 0.0), 0.015, foot + 0.002, sides=10).painted(DARK)
        for x in (-w / 2 + 0.05, w / 2 - 0.05)
        for y in (-d / 2 + 0.05, face - 0.05)
    ]
    cut = -w / 2 + draws.between(0.19, 0.28) * w  # seen from before, -x is on the right
    front = body if draws.chance(0.6) else draws.material("casing")
    bodies += front.on(slab((cut + 0.002, foot), (w / 2, h), (face - 0.001, door)))
    bodies += front.shade(draws.between(0.8, 1.1)).on(slab((-w / 2, foot), (cut - 0.002, h), (face - 0.001, door)))
    rim = draws.between(0.025, 0.06)
    bodies.append(
        slab((cut + rim * 1.4, foot + rim), (w / 2 - rim, h - rim), (door - 0.003, door + 0.0015), 0.001).painted(PANE)
    )
    middle = (cut - w / 2) / 2
    half = (cut + w / 2) / 2 - 0.015
    if draws.chance(0.65):
        bodies.append(display(draws, (middle - half, h - 0.07), (middle + half, h - 0.035), door))
        keys = draws.material("casing", "metal")
        for a, b in split(foot + 0.05, h - 0.08, draws.count(3, 5)):
            for p, q in split(middle - half, middle + half, 3):
                bodies += keys.on(
                    slab((p + 0.003, a + 0.004), (q - 0.003, b - 0.004), (door - 0.001, door + 0.003), 0.001)
                )
    else:
        bodies += knobs(
            [(middle, foot + (h - foot) * share) for share in (0.35, 0.7)],
            (door, door + 0.012),
            min(0.03, half),
            draws.material("casing", "metal"),
        )
    bodies += front.shade(0.85).on(
        slab(
            (middle - half, foot + 0.012),
            (middle + half, foot + 0.035),
            (door - 0.001, d / 2 if grip == "none" else door + 0.006),
            0.002,
        )
    )
    if grip != "none":
        bodies += pull(grip, (cut + rim * 0.6, foot + 0.04), (cut + rim * 0.6, h - 0.04), (door, d / 2))
    # The back, which is seen on tables: a vent of slats and a label.
    side, behind = (1 if draws.chance(0.5) else -1) * w, (-d / 2 - 0.004, -d / 2 + 0.002)
    vent = sorted((side * 0.05, side * draws.between(0.3, 0.42)))
    for a, b in split(0.4 * h, draws.between(0.7, 0.88) * h, draws.count(4, 7)):
        bodies.append(slab((vent[0], a + 0.003), (vent[1], b - 0.003), behind, 0.001).painted(DARK))
    label = sorted((-side * 0.12, -side * 0.36))
    bodies.append(slab((label[0], 0.45 * h), (label[1], 0.72 * h), behind, 0.001).painted((0.75, 0.75, 0.72)))
    openings = [OpeningPart("hinged", (cut, face, foot), (w / 2, door, h), (w / 2, face, foot))]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, face - 0.02), h)], openings)


def make_refrigerator(draws: Draws) -> MadeParts:
    """A body; doors above each other, side by side, or two above a drawer; handles, maybe a dispenser."""
    w, d, h = draws.size
    body = draws.material("appliance", "appliance", "appliance", "paint")
    grip = draws.pick("bar", "bar", "flat", "grip")
    out = 0.012 if grip == "grip" else draws.between(0.03, 0.045)
    face, door = d / 2 - out - 0.055, d / 2 - out
    foot = draws.between(0.015, 0.05)
    retro = draws.chance(0.2)
    radius = 0.03 if retro else draws.between(0.004, 0.01)
    bodies: list[Mesh] = [*body.shade(0.97).on(box((-w / 2, -d / 2, foot), (w / 2, face, h), min(radius, 0.01)))]
    bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.02, 0.0), (w / 2 - 0.02, face - 0.02, foot)).painted(DARK))
    bodies.append(
        box((-w / 2 + 0.008, face - 0.002, foot + 0.008), (w / 2 - 0.008, face + 0.006, h - 0.008)).painted(DARK)
    )
    if w > 0.82:
        layout = draws.pick("side by side", "french", "french")
    elif h < 1.1:
        layout = "one"
    else:
        layout = draws.pick("freezer above", "freezer below", "freezer below", "one")
    low, high = foot + 0.004, h
    cut = {
        "one": high, "freezer above": low + (high - low) * draws.between(0.68, 0.75),
        "freezer below": low + (high - low) * draws.between(0.33, 0.45), "side by side": high,
        "french": low + (high - low) * draws.between(0.32, 0.4),
    }[layout]  # fmt: skip
    left_hinge = draws.chance(0.5)
    doors: list[tuple[float, float, float, float, str]] = []
    if layout in ("one", "freezer above", "freezer below"):
        hinge = "left" if left_hinge else "right"
        doors = [(-w / 2, low, w / 2, cut, hinge)] + ([(-w / 2, cut, w / 2, high, hinge)] if cut < high else [])
    elif layout == "side by side":
        split = w * draws.between(-0.1, 0.0)
        doors = [(-w / 2, low, split, high, "left"), (split, low, w / 2, high, "right")]
    else:
        doors = [(-w / 2, cut, 0.0, high, "left"), (0.0, cut, w / 2, high, "right")]
        pairs = [(low, cut)] if draws.chance(0.6) else [(low, (low + cut) / 2), ((low + cut) / 2, cut)]
        doors += [(-w / 2, a, w / 2, b, "drawer") for a, b in pairs]
    openings = []
    for x0, z0, x1, z1, hinge in doors:
        bodies += body.on(slab((x0 + 0.002, z0 + 0.003), (x1 - 0.002, z1 - 0.003), (face + 0.004, door), radius))
        tall = z1 - z0
        if hinge == "drawer":
            bodies += pull(grip, (-w * 0.36, z1 - 0.06), (w * 0.36, z1 - 0.06), (door, d / 2))
            openings.append(OpeningPart("drawer", (x0, face, z0), (x1, door, z1)))
            continue
        x = x1 - 0.045 if hinge == "left" else x0 + 0.045
        long = min(draws.between(0.25, 0.6), 0.75 * tall)
        # Where doors meet, their handles do.
        start = z0 + 0.06 if z0 == cut else max(z0 + 0.05, z1 - 0.06 - long)
        if layout in ("one", "side by side"):
            start = max(z0 + 0.08, min(0.95, z1 - long - 0.05))
        bodies += pull(grip, (x, start), (x, start + long), (door, d / 2))
        openings.append(
            OpeningPart("hinged", (x0, face, z0), (x1, door, z1), (x0 if hinge == "left" else x1, face, z0))
        )
    if w > 0.82 and draws.chance(0.5):
        x0, _, x1, top, _ = doors[0]
        middle = (x0 + x1) / 2 - 0.01
        bodies.append(
            slab((middle - 0.09, 1.0), (middle + 0.09, 1.0 + 0.3), (door - 0.004, door + 0.003), 0.002).painted(DARK)
        )
        if top > 1.34:
            bodies.append(display(draws, (middle - 0.06, 1.24), (middle + 0.06, 1.28), door + 0.003))
    elif draws.chance(0.3):
        bodies.append(display(draws, (-0.05, h - 0.09), (0.05, h - 0.07), door))
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.04, -d / 2 + 0.04), (w / 2 - 0.04, face - 0.03), h)], openings)


def make_stove(draws: Draws) -> MadeParts:
    """Gas burners under grates, iron plates or a pane of glass; an oven door with a window; knobs; maybe a back."""
    w, d, h = draws.size
    body = draws.material("appliance")
    grip = draws.pick("bar", "bar", "flat")
    out = draws.between(0.035, 0.05)
    face, door = d / 2 - out - 0.035, d / 2 - out
    kind = draws.pick("gas", "glass", "iron")
    back = draws.chance(0.4)
    top = h - (draws.between(0.1, 0.2) if back else 0.0)
    rise = {"gas": 0.045, "glass": 0.004, "iron": 0.014}[kind]
    hob = top - rise if not back or kind != "glass" else top
    foot = draws.between(0.02, 0.08)
    bodies: list[Mesh] = [*body.on(box((-w / 2, -d / 2, foot), (w / 2, face, hob), 0.004))]
    bodies.append(box((-w / 2 + 0.02, -d / 2 + 0.03, 0.0), (w / 2 - 0.02, face - 0.03, foot)).painted(DARK))
    if back:
        bodies += body.on(box((-w / 2, -d / 2, hob - 0.01), (w / 2, -d / 2 + 0.05, h), 0.006))
        bodies.append(display(draws, (-0.08, h - 0.07), (0.08, h - 0.03), -d / 2 + 0.05))
    rear = -d / 2 + (0.06 if back else 0.02)
    lower, upper = foot + 0.01, hob
    panel = upper - draws.between(0.09, 0.14)
    cut = lower + (draws.between(0.12, 0.18) if draws.chance(0.6) else 0.0)
    bodies += body.shade(0.97).on(slab((-w / 2, panel + 0.003), (w / 2, upper - 0.002), (face - 0.002, door - 0.01)))
    bodies += body.on(slab((-w / 2 + 0.003, cut + 0.003), (w / 2 - 0.003, panel - 0.003), (face, door)))
    glass = 0.05 if draws.chance(0.6) else 0.12
    bodies.append(
        slab((-w / 2 + glass, cut + 0.06), (w / 2 - glass, panel - 0.1), (door - 0.004, door + 0.002)).painted(PANE)
    )
    bodies += pull(grip, (-w / 2 + 0.06, panel - 0.05), (w / 2 - 0.06, panel - 0.05), (door, d / 2))
    openings = [OpeningPart("flap", (-w / 2, face, cut), (w / 2, door, panel), (-w / 2, face, cut))]
    if cut > lower:
        bodies += body.on(slab((-w / 2 + 0.003, lower), (w / 2 - 0.003, cut - 0.003), (face, door)))
        openings.append(OpeningPart("drawer", (-w / 2, face, lower), (w / 2, door, cut)))
    columns = 2 if w < 0.72 else 3
    z = (panel + upper) / 2
    count = columns * 2 + 1
    dials = [
        ((a + b) / 2, z)
        for a, b in split(-w / 2 + 0.05, w / 2 - 0.05, count)
        if abs((a + b) / 2) > 0.04 or draws.design
    ]
    bodies += knobs(dials, (door - 0.01, door + 0.016), 0.019, draws.material("casing", "metal"))
    surfaces: list[LevelSurface] = []
    spots = [
        ((a + b) / 2, (p + q) / 2)
        for a, b in split(-w / 2 + 0.03, w / 2 - 0.03, columns)
        for p, q in split(rear, face - 0.03, 2)
    ]
    if kind == "glass":
        bodies.append(
            box((-w / 2 + 0.008, rear, hob - 0.001), (w / 2 - 0.008, face - 0.01, hob + 0.004), 0.001).painted(
                (0.05, 0.05, 0.055)
            )
        )
        for x, y in spots:
            bodies.append(
                lathe(
                    [(0.09, hob + 0.003), (0.09, hob + 0.0046), (0.086, hob + 0.0046)], center=(x, y), sides=28
                ).painted((0.16, 0.15, 0.15))
            )
        if not back:
            surfaces = []
    elif kind == "iron":
        bodies += [
            cylinder((x, y, hob - 0.001), draws.between(0.07, 0.1), 0.015, sides=28, bevel=0.004).painted(DARK)
            for x, y in spots
        ]
    else:
        bodies.append(
            box((-w / 2 + 0.015, rear, hob - 0.001), (w / 2 - 0.015, face - 0.015, hob + 0.004)).painted(
                STEEL if draws.chance(0.6) else (0.12, 0.12, 0.12)
            )
        )
        for x, y in spots:
            bodies.append(
                lathe([(0.045, hob), (0.045, hob + 0.016), (0.03, hob + 0.024)], center=(x, y), sides=20).painted(DARK)
            )
            for dx, dy in ((0.1, 0.0), (0.0, 0.1)):
                a, b = (x - dx, y - dy, hob + 0.036), (x + dx, y + dy, hob + 0.036)
                bodies.append(bar(a, b, 0.006, square=True).painted(DARK))
                bodies += [bar((p[0], p[1], hob), p, 0.005, square=True).painted(DARK) for p in (a, b)]
    return MadeParts(bodies, surfaces, openings)


def make_washing_machine(draws: Draws) -> MadeParts:
    """A body on feet with a strip that holds a drawer for the powder, a knob and a display."""
    w, d, h = draws.size
    body = draws.material("appliance")
    out = draws.between(0.02, 0.045)
    face = d / 2 - out
    bodies: list[Mesh] = []
    for x in (-w / 2 + 0.06, w / 2 - 0.06):
        bodies += [cylinder((x, y, 0.0), 0.022, 0.02, sides=12).painted(DARK) for y in (-d / 2 + 0.06, face - 0.06)]
    trim = draws.material("casing", "appliance", "metal")
    if draws.design == "top":
        rise = draws.between(0.08, 0.14)
        top = h - rise
        bodies += body.on(box((-w / 2, -d / 2, 0.018), (w / 2, d / 2, top), 0.01))
        bodies += trim.on(box((-w / 2, -d / 2, top - 0.01), (w / 2, -d / 2 + draws.between(0.09, 0.15), h), 0.012))
        bodies.append(display(draws, (-0.06, h - rise * 0.6), (0.06, h - rise * 0.3), -d / 2 + 0.15))
        lid = ((-w / 2 + 0.03, -d / 2 + 0.17, top), (w / 2 - 0.03, d / 2 - 0.04, top + 0.014))
        bodies += body.shade(0.93).on(box(*lid, 0.005))
        bodies.append(box((-0.07, d / 2 - 0.045, top + 0.002), (0.07, d / 2 - 0.02, top + 0.012)).painted(DARK))
        return MadeParts(bodies, [], [OpeningPart("lid", *lid, lid[0])])
    lid_high = draws.between(0.015, 0.03)
    bodies += body.on(box((-w / 2, -d / 2, 0.018), (w / 2, face, h - lid_high), 0.006))
    bodies += body.shade(0.97).on(box((-w / 2, -d / 2, h - lid_high), (w / 2, face + 0.006, h), 0.005))
    strip = h - lid_high - draws.between(0.1, 0.14)
    panel = body.shade(0.96) if draws.chance(0.6) else trim
    bodies += panel.on(
        slab((-w / 2 + 0.002, strip), (w / 2 - 0.002, h - lid_high - 0.002), (face - 0.01, face + 0.008))
    )
    side = 1 if draws.chance(0.75) else -1
    z = (strip + h - lid_high) / 2
    drawer = sorted((side * (w / 2 - 0.01), side * w * 0.2))
    bodies += body.on(slab((drawer[0], strip + 0.01), (drawer[1], h - lid_high - 0.012), (face, face + 0.015)))
    bodies.append(
        slab(
            (drawer[0] + 0.03, strip + 0.02), (drawer[1] - 0.03, strip + 0.032), (face + 0.01, face + 0.017), 0.002
        ).painted(DARK)
    )
    bodies += knobs(
        [(-side * w * draws.between(-0.02, 0.1), z)], (face + 0.008, face + 0.02), draws.between(0.022, 0.032), trim
    )
    bodies.append(
        display(draws, (-side * w * 0.32 - 0.05, z - 0.018), (-side * w * 0.32 + 0.05, z + 0.018), face + 0.008)
    )
    radius = min(draws.between(0.15, 0.2), 0.42 * w)
    middle = (0.0, 0.5 * (0.08 + strip) + draws.between(-0.01, 0.04))
    pane = PANE if draws.chance(0.7) else (0.34, 0.40, 0.44)
    bodies += round_door(middle, radius, (face - 0.001, d / 2), trim if draws.chance(0.7) else body.shade(0.9), pane)
    grip = -1 if draws.chance(0.5) else 1
    bodies.append(
        slab(
            (grip * radius * 0.86 - 0.012, middle[1] - 0.04),
            (grip * radius * 0.86 + 0.012, middle[1] + 0.04),
            (face + 0.005, d / 2),
            0.003,
        ).painted(DARK)
    )
    if draws.chance(0.6):
        x = w * 0.3 * (1 if draws.chance(0.5) else -1)
        bodies += body.shade(0.9).on(slab((x - 0.06, 0.04), (x + 0.06, 0.13), (face - 0.002, face + 0.003)))
    low, high = (-radius, face, middle[1] - radius), (radius, d / 2, middle[1] + radius)
    openings = [
        OpeningPart("hinged", low, high, (-grip * radius, face, middle[1])),
        OpeningPart("drawer", (drawer[0], face, strip + 0.01), (drawer[1], face + 0.015, h - lid_high - 0.012)),
    ]
    return MadeParts(bodies, [LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, face - 0.02), h)], openings)


FURNITURE_KINDS = own_kinds(
    {
        "dishwasher": make_dishwasher,
        "microwave": make_microwave,
        "refrigerator": make_refrigerator,
        "stove": make_stove,
        "washing machine": make_washing_machine,
    }
)
