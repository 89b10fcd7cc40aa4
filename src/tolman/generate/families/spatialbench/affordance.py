"""Affordance: possible uses of things and gaps. (SpatialBench, level 3.)

Rule for things: `PURPOSES` gives the purposes of each category. The question names a purpose for which the scene holds
exactly one thing, no last resort (`LAST_RESORTS`), and asks where it is for someone at a landmark who faces another;
the answer is `margin` degrees inside its quadrant. Which thing is meant must be found out: it is never named.

Rule for gaps: two unique things are on the ground, and nothing and no wall reaches into the space between them (the
convex hull of both footprints without them). The gap is the distance of their footprints. The right robot is the widest
of `widths` that fits; the gap exceeds it by the share `spare`, and falls short of the next by as much.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tolman.extras import shapely
from tolman.generate.answer_evidence import every, needed
from tolman.generate.families.spatialbench.support.ground import STANDING_BELOW, quadrant_of, walk_family
from tolman.generate.family import Draft, FamilySettings, Recomputed, Rejected
from tolman.generate.share_sampling import draws_of, exchanged
from tolman.geometry.ground_plane import QUADRANTS
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry


class AffordanceSettings(FamilySettings):
    """Affordance.

    Attributes:
        margin: degrees from the nearest boundary of a sector.
        apart: metres on the floor plan between any two of the three things.
        widths: centimetres; of robots that are to pass.
        spare: share by which a gap is wider than the right robot and narrower than the next.
        headroom: metres; things that begin higher narrow no gap.
    """

    margin: float = 25.0
    apart: float = 0.8
    widths: tuple[int, ...] = (30, 60, 120, 240)
    spare: float = 0.2
    headroom: float = 1.9


TASK = "affordance"
PURPOSES: dict[str, frozenset[str]] = {
    "sit down": frozenset(
        {"chair", "sofa", "armchair", "stool", "bench", "piano bench", "office chair", "couch", "picnic table"}
        | {"bed", "toilet", "car", "van", "bicycle", "rocking horse", "bus stop"}
    ),
    "lie down to sleep": frozenset({"bed", "sofa", "couch", "crib", "mattress", "bench"}),
    "throw something away": frozenset({"trash can", "trash bin", "dustbin"}),
    "wash your hands": frozenset({"sink", "bathtub", "bidet", "washbasin", "shower"}),
    "keep food cold": frozenset({"refrigerator"}),
    "put out a small fire by hand": frozenset({"fire extinguisher"}),
    "connect a hose of the fire brigade": frozenset({"fire hydrant"}),
    "write something down for everybody to see": frozenset({"whiteboard", "blackboard"}),
    "make music": frozenset({"piano", "guitar", "violin"}),
    "put your clothes away on hangers": frozenset({"wardrobe", "coat rack", "closet", "coat hanger"}),
    "leave the room": frozenset({"door"}),
    "make coffee": frozenset({"coffee maker"}),
    "post a letter": frozenset({"mailbox"}),
    "pay for parking": frozenset({"parking meter"}),
    "wait for a bus": frozenset({"bus stop"}),
    "travel without an engine": frozenset({"bicycle", "skateboard"}),
    "carry a whole family's luggage to another town": frozenset({"van", "car"}),
}
"""Categories that serve each purpose. One that a category might serve in an emergency counts too: where in doubt, a
category is listed, and a purpose with two candidates in a scene isn't asked for."""
LAST_RESORTS: dict[str, frozenset[str]] = {
    "sit down": frozenset({"bed", "toilet", "car", "van", "bicycle", "rocking horse", "bus stop"}),
    "lie down to sleep": frozenset({"bench"}),
    "wash your hands": frozenset({"bathtub", "bidet", "shower"}),
}
"""Categories that serve a purpose only where nothing else does: one is never what is asked for, though it makes
doubtful what is."""
_USE = re.compile(r"\AYou stand at the (.+?), face the (.+?), and want to (.+)\. In which direction do you go\?\Z")
_USE_BEFORE = re.compile(
    r"\AIf you stand at the (.+?) and face the (.+?), in which direction is the object that lets you (.+)\?\Z"
)
"""The question of earlier versions."""
_GAP = re.compile(
    r"\AA robot is to pass through the gap between the (.+?) and the (.+)\. "
    r"Which is the widest that fits\?\Z"
)
ONLY_LAST_RESORT = "what serves the purpose is a last resort"
_MAX_PER_PURPOSE = 3
"""Questions for each purpose."""


def serving(geometry: SceneGeometry, purpose: str) -> list[str]:
    """The categories of a scene that serve for a purpose."""
    return [name for name in geometry.categories if name in PURPOSES[purpose]]


def gap_between(geometry: SceneGeometry, a: str, b: str, settings: AffordanceSettings) -> tuple[float, list[str]]:
    """Centimetres between two unique things' footprints, and the rules that asking for it would break."""
    (i,), (j,) = geometry.members[a], geometry.members[b]
    outlines = geometry.footprints
    width = 100 * float(outlines[i].distance(outlines[j]))
    broken = []
    if max(geometry.heights[i, 0], geometry.heights[j, 0]) > STANDING_BELOW:
        broken.append("not both stand on the ground")
    hull: BaseGeometry = shapely.convex_hull(shapely.union_all([outlines[i], outlines[j]]))
    hull = hull.difference(shapely.union_all([outlines[i], outlines[j]])).buffer(-0.01)
    for number, (outline, (low, high)) in enumerate(zip(outlines, geometry.heights, strict=True)):
        moving = bool(geometry.scene.objects[number].track)
        if number not in (i, j) and (moving or (low < settings.headroom and high > 0.05)) and outline.intersects(hull):
            broken.append("something is in the gap")
            break
    rings = geometry.scene.floor
    if rings and not shapely.Polygon(rings[0], rings[1:]).buffer(0.01).covers(hull):
        broken.append("a wall is in the gap")
    return width, broken


def widest(width: float, settings: AffordanceSettings) -> tuple[int | None, float]:
    """The widest robot, centimetres, that fits a gap; and the least share by which that is clear."""
    fitting = [robot for robot in settings.widths if robot <= width]
    if not fitting:
        return None, 0.0
    larger = [robot for robot in settings.widths if robot > width]
    spare = width / fitting[-1] - 1
    return fitting[-1], min(spare, larger[0] / width - 1) if larger else spare


def draft(geometry: SceneGeometry, settings: AffordanceSettings) -> Iterator[Draft | Rejected]:
    """Questions for every purpose that one thing serves, and for every free gap."""
    generator = draws_of(geometry.scene, TASK)
    for purpose in PURPOSES:
        yield from _uses(geometry, purpose, generator, settings)
    for a, b in itertools.combinations(geometry.unique, 2):
        yield _gap(geometry, a, b, settings)


def _uses(
    geometry: SceneGeometry, purpose: str, generator: random.Random, settings: AffordanceSettings
) -> Iterator[Draft | Rejected]:
    scene = geometry.scene
    found = serving(geometry, purpose)
    if len(found) != 1 or found[0] not in geometry.unique:
        if found:
            yield Rejected(TASK, scene.id, "several things serve the purpose, or it isn't all seen")
        return
    if found[0] in LAST_RESORTS.get(purpose, ()):
        yield Rejected(TASK, scene.id, ONLY_LAST_RESORT)
        return
    pairs = [pair for pair in itertools.permutations(geometry.unique, 2) if found[0] not in pair]
    own = set(exchanged(scene, geometry.unique))
    if own:  # No other question has another answer in another twin.
        pairs = [pair for pair in pairs if len(own.intersection((*pair, found[0]))) == 1]
    made: dict[str, int] = {}
    for here, facing in generator.sample(pairs, len(pairs)):
        answer, margin, least = _direction(geometry, here, facing, found[0])
        if margin < settings.margin or least < settings.apart:
            yield Rejected(TASK, scene.id, f"within {settings.margin}° of a boundary, or too near")
        elif own or made.get(answer, 0) < _MAX_PER_PURPOSE:
            made[answer] = made.get(answer, 0) + 1
            question = (
                f"You stand at the {here}, face the {facing}, and want to {purpose}. In which direction do you go?"
            )
            options = (answer, *(name for _, _, name in QUADRANTS if name != answer))
            evidence = {"object": found[0], "margin": margin}
            cues = (("", here, facing, purpose, f"{here}/{facing}", f"{facing}/{purpose}"),)
            shows = needed(geometry, every(geometry, here, facing, found[0]))
            yield Draft(
                TASK,
                scene.id,
                question,
                answer,
                None,
                options,
                evidence,
                closed=True,
                kind="use",
                single_view_cues=cues,
                needs=shows,
            )


def _direction(geometry: SceneGeometry, here: str, facing: str, there: str) -> tuple[str, float, float]:
    return quadrant_of(geometry.center(here), geometry.center(facing), geometry.center(there))


def _gap(geometry: SceneGeometry, a: str, b: str, settings: AffordanceSettings) -> Draft | Rejected:
    scene = geometry.scene
    width, broken = gap_between(geometry, a, b, settings)
    robot, spare = widest(width, settings)
    if robot is None:
        broken.append("no robot fits")
    elif spare < settings.spare:
        broken.append(f"within {settings.spare:.0%} of another answer")
    if broken:
        return Rejected(TASK, scene.id, broken[0])
    question = f"A robot is to pass through the gap between the {a} and the {b}. Which is the widest that fits?"
    answer = f"{robot} cm"
    options = (answer, *(f"{other} cm" for other in settings.widths if other != robot))
    evidence = {"gap_cm": width, "spare": spare}
    return Draft(
        TASK,
        scene.id,
        question,
        answer,
        None,
        options,
        evidence,
        closed=True,
        kind="gap",
        single_view_cues=(("", a, b),),
        needs=needed(geometry, every(geometry, a, b)),
    )


def recompute(
    geometry: SceneGeometry, item: Item, settings: AffordanceSettings, *, released: bool = True
) -> Recomputed:
    """Return the direction of the thing that serves the purpose, or the widest robot."""
    use = _USE.match(item.question) or _USE_BEFORE.match(item.question)
    gap = _GAP.match(item.question)
    if use and use[3] in PURPOSES:
        found = serving(geometry, use[3])
        if not found:
            raise KeyError(f"something to {use[3]}")
        answer, margin, least = _direction(geometry, geometry.category(use[1]), geometry.category(use[2]), found[0])
        broken = ["several things serve the purpose"] if len(found) > 1 else []
        if found[0] in LAST_RESORTS.get(use[3], ()):
            broken.append(ONLY_LAST_RESORT)
        if margin < settings.margin or least < settings.apart:
            broken.append("a doubtful direction")
        return Recomputed(answer, answer, margin, tuple(broken), {"object": found[0]})
    if gap is None:
        raise ValueError("is no question for what something can be used for")
    width, broken = gap_between(geometry, geometry.category(gap[1]), geometry.category(gap[2]), settings)
    robot, spare = widest(width, settings)
    if robot is None or spare < settings.spare:
        broken.append("a doubtful width")
    answer = f"{robot} cm"
    return Recomputed(answer, answer, spare, tuple(broken), {"gap_cm": width})


FAMILY = walk_family(
    "spatialbench/affordance",
    "Use of things and of gaps",
    TASK,
    AffordanceSettings(),
    draft,
    recompute,
    _USE,
    _USE_BEFORE,
    _GAP,
)
