"""Object–region: by the compass, where is an object from the middle of a region? (MMSI-Bench, Table 1.)

North is given by an object of the picture that shows the region.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.bearing import COMPASS, Bearing, object_spot, region_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.regions import RegionView, regions_of
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Obj.–Reg.)"
QUESTION = (
    "Suppose that the {north} is exactly to the north of the middle of the {region}. "
    "In which direction from the middle of the {region} is the {target}?"
)
_PATTERN = re.compile(
    r"Suppose that the (.+) is exactly to the north of the middle of the (.+)\. In which direction .+ is the (.+)\?"
)


def _bearing(gallery: Gallery, pictures: tuple[View, ...], region: RegionView, north: int, target: int) -> Bearing:
    here, there, ahead = region_spot(region), object_spot(gallery, target), object_spot(gallery, north)
    return Bearing(pictures, here, there, ahead, names=COMPASS)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for region in regions_of(gallery).values():
        if not region.clear(gallery, a, (a, b)):
            continue
        for target in gallery.only_in(b, (a, b)):
            for north in gallery.named(a, (a, b)):
                if not ({target, north} & set(region.members) or (region.seen(b) and b.sees((north,)))):
                    yield _candidate(gallery, (a, b), region, north, target)


def _candidate(
    gallery: Gallery, pictures: tuple[View, View], region: RegionView, north: int, target: int
) -> DirectionCandidate:
    near, far = gallery.category(north), gallery.category(target)
    bearing = _bearing(gallery, pictures, region, north, target)

    def steps() -> Iterator[ReasoningStep]:
        anchor = region.anchor(gallery, pictures[0])
        yield grounded(gallery, anchor, pictures[0], 0)
        yield ReasoningStep("grounding", f"The {gallery.category(anchor)} marks the {region.name}.")
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing in the middle of the {region.name} and looking north to the {near}"
        yield ReasoningStep("transformation", f"{looking}, the {far} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(north=near, region=region.name, target=far), steps)


def _read(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    north, target = (gallery.find(match[i], pictures) for i in (1, 3))
    return _bearing(gallery, pictures, regions_of(gallery)[match[2]], north, target)


FAMILY = direction_family(
    name="mmsi-bench/object-region",
    title="An object by the compass, from a region",
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
)
