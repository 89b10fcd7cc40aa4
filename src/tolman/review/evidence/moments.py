"""Moments of ego-exo recordings that distractors are chosen for, and what is to be said about a choice (SITE, 4.2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.generate.families.site.association import DIRECTIONS, AssociationSettings, contradiction, distinct, nearness
from tolman.generate.families.site.support.direction import Direction
from tolman.generate.families.site.support.rig import WEARER, Change, Moment, SceneRig, rigs
from tolman.generate.geometry import SceneGeometry
from tolman.review.evidence.frames import same_picture
from tolman.review.forms.checking import CheckProblem

SETTINGS: AssociationSettings = AssociationSettings()
WANTED = 3
"""Distractors of a question."""
_WINDOW = 12.0
"""Seconds around the right moment that are offered."""
_OFFERED = 32


@dataclass(frozen=True)
class KeyStep:
    """A moment that a question is to be about.

    Attributes:
        rig: the cameras.
        family: a key of `DIRECTIONS`.
        right: the moment.
        label: what happens then, in the data set's words; '' where nobody said.
    """

    rig: SceneRig
    family: str
    right: Moment
    label: str = ""

    @property
    def direction(self) -> Direction:
        """Name of the view that is given."""
        return DIRECTIONS[self.family]

    @property
    def content(self) -> dict[str, Any]:
        """Stored form of the step in a task."""
        return {
            "scene": self.rig.geometry.scene.id,
            "ego": self.rig.ego.id,
            "exo": self.rig.exo.id,
            "family": self.family,
            "seconds": self.right.seconds,
            "label": self.label,
        }

    @property
    def videos(self) -> tuple[str, str]:
        """The paths of the given view's video and of the other's, relative to the collection."""
        ego, exo = self.rig.ego.media or "", self.rig.exo.media or ""
        return (ego, exo) if self.direction.given == "ego" else (exo, ego)

    def frame(self, moment: Moment, *, given: bool = False) -> int:
        """The number of a moment's frame in the other view's video, or in the given one's."""
        view = self.direction.given if given else self.direction.asked
        return moment.ego if view == "ego" else moment.exo

    def seconds_in_video(self, moment: Moment) -> float:
        """When the other view's player shows a moment."""
        capture = self.rig.ego if self.direction.asked == "ego" else self.rig.exo
        return capture.times[self.frame(moment)] - capture.times[0]

    def offered(self, also: Sequence[int] = ()) -> list[tuple[int, Moment]]:
        """The moments around the right one with their numbers among the rig's, and others that are to be shown."""
        around = [
            (abs(moment.seconds - self.right.seconds), number)
            for number, moment in enumerate(self.rig.moments)
            if moment != self.right and abs(moment.seconds - self.right.seconds) <= _WINDOW
        ]
        numbers = {number for _, number in sorted(around)[:_OFFERED]} | {n for n in also if self.is_other(n)}
        return [(number, self.rig.moments[number]) for number in sorted(numbers)]

    def is_other(self, number: int) -> bool:
        """Tell whether a number is that of a moment other than the right one."""
        return 0 <= number < len(self.rig.moments) and self.rig.moments[number] != self.right

    def nearest(self, seconds: float) -> int:
        """The moment that the other view's player shows about this time."""
        moments = self.rig.moments
        return min(range(len(moments)), key=lambda number: abs(self.seconds_in_video(moments[number]) - seconds))

    def change(self, other: Moment) -> Change:
        """Name the difference between a moment and the right one; where only people see it, the way of the wearer."""
        found = contradiction(self.rig, self.direction.given, self.right, other) if self.rig.ego.poses else None
        if found is not None:
            return found
        return self.rig.change(WEARER, self.right, other) if self.rig.ego.poses else Change("people", 0.0, 0.0)

    def near(self, other: Moment) -> str:
        """In what a moment is near: 'time' or 'place'."""
        return nearness(self.rig, self.right, other)


def key_steps(geometry: SceneGeometry, most: int) -> Iterator[KeyStep]:
    """At most so many moments of each pair of cameras, the given view in turn.

    Those of annotated events if there are any, else of the whole recording; evenly spread.
    """
    families = tuple(DIRECTIONS)
    for rig in rigs(geometry, SETTINGS):
        usable = [moment for moment in rig.moments if not rig.ego.poses or rig.cues(moment.ego, moment.exo)]
        if len(rig.moments) < WANTED + 1 or not usable:
            continue
        marked = [event for event in geometry.scene.events if event.kind in ("keystep", "")] or geometry.scene.events
        found: dict[Moment, str] = {}
        for event in marked:
            middle = (event.start + event.end) / 2
            moment = min(usable, key=lambda one: abs(one.seconds - middle))
            if event.start - SETTINGS.every <= moment.seconds <= event.end + SETTINGS.every:
                found.setdefault(moment, event.label)
        if not geometry.scene.events:
            found = dict.fromkeys(usable, "")
        chosen = list(found.items())
        step = max(len(chosen) / most, 1.0)
        for turn in range(min(most, len(chosen))):
            moment, label = chosen[int(turn * step)]
            yield KeyStep(rig, families[turn % len(families)], moment, label)


def step_of(geometry: SceneGeometry, content: Mapping[str, Any]) -> KeyStep | None:
    """The moment of a task; None where the scene has changed so that it isn't there any more."""
    for rig in rigs(geometry, SETTINGS):
        if (rig.ego.id, rig.exo.id) == (content["ego"], content["exo"]):
            right = next((m for m in rig.moments if abs(m.seconds - content["seconds"]) < 1e-6), None)
            return KeyStep(rig, content["family"], right, content["label"]) if right else None
    return None


def check(step: KeyStep, picks: Sequence[int], pictures: Mapping[int, Path]) -> list[CheckProblem]:
    """Find problems of some distractors.

    Args:
        step: what they are for.
        picks: numbers of moments.
        pictures: frame of the other view's video → its picture, of the picks and the right moment.
    """
    found = []
    if len(picks) != WANTED:
        found.append(CheckProblem("stop", f"Choose {WANTED} frames that don't fit; {len(picks)} are chosen."))
    moments = [step.rig.moments[number] for number in picks]
    right = pictures[step.frame(step.right)]
    for moment in moments:
        name = name_moment(step, moment)
        if abs(moment.seconds - step.right.seconds) <= SETTINGS.together or same_picture(
            pictures[step.frame(moment)], right
        ):
            found.append(CheckProblem("stop", f"{name} shows the same as the right one."))
        elif step.rig.ego.poses and contradiction(step.rig, step.direction.given, step.right, moment) is None:
            change = step.change(moment)
            how = f"the wearer is {change.metres:.1f} m away and turned by {change.degrees:.0f}°"
            found.append(CheckProblem("warn", f"{name} is hardly told apart from the right one: {how}."))
    for one, other in itertools.combinations(moments, 2):
        names = f"{name_moment(step, one)} and {name_moment(step, other)}"
        if same_picture(pictures[step.frame(one)], pictures[step.frame(other)]):
            found.append(CheckProblem("stop", f"{names} show the same."))
        elif step.rig.ego.poses and not distinct(step.rig, one, other):
            found.append(CheckProblem("warn", f"{names} are hardly told apart."))
    return sorted(found, key=lambda finding: finding.level != "stop")


def name_moment(step: KeyStep, moment: Moment) -> str:
    """Name of a moment on pages: its time from the right one."""
    return f"{moment.seconds - step.right.seconds:+.1f} s".replace("-", "\u2212")
