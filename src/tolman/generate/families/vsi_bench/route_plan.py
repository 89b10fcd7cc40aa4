"""Route plan: which turns lead from landmark to landmark? (VSI-Bench paper, Table 3; there written by people.)

Routes are composed here: two to five straight moves between unique landmarks, inside the floor and clear of every other
object, each turn far enough from an ambiguous one.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

import numpy as np

from tolman.benchmarks.vsi_bench import TURNS
from tolman.extras import shapely
from tolman.generate.answer_evidence import every, needed
from tolman.generate.family import Draft, Family, FamilySettings, Recomputed, Rejected, place_of
from tolman.generate.scene_geometry import KEY, angle_error
from tolman.generate.share_sampling import draws_of, shared_order
from tolman.geometry.ground_plane import THIRDS, boundary_gap, egocentric_angle, sector_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item


class RouteSettings(FamilySettings):
    """Route plan.

    Attributes:
        least_moves, most_moves: straight moves of a route.
        margin: degrees that a turn must be away from another answer.
        shortest: metres of a move.
        clearance: metres on each side of the way that must be free.
        headroom: metres; an object that begins higher is no obstacle.
    """

    least_moves: int = 2
    most_moves: int = 5
    margin: float = 20.0
    shortest: float = 0.5
    clearance: float = 0.2
    headroom: float = 1.9


TASK = "route_planning"
_PATTERN = re.compile(r"beginning at the (.+?) facing the (.+?)\. You want to navigate to the (.+?)\. ")
_STOP = re.compile(r"Go forward until the (.+?)(?= \d+\. |\. You have reached)")
_TURN_FIRST = " 1. [please fill in]"
_TRIES = 60
_MOVES_OF_TWINS, _OF_TWINS = (2, 3), 9
"""Lengths of routes that twins are all asked about, and landmarks on them."""


def turns_of(geometry: SceneGeometry, stops: Sequence[str], facing: str | None = None) -> list[tuple[str, float]]:
    """Each turn of a route with the degrees to the nearest other answer; as `angles_of` takes it."""
    return [
        (TURNS[sector_of(angle, THIRDS)], min(boundary_gap(angle, THIRDS)))
        for angle in angles_of(geometry, stops, facing)
    ]


def angles_of(geometry: SceneGeometry, stops: Sequence[str], facing: str | None = None) -> list[float]:
    """Each turn of a route, 0 ≤ degrees < 360, left from straight on.

    Args:
        geometry: of the scene.
        stops: landmarks; the walk begins at the first.
        facing: the landmark faced there; if it isn't the second stop, the walk begins with a turn.
    """
    places = [geometry.center(name) for name in stops]
    found = []
    if facing is not None and facing != stops[1]:
        found.append(float(egocentric_angle(places[0], geometry.center(facing), places[1])))
    for before, here, after in zip(places, places[1:], places[2:], strict=False):
        # Standing here, facing on in the direction of the walk.
        found.append(float(egocentric_angle(here, here + (here - before), after)))
    return found


def obstacles(geometry: SceneGeometry, stops: Sequence[str], settings: RouteSettings) -> list[str]:
    """Return the obstacles of a route: 'the floor ends', or the categories of objects in its way."""
    found: list[str] = []
    for a, b in itertools.pairwise(stops):
        move = a, b, settings.clearance, settings.headroom
        if move not in geometry.on_the_way:
            geometry.on_the_way[move] = tuple(_on_the_way(geometry, *move))
        found += geometry.on_the_way[move]
    return found


def _on_the_way(geometry: SceneGeometry, a: str, b: str, clearance: float, headroom: float) -> Iterator[str]:
    """The obstacles of one move."""
    way = shapely.LineString([geometry.center(a)[:2], geometry.center(b)[:2]]).buffer(clearance)
    if not geometry.walkable(clearance).covers(way):
        yield "the floor ends"
    for low, outline, thing in zip(geometry.heights[:, 0], geometry.footprints, geometry.scene.objects, strict=True):
        if thing.category not in (a, b) and low <= headroom and outline.intersects(way):
            yield thing.category


def violations(
    geometry: SceneGeometry, stops: Sequence[str], settings: RouteSettings, facing: str | None = None
) -> list[str]:
    """The rules that a route breaks."""
    if not settings.least_moves <= len(stops) - 1 <= settings.most_moves:
        return [f"not {settings.least_moves} to {settings.most_moves} moves"]
    named = [*stops, *([facing] if facing is not None else [])]
    broken = [reason for name in named if (reason := geometry.not_one(name))]
    if broken:
        return broken[:1]
    if min(margin for _, margin in turns_of(geometry, stops, facing)) < settings.margin:
        return [f"a turn within {settings.margin}° of another answer"]
    lengths = [
        float(np.linalg.norm((geometry.center(b) - geometry.center(a))[:2])) for a, b in itertools.pairwise(stops)
    ]
    if min(lengths) < settings.shortest:
        return [f"a move shorter than {settings.shortest} m"]
    return ["something is in the way"] if obstacles(geometry, stops, settings) else []


def draft(geometry: SceneGeometry, settings: RouteSettings) -> Iterator[Draft | Rejected]:
    """Some routes of every length."""
    scene = geometry.scene
    if not scene.floor:
        yield Rejected(TASK, scene.id, "the floor's outline is not known")
        return
    generator = draws_of(scene, TASK)
    for stops in _routes(geometry, generator, settings):
        broken = violations(geometry, stops, settings)
        yield Rejected(TASK, scene.id, broken[0]) if broken else question(geometry, stops, generator)


def _routes(geometry: SceneGeometry, generator: random.Random, settings: RouteSettings) -> Iterator[tuple[str, ...]]:
    """Routes, each once: some of every length, and of twins all short ones by a thing in which they differ."""
    seen: set[tuple[str, ...]] = set()
    for moves in range(settings.least_moves, min(settings.most_moves, len(geometry.unique) - 1) + 1):
        for _ in range(_TRIES):
            stops = tuple(generator.sample(geometry.unique, moves + 1))
            if stops not in seen:
                seen.add(stops)
                yield stops
    differing = [name for name in geometry.scene.differing if name in geometry.unique]
    others = [name for name in shared_order(geometry.unique, TASK) if name not in differing]
    for moves in _MOVES_OF_TWINS if differing else ():
        for stops in itertools.permutations([*differing, *others][:_OF_TWINS], moves + 1):
            if stops not in seen and not set(differing).isdisjoint(stops):
                yield stops


def question(
    geometry: SceneGeometry, stops: Sequence[str], generator: random.Random, facing: str | None = None
) -> Draft:
    """A route as a question.

    Args:
        geometry: of the scene.
        stops, facing: as in `turns_of`.
        generator: draws the wrong options.
    """
    turns = turns_of(geometry, stops, facing)
    right = ", ".join(name for name, _ in turns)
    others = [", ".join(p) for p in itertools.product(TURNS.values(), repeat=len(turns)) if ", ".join(p) != right]
    options = (right, *(others if len(others) < 3 else generator.sample(others, 3)))
    facing = facing or stops[1]
    steps = [*(["[please fill in]"] if facing != stops[1] else []), f"Go forward until the {stops[1]}"]
    for stop in stops[2:]:
        steps += ["[please fill in]", f"Go forward until the {stop}"]
    listed = " ".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
    text = (
        f"You are a robot beginning at the {stops[0]} facing the {facing}. You want to navigate to the {stops[-1]}. "
        "You will perform the following actions (Note: for each [please fill in], choose either 'turn back,' "
        f"'turn left,' or 'turn right.'): {listed}. You have reached the final destination."
    )
    bends = zip(itertools.pairwise(stops), itertools.pairwise(stops[1:]), strict=False)
    errors = [angle_error(geometry, legs).get(KEY) for legs in bends]
    angles = [(angle + 180) % 360 - 180 for angle in angles_of(geometry, stops, facing)]  # left is positive
    evidence: dict[str, object] = {
        "stops": list(stops), "turns": angles, "margins": [margin for _, margin in turns]
    }  # fmt: skip
    if facing != stops[1]:
        evidence["facing"] = facing
    if all(error is not None for error in errors):
        evidence |= {"sensor_errors": errors}
    shows = needed(geometry, every(geometry, *stops, facing))
    return Draft(
        TASK, geometry.scene.id, text, right, None, options, evidence, closed=True, needs=shows, open_options=True
    )


def recompute(geometry: SceneGeometry, item: Item, settings: RouteSettings, *, released: bool = True) -> Recomputed:
    """The turns of a route whose stops are all landmarks."""
    match = _PATTERN.search(item.question)
    stops = _STOP.findall(item.question)
    if match is None or not stops:
        raise ValueError("is no question for a route of straight moves")
    names = [geometry.category(name) for name in (match[1], *stops)]
    if not geometry.scene.floor:
        raise KeyError("the floor's outline")
    facing = geometry.category(match[2]) if _TURN_FIRST in item.question else None
    turns = turns_of(geometry, names, facing)
    answer = ", ".join(name for name, _ in turns)
    margins = [margin for _, margin in turns]
    broken = tuple(violations(geometry, names, settings, facing))
    possible = [
        {TURNS[sector_of(angle + off, THIRDS)] for off in (-settings.margin, 0.0, settings.margin)}
        for angle in angles_of(geometry, names, facing)
    ]
    rivals = [option for option in item.options if option != answer and _is_possible(option, possible)]
    named = set(names) | ({facing} if facing else set())
    safe = not rivals and named <= set(geometry.unique)
    return Recomputed(answer, answer, min(margins), broken, {"margins": margins}, harmless=broken if safe else ())


def _is_possible(option: str, possible: Sequence[set[str]]) -> bool:
    """Check that each turn of an option is the right one, or the one beyond a boundary that is too near."""
    return all(turn in own for turn, own in zip(option.split(", "), possible, strict=False))


FAMILY = Family(
    name="vsi-bench/route-plan",
    title="Turns of a route from landmark to landmark",
    tasks=(TASK,),
    settings=RouteSettings(),
    taxonomy=place_of("vsi-bench/route-plan"),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN, _STOP),
)
