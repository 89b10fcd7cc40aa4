"""Attributes of objects in two pictures: measurement and appearance. (MMSI-Bench, Table 1.)

- Measurement: how far apart are an object of one picture and one of the other? A distance within the first picture is
  given, as a measure.
- Appearance: what shape does a line through three objects have, seen from above? The corner is in both pictures, each
  end in one of them only.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.generate.families.mmsi_bench.support.ambiguity import Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.questions import (
    closed_draft,
    grounded,
    moved,
    overlapping,
    pair_family,
    turned,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings
from tolman.generate.family import Draft, ReasoningStep, Recomputed, Rejected
from tolman.geometry.boxes import Floats

MEASUREMENT_TASK = "Attribute (Meas.)"
MEASUREMENT_QUESTION = (
    "Measured between closest points, the {a} and the {known} are {given} apart. About how far apart are the {a} and "
    "the {b}, measured in the same way?"
)
_MEASUREMENT_PATTERN = re.compile(r"About how far apart are the (.+) and the (.+), measured in the same way\?")

_NO_MEASURE = "no distance of {0.nearest} m or more within the first image to measure by"


def printed(metres: float) -> str:
    """As an option has it."""
    return f"{metres:.1f} m"


def _ask_measurement(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    for one, other in itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures)):
        measures = [(gallery.geometry.between(one, i), i) for i in gallery.named(a, pictures) if i != one]
        given, known = max(measures, default=(0.0, one))
        if given < gallery.settings.nearest:
            yield Rejected(MEASUREMENT_TASK, gallery.scene.id, _NO_MEASURE.format(gallery.settings))
            continue
        metres = gallery.geometry.between(one, other)
        options = _options(metres, gallery.settings)
        if not options:
            yield Rejected(MEASUREMENT_TASK, gallery.scene.id, _too_far(gallery.settings))
            continue
        rising = sorted(options)
        answer, *others = options
        yield closed_draft(
            gallery,
            MEASUREMENT_TASK,
            MEASUREMENT_QUESTION.format(
                a=gallery.category(one), b=gallery.category(other), known=gallery.category(known), given=printed(given)
            ),
            printed(answer),
            [printed(value) for value in rising],
            _ambiguity(gallery, pictures, (one, other), metres, rising),
            {"distance": metres, "margin": min(abs(value - metres) for value in others) - abs(answer - metres)},
            _measurement_steps(gallery, pictures, (one, other, known), given, metres, answer),
        )


def _measurement_steps(
    gallery: Gallery,
    pictures: tuple[View, View],
    objects: tuple[int, int, int],
    given: float,
    metres: float,
    answer: float,
) -> Iterator[ReasoningStep]:
    one, other, known = (gallery.category(i) for i in objects)
    yield from _put_together(gallery, pictures, objects[:2])
    yield ReasoningStep("grounding", f"The {one} and the {known} are {printed(given)} apart, which gives the scale.")
    yield ReasoningStep(
        "logic",
        f"In the layout that both images give, the closest points of the {one} and the {other} are about "
        f"{metres:.1f} m apart, which is nearest to {printed(answer)}.",
    )


def _put_together(gallery: Gallery, pictures: tuple[View, View], objects: tuple[int, int]) -> Iterator[ReasoningStep]:
    """The steps that find an object in each picture and put the pictures together."""
    yield grounded(gallery, objects[0], pictures[0], 0)
    yield grounded(gallery, objects[1], pictures[1], 1)
    yield overlapping(gallery, pictures, 0, 1)
    yield moved(*pictures, 0, 1)


def _too_far(settings: ViewSettings) -> str:
    return f"no option within a factor of {settings.near} of the distance"


def _options(metres: float, settings: ViewSettings) -> tuple[float, ...]:
    """The option that a distance means and the three others, the right one first; empty where none is near enough.

    All questions have the same four, so that neither their texts nor usual distances give the answer away.
    """
    fits = [one for one in settings.metres if max(one / metres, metres / one) <= settings.near] if metres > 0 else []
    return (fits[0], *(one for one in settings.metres if one != fits[0])) if fits else ()


def _ambiguity(
    gallery: Gallery, pictures: tuple[View, View], objects: tuple[int, int], metres: float, rising: Sequence[float]
) -> SingleViewAmbiguity:
    one, other = objects
    ends = (gallery.center(one), gallery.center(other))
    # Both boxes' own sizes lie between their middles' distance and that of their closest points.
    inside = float(np.linalg.norm(ends[1] - ends[0])) - metres
    bounds = [(a * b) ** 0.5 for a, b in itertools.pairwise(rising)]

    def answer(values: Values) -> NDArray[np.int64]:
        apart = np.linalg.norm(values["one"] - values["other"], axis=1) - inside
        return np.asarray(np.searchsorted(bounds, apart).astype(np.int64))

    return SingleViewAmbiguity(pictures, {}, {"one": Point(ends[0], (one,)), "other": Point(ends[1], (other,))}, answer)


def _measurement(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """The distance as an option has it."""
    settings = gallery.settings
    metres = gallery.geometry.between(gallery.find(match[1], pictures), gallery.find(match[2], pictures))
    answer = printed(min(settings.metres, key=lambda one: abs(math.log(one / max(metres, 1e-9)))))
    broken = () if _options(metres, settings) else (_too_far(settings),)
    return Recomputed(answer, answer, None, broken, {"distance": metres})


MEASUREMENT_FAMILY = pair_family(
    "mmsi-bench/measurement",
    "A distance between objects of two pictures, by a given one",
    MEASUREMENT_TASK,
    _ask_measurement,
    _measurement,
    pattern=_MEASUREMENT_PATTERN,
    names=(_MEASUREMENT_PATTERN,),
)


APPEARANCE_FROM_ABOVE_TASK = "Attribute (Appr.)"
SHAPES = (
    "It bends gently to the left (by less than 90°)",
    "It bends sharply to the left (by more than 90°)",
    "It bends sharply to the right (by more than 90°)",
    "It bends gently to the right (by less than 90°)",
)
APPEARANCE_FROM_ABOVE_QUESTION = (
    "Seen from above, a line is drawn from the middle of the {a} to the middle of the {corner}, and from there on to "
    "the middle of the {b}. Where that line has its corner, how does it bend?"
)
_APPEARANCE_FROM_ABOVE_PATTERN = re.compile(
    r"drawn from the middle of the (.+) to the middle of the (.+), and from there on to the middle of the (.+)\. Where"
)

_NEAR = "two objects within {0.nearest} m or {0.spread} of their half diagonals of each other"


def _bends(a: Floats, corner: Floats, b: Floats) -> Floats:
    """Degrees by which a line turns to the left at its corner, 0 … 360; shapes (n, 2)."""
    u, v = corner - a, b - corner
    return np.asarray((np.degrees(np.arctan2(v[:, 1], v[:, 0])) - np.degrees(np.arctan2(u[:, 1], u[:, 0]))) % 360)


def _answers(values: Values) -> NDArray[np.int64]:
    bend = _bends(values["a"], values["corner"], values["b"])
    return np.asarray((bend // 90).astype(np.int64) % 4)


def _shape(bend: float) -> str:
    return SHAPES[int(bend // 90) % 4]


def _margin(bend: float) -> float:
    """Degrees to the next shape."""
    return min(bend % 90, 90 - bend % 90)


def _near(gallery: Gallery, a: int, b: int) -> bool:
    """Check whether two objects are too near to each other for a direction between them."""
    apart = float(np.linalg.norm(gallery.center(a) - gallery.center(b)))
    radii = [float(np.linalg.norm(gallery.outline(i) - gallery.center(i), axis=1).max()) for i in (a, b)]
    return apart < max(gallery.settings.nearest, gallery.settings.spread * sum(radii))


def _ask_appearance_from_above(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures, settings = (a, b), gallery.settings
    corners = gallery.anchors(a, b)
    ends = itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures))
    for (one, other), corner in itertools.product(list(ends), corners):
        places = [gallery.center(i) for i in (corner, one, other)]
        if any(_near(gallery, corner, end) for end in (one, other)):
            yield Rejected(APPEARANCE_FROM_ABOVE_TASK, gallery.scene.id, _NEAR.format(settings))
            continue
        bend = float(_bends(*(places[i][None] for i in (1, 0, 2)))[0])
        if _margin(bend) < settings.bend:
            yield Rejected(APPEARANCE_FROM_ABOVE_TASK, gallery.scene.id, f"within {settings.bend}° of another answer")
            continue
        numbers = (corner, one, other)
        points = {
            name: Point(place, (number,))
            for name, place, number in zip(("corner", "a", "b"), places, numbers, strict=True)
        }
        yield closed_draft(
            gallery,
            APPEARANCE_FROM_ABOVE_TASK,
            APPEARANCE_FROM_ABOVE_QUESTION.format(
                corner=gallery.category(corner), a=gallery.category(one), b=gallery.category(other)
            ),
            _shape(bend),
            SHAPES,
            SingleViewAmbiguity(pictures, {}, points, _answers),
            {"bend": bend, "margin": _margin(bend)},
            _appearance_steps(gallery, pictures, numbers, bend),
        )


def _appearance_steps(
    gallery: Gallery, pictures: tuple[View, View], objects: tuple[int, int, int], bend: float
) -> Iterator[ReasoningStep]:
    corner, one, other = (gallery.category(i) for i in objects)
    yield from _put_together(gallery, pictures, objects[1:])
    yield ReasoningStep(
        "transformation",
        f"Seen from above, the way from the {one} through the {corner} to the {other} bends by {turned(bend)}.",
    )
    shape = _shape(bend)
    yield ReasoningStep("logic", f"So {shape[0].lower()}{shape[1:]}.")


def _appearance_from_above(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """The shape of the line."""
    places = [gallery.center(gallery.find(match[i], pictures))[None] for i in (1, 2, 3)]
    bend = float(_bends(*places)[0])
    return Recomputed(_shape(bend), _shape(bend), _margin(bend), (), {"bend": bend})


APPEARANCE_FROM_ABOVE_FAMILY = pair_family(
    "mmsi-bench/appearance-from-above",
    "The bend of a line through three objects, seen from above",
    APPEARANCE_FROM_ABOVE_TASK,
    _ask_appearance_from_above,
    _appearance_from_above,
    pattern=_APPEARANCE_FROM_ABOVE_PATTERN,
)

FAMILIES = (MEASUREMENT_FAMILY, APPEARANCE_FROM_ABOVE_FAMILY)
