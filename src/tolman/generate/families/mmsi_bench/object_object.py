"""Object–object: by the compass, where is an object of one picture from one of the other? (MMSI-Bench, Table 1.)

North is given by two objects of the first picture, not both of which the second one sees.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.bearing import COMPASS, Bearing, object_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Obj.–Obj.)"
QUESTION = (
    "Suppose that, seen from the {origin}, the {north} is exactly to the north. "
    "In which direction from the {origin} is the {target}?"
)
_PATTERN = re.compile(
    r"seen from the (.+), the (.+) is exactly to the north\. In which direction from the .+ is the (.+)\?"
)


def _bearing(gallery: Gallery, pictures: tuple[View, ...], origin: int, north: int, target: int) -> Bearing:
    here, there, ahead = (object_spot(gallery, number) for number in (origin, target, north))
    return Bearing(pictures, here, there, ahead, names=COMPASS)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    known = gallery.named(a, (a, b))
    for target in gallery.only_in(b, (a, b)):
        for origin, north in itertools.permutations(known, 2):
            if not (b.sees((origin,)) and b.sees((north,))):
                yield _candidate(gallery, (a, b), origin, north, target)


def _candidate(
    gallery: Gallery, pictures: tuple[View, View], origin: int, north: int, target: int
) -> DirectionCandidate:
    names = [gallery.category(i) for i in (origin, north, target)]
    bearing = _bearing(gallery, pictures, origin, north, target)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, origin, pictures[0], 0)
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing at the {names[0]} and looking north to the {names[1]}"
        yield ReasoningStep("transformation", f"{looking}, the {names[2]} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(origin=names[0], north=names[1], target=names[2]), steps)


def _read(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    origin, north, target = (gallery.find(match[i], pictures) for i in (1, 2, 3))
    return _bearing(gallery, pictures, origin, north, target)


FAMILY = direction_family(
    name="mmsi-bench/object-object",
    title="An object of one picture by the compass, from one of the other",
    task=TASK,
    taxonomy=TaxonomyPlace(
        vsi="object_rel_direction",
        mmsi=TASK,
        site="spatial relationship reasoning",
        spatialbench="relative_direction",
        factor="orientation",
    ),
    candidates=_candidates,
    pattern=_PATTERN,
    bearing_of=_read,
    names=(_PATTERN,),
)
