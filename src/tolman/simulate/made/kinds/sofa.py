"""Sofas: two to four seats, some with a chaise longue."""

from __future__ import annotations

from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.upholstery import seat_with_cushions


def make(draws: Draws) -> MadeParts:
    """As many seats as the width takes."""
    corner = draws.design == "corner"
    return seat_with_cushions(draws, max(2, round(draws.size[0] / draws.between(0.68, 0.85))), corner=corner)


FURNITURE = FurnitureKind(
    name="sofa",
    category="sofa",
    habit="wall",
    sizes=(
        SizeClass((2.0, 0.94, 0.82), (0.2, 0.09, 0.09), share=0.85),
        SizeClass((2.45, 1.5, 0.82), (0.12, 0.08, 0.08), name="corner", share=0.15),
    ),
    make=make,
    source="VSI-Bench boxes: 146 sofas, armchairs too, sorted sides 0.79, 0.98 and 1.82 m in the median",
    real="sofa",
    share=0.7,
)
