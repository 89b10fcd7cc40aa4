"""Façades: houses in rows, each of a style, with windows set back in their walls, doors, shops and roofs.

A house's front is the plane y = 0, facing +y, its ground at z = 0; metres. Roofs are gables, mansards, dormers or flat
ones, with chimneys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate import textures
from tolman.simulate.mesh import REVEAL, Masonry, Mesh, Texture, WallOpening, pane
from tolman.simulate.openings import FRAMES, draw_glazing, entrance, garage, shop_front, sign_board, window

_TILES = ((0.62, 0.32, 0.24), (0.5, 0.27, 0.22), (0.46, 0.36, 0.3), (0.7, 0.42, 0.3))
_SLATES = ((0.32, 0.33, 0.37), (0.4, 0.41, 0.43), (0.27, 0.28, 0.3))
_OVER = 0.32
"""Metres by which eaves reach over the front."""


@dataclass(frozen=True)
class RoofCovers:
    """Pictures of tiles and of slates, pale."""

    tiles: Texture
    slates: Texture


def draw_roof(
    made: Masonry,
    generator: np.random.Generator,
    kinds: tuple[str, ...],
    covers: RoofCovers,
    span: tuple[float, float],
    depth: float,
    height: float,
    trim: Floats,
    wall: tuple[Texture, float, Floats],
) -> None:
    """Build a roof of one of some kinds: 'gable', 'dormers', 'mansard', 'front gable', 'flat'.

    Args:
        made: the house.
        generator: source of the random draws.
        kinds: of roofs.
        covers: their coverings.
        span: from where to where along x, metres.
        depth: of the house.
        height: of its walls.
        trim: colour of painted parts.
        wall: covering of gables: picture, its metres, colour.
    """
    kind = kinds[int(generator.integers(len(kinds)))]
    tiled = bool(generator.random() < 0.6) and kind != "mansard"
    colours = _TILES if tiled else _SLATES
    colour = np.array(colours[int(generator.integers(len(colours)))]) * generator.uniform(0.9, 1.1)
    cover = covers.tiles if tiled else covers.slates
    left, right = span
    if kind == "flat":
        made.box((left, -depth, height), (right, -depth + 0.2, height + 0.45), trim)
        made.box((left, -0.22, height), (right, 0.04, height + 0.45), trim)
        for x in (left, right - 0.2):
            made.box((x, -depth + 0.2, height), (x + 0.2, -0.22, height + 0.45), trim)
        made.face(_slope(span, (-depth, height + 0.02), (0, height + 0.02)), (0.4, 0.4, 0.4))
        if generator.random() < 0.5:
            x = float(generator.uniform(left + 0.6, right - 2.4))
            made.box((x, -depth * 0.7, height), (x + 1.8, -depth * 0.4, height + 1.5), trim * 0.85)
        return
    rise = float(generator.uniform(0.45, 0.8)) * depth / 2
    if kind == "mansard":
        back, bend = 1.0, height + 2.1
        made.faces(_mirrored(_slope(span, (0.12, height), (-back, bend)), depth), cover, 1.6, colour)
        for x, turn in ((left, 1), (right, -1)):
            side = [[x, 0.0, height], [x, -back, bend], [x, -depth + back, bend], [x, -depth, height]]
            made.faces(np.array([side[::turn]], dtype=np.float64), *wall)
        _dormers(made, generator, span, height + 0.25, 0.02, trim)
        top = bend + 0.9
        made.faces(_mirrored(_slope(span, (-back, bend), (-depth / 2, top)), depth), cover, 1.6, colour)
        _chimney(made, generator, span, depth, top)
        return
    if kind == "front gable":
        middle, top = (left + right) / 2, height + rise * 0.9
        out = _OVER
        for x, turn in ((left - 0.12, -1), (right + 0.12, 1)):
            drop = height - 0.12
            slope = [[x, out, drop], [x, -depth, drop], [middle, -depth, top], [middle, out, top]]
            made.faces(np.array([slope[::turn]], dtype=np.float64), cover, 1.6, colour)
            board = [[x, out, drop - 0.16], [middle, out, top - 0.16], [middle, out, top], [x, out, drop]]
            made.face(board[::-turn], trim)
        for y, turn in ((0.0, -1), (-depth, 1)):
            gable = np.array([[[left, y, height], [right, y, height], [middle, y, top - 0.02]][::turn]])
            made.triangles(gable, *wall)
        made.box((middle - 0.35, -0.05, height + 0.2), (middle + 0.35, 0.03, height + 0.9), trim)
        made.face(pane(middle - 0.27, middle + 0.27, height + 0.28, height + 0.82, 0.036), (0.2, 0.24, 0.27), 0.15)
        return
    top = height + rise
    eave = height - rise * _OVER / (depth / 2)
    made.faces(_mirrored(_slope(span, (_OVER, eave), (-depth / 2, top)), depth), cover, 1.6, colour)
    for x, turn in ((left, 1), (right, -1)):
        gable = np.array([[[x, 0.0, height], [x, -depth / 2, top], [x, -depth, height]][::turn]])
        made.triangles(gable, *wall)
    made.box((left, _OVER - 0.04, eave - 0.11), (right, _OVER + 0.08, eave + 0.02), (0.45, 0.45, 0.44))
    made.face(_slope(span, (0.0, eave - 0.05), (_OVER, eave - 0.05)), trim * 0.9)
    if kind == "dormers":
        _dormers(made, generator, span, height + 0.3, -0.45, trim)
    elif generator.random() < 0.4:
        x = float(generator.uniform(left + 1, right - 1.6))
        low, high = ((-depth / 2 * share, height + rise * share + 0.05) for share in (0.35, 0.6))
        made.face(_slope((x, x + 0.8), low, high), (0.2, 0.24, 0.27), 0.15)
    _chimney(made, generator, span, depth, top)


def _slope(span: tuple[float, float], low: tuple[float, float], high: tuple[float, float]) -> list[list[float]]:
    """The corners of a face along x between two lines, each at a y and a z."""
    (left, right), (y0, z0), (y1, z1) = span, low, high
    return [[left, y0, z0], [right, y0, z0], [right, y1, z1], [left, y1, z1]]


def _mirrored(slope: list[list[float]], depth: float) -> Floats:
    """A slope, and the same at the back of a house, shape (2, 4, 3)."""
    one = np.array(slope, dtype=np.float64)
    other = one.copy()
    other[:, 1] = -depth - one[:, 1]
    return np.array([one, other[::-1]])


def _dormers(
    made: Masonry, generator: np.random.Generator, span: tuple[float, float], low: float, front: float, trim: Floats
) -> None:
    """Build dormer windows on a roof."""
    left, right = span
    count = max(1, int((right - left) // 2.9))
    for x in np.linspace(left, right, count + 1)[:-1] + (right - left) / count / 2:
        made.box((x - 0.6, front - 2.4, low - 0.3), (x + 0.6, front, low + 1.35), trim * 0.92)
        made.box((x - 0.72, front - 2.4, low + 1.35), (x + 0.72, front + 0.14, low + 1.47), (0.33, 0.34, 0.36))
        made.face(pane(x - 0.44, x + 0.44, low + 0.12, low + 1.22, front + 0.006), (0.2, 0.24, 0.27), 0.15)
        made.box((x - 0.03, front, low + 0.12), (x + 0.03, front + 0.03, low + 1.22), (0.9, 0.9, 0.87))
        made.box((x - 0.46, front, low + 0.66), (x + 0.46, front + 0.03, low + 0.71), (0.9, 0.9, 0.87))


def _chimney(
    made: Masonry, generator: np.random.Generator, span: tuple[float, float], depth: float, top: float
) -> None:
    if generator.random() < 0.65:
        x = float(generator.uniform(span[0] + 0.5, span[1] - 1.3))
        y = -depth / 2 - 0.4
        brick = np.array([0.45, 0.28, 0.23]) * generator.uniform(0.8, 1.2)
        made.box((x, y, top - 1.2), (x + 0.75, y + 0.6, top + 0.85), brick)
        made.box((x - 0.06, y - 0.06, top + 0.85), (x + 0.81, y + 0.66, top + 0.97), (0.55, 0.52, 0.48))
        for shift in (0.14, 0.44):
            made.box((x + shift, y + 0.2, top + 0.97), (x + shift + 0.17, y + 0.37, top + 1.28), (0.6, 0.34, 0.25))


RGB = tuple[float, float, float]


@dataclass(frozen=True)
class Covers:
    """The materials that all houses of a place are made of: few pictures, since each takes memory."""

    walls: dict[str, Texture]
    roofs: RoofCovers
    signs: Texture


@dataclass(frozen=True)
class HouseStyle:
    """A way to build.

    Attributes:
        walls: coverings of fronts, drawn evenly, and the colours of each.
        storeys: least and most.
        storey: height of the upper ones.
        bay: least distance from one window to the next.
        glazing: kinds of windows.
        roofs: kinds of roofs.
        shutters, balconies, bands: how likely each is.
    """

    walls: tuple[tuple[str, tuple[RGB, ...]], ...]
    storeys: tuple[int, int]
    storey: tuple[float, float]
    bay: tuple[float, float]
    glazing: tuple[str, ...]
    roofs: tuple[str, ...]
    shutters: float = 0.0
    balconies: float = 0.0
    bands: float = 0.5


_BRICK = ((0.62, 0.36, 0.28), (0.68, 0.5, 0.38), (0.5, 0.32, 0.27), (0.72, 0.6, 0.48), (0.45, 0.38, 0.35))
_COATS = (
    (0.9, 0.86, 0.76), (0.84, 0.76, 0.65), (0.74, 0.78, 0.77), (0.9, 0.8, 0.68), (0.8, 0.72, 0.72), (0.88, 0.88, 0.86),
    (0.86, 0.78, 0.56), (0.72, 0.74, 0.66), (0.78, 0.62, 0.52),
)  # fmt: skip
_STONES = ((0.78, 0.74, 0.66), (0.7, 0.68, 0.64), (0.8, 0.72, 0.58))
_BOARDS = (
    (0.86, 0.87, 0.85), (0.62, 0.68, 0.7), (0.55, 0.6, 0.5), (0.7, 0.55, 0.42), (0.5, 0.2, 0.17), (0.78, 0.74, 0.6),
)  # fmt: skip
_CONCRETE = ((0.72, 0.72, 0.7), (0.82, 0.81, 0.78), (0.5, 0.51, 0.53))

STYLES: dict[str, HouseStyle] = {
    "terrace": HouseStyle(
        (("brick", _BRICK), ("coat", _COATS)),
        (2, 3),
        (2.7, 3.0),
        (2.1, 2.7),
        ("sash", "cross"),
        ("gable", "gable", "dormers"),
    ),
    "old town": HouseStyle(
        (("coat", _COATS), ("stone", _STONES)),
        (3, 4),
        (2.9, 3.3),
        (2.0, 2.6),
        ("casement", "cross", "french"),
        ("mansard", "gable", "dormers"),
        shutters=0.4,
        balconies=0.15,
        bands=0.8,
    ),
    "modern": HouseStyle(
        (("coat", (*_COATS, *_CONCRETE)), ("brick", _BRICK)),
        (3, 5),
        (2.8, 3.0),
        (2.6, 3.6),
        ("wide", "french", "casement"),
        ("flat",),
        balconies=0.65,
        bands=0.2,
    ),
    "village": HouseStyle(
        (("siding", _BOARDS), ("coat", _COATS), ("brick", _BRICK)),
        (1, 2),
        (2.6, 2.8),
        (2.2, 3.0),
        ("sash", "cross", "casement"),
        ("gable", "front gable"),
        shutters=0.35,
        bands=0.1,
    ),
}
"""Ways to build, by name."""


def draw_covers(generator: np.random.Generator) -> Covers:
    """Materials for the houses of a place, pale: houses colour them."""
    pale = np.ones(3) * 0.95
    return Covers(
        {
            "brick": textures.bricks(generator, np.ones(3) * 0.82),
            "coat": textures.render_coat(generator, pale),
            "stone": textures.ashlar(generator, pale),
            "siding": textures.siding(generator, pale),
        },
        RoofCovers(textures.roof_tiles(generator, pale), textures.slates(generator, pale)),
        sign_board(generator),
    )


_SIZES = {"brick": 1.0, "coat": 2.5, "stone": 1.6, "siding": 2.2}
"""Metres of wall for each picture."""


def draw_style(generator: np.random.Generator) -> str:
    """The name of the style in which most houses of a place are built."""
    return list(STYLES)[int(generator.integers(len(STYLES)))]


def row_of_houses(
    generator: np.random.Generator,
    start: float,
    end: float,
    *,
    covers: Covers,
    style: str,
    shops: bool,
    depth: float = 9.0,
) -> list[Mesh]:
    """Houses side by side along x, most of them in a style."""
    found: list[Mesh] = []
    at = start
    while at < end - 1e-6:
        width = float(generator.uniform(5.6, 9.5))
        if end - at - width < 5.0:
            width = end - at
        name = style if generator.random() < 0.7 else draw_style(generator)
        # One storey beside three looks like a gap.
        own = STYLES[name if name != "village" or style == "village" else "terrace"]
        shop = shops and bool(generator.random() < 0.6) and own is not STYLES["village"]
        found.append(house(generator, covers, own, (at, at + width), depth, shop=shop))
        at += width
    return found


def house(
    generator: np.random.Generator,
    covers: Covers,
    style: HouseStyle,
    span: tuple[float, float],
    depth: float,
    *,
    shop: bool = False,
) -> Mesh:
    """A house of a style, from one x to another."""
    left, right = span
    storeys = int(generator.integers(style.storeys[0], style.storeys[1] + 1))
    ground = float(generator.uniform(3.3, 3.7)) if shop else float(generator.uniform(2.9, 3.2))
    storey = float(generator.uniform(*style.storey))
    height = ground + storey * (storeys - 1) + 0.35
    texture, size, colour, trim = draw_walls(generator, covers, style)
    glazing = draw_glazing(generator, style.glazing, shutters=generator.random() < style.shutters)
    bays = max(2, int((right - left - 0.5) // generator.uniform(*style.bay)))
    pitch = (right - left - 0.5) / bays
    middles = left + 0.25 + (np.arange(bays) + 0.5) * pitch
    made = Masonry()
    openings: list[WallOpening] = []
    door = int(generator.integers(bays))
    with_garage = not shop and bays >= 3 and pitch > 2.3 and generator.random() < 0.18
    if shop:
        opening = WallOpening(left + 0.35, right - 0.35, 0.0, 2.62)
        openings.append(opening)
        shop_front(made, generator, opening, covers.signs, ground)
    balconies = bool(generator.random() < style.balconies)
    for number in range(storeys):
        for bay, middle in enumerate(middles.tolist()):
            if number == 0 and shop:
                continue
            if number == 0 and bay == door:
                openings.append(entrance(made, generator, middle, trim))
                continue
            if number == 0 and with_garage and bay == (door + 1) % bays:
                openings.append(garage(made, generator, middle, min(2.4, pitch - 0.2)))
                continue
            low = 0.9 if number == 0 else ground + storey * (number - 1)
            on_balcony = balconies and number > 0 and bay % 2 == storeys % 2
            openings.append(window(made, generator, glazing, middle, low, number > 0, pitch, trim, balcony=on_balcony))
    made.wall(span, (-0.2, height), openings, texture, size, colour)
    add_core(made, texture, size, colour, span, depth, height)
    _bands(made, generator, style, span, (ground, height), trim, shop=shop)
    draw_roof(made, generator, style.roofs, covers.roofs, span, depth, height, trim, (texture, size, colour))
    return made.mesh()


def draw_walls(
    generator: np.random.Generator, covers: Covers, style: HouseStyle
) -> tuple[Texture, float, Floats, Floats]:
    """Draw the covering of a house's walls: a picture, its metres, a colour, and that of sills and cornices."""
    cover, colours = style.walls[int(generator.integers(len(style.walls)))]
    colour = np.clip(np.array(colours[int(generator.integers(len(colours)))]) * generator.uniform(0.92, 1.08), 0, 1)
    return covers.walls[cover], _SIZES[cover], colour, _trim(generator, cover, colour)


def _trim(generator: np.random.Generator, cover: str, colour: Floats) -> Floats:
    """The colour of sills, lintels and cornices."""
    if cover in ("brick", "siding"):
        return np.array(FRAMES[int(generator.integers(2))]) * float(generator.uniform(0.85, 1.0))
    return np.asarray(np.clip(colour * float(generator.choice([0.72, 1.12])), 0, 0.95))


def add_core(
    made: Masonry, texture: Texture, size: float, colour: Floats, span: tuple[float, float], depth: float, height: float
) -> None:
    """Add the parts behind the front: sides and back, and a dark wall behind its openings."""
    (left, right), y = span, -REVEAL - 0.02
    sides = [
        [[left, 0, -0.2], [left, 0, height], [left, -depth, height], [left, -depth, -0.2]],
        [[right, 0, -0.2], [right, -depth, -0.2], [right, -depth, height], [right, 0, height]],
        [[left, -depth, -0.2], [left, -depth, height], [right, -depth, height], [right, -depth, -0.2]],
    ]
    made.faces(np.array(sides, dtype=np.float64), texture, size, colour * 0.97)
    made.face([[right, y, -0.2], [left, y, -0.2], [left, y, height], [right, y, height]], (0.08, 0.09, 0.1))


def _bands(
    made: Masonry,
    generator: np.random.Generator,
    style: HouseStyle,
    span: tuple[float, float],
    heights: tuple[float, float],
    trim: Floats,
    *,
    shop: bool,
) -> None:
    """A plinth, a band above the ground floor, a cornice below the roof, a downpipe."""
    left, right = span
    ground, height = heights
    if not shop and generator.random() < 0.6:
        # Thinner than what stands off a wall, and below the sills.
        made.box((left, -0.02, -0.2), (right, 0.025, 0.3), trim * 0.6)
    if generator.random() < style.bands:
        made.box((left, -0.02, ground - 0.18), (right, 0.06, ground - 0.02), trim)
        made.box((left, -0.02, height - 0.28), (right, 0.14, height), trim)
        made.box((left, -0.02, height - 0.4), (right, 0.07, height - 0.28), trim * 0.95)
    if generator.random() < 0.5:
        at = left + 0.12
        made.box((at - 0.045, 0.0, 2.0), (at + 0.045, 0.09, height), (0.36, 0.36, 0.35))
        made.box((at - 0.045, 0.0, 0.0), (at + 0.045, 0.09, 2.0), (0.3, 0.3, 0.3))
