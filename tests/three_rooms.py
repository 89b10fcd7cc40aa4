"""Three simulated rooms with short videos, which tests of everything that takes scenes ask about.

An earlier version of `tolman simulate` made them. They can be asked about in all question types of VSI-Bench.
"""

from __future__ import annotations

from pathlib import Path

ROOMS = Path(__file__).parent / "rooms"
