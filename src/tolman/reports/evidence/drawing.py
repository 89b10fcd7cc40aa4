"""An item's evidence as marks on the floor plan of its scene: the one place that decides what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tolman.errors import TolmanError
from tolman.generate.geometry import SceneGeometry
from tolman.generate.registry import family_of
from tolman.items import Item
from tolman.reports.evidence import directed, measured
from tolman.reports.evidence.asked import Asked
from tolman.reports.evidence.marks import Mark, objects

Draw = Callable[[Asked], list[Mark]]

BY_EVIDENCE: tuple[tuple[frozenset[str], Draw], ...] = (
    (frozenset({"origin", "target", "angle"}), directed.bearing),
    (frozenset({"shots", "ahead", "left", "turn"}), directed.camera_motion),
    (frozenset({"shots", "facing", "distance"}), directed.motion),
    (frozenset({"shots", "clue", "seconds"}), directed.motion),
    (frozenset({"shots", "clues", "seconds"}), directed.motion),
    (frozenset({"shots", "bend"}), directed.bend),
    (frozenset({"first", "second"}), measured.hops),
    (frozenset({"object", "margin"}), directed.direction_to_object),
    (frozenset({"gap_cm"}), measured.gap),
    (frozenset({"distances"}), measured.distances),
    (frozenset({"distance"}), measured.distance),
    (frozenset({"extents"}), measured.size),
    (frozenset({"area"}), measured.area),
    (frozenset({"first_seen"}), measured.first_sights),
    (frozenset({"stops"}), directed.route),
    (frozenset({"along", "beside"}), directed.passed),
    (frozenset({"off"}), directed.pose),
    (frozenset({"metres"}), directed.met),
    (frozenset({"angle"}), directed.direction),
    (frozenset({"count"}), measured.counted),
    (frozenset({"counts"}), measured.counted),
)
"""What is drawn of evidence that has these keys; the first that fits."""

WITHOUT_EVIDENCE: Mapping[str, Draw] = {
    "vsi-bench/counting": measured.counted,
    "vsi-bench/object-size": measured.size,
    "vsi-bench/room-size": measured.area,
    "vsi-bench/absolute-distance": measured.distance,
    "vsi-bench/relative-distance": measured.distances,
    "vsi-bench/relative-direction": directed.direction,
    "spatialbench/absolute-distance": measured.distance,
    "spatialbench/relative-distance": measured.distances,
    "spatialbench/relative-direction": directed.direction,
    "spatialbench/commands": directed.last_look,
}
"""What is drawn of families whose questions name all that there is to draw, as released ones, which store nothing."""


class DrawnEvidence(NamedTuple):
    """Evidence on a plan.

    Attributes:
        marks: what is drawn; see `marks`.
        undrawn: a sentence where nothing but the things' outlines could be drawn; else empty.
    """

    marks: list[Mark]
    undrawn: str = ""


def evidence_on_plan(item: Item, geometry: SceneGeometry) -> DrawnEvidence:
    """What is drawn on the plan of an item's scene.

    Args:
        item: the question, whose evidence may come from anywhere.
        geometry: its scene.
    """
    asked = Asked(item, geometry)
    marks: list[Mark] = []
    try:
        marks += [objects(name, asked.meant(category)) for name, category in asked.things.items()]
        draw = _rule_for(item)
        further = draw(asked) if draw is not None else []
        marks += [*further, *directed.views(asked)]
    # Stored evidence may be of another scene or of any shape: whatever is wrong with it, the plan is still shown.
    except (TolmanError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, StopIteration) as error:
        return DrawnEvidence(
            marks, f"The evidence isn't drawn: it doesn't fit the scene ({type(error).__name__}: {error})."
        )
    return DrawnEvidence(marks, "" if further else _why_nothing(item))


def _rule_for(item: Item) -> Draw | None:
    keys = set(item.evidence)
    found = next((draw for needed, draw in BY_EVIDENCE if needed <= keys), None)
    if found is not None:
        return found
    family = family_of(item)
    return WITHOUT_EVIDENCE.get(family.name) if family is not None else None


def _why_nothing(item: Item) -> str:
    family = family_of(item)
    if family is None:
        return "The evidence isn't drawn: no question family that is installed knows this question."
    stored = ", ".join(key for key in item.evidence if key not in ("choices", "needed_frames", "key_frames"))
    return f"The evidence isn't drawn: {family.name} stores {stored or 'none'}, which has no place on a plan."
