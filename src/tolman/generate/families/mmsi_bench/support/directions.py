"""Families that ask for a direction between two overlapping pictures: one loop for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.asking import drafts_of, matched, pictures_of
from tolman.generate.families.mmsi_bench.support.bearing import Bearing, checked, posed, recomputed
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


@dataclass(frozen=True)
class DirectionCandidate:
    """A question for a direction that is still to be checked.

    Attributes:
        bearing: what is asked.
        question: the text.
        steps: the way to the answer; called only if it is asked.
    """

    bearing: Bearing
    question: str
    steps: Callable[[], Iterable[ReasoningStep]]


def direction_family(
    *,
    name: str,
    title: str,
    task: str,
    taxonomy: TaxonomyPlace,
    candidates: Callable[[Gallery, View, View], Iterator[DirectionCandidate | Rejected]],
    pattern: re.Pattern[str],
    bearing_of: Callable[[Gallery, tuple[View, ...], re.Match[str]], Bearing],
    names: tuple[re.Pattern[str], ...] = (),
) -> Family[ViewSettings]:
    """A family of questions about pairs of overlapping pictures, each for one direction.

    Args:
        name, title, taxonomy, names: as `Family` has them.
        task: its question type.
        candidates: (gallery, first picture, second picture) → what could be asked about them.
        pattern: of its questions.
        bearing_of: (gallery, pictures, match of the pattern) → what a question that exists asks.
    """

    def ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
        for found in candidates(gallery, a, b):
            if isinstance(found, Rejected):
                yield found
                continue
            cues = checked(gallery, found.bearing, task)
            if isinstance(cues, Rejected):
                yield cues
            else:
                yield posed(gallery, found.bearing, task, found.question, tuple(found.steps()), cues)

    def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
        return drafts_of(geometry, settings, task, ask)

    def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
        gallery, pictures = pictures_of(geometry, settings, item)
        return recomputed(bearing_of(gallery, pictures, matched(pattern, item)), settings)

    return Family(
        name=name,
        title=title,
        tasks=(task,),
        settings=ViewSettings(),
        taxonomy=taxonomy,
        draft=draft,
        recompute=recompute,
        names=names,
    )
