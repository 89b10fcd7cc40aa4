"""Camera–region: where was a region that only the other picture shows, relative to a camera? (MMSI-Bench, Table 1.)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.bearing import Bearing, camera_spot, region_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.names import ordinal
from tolman.generate.families.mmsi_bench.support.regions import RegionView, regions_of
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Cam.–Reg.)"
QUESTION = "At the moment of taking the {which} image, where was the middle of the {name} relative to me?"
_PATTERN = re.compile(r"\AAt the moment of taking the (first|second) image, where was the middle of the (.+) relative")


def _bearing(pictures: tuple[View, ...], standing: int, region: RegionView) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, region_spot(region), here)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    pictures = (a, b)
    for standing, showing in ((1, 0), (0, 1)):
        for region in regions_of(gallery).values():
            if not region.seen(pictures[standing]) and region.clear(gallery, pictures[showing], pictures):
                yield _candidate(gallery, pictures, standing, showing, region)


def _candidate(
    gallery: Gallery, pictures: tuple[View, View], standing: int, showing: int, region: RegionView
) -> DirectionCandidate:
    view, bearing = pictures[showing], _bearing(pictures, standing, region)

    def steps() -> Iterator[ReasoningStep]:
        anchor = region.anchor(gallery, view)
        yield grounded(gallery, anchor, view, showing)
        yield ReasoningStep("grounding", f"The {gallery.category(anchor)} marks the {region.name}.")
        yield overlapping(gallery, pictures, showing, standing)
        yield moved(view, pictures[standing], showing, standing)
        place = f"From where the {ordinal(standing)} image was taken"
        yield ReasoningStep("transformation", f"{place}, the middle of the {region.name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {region.name} was to my {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(which=ordinal(standing), name=region.name), steps)


def _read(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    return _bearing(pictures, int(match[1] == "second"), regions_of(gallery)[match[2]])


FAMILY = direction_family(
    name="mmsi-bench/camera-region",
    title="A region of one picture, from the other's camera",
    task=TASK,
    taxonomy=TaxonomyPlace(
        vsi="object_rel_direction",
        mmsi=TASK,
        site="multi-view & cross-image reasoning",
        spatialbench="relative_direction",
        factor="orientation",
    ),
    candidates=_candidates,
    pattern=_PATTERN,
    bearing_of=_read,
)
