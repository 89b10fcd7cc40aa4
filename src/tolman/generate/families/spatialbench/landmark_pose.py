"""Landmark-constrained pose localisation: at which place does one see two landmarks as told? (SpatialBench, level 3.)

Rule: a robot stands at one of four unique things, its middle where that thing's middle is on the floor plan, and has
one landmark straight ahead and another one on its left, on its right or behind it (within `half` degrees of it). At
the right place the second landmark is `margin` degrees inside that range, at each of the other three it is as far
outside.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.families.spatialbench.support.ground import apart, bearing
from tolman.generate.families.spatialbench.support.settings import MIN_SHOWN_SHARE
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


class PoseSettings(FamilySettings):
    """Landmark-constrained pose localisation.

    Attributes:
        half: degrees to each side of left, right and behind that count as it.
        margin: degrees by which the right place is inside, and every other one outside.
        apart: metres on the floor plan between a place and the landmarks seen from it.
    """

    half: float = 45.0
    margin: float = 20.0
    apart: float = 0.8


TASK = "landmark-constrained_pose_localization"
SIDES = {"on its left": 90.0, "on its right": -90.0, "behind it": 180.0}
_PATTERN = re.compile(
    r"\AIf a robot has the (.+?) straight ahead and the (.+?) (on its left|on its right|behind it), "
    r"where is it most likely to be\?\Z"
)
_PLACE = "At the "
_MAX_PER_PAIR = 1
"""Questions about a pair of landmarks."""
_MAX_PAIRS = 16
"""Pairs that are asked about in a scene."""


def off(geometry: SceneGeometry, place: str, ahead: str, other: str, side: str) -> float:
    """Degrees by which the second landmark is away from the middle of a side."""
    angle = bearing(geometry.center(place), geometry.center(ahead), geometry.center(other))
    return abs((angle - SIDES[side] + 180.0) % 360.0 - 180.0)


def violations(
    geometry: SceneGeometry, places: Sequence[str], ahead: str, other: str, settings: PoseSettings
) -> list[str]:
    """The rules about distances that a question breaks."""
    seen = [geometry.center(ahead), geometry.center(other)]
    near = min(apart(geometry.center(place), landmark) for place in places for landmark in seen) < settings.apart
    return [f"a landmark within {settings.apart} m of a place"] if near else []


def draft(geometry: SceneGeometry, settings: PoseSettings) -> Iterator[Draft | Rejected]:
    """For some pairs of landmarks and every side, four places of which one fits."""
    scene = geometry.scene
    generator = random.Random(f"{scene.id}:{TASK}")
    pairs = list(itertools.permutations(geometry.unique, 2))
    asked = 0
    for ahead, other in generator.sample(pairs, len(pairs)):
        if asked >= _MAX_PAIRS:
            return
        side = generator.choice(sorted(SIDES))
        usable = [
            name
            for name in geometry.unique
            if name not in (ahead, other) and not violations(geometry, [name], ahead, other, settings)
        ]
        away = {name: off(geometry, name, ahead, other, side) for name in usable}
        fitting = [name for name in usable if away[name] <= settings.half - settings.margin]
        wrong = [name for name in usable if away[name] >= settings.half + settings.margin]
        if not fitting or len(wrong) < 3:
            yield Rejected(TASK, scene.id, f"no place fits, or fewer than three are {settings.margin}° outside")
            continue
        asked += 1
        for answer in generator.sample(fitting, min(_MAX_PER_PAIR, len(fitting))):
            places = (answer, *generator.sample(wrong, 3))
            question = (
                f"If a robot has the {ahead} straight ahead and the {other} {side}, where is it most likely to be?"
            )
            options = tuple(_PLACE + name for name in places)
            evidence = {
                "off": {name: away[name] for name in places},
                "margin": min(abs(away[name] - settings.half) for name in places),
            }
            shows = needed(geometry, every(geometry, ahead, other, *places))
            yield Draft(TASK, scene.id, question, options[0], None, options, evidence, needs=shows)


def recompute(geometry: SceneGeometry, item: Item, settings: PoseSettings, *, released: bool = True) -> Recomputed:
    """The place at which the second landmark is nearest to the middle of its side."""
    match = _PATTERN.match(item.question)
    if match is None or not all(text.startswith(_PLACE) for text in item.options):
        raise ValueError("is no question for a place with two landmarks")
    ahead, other = geometry.category(match[1]), geometry.category(match[2])
    places = {text: geometry.category(text.removeprefix(_PLACE)) for text in item.options}
    away = {text: off(geometry, name, ahead, other, match[3]) for text, name in places.items()}
    answer = min(away, key=away.__getitem__)
    margins = [settings.half - away[answer], *(d - settings.half for text, d in away.items() if text != answer)]
    broken = violations(geometry, list(places.values()), ahead, other, settings)
    broken += [f"within {settings.margin}° of another answer"] if min(margins) < settings.margin else []
    return Recomputed(answer, answer, min(margins), tuple(broken), {"off": away})


FAMILY = Family(
    name="spatialbench/landmark-pose",
    title="The place from which two landmarks are seen as told",
    tasks=(TASK,),
    settings=PoseSettings(),
    taxonomy=TaxonomyPlace(
        mmsi="Positional Relationship (Cam.–Obj.)",
        site="object localization & positioning",
        spatialbench=TASK,
        factor="orientation",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
    min_shown=MIN_SHOWN_SHARE,
)
