"""Lamps that stand on the floor."""

from __future__ import annotations

from dataclasses import replace

from tolman.simulate.made.kind import Draws, FurnitureKind, MadeParts, SizeClass
from tolman.simulate.made.kinds.lamp import lamp


def make(draws: Draws) -> MadeParts:
    """A shade on a stem or on three legs, at the height of a standing person."""
    return lamp(replace(draws, design="floor"))


FURNITURE = FurnitureKind(
    name="floor lamp",
    category="lamp",
    habit="floor",
    sizes=(SizeClass((0.38, 0.36, 1.52), (0.15, 0.15, 0.1), common=0.7),),
    make=make,
    source="VSI-Bench boxes: 26 lamps, the highest 1.7 m",
    real="lamp",
    share=0.25,
)
