"""Mirrors, hung: rectangular, round or arched. What they show is a reflection, where the renderer draws one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from tolman.simulate.made.forms import prism
from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.materials import MIRROR
from tolman.simulate.made.outlines import ellipse, rounded_rectangle
from tolman.simulate.mesh import Mesh

if TYPE_CHECKING:
    from shapely import Polygon


def make(draws: Draws) -> MadeParts:
    """A pane in a frame of its own outline, or without one; a ledge below some."""
    import shapely

    w, d, h = draws.size
    frame = draws.material("wood", "metal", "metal", "paint")
    ledge = draws.chance(0.2)
    base = 0.02 if ledge else 0.0
    style = draws.pick("rectangle", "rectangle", "round", "arch", "oval")
    middle = (0.0, (h + base) / 2)
    if style in ("round", "oval"):
        outline = shapely.Polygon(ellipse(middle, (w / 2, (h - base) / 2), 48))
    elif style == "arch":
        rise = min(w / 2, 0.5 * h)
        t = np.linspace(0, np.pi, 21)
        curve = [(w / 2 * float(np.cos(a)), h - rise + rise * float(np.sin(a))) for a in t]
        outline = shapely.Polygon([(-w / 2, base), (w / 2, base), *curve])
    else:
        outline = shapely.Polygon(rounded_rectangle((-w / 2, base), (w / 2, h), draws.between(0.002, 0.15 * min(w, h))))
    rim = draws.between(0.012, 0.07) if draws.chance(0.85) else 0.004
    inner = shapely.simplify(outline.buffer(-rim, join_style="mitre"), 1e-4)
    thick = d * (0.35 if ledge else 1.0)
    face = -d / 2 + thick
    bodies: list[Mesh] = [*frame.on(prism(cast("Polygon", outline.difference(inner)), -d / 2, face, along=1))]
    pane = shapely.simplify(inner.buffer(0.001, join_style="mitre"), 1e-4)
    bodies.append(prism(pane, -d / 2 + 0.001, -d / 2 + 0.6 * thick, along=1).painted(MIRROR).mirrored())
    if ledge:
        bodies += frame.on(prism([(-w / 2, 0.0), (w / 2, 0.0), (w / 2, base), (-w / 2, base)], -d / 2, d / 2, along=1))
    return MadeParts(bodies)


FURNITURE = FurnitureKind(
    name="mirror",
    category="mirror",
    habit="hung",
    elevation=0.9,
    sizes=(SizeClass((0.60, 0.105, 0.99), (0.3, 0.3, 0.28), common=0.4),),
    make=make,
    source="VSI-Bench boxes: 23 mirrors, sorted sides 0.12, 0.59 and 0.99 m in the median",
    real="mirror",
)
