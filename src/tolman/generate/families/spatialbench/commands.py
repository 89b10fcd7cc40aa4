"""Visual-based commands: what a command leads to, and which command leads there. (SpatialBench, level 5.)

- Following: one walks from one unique landmark to another, no wall between them, turns left or right by 90° and goes
  straight on. What one comes to first is decided as for a person's walk in `causal`, from the second landmark's middle
  and footprint on; the turn is exact, and the answer stays the same if one turns by `margin` / 2 degrees more or less.
  The other options are what other such commands lead to in the scene.
- Commanding: the video ends; which command turns the camera to a unique thing? The bearing of the thing's middle from
  the last picture's camera decides: at most `ahead` degrees off is straight ahead, then left and right, and what is at
  most as much off the opposite direction is behind; `margin` degrees inside. No wall is between the camera and the
  thing. The last picture shows what is ahead, and doesn't show what isn't.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tolman.generate.draft import Draft, Needs, Recomputed, Rejected
from tolman.generate.families.spatialbench.causal import CausalSettings
from tolman.generate.families.spatialbench.support.ground import (
    Obstacle,
    apart,
    bearing,
    first_met,
    hidden,
    middle,
    walled,
)
from tolman.generate.families.spatialbench.support.settings import MIN_SHOWN_SHARE
from tolman.generate.family import Family
from tolman.generate.geometry import SEEN, SceneGeometry
from tolman.generate.needed import every, needed, one_of
from tolman.generate.options import others_for
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.geometry.boxes import Floats
from tolman.items import Item


class CommandSettings(CausalSettings):
    """Visual-based commands.

    Attributes:
        ahead: degrees to each side that count as ahead when a video ends.
        margin: degrees from the nearest boundary of left, right, ahead and behind.
        apart: metres on the floor plan between the camera, or a turn, and a thing.
    """

    ahead: float = 45.0
    margin: float = 25.0
    apart: float = 0.8


TASK = "visual_based_commands"
_FOLLOW = re.compile(
    r"\AFollow this command: 'Start at the (.+?), walk to the (.+?), turn (left|right) by 90 degrees as seen in the "
    r"direction in which you walked, and go straight on\.' What do you come to first\?\Z"
)
_TURN = re.compile(r"\AWhere the video ends, which command makes the camera look at the (.+)\?\Z")
COMMANDS = {"ahead": "Keep looking straight ahead", "left": "Turn left", "right": "Turn right", "behind": "Turn around"}
_LEFT = {"left": 1.0, "right": -1.0}
_MAX_FOLLOWED = 16
"""Commands that are followed in a scene."""
_MAX_SAME_END = 3
"""Commands of a scene that lead to the same thing."""


def draft(geometry: SceneGeometry, settings: CommandSettings) -> Iterator[Draft | Rejected]:
    """Questions of both kinds."""
    generator = random.Random(f"{geometry.scene.id}:{TASK}")
    yield from _follows(geometry, generator, settings)
    for name in geometry.unique:
        yield _turn(geometry, name, settings)


def after_turn(geometry: SceneGeometry, start: str, turn: str, side: str, settings: CommandSettings) -> Obstacle | None:
    """The first obstacle of someone who walks from one unique landmark to another, turns there and goes on."""
    (i,), (j,) = geometry.members[start], geometry.members[turn]
    here, there = middle(geometry, i), middle(geometry, j)
    walked = apart(here, there)
    if walked == 0:
        return None
    angles = [_LEFT[side] * np.radians(90.0 + off) for off in (0.0, settings.margin / 2, -settings.margin / 2)]
    exact = _onwards(geometry, j, _turned((there - here) / walked, angles[0]), settings)
    if exact is None or exact.broken:
        return exact
    broken = [] if walked >= settings.apart else [f"landmarks within {settings.apart} m of each other"]
    if walled(geometry, i, j):
        broken.append("a wall between the landmarks")
    around = (_onwards(geometry, j, _turned((there - here) / walked, angle), settings) for angle in angles[1:])
    if any(one is None or one.category != exact.category for one in around):
        broken.append("a slightly other turn leads elsewhere")
    return replace(exact, broken=tuple(broken))


def _onwards(geometry: SceneGeometry, number: int, way: Floats, settings: CommandSettings) -> Obstacle | None:
    import shapely

    here = middle(geometry, number)
    line = shapely.LineString([here, here + 100.0 * way])
    inside = float(geometry.footprints[number].intersection(line).length)
    return first_met(geometry, here, way, settings, skip=(number,), offset=inside)


def _turned(way: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])


def _follows(
    geometry: SceneGeometry, generator: random.Random, settings: CommandSettings
) -> Iterator[Draft | Rejected]:
    scene = geometry.scene
    ways = [(*pair, side) for pair in itertools.permutations(geometry.unique, 2) for side in _LEFT]
    asked: list[tuple[tuple[str, str, str], Obstacle]] = []
    made: Counter[str] = Counter()
    for way in generator.sample(ways, len(ways)):
        if made.total() == _MAX_FOLLOWED:
            break
        found = after_turn(geometry, *way, settings)
        if found is None or found.broken:
            yield Rejected(TASK, scene.id, found.broken[0] if found else "nothing is met")
        elif found.category not in geometry.whole or found.category in way:
            yield Rejected(TASK, scene.id, "the video doesn't show what is met")
        elif made[found.category] < _MAX_SAME_END:
            made[found.category] += 1
            asked.append((way, found))
    wrong = others_for([found.category for _, found in asked], [way for way, _ in asked], f"{scene.id}:{TASK}")
    for ((start, turn, side), found), others in zip(asked, wrong, strict=True):
        if not others:
            yield Rejected(TASK, scene.id, "fewer than three other things are met on other ways")
            continue
        question = (
            f"Follow this command: 'Start at the {start}, walk to the {turn}, turn {side} by 90 degrees as seen in the "
            "direction in which you walked, and go straight on.' What do you come to first?"
        )
        evidence = {"metres": found.metres, "gap": found.gap}
        options = (found.category, *others)
        shows = needed(geometry, [*every(geometry, start, turn), *one_of(geometry, found.number)])
        yield Draft(TASK, scene.id, question, found.category, None, options, evidence, kind="follow", needs=shows)


def last_look(geometry: SceneGeometry, name: str, settings: CommandSettings) -> tuple[str, float, list[str]]:
    """Side of a unique thing from the last picture's camera: ahead, left, right or behind; degrees of margin; doubts.

    Raises:
        KeyError: no video with poses and sightings.
    """
    capture = geometry.video_capture
    if capture is None or not capture.poses:
        raise KeyError("a video with poses")
    last = len(capture.times) - 1
    pose = capture.pose(last)
    here, ahead = pose[:2, 3], pose[:2, 2]
    there = geometry.center(name)
    angle = bearing(here, here + ahead, there)
    borders = (settings.ahead, 180.0 - settings.ahead)
    side = "ahead" if abs(angle) <= borders[0] else "behind" if abs(angle) >= borders[1] else ""
    side = side or ("left" if angle > 0 else "right")
    margin = min(abs(abs(angle) - border) for border in borders)
    broken = [f"within {settings.margin}° of another answer"] if margin < settings.margin else []
    if apart(here, there) < settings.apart:
        broken.append(f"the camera within {settings.apart} m of it")
    (number,) = geometry.members[name]
    if hidden(geometry, here, number):
        broken.append("a wall between the camera and it")
    thing = geometry.scene.objects[number].id
    pixels = sum(one.pixels for one in capture.sightings if one.frame == last and one.object == thing)
    if pixels < SEEN if side == "ahead" else pixels > 0:
        broken.append("the last picture and the answer disagree")
    return side, margin, broken


def _turn(geometry: SceneGeometry, name: str, settings: CommandSettings) -> Draft | Rejected:
    scene = geometry.scene
    try:
        side, margin, broken = last_look(geometry, name, settings)
    except KeyError:
        return Rejected(TASK, scene.id, "no video with poses")
    if broken:
        return Rejected(TASK, scene.id, broken[0])
    answer = COMMANDS[side]
    options = (answer, *(text for text in COMMANDS.values() if text != answer))
    question = f"Where the video ends, which command makes the camera look at the {name}?"
    return Draft(
        TASK,
        scene.id,
        question,
        answer,
        None,
        options,
        {"margin": margin},
        closed=True,
        kind="turn",
        single_view_cues=(("", name),),
        needs=_needed_at_the_end(geometry, name),
    )


def _needed_at_the_end(geometry: SceneGeometry, name: str) -> Needs | None:
    """The thing, and the last picture, which shows where the camera is."""
    capture = geometry.video_capture
    last = () if capture is None else (len(capture.times) - 1,)
    return needed(geometry, [("the end of the video", last), *every(geometry, name)])


def recompute(geometry: SceneGeometry, item: Item, settings: CommandSettings, *, released: bool = True) -> Recomputed:
    """The thing that a command leads to, or the command that leads to a thing."""
    follow, turn = _FOLLOW.match(item.question), _TURN.match(item.question)
    if turn:
        side, margin, broken = last_look(geometry, geometry.category(turn[1]), settings)
        return Recomputed(COMMANDS[side], COMMANDS[side], margin, tuple(broken))
    if follow is None:
        raise ValueError("is no question for a command")
    places = geometry.category(follow[1]), geometry.category(follow[2])
    found = after_turn(geometry, *places, follow[3], settings)
    if found is None:
        raise KeyError("anything on the way")
    return Recomputed(found.category, found.category, found.gap, found.broken, {"metres": found.metres})


FAMILY = Family(
    name="spatialbench/commands",
    title="Following and giving commands",
    tasks=(TASK,),
    settings=CommandSettings(),
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
    names=(_FOLLOW, _TURN),
    min_shown=MIN_SHOWN_SHARE,
)
