"""Storage furniture: bookshelves, cabinets, dressers, kitchen counters, sideboards, television stands and wardrobes.

Bookshelves are boards between sides or posts, with books and other things on some. A cabinet is a tall case with doors,
above some of them panes; a sideboard is a low one, wider than high. Dressers are chests of drawers. A kitchen
counter is a worktop on base units. Television stands
are low and wide, with open fields, doors and drawers. Wardrobes have hinged or sliding doors, some mirrored.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tolman.simulate.made.forms import MIRROR, Material, bar, box, lathe
from tolman.simulate.made.joinery import (
    FRONT,
    GAP,
    FrontStyle,
    Niche,
    base,
    case,
    drawn_fronts,
    drawn_handles,
    fronts,
    split,
)
from tolman.simulate.made.kind import Draws, LevelSurface, MadeParts, own_kinds
from tolman.simulate.mesh import Mesh


def make_bookshelf(draws: Draws) -> MadeParts:
    """A case with shelves in one to four columns, a grid of cubes, or boards between posts; filled in part."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    style = draws.pick("case", "case", "cubes", "posts", "case")
    t = draws.between(0.016, 0.028)
    columns = max(1, round(w / draws.between(0.5, 0.95)))
    rows = max(2, round(h / draws.between(0.3, 0.42)))
    if style == "cubes":
        columns, rows = max(1, round(w / 0.38)), max(1, round(h / 0.38))
    bodies: list[Mesh] = []
    low_z = 0.0
    if style == "posts":
        post = draws.between(0.012, 0.02)
        metal = draws.material("metal", "wood")
        x, y = w / 2 - post, d / 2 - post
        bodies += metal.on(
            (bar((sx * x, sy * y, 0.0), (sx * x, sy * y, h), post, square=True) for sx in (-1, 1) for sy in (-1, 1)),
            turn=1,
        )
        levels = [float(z) for z in np.linspace(0.1, h - 0.02, rows)]
        bodies += body.on(box((-w / 2 + post, -d / 2 + post, z - t), (w / 2 - post, d / 2 - post, z)) for z in levels)
        if draws.chance(0.5):
            bodies += metal.on(bar((s * x, -y, levels[0]), (-s * x, -y, levels[-1]), 0.005, sides=6) for s in (-1, 1))
        ends, columns, levels = [-w / 2 + 2 * post, w / 2 - 2 * post], 1, levels
        clear = [levels[i + 1] - t - levels[i] for i in range(len(levels) - 1)] + [0.0]
        back = -d / 2 + post
        front = d / 2 - post
    else:
        plinth = draws.chance(0.5)
        low_z = draws.between(0.05, 0.09) if plinth else 0.0
        uprights = [float(x) for x in np.linspace(-w / 2 + t / 2, w / 2 - t / 2, columns + 1)][1:-1]
        heights = [float(z) for z in np.linspace(low_z + t / 2, h - t / 2, rows + 1)][1:-1]
        bodies += case(
            (-w / 2, -d / 2, low_z), (w / 2, d / 2, h), body, uprights=uprights, shelves=[heights] * columns, board=t
        )
        if plinth:
            bodies += body.shade(0.85).on(box((-w / 2, -d / 2, 0.0), (w / 2, d / 2 - 0.02, low_z)))
        ends = [-w / 2 + t, *uprights, w / 2 - t]
        levels = [low_z + t, *(z + t / 2 for z in heights)]
        clear = [b - a - t for a, b in zip(levels, [*levels[1:], h], strict=True)]
        back, front = -d / 2 + 0.008, d / 2 - 0.006
    fill = draws.between(0.35, 0.95)
    spines = [Material("book", tuple(c)) for c in draws.generator.uniform((0.1, 0.1, 0.1), (0.8, 0.7, 0.65), (6, 3))]
    for i in range(columns):
        left, right = ends[i] + t / 2 + 0.002, ends[i + 1] - t / 2 - 0.002
        for z, room in zip(levels, clear, strict=True):
            if draws.chance(fill) and room > 0.12:
                bodies += _load(draws, (left, right), (back, front), z, room, spines)
    return MadeParts(bodies, [draws.top(0.03)] if style != "posts" else [])


def _load(
    draws: Draws, x: tuple[float, float], y: tuple[float, float], z: float, room: float, spines: list[Material]
) -> list[Mesh]:
    """Make the load of one shelf: a row of books, a box or two, a vase."""
    made: list[Mesh] = []
    kind = draws.pick("books", "books", "books", "box", "vase")
    if kind == "box":
        size = min(0.9 * (x[1] - x[0]), 0.36)
        start = draws.between(x[0], x[1] - size)
        return draws.material("fabric", "cardboard", "plastic").on(
            box((start, y[0] + 0.01, z), (start + size, y[1] - 0.01, z + room * draws.between(0.5, 0.8)), 0.008)
        )
    if kind == "vase":
        r = min(0.4 * (y[1] - y[0]), 0.3 * room, 0.4 * (x[1] - x[0]))
        high = min(0.85 * room, 5 * r)
        profile = [(0.6, 0.0), (1.0, 0.35), (0.9, 0.55), (0.4, 0.8), (0.55, 1.0), (0.45, 0.98), (0.3, 0.8), (0.2, 0.2)]
        middle = draws.between(x[0] + r, x[1] - r)
        return draws.material("pottery").on(
            lathe([(r * a, z + high * b) for a, b in profile], center=(middle, (y[0] + y[1]) / 2), sides=14)
        )
    at, end = x[0], x[0] + (x[1] - x[0]) * draws.between(0.3, 1.0)
    while True:
        thick = draws.between(0.014, 0.042)
        if at + thick > end:
            return made
        tall, deep = min(room * 0.95, draws.between(0.16, 0.28)), min(y[1] - y[0], draws.between(0.12, 0.2))
        spine = spines[draws.count(0, len(spines) - 1)].shade(draws.between(0.8, 1.2))
        made += spine.on(box((at, y[0], z), (at + thick - 0.001, y[0] + deep, z + tall)))
        at += thick


def make_cabinet(draws: Draws) -> MadeParts:
    """Columns of doors, some below a drawer, some left open; on a plinth or legs, under a top board."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint", "paint")
    handles = drawn_handles(draws)
    look = draws.pick("plain", "frame", "inset", "slats", "glass" if draws.design == "tall" else "plain")
    style = FrontStyle(look, body if draws.chance(0.7) else draws.material("wood", "paint"), handles)
    face = d / 2 - 0.019 - handles.depth
    foot = draws.between(0.05, 0.16) if h < 1.2 else draws.between(0.04, 0.09)
    top = draws.between(0.018, 0.03)
    bodies = base(draws, (-w / 2 + 0.005, -d / 2 + 0.005, 0.0), (w / 2 - 0.005, face, foot), body)
    overhang = draws.chance(0.5)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2 if overhang else face + 0.019, h), 0.002))
    columns = max(1, round(w / draws.between(0.38, 0.55)))
    low_x, high_x, high_z = -w / 2 + 0.004, w / 2 - 0.004, h - top
    cells: list[Niche] = []
    shelves: list[list[float]] = []
    ends = split(low_x, high_x, columns)
    drawer = draws.between(0.14, 0.2) if draws.chance(0.5) and h < 1.3 else 0.0
    tiers = (
        [(foot, high_z)]
        if h < 1.25
        else [(foot, foot + (high_z - foot) * 0.45), (foot + (high_z - foot) * 0.45, high_z)]
    )
    glazed = FrontStyle("glass", style.material, handles)
    for i, (a, b) in enumerate(ends):
        hinge = ("left" if i % 2 == 0 else "right") if columns > 1 else draws.pick("left", "right")
        if columns % 2 and i == columns - 1 and columns > 1:
            hinge = "right"
        open_here = columns > 1 and draws.chance(0.15)
        column: list[Niche] = []
        for z0, z1 in tiers:
            if drawer and z1 == high_z and len(tiers) == 1:
                column += [Niche((a, z0), (b, z1 - drawer), hinge), Niche((a, z1 - drawer), (b, z1), "drawer")]
            else:
                column.append(Niche((a, z0), (b, z1), "open" if open_here and z1 == high_z else hinge))
        cells += column
        middle = (foot + high_z) / 2
        shelves.append([middle] if h < 1.25 else [foot + (high_z - foot) * share for share in (0.25, 0.45, 0.7)])
    bodies += case(
        (low_x, -d / 2 + 0.004, foot), (high_x, face, high_z), body, uprights=[b for _, b in ends[:-1]], shelves=shelves
    )
    upper = [cell for cell in cells if len(tiers) > 1 and cell.high[1] == high_z and look in ("frame", "glass")]
    made, openings = fronts([cell for cell in cells if cell not in upper], face, style)
    more, opened = fronts(upper, face, glazed)
    deep = d / 2 if overhang else face
    surface = LevelSurface((-w / 2 + 0.02, -d / 2 + 0.02), (w / 2 - 0.02, deep - 0.02), h)
    return MadeParts([*bodies, *made, *more], [surface], [*openings, *opened])


def make_dresser(draws: Draws) -> MadeParts:
    """Rows of drawers, the upper ones halved or lower in some, on a plinth, feet or legs."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = drawn_fronts(draws, body, handles, ("plain", "plain", "frame", "inset"), 0.65, "paint", "wood")
    face, foot, top = d / 2 - 0.019 - handles.depth, draws.between(0.04, 0.17), draws.between(0.018, 0.035)
    bodies = base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    bodies += body.on(box((-w / 2 + 0.006, -d / 2, foot), (w / 2 - 0.006, face, h - top)), turn=1)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2, h), 0.003))
    rows = max(2, round((h - foot) / draws.between(0.18, 0.26)))
    columns = max(1, round(w / draws.between(0.55, 0.95)))
    halved = draws.chance(0.4)
    cells: list[Niche] = []
    for i, (z0, z1) in enumerate(split(foot + 0.004, h - top - 0.004, rows)):
        parts = columns + 1 if halved and i == rows - 1 else columns
        cells += [Niche((a, z0), (b, z1), "drawer") for a, b in split(-w / 2 + 0.02, w / 2 - 0.02, parts)]
    made, openings = fronts(cells, face, style)
    return MadeParts([*bodies, *made], [draws.top(0.02)], openings)


def make_counter(draws: Draws) -> MadeParts:
    """A worktop over a row of units, each with a door, drawers, or a drawer over a door; a splashback behind some."""
    w, d, h = draws.size
    body = draws.material("paint", "wood", "paint")
    top = draws.material("stone", "wood", "stone")
    handles = drawn_handles(draws)
    style = FrontStyle(draws.pick("plain", "plain", "frame", "inset", "slats"), body, handles)
    lip = max(handles.depth, draws.between(0.02, 0.04))
    face = d / 2 - FRONT - lip
    plinth, thick = draws.between(0.08, 0.14), draws.between(0.02, 0.045)
    guard = draws.between(0.05, 0.12) if draws.chance(0.4) else 0.0
    level = h - guard
    bodies = [
        *body.on(box((-w / 2, -d / 2, plinth), (w / 2, face, level - thick))),
        *body.shade(0.5).on(box((-w / 2 + 0.01, -d / 2, 0.0), (w / 2 - 0.01, face - 0.05, plinth))),
        *top.on(box((-w / 2, -d / 2, level - thick), (w / 2, d / 2, level), 0.004)),
    ]
    if guard:
        bodies += top.on(box((-w / 2, -d / 2, level), (w / 2, -d / 2 + 0.015, h)))
    cells = []
    for i, (a, b) in enumerate(split(-w / 2, w / 2, max(1, round(w / draws.between(0.42, 0.62))))):
        door = "left" if i % 2 == 0 else "right"
        layout = draws.pick("door", "door", "drawer over a door", "drawers")
        heights = {
            "door": [plinth, level - thick],
            "drawer over a door": [plinth, level - thick - 0.17, level - thick],
            "drawers": [*np.linspace(plinth, level - thick, draws.count(3, 4) + 1)],
        }[layout]
        for number, (low, high) in enumerate(itertools.pairwise(heights)):
            kind = "drawer" if layout == "drawers" or number else door
            cells.append(Niche((a, float(low)), (b, float(high)), kind))
    made, openings = fronts(cells, face, style)
    free = -d / 2 + (0.03 if guard else 0.015)
    surface = LevelSurface((-w / 2 + 0.02, free), (w / 2 - 0.02, d / 2 - 0.02), level)
    return MadeParts([*bodies, *made], [surface], openings)


def make_tv_stand(draws: Draws) -> MadeParts:
    """Two to four columns, each open, with a shelf, a door or drawers."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint")
    handles = drawn_handles(draws)
    style = drawn_fronts(draws, body, handles, ("plain", "plain", "frame", "slats"), 0.6, "paint", "wood")
    face = d / 2 - 0.019 - handles.depth
    foot, top = draws.between(0.04, min(0.16, 0.36 * h)), draws.between(0.018, 0.035)
    bodies = base(draws, (-w / 2 + 0.01, -d / 2 + 0.01, 0.0), (w / 2 - 0.01, face, foot), body)
    bodies += body.on(box((-w / 2, -d / 2, h - top), (w / 2, d / 2, h), 0.002))
    columns = draws.count(2, 4) if w > 1.1 else draws.count(1, 3)
    x0, x1, z1 = -w / 2 + 0.006, w / 2 - 0.006, h - top
    ends, cells, shelves = split(x0, x1, columns), [], []
    for i, (a, b) in enumerate(ends):
        middle = (foot + z1) / 2
        kind = draws.pick("open", "shelf", "door", "drawers", "drawer below")
        shelves.append([middle] if kind in ("shelf", "drawer below") else [])
        if kind == "door":
            cells.append(Niche((a, foot), (b, z1), "left" if i < columns / 2 else "right"))
        elif kind == "drawers":
            cells += [Niche((a, foot), (b, middle), "drawer"), Niche((a, middle), (b, z1), "drawer")]
        elif kind == "drawer below":
            cells.append(Niche((a, foot), (b, middle), "drawer"))
    bodies += case(
        (x0, -d / 2 + 0.004, foot), (x1, face, z1), body, uprights=[b for _, b in ends[:-1]], shelves=shelves
    )
    made, openings = fronts(cells, face, style)
    return MadeParts([*bodies, *made], [draws.top(0.02)], openings)


def make_wardrobe(draws: Draws) -> MadeParts:
    """One to five doors over the whole height or above drawers; a cornice on some."""
    w, d, h = draws.size
    body = draws.material("wood", "wood", "paint", "paint")
    handles = drawn_handles(draws, "bar", "knob", "bow", "bar")
    handles = replace(handles, length=draws.between(0.12, 0.5))
    style = drawn_fronts(draws, body, handles, ("plain", "frame", "inset", "slats"), 0.7, "paint", "wood")
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


FURNITURE_KINDS = own_kinds(
    {
        "bookshelf": make_bookshelf,
        "cabinet": make_cabinet,
        "kitchen counter": make_counter,
        "dresser": make_dresser,
        "sideboard": make_cabinet,
        "tv stand": make_tv_stand,
        "wardrobe": make_wardrobe,
    }
)
