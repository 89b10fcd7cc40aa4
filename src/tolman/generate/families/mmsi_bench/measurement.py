"""Measurement: how far apart are an object of one picture and one of the other? (MMSI-Bench, Table 1.)

A distance within the first picture is given, as a measure.
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
from tolman.generate.families.mmsi_bench.support.asking import drafts_of, matched, pictures_of
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.steps import grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item

TASK = "Attribute (Meas.)"
QUESTION = (
    "Measured between closest points, the {a} and the {known} are {given} apart. About how far apart are the {a} and "
    "the {b}, measured in the same way?"
)
_PATTERN = re.compile(r"About how far apart are the (.+) and the (.+), measured in the same way\?")

_NO_MEASURE = "no distance of {0.nearest} m or more within the first image to measure by"


def printed(metres: float) -> str:
    """As an option has it."""
    return f"{metres:.1f} m"


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures, each of which shows an object that the other doesn't."""
    return drafts_of(geometry, settings, TASK, _ask)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures = (a, b)
    for one, other in itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures)):
        measures = [(gallery.geometry.between(one, i), i) for i in gallery.named(a, pictures) if i != one]
        given, known = max(measures, default=(0.0, one))
        if given < gallery.settings.nearest:
            yield Rejected(TASK, gallery.scene.id, _NO_MEASURE.format(gallery.settings))
            continue
        metres = gallery.geometry.between(one, other)
        options = _options(metres, gallery.settings)
        if not options:
            yield Rejected(TASK, gallery.scene.id, _too_far(gallery.settings))
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
            yield Rejected(TASK, gallery.scene.id, ONE_OPTION)
            continue
        yield Draft(
            TASK,
            gallery.scene.id,
            QUESTION.format(a=names[0], b=names[1], known=names[2], given=printed(given)),
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

    All questions have the same four, so that neither their texts nor what distances are usual tell which is right.
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


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The distance as an option has it."""
    shown, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    metres = geometry.between(shown.find(match[1], pictures), shown.find(match[2], pictures))
    options = _options(metres, settings)
    answer = printed(min(settings.metres, key=lambda one: abs(math.log(one / max(metres, 1e-9)))))
    broken = () if options else (_too_far(settings),)
    return Recomputed(answer, answer, None, broken, {"distance": metres})


FAMILY = Family(
    name="mmsi-bench/measurement",
    title="A distance between objects of two pictures, by a given one",
    tasks=(TASK,),
    settings=ViewSettings(),
    taxonomy=TaxonomyPlace(
        vsi="object_abs_distance",
        mmsi=TASK,
        site="3d information understanding",
        spatialbench="absolute_distance",
        factor="visualization",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
)
