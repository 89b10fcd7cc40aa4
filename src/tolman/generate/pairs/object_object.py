"""Object–object: by the compass, where is an object of one picture from one of the other? (MMSI-Bench, Table 1.)

North is given by two objects of the first picture, not both of which the second one sees.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.bearing import COMPASS, Bearing, checked, object_spot, posed, recomputed
from tolman.generate.pairs.settings import ViewSettings
from tolman.generate.pairs.steps import around, grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.items import Item

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


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    known = gallery.named(a, pictures)
    for target in gallery.only_in(b, pictures):
        for origin, north in itertools.permutations(known, 2):
            if b.sees((origin,)) and b.sees((north,)):
                continue
            names = [gallery.category(i) for i in (origin, north, target)]
            bearing = _bearing(gallery, pictures, origin, north, target)
            hints = checked(gallery, bearing, TASK)
            if isinstance(hints, Rejected):
                yield hints
                continue
            steps = (
                grounded(gallery, origin, a, 0),
                grounded(gallery, north, a, 0),
                grounded(gallery, target, b, 1),
                overlapping(gallery, pictures, 0, 1),
                moved(a, b, 0, 1),
                Step(
                    "transformation",
                    f"Standing at the {names[0]} and looking north to the {names[1]}, the {names[2]} is "
                    f"{around(bearing.angle)}.",
                ),
                Step("logic", f"With north straight ahead that is {bearing.answer.lower()}."),
            )
            question = QUESTION.format(origin=names[0], north=names[1], target=names[2])
            yield posed(gallery, bearing, TASK, question, steps, hints)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures: two objects of the first, one that only the second shows."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The quadrant of the compass that the object lies in."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    origin, north, target = (gallery.find(match[i], pictures) for i in (1, 2, 3))
    return recomputed(_bearing(gallery, pictures, origin, north, target), settings)


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
