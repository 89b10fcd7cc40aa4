"""The ground of streets and parking lots: its strips, steps and lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["street", "parking-lot"]
KINDS: tuple[Kind, ...] = ("street", "parking-lot")
STEP = 0.12
"""Metres by which a street lies below its pavement."""
KERB = 0.15
ISLAND = 0.056
"""Height of the planted islands on a parking lot, metres."""


@dataclass(frozen=True)
class GroundStrips:
    """Strips of ground along x, each from its first to its second y, in metres. Houses stand at y < 0.

    Attributes:
        pavement: along the houses.
        verge: grass.
        rows: where vehicles stand.
        slot: metres along x for each vehicle.
        base: height of the rows.
        floor: up to which y the scene reaches.
        walked: up to which y people walk.
    """

    pavement: tuple[float, float]
    verge: tuple[float, float]
    rows: tuple[tuple[float, float], ...]
    slot: float
    base: float
    floor: float
    walked: float


GROUNDS: dict[Kind, GroundStrips] = {
    "street": GroundStrips((0.0, 2.5), (2.5, 5.2), ((5.35, 7.6),), 5.6, -STEP, 7.6, 5.2),
    "parking-lot": GroundStrips((0.0, 2.8), (19.05, 20.3), ((2.95, 8.0), (14.0, 19.05)), 2.65, 0.0, 20.3, 19.05),
}
EDGING: dict[Kind, tuple[float, float]] = {"street": (-0.05, 0.05), "parking-lot": (0.0, KERB)}
"""From where to where the stones along a pavement reach, metres from its edge."""
BIKE_LANE, CAR_LANE = 1.3, 3.0
"""Widths of a street's lanes, metres: a bicycle lane, two lanes for cars, a bicycle lane."""
ROAD = 2 * (BIKE_LANE + CAR_LANE)
"""Metres from the parked vehicles to the other side of a street."""
CORNER: dict[Kind, float] = {"street": 33.0, "parking-lot": 12.0}
"""Metres from the ends of a place to the corners of its houses, behind which roads lead away."""
SIDE_ROAD = 7.0
