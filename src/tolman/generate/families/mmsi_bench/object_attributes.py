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

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.ambiguity import ONE_OPTION, Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.questions import (
    drafts_of,
    grounded,
    matched,
    moved,
    overlapping,
    pictures_of,
    turned,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings
from tolman.generate.family import Family, place_of
from tolman.generate.scene_geometry import SceneGeometry
from tolman.geometry.boxes import Floats
from tolman.items import Item

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


def draft_measurement(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Draft questions about pairs of overlapping pictures; each picture shows an object that the other doesn't."""
    return drafts_of(geometry, settings, MEASUREMENT_TASK, _ask_measurement)


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
        names = [gallery.category(i) for i in (one, other, known)]
        steps = (
            grounded(gallery, one, a, 0),
            grounded(gallery, other, b, 1),
            overlapping(gallery, pictures, 0, 1),
            moved(a, b, 0, 1),
            ReasoningStep(
                "grounding", f"The {names[0]} and the {names[2]} are {printed(given)} apart, which gives the scale."
            ),
            ReasoningStep(
                "logic",
                f"In the layout that both images give, the closest points of the {names[0]} and the {names[1]} are "
                f"about {metres:.1f} m apart, which is nearest to {printed(options[0])}.",
            ),
        )
        rising = sorted(options)
        ambiguity = _ambiguity(gallery, pictures, (one, other), metres, rising)
        cues = ambiguity.cues(gallery, [printed(value) for value in rising])
        if cues is None:
            yield Rejected(MEASUREMENT_TASK, gallery.scene.id, ONE_OPTION)
            continue
        yield Draft(
            MEASUREMENT_TASK,
            gallery.scene.id,
            MEASUREMENT_QUESTION.format(a=names[0], b=names[1], known=names[2], given=printed(given)),
            printed(options[0]),
            None,
            tuple(printed(value) for value in options),
            {
                "distance": metres,
                "margin": min(abs(value - metres) for value in options[1:]) - abs(options[0] - metres),
                "suggested": list(cues.suggested),
            },
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            single_view_cues=cues.cues,
        )


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


def recompute_measurement(
    geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True
) -> Recomputed:
    """The distance as an option has it."""
    shown, pictures = pictures_of(geometry, settings, item)
    match = matched(_MEASUREMENT_PATTERN, item)
    metres = geometry.between(shown.find(match[1], pictures), shown.find(match[2], pictures))
    options = _options(metres, settings)
    answer = printed(min(settings.metres, key=lambda one: abs(math.log(one / max(metres, 1e-9)))))
    broken = () if options else (_too_far(settings),)
    return Recomputed(answer, answer, None, broken, {"distance": metres})


MEASUREMENT_FAMILY = Family(
    name="mmsi-bench/measurement",
    title="A distance between objects of two pictures, by a given one",
    tasks=(MEASUREMENT_TASK,),
    settings=ViewSettings(),
    taxonomy=place_of("mmsi-bench/measurement"),
    draft=draft_measurement,
    recompute=recompute_measurement,
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
        ambiguity = SingleViewAmbiguity(pictures, {}, points, _answers)
        cues = ambiguity.cues(gallery, SHAPES)
        if cues is None:
            yield Rejected(APPEARANCE_FROM_ABOVE_TASK, gallery.scene.id, ONE_OPTION)
            continue
        names = [gallery.category(i) for i in (corner, one, other)]
        answer = _shape(bend)
        steps = (
            grounded(gallery, one, a, 0),
            grounded(gallery, other, b, 1),
            overlapping(gallery, pictures, 0, 1),
            moved(a, b, 0, 1),
            ReasoningStep(
                "transformation",
                f"Seen from above, the way from the {names[1]} through the {names[0]} to the {names[2]} bends by "
                f"{turned(bend)}.",
            ),
            ReasoningStep("logic", f"So {answer[0].lower()}{answer[1:]}."),
        )
        yield Draft(
            APPEARANCE_FROM_ABOVE_TASK,
            gallery.scene.id,
            APPEARANCE_FROM_ABOVE_QUESTION.format(corner=names[0], a=names[1], b=names[2]),
            answer,
            None,
            (answer, *(shape for shape in SHAPES if shape != answer)),
            {"bend": bend, "margin": _margin(bend), "suggested": list(cues.suggested)},
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            single_view_cues=cues.cues,
        )


def draft_appearance_from_above(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures with an object in both and one in each."""
    return drafts_of(geometry, settings, APPEARANCE_FROM_ABOVE_TASK, _ask_appearance_from_above)


def recompute_appearance_from_above(
    geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True
) -> Recomputed:
    """The shape of the line."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_APPEARANCE_FROM_ABOVE_PATTERN, item)
    places = [gallery.center(gallery.find(match[i], pictures))[None] for i in (1, 2, 3)]
    bend = float(_bends(*places)[0])
    return Recomputed(_shape(bend), _shape(bend), _margin(bend), (), {"bend": bend})


APPEARANCE_FROM_ABOVE_FAMILY = Family(
    name="mmsi-bench/appearance-from-above",
    title="The bend of a line through three objects, seen from above",
    tasks=(APPEARANCE_FROM_ABOVE_TASK,),
    settings=ViewSettings(),
    taxonomy=place_of("mmsi-bench/appearance-from-above"),
    draft=draft_appearance_from_above,
    recompute=recompute_appearance_from_above,
)

FAMILIES = (MEASUREMENT_FAMILY, APPEARANCE_FROM_ABOVE_FAMILY)
