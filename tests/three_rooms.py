"""Three simulated rooms with short videos, which tests of everything that takes scenes ask about.

They are the first, second and eleventh that `tolman simulate --scenes 11 --seed 6 --furniture made --shapes
rectangle,l-shape,rectangle,two-rooms --seconds 8 --rate 15` makes, and can be asked about in all question types of
VSI-Bench.
"""

from __future__ import annotations

from pathlib import Path

ROOMS = Path(__file__).parent / "rooms"
