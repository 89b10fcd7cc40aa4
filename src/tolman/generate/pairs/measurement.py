"""Measurement: how far apart are an object of one picture and one of the other? (MMSI-Bench, Table 1.)

The wrong options are distances that other questions of the same scene ask for, so that each of the four is as likely
as any other to whoever sees no picture.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, Family, Recomputed, Rejected, Step
from tolman.generate.geometry import SceneGeometry
from tolman.generate.pairs.asking import drafts_of, matched, pictures_of
from tolman.generate.pairs.riddle import Point, Riddle, Values, clue_of
from tolman.generate.pairs.steps import grounded, moved, overlapping
from tolman.generate.pairs.views import Gallery, View, gallery
from tolman.generate.settings import ViewSettings
from tolman.geometry.boxes import distances
from tolman.items import Item

TASK = "Attribute (Meas.)"
QUESTION = "How far apart are the {a} and the {b}, measured between their closest points?"
_PATTERN = re.compile(r"\AHow far apart are the (.+) and the (.+), measured between their closest points\?")
_OPTIONS = 4
_TRIES = 30
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
    shown = gallery(geometry, settings)
    found = list(drafts_of(geometry, settings, TASK, _ask))
    made = [one for one in found if isinstance(one, Draft)]
    generator = random.Random(f"{geometry.scene.id}:{TASK}")
    pool = [float(one.evidence["distance"]) for one in made]
    for one in found:
        yield _with_options(shown, one, pool, generator) if isinstance(one, Draft) else one


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    """Questions without their options."""
    pictures = (a, b)
    for one, other in itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures)):
        metres = between(gallery, one, other)
        if metres < gallery.settings.nearest:
            yield Rejected(TASK, gallery.scene.id, f"nearer than {gallery.settings.nearest} m")
            continue
        names = (gallery.category(one), gallery.category(other))
        steps = (
            grounded(gallery, one, a, 0),
            grounded(gallery, other, b, 1),
            overlapping(gallery, pictures, 0, 1),
            moved(a, b, 0, 1),
            Step(
                "logic",
                f"In the layout that both images give, the closest points of the {names[0]} and the {names[1]} are "
                f"about {metres:.1f} m apart.",
            ),
        )
        yield Draft(
            TASK,
            gallery.scene.id,
            QUESTION.format(a=names[0], b=names[1]),
            printed(metres),
            None,
            (printed(metres),),
            {"distance": metres, "objects": [one, other]},
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
        )


def _with_options(gallery: Gallery, draft: Draft, pool: Sequence[float], generator: random.Random) -> Draft | Rejected:
    truth = float(draft.evidence["distance"])
    for _ in range(_TRIES):
        values = [truth, *generator.sample(pool, min(len(pool), _OPTIONS - 1))]
        if len(values) == _OPTIONS and _apart(values, gallery.settings):
            break
    else:
        return Rejected(TASK, draft.scene, "the scene has too few different distances")
    rising = sorted(values)
    riddle = _riddle(gallery, draft, rising)
    suggested = riddle.suggestions(gallery)
    if suggested is None:
        return Rejected(TASK, draft.scene, "one picture alone leaves only one option open")
    others = [value for value in values if value != truth]
    evidence = {
        "distance": truth,
        "margin": min(abs(value - truth) for value in others) / 2,
        "suggested": [printed(rising[s]) for s in suggested],
    }
    rank = rising.index(truth)
    return replace(
        draft,
        options=tuple(printed(value) for value in values),
        evidence=evidence,
        balance=_RANKS[rank],
        clue=clue_of(suggested),
    )


def _apart(values: Sequence[float], settings: ViewSettings) -> bool:
    """Whether any two distances differ enough to be told apart by eye."""
    return all(b - a >= settings.metres and b >= settings.ratio * a for a, b in itertools.pairwise(sorted(values)))


def _riddle(gallery: Gallery, draft: Draft, rising: Sequence[float]) -> Riddle:
    one, other = draft.evidence["objects"]
    ends = (gallery.center(one), gallery.center(other))
    # Both boxes' own sizes lie between their middles' distance and that of their closest points.
    inside = float(np.linalg.norm(ends[1] - ends[0])) - float(draft.evidence["distance"])
    bounds = [(a * b) ** 0.5 for a, b in itertools.pairwise(rising)]

    def answer(values: Values) -> NDArray[np.int64]:
        apart = np.linalg.norm(values["one"] - values["other"], axis=1) - inside
        return np.asarray(np.searchsorted(bounds, apart).astype(np.int64))

    pictures = tuple(gallery.view(shot.capture, shot.frame) for shot in draft.shots)
    return Riddle(pictures, {}, {"one": Point(ends[0], (one,)), "other": Point(ends[1], (other,))}, answer)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The distance as an option has it."""
    shown, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    metres = between(shown, shown.find(match[1], pictures), shown.find(match[2], pictures))
    return Recomputed(printed(metres), printed(metres), None, (), {"distance": metres})


FAMILY = Family((TASK,), draft, recompute, (_PATTERN,))
