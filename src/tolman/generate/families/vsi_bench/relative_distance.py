"""Relative distance: which of four objects is the closest to another? (VSI-Bench paper, Table 3)."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tolman.generate.answer_evidence import every, nearest, needed
from tolman.generate.family import Draft, DraftRest, Family, FamilySettings, Recomputed, Rejected, matched, place_of
from tolman.generate.scene_geometry import KEY, distance_error
from tolman.generate.share_sampling import draws, shared_order
from tolman.ground_truth.scene_arrays import DistanceMeasure, SceneGeometry
from tolman.items import Item


class RelativeDistanceSettings(FamilySettings):
    """Relative distance.

    Attributes:
        geometry: which distance of boxes.
        least: metres; every option must be at least so far away.
        gap: metres by which any two options must differ.
        large_gap: the same in rooms larger than `large_room` square metres.
        options: how many.
        sets: how sets of options are chosen: a few drawn for each scene, or shared: all of the categories that come
            first in an order that is the same for all scenes, so that many scenes are asked the same. A scene that has
            twins is then asked about the thing in which they differ alone.
        recorded: whether the nearest must lead by more than the uncertainty of its distance in the recording.
    """

    geometry: DistanceMeasure = "exact"
    least: float = 0.15
    gap: float = 0.15
    large_gap: float = 0.30
    large_room: float = 40.0
    options: int = 4
    sets: Literal["drawn", "shared"] = "drawn"
    recorded: bool = False


TASK = "object_rel_distance"
_PATTERN = re.compile(r"which of these objects \((.+)\) is the closest to the (.+?)\?")
_VAGUE = "the recording leaves more open than the lead of the nearest"
_TRIES = 24
"""Sets of options drawn for each object that is asked about."""
_SETS = 4
"""Sets of them that are kept."""
_SHARED = 9
"""Categories of which all sets are asked where these are shared."""
_SHARED_OF_TWINS = 14
"""The same about the thing in which a scene differs from its twins: what is nearest to it differs as well."""


def gap_needed(area: float | None, settings: RelativeDistanceSettings) -> float:
    """Metres by which options must differ in a room of this area."""
    large = area is not None and area > settings.large_room
    return settings.large_gap if large else settings.gap


def smallest_gap(lengths: Sequence[float]) -> float:
    """The least difference of any two distances."""
    ordered = sorted(lengths)
    return min(b - a for a, b in itertools.pairwise(ordered))


def lead(lengths: Sequence[float]) -> float:
    """Metres by which the nearest is nearer than any other."""
    first, second = sorted(lengths)[:2]
    return second - first


def violations(lengths: Sequence[float], area: float | None, settings: RelativeDistanceSettings) -> list[str]:
    """The rules that the distances of the options break; those that leave the answer safe are `harmless`."""
    return _rules(area, settings).broken(sorted(lengths))


@dataclass(frozen=True)
class _Rules:
    """The thresholds for a room, in metres, and the messages about options that break them."""

    least: float
    needed: float
    near: str
    tie: str
    wrong_tie: str

    def broken(self, ordered: Sequence[float]) -> list[str]:
        """The rules that distances break that rise."""
        broken = [self.near] if ordered[0] < self.least else []
        if ordered[1] - ordered[0] <= self.needed:
            broken.append(self.tie)
            return broken
        for a, b in itertools.pairwise(ordered):
            if b - a <= self.needed:
                broken.append(self.wrong_tie)
                break
        return broken


def _rules(area: float | None, settings: RelativeDistanceSettings) -> _Rules:
    needed = gap_needed(area, settings)
    return _Rules(
        settings.least,
        needed,
        near=f"an option nearer than {settings.least} m",
        tie=f"the two nearest options within {needed} m of each other",
        wrong_tie=f"two wrong options within {needed} m of each other",
    )


def harmless(broken: Sequence[str]) -> tuple[str, ...]:
    """Return the broken rules that leave the answer safe: wrong options that tie, and things that are very near."""
    return tuple(rule for rule in broken if rule.startswith(("an option nearer", "two wrong options")))


def draft(geometry: SceneGeometry, settings: RelativeDistanceSettings) -> Iterator[Draft | Rejected]:
    """For each unique object some questions, with sets of options that keep all rules."""
    scene = geometry.scene
    rules = _rules(scene.room_area, settings)
    # Thousands of sets break the same few rules.
    rejected = {reason: Rejected(TASK, scene.id, reason) for reason in (rules.near, rules.tie, rules.wrong_tie, _VAGUE)}
    measure = geometry.exact_distances if settings.geometry == "exact" else geometry.sampled_distances
    categories = geometry.whole
    shared = settings.sets == "shared"
    differing, exchanged = scene.differing, len(scene.differing) == settings.options
    asked = [c for c in geometry.unique if c in differing or exchanged] if shared and differing else geometry.unique
    for primary in asked:
        others = [c for c in categories if c != primary]
        if len(others) < settings.options:
            yield Rejected(TASK, scene.id, f"fewer than {settings.options} other categories")
            continue
        lengths = measure(primary, others)
        kept: set[frozenset[str]] = set()
        most = _SHARED_OF_TWINS if primary in differing else _SHARED
        sets = (
            _shared_sets(others, primary, settings, most)
            if shared
            else _drawn_sets(scene.id, others, primary, settings)
        )
        if shared and exchanged and primary not in differing:
            sets = iter([list(differing)] if set(differing) <= set(others) else [])
        for options in sets:
            broken = rules.broken(sorted([lengths[c] for c in options]))
            if not broken and settings.recorded and _is_vague(geometry, primary, {c: lengths[c] for c in options}):
                broken = [_VAGUE]
            if broken:
                yield rejected[broken[0]]
            elif (names := frozenset(options)) not in kept:
                kept.add(names)
                yield _question(geometry, primary, sorted(options, key=lengths.__getitem__), lengths, settings)
                if len(kept) == _SETS and not shared:
                    break


def _is_vague(geometry: SceneGeometry, primary: str, lengths: Mapping[str, float]) -> bool:
    """Check whether another option may be nearer by the recording alone."""
    nearest = min(lengths, key=lengths.__getitem__)
    return distance_error(geometry, primary, nearest).get(KEY, 0.0) >= lead(list(lengths.values()))


def _drawn_sets(
    scene: str, others: Sequence[str], primary: str, settings: RelativeDistanceSettings
) -> Iterator[list[str]]:
    """Sets of options, drawn for each scene."""
    generator = random.Random(f"{scene}:{TASK}:{primary}")
    return draws(generator, others, settings.options, _TRIES)


def _shared_sets(
    others: Sequence[str], primary: str, settings: RelativeDistanceSettings, most: int
) -> Iterator[list[str]]:
    """All sets of the categories that come first in an order that is the same for all scenes."""
    first = shared_order(others, f"{TASK}:{primary}")[:most]
    return (list(options) for options in itertools.combinations(first, settings.options))


def _question(
    geometry: SceneGeometry,
    primary: str,
    options: list[str],
    lengths: dict[str, float],
    settings: RelativeDistanceSettings,
) -> Draft:
    # The list in the text is filled in when the options have their letters.
    question = (
        "Measuring from the closest point of each object, which of these objects ({options}) is the closest to the "
        f"{primary}?"
    )
    rest = partial(_rest, geometry, primary, lengths, settings)
    return Draft(TASK, geometry.scene.id, question, options[0], None, tuple(options), rest=rest)


def _rest(
    geometry: SceneGeometry,
    primary: str,
    lengths: Mapping[str, float],
    settings: RelativeDistanceSettings,
    asked: Draft,
) -> DraftRest:
    chosen = {c: lengths[c] for c in asked.options}
    evidence = {
        "distances": chosen,
        "gap": smallest_gap(list(chosen.values())),
        "gap_needed": gap_needed(geometry.scene.room_area, settings),
        "geometry": settings.geometry,
        # Any other option can only come out farther than it is.
        **distance_error(geometry, primary, asked.options[0]),
    }
    things = [*every(geometry, primary), *nearest(geometry, primary, *asked.options)]
    return DraftRest(evidence, needed(geometry, things))


def recompute(
    geometry: SceneGeometry, item: Item, settings: RelativeDistanceSettings, *, released: bool = True
) -> Recomputed:
    """The nearest option by sampled and by exact distance."""
    match = matched(_PATTERN, item, "is no question for the closest object")
    primary = geometry.category(match[2])
    options = {text: geometry.category(text) for text in item.options}
    sampled = {}
    if released or settings.geometry == "sampled":
        sampled = {text: geometry.sampled_distance(primary, c) for text, c in options.items()}
    exact = {text: geometry.exact_distance(primary, c) for text, c in options.items()}
    used = exact if settings.geometry == "exact" else sampled
    area = geometry.scene.room_area
    broken = violations(list(used.values()), area, settings)
    broken += [reason] if (reason := geometry.not_one(primary)) else []
    broken += ["an option's count and boxes disagree"] if set(options.values()) - set(geometry.whole) else []
    evidence = {
        "exact": exact,
        "sampled": sampled,
        "exact_gap": smallest_gap(list(exact.values())),
        "lead": lead(list(exact.values())),
        "sampled_gap": smallest_gap(list(sampled.values())) if sampled else None,
        "room_area": area,
    }
    return Recomputed(
        min(sampled, key=sampled.__getitem__) if sampled else None,
        min(exact, key=exact.__getitem__),
        lead(list(exact.values())),
        tuple(broken),
        evidence,
        harmless=harmless(broken),
    )


FAMILY = Family(
    name="vsi-bench/relative-distance",
    title="The closest of four objects",
    tasks=(TASK,),
    settings=RelativeDistanceSettings(),
    taxonomy=place_of("vsi-bench/relative-distance"),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
    scale_free=True,
)
