"""Wardrobes: tall cases with hinged or sliding doors, some mirrored."""

from __future__ import annotations

from dataclasses import replace

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import FRONT, GAP, FrontStyle, Niche, drawn_handles, fronts, split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.materials import MIRROR


def make(draws: Draws) -> MadeParts:
    """One to five doors over the whole height or above drawers; a cornice on some."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint", "paint")
    handles = drawn_handles(draws, "bar", "knob", "bow", "bar")
    handles = replace(handles, length=draws.between(0.12, 0.5))
    style = FrontStyle(
        draws.pick("plain", "frame", "inset", "slats"),
        body if draws.chance(0.7) else draws.material("paint", "wood"),
        handles,
    )
    face = d / 2 - FRONT - handles.depth
    plinth = draws.between(0.04, 0.1)
    cornice = draws.chance(0.3)
    top = h - (0.05 if cornice else 0.0)
    bodies = [
        *body.on(box((-w / 2 + 0.005, -d / 2, plinth), (w / 2 - 0.005, face, top)), turn=1),
        *body.shade(0.8).on(box((-w / 2 + 0.01, -d / 2, 0.0), (w / 2 - 0.01, face - 0.02, plinth))),
    ]
    if cornice:
        bodies += body.on(box((-w / 2, -d / 2, top), (w / 2, d / 2, h), 0.012))
    else:
        bodies += body.on(box((-w / 2, -d / 2, h - 0.02), (w / 2, face + FRONT, h), 0.002))
        top -= 0.02
    doors = max(1, round(w / draws.between(0.42, 0.6)))
    sliding = doors >= 2 and w > 1.3 and draws.chance(0.3)
    drawers = not sliding and draws.chance(0.3)
    low = plinth + (draws.between(0.2, 0.4) if drawers else 0.0)
    x0, x1 = -w / 2 + 0.015, w / 2 - 0.015
    if sliding:
        doors = max(2, doors // 2)
        cells = [Niche((a, low), (b, top), "sliding") for a, b in split(x0, x1, doors)]
    else:
        cells = [
            Niche((a, low), (b, top), "left" if (i % 2 == 0 and i < doors - 1) or doors == 1 else "right")
            for i, (a, b) in enumerate(split(x0, x1, doors))
        ]
    if drawers:
        cells += [Niche((a, plinth), (b, low), "drawer") for a, b in split(x0, x1, max(1, doors // 2))]
    made, openings = fronts(cells, face, style)
    if draws.chance(0.25):
        chosen = cells[draws.count(0, doors - 1)]
        rim = 0.075 if style.look == "frame" else 0.05
        (a, z0), (b, z1) = chosen.low, chosen.high
        if b - a > 2.5 * rim:
            pane = box((a + rim, face + 0.004, z0 + rim), (b - rim, face + FRONT + 0.003, z1 - rim))
            made.append(pane.painted(MIRROR).mirrored())
    seams = [
        box((b - GAP, face - 0.001, low), (b + GAP, face + 0.001, top)).painted((0.08, 0.08, 0.08))
        for _, b in split(x0, x1, doors)[:-1]
    ]
    return MadeParts([*bodies, *seams, *made], [], openings)


FURNITURE = FurnitureKind(
    name="wardrobe",
    category="wardrobe",
    habit="wall",
    sizes=(SizeClass((1.25, 0.59, 2.02), (0.36, 0.07, 0.07)),),
    make=make,
    source="five boxes of closets among the statistics are too few; 1–2.4 × 0.55–0.65 × 1.8–2.3 m as on sale",
)
