"""Frame reordering between views: in which order were the other camera's pictures taken? (SITE paper, section 4.2 and
figure 8; extrinsic, dynamic.)

Rule: the first and the last picture of a clip are given from one view, and four pictures of the clip, shuffled, from
the other. The order follows from the way that the wearer, or a moving thing, takes: measured along the straight line
from where it is in the first picture to where it is in the last, it comes on by at least `step` metres, and by a third
of the share `part` of its distance from the camera, from each of the six moments to the next. It is shown in all
pictures that this needs: a thing in all six; the wearer in those of the fixed camera, while those of the egocentric one
show where they were taken. Its start and end are enough to put the four pictures in order; anything that runs to and
fro isn't asked about.

The other options are three of the other 23 orders, drawn evenly.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

import numpy as np

from tolman.generate.families.site.support.camera_rig import (
    NO_MOMENT,
    WEARER,
    Direction,
    Moment,
    RigSettings,
    SceneRig,
    families_of,
    missing_rig,
    rigs,
    shots_of,
)
from tolman.generate.family import Draft, ReasoningStep, Recomputed, Rejected
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import MEDIA_MARK, Item


class ReorderingSettings(RigSettings):
    """Frame reordering between views.

    Attributes:
        step: metres that the moving wearer or thing must advance between two pictures in a row.
        shortest, longest: seconds of a clip.
        questions: for each exocentric camera, at most.
    """

    landmarks: int = 2
    largest: float = 0.5
    step: float = 0.6
    shortest: float = 2.0
    longest: float = 15.0
    questions: int = 4


_NAMES = ("the camera that {who} wears", "a fixed camera in the same place")
_TEXT = (
    "Two pictures were taken by {given}, at the beginning and at the end of a clip.\nBeginning: {m}\nEnd: {m}\nThe "
    "following four pictures were taken between them by {asked}, and are not in order.\n1: {m}\n2: {m}\n3: {m}\n"
    "4: {m}\n"
    "In which order were they taken?"
)


DIRECTIONS = {
    "reorder-ego-to-exo": Direction(
        "frame_reordering_ego_to_exo", "ego", "exo", _TEXT.format(m=MEDIA_MARK, given=_NAMES[0], asked=_NAMES[1])
    ),
    "reorder-exo-to-ego": Direction(
        "frame_reordering_exo_to_ego", "exo", "ego", _TEXT.format(m=MEDIA_MARK, given=_NAMES[1], asked=_NAMES[0])
    ),
}
"""By the last part of the family's name."""


def steps(rig: SceneRig, cue: str, moments: Sequence[Moment]) -> list[float]:
    """Metres by which the wearer or a thing comes on from moment to moment, along the line from first to last."""
    places = np.array([rig.place(cue, moment) for moment in moments])
    way = places[-1] - places[0]
    length = float(np.linalg.norm(way))
    return [0.0] * (len(moments) - 1) if length == 0 else [float(d) for d in np.diff(places @ (way / length))]


def shown(rig: SceneRig, cue: str, given: str, moment: Moment, *, end: bool) -> bool:
    """Check that a clip's picture shows its cue: at an end in the given view, between the ends in the other one."""
    view = given if end else ("exo" if given == "ego" else "ego")
    if cue == WEARER and view == "ego":
        return rig.located(moment.ego, moment.exo)
    capture, frame = (rig.ego, moment.ego) if view == "ego" else (rig.exo, moment.exo)
    return rig.shows(capture, frame, cue)


def clips(
    rig: SceneRig, given: str, generator: random.Random, settings: ReorderingSettings
) -> Iterator[tuple[str, tuple[Moment, ...]]]:
    """Clips: the thing that orders each, and its six moments."""
    cues = [*([WEARER] if rig.ego.poses else []), *rig.movers]
    pairs = [
        (cue, a, b)
        for cue in cues
        for a, b in itertools.combinations(rig.moments, 2)
        if settings.shortest <= b.seconds - a.seconds <= settings.longest
    ]
    for cue, first, last in generator.sample(pairs, len(pairs)):
        if not (shown(rig, cue, given, first, end=True) and shown(rig, cue, given, last, end=True)):
            continue
        places = [rig.place(cue, moment) for moment in (first, last)]
        length = float(np.linalg.norm(places[1] - places[0]))
        if length < 5 * settings.step:
            continue
        way = (places[1] - places[0]) / length
        between = [m for m in rig.moments if first.seconds < m.seconds < last.seconds]
        usable = [m for m in between if shown(rig, cue, given, m, end=False)]
        chosen = [first]
        for moment in usable:
            done = float((rig.place(cue, chosen[-1]) - places[0]) @ way)
            now = float((rig.place(cue, moment) - places[0]) @ way)
            # Evenly over what is left of the way, so that the pictures are not all from its beginning.
            wanted = max(settings.step, (length - done) / (6 - len(chosen)) - 0.1)
            if len(chosen) < 5 and now - done >= wanted and length - now >= (5 - len(chosen)) * settings.step:
                chosen.append(moment)
        six = (*chosen, last)
        away = max(rig.away(cue, moment) for moment in six)
        if len(six) == 6 and min(steps(rig, cue, six)) >= max(settings.step, settings.part / 3 * away):
            yield cue, six


def draft(direction: Direction, geometry: SceneGeometry, settings: ReorderingSettings) -> Iterator[Draft | Rejected]:
    """Some clips of every pair of cameras."""
    scene = geometry.scene
    found = False
    for rig in rigs(geometry, settings):
        found = True
        generator = random.Random(f"{rig.exo.id}:{direction.task}")
        taken: list[tuple[Moment, ...]] = []
        for cue, six in clips(rig, direction.given, generator, settings):
            # Two clips that begin and end alike are one.
            if any(abs(six[0].seconds - t[0].seconds) + abs(six[5].seconds - t[5].seconds) < 2.0 for t in taken):
                continue
            taken.append(six)
            yield _question(rig, direction, cue, six, generator)
            if len(taken) == settings.questions:
                break
        if not taken:
            reason = "nothing comes on steadily enough and is shown all the time" if rig.moments else NO_MOMENT
            yield Rejected(direction.task, scene.id, reason)
    if not found:
        yield Rejected(direction.task, scene.id, missing_rig(geometry))


def _question(rig: SceneRig, direction: Direction, cue: str, six: Sequence[Moment], generator: random.Random) -> Draft:
    order = generator.sample(range(4), 4)  # the picture that is shown n-th is the order[n]-th in time
    right = [order.index(i) for i in range(4)]
    others = [p for p in itertools.permutations(range(4)) if list(p) != right]
    options = tuple(_text(p) for p in (right, *generator.sample(others, 3)))
    shots = [rig.shot(direction.given, six[0]), rig.shot(direction.given, six[5])]
    shots += [rig.shot(direction.asked, six[1 + i]) for i in order]
    evidence = {
        "clue": cue,
        "seconds": [moment.seconds for moment in six],
        "steps": steps(rig, cue, six),
    }
    reasoning = (
        ReasoningStep("grounding", "What moves through the clip is found in all pictures, or is the camera itself."),
        ReasoningStep("reconstruction", "Beginning and end show from where to where it goes."),
        ReasoningStep("logic", "The pictures are ordered by how far it has come on that way."),
    )
    return Draft(
        direction.task,
        rig.geometry.scene.id,
        direction.question.format(who=rig.wears),
        options[0],
        None,
        options,
        evidence,
        tuple(shots),
        reasoning=reasoning,
        open_options=True,
    )


def _text(order: Sequence[int]) -> str:
    return ", ".join(str(i + 1) for i in order)


def recompute(
    direction: Direction, geometry: SceneGeometry, item: Item, settings: ReorderingSettings, *, released: bool = True
) -> Recomputed:
    """The order by the pictures' times.

    Raises:
        KeyError: the scene lacks a recording, or the item doesn't say which pictures it shows.
    """
    if not re.fullmatch(re.escape(direction.question).replace(r"\{who\}", ".+"), item.question):
        raise ValueError("is no question for an order of pictures")
    captures = {capture.id: capture for capture in geometry.captures}
    times = [captures[shot.capture].scene_time(shot.frame) for shot in shots_of(item)[2:]]
    order = np.argsort(times)
    answer = _text([int(i) for i in order])
    return Recomputed(answer, answer, float(np.diff(np.sort(times)).min()), evidence={"times": times})


FAMILIES = families_of(
    DIRECTIONS,
    lambda one: f"The order of four {one.asked} pictures between two {one.given} ones",
    ReorderingSettings(),
    draft,
    recompute,
)
