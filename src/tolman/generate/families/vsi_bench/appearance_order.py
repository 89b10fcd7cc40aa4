"""Appearance order: in which order do four categories come into view for the first time? (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from tolman.generate.answer_evidence import needed
from tolman.generate.family import Draft, Family, FamilySettings, Recomputed, Rejected, matched, place_of
from tolman.generate.share_sampling import shared_order
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item


class AppearanceSettings(FamilySettings):
    """Appearance order.

    Attributes:
        pixels: how many of a category make it seen. The paper's threshold is not published.
        gap: seconds that first appearances must be apart.
        listing: how the question lists its four categories: drawn for each scene, or by the alphabet, so that scenes
            with the same four share the question's text. With 'alphabet' sets are preferred that many scenes have, too.
            Twins are asked about all sets of some categories: where they differ in one thing, those with it, and where
            in several, these first.
    """

    pixels: int = 200
    gap: float = 1.0
    listing: Literal["drawn", "alphabet"] = "drawn"


TASK = "obj_appearance_order"
_PATTERN = re.compile(r"order of the following categories in the video: (.+)\?\Z")
_TRIES = 24
_SETS = 4
_OF_TWINS = 14
"""Twins are asked about all sets of these categories."""


def first_appearances(geometry: SceneGeometry, settings: AppearanceSettings) -> dict[str, float]:
    """Seconds of the video at which each category first shows at least so many pixels, all its objects together."""
    capture = geometry.video_capture
    if capture is None:
        return {}
    return {
        name: capture.times[frames[0]] - capture.times[0]
        for name, frames in geometry.appearances(settings.pixels).items()
    }


def gap(times: list[float]) -> float:
    """The least time between two first appearances."""
    return min(b - a for a, b in itertools.pairwise(sorted(times)))


def draft(geometry: SceneGeometry, settings: AppearanceSettings) -> Iterator[Draft | Rejected]:
    """Draft some sets of four categories whose first appearances are far enough apart."""
    scene = geometry.scene
    first, shown = first_appearances(geometry, settings), geometry.appearances(settings.pixels)
    if len(first) < 4:
        yield Rejected(TASK, scene.id, "fewer than four categories are seen in a video")
        return
    generator = random.Random(f"{scene.id}:{TASK}")
    kept: set[frozenset[str]] = set()
    most = _SETS if settings.listing == "drawn" else math.inf
    for chosen in _sets(geometry, first, generator, settings):
        if len(chosen) < 4:
            yield Rejected(TASK, scene.id, f"no four first appearances more than {settings.gap} s apart")
        elif frozenset(chosen) not in kept and len(kept) < most:
            kept.add(frozenset(chosen))
            times = [first[name] for name in chosen]
            order = sorted(chosen, key=first.__getitem__)
            others = [list(p) for p in itertools.permutations(order) if list(p) != order]
            options = (order, *generator.sample(others, 3))
            question = (
                "What will be the first-time appearance order of the following categories in the video: "
                f"{', '.join(sorted(chosen) if settings.listing == 'alphabet' else chosen)}?"
            )
            evidence = {"first_seen": {name: first[name] for name in order}, "gap": gap(times)}
            yield Draft(
                TASK,
                scene.id,
                question,
                ", ".join(order),
                None,
                tuple(", ".join(o) for o in options),
                evidence,
                needs=needed(geometry, [(name, shown[name]) for name in order], in_order=True),
                open_options=True,
            )


def _sets(
    geometry: SceneGeometry, first: Mapping[str, float], generator: random.Random, settings: AppearanceSettings
) -> Iterator[list[str]]:
    """Sets of categories that come into view far enough apart; fewer than four where there are no four."""
    for number in range(_TRIES):
        chosen: list[str] = []
        for name in _preferred(sorted(first), generator, number, settings):
            if len(chosen) < 4 and all(abs(first[name] - first[other]) > settings.gap for other in chosen):
                chosen.append(name)
        yield chosen
    if settings.listing == "alphabet" and geometry.scene.twins:
        differing = [name for name in geometry.scene.differing if name in first]
        others = [name for name in shared_order(sorted(first), TASK) if name not in differing]
        ordered, fixed = ([*differing, *others][:_OF_TWINS], differing if len(differing) == 1 else [])
        for four in itertools.combinations(ordered, 4):
            if set(fixed) <= set(four) and gap([first[name] for name in four]) > settings.gap:
                yield list(four)


def _preferred(names: list[str], generator: random.Random, number: int, settings: AppearanceSettings) -> list[str]:
    """Categories in the order in which a set takes them: drawn, or the same preferences for all scenes."""
    if settings.listing == "drawn":
        return generator.sample(names, len(names))
    return shared_order(names, f"{TASK}:{number}")


def recompute(
    geometry: SceneGeometry, item: Item, settings: AppearanceSettings, *, released: bool = True
) -> Recomputed:
    """The order by first appearance."""
    match = matched(_PATTERN, item, "is no question for an order of appearance")
    first = first_appearances(geometry, settings)
    names = match[1].split(", ")
    missing = [name for name in names if name not in first]
    if missing:
        raise KeyError(f"{missing[0]} in a video")
    times = [first[name] for name in names]
    order = ", ".join(sorted(names, key=first.__getitem__))
    broken = (f"two first appearances within {settings.gap} s",) if gap(times) <= settings.gap else ()
    listed = [re.split(r", | -> ", option) for option in item.options]
    rivals = [own for own in listed if ", ".join(own) != order and _as_good(own, first, settings)]
    evidence = {"first_seen": {name: first[name] for name in names}}
    return Recomputed(order, order, gap(times), broken, evidence, harmless=() if rivals else broken)


def _as_good(names: Sequence[str], first: dict[str, float], settings: AppearanceSettings) -> bool:
    """Check that an order is wrong only in first appearances that are too near to each other to distinguish."""
    swapped = [(a, b) for a, b in itertools.combinations(names, 2) if first.get(a, 0.0) > first.get(b, 0.0)]
    return all(first[a] - first[b] <= settings.gap for a, b in swapped if a in first and b in first)


FAMILY = Family(
    name="vsi-bench/appearance-order",
    title="Order of first appearance in a video",
    tasks=(TASK,),
    settings=AppearanceSettings(),
    taxonomy=place_of("vsi-bench/appearance-order"),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
    scale_free=True,
)
