"""Relations of objects: relative counting, and the order on a route of one's own. (SpatialBench, level 2.)

Relative counting asks which of three kinds of things there is most, or fewest, of. The rule uses the scene's counts of
categories whose objects the video shows without exception. Only kinds with several things are asked about: a kind that
comes alone in most places would be known not to be the most frequent. The right category's count differs from each
other one's at least by the factor `ratio`; where two share the extreme, the right option says so.

The order on a route asks in which order one passes things. The route is the straight line between the middles of two
landmarks. One passes a thing when one is level with it: the order is that of the feet of the perpendiculars from the
things' middles. All three are between the landmarks and at most `aside` metres from the line. Their middles, and
likewise where they begin and where they end, come in the same order along the route, the middles at least `gap` metres
apart. If the line leaves the floor, there is no route.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tolman.generate.answer_evidence import every, needed
from tolman.generate.families.spatialbench.support.ground import apart, walk_family, walled
from tolman.generate.family import Draft, FamilySettings, Recomputed, Rejected, matched
from tolman.generate.scene_geometry import this_place
from tolman.generate.share_sampling import draws_of
from tolman.geometry.boxes import Floats
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item


class RelativeCountingSettings(FamilySettings):
    """Relative counting.

    Attributes:
        ratio: how many times as many there are of the kind with more, when two counts count as different.
        fewest: that there are of each kind.
    """

    ratio: float = 1.3
    fewest: int = 2


RELATIVE_COUNTING_TASK = "relative_counting"
SHARED = "Several of them equally"
"""The option that is right where no category has the extreme count alone."""
_RELATIVE_COUNTING_PATTERN = re.compile(
    r"\AWhich of the following is there the (most|fewest) of in (?:this room|these rooms|this scene)\?\Z"
)
_SETS = 12


def extreme(counts: Mapping[str, int], word: str) -> tuple[str, float]:
    """The category with the most or the fewest, and by which factor it leads; `SHARED` and 1 where several have it."""
    ordered = sorted(counts, key=lambda name: (-counts[name] if word == "most" else counts[name], name))
    first, second = counts[ordered[0]], counts[ordered[1]]
    return (ordered[0], max(first, second) / max(1, min(first, second))) if first != second else (SHARED, 1.0)


def _clear(answer: str, ratio: float, settings: RelativeCountingSettings) -> bool:
    return answer == SHARED or ratio >= settings.ratio


def draft_relative_counting(geometry: SceneGeometry, settings: RelativeCountingSettings) -> Iterator[Draft | Rejected]:
    """Both questions about some sets of three categories, where they have a clear answer."""
    scene = geometry.scene
    counts = {name: scene.count(name) for name in geometry.whole}
    several = sorted(name for name, count in counts.items() if count >= settings.fewest)
    sets = list(itertools.combinations(several, 3))
    if not sets:
        yield Rejected(
            RELATIVE_COUNTING_TASK, scene.id, f"no three categories that there are {settings.fewest} or more of"
        )
        return
    drawn = draws_of(scene, RELATIVE_COUNTING_TASK).sample(sets, len(sets))
    # Kinds in which twins differ come first.
    for chosen in sorted(drawn, key=lambda names: -len(set(names).intersection(scene.differing)))[:_SETS]:
        own = {name: counts[name] for name in chosen}
        for word in ("most", "fewest"):
            answer, ratio = extreme(own, word)
            if not _clear(answer, ratio, settings):
                yield Rejected(RELATIVE_COUNTING_TASK, scene.id, f"counts within a factor of {settings.ratio}")
                continue
            question = f"Which of the following is there the {word} of in {this_place(scene)}?"
            options = (answer, *(name for name in (*chosen, SHARED) if name != answer))
            evidence = {"counts": own, "ratio": ratio}
            shows = needed(geometry, every(geometry, *chosen))
            yield Draft(
                RELATIVE_COUNTING_TASK, scene.id, question, answer, None, options, evidence, kind=word, needs=shows
            )


def recompute_relative_counting(
    geometry: SceneGeometry, item: Item, settings: RelativeCountingSettings, *, released: bool = True
) -> Recomputed:
    """The option with the extreme count."""
    match = matched(_RELATIVE_COUNTING_PATTERN, item, "is no question for relative counts")
    names = [text for text in item.options if text != SHARED]
    counts = {text: geometry.scene.count(geometry.category(text)) for text in names}
    answer, ratio = extreme(counts, match[1])
    broken = () if _clear(answer, ratio, settings) else (f"counts within a factor of {settings.ratio}",)
    return Recomputed(answer, answer, ratio, broken, {"counts": counts})


RELATIVE_COUNTING_FAMILY = replace(
    walk_family(
        "spatialbench/relative-counting",
        "The most or the fewest of three kinds",
        RELATIVE_COUNTING_TASK,
        RelativeCountingSettings(),
        draft_relative_counting,
        recompute_relative_counting,
    ),
    min_shown=0.0,  # as for object counts: where things are doesn't matter
)


class PassingSettings(FamilySettings):
    """Appearance order on a self-defined route.

    Attributes:
        shortest: metres of the route.
        gap: metres along the route between any two things' middles.
        aside: metres to the side of the route within which one is said to pass something.
    """

    shortest: float = 3.0
    gap: float = 1.0
    aside: float = 2.0


ORDER_ON_ROUTE_TASK = "appearance_order_on_self-defined_route"
_ORDER_ON_ROUTE_PATTERN = re.compile(
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
    """Return the places of things along a route and to its side.

    Returns:
        Least, middle and greatest metres along the route of each thing, shape (n, 3); metres to its side of their
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
    """Check that a thing is next to a route, between its ends."""
    ((_, middle, _),), (beside,), length = along(geometry, start, end, [name])
    return bool(abs(beside) <= settings.aside and settings.gap <= middle <= length - settings.gap)


def draft_order_on_route(geometry: SceneGeometry, settings: PassingSettings) -> Iterator[Draft | Rejected]:
    """Some routes between unique landmarks, each with some sets of three unique things."""
    scene = geometry.scene
    generator = draws_of(scene, ORDER_ON_ROUTE_TASK)
    routes = list(itertools.permutations(geometry.unique, 2))
    asked = 0
    for start, end in generator.sample(routes, len(routes)):
        if apart(geometry.center(start), geometry.center(end)) < settings.shortest:
            yield Rejected(ORDER_ON_ROUTE_TASK, scene.id, _SHORT.format(settings))
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
            yield Rejected(ORDER_ON_ROUTE_TASK, scene.id, "no three things that are passed one after the other")
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
    return Draft(
        ORDER_ON_ROUTE_TASK, geometry.scene.id, question, options[0], None, tuple(options), evidence, needs=shows,
        open_options=True,
    )  # fmt: skip


def recompute_order_on_route(
    geometry: SceneGeometry, item: Item, settings: PassingSettings, *, released: bool = True
) -> Recomputed:
    """The order along the route."""
    match = matched(_ORDER_ON_ROUTE_PATTERN, item, "is no question for an order along a route")
    written = re.split(r", the | and the ", match[3])
    start, end, *names = (geometry.category(name) for name in (match[1], match[2], *written))
    spans, _, _ = along(geometry, start, end, names)
    order = _SEPARATOR.join(written[i] for i in np.argsort(spans[:, 1]))
    gap = float(np.diff(np.sort(spans[:, 1])).min())
    broken = tuple(violations(geometry, start, end, names, settings))
    # How long the route is, and how far aside things stand, doesn't change in which order one is level with them.
    harmless = tuple(rule for rule in broken if rule in (_SHORT.format(settings), _ASIDE.format(settings)))
    return Recomputed(order, order, gap, broken, harmless=harmless)


ORDER_ON_ROUTE_FAMILY = walk_family(
    "spatialbench/order-on-route",
    "Order in which things are passed on a route",
    ORDER_ON_ROUTE_TASK,
    PassingSettings(),
    draft_order_on_route,
    recompute_order_on_route,
    _ORDER_ON_ROUTE_PATTERN,
)

FAMILIES = (RELATIVE_COUNTING_FAMILY, ORDER_ON_ROUTE_FAMILY)
