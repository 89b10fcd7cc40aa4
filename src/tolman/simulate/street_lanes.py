"""The ways of traffic on streets and parking lots."""

from __future__ import annotations

from tolman.simulate.lanes import Lane, rounded
from tolman.simulate.street_ground import BIKE_LANE, CAR_LANE, CORNER, GROUNDS, Kind


def street_lanes(kind: Kind, length: float) -> tuple[Lane, ...]:
    """Rounds: along the street or across the lot, and back out of sight, behind the houses."""
    out = CORNER[kind] + 2.0
    if kind == "street":
        edge = GROUNDS["street"].rows[0][1]
        near, far = edge + BIKE_LANE + CAR_LANE / 2, edge + BIKE_LANE + 1.5 * CAR_LANE

        def around(aside: float) -> list[tuple[float, float]]:
            # Counter-clockwise in plan; `aside` is to the right of those who drive.
            y0, y1 = near - aside, far + aside
            inner, outer = out + 1.75 - aside, out + 5.25 + aside
            back = -18.0 - aside
            return [
                (-inner, y0),
                (length + inner, y0),
                (length + inner, back),
                (length + outer, back),
                (length + outer, y1),
                (-outer, y1),
                (-outer, back),
                (-inner, back),
            ]

        cycle = CAR_LANE / 2 + BIKE_LANE / 2
        return (
            Lane("car", rounded(around(0.0), 3.6), GROUNDS["street"].base, (4.0, 8.0)),
            Lane("bicycle", rounded(around(cycle), 2.4), GROUNDS["street"].base, (3.0, 5.0)),
        )
    rows = GROUNDS["parking-lot"].rows
    low, high = rows[0][1], rows[1][0]

    def loop(y: float, aside: float) -> list[tuple[float, float]]:
        return [
            (-out - 2.5 + aside, y),
            (length + out + 2.5 - aside, y),
            (length + out + 2.5 - aside, -14.0 + aside),
            (-out - 2.5 + aside, -14.0 + aside),
        ]

    return (
        Lane("car", rounded(loop((low + high) / 2 + 0.6, 0.0), 4.0), 0.0, (3.0, 5.0)),
        Lane("bicycle", rounded(loop(low + 0.95, 1.7), 2.0), 0.0, (3.0, 4.5)),
    )
