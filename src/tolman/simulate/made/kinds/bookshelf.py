"""Bookshelves: boards between sides or posts, with books and other things on some."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import bar, box, lathe
from tolman.simulate.made.joinery import case
from tolman.simulate.made.kind import Draws, FurnitureKind, LevelSurface, MadeParts, SizeClass
from tolman.simulate.made.materials import Material
from tolman.simulate.mesh import Mesh


def make(draws: Draws) -> MadeParts:
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
            *(bar((sx * x, sy * y, 0.0), (sx * x, sy * y, h), post, square=True) for sx in (-1, 1) for sy in (-1, 1)),
            turn=1,
        )
        levels = [float(z) for z in np.linspace(0.1, h - 0.02, rows)]
        bodies += body.on(
            *(box((-w / 2 + post, -d / 2 + post, z - t), (w / 2 - post, d / 2 - post, z)) for z in levels)
        )
        if draws.chance(0.5):
            bodies += metal.on(
                *(bar((s * x, -y, levels[0]), (-s * x, -y, levels[-1]), 0.005, sides=6) for s in (-1, 1))
            )
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
    surfaces = (
        [LevelSurface((-w / 2 + 0.03, -d / 2 + 0.03), (w / 2 - 0.03, d / 2 - 0.03), h)] if style != "posts" else []
    )
    return MadeParts(bodies, surfaces)


def _load(
    draws: Draws, x: tuple[float, float], y: tuple[float, float], z: float, room: float, spines: list[Material]
) -> list[Mesh]:
    """What stands on one shelf: a row of books, a box or two, a vase."""
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


FURNITURE = FurnitureKind(
    name="bookshelf",
    category="shelf",
    habit="wall",
    sizes=(SizeClass((0.98, 0.37, 1.93), (0.38, 0.22, 0.2), common=0.3),),
    make=make,
    source="VSI-Bench boxes: 29 bookshelves, sorted sides 0.38, 0.99 and 1.99 m in the median",
    real="bookshelf",
)
