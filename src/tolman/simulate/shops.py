"""Shops on the ground floors of houses: windows, doors, signs, awnings."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.masonry import REVEAL, Masonry, WallOpening, pane
from tolman.simulate.mesh import Texture, flat_shaded
from tolman.simulate.openings import GLASS_SHINE

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
    from PIL import Image, ImageDraw, ImageFont

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
