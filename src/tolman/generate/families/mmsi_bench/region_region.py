"""Region–region: by the compass, where is a region of one picture from one of the other? (MMSI-Bench, Table 1.)

North is where the first picture looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep, Rejected
from tolman.generate.families.mmsi_bench.support.bearing import COMPASS, Bearing, camera_spot, region_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.regions import RegionView, regions_of
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Reg.–Reg.)"
QUESTION = (
    "The camera looked exactly north when it took the {which} image. In which direction from the middle of the "
    "{origin} is the middle of the {target}?"
)
_PATTERN = re.compile(
    r"took the (first|second) image\. In which direction from the middle of the (.+) is the middle of the (.+)\?"
)


def _bearing(pictures: tuple[View, ...], looking: int, origin: RegionView, target: RegionView) -> Bearing:
    here, there = region_spot(origin), region_spot(target)
    return Bearing(pictures, here, there, camera_spot(pictures, looking), names=COMPASS)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate | Rejected]:
    found = regions_of(gallery)
    for origin in found.values():
        if not origin.clear(gallery, a, (a, b)):
            continue
        for target in found.values():
            if set(origin.members) & set(target.members) or target.seen(a):
                continue
            if not target.clear(gallery, b, (a, b)):
                continue
            yield _candidate(gallery, (a, b), 0, origin, target)
            # The other way round north is where the picture of the target looks.
            if origin.seen(b):
                yield Rejected(TASK, gallery.scene.id, "the first image shows both regions")
            else:
                yield _candidate(gallery, (b, a), 1, origin, target)


def _candidate(
    gallery: Gallery, pictures: tuple[View, View], near: int, origin: RegionView, target: RegionView
) -> DirectionCandidate:
    """North is where the first picture looks; `near` is the one that shows the origin."""
    bearing = _bearing(pictures, 0, origin, target)

    def steps() -> Iterator[ReasoningStep]:
        here, there = origin.anchor(gallery, pictures[near]), target.anchor(gallery, pictures[1 - near])
        yield grounded(gallery, here, pictures[near], near)
        yield grounded(gallery, there, pictures[1 - near], 1 - near)
        marks = f"The {gallery.category(here)} marks the {origin.name} and the {gallery.category(there)} the"
        yield ReasoningStep("grounding", f"{marks} {target.name}.")
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing in the middle of the {origin.name} and looking north as the first image does"
        yield ReasoningStep("transformation", f"{looking}, the {target.name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(which="first", origin=origin.name, target=target.name), steps)


def _read(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    found = regions_of(gallery)
    return _bearing(pictures, int(match[1] == "second"), found[match[2]], found[match[3]])


FAMILY = direction_family(
    name="mmsi-bench/region-region",
    title="A region by the compass, from a region of the other picture",
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
