"""Measurement: how far apart are an object of one picture and one of the other? (MMSI-Bench, Table 1.)

A distance within the first picture is given, as a measure. Each option is so many times the one before; how many are
shorter than the right one is drawn first, and what is a usual distance is one more clue that must not help.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.riddle import Point, Riddle, Values, clue_of
from tolman.generate.pairs.steps import grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View
from tolman.generate.settings import ViewSettings
from tolman.geometry.boxes import distances
from tolman.items import Item

TASK = "Attribute (Meas.)"
QUESTION = (
    "Measured between closest points, the {a} and the {known} are {given} apart. How far apart are the {a} and the "
    "{b}, measured in the same way?"
)
_PATTERN = re.compile(r"How far apart are the (.+) and the (.+), measured in the same way\?")
_OPTIONS = 4
_SPREAD = 1.15
"""By how much the step from one option to the next varies."""
_USUAL = 2.5
"""Metres that are a usual distance: what somebody would choose who sees nothing."""
_RANKS = ("least", "second", "third", "greatest")


def printed(metres: float) -> str:
    """As an option has it."""
    return f"{metres:.1f} m"


def between(gallery: Gallery, a: int, b: int) -> float:
    """Metres between the boxes of two objects."""
    boxes = gallery.geometry.boxes
    return float(distances(boxes.take(np.array([a])), boxes.take(np.array([b])))[0])


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures, each of which shows an object that the other doesn't."""
    return drafts_of(geometry, settings, TASK, _ask)


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    """Questions without their options."""
    pictures = (a, b)
    for one, other in itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures)):
        measures = [(between(gallery, one, i), i) for i in gallery.named(a, pictures) if i != one]
        given, known = max(measures, default=(0.0, one))
        if given < gallery.settings.nearest:
            yield Rejected(TASK, gallery.scene.id, "no distance within the first image to measure by")
            continue
        metres = between(gallery, one, other)
        options = _options(metres, f"{gallery.scene.id}:{a.shot}:{b.shot}:{one}:{other}", gallery.settings)
        if not options:
            yield Rejected(TASK, gallery.scene.id, "too short for options that are far enough apart")
            continue
        names = [gallery.category(i) for i in (one, other, known)]
        steps = (
            grounded(gallery, one, a, 0),
            grounded(gallery, other, b, 1),
            overlapping(gallery, pictures, 0, 1),
            moved(a, b, 0, 1),
            Step("grounding", f"The {names[0]} and the {names[2]} are {printed(given)} apart, which gives the scale."),
            Step(
                "logic",
                f"In the layout that both images give, the closest points of the {names[0]} and the {names[1]} are "
                f"about {metres:.1f} m apart.",
            ),
        )
        rising = sorted(options)
        suggested = _riddle(gallery, pictures, (one, other), metres, rising).suggestions(gallery)
        if suggested is None:
            yield Rejected(TASK, gallery.scene.id, "one picture alone leaves only one option open")
            continue
        usual = min(range(len(rising)), key=lambda k: abs(math.log(rising[k] / _USUAL)))
        yield Draft(
            TASK,
            gallery.scene.id,
            QUESTION.format(a=names[0], b=names[1], known=names[2], given=printed(given)),
            printed(metres),
            None,
            tuple(printed(value) for value in options),
            {
                "distance": metres,
                "margin": min(abs(value - metres) for value in options[1:]) / 2,
                "suggested": [printed(rising[s]) for s in suggested],
            },
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            balance=_RANKS[rising.index(metres)],
            clue=(*clue_of(suggested), str(usual)),
        )


def _options(metres: float, seed: str, settings: ViewSettings) -> tuple[float, ...]:
    """The distance and three others, each so many times the one before; empty where the least would be too small.

    How many of them are shorter is drawn first.
    """
    generator = random.Random(seed)
    places = [k for k in range(_OPTIONS) if metres / settings.ratio**k >= settings.least]
    shorter = generator.choice(places) if metres >= settings.nearest else -1
    if shorter < 0:
        return ()
    steps = [generator.uniform(settings.ratio, settings.ratio * _SPREAD) for _ in range(_OPTIONS - 1)]
    below, above, value = [], [], metres
    for step in steps[:shorter]:
        value /= step
        below.append(value)
    value = metres
    for step in steps[shorter:]:
        value *= step
        above.append(value)
    return (metres, *below, *above)


def _riddle(
    gallery: Gallery, pictures: tuple[View, View], objects: tuple[int, int], metres: float, rising: Sequence[float]
) -> Riddle:
    one, other = objects
    ends = (gallery.center(one), gallery.center(other))
    # Both boxes' own sizes lie between their middles' distance and that of their closest points.
    inside = float(np.linalg.norm(ends[1] - ends[0])) - metres
    bounds = [(a * b) ** 0.5 for a, b in itertools.pairwise(rising)]

    def answer(values: Values) -> NDArray[np.int64]:
        apart = np.linalg.norm(values["one"] - values["other"], axis=1) - inside
        return np.asarray(np.searchsorted(bounds, apart).astype(np.int64))

    return Riddle(pictures, {}, {"one": Point(ends[0], (one,)), "other": Point(ends[1], (other,))}, answer)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The distance as an option has it."""
    shown, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    metres = between(shown, shown.find(match[1], pictures), shown.find(match[2], pictures))
    return Recomputed(printed(metres), printed(metres), None, (), {"distance": metres})


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
