"""Pictures in frames, hung."""

from __future__ import annotations

import numpy as np

from tolman.simulate.made.forms import box
from tolman.simulate.made.joinery import split
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.mesh import Mesh, Texture

SIDE = 128


def make(draws: Draws) -> MadeParts:
    """One to three panels: a frame of four bars or a bare canvas, a mount, an image."""
    w, d, h = draws.size
    frame = draws.material("wood", "paint", "metal", "casing")
    panels = draws.count(2, 3) if w > 1.1 * h and draws.chance(0.35) else 1
    bare = draws.chance(0.25)
    rim = draws.between(0.012, 0.05) if not bare else 0.0
    mount = draws.between(0.02, 0.18) * min(w / panels, h) if not bare and draws.chance(0.6) else 0.0
    bodies: list[Mesh] = []
    for a, b in split(-w / 2, w / 2 + (0.03 if panels > 1 else 0.0), panels):
        x0, x1 = a, b - (0.03 if panels > 1 else 0.0)
        deep = d / 2 if bare else d / 2 - 0.3 * d
        if rim:
            bodies += frame.on(*(box((x0, -d / 2, z), (x1, d / 2, z + rim), 0.002) for z in (0.0, h - rim)))
            bodies += frame.on(
                *(box((x, -d / 2, rim), (x + rim, d / 2, h - rim), 0.002) for x in (x0, x1 - rim)), turn=1
            )
        if mount:
            bodies.append(box((x0 + rim, -d / 2, rim), (x1 - rim, deep, h - rim)).painted((0.93, 0.92, 0.9)))
        e = rim + mount
        canvas = box((x0 + e, -d / 2 + 0.001, e), (x1 - e, deep + (0.0008 if mount else 0.0), h - e))
        bodies.append(_covered(canvas, _image(draws), x1 - x0, h))
    return MadeParts(bodies)


def _covered(mesh: Mesh, image: Texture, w: float, h: float) -> Mesh:
    low, high = mesh.bounds
    covered = mesh.papered(image, 1.0)
    # Seen from before, -x is on the right.
    covered.uvs[:, 0] = (high[0] - covered.points[:, 0]) / (high[0] - low[0])
    covered.uvs[:, 1] = (covered.points[:, 2] - low[2]) / (high[2] - low[2])
    return covered


def _image(draws: Draws) -> Texture:
    """Hills, fields of colour, stripes, discs or blots."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    style = draws.pick("hills", "fields", "stripes", "discs", "cells")
    rng = draws.generator
    colours = rng.uniform(0.12, 0.95, (7, 3))
    picture = np.broadcast_to(colours[0], (SIDE, SIDE, 3)).copy()
    if style == "hills":
        sky = np.array([0.55, 0.7, 0.88]) * rng.uniform(0.7, 1.1)
        picture = sky * (0.75 + 0.25 * y[..., None]) + 0.1 * colours[1] * (1 - y[..., None])
        for i in range(draws.count(2, 4)):
            ridge = (
                0.35
                + 0.15 * i
                + 0.08 * np.sin(x * rng.uniform(3, 9) + rng.uniform(0, 6))
                + 0.04 * np.sin(x * rng.uniform(10, 20))
            )
            picture[y > ridge] = colours[2 + i % 4] * (0.5 + 0.1 * i)
    elif style == "fields":
        for i in range(draws.count(3, 6)):
            a, b = np.sort(rng.uniform(0, 1, (2, 2)), axis=0)
            picture[(x > a[0]) & (x < b[0]) & (y > a[1]) & (y < b[1])] = colours[1 + i % 6]
    elif style == "stripes":
        angle, count = rng.uniform(0, np.pi), draws.count(4, 14)
        band = ((x * np.cos(angle) + y * np.sin(angle)) * count).astype(int) % 5
        picture = colours[band]
    elif style == "discs":
        for i in range(draws.count(3, 9)):
            cx, cy, r = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.06, 0.28)
            picture[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = colours[1 + i % 6]
    else:
        spots = rng.uniform(0, 1, (draws.count(8, 20), 2))
        near = ((x[..., None] - spots[:, 0]) ** 2 + (y[..., None] - spots[:, 1]) ** 2).argmin(-1)
        picture = colours[near % 7]
    return np.asarray(np.clip(255 * picture, 0, 255), dtype=np.uint8)


FURNITURE = FurnitureKind(
    name="picture",
    category="picture",
    habit="hung",
    elevation=1.3,
    sizes=(
        SizeClass((0.72, 0.028, 0.54), (0.3, 0.2, 0.25), name="wide", share=0.6),
        SizeClass((0.48, 0.028, 0.66), (0.25, 0.2, 0.25), name="upright", share=0.4),
    ),
    make=make,
    source="no boxes of pictures among the statistics; 0.3–1.2 m as on sale",
)
