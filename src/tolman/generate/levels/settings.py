"""The thresholds of SpatialBench's families. The paper has its questions written by people and prints none of them."""

from __future__ import annotations

from tolman.generate.rules import Rules

SHOWN = 0.004
"""Share of a picture that a thing takes up in some frame of the video, if these families are to ask about it: one must
have noticed a thing to reason about where it is."""


class RelativeCountingSettings(Rules):
    """Relative counting.

    Attributes:
        ratio: how many times as many there are of the kind with more, when two counts are told apart.
        fewest: that there are of each kind.
    """

    ratio: float = 1.3
    fewest: int = 2


class PassingSettings(Rules):
    """Appearance order on a self-defined route.

    Attributes:
        shortest: metres of the route.
        gap: metres along the route between any two things' middles.
        aside: metres beside the route within which one is said to pass something.
    """

    shortest: float = 3.0
    gap: float = 1.0
    aside: float = 2.0


class MultiHopSettings(Rules):
    """Multi-hop reasoning.

    Attributes:
        gap: metres by which the nearest is nearer than any other, at either hop.
        ratio: the second nearest is at least so many times as far, at either hop.
        margin: degrees from the nearest boundary of a sector.
        apart: metres on the floor plan between the observer and what is faced or asked for.
    """

    gap: float = 0.4
    ratio: float = 1.3
    margin: float = 20.0
    apart: float = 0.8


class AffordanceSettings(Rules):
    """Affordance.

    Attributes:
        margin: degrees from the nearest boundary of a sector.
        apart: metres on the floor plan between any two of the three things.
        widths: centimetres; of robots that are to pass.
        spare: share by which a gap is wider than the right robot and narrower than the next.
        headroom: metres; what begins higher narrows no gap.
    """

    margin: float = 25.0
    apart: float = 0.8
    widths: tuple[int, ...] = (30, 60, 120, 240)
    spare: float = 0.2
    headroom: float = 1.9


class PoseSettings(Rules):
    """Landmark-constrained pose localisation.

    Attributes:
        half: degrees to each side of left, right and behind that count as it.
        margin: degrees by which the right place is inside, and every other one outside.
        apart: metres on the floor plan between a place and the landmarks seen from it.
    """

    half: float = 45.0
    margin: float = 20.0
    apart: float = 0.8


class CausalSettings(Rules):
    """Causal reasoning, and the last step of a command: what is met first on a straight way.

    Attributes:
        body: metres to each side that a person needs.
        spare: metres by which a person may be slimmer or wider without meeting anything else first.
        gap: metres by which the first obstacle comes before any other.
        least: metres that are free before the first obstacle.
        beyond: metres within which something must be met.
        low, high: metres above the ground; what lies lower is stepped over, what begins higher passed beneath.
        nearer: metres by which the nearest thing to a load is nearer than any other.
        carried: metres that a load is carried, at least.
    """

    body: float = 0.25
    spare: float = 0.12
    gap: float = 0.4
    least: float = 0.4
    beyond: float = 12.0
    low: float = 0.05
    high: float = 1.9
    nearer: float = 0.4
    carried: float = 1.0


class CommandSettings(CausalSettings):
    """Visual-based commands.

    Attributes:
        ahead: degrees to each side that count as ahead when a video ends.
        margin: degrees from the nearest boundary of left, right, ahead and behind.
        apart: metres on the floor plan between the camera, or a turn, and a thing.
    """

    ahead: float = 45.0
    margin: float = 25.0
    apart: float = 0.8


class FillInSettings(CausalSettings):
    """Route plan with two gaps.

    Attributes:
        flattest, sharpest: degrees of a turn.
        clearance: metres on each side of a way that are free.
        shortest: metres of a way.
    """

    flattest: float = 30.0
    sharpest: float = 135.0
    clearance: float = 0.2
    shortest: float = 0.8
