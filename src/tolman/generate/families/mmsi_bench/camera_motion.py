"""Camera motion: how does the camera move and turn from one picture to the other? (MMSI-Bench, Table 1.)"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.ambiguity import ONE_OPTION, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.asking import drafts_of, pictures_of
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.steps import grounded, overlapping, turn_between
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item

TASK = "Motion (Cam.)"
QUESTION = (
    "The two images show the same place from two viewpoints. Seen from the first viewpoint, how does the camera have "
    "to move and turn to get from where it took the first image to where it took the second one?"
)
MOTIONS = (
    "Move forward and turn to the left",
    "Move forward and turn to the right",
    "Move backward and turn to the left",
    "Move backward and turn to the right",
)


def _motion(a: View, b: View) -> tuple[float, float, float]:
    """Metres ahead and metres to the left from one camera to the other; degrees by which it is turned to the left."""
    way = b.place - a.place
    angle = math.radians(a.heading)
    ahead = float(way @ np.array([math.cos(angle), math.sin(angle)]))
    left = float(way @ np.array([-math.sin(angle), math.cos(angle)]))
    return ahead, left, turn_between(a, b)


def _answers(values: Values) -> NDArray[np.int64]:
    first, second = values["first"], values["second"]
    angle = np.radians(first[:, 2])
    ahead = ((second[:, :2] - first[:, :2]) * np.stack([np.cos(angle), np.sin(angle)], 1)).sum(1)
    turn = (second[:, 2] - first[:, 2] + 180) % 360 - 180
    return np.asarray((2 * (ahead < 0) + (turn < 0)).astype(np.int64))


def _violations(motion: tuple[float, float, float], settings: ViewSettings) -> list[str]:
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
        yield Rejected(TASK, gallery.scene.id, "pictures of two cameras")
        return
    motion = ahead, left, turn = _motion(a, b)
    broken = _violations(motion, gallery.settings)
    if broken:
        yield Rejected(TASK, gallery.scene.id, broken[0])
        return
    ambiguity = SingleViewAmbiguity((a, b), {"first": 0, "second": 1}, {}, _answers)
    cues = ambiguity.cues(gallery, MOTIONS)
    if cues is None:
        yield Rejected(TASK, gallery.scene.id, ONE_OPTION)
        return
    answer = MOTIONS[ambiguity.truth()]
    anchor = gallery.anchors(a, b)[0]
    name = gallery.category(anchor)
    far = [float(np.linalg.norm(gallery.center(anchor) - view.place)) for view in (a, b)]
    steps = (
        grounded(gallery, anchor, a, 0),
        grounded(gallery, anchor, b, 1),
        overlapping(gallery, (a, b), 0, 1),
        ReasoningStep(
            "reconstruction",
            f"The {name} is {far[0]:.1f} m away in the first image and {far[1]:.1f} m in the second, which puts the "
            f"second camera {abs(ahead):.1f} m {'ahead of' if ahead > 0 else 'behind'} the first one and turns it by "
            f"{abs(turn):.0f}°.",
        ),
        ReasoningStep("logic", f"So the camera has to {answer[0].lower()}{answer[1:]}."),
    )
    yield Draft(
        TASK,
        gallery.scene.id,
        QUESTION,
        answer,
        None,
        (answer, *(text for text in MOTIONS if text != answer)),
        {"ahead": ahead, "left": left, "turn": turn, "margin": min(abs(turn), 180 - abs(turn)),
         "suggested": list(cues.suggested)},
        shots=(a.shot, b.shot),
        reasoning=steps,
        closed=True,
        single_view_cues=cues.cues,
    )  # fmt: skip


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of overlapping pictures of one camera."""
    return drafts_of(geometry, settings, TASK, _ask)


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The way and the turn from the first camera to the second."""
    _, pictures = pictures_of(geometry, settings, item)
    ahead, left, turn = motion = _motion(*pictures)
    answer = MOTIONS[2 * (ahead < 0) + (turn < 0)]
    broken = tuple(_violations(motion, settings))
    clear = abs(ahead) >= settings.step and settings.turn <= abs(turn) <= 180 - settings.turn
    evidence = {"ahead": ahead, "left": left, "turn": turn}
    # A way that leads to the side as well still leads forward or back.
    return Recomputed(answer, answer, abs(turn), broken, evidence, harmless=broken if clear else ())


FAMILY = Family(
    name="mmsi-bench/camera-motion",
    title="The motion of a camera between two pictures",
    tasks=(TASK,),
    settings=ViewSettings(),
    taxonomy=TaxonomyPlace(
        mmsi=TASK,
        site="movement prediction & navigation",
        spatialbench="landmark-constrained_pose_localization",
        factor="orientation",
        change="dynamic",
    ),
    draft=draft,
    recompute=recompute,
)
