"""Camera–camera: where was the second picture's camera, seen from the first's? (MMSI-Bench paper, Table 1.)"""

from __future__ import annotations

from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, pictures_of
from tolman.generate.pairs.bearing import Bearing, camera_spot, checked, posed, recomputed
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

TASK = "Positional Relationship (Cam.–Cam.)"
QUESTION = (
    "The two images show the same place from two viewpoints. When I took the first image, where was the camera that "
    "took the second image, relative to me?"
)


def _bearing(pictures: tuple[View, ...]) -> Bearing:
    here = camera_spot(pictures, 0)
    return Bearing(pictures, here, camera_spot(pictures, 1), here)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    bearing = _bearing((a, b))
    hints = checked(gallery, bearing, TASK)
    if isinstance(hints, Rejected):
        yield hints
        return
    anchor = gallery.anchors(a, b)[0]
    steps = (
        grounded(gallery, anchor, a, 0),
        grounded(gallery, anchor, b, 1),
        overlapping(gallery, (a, b), 0, 1),
        moved(a, b, 0, 1),
        Step(
            "logic",
            f"The second camera is {around(bearing.angle)} as I look in the first image, which is to my "
            f"{bearing.answer.lower()}.",
        ),
    )
    yield posed(gallery, bearing, TASK, QUESTION, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant that the second camera stands in."""
    _, pictures = pictures_of(geometry, settings, item)
    return recomputed(_bearing(pictures), settings)


FAMILY = Family((TASK,), draft, recompute)
