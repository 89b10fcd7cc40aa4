"""Questions from camera poses alone: they need a video with poses, and neither boxes nor a mesh.

MMSI-Bench's camera motion is checked by objects that two pictures share, so that family refuses a scene without
boxes. These families need poses alone. STI-Bench (Li et al. 2025) has displacement, speed and trajectories among its
types, and SITE (section 4.2) has frame reordering and view association; the rules are ours.

- Displacement: how far is the camera at the end of a clip from its start? In metres.
- Speed: at what average speed did it move? In metres per second. The question says how long the clip lasts, which
  frames alone don't show. Pictures without times are not asked about.
- Motion direction: which way did it move, seen from where it looked first?
- Frame order: in which order were four pictures between the first and the last one taken?
- Next view: which picture does the camera take after a given motion?

The last three hold at any scale.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from tolman.generate.distractors import has_numeric_options, no_distractors, numeric_options
from tolman.generate.families.mmsi_bench.support.questions import (
    ahead_and_left,
    pictures_of,
    quarter,
    quarter_margin,
    turn_between,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, gallery
from tolman.generate.family import Draft, Family, ReasoningStep, Recomputed, Rejected, Shot, first_drafts, place_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import MEDIA_MARK, Item


class PosedSettings(ViewSettings):
    """Questions from poses alone.

    Attributes:
        moments: of each recording that are looked at, evenly over its time.
        shortest_clip, longest_clip: seconds.
        least: metres that a camera must be displaced by.
        onward: metres that it must come on by between two pictures in a row.
        speeds: the options of speeds, metres per second, rising: 2.5 times each other.
        lengths: of clips whose speed is asked for, seconds: few, so that twins meet in the same texts.
        uneven: seconds that such a clip may be longer or shorter.
        near: how many times as fast or as slow as an option a speed may be.
        clearly: degrees that the way of the next view must be away from the next quadrant.
        level: degrees that a turn may have and still be none.
        widest: degrees that two pictures in a row may be turned by, so that they share something.
        pause: seconds that two clips of a recording must differ by, start and end together.
        questions: of a recording about next views at most.
        of_answer: questions of a recording with the same answer at most.
    """

    moments: int = 60
    shortest_clip: float = 2.0
    longest_clip: float = 20.0
    least: float = 0.8
    onward: float = 0.25
    speeds: tuple[float, ...] = (0.16, 0.4, 1.0, 2.5, 6.3, 16.0, 40.0)
    lengths: tuple[float, ...] = (4.0, 8.0)
    uneven: float = 0.25
    near: float = 1.2
    clearly: float = 15.0
    level: float = 10.0
    widest: float = 75.0
    pause: float = 2.0
    questions: int = 6
    of_answer: int = 2


Clip = tuple[View, View]
UNTIMED = "its pictures have no times"
NO_PAIR = "no recording has two pictures with known poses and intrinsics"


def lack(geometry: SceneGeometry) -> str:
    """Return the first thing that a scene lacks for any question from poses; empty if it lacks nothing."""
    cameras = [one for one in geometry.captures if one.sensor == "camera"]
    if not cameras:
        return "no camera's recording"
    if not any(one.media for one in cameras):
        return "no recording with a video"
    return "" if any(one.poses and one.media and one.size for one in cameras) else "no recording with known poses"


def moments_of(shown: Gallery, settings: PosedSettings) -> Iterator[list[View]]:
    """Pictures of each recording with known poses, evenly over its time."""
    for camera in shown.cameras.values():
        if not camera.intrinsics:
            continue
        count = min(len(camera.times), settings.moments)
        frames = np.unique(np.linspace(0, len(camera.times) - 1, count).round().astype(int))
        views = [shown.view(camera.id, int(frame)) for frame in frames if np.isfinite(camera.pose(int(frame))).all()]
        if len(views) >= 2:
            yield views


def clips_of(shown: Gallery, views: Sequence[View], settings: PosedSettings, task: str) -> Iterator[Clip]:
    """First and last moments of clips, in a drawn order; no two clips are nearly the same."""
    pairs = [
        (a, b)
        for a, b in itertools.combinations(views, 2)
        if settings.shortest_clip <= b.seconds - a.seconds <= settings.longest_clip
        and (task != SPEED_TASK or _uneven(b.seconds - a.seconds, settings) <= settings.uneven)
    ]
    random.Random(f"{shown.scene.id}:{views[0].shot.capture}:{task}").shuffle(pairs)
    taken: list[Clip] = []
    for a, b in pairs:
        if all(abs(a.seconds - c.seconds) + abs(b.seconds - d.seconds) >= settings.pause for c, d in taken):
            taken.append((a, b))
            yield a, b


def displacement(a: View, b: View) -> float:
    """Metres in a straight line."""
    return float(np.linalg.norm(b.pose[:3, 3] - a.pose[:3, 3]))


Ask = Callable[[Gallery, Sequence[View], Clip, PosedSettings], Draft | Rejected]


def _drafts(geometry: SceneGeometry, settings: PosedSettings, task: str, ask: Ask) -> Iterator[Draft | Rejected]:
    """A family's questions: some of each recording."""
    missing = lack(geometry)
    if missing:
        yield Rejected(task, geometry.scene.id, missing)
        return
    shown = gallery(geometry, settings)
    recordings, asked = list(moments_of(shown, settings)), False
    for views in recordings:
        given: Counter[str] = Counter()
        for found in (ask(shown, views, clip, settings) for clip in clips_of(shown, views, settings, task)):
            asked = True
            answer = found.answer if isinstance(found, Draft) else ""
            given[answer] += 1
            # Usual motions, such as forward, would else leave no room for others.
            if not answer or given[answer] <= settings.of_answer:
                yield found
    if not asked:
        apart = f"no two sampled pictures are {settings.shortest_clip:g} to {settings.longest_clip:g} s apart"
        yield Rejected(task, geometry.scene.id, apart if recordings else NO_PAIR)


def _part(clip: Clip) -> tuple[Shot, ...]:
    return (Shot(clip[0].shot.capture, clip[0].shot.frame, clip[1].shot.frame),)


def _ends(shown: Gallery, item: Item) -> Clip:
    """The first and last view of the clip that an item shows.

    Raises:
        ValueError: it doesn't say which.
    """
    ((capture, first, last), *others) = item.evidence["shots"]
    if others or last is None:
        raise ValueError("doesn't say which part of a video it shows")
    return shown.view(str(capture), int(first)), shown.view(str(capture), int(last))


# Displacement

DISPLACEMENT_TASK = "camera_displacement"
DISPLACEMENT_QUESTION = (
    "How far is the camera at the end of the video from where it was at the start, in a straight line (in meters)?"
)


def _too_near(settings: PosedSettings, *, metric: bool = True) -> str:
    return f"moved by less than {settings.least} m{'' if metric else ', if the scene is 5 m across'}"


def _ask_displacement(shown: Gallery, views: Sequence[View], clip: Clip, settings: PosedSettings) -> Draft | Rejected:
    metres = displacement(*clip)
    answer = f"{round(metres, 1)}"
    if metres < settings.least:
        return Rejected(DISPLACEMENT_TASK, shown.scene.id, _too_near(settings))
    if not has_numeric_options(answer):
        return Rejected(DISPLACEMENT_TASK, shown.scene.id, no_distractors())
    options = numeric_options(answer, f"{clip[0].shot}:{clip[1].shot}:{DISPLACEMENT_TASK}")
    return Draft(
        DISPLACEMENT_TASK, shown.scene.id, DISPLACEMENT_QUESTION, answer, "m", options,
        {"displacement": metres}, _part(clip),
    )  # fmt: skip


def _displacement_again(shown: Gallery, views: Sequence[View], settings: PosedSettings, item: Item) -> Recomputed:
    """The straight way between the ends of the clip."""
    clip = _ends(shown, item)
    metres = displacement(*clip)
    broken = (_too_near(settings),) if metres < settings.least else ()
    tie = abs((metres * 10) % 1 - 0.5) / 10
    return Recomputed(f"{round(metres, 1)}", metres, tie, broken, {"displacement": metres}, harmless=broken)


# Speed

SPEED_TASK = "camera_speed"
SPEED_QUESTION = (
    "The video lasts {seconds:.1f} seconds. At what average speed does the camera move in it, along its way?"
)
_SPEED_STEP = 0.5
"""Seconds between the places that a way is measured by: noise of poses would lengthen a finer one."""


def average_speed(shown: Gallery, clip: Clip) -> float:
    """Metres per second along the way between the ends of a clip, straight between places half a second apart."""
    camera, frames = shown.cameras[clip[0].shot.capture], slice(clip[0].shot.frame, clip[1].shot.frame + 1)
    places, times = np.array(camera.poses[frames])[:, [3, 7, 11]], np.array(camera.times[frames])
    good = np.isfinite(places).all(1)
    seconds = float(times[-1] - times[0])
    wanted = np.linspace(times[0], times[-1], max(2, round(seconds / _SPEED_STEP) + 1))
    at = np.stack([np.interp(wanted, times[good], places[good, axis]) for axis in range(3)], axis=1)
    return float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum()) / seconds


def _uneven(seconds: float, settings: PosedSettings) -> float:
    return min(abs(seconds - length) for length in settings.lengths)


def _ask_speed(shown: Gallery, views: Sequence[View], clip: Clip, settings: PosedSettings) -> Draft | Rejected:
    clock = shown.cameras[clip[0].shot.capture].clock
    if clock is not None and clock.method == "untimed":
        return Rejected(SPEED_TASK, shown.scene.id, UNTIMED)
    seconds = clip[1].seconds - clip[0].seconds
    speed = average_speed(shown, clip)
    # Wide gaps: of options 1.6 times each other, two readers of frames chose the next one in 6 of 10.
    answer = min(settings.speeds, key=lambda one: _ratio(one, speed))
    if _ratio(answer, speed) > settings.near:
        return Rejected(SPEED_TASK, shown.scene.id, f"no option within a factor of {settings.near} of the speed")
    # Four in a row, so drawn that the right one is any of them: slow and fast recordings meet in the same texts.
    draw = random.Random(f"{clip[0].shot}:{clip[1].shot}:{SPEED_TASK}")
    place = settings.speeds.index(answer)
    first = draw.choice(range(max(0, place - 3), min(place, len(settings.speeds) - 4) + 1))
    others = (one for one in settings.speeds[first : first + 4] if one != answer)
    texts = tuple(f"{one} m/s" for one in (answer, *others))
    return Draft(
        SPEED_TASK, shown.scene.id, SPEED_QUESTION.format(seconds=seconds), texts[0], None, texts, {"speed": speed},
        _part(clip), open_options=True,
    )  # fmt: skip


def _ratio(one: float, other: float) -> float:
    return max(one / other, other / one) if min(one, other) > 0 else math.inf


def _speed_again(shown: Gallery, views: Sequence[View], settings: PosedSettings, item: Item) -> Recomputed:
    """The average speed in the clip."""
    speed = average_speed(shown, _ends(shown, item))
    text = min(item.options, key=lambda option: _ratio(float(option.split()[0]), speed))
    return Recomputed(text, text, None, (), {"speed": speed})


# Motion direction

DIRECTION_TASK = "camera_motion_direction"
DIRECTION_QUESTION = (
    "Seen from the camera's viewpoint at the start of the video, in which direction has the camera moved by the end of "
    "the video?"
)
DIRECTIONS = ("Forward", "To the left", "Backward", "To the right")


def motion_angle(a: View, b: View) -> float:
    """Degrees counter-clockwise from the first line of sight to the way to the second place, 0 … 360."""
    ahead, left = ahead_and_left(a, b)
    return math.degrees(math.atan2(left, ahead)) % 360


def _direction_violations(shown: Gallery, clip: Clip, settings: PosedSettings) -> list[str]:
    broken = []
    if float(np.linalg.norm(clip[1].place - clip[0].place)) < settings.least:
        broken.append(_too_near(settings, metric=shown.scene.metric))
    if quarter_margin(motion_angle(*clip)) < settings.bend:
        broken.append(f"within {settings.bend}° of a boundary")
    if abs(clip[0].tilt) > settings.tilt:
        broken.append(f"looks up or down by more than {settings.tilt}° at the start")
    return broken


def _ask_direction(shown: Gallery, views: Sequence[View], clip: Clip, settings: PosedSettings) -> Draft | Rejected:
    broken = _direction_violations(shown, clip, settings)
    if broken:
        return Rejected(DIRECTION_TASK, shown.scene.id, broken[0])
    angle = motion_angle(*clip)
    answer = DIRECTIONS[quarter(angle)]
    return Draft(
        DIRECTION_TASK, shown.scene.id, DIRECTION_QUESTION, answer, None,
        (answer, *(text for text in DIRECTIONS if text != answer)),
        {"angle": angle, "margin": quarter_margin(angle)}, _part(clip), closed=True,
    )  # fmt: skip


def _direction_again(shown: Gallery, views: Sequence[View], settings: PosedSettings, item: Item) -> Recomputed:
    """The direction of the way, by quadrants about the first line of sight."""
    clip = _ends(shown, item)
    angle = motion_angle(*clip)
    answer = DIRECTIONS[quarter(angle)]
    return Recomputed(
        answer, answer, quarter_margin(angle), tuple(_direction_violations(shown, clip, settings)), {"angle": angle}
    )


# Frame order

ORDER_TASK = "frame_order"
ORDER_QUESTION = (
    f"One camera took all of these pictures on its way.\nFirst picture: {MEDIA_MARK}\nLast picture: {MEDIA_MARK}\nThe "
    f"following four pictures were taken between them, and are not in order.\n1: {MEDIA_MARK}\n2: {MEDIA_MARK}\n"
    f"3: {MEDIA_MARK}\n4: {MEDIA_MARK}\nIn which order were they taken?"
)


def _order_of(views: Sequence[View], clip: Clip, settings: PosedSettings) -> list[View]:
    """Six moments from the first to the last at which the camera comes on; fewer where there aren't as many."""
    first, last = clip
    way = last.place - first.place
    length = float(np.linalg.norm(way))
    if length < max(5 * settings.onward, settings.least):
        return []
    chosen, done = [first], 0.0
    for view in views:
        if not first.seconds < view.seconds < last.seconds or len(chosen) == 5:
            continue
        now = float((view.place - first.place) @ way) / length
        wanted = max(settings.onward, 0.7 * (length - done) / (6 - len(chosen)))
        near = abs(turn_between(chosen[-1], view)) <= settings.widest
        if now - done >= wanted and length - now >= (5 - len(chosen)) * settings.onward and near:
            chosen.append(view)
            done = now
    near = abs(turn_between(chosen[-1], last)) <= settings.widest
    return [*chosen, last] if len(chosen) == 5 and near else []


def _ask_order(shown: Gallery, views: Sequence[View], clip: Clip, settings: PosedSettings) -> Draft | Rejected:
    six = _order_of(views, clip, settings)
    if not six:
        return Rejected(
            ORDER_TASK, shown.scene.id, "the camera doesn't come on steadily between first and last picture"
        )
    draw = random.Random(f"{clip[0].shot}:{clip[1].shot}")
    order = draw.sample(range(4), 4)  # the picture that is shown n-th is the order[n]-th in time
    right = tuple(order.index(i) for i in range(4))
    others = [one for one in itertools.permutations(range(4)) if one != right]
    options = tuple(_listed(one) for one in (right, *draw.sample(others, 3)))
    steps = (
        ReasoningStep("reconstruction", "First and last picture show from where to where the camera goes."),
        ReasoningStep("logic", "The pictures are ordered by how far it has come on that way."),
    )
    return Draft(
        ORDER_TASK, shown.scene.id, ORDER_QUESTION, options[0], None, options,
        {"seconds": [view.seconds for view in six]},
        (six[0].shot, six[5].shot, *(six[1 + i].shot for i in order)), reasoning=steps, open_options=True,
    )  # fmt: skip


def _listed(order: Sequence[int]) -> str:
    return ", ".join(str(i + 1) for i in order)


def _order_again(shown: Gallery, views: Sequence[View], settings: PosedSettings, item: Item) -> Recomputed:
    """The order by the pictures' times."""
    if item.question != ORDER_QUESTION:
        raise ValueError("is no question for an order of pictures")
    times = [view.seconds for view in views[2:]]
    answer = _listed([int(i) for i in np.argsort(times)])
    return Recomputed(answer, answer, float(np.diff(np.sort(times)).min()), (), {"times": times})


# Next view

NEXT_TASK = "next_view"
_NEXT_TEXT = (
    "{m}\nSeen from where this picture was taken, the camera {motion}. Which of the following pictures does it take "
    "afterwards?"
)
_WAYS = ("moves forward", "moves to the left", "moves backward", "moves to the right")
_TURNS = ("", " and turns to the left", " and turns to the right")
MOTIONS = tuple(way + turn for way in _WAYS for turn in _TURNS)


def motion_of(a: View, b: View, settings: PosedSettings) -> str:
    """The motion from one view to another, one of MOTIONS; '' where it is none of them clearly."""
    angle, turn = motion_angle(a, b), turn_between(a, b)
    far = float(np.linalg.norm(b.place - a.place))
    if far < settings.step or quarter_margin(angle) < settings.clearly or max(abs(a.tilt), abs(b.tilt)) > settings.tilt:
        return ""
    if abs(turn) <= settings.level:
        side = 0
    elif settings.turn <= abs(turn) <= 180 - settings.turn:
        side = 1 if turn > 0 else 2
    else:
        return ""
    return _WAYS[quarter(angle)] + _TURNS[side]


def _ask_next(shown: Gallery, views: Sequence[View], a: View, settings: PosedSettings) -> Draft | Rejected:
    by_motion: dict[str, list[View]] = {}
    for view in views:
        if view is not a and (motion := motion_of(a, view, settings)):
            by_motion.setdefault(motion, []).append(view)
    near = [name for name, found in by_motion.items() if min(abs(turn_between(a, v)) for v in found) <= settings.widest]
    if len(by_motion) < 4 or not near:
        return Rejected(NEXT_TASK, shown.scene.id, "fewer than four pictures whose motions differ clearly")
    draw = random.Random(f"{a.shot}:{NEXT_TASK}")
    right = draw.choice(sorted(near))
    others = draw.sample(sorted(set(by_motion) - {right}), 3)
    usable = [view for view in by_motion[right] if abs(turn_between(a, view)) <= settings.widest]
    chosen = [draw.choice(usable), *(draw.choice(by_motion[other]) for other in others)]
    return Draft(
        NEXT_TASK, shown.scene.id, _NEXT_TEXT.format(m=MEDIA_MARK, motion=right), MEDIA_MARK, None, (MEDIA_MARK,) * 4,
        {"motions": [right, *others]}, (a.shot, *(view.shot for view in chosen)),
        reasoning=(ReasoningStep("transformation", f"The picture is the one that the camera takes when it {right}."),),
    )  # fmt: skip


def draft_next(geometry: SceneGeometry, settings: PosedSettings) -> Iterator[Draft | Rejected]:
    """Questions for the picture that follows a motion."""
    missing = lack(geometry)
    if missing:
        yield Rejected(NEXT_TASK, geometry.scene.id, missing)
        return
    shown = gallery(geometry, settings)
    recordings = list(moments_of(shown, settings))
    if not recordings:
        yield Rejected(NEXT_TASK, geometry.scene.id, NO_PAIR)
    for views in recordings:
        firsts = list(views)
        random.Random(f"{shown.scene.id}:{views[0].shot.capture}:{NEXT_TASK}").shuffle(firsts)
        yield from first_drafts((_ask_next(shown, views, view, settings) for view in firsts), settings.questions)


def _next_again(shown: Gallery, views: Sequence[View], settings: PosedSettings, item: Item) -> Recomputed:
    """The only option that the motion leads to."""
    wanted = [one for one in MOTIONS if f"the camera {one}. Which" in item.question]
    first, *options = views
    motions = [motion_of(first, view, settings) for view in options]
    if len(wanted) != 1 or motions.count(wanted[0]) != 1:
        raise ValueError("has no option, or several, that its motion leads to")
    return Recomputed(None, MEDIA_MARK, None, (), {"motions": motions}, place=motions.index(wanted[0]))


def _family(
    name: str,
    title: str,
    task: str,
    draft: Callable[[SceneGeometry, PosedSettings], Iterator[Draft | Rejected]],
    answer: Callable[[Gallery, Sequence[View], PosedSettings, Item], Recomputed],
    *,
    scale_free: bool = True,
) -> Family[PosedSettings]:
    def recompute(geometry: SceneGeometry, item: Item, settings: PosedSettings, *, released: bool = True) -> Recomputed:
        return answer(*pictures_of(geometry, settings, item), settings, item)

    known = f"posed-video/{name}"
    return Family(known, title, (task,), PosedSettings(), place_of(known), draft, recompute, scale_free=scale_free)


def _of_clips(task: str, ask: Ask) -> Callable[[SceneGeometry, PosedSettings], Iterator[Draft | Rejected]]:
    return partial(_drafts, task=task, ask=ask)


FAMILIES = (
    _family(
        "displacement", "The displacement of a camera in a clip", DISPLACEMENT_TASK,
        _of_clips(DISPLACEMENT_TASK, _ask_displacement), _displacement_again, scale_free=False,
    ),
    _family(
        "speed", "The average speed of a camera", SPEED_TASK, _of_clips(SPEED_TASK, _ask_speed), _speed_again,
        scale_free=False,
    ),
    _family(
        "motion-direction", "The direction of a camera's motion", DIRECTION_TASK,
        _of_clips(DIRECTION_TASK, _ask_direction), _direction_again,
    ),
    _family(
        "frame-order", "The order of four pictures on a camera's way", ORDER_TASK, _of_clips(ORDER_TASK, _ask_order),
        _order_again,
    ),
    _family("next-view", "The picture that a camera takes after a motion", NEXT_TASK, draft_next, _next_again),
)  # fmt: skip
