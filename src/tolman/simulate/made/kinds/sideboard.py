"""Sideboards: a low case with doors and drawers, wider than high."""

from __future__ import annotations

from tolman.simulate.made.kind import FurnitureKind, SizeClass
from tolman.simulate.made.kinds.cabinet import make

FURNITURE = FurnitureKind(
    name="sideboard",
    category="sideboard",
    habit="wall",
    sizes=(SizeClass((1.3, 0.43, 0.82), (0.22, 0.12, 0.1), name="low"),),
    make=make,
    source="no boxes of sideboards among the statistics; sizes of sideboards on sale",
)
