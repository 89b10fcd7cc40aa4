"""Relative counting: which of four kinds of things is there most, or least, of? (SpatialBench, level 2.)

Rule: the scene's counts, of categories of which the video shows every object. The right category's count differs from
each other option's at least by the factor `ratio`. Both questions are asked about the same four categories, so that
what there is usually most of is as often wrong as right.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping

from tolman.generate.draft import Draft, Family, Recomputed, Rejected
from tolman.generate.geometry import SceneGeometry
from tolman.generate.levels.settings import RelativeCountingSettings
from tolman.items import Item

TASK = "relative_counting"
_PATTERN = re.compile(r"\AWhich of the following is there the (most|fewest) of in this (?:room|scene)\?\Z")
_SETS = 6


def extreme(counts: Mapping[str, int], word: str) -> tuple[str, float]:
    """The category with the most or the fewest, and by which factor it leads."""
    ordered = sorted(counts, key=lambda name: (-counts[name] if word == "most" else counts[name], name))
    first, second = counts[ordered[0]], counts[ordered[1]]
    return ordered[0], max(first, second) / max(1, min(first, second))


def draft(geometry: SceneGeometry, settings: RelativeCountingSettings) -> Iterator[Draft | Rejected]:
    """Both questions about some sets of four categories that have a clear most and a clear fewest."""
    scene = geometry.scene
    counts = {name: scene.count(name) for name in geometry.whole}
    sets = [chosen for chosen in itertools.combinations(sorted(counts), 4) if _clear(chosen, counts, settings)]
    if not sets:
        yield Rejected(TASK, scene.id, "no four categories with a clear most and a clear fewest")
        return
    place = "room" if scene.room_area is not None else "scene"
    for chosen in random.Random(f"{scene.id}:{TASK}").sample(sets, min(_SETS, len(sets))):
        own = {name: counts[name] for name in chosen}
        for word in ("most", "fewest"):
            answer, ratio = extreme(own, word)
            question = f"Which of the following is there the {word} of in this {place}?"
            options = (answer, *(name for name in chosen if name != answer))
            yield Draft(TASK, scene.id, question, answer, None, options, {"counts": own, "ratio": ratio}, kind=word)


def _clear(chosen: tuple[str, ...], counts: Mapping[str, int], settings: RelativeCountingSettings) -> bool:
    own = {name: counts[name] for name in chosen}
    return min(extreme(own, word)[1] for word in ("most", "fewest")) >= settings.ratio


def recompute(
    geometry: SceneGeometry, item: Item, settings: RelativeCountingSettings, *, released: bool = True
) -> Recomputed:
    """The option with the extreme count."""
    match = _PATTERN.match(item.question)
    if match is None:
        raise ValueError("is no question for relative counts")
    counts = {text: geometry.scene.count(geometry.category(text)) for text in item.options}
    answer, ratio = extreme(counts, match[1])
    broken = (f"counts within a factor of {settings.ratio}",) if ratio < settings.ratio else ()
    return Recomputed(answer, answer, ratio, broken, {"counts": counts})


FAMILY = Family((TASK,), draft, recompute)
