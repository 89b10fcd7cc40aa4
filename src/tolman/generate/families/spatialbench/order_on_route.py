"""Appearance order on a self-defined route: in which order does one pass things? (SpatialBench, level 2.)

Rule: the route is the straight line between the middles of two landmarks. One passes a thing when one is level with it:
the order is that of the feet of the perpendiculars from the things' middles. All three lie between the landmarks and at
most `aside` metres from the line; their middles, and likewise where they begin and where they end, come in the same
order along the route, the middles at least `gap` metres apart. Where the line leaves the floor there is no route.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

import numpy as np

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.families.spatialbench.support.ground import apart, walled
from tolman.generate.families.spatialbench.support.settings import MIN_SHOWN_SHARE
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.geometry.boxes import Floats
from tolman.items import Item


class PassingSettings(FamilySettings):
    """Appearance order on a self-defined route.

    Attributes:
        shortest: metres of the route.
        gap: metres along the route between any two things' middles.
        aside: metres beside the route within which one is said to pass something.
    """

    shortest: float = 3.0
    gap: float = 1.0
    aside: float = 2.0


TASK = "appearance_order_on_self-defined_route"
_PATTERN = re.compile(
    r"\AIf you move in a straight line from the (.+?) to the (.+?), in which order do you pass the (.+)\?\Z"
)
_SEPARATOR = " -> "
_SHORT = "a route shorter than {0.shortest} m"
_ASIDE = "more than {0.aside} m beside the route"
_MAX_PER_ROUTE = 2
"""Questions about a route."""
_MAX_ROUTES = 14
"""Routes that are asked about in a scene."""


def along(geometry: SceneGeometry, start: str, end: str, names: Sequence[str]) -> tuple[Floats, Floats, float]:
    """Places of things along and beside a route.

    Returns:
        Least, middle and greatest metres along the route of each thing, shape (n, 3); metres beside it of their
        middles, shape (n,); the route's length.
    """
    here, there = geometry.center(start)[:2], geometry.center(end)[:2]
    way = (there - here) / np.linalg.norm(there - here)
    corners = np.array([geometry.vertices(name)[:, :2] - here for name in names]) @ way
    middles = np.array([geometry.center(name)[:2] - here for name in names])
    beside = middles @ np.array([-way[1], way[0]])
    spans = np.stack([corners.min(1), middles @ way, corners.max(1)], axis=1)
    return spans, beside, apart(here, there)


def violations(
    geometry: SceneGeometry, start: str, end: str, names: Sequence[str], settings: PassingSettings
) -> list[str]:
    """The rules that a route with its things breaks."""
    spans, beside, length = along(geometry, start, end, names)
    broken = []
    if length < settings.shortest:
        broken.append(_SHORT.format(settings))
    elif walled(geometry, geometry.members[start][0], geometry.members[end][0]):
        broken.append("the floor ends")
    if np.abs(beside).max() > settings.aside:
        broken.append(_ASIDE.format(settings))
    if spans[:, 1].min() < settings.gap or spans[:, 1].max() > length - settings.gap:
        broken.append("not between the landmarks")
    ordered = spans[np.argsort(spans[:, 1])]
    if np.diff(ordered[:, 1]).min() < settings.gap or (np.diff(ordered, axis=0) <= 0).any():
        broken.append(f"two things within {settings.gap} m of each other along the route")
    return broken


def _is_passed(geometry: SceneGeometry, start: str, end: str, name: str, settings: PassingSettings) -> bool:
    """Tell whether a thing stands beside a route, between its ends."""
    ((_, middle, _),), (beside,), length = along(geometry, start, end, [name])
    return bool(abs(beside) <= settings.aside and settings.gap <= middle <= length - settings.gap)


def draft(geometry: SceneGeometry, settings: PassingSettings) -> Iterator[Draft | Rejected]:
    """Some routes between unique landmarks, each with some sets of three unique things."""
    scene = geometry.scene
    generator = random.Random(f"{scene.id}:{TASK}")
    routes = list(itertools.permutations(geometry.unique, 2))
    asked = 0
    for start, end in generator.sample(routes, len(routes)):
        if apart(geometry.center(start), geometry.center(end)) < settings.shortest:
            yield Rejected(TASK, scene.id, _SHORT.format(settings))
            continue
        if asked >= _MAX_ROUTES:
            return
        others = [name for name in geometry.unique if name not in (start, end)]
        # What alone breaks a rule can't be among three that keep all.
        beside = [name for name in others if len(others) > 2 and _is_passed(geometry, start, end, name, settings)]
        sets = [
            three
            for three in itertools.combinations(beside, 3)
            if not violations(geometry, start, end, three, settings)
        ]
        if not sets:
            yield Rejected(TASK, scene.id, "no three things that are passed one after the other")
            continue
        asked += 1
        for three in generator.sample(sets, min(_MAX_PER_ROUTE, len(sets))):
            yield _question(geometry, start, end, generator.sample(three, 3), generator)


def _question(geometry: SceneGeometry, start: str, end: str, names: Sequence[str], generator: random.Random) -> Draft:
    spans, beside, _ = along(geometry, start, end, names)
    order = [names[i] for i in np.argsort(spans[:, 1])]
    others = [p for p in itertools.permutations(order) if list(p) != order]
    options = [_SEPARATOR.join(p) for p in (order, *generator.sample(others, 3))]
    listed = f"{names[0]}, the {names[1]} and the {names[2]}"
    question = f"If you move in a straight line from the {start} to the {end}, in which order do you pass the {listed}?"
    evidence = {
        "along": {name: float(span[1]) for name, span in zip(names, spans, strict=True)},
        "beside": {name: float(metres) for name, metres in zip(names, beside, strict=True)},
        "gap": float(np.diff(np.sort(spans[:, 1])).min()),
    }
    shows = needed(geometry, every(geometry, start, end, *names))
    return Draft(TASK, geometry.scene.id, question, options[0], None, tuple(options), evidence, needs=shows)


def recompute(geometry: SceneGeometry, item: Item, settings: PassingSettings, *, released: bool = True) -> Recomputed:
    """The order along the route."""
    match = _PATTERN.match(item.question)
    if match is None:
        raise ValueError("is no question for an order along a route")
    written = re.split(r", the | and the ", match[3])
    start, end, *names = (geometry.category(name) for name in (match[1], match[2], *written))
    spans, _, _ = along(geometry, start, end, names)
    order = _SEPARATOR.join(written[i] for i in np.argsort(spans[:, 1]))
    gap = float(np.diff(np.sort(spans[:, 1])).min())
    broken = tuple(violations(geometry, start, end, names, settings))
    # How long the route is, and how far aside things stand, doesn't change in which order one is level with them.
    harmless = tuple(rule for rule in broken if rule in (_SHORT.format(settings), _ASIDE.format(settings)))
    return Recomputed(order, order, gap, broken, harmless=harmless)


FAMILY = Family(
    name="spatialbench/order-on-route",
    title="Order in which things are passed on a route",
    tasks=(TASK,),
    settings=PassingSettings(),
    taxonomy=TaxonomyPlace(
        mmsi="MSR",
        site="movement prediction & navigation",
        spatialbench=TASK,
        factor="orientation",
        change="dynamic",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
    min_shown=MIN_SHOWN_SHARE,
)
