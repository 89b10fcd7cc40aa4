"""Camera–object: where was an object that only the other picture shows, relative to a camera? (MMSI-Bench, Table 1.)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.bearing import Bearing, camera_spot, object_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.names import ordinal
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Cam.–Obj.)"
QUESTION = "When I took the {which} image, where was the {name} relative to me?"
_PATTERN = re.compile(r"\AWhen I took the (first|second) image, where was the (.+) relative to me\?")


def _bearing(gallery: Gallery, pictures: tuple[View, ...], standing: int, number: int) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, object_spot(gallery, number), here)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for standing, showing in ((1, 0), (0, 1)):
        for number in gallery.only_in((a, b)[showing], (a, b)):
            yield _candidate(gallery, (a, b), standing, showing, number)


def _candidate(
    gallery: Gallery, pictures: tuple[View, View], standing: int, showing: int, number: int
) -> DirectionCandidate:
    name, bearing = gallery.category(number), _bearing(gallery, pictures, standing, number)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, number, pictures[showing], showing)
        yield overlapping(gallery, pictures, showing, standing)
        yield moved(pictures[showing], pictures[standing], showing, standing)
        place = f"From where the {ordinal(standing)} image was taken"
        yield ReasoningStep("transformation", f"{place}, the {name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {name} was to my {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(which=ordinal(standing), name=name), steps)


def _read(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    return _bearing(gallery, pictures, int(match[1] == "second"), gallery.find(match[2], pictures))


FAMILY = direction_family(
    name="mmsi-bench/camera-object",
    title="An object of one picture, from the other's camera",
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
    names=(_PATTERN,),
)
