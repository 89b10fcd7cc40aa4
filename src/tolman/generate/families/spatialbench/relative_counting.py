"""Relative counting: which of three kinds of things is there most, or fewest, of? (SpatialBench, level 2.)

Rule: the scene's counts, of categories of which the video shows every object. Only what there are several of is asked
about: a kind that comes alone in most places would be known not to be the most frequent. The right category's count
differs from each other one's at least by the factor `ratio`; where two share the extreme, the right option says so.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.families.spatialbench.support.settings import MIN_SHOWN_SHARE
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


class RelativeCountingSettings(FamilySettings):
    """Relative counting.

    Attributes:
        ratio: how many times as many there are of the kind with more, when two counts are told apart.
        fewest: that there are of each kind.
    """

    ratio: float = 1.3
    fewest: int = 2


TASK = "relative_counting"
SHARED = "Several of them equally"
"""The option that is right where no category has the extreme count alone."""
_PATTERN = re.compile(r"\AWhich of the following is there the (most|fewest) of in this (?:room|scene)\?\Z")
_SETS = 12


def extreme(counts: Mapping[str, int], word: str) -> tuple[str, float]:
    """The category with the most or the fewest, and by which factor it leads; `SHARED` and 1 where several have it."""
    ordered = sorted(counts, key=lambda name: (-counts[name] if word == "most" else counts[name], name))
    first, second = counts[ordered[0]], counts[ordered[1]]
    return (ordered[0], max(first, second) / max(1, min(first, second))) if first != second else (SHARED, 1.0)


def _clear(answer: str, ratio: float, settings: RelativeCountingSettings) -> bool:
    return answer == SHARED or ratio >= settings.ratio


def draft(geometry: SceneGeometry, settings: RelativeCountingSettings) -> Iterator[Draft | Rejected]:
    """Both questions about some sets of three categories, where they have a clear answer."""
    scene = geometry.scene
    counts = {name: scene.count(name) for name in geometry.whole}
    several = sorted(name for name, count in counts.items() if count >= settings.fewest)
    sets = list(itertools.combinations(several, 3))
    if not sets:
        yield Rejected(TASK, scene.id, f"no three categories that there are {settings.fewest} or more of")
        return
    place = "room" if scene.room_area is not None else "scene"
    for chosen in random.Random(f"{scene.id}:{TASK}").sample(sets, min(_SETS, len(sets))):
        own = {name: counts[name] for name in chosen}
        for word in ("most", "fewest"):
            answer, ratio = extreme(own, word)
            if not _clear(answer, ratio, settings):
                yield Rejected(TASK, scene.id, f"counts within a factor of {settings.ratio}")
                continue
            question = f"Which of the following is there the {word} of in this {place}?"
            options = (answer, *(name for name in (*chosen, SHARED) if name != answer))
            evidence = {"counts": own, "ratio": ratio}
            shows = needed(geometry, every(geometry, *chosen))
            yield Draft(TASK, scene.id, question, answer, None, options, evidence, kind=word, needs=shows)


def recompute(
    geometry: SceneGeometry, item: Item, settings: RelativeCountingSettings, *, released: bool = True
) -> Recomputed:
    """The option with the extreme count."""
    match = _PATTERN.match(item.question)
    if match is None:
        raise ValueError("is no question for relative counts")
    names = [text for text in item.options if text != SHARED]
    counts = {text: geometry.scene.count(geometry.category(text)) for text in names}
    answer, ratio = extreme(counts, match[1])
    broken = () if _clear(answer, ratio, settings) else (f"counts within a factor of {settings.ratio}",)
    return Recomputed(answer, answer, ratio, broken, {"counts": counts})


FAMILY = Family(
    name="spatialbench/relative-counting",
    title="The most or the fewest of three kinds",
    tasks=(TASK,),
    settings=RelativeCountingSettings(),
    taxonomy=TaxonomyPlace(
        vsi="object_counting",
        mmsi="Attribute (Appr.)",
        site="counting & existence",
        spatialbench=TASK,
        factor="visualization",
    ),
    draft=draft,
    recompute=recompute,
    min_shown=MIN_SHOWN_SHARE,
)
