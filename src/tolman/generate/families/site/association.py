"""View association: which picture of the other camera shows the same moment? (SITE paper, section 4.2; extrinsic,
static.)

Rule: one picture of a moment is given, and four of the other view, all of one camera. Exactly one of the four is of the
same moment. Something ties the given picture to the right one: both show `landmarks` things at rest, so that one sees
from where the egocentric picture was taken, and the fixed camera's picture shows the wearer of the egocentric camera,
or both show a thing that moves. Every other option contradicts: it is tied to the given picture in the same way, but
the wearer, or the thing, has gone by `moved` metres and by the share `part` of its distance from the camera; or the
wearer has turned by `turned` degrees and takes up the share `facing` of the fixed camera's picture. Any two options
differ as much.

Distractors are hard: near in time (the moments nearest to the right one that keep the rule, within `within` seconds if
that can be), or near in place (of the same time span, the moment with the wearer nearest to their place then). The
number of those before the right moment is drawn first, so that the right one is not the middle one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from tolman.generate.families.site.support.camera_rig import (
    NO_MOMENT,
    WEARER,
    Change,
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


class AssociationSettings(RigSettings):
    """View association.

    Attributes:
        within: the most seconds between the right moment and the other options, if possible.
        questions: for each exocentric camera, at most.
    """

    within: float = 6.0
    questions: int = 6


_TEXT = (
    "{m}\nThis picture was taken by {given}. Which of the following pictures was taken at the same moment by {asked} "
    "in the same place?"
)
_EGO, _EXO = "the camera that {who} wears", "a fixed camera"
DIRECTIONS = {
    "associate-exo-to-ego": Direction(
        "view_association_exo_to_ego", "exo", "ego", _TEXT.format(m=MEDIA_MARK, given=_EXO, asked=_EGO)
    ),
    "associate-ego-to-exo": Direction(
        "view_association_ego_to_exo", "ego", "exo", _TEXT.format(m=MEDIA_MARK, given=_EGO, asked=_EXO)
    ),
}
"""By the last part of the family's name."""


def contradiction(rig: SceneRig, given: str, right: Moment, other: Moment) -> Change | None:
    """Return the change, visible in the pictures, that rules out another moment's option; None if there is none."""
    ego, exo = (other.ego, right.exo) if given == "exo" else (right.ego, other.exo)
    for cue in rig.cues(ego, exo):
        change = rig.change(cue, right, other)
        if rig.differs(change, right, other, exo):
            return change
    return None


def draft(direction: Direction, geometry: SceneGeometry, settings: AssociationSettings) -> Iterator[Draft | Rejected]:
    """Some moments of every pair of cameras."""
    scene = geometry.scene
    found = False
    for rig in rigs(geometry, settings):
        found = True
        if not rig.moments:
            yield Rejected(direction.task, scene.id, NO_MOMENT)
        generator = random.Random(f"{rig.exo.id}:{direction.task}")
        made = 0
        for right in generator.sample(rig.moments, len(rig.moments)):
            if made == settings.questions:
                break
            if not rig.cues(right.ego, right.exo):
                yield Rejected(direction.task, scene.id, "nothing ties both cameras' pictures together")
                continue
            others = _distractors(rig, direction.given, right, generator, settings)
            if len(others) < 3:
                yield Rejected(direction.task, scene.id, "fewer than three moments that the pictures contradict")
                continue
            made += 1
            yield question(rig, direction, right, others)
    if not found:
        yield Rejected(direction.task, scene.id, missing_rig(geometry))


def _distractors(
    rig: SceneRig, given: str, right: Moment, generator: random.Random, settings: AssociationSettings
) -> list[tuple[Moment, Change, str]]:
    """Choose three hard distractors, each with the contradicting change and its nearness."""
    usable = []
    for moment in rig.moments:
        change = contradiction(rig, given, right, moment)
        if change is not None:
            usable.append((moment, change))
    usable.sort(key=lambda one: abs(one[0].seconds - right.seconds))
    near = [one for one in usable if abs(one[0].seconds - right.seconds) <= settings.within]
    for pool in (near, usable):
        before = [one for one in pool if one[0].seconds < right.seconds]
        after = [one for one in pool if one[0].seconds > right.seconds]
        for count in generator.sample(range(4), 4):
            found = _apart(rig, before, count, [])
            found = found and _apart(rig, after, 3 - count, found) if count else _apart(rig, after, 3, [])
            if found:
                return [(moment, change, nearness(rig, right, moment)) for moment, change in found]
    return []


def _apart(
    rig: SceneRig, pool: Sequence[tuple[Moment, Change]], count: int, kept: list[tuple[Moment, Change]]
) -> list[tuple[Moment, Change]] | None:
    """So many of a pool, the first that differ from each other and from those kept; None where there aren't enough."""
    found = list(kept)
    for moment, change in pool:
        if len(found) == len(kept) + count:
            break
        if all(distinct(rig, moment, other) for other, _ in found):
            found.append((moment, change))
    return found if len(found) == len(kept) + count else None


def distinct(rig: SceneRig, a: Moment, b: Moment) -> bool:
    cues = [WEARER, *rig.movers] if rig.ego.poses else list(rig.movers)
    return any(rig.differs(rig.change(cue, a, b), a, b, a.exo) for cue in cues)


def nearness(rig: SceneRig, right: Moment, other: Moment) -> str:
    """Return a distractor's nearness: in place, if the wearer is where they were, or in time."""
    if not rig.ego.poses:
        return "time"
    return "place" if rig.change(WEARER, right, other).metres < rig.settings.moved else "time"


def question(rig: SceneRig, direction: Direction, right: Moment, others: Sequence[tuple[Moment, Change, str]]) -> Draft:
    """A moment with three others as a question.

    Args:
        rig: the cameras.
        direction: which view is given.
        right: the moment.
        others: the distractors, with each one's change from the right one and its nearness, 'time' or 'place'.
    """
    shots = [rig.shot(direction.given, right), rig.shot(direction.asked, right)]
    shots += [rig.shot(direction.asked, moment) for moment, _, _ in others]
    evidence = {
        "seconds": right.seconds,
        "clues": rig.cues(right.ego, right.exo),
        "others": [
            {
                "seconds": moment.seconds - right.seconds,
                "near": near,
                "clue": change.cue,
                "metres": change.metres,
                "degrees": change.degrees,
            }
            for moment, change, near in others
        ],
    }
    steps = (
        ReasoningStep("grounding", "The fixed camera's picture shows who wears the other camera, and what else moves."),
        ReasoningStep(
            "transformation",
            "Seen with the wearer's eyes, what lies ahead of them must be in the worn camera's picture.",
        ),
        ReasoningStep("logic", "Only one picture fits; in each other one something that moves is elsewhere."),
    )
    options = (MEDIA_MARK,) * 4
    return Draft(
        direction.task,
        rig.geometry.scene.id,
        direction.question.format(who=rig.wears),
        MEDIA_MARK,
        None,
        options,
        evidence,
        tuple(shots),
        reasoning=steps,
    )


def recompute(
    direction: Direction,
    geometry: SceneGeometry,
    item: Item,
    settings: AssociationSettings,
    *,
    released: bool = True,
) -> Recomputed:
    """The option that was taken at the given picture's time.

    Raises:
        KeyError: the scene lacks a recording, or the item doesn't say which pictures it shows.
    """
    if item.task != direction.task and item.labels.get("family", "").rpartition("/")[2] not in DIRECTIONS:
        raise ValueError("is no question for a view")
    given, *options = shots_of(item)
    captures = {capture.id: capture for capture in geometry.captures}
    moment = captures[given.capture].scene_time(given.frame)
    away = [abs(captures[shot.capture].scene_time(shot.frame) - moment) for shot in options]
    place = away.index(min(away))
    margin = min(seconds for i, seconds in enumerate(away) if i != place)
    return Recomputed(None, MEDIA_MARK, margin, evidence={"away": away}, place=place)


FAMILIES = families_of(
    DIRECTIONS,
    lambda one: f"The {one.asked} view of the moment that an {one.given} picture shows",
    AssociationSettings(),
    draft,
    recompute,
)
