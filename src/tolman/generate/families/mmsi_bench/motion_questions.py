"""Motion between two pictures: that of the camera and that of an object. (MMSI-Bench, Table 1.)

- Camera motion: how does the camera move and turn from one picture to the other?
- Object motion: which way did something move between two pictures? Directions are those of the line of sight from the
  first picture's camera to where the thing was then. The direction in which a figure faces is part of its picture's
  cues; things without a front are a kind of their own.

A scene's moving objects are found here: where each is in a picture, and which pictures show it clearly.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.generate.families.mmsi_bench.support.ambiguity import Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.questions import (
    ahead_and_left,
    closed_draft,
    grounded,
    overlapping,
    pair_family,
    quarter,
    quarter_margin,
    turn_between,
    turned,
    view_family,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, confusable, gallery, outlines
from tolman.generate.family import Draft, ReasoningStep, Recomputed, Rejected
from tolman.geometry.boxes import Boxes, Floats
from tolman.ground_truth.scene_arrays import SceneGeometry

CAMERA_MOTION_TASK = "Motion (Cam.)"
CAMERA_MOTION_QUESTION = (
    "The two images show the same place from two viewpoints. Seen from the first viewpoint, how does the camera have "
    "to move and turn to get from where it took the first image to where it took the second one?"
)
MOTIONS = (
    "Move forward and turn to the left",
    "Move forward and turn to the right",
    "Move backward and turn to the left",
    "Move backward and turn to the right",
)


def _found_camera_motion(a: View, b: View) -> tuple[float, float, float]:
    """Metres ahead and metres to the left from one camera to the other; degrees by which it is turned to the left."""
    return *ahead_and_left(a, b), turn_between(a, b)


def _camera_motion_answers(values: Values) -> NDArray[np.int64]:
    first, second = values["first"], values["second"]
    angle = np.radians(first[:, 2])
    ahead = ((second[:, :2] - first[:, :2]) * np.stack([np.cos(angle), np.sin(angle)], 1)).sum(1)
    turn = (second[:, 2] - first[:, 2] + 180) % 360 - 180
    return np.asarray((2 * (ahead < 0) + (turn < 0)).astype(np.int64))


def _camera_motion_violations(motion: tuple[float, float, float], settings: ViewSettings) -> list[str]:
    ahead, left, turn = motion
    broken = []
    if abs(ahead) < settings.step:
        broken.append(f"less than {settings.step} m forward or backward")
    if abs(left) > settings.sideways * abs(ahead):
        broken.append("more to the side than forward or backward")
    if not settings.turn <= abs(turn) <= 180 - settings.turn:
        broken.append(f"turned by less than {settings.turn}° or more than {180 - settings.turn}°")
    return broken


def _ask(gallery: Gallery, a: View, b: View) -> Iterator[Draft | Rejected]:
    if a.role != b.role:
        yield Rejected(CAMERA_MOTION_TASK, gallery.scene.id, "pictures of two cameras")
        return
    motion = ahead, left, turn = _found_camera_motion(a, b)
    broken = _camera_motion_violations(motion, gallery.settings)
    if broken:
        yield Rejected(CAMERA_MOTION_TASK, gallery.scene.id, broken[0])
        return
    ambiguity = SingleViewAmbiguity((a, b), {"first": 0, "second": 1}, {}, _camera_motion_answers)
    answer = MOTIONS[ambiguity.truth()]

    def steps() -> Iterator[ReasoningStep]:
        anchor = gallery.anchors(a, b)[0]
        far = [float(np.linalg.norm(gallery.center(anchor) - view.place)) for view in (a, b)]
        yield grounded(gallery, anchor, a, 0)
        yield grounded(gallery, anchor, b, 1)
        yield overlapping(gallery, (a, b), 0, 1)
        yield ReasoningStep(
            "reconstruction",
            f"The {gallery.category(anchor)} is {far[0]:.1f} m away in the first image and {far[1]:.1f} m in the "
            f"second, which puts the second camera {abs(ahead):.1f} m {'ahead of' if ahead > 0 else 'behind'} the "
            f"first one and turns it by {abs(turn):.0f}°.",
        )
        yield ReasoningStep("logic", f"So the camera has to {answer[0].lower()}{answer[1:]}.")

    evidence = {"ahead": ahead, "left": left, "turn": turn, "margin": min(abs(turn), 180 - abs(turn))}
    yield closed_draft(
        gallery, CAMERA_MOTION_TASK, CAMERA_MOTION_QUESTION, answer, MOTIONS, ambiguity, evidence, steps()
    )


def _camera_motion(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """The way and the turn from the first camera to the second."""
    a, b = pictures
    settings = gallery.settings
    ahead, left, turn = motion = _found_camera_motion(a, b)
    answer = MOTIONS[2 * (ahead < 0) + (turn < 0)]
    broken = tuple(_camera_motion_violations(motion, settings))
    clear = abs(ahead) >= settings.step and settings.turn <= abs(turn) <= 180 - settings.turn
    evidence = {"ahead": ahead, "left": left, "turn": turn}
    # A way that leads to the side as well still leads forward or back.
    return Recomputed(answer, answer, abs(turn), broken, evidence, harmless=broken if clear else ())


CAMERA_MOTION_FAMILY = pair_family(
    "mmsi-bench/camera-motion", "The motion of a camera between two pictures", CAMERA_MOTION_TASK, _ask, _camera_motion
)


_BARE = 0.25
"""Share of the part of its outline inside a picture that a mover must show: a figure's box holds its swinging limbs."""

_STILL = 1.0
"""Degrees by which the box of something without a front may seem to turn."""


@dataclass(frozen=True, eq=False)
class Mover:
    """Something that moves.

    Attributes:
        number: of the object in the scene.
        times: of its track, seconds on the scene's time line.
        centers: metres, shape (n, 3).
        axes: its box's unit axes, shape (n, 3, 3).
        extents: metres.
    """

    number: int
    times: Floats
    centers: Floats
    axes: Floats
    extents: Floats

    def place(self, seconds: float) -> Floats:
        """Its middle on the floor plan, straight between the points of its track, metres, shape (2,)."""
        return np.array([np.interp(seconds, self.times, self.centers[:, k]) for k in (0, 1)])

    def facing(self, seconds: float) -> float:
        """Return the direction of its box's second axis on the floor plan, degrees; simulated figures face it."""
        nearest = int(np.abs(self.times - seconds).argmin())
        return float(np.degrees(np.arctan2(self.axes[nearest, 1, 1], self.axes[nearest, 1, 0])))

    @property
    def turns(self) -> bool:
        """Check whether its box ever turns on the floor plan: then it has a front, which shows its direction."""
        ways = np.degrees(np.arctan2(self.axes[:, 1, 1], self.axes[:, 1, 0]))
        return bool(np.abs((ways - ways[0] + 180) % 360 - 180).max() > _STILL)

    def box(self, seconds: float) -> Boxes:
        """Its box at a time."""
        nearest = int(np.abs(self.times - seconds).argmin())
        return Boxes(self.centers[nearest][None], self.axes[nearest][None], self.extents[None])


def movers_of(gallery: Gallery) -> Iterator[Mover]:
    """Everything that moves in a scene."""
    for number, thing in enumerate(gallery.scene.objects):
        if thing.track:
            yield Mover(
                number,
                np.array([point.seconds for point in thing.track]),
                np.array([point.center for point in thing.track]),
                np.array([point.axes for point in thing.track]),
                np.array(thing.box.extents),
            )


def shown_clearly(gallery: Gallery, mover: Mover, view: View) -> bool:
    """Check that a picture shows it clearly, and nothing that could be taken for it."""
    settings = gallery.settings
    share = view.pixels.get(mover.number, 0.0)
    if share < settings.clear:
        return False
    mistaken = confusable(gallery.category(mover.number))
    if any(
        other != mover.number and seen >= settings.glimpse and gallery.category(other) in mistaken
        for other, seen in view.pixels.items()
    ):
        return False
    (inside,), (whole,) = outlines(mover.box(view.seconds), view)
    total = view.size[0] * view.size[1]
    return whole > 0 and inside >= settings.inside * whole and share * total >= _BARE * inside


def views_with(gallery: Gallery, mover: Mover) -> list[View]:
    """Some pictures that show it clearly, evenly over the time of each recording."""
    found = []
    for camera in gallery.cameras.values():
        total = len(camera.times)
        count = min(total, gallery.settings.frames)
        for frame in sorted({round((n + 0.5) * total / count - 0.5) for n in range(count)}):
            view = gallery.view(camera.id, frame)
            if abs(view.tilt) <= gallery.settings.tilt and shown_clearly(gallery, mover, view):
                found.append(view)
    return found


OBJECT_MOTION_TASK = "Motion (Obj.)"
OBJECT_MOTION_QUESTION = (
    "The first image was taken before the second. Seen from where the first image was taken, in which direction did "
    "the {name} move between the two images?"
)
DIRECTIONS = ("Away from that viewpoint", "To the left", "Toward that viewpoint", "To the right")
_PATTERN = re.compile(r"in which direction did the (.+) move between")


def _angles(camera: Floats, before: Floats, after: Floats) -> Floats:
    """Degrees counter-clockwise from the line of sight to the way that was gone, 0 … 360; shapes (n, 2)."""
    sight, way = before - camera, after - before
    return np.asarray(
        (np.degrees(np.arctan2(way[:, 1], way[:, 0])) - np.degrees(np.arctan2(sight[:, 1], sight[:, 0]))) % 360
    )


def _object_motion_answers(values: Values) -> NDArray[np.int64]:
    angle = _angles(values["camera"][:, :2], values["before"], values["after"])
    return np.asarray(((angle + 45) // 90).astype(np.int64) % 4)


def _found_object_motion(mover: Mover, a: View, b: View) -> tuple[float, float]:
    """The angle of the way, and its length in metres."""
    before, after = mover.place(a.seconds), mover.place(b.seconds)
    angle = float(_angles(a.place[None], before[None], after[None])[0])
    return angle, float(np.linalg.norm(after - before))


def _object_motion_violations(angle: float, metres: float, settings: ViewSettings) -> list[str]:
    broken = []
    if metres < settings.way:
        broken.append(f"moved by less than {settings.way} m")
    if quarter_margin(angle) < settings.bend:
        broken.append(f"within {settings.bend}° of a boundary")
    return broken


def draft_object_motion(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of pictures that show the same mover at different times, in a drawn order."""
    shown = gallery(geometry, settings)
    movers = list(movers_of(shown))
    if not movers or shown.lack:
        yield Rejected(OBJECT_MOTION_TASK, geometry.scene.id, shown.lack or "nothing moves")
        return
    for mover in movers:
        views = views_with(shown, mover)
        pairs = [(a, b) for a, b in itertools.permutations(views, 2) if a.seconds < b.seconds]
        if not pairs:
            yield Rejected(OBJECT_MOTION_TASK, geometry.scene.id, "fewer than two pictures show clearly what moves")
        random.Random(f"{geometry.scene.id}:{OBJECT_MOTION_TASK}:{mover.number}").shuffle(pairs)
        yield from itertools.islice(_of_mover(shown, mover, pairs), settings.of_scene)


def _of_mover(gallery: Gallery, mover: Mover, pairs: list[tuple[View, View]]) -> Iterator[Draft | Rejected]:
    scene, name = gallery.scene.id, gallery.category(mover.number)
    for a, b in pairs:
        angle, metres = _found_object_motion(mover, a, b)
        broken = _object_motion_violations(angle, metres, gallery.settings)
        if not broken and not gallery.overlap(a, b):
            broken = ["the pictures don't overlap"]
        if broken:
            yield Rejected(OBJECT_MOTION_TASK, scene, broken[0])
            continue
        points = {
            "before": Point(mover.place(a.seconds), (mover.number,), 0),
            "after": Point(mover.place(b.seconds), (mover.number,), 1),
        }
        sight = points["before"].place - a.place
        line = float(np.degrees(np.arctan2(sight[1], sight[0])))
        facing = [quarter((mover.facing(view.seconds) - line) % 360) for view in (a, b)]
        answer = DIRECTIONS[quarter(angle)]
        evidence = {"angle": angle, "margin": quarter_margin(angle), "distance": metres}
        found = closed_draft(
            gallery,
            OBJECT_MOTION_TASK,
            OBJECT_MOTION_QUESTION.format(name=name),
            answer,
            DIRECTIONS,
            SingleViewAmbiguity((a, b), {"camera": 0}, points, _object_motion_answers),
            evidence | {"facing": [DIRECTIONS[way] for way in facing]},
            _object_motion_steps(gallery, mover, (a, b), angle, metres, answer),
        )
        if isinstance(found, Draft):
            found.kind = "turning" if mover.turns else "frontless"
            found.single_view_cues = tuple(
                (*own, str(way)) for own, way in zip(found.single_view_cues, facing, strict=True)
            )
        yield found


def _object_motion_steps(
    gallery: Gallery, mover: Mover, pictures: tuple[View, View], angle: float, metres: float, answer: str
) -> Iterator[ReasoningStep]:
    name = gallery.category(mover.number)
    for which, view in zip(("first", "second"), pictures, strict=True):
        far = float(np.linalg.norm(mover.place(view.seconds) - view.place))
        yield ReasoningStep("grounding", f"The {which} image shows the {name} about {far:.1f} m from the camera.")
    yield overlapping(gallery, pictures, 0, 1)
    said = f"Set against what stays in its place in both images, the {name} is {metres:.1f} m from where it was."
    yield ReasoningStep("reconstruction", said)
    way = f"Seen from the first camera, that way leads {turned(angle)} of straight away from it."
    yield ReasoningStep("transformation", way)
    yield ReasoningStep("logic", f"So the {name} moved {answer[0].lower()}{answer[1:]}.")


def _object_motion(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """The direction of the way between the two times."""
    a, b = pictures
    found = [
        mover
        for mover in movers_of(gallery)
        if gallery.category(mover.number) == match[1] and all(shown_clearly(gallery, mover, view) for view in pictures)
    ]
    if len(found) != 1:
        raise KeyError(match[1])
    angle, metres = _found_object_motion(found[0], a, b)
    answer = DIRECTIONS[quarter(angle)]
    broken = tuple(_object_motion_violations(angle, metres, gallery.settings))
    return Recomputed(answer, answer, quarter_margin(angle), broken, {"angle": angle, "distance": metres})


OBJECT_MOTION_FAMILY = view_family(
    "mmsi-bench/object-motion",
    "The motion of an object between two pictures",
    OBJECT_MOTION_TASK,
    draft_object_motion,
    _object_motion,
    pattern=_PATTERN,
    names=(_PATTERN,),
)

FAMILIES = (CAMERA_MOTION_FAMILY, OBJECT_MOTION_FAMILY)
