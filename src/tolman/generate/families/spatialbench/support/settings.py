"""Thresholds that several of SpatialBench's families share. The paper has its questions written by people and prints
none of them.
"""

from __future__ import annotations

from tolman.generate.family import FamilySettings

MIN_SHOWN_SHARE = 0.004
"""Share of a picture that a thing takes up in some frame of the video, if these families are to ask about it: one must
have noticed a thing to reason about where it is."""


class WalkSettings(FamilySettings):
    """The thing that is met first on a straight way.

    Attributes:
        body: metres to each side that a person needs.
        spare: metres by which a person may be slimmer or wider without meeting anything else first.
        gap: metres by which the first obstacle comes before any other.
        least: metres that are free before the first obstacle.
        beyond: metres within which something must be met.
        low, high: metres above the ground; what lies lower is stepped over, what begins higher passed beneath.
    """

    body: float = 0.25
    spare: float = 0.12
    gap: float = 0.4
    least: float = 0.4
    beyond: float = 12.0
    low: float = 0.05
    high: float = 1.9
