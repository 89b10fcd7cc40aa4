"""Appearance: what shape do three objects form, seen from above? (MMSI-Bench, Table 1: visual characteristics.)

The corner is in both pictures, each end in one of them only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.riddle import Point, Riddle, Values, clue_of
from tolman.generate.pairs.steps import grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.generate.settings import ViewSettings
from tolman.geometry.boxes import Floats
from tolman.items import Item

TASK = "Attribute (Appr.)"
SHAPES = (
    "A narrow V (an angle of less than 60°)",
    "An L (an angle of about 90°)",
    "A wide V (an angle of about 135°)",
    "A straight line (an angle of about 180°)",
)
_BOUNDS = (67.5, 112.5, 157.5)
QUESTION = (
    "Seen from above, draw one straight line from the middle of the {corner} to the middle of the {a}, and another one "
    "from the middle of the {corner} to the middle of the {b}. What shape do the two lines form?"
)
_PATTERN = re.compile(
    r"line from the middle of the (.+) to the middle of the (.+), and another one from .+ to the middle of the (.+)\. "
)


def _angle(corner: Floats, a: Floats, b: Floats) -> Floats:
    """Degrees between the ways from a corner to two ends, shapes (n, 2)."""
    u, v = a - corner, b - corner
    cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    return np.abs(np.degrees(np.arctan2(cross, (u * v).sum(1))))


def _answers(values: Values) -> NDArray[np.int64]:
    angle = _angle(values["corner"], values["a"], values["b"])
    return np.asarray(np.searchsorted(_BOUNDS, angle).astype(np.int64))


def _margin(angle: float) -> float:
    """Degrees to the next shape."""
    return min(abs(angle - bound) for bound in _BOUNDS)


def _near(gallery: Gallery, a: int, b: int) -> bool:
    """Whether two objects are too near to each other for a direction between them."""
    apart = float(np.linalg.norm(gallery.center(a) - gallery.center(b)))
    radii = [float(np.linalg.norm(gallery.outline(i) - gallery.center(i), axis=1).max()) for i in (a, b)]
    return apart < max(gallery.settings.nearest, gallery.settings.spread * sum(radii))


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures, settings = (a, b), gallery.settings
    corners = [i for i in gallery.anchors(a, b) if i in gallery.clear(a) and i in gallery.clear(b)]
    ends = itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures))
    for (one, other), corner in itertools.product(list(ends), corners):
        places = [gallery.center(i) for i in (corner, one, other)]
        if any(_near(gallery, corner, end) for end in (one, other)):
            yield Rejected(TASK, gallery.scene.id, "two objects too near to each other for a direction")
            continue
        angle = float(_angle(*(place[None] for place in places))[0])
        if _margin(angle) < settings.margin:
            yield Rejected(TASK, gallery.scene.id, f"within {settings.margin}° of another shape")
            continue
        numbers = (corner, one, other)
        points = {
            name: Point(place, (number,))
            for name, place, number in zip(("corner", "a", "b"), places, numbers, strict=True)
        }
        suggested = Riddle(pictures, {}, points, _answers).suggestions(gallery)
        if suggested is None:
            yield Rejected(TASK, gallery.scene.id, "one picture alone leaves only one option open")
            continue
        names = [gallery.category(i) for i in (corner, one, other)]
        answer = SHAPES[int(np.searchsorted(_BOUNDS, angle))]
        steps = (
            grounded(gallery, corner, a, 0),
            grounded(gallery, one, a, 0),
            grounded(gallery, corner, b, 1),
            grounded(gallery, other, b, 1),
            overlapping(gallery, pictures, 0, 1),
            moved(a, b, 0, 1),
            Step(
                "transformation",
                f"Seen from above, the ways from the {names[0]} to the {names[1]} and to the {names[2]} meet at about "
                f"{angle:.0f}°.",
            ),
            Step("logic", f"Such lines form {answer[0].lower()}{answer[1:]}."),
        )
        yield Draft(
            TASK,
            gallery.scene.id,
            QUESTION.format(corner=names[0], a=names[1], b=names[2]),
            answer,
            None,
            (answer, *(shape for shape in SHAPES if shape != answer)),
            {"angle": angle, "margin": _margin(angle), "suggested": [SHAPES[s] for s in suggested]},
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            clue=clue_of(suggested),
        )


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures with an object in both and one in each."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The shape of the two lines."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    places = [gallery.center(gallery.find(match[i], pictures))[None] for i in (1, 2, 3)]
    angle = float(_angle(*places)[0])
    answer = SHAPES[int(np.searchsorted(_BOUNDS, angle))]
    return Recomputed(answer, answer, _margin(angle), (), {"angle": angle})


FAMILY = Family((TASK,), draft, recompute)
