"""Camera–camera: where was the second picture's camera, seen from the first's? (MMSI-Bench paper, Table 1.)"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.bearing import Bearing, camera_spot
from tolman.generate.families.mmsi_bench.support.directions import DirectionCandidate, direction_family
from tolman.generate.families.mmsi_bench.support.steps import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.taxonomy import TaxonomyPlace

TASK = "Positional Relationship (Cam.–Cam.)"
QUESTION = (
    "The two images show the same place from two viewpoints. When I took the first image, where was the camera that "
    "took the second image, relative to me?"
)
_PATTERN = re.compile("")
"""The pictures alone say what is asked."""


def _bearing(pictures: tuple[View, ...]) -> Bearing:
    here = camera_spot(pictures, 0)
    return Bearing(pictures, here, camera_spot(pictures, 1), here)


def _candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    bearing = _bearing((a, b))

    def steps() -> Iterator[ReasoningStep]:
        anchor = gallery.anchors(a, b)[0]
        yield grounded(gallery, anchor, a, 0)
        yield grounded(gallery, anchor, b, 1)
        yield overlapping(gallery, (a, b), 0, 1)
        yield moved(a, b, 0, 1)
        yield ReasoningStep(
            "logic",
            f"The second camera is {around(bearing.angle)} as I look in the first image, which is to my "
            f"{bearing.answer.lower()}.",
        )

    yield DirectionCandidate(bearing, QUESTION, steps)


FAMILY = direction_family(
    name="mmsi-bench/camera-camera",
    title="The second picture's camera, from the first's",
    task=TASK,
    taxonomy=TaxonomyPlace(
        mmsi=TASK,
        site="multi-view & cross-image reasoning",
        spatialbench="landmark-constrained_pose_localization",
        factor="orientation",
    ),
    candidates=_candidates,
    pattern=_PATTERN,
    bearing_of=lambda gallery, pictures, match: _bearing(pictures),
)
