"""Route plan with two gaps, as SpatialBench asks for it. (Level 5.)

Rule: a robot goes straight from the middle of one unique landmark to the next, four of them. Each of the three ways is
at least `shortest` metres long, no wall stands in it, and no other still thing between `low` and `high` metres above
the ground reaches into the strip of `clearance` metres on both sides. Both turns are left or right, by no less than
`flattest` and no more than `sharpest` degrees. The four options are the four pairs of turns, each right equally often.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.families.spatialbench.causal import CausalSettings
from tolman.generate.families.spatialbench.support.ground import apart, bearing, met, middle, walled
from tolman.generate.families.spatialbench.support.settings import MIN_SHOWN_SHARE
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import every, needed
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


class FillInSettings(CausalSettings):
    """Route plan with two gaps.

    Attributes:
        flattest, sharpest: degrees of a turn.
        clearance: metres on each side of a way that are free.
        shortest: metres of a way.
    """

    flattest: float = 30.0
    sharpest: float = 135.0
    clearance: float = 0.2
    shortest: float = 0.8


TASK = "route_plan"
_PATTERN = re.compile(
    r"\AYou are a robot at the (.+?) and face the (.+?)\. Your target is the (.+?)\. Your route will be: "
    r"'Go straight until the (.+?), \[1\], go straight until the (.+?), \[2\], go straight until the (.+?)\.' "
    r"What fills the gaps\?\Z"
)
_MAX_TRIES = 400
"""Routes of a scene that are looked at."""
_MAX_PER_PAIR = 6
"""Questions of a scene for each pair of turns."""
_PAIRS = tuple(itertools.product(("left", "right"), repeat=2))


def _text(turns: Sequence[str]) -> str:
    return f"[1] turn {turns[0]}, [2] turn {turns[1]}"


def turns_of(geometry: SceneGeometry, stops: Sequence[str]) -> list[float]:
    """The angle of each turn in degrees, left positive."""
    places = [geometry.center(name)[:2] for name in stops]
    return [
        bearing(here, here + (here - before), after)
        for before, here, after in zip(places, places[1:], places[2:], strict=False)
    ]


def violations(geometry: SceneGeometry, stops: Sequence[str], settings: FillInSettings) -> list[str]:
    """The rules that a route breaks."""
    broken = [reason for a, b in itertools.pairwise(stops) if (reason := blocked(geometry, a, b, settings))]
    if any(not settings.flattest <= abs(angle) <= settings.sharpest for angle in turns_of(geometry, stops)):
        broken.append(f"a turn of less than {settings.flattest}° or more than {settings.sharpest}°")
    return broken


def blocked(geometry: SceneGeometry, a: str, b: str, settings: FillInSettings) -> str:
    """The reason why one can't go straight from one unique landmark to another; empty if one can."""
    (i,), (j,) = geometry.members[a], geometry.members[b]
    here, there = middle(geometry, i), middle(geometry, j)
    length = apart(here, there)
    if length < settings.shortest:
        return f"a way shorter than {settings.shortest} m"
    if walled(geometry, i, j):
        return "a wall is in the way"
    found = met(geometry, here, (there - here) / length, length, settings.clearance, (i, j), settings)
    return "something is in the way" if found else ""


def draft(geometry: SceneGeometry, settings: FillInSettings) -> Iterator[Draft | Rejected]:
    """Some routes over free ways for each pair of turns."""
    scene = geometry.scene
    free: dict[str, list[str]] = {name: [] for name in geometry.unique}
    for a, b in itertools.combinations(geometry.unique, 2):
        reason = blocked(geometry, a, b, settings)
        if reason:
            yield Rejected(TASK, scene.id, reason)
        else:
            free[a].append(b)
            free[b].append(a)
    routes = [
        (a, b, c, d) for a in free for b in free[a] for c in free[b] if c != a for d in free[c] if d not in (a, b)
    ]
    generator = random.Random(f"{scene.id}:{TASK}")
    made: dict[tuple[str, ...], int] = {}
    for stops in generator.sample(routes, min(len(routes), _MAX_TRIES)):
        angles = turns_of(geometry, stops)
        turns = tuple("left" if angle > 0 else "right" for angle in angles)
        broken = violations(geometry, stops, settings)
        if broken:
            yield Rejected(TASK, scene.id, broken[0])
        elif made.get(turns, 0) < _MAX_PER_PAIR:
            made[turns] = made.get(turns, 0) + 1
            yield _question(geometry, stops, turns, angles)


def _question(geometry: SceneGeometry, stops: Sequence[str], turns: tuple[str, ...], angles: Sequence[float]) -> Draft:
    a, b, c, d = stops
    question = (
        f"You are a robot at the {a} and face the {b}. Your target is the {d}. Your route will be: 'Go straight until "
        f"the {b}, [1], go straight until the {c}, [2], go straight until the {d}.' What fills the gaps?"
    )
    options = (_text(turns), *(_text(other) for other in _PAIRS if other != turns))
    evidence = {"stops": list(stops), "turns": list(angles)}
    shows = needed(geometry, every(geometry, *stops))
    return Draft(TASK, geometry.scene.id, question, options[0], None, options, evidence, closed=True, needs=shows)


def recompute(geometry: SceneGeometry, item: Item, settings: FillInSettings, *, released: bool = True) -> Recomputed:
    """The turns of the route."""
    match = _PATTERN.match(item.question)
    if match is None or match[2] != match[4] or match[3] != match[6]:
        raise ValueError("is no question for two turns of a route")
    stops = [geometry.category(match[i]) for i in (1, 2, 5, 6)]
    angles = turns_of(geometry, stops)
    answer = _text(["left" if angle > 0 else "right" for angle in angles])
    margin = min(min(abs(angle), 180.0 - abs(angle)) for angle in angles)
    broken = tuple(violations(geometry, stops, settings))
    # The turns follow from the landmarks alone, whatever stands on the way; only a flat one, or a hairpin, is doubtful.
    return Recomputed(
        answer, answer, margin, broken, {"turns": angles}, harmless=broken if margin >= settings.flattest else ()
    )


FAMILY = Family(
    name="spatialbench/route-gaps",
    title="The two turns of a route",
    tasks=(TASK,),
    settings=FillInSettings(),
    taxonomy=TaxonomyPlace(
        vsi="route_planning",
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
