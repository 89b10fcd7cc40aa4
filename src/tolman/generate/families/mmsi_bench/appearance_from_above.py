"""Appearance: what shape does a line through three objects have, seen from above? (MMSI-Bench, Table 1.)

The corner is in both pictures, each end in one of them only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.ambiguity import ONE_OPTION, Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.asking import drafts_of, matched, pictures_of
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.steps import grounded, moved, overlapping, turned
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.geometry.boxes import Floats
from tolman.items import Item

TASK = "Attribute (Appr.)"
SHAPES = (
    "It bends gently to the left (by less than 90°)",
    "It bends sharply to the left (by more than 90°)",
    "It bends sharply to the right (by more than 90°)",
    "It bends gently to the right (by less than 90°)",
)
QUESTION = (
    "Seen from above, a line is drawn from the middle of the {a} to the middle of the {corner}, and from there on to "
    "the middle of the {b}. Where that line has its corner, how does it bend?"
)
_PATTERN = re.compile(
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
    """Tell whether two objects are too near to each other for a direction between them."""
    apart = float(np.linalg.norm(gallery.center(a) - gallery.center(b)))
    radii = [float(np.linalg.norm(gallery.outline(i) - gallery.center(i), axis=1).max()) for i in (a, b)]
    return apart < max(gallery.settings.nearest, gallery.settings.spread * sum(radii))


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    pictures, settings = (a, b), gallery.settings
    corners = gallery.anchors(a, b)
    ends = itertools.product(gallery.only_in(a, pictures), gallery.only_in(b, pictures))
    for (one, other), corner in itertools.product(list(ends), corners):
        places = [gallery.center(i) for i in (corner, one, other)]
        if any(_near(gallery, corner, end) for end in (one, other)):
            yield Rejected(TASK, gallery.scene.id, _NEAR.format(settings))
            continue
        bend = float(_bends(*(places[i][None] for i in (1, 0, 2)))[0])
        if _margin(bend) < settings.bend:
            yield Rejected(TASK, gallery.scene.id, f"within {settings.bend}° of another answer")
            continue
        numbers = (corner, one, other)
        points = {
            name: Point(place, (number,))
            for name, place, number in zip(("corner", "a", "b"), places, numbers, strict=True)
        }
        ambiguity = SingleViewAmbiguity(pictures, {}, points, _answers)
        cues = ambiguity.cues(gallery, SHAPES)
        if cues is None:
            yield Rejected(TASK, gallery.scene.id, ONE_OPTION)
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
            TASK,
            gallery.scene.id,
            QUESTION.format(corner=names[0], a=names[1], b=names[2]),
            answer,
            None,
            (answer, *(shape for shape in SHAPES if shape != answer)),
            {"bend": bend, "margin": _margin(bend), "suggested": list(cues.suggested)},
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            single_view_cues=cues.cues,
        )


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures with an object in both and one in each."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The shape of the line."""
    gallery, pictures = pictures_of(geometry, settings, item)
    match = matched(_PATTERN, item)
    places = [gallery.center(gallery.find(match[i], pictures))[None] for i in (1, 2, 3)]
    bend = float(_bends(*places)[0])
    return Recomputed(_shape(bend), _shape(bend), _margin(bend), (), {"bend": bend})


FAMILY = Family(
    name="mmsi-bench/appearance-from-above",
    title="The bend of a line through three objects, seen from above",
    tasks=(TASK,),
    settings=ViewSettings(),
    taxonomy=TaxonomyPlace(
        mmsi=TASK,
        site="multi-view & cross-image reasoning",
        spatialbench="multi-hop_spatial_reasoning",
        factor="visualization",
        information="intrinsic",
    ),
    draft=draft,
    recompute=recompute,
)
