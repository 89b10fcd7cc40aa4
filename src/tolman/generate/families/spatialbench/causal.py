"""Causal reasoning: actual or hypothetical consequences of a motion. (SpatialBench, level 4.)

Three kinds of questions, each decided by the scene's boxes and tracks alone.

- A walk: a person goes straight from one unique landmark towards another without looking. The obstacle is the first
  still thing whose box, between `low` and `high` metres above the ground, reaches into the strip that a person of half
  width `body` sweeps. It stays the first for a person slimmer or wider by `spare`, and by `gap` metres. The strip's
  first `least` metres, counted from the landmark's footprint, are free, and no wall is on the way or grazed. The
  obstacle is on the ground (against a picture, a person meets a wall); it is neither of the landmarks and is clearly
  before the second. The other options are the obstacles of other walks in the scene.
- A vehicle: a car or van rolls straight ahead, or straight back. The same rule, with half its width, from where its
  box ends. Only in simulated scenes, where the second axis of a vehicle's box points ahead (`simulate.vehicles`). One
  of several cars is named by the thing that it is nearest to.
- A load: a person carries something from one place to another (the load's track). Had it not been moved, what would be
  nearest to it at the end? Or: what is nearest to it, now that it was? The nearest is nearer by `nearer` metres than
  any other unique thing. The video shows the load before it is picked up and after it is put down.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tolman.extras import shapely
from tolman.generate.answer_evidence import every, needed, one_of
from tolman.generate.distractors import others_for
from tolman.generate.families.spatialbench.support.ground import (
    Obstacle,
    WalkSettings,
    apart,
    first_met,
    middle,
    walk_family,
    walled,
)
from tolman.generate.family import Draft, Recomputed, Rejected
from tolman.generate.share_sampling import draws_of, exchanged
from tolman.geometry.boxes import Boxes, distances
from tolman.ground_truth.scene_arrays import SEEN, SceneGeometry
from tolman.items import Item
from tolman.scenes import SceneObject


class CausalSettings(WalkSettings):
    """Causal reasoning, and the last step of a command.

    Attributes:
        nearer: metres by which the nearest thing to a load is nearer than any other.
        carried: metres that a load is carried, at least.
    """

    nearer: float = 0.4
    carried: float = 1.0


TASK = "spatial_causal_reasoning"
VEHICLES = ("car", "van")
_SIMULATED = "simulated"
_WALK = re.compile(
    r"\AIf a person walks from the (.+?) straight towards the (.+) without looking, "
    r"what are they most likely to bump into first\?\Z"
)
_ROLL = re.compile(
    r"\AIf the (car|van)(?: that is closest to the (.+?))? suddenly "
    r"(accelerates straight ahead|reverses straight back), what is it most likely to hit first\?\Z"
)
_LOAD = re.compile(
    r"\AA person carries the (.+?) to another place\. (If nobody had moved it, which|Because of that, which) of the "
    r"following (?:would be|is) closest to it at the end of the video\?\Z"
)
_ROLLING = {"accelerates straight ahead": 1.0, "reverses straight back": -1.0}
_UNMOVED, _MOVED = "If nobody had moved it, which", "Because of that, which"
_MAX_WALKS = 16
"""Walks that are asked about in a scene."""
_MAX_SAME_END = 3
"""Walks of a scene that end at the same thing."""
_MAX_TRIED = 200
"""Walks of a scene that are looked at."""
_LIFTED = 0.2
"""Metres by which a load is lifted at least."""
_RESTING = 0.05
"""Metres from where a load lies at first or at last within which it hasn't been moved yet, or not any more."""


@dataclass(frozen=True)
class _Asked:
    """A question that lacks its options.

    Attributes:
        question: its text.
        met: the obstacle.
        named: in the question.
        kind: of the question.
        moves: the number of the moving thing, if any.
    """

    question: str
    met: Obstacle
    named: tuple[str, ...]
    kind: str
    moves: tuple[int, ...] = ()


def draft(geometry: SceneGeometry, settings: CausalSettings) -> Iterator[Draft | Rejected]:
    """Questions of all three kinds."""
    generator = draws_of(geometry.scene, TASK)
    asked = []
    for found in itertools.chain(_walks(geometry, generator, settings), _rolls(geometry, settings)):
        if isinstance(found, _Asked):
            asked.append(found)
        else:
            yield found
    yield from _with_options(geometry, asked)
    yield from _loads(geometry, generator, settings)


def recompute(geometry: SceneGeometry, item: Item, settings: CausalSettings, *, released: bool = True) -> Recomputed:
    """The consequence, by boxes and tracks."""
    walk, roll, load = (pattern.match(item.question) for pattern in (_WALK, _ROLL, _LOAD))
    if walk:
        obstacle = on_walk(geometry, geometry.category(walk[1]), geometry.category(walk[2]), settings)
    elif roll:
        landmark = geometry.category(roll[2]) if roll[2] else None
        number, unclear = vehicle(geometry, geometry.category(roll[1]), landmark, settings)
        obstacle = on_roll(geometry, number, roll[3], settings)
        if obstacle is not None and unclear:
            obstacle = replace(obstacle, broken=(*obstacle.broken, *unclear))
    elif load:
        names = [geometry.category(text) for text in item.options]
        lengths = to_load(geometry, geometry.category(load[1]), names, moved=load[2] == _MOVED)
        order = sorted(names, key=lengths.__getitem__)
        margin = lengths[order[1]] - lengths[order[0]]
        broken = (f"two things within {settings.nearer} m of being nearest",) if margin < settings.nearer else ()
        answer = item.options[names.index(order[0])]
        return Recomputed(answer, answer, margin, broken, {"distances": lengths})
    else:
        raise ValueError("is no question for a consequence")
    if obstacle is None:
        raise KeyError("anything in the way")
    return Recomputed(obstacle.category, obstacle.category, obstacle.gap, obstacle.broken, {"metres": obstacle.metres})


def on_walk(geometry: SceneGeometry, start: str, end: str, settings: CausalSettings) -> Obstacle | None:
    """The first obstacle of someone who goes straight from one unique landmark towards another."""
    (i,), (j,) = geometry.members[start], geometry.members[end]
    here, there = middle(geometry, i), middle(geometry, j)
    length = apart(here, there)
    if length == 0:
        return None
    line = shapely.LineString([here, there])
    inside = [float(geometry.footprints[number].intersection(line).length) for number in (i, j)]
    found = first_met(geometry, here, (there - here) / length, settings, skip=(i, j), offset=inside[0])
    if found is None:
        return None
    broken = list(found.broken)
    if walled(geometry, i, j):
        broken.append("a wall between the landmarks")
    if found.metres > length - sum(inside) - settings.gap:
        broken.append("nothing stands between the landmarks")
    later = tuple(name for name in found.later if name not in (start, end))
    return replace(found, later=later, broken=tuple(broken))


def _walks(geometry: SceneGeometry, generator: random.Random, settings: CausalSettings) -> Iterator[_Asked | Rejected]:
    own = exchanged(geometry.scene, geometry.unique)
    pairs = list(itertools.permutations([name for name in geometry.unique if name not in own], 2))
    made: Counter[str] = Counter()
    for start, end in generator.sample(pairs, len(pairs) if own else min(_MAX_TRIED, len(pairs))):
        if made.total() == _MAX_WALKS and not own:
            return
        question = (
            f"If a person walks from the {start} straight towards the {end} without looking, what are they most likely "
            "to bump into first?"
        )
        asked = _met(geometry, question, on_walk(geometry, start, end, settings), (start, end), "walk")
        if isinstance(asked, _Asked):
            # Twins that exchange four things meet another of them in each.
            if asked.met.category not in own if own else made[asked.met.category] == _MAX_SAME_END:
                continue
            made[asked.met.category] += 1
        yield asked


def vehicle(
    geometry: SceneGeometry, kind: str, landmark: str | None, settings: CausalSettings
) -> tuple[int, tuple[str, ...]]:
    """Return the number of the vehicle that is meant, and the reasons for doubt.

    Raises:
        KeyError: there is none, or there are several and no landmark.
    """
    members = geometry.members.get(kind, [])
    if len(members) == 1 and landmark is None:
        return members[0], ()
    if landmark is None or len(members) < 2:
        raise KeyError(kind)
    (anchor,) = geometry.members[landmark]
    first, second = sorted(members, key=lambda number: geometry.between(number, anchor))[:2]
    lead = geometry.between(second, anchor) - geometry.between(first, anchor)
    return first, (
        f"two vehicles within {2 * settings.gap} m of being nearest to the landmark",
    ) if lead < 2 * settings.gap else ()


def on_roll(geometry: SceneGeometry, number: int, manner: str, settings: CausalSettings) -> Obstacle | None:
    """The first obstacle of a vehicle that rolls straight ahead or back."""
    ahead = np.array(geometry.boxes.axes[number, 1, :2])
    length, width = float(geometry.boxes.extents[number, 1]), float(geometry.boxes.extents[number, 0])
    way = _ROLLING[manner] * ahead / np.linalg.norm(ahead)
    here = middle(geometry, number)
    return first_met(geometry, here, way, settings, skip=(number,), half=width / 2, offset=length / 2)


def _rolls(geometry: SceneGeometry, settings: CausalSettings) -> Iterator[_Asked | Rejected]:
    if geometry.scene.dataset != _SIMULATED:
        return
    for kind in VEHICLES:
        members = geometry.members.get(kind, []) if kind in geometry.whole else []
        landmarks = [None] if len(members) == 1 else [name for name in geometry.unique if name != kind]
        told: set[int] = set()
        for landmark in landmarks if members else []:
            number, unclear = vehicle(geometry, kind, landmark, settings)
            if unclear or number in told:
                yield Rejected(TASK, geometry.scene.id, "no landmark tells the vehicle from others")
                continue
            told.add(number)
            which = kind if landmark is None else f"{kind} that is closest to the {landmark}"
            for manner in _ROLLING:
                found = on_roll(geometry, number, manner, settings)
                question = f"If the {which} suddenly {manner}, what is it most likely to hit first?"
                named = (landmark,) if landmark else (kind,)
                yield _met(geometry, question, found, named, "roll", (number,))


def _met(
    geometry: SceneGeometry,
    question: str,
    found: Obstacle | None,
    named: tuple[str, ...],
    kind: str,
    moves: tuple[int, ...] = (),
) -> _Asked | Rejected:
    """Return a question about the obstacle, or its rejection."""
    scene = geometry.scene
    if found is None or found.broken:
        return Rejected(TASK, scene.id, found.broken[0] if found else "nothing is met")
    if found.category not in geometry.whole or found.category in named:
        return Rejected(TASK, scene.id, "the video doesn't show what is met")
    return _Asked(question, found, named, kind, moves)


def _with_options(geometry: SceneGeometry, asked: Sequence[_Asked]) -> Iterator[Draft | Rejected]:
    """Complete the questions of a scene; their other options are its other obstacles."""
    scene = geometry.scene
    answers = [one.met.category for one in asked]
    others = others_for(answers, [one.named for one in asked], f"{scene.id}:{TASK}", scene.differing)
    for one, wrong in zip(asked, others, strict=True):
        if not wrong:
            yield Rejected(TASK, scene.id, "fewer than three other things are met on other ways")
            continue
        evidence = {
            "metres": one.met.metres,
            "gap": one.met.gap,
            "on_the_way": [name for name in one.met.later if name in geometry.whole and name not in one.named],
        }
        options = (one.met.category, *wrong)
        shows = needed(geometry, [*one_of(geometry, *one.moves, one.met.number), *every(geometry, *one.named)])
        yield Draft(TASK, scene.id, one.question, one.met.category, None, options, evidence, kind=one.kind, needs=shows)


def to_load(geometry: SceneGeometry, load: str, names: Sequence[str], *, moved: bool) -> dict[str, float]:
    """Metres from a load, where it was at first or is at last, to the nearest box of each category.

    Raises:
        KeyError: there is no such load, or it doesn't move.
    """
    (number,) = geometry.members[load]
    thing = geometry.scene.objects[number]
    if not thing.track:
        raise KeyError(f"a way of the {load}")
    point = thing.track[-1 if moved else 0]
    box = Boxes(np.array([point.center]), np.array([point.axes]), np.array([thing.box.extents]))
    found = {}
    for name in names:
        members = np.array(geometry.members[name])
        own = box.take(np.zeros(len(members), dtype=np.intp))
        found[name] = float(distances(own, geometry.boxes.take(members)).min())
    return found


def _loads(geometry: SceneGeometry, generator: random.Random, settings: CausalSettings) -> Iterator[Draft | Rejected]:
    scene = geometry.scene
    for thing in scene.objects:
        if not thing.track or thing.category.startswith("person") or scene.count(thing.category) != 1:
            continue
        start, end = np.array(thing.track[0].center), np.array(thing.track[-1].center)
        if np.ptp([point.center[2] for point in thing.track]) < _LIFTED:
            continue  # It drives: nobody carries it.
        if apart(start, end) < settings.carried:
            yield Rejected(TASK, scene.id, f"a load carried less than {settings.carried} m")
            continue
        shown = _shown(geometry, thing)
        if not all(shown):
            yield Rejected(TASK, scene.id, "the video doesn't show the load before and after")
            continue
        for moved in (False, True):
            lengths = to_load(geometry, thing.category, geometry.unique, moved=moved)
            elsewhere = to_load(geometry, thing.category, geometry.unique, moved=not moved)
            order = sorted(lengths, key=lengths.__getitem__)
            if len(order) < 4 or lengths[order[1]] - lengths[order[0]] < settings.nearer:
                yield Rejected(TASK, scene.id, f"two things within {settings.nearer} m of being nearest to the load")
                continue
            # What is nearest to its other place is what one would take for it.
            lure = min(elsewhere, key=elsewhere.__getitem__)
            others = generator.sample([name for name in order[1:] if name != lure], 3)
            if lure != order[0]:
                others = [lure, *others[:2]]
            asked = f"{_MOVED} of the following is" if moved else f"{_UNMOVED} of the following would be"
            question = (
                f"A person carries the {thing.category} to another place. {asked} closest to it at the end of the "
                "video?"
            )
            evidence = {"distances": lengths, "margin": lengths[order[1]] - lengths[order[0]]}
            options = (order[0], *others)
            # Its first place decides the one question, its last place the other.
            load = (f"{thing.category} {'after' if moved else 'before'} it is moved", shown[moved])
            yield Draft(
                TASK,
                scene.id,
                question,
                order[0],
                None,
                options,
                evidence,
                kind="load",
                needs=needed(geometry, [load, *every(geometry, *options)]),
            )


def _shown(geometry: SceneGeometry, thing: SceneObject) -> tuple[list[int], list[int]]:
    """The frames of the video that show a load where it was before, and where it is after."""
    capture = geometry.video_capture
    if capture is None:
        return [], []
    track = np.array([point.center for point in thing.track])
    seconds = np.array([point.seconds for point in thing.track])
    resting = [seconds[np.linalg.norm(track - track[i], axis=1) < _RESTING] for i in (0, -1)]
    seen = [one.frame for one in capture.sightings if one.object == thing.id and one.pixels >= SEEN]
    times = {frame: capture.scene_time(frame) for frame in seen}
    return [f for f in seen if times[f] <= resting[0].max()], [f for f in seen if times[f] >= resting[1].min()]


FAMILY = walk_family(
    "spatialbench/causal",
    "Consequences of a walk, a vehicle or a carried load",
    TASK,
    CausalSettings(),
    draft,
    recompute,
    _WALK,
    _ROLL,
    _LOAD,
)
