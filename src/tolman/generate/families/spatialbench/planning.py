"""Planning: commands and where they lead, and route plans with two gaps. (SpatialBench, level 5.)

A question about commands asks for the thing that one leads to, or for the command that leads there.

- Following: one walks from one unique landmark to another, no wall between them, turns left or right by 90° and goes
  straight on. The first thing on the way is decided as for a person's walk in `causal`, from the second landmark's
  middle and footprint on. The turn is exact, and the answer stays the same if one turns by `margin` / 2 degrees more or
  less. The other options are the things that other such commands lead to in the scene.
- Commanding: the video ends; which command turns the camera to a unique thing? The bearing of the thing's middle from
  the last picture's camera decides: at most `ahead` degrees off is straight ahead, then left and right. A thing at most
  as much off the opposite direction is behind; `margin` degrees inside. No wall is between the camera and the thing.
  The last picture shows the thing if it is ahead, and doesn't show it otherwise.
- Route gaps: a robot goes straight from the middle of one unique landmark to the next, four of them. Each of the three
  ways is at least `shortest` metres long, and no wall is in it. No other still thing between `low` and `high`
  metres above the ground reaches into the strip of `clearance` metres on both sides. Both turns are left or right, by
  no less than `flattest` and no more than `sharpest` degrees. The four options are the four pairs of turns, each right
  equally often.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import shapely

from tolman.generate.answer_evidence import every, needed, one_of
from tolman.generate.distractors import others_for
from tolman.generate.families.spatialbench.causal import CausalSettings
from tolman.generate.families.spatialbench.support.ground import (
    Obstacle,
    apart,
    bearing,
    first_met,
    hidden,
    met,
    middle,
    walk_family,
    walled,
)
from tolman.generate.family import Draft, Recomputed, Rejected
from tolman.generate.share_sampling import draws_of
from tolman.geometry.boxes import Floats
from tolman.ground_truth.scene_arrays import SEEN, SceneGeometry
from tolman.items import Item
from tolman.media.needed_frames import Needs


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


COMMANDS_TASK = "visual_based_commands"
_FOLLOW = re.compile(
    r"\AFollow this command: '(?:Walk from|Start at) the (.+?)(?:, walk)? to the (.+?), turn (left|right) by 90 "
    r"degrees(?: as seen in the direction in which you walked,)? and go straight on\.' What do you come to first\?\Z"
)
"""The longer form is that of earlier versions."""
_TURN = re.compile(r"\AWhere the video ends, which command makes the camera look at the (.+)\?\Z")
COMMANDS = {"ahead": "Keep looking straight ahead", "left": "Turn left", "right": "Turn right", "behind": "Turn around"}
_LEFT = {"left": 1.0, "right": -1.0}
_AT_END = 0.15
"""Seconds before its last picture in which a video shows what that shows: not every picture says what it shows."""
_MAX_FOLLOWED = 16
"""Commands that are followed in a scene."""
_MAX_SAME_END = 3
"""Commands of a scene that lead to the same thing."""


def draft_commands(geometry: SceneGeometry, settings: CommandSettings) -> Iterator[Draft | Rejected]:
    """Questions of both kinds."""
    generator = draws_of(geometry.scene, COMMANDS_TASK)
    if not geometry.scene.twins:  # these hardly ever come to other things, each clearly
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
            yield Rejected(COMMANDS_TASK, scene.id, found.broken[0] if found else "nothing is met")
        elif found.category not in geometry.whole or found.category in way:
            yield Rejected(COMMANDS_TASK, scene.id, "the video doesn't show what is met")
        elif made[found.category] < _MAX_SAME_END:
            made[found.category] += 1
            asked.append((way, found))
    answers, ways = [found.category for _, found in asked], [way for way, _ in asked]
    wrong = others_for(answers, ways, f"{scene.id}:{COMMANDS_TASK}")
    for ((start, turn, side), found), others in zip(asked, wrong, strict=True):
        if not others:
            yield Rejected(COMMANDS_TASK, scene.id, "fewer than three other things are met on other ways")
            continue
        question = (
            f"Follow this command: 'Walk from the {start} to the {turn}, turn {side} by 90 degrees and go straight "
            "on.' What do you come to first?"
        )
        evidence = {"metres": found.metres, "gap": found.gap}
        options = (found.category, *others)
        shows = needed(geometry, [*every(geometry, start, turn), *one_of(geometry, found.number)])
        yield Draft(
            COMMANDS_TASK, scene.id, question, found.category, None, options, evidence, kind="follow", needs=shows
        )


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
    end = capture.times[last] - _AT_END
    shown = [one for one in capture.sightings if one.object == thing and capture.times[one.frame] >= end]
    pixels = max((one.pixels for one in shown), default=0)
    if pixels < SEEN if side == "ahead" else pixels > 0:
        broken.append("the last picture and the answer disagree")
    return side, margin, broken


def _turn(geometry: SceneGeometry, name: str, settings: CommandSettings) -> Draft | Rejected:
    scene = geometry.scene
    try:
        side, margin, broken = last_look(geometry, name, settings)
    except KeyError:
        return Rejected(COMMANDS_TASK, scene.id, "no video with poses")
    if broken:
        return Rejected(COMMANDS_TASK, scene.id, broken[0])
    answer = COMMANDS[side]
    options = (answer, *(text for text in COMMANDS.values() if text != answer))
    question = f"Where the video ends, which command makes the camera look at the {name}?"
    return Draft(
        COMMANDS_TASK,
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


def recompute_commands(
    geometry: SceneGeometry, item: Item, settings: CommandSettings, *, released: bool = True
) -> Recomputed:
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


COMMANDS_FAMILY = walk_family(
    "spatialbench/commands",
    "Following and giving commands",
    COMMANDS_TASK,
    CommandSettings(),
    draft_commands,
    recompute_commands,
    _FOLLOW,
    _TURN,
)


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


ROUTE_GAPS_TASK = "route_plan"
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


def draft_route_gaps(geometry: SceneGeometry, settings: FillInSettings) -> Iterator[Draft | Rejected]:
    """Some routes over free ways for each pair of turns."""
    scene = geometry.scene
    free: dict[str, list[str]] = {name: [] for name in geometry.unique}
    for a, b in itertools.combinations(geometry.unique, 2):
        reason = blocked(geometry, a, b, settings)
        if reason:
            yield Rejected(ROUTE_GAPS_TASK, scene.id, reason)
        else:
            free[a].append(b)
            free[b].append(a)
    routes = [
        (a, b, c, d) for a in free for b in free[a] for c in free[b] if c != a for d in free[c] if d not in (a, b)
    ]
    generator = draws_of(scene, ROUTE_GAPS_TASK)
    made: dict[tuple[str, ...], int] = {}
    for stops in generator.sample(routes, min(len(routes), _MAX_TRIES)):
        angles = turns_of(geometry, stops)
        turns = tuple("left" if angle > 0 else "right" for angle in angles)
        broken = violations(geometry, stops, settings)
        if broken:
            yield Rejected(ROUTE_GAPS_TASK, scene.id, broken[0])
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
    return Draft(
        ROUTE_GAPS_TASK, geometry.scene.id, question, options[0], None, options, evidence, closed=True, needs=shows
    )


def recompute_route_gaps(
    geometry: SceneGeometry, item: Item, settings: FillInSettings, *, released: bool = True
) -> Recomputed:
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


ROUTE_GAPS_FAMILY = walk_family(
    "spatialbench/route-gaps",
    "The two turns of a route",
    ROUTE_GAPS_TASK,
    FillInSettings(),
    draft_route_gaps,
    recompute_route_gaps,
    _PATTERN,
)

FAMILIES = (COMMANDS_FAMILY, ROUTE_GAPS_FAMILY)
