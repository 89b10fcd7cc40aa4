"""Plants that stand on the floor."""

from __future__ import annotations

from tolman.simulate.made.kind import FurnitureKind, SizeClass
from tolman.simulate.made.kinds.plant import make

FURNITURE = FurnitureKind(
    name="floor plant",
    category="plant",
    habit="floor",
    sizes=(SizeClass((0.62, 0.50, 1.05), (0.25, 0.25, 0.22), common=0.7),),
    make=make,
    source="VSI-Bench boxes: 29 plants, the highest 1.4 m",
    real="plant",
    share=0.15,
)
