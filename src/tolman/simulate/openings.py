"""Openings of a house's front: windows, doors, garages, and shops on the ground floor.

The front is the plane y = 0, facing +y. A shop has windows, a door, a sign and perhaps an awning.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw, ImageFont

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import REVEAL, Masonry, Texture, WallOpening, flat_shaded, pane

RGB = tuple[float, float, float]
FRAMES: tuple[RGB, ...] = (
    (0.92, 0.91, 0.88), (0.84, 0.81, 0.74), (0.2, 0.21, 0.23), (0.3, 0.2, 0.14), (0.16, 0.26, 0.22),
)  # fmt: skip
"""Colours of window frames."""
DOORS: tuple[RGB, ...] = (
    (0.14, 0.27, 0.22), (0.45, 0.13, 0.12), (0.14, 0.19, 0.34), (0.32, 0.2, 0.12), (0.13, 0.13, 0.14),
    (0.85, 0.84, 0.8), (0.24, 0.42, 0.5), (0.6, 0.47, 0.2),
)  # fmt: skip
"""Colours of doors."""
_SHUTTERS: tuple[RGB, ...] = (
    (0.2, 0.33, 0.28), (0.34, 0.42, 0.52), (0.4, 0.2, 0.16), (0.8, 0.8, 0.76), (0.3, 0.28, 0.25),
)  # fmt: skip
GLASS_SHINE = 0.15
"""What marks a pane, between `GLOSS` and `GLASS` of the shaders outdoors."""
_IRON = (0.09, 0.1, 0.1)


@dataclass(frozen=True)
class Glazing:
    """The windows of a house.

    Attributes:
        kind: 'sash', 'cross', 'casement', 'french' or 'wide'.
        size: width and height, metres.
        frame: its colour.
        head: the part above: '', 'lintel', 'hood' or 'surround'.
        shutters: their colour; None for none.
    """

    kind: str
    size: tuple[float, float]
    frame: RGB
    head: str
    shutters: RGB | None


_WINDOWS = {
    "sash": (1.0, 1.55),
    "cross": (1.1, 1.6),
    "casement": (1.15, 1.45),
    "french": (1.1, 2.15),
    "wide": (1.8, 1.5),
}


_UPRIGHTS = {"cross": (0.5,), "casement": (0.5,), "french": (0.5,), "wide": (0.34,)}
_BARS = {"sash": (0.5,), "cross": (0.36, 0.68), "french": (0.72,)}
"""Places of bars in a window, as shares of its width and of its height."""


def draw_glazing(generator: np.random.Generator, kinds: tuple[str, ...], *, shutters: bool) -> Glazing:
    """The windows of a house, of one of some kinds."""
    kind = kinds[int(generator.integers(len(kinds)))]
    width, height = (side * float(generator.uniform(0.92, 1.08)) for side in _WINDOWS[kind])
    frame = FRAMES[int(generator.choice(len(FRAMES), p=(0.45, 0.15, 0.2, 0.1, 0.1)))]
    head = ("", "lintel", "lintel", "hood", "surround")[int(generator.integers(5))]
    closed = _SHUTTERS[int(generator.integers(len(_SHUTTERS)))] if shutters else None
    return Glazing(kind, (width, height), frame, head, closed)


def window(
    made: Masonry,
    generator: np.random.Generator,
    glazing: Glazing,
    middle: float,
    floor: float,
    upper: bool,
    pitch: float,
    trim: Floats,
    *,
    balcony: bool = False,
) -> WallOpening:
    """A window of a house; `floor` is its storey's height, or its sill's on the ground floor."""
    width = min(glazing.size[0], pitch - 0.35)
    height = min(glazing.size[1], 1.5) if not upper else glazing.size[1]
    low = floor if not upper else floor + (0.12 if glazing.kind == "french" or balcony else 0.78)
    high = low + height if not balcony else floor + 2.2
    left, right = middle - width / 2, middle + width / 2
    opening = WallOpening(left, right, low, high)
    fill(made, generator, opening, glazing.kind, glazing.frame)
    if not balcony:
        made.box((left - 0.1, -REVEAL, low - 0.07), (right + 0.1, 0.07, low), trim)
    if glazing.head == "lintel":
        made.box((left - 0.14, -0.01, high), (right + 0.14, 0.03, high + 0.17), trim)
    elif glazing.head == "hood":
        made.box((left - 0.16, -0.01, high + 0.1), (right + 0.16, 0.14, high + 0.18), trim)
        made.box((left - 0.12, -0.01, high), (right + 0.12, 0.04, high + 0.1), trim * 0.96)
    elif glazing.head == "surround":
        made.box((left - 0.12, -0.01, low), (left, 0.03, high + 0.12), trim)
        made.box((right, -0.01, low), (right + 0.12, 0.03, high + 0.12), trim)
        made.box((left, -0.01, high), (right, 0.03, high + 0.12), trim)
    # A shutter is half a window wide; there is none where two would meet.
    if glazing.shutters and pitch > 2 * width + 0.2 and not balcony:
        for a, b in ((left - width / 2 - 0.02, left - 0.02), (right + 0.02, right + width / 2 + 0.02)):
            made.box((a, 0.0, low), (b, 0.035, high), glazing.shutters)
            for z in np.linspace(low + 0.15, high - 0.15, 3)[1:]:
                made.box((a + 0.05, 0.035, z - 0.03), (b - 0.05, 0.045, z), np.array(glazing.shutters) * 0.7)
    if balcony:
        _balcony(made, generator, (left - 0.45, right + 0.45), floor)
    elif upper and glazing.kind == "french":
        _railing(made, (left - 0.02, right + 0.02), low, 0.05, 0.9)
    return opening


def fill(made: Masonry, generator: np.random.Generator, opening: WallOpening, kind: str, frame: ArrayLike) -> None:
    """A window's frame, bars and panes in an opening, with a blind or curtains behind some of them."""
    left, right, low, high = opening.left, opening.right, opening.low, opening.high
    back, front, wide = -REVEAL + 0.005, -REVEAL + 0.055, 0.065
    tone = np.array([0.2, 0.24, 0.27]) * generator.uniform(0.7, 1.3)
    if generator.random() < 0.35:
        # A blind behind the upper part of the pane.
        split = high - (high - low) * float(generator.uniform(0.2, 0.6))
        made.face(pane(left, right, split, high, -REVEAL + 0.01), generator.uniform(0.55, 0.8, 3) * 0.8, GLASS_SHINE)
        made.face(pane(left, right, low, split, -REVEAL + 0.01), tone, GLASS_SHINE)
    elif generator.random() < 0.4:
        side = (right - left) * 0.24
        cloth = generator.uniform(0.6, 0.85) * np.array([1.0, 0.97, 0.92])
        ends = left, left + side, right - side, right
        for (a, b), shade in zip(itertools.pairwise(ends), (cloth, tone, cloth), strict=True):
            made.face(pane(a, b, low, high, -REVEAL + 0.01), shade, GLASS_SHINE)
    else:
        made.face(pane(left, right, low, high, -REVEAL + 0.01), tone, GLASS_SHINE)
    for a, b in ((left, left + wide), (right - wide, right)):
        made.box((a, back, low), (b, front, high), frame)
    for a, b in ((low, low + wide), (high - wide, high)):
        made.box((left + wide, back, a), (right - wide, front, b), frame)
    for share in _UPRIGHTS.get(kind, ()):
        x = left + (right - left) * share
        made.box((x - 0.03, back, low + wide), (x + 0.03, front - 0.01, high - wide), frame)
    for share in _BARS.get(kind, ()):
        z = low + (high - low) * share
        made.box((left + wide, back, z - 0.022), (right - wide, front - 0.012, z + 0.022), frame)


def _railing(made: Masonry, span: tuple[float, float], low: float, y: float, height: float) -> None:
    left, right = span
    made.box((left, y - 0.02, low + height - 0.04), (right, y + 0.02, low + height), _IRON)
    made.box((left, y - 0.015, low + 0.06), (right, y + 0.015, low + 0.09), _IRON)
    for x in np.linspace(left + 0.02, right - 0.02, max(3, round((right - left) / 0.16))):
        made.box((x - 0.009, y - 0.009, low), (x + 0.009, y + 0.009, low + height), _IRON)


def _balcony(made: Masonry, generator: np.random.Generator, span: tuple[float, float], floor: float) -> None:
    """A slab with a railing, or with panes."""
    left, right = span
    out = 0.95
    made.box((left, -0.02, floor - 0.08), (right, out, floor + 0.1), (0.7, 0.69, 0.66))
    if generator.random() < 0.5:
        tint = (0.5, 0.6, 0.6)
        made.box((left + 0.02, out - 0.06, floor + 0.16), (right - 0.02, out - 0.04, floor + 1.0), tint, GLASS_SHINE)
        for x in (left + 0.03, right - 0.05):
            made.box((x, 0.0, floor + 0.16), (x + 0.02, out - 0.04, floor + 1.0), tint, GLASS_SHINE)
        made.box((left, out - 0.08, floor + 1.0), (right, out - 0.02, floor + 1.05), (0.4, 0.41, 0.42))
    else:
        _railing(made, (left, right), floor + 0.1, out - 0.05, 0.95)
        for x in (left + 0.02, right - 0.02):
            made.box((x - 0.015, 0.0, floor + 1.0), (x + 0.015, out - 0.05, floor + 1.04), _IRON)
            for y in np.linspace(0.15, out - 0.15, 5):
                made.box((x - 0.009, y - 0.009, floor + 0.1), (x + 0.009, y + 0.009, floor + 1.0), _IRON)


def entrance(made: Masonry, generator: np.random.Generator, middle: float, trim: Floats) -> WallOpening:
    """Make a house's door in its frame, some with a pane above or next to it, some below a roof."""
    colour = np.array(DOORS[int(generator.integers(len(DOORS)))])
    width, high = float(generator.uniform(0.9, 1.05)), 2.1
    above = bool(generator.random() < 0.6)
    top = high + (0.42 if above else 0.06)
    left, right = middle - width / 2, middle + width / 2
    opening = WallOpening(left - 0.07, right + 0.07, 0.0, top + 0.06)
    frame = np.array(FRAMES[int(generator.integers(2))])
    leaf(made, generator, (left, right), high, colour)
    if above:
        made.face(pane(left, right, high + 0.05, top, -REVEAL + 0.02), (0.2, 0.24, 0.27), GLASS_SHINE)
        made.box((left, -REVEAL, high), (right, -0.06, high + 0.05), frame)
    for a, b in ((left - 0.07, left), (right, right + 0.07)):
        made.box((a, -REVEAL, 0.0), (b, -0.05, top + 0.06), frame)
    made.box((left, -REVEAL, top), (right, -0.05, top + 0.06), frame)
    if generator.random() < 0.45:
        made.box((left - 0.3, -0.02, top + 0.2), (right + 0.3, 0.7, top + 0.28), trim * 0.9)
    elif generator.random() < 0.5:
        made.box((left - 0.22, -0.01, top + 0.06), (right + 0.22, 0.06, top + 0.24), trim)
    if generator.random() < 0.6:
        made.box((right + 0.2, 0.0, 1.95), (right + 0.32, 0.14, 2.2), (0.95, 0.92, 0.8), 0.4)
    return opening


def leaf(made: Masonry, generator: np.random.Generator, span: tuple[float, float], high: float, colour: Floats) -> None:
    """The leaf of a door, `REVEAL` behind the wall."""
    left, right = span
    y = -REVEAL + 0.03
    made.box((left, -REVEAL, 0.0), (right, y, high), colour)
    kind = int(generator.integers(3))
    inner = (left + 0.14, right - 0.14)
    if kind == 0:
        for low, top in ((0.2, 0.85), (1.0, high - 0.18)):
            made.box((inner[0], y, low), (inner[1], y + 0.015, top), colour * 0.78)
    elif kind == 1:
        made.box((inner[0], y, 0.2), (inner[1], y + 0.015, 0.9), colour * 0.78)
        made.face(pane(*inner, 1.05, high - 0.18, y + 0.012), (0.2, 0.24, 0.27), GLASS_SHINE)
    else:
        for x in np.linspace(*inner, 4):
            made.box((x - 0.012, y, 0.15), (x + 0.012, y + 0.01, high - 0.15), colour * 0.7)
    made.box((right - 0.11, y, 0.98), (right - 0.07, y + 0.06, 1.1), (0.75, 0.7, 0.55))


def garage(made: Masonry, generator: np.random.Generator, middle: float, width: float) -> WallOpening:
    """A garage's door of broad boards."""
    colour = np.array(DOORS[int(generator.integers(len(DOORS)))]) * 0.6 + 0.35
    left, right = middle - width / 2, middle + width / 2
    made.box((left, -REVEAL, 0.0), (right, -REVEAL + 0.03, 2.2), colour)
    for z in np.arange(0.28, 2.1, 0.28):
        made.box((left, -REVEAL + 0.03, z), (right, -REVEAL + 0.04, z + 0.025), colour * 0.65)
    return WallOpening(left, right, 0.0, 2.2)


_WORDS = ("BAKERY", "BOOKS", "FLOWERS", "CAFE", "SHOES", "BARBER", "OPTICIAN", "TAILOR")


def shop_front(
    made: Masonry, generator: np.random.Generator, opening: WallOpening, signs: Texture, ground: float
) -> None:
    """A shop's windows, door, sign and, for some, an awning."""
    left, right, top = opening.left, opening.right, opening.high
    colour = generator.uniform((0.1, 0.14, 0.14), (0.5, 0.36, 0.34))
    front = -REVEAL + 0.05
    at_left = bool(generator.random() < 0.5)
    door = (left + 0.1, left + 1.1) if at_left else (right - 1.1, right - 0.1)
    panes = (door[1] + 0.1, right) if at_left else (left, door[0] - 0.1)
    sill = float(generator.choice([0.2, 0.45, 0.65]))
    made.box((panes[0], -REVEAL, 0.0), (panes[1], front, sill), colour * 0.85)
    made.face(pane(*panes, sill, top, -REVEAL + 0.01), (0.17, 0.18, 0.18), GLASS_SHINE)
    made.face(pane(*door, 0.0, top, -REVEAL + 0.01), (0.14, 0.15, 0.16), GLASS_SHINE)
    for x in (left + 0.04, right - 0.04, *door):
        made.box((x - 0.05, -REVEAL, 0.0), (x + 0.05, front, top), colour)
    for x in np.linspace(*panes, max(2, round((panes[1] - panes[0]) / 1.7)) + 1)[1:-1]:
        made.box((x - 0.03, -REVEAL, sill), (x + 0.03, front, top), colour)
    for a, b, z in ((*door, 2.1), (*door, 0.0), (*panes, 2.15)):
        made.box((a, -REVEAL, z), (b, front - 0.01, z + 0.1), colour)
    grip = door[1] - 0.18 if at_left else door[0] + 0.18
    made.box((grip - 0.015, front, 0.9), (grip + 0.015, front + 0.05, 1.4), (0.7, 0.7, 0.68))
    high = min(ground - 0.2, top + 0.62)
    made.box((left - 0.1, -0.02, top), (right + 0.1, 0.1, high), colour)
    wide = min(right - left - 0.6, 3.4)
    middle = (left + right) / 2
    row = int(generator.integers(len(_WORDS)))
    corners = pane(middle - wide / 2, middle + wide / 2, top + 0.06, high - 0.06, 0.106)
    _sign(made, corners, signs, row)
    if generator.random() < 0.6:
        _awning(made, generator, (left, right), top + 0.02)


def _sign(made: Masonry, corners: Floats, signs: Texture, row: int) -> None:
    mesh = flat_shaded(corners[[[0, 1, 2], [0, 2, 3]]], (1.0, 1.0, 1.0))
    low, high = 1 - (row + 1) / len(_WORDS), 1 - row / len(_WORDS)
    uv = np.array([[0.0, low], [1.0, low], [1.0, high], [0.0, high]])[[0, 1, 2, 0, 2, 3]]
    made.add(replace(mesh, uvs=uv, textures_of=np.zeros(len(uv), dtype=np.int64), textures=(signs,)))


def sign_board(generator: np.random.Generator) -> Texture:
    """The signs of shops below each other, as one picture."""
    height = 512 // len(_WORDS)
    board = Image.new("RGB", (512, 512))
    draw = ImageDraw.Draw(board)
    font = ImageFont.load_default(size=46)
    for row, word in enumerate(_WORDS):
        dark = generator.uniform(0.06, 0.34, 3)
        light = np.array([0.95, 0.92, 0.82]) * generator.uniform(0.85, 1.0)
        tones = [dark, light] if generator.random() < 0.7 else [light, dark]
        ground, ink = (tuple(int(255 * part) for part in tone) for tone in tones)
        draw.rectangle((0, row * height, 512, (row + 1) * height), fill=ground)
        draw.text((256, row * height + height // 2), word, fill=ink, font=font, anchor="mm")
    return np.asarray(board, dtype=np.uint8)


def _awning(made: Masonry, generator: np.random.Generator, span: tuple[float, float], high: float) -> None:
    """Striped cloth that slants over a shop's windows, above the heads of people."""
    out, low = float(generator.uniform(0.7, 1.1)), high - 0.35
    light = np.array([0.9, 0.88, 0.82])
    bright = generator.uniform((0.12, 0.1, 0.1), (0.6, 0.36, 0.32))[generator.permutation(3)]
    plain = bool(generator.random() < 0.35)
    stripes = np.linspace(*span, max(4, int((span[1] - span[0]) / 0.35)))
    for number, (a, b) in enumerate(itertools.pairwise(stripes.tolist())):
        tone = bright if number % 2 or plain else light
        made.face([[b, 0.02, high], [a, 0.02, high], [a, out, low], [b, out, low]][::-1], tone)
        made.face([[b, out, low - 0.2], [a, out, low - 0.2], [a, out, low], [b, out, low]], tone)
    for x in span:
        made.face([[x, 0.02, high], [x, out, low], [x, out, low - 0.2], [x, 0.02, high - 0.2]], bright)
