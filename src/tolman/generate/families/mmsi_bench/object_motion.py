"""Object motion: which way did something move between two pictures? (MMSI-Bench, Table 1.)

Directions are those of the line of sight from the first picture's camera to where the thing was then. Which way a
figure faces in a picture is part of what that picture tells; things without a front are a kind of their own.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tolman.generate.draft import Draft, ReasoningStep, Recomputed, Rejected
from tolman.generate.families.mmsi_bench.support.ambiguity import ONE_OPTION, Point, SingleViewAmbiguity, Values
from tolman.generate.families.mmsi_bench.support.asking import matched, pictures_of
from tolman.generate.families.mmsi_bench.support.movers import Mover, movers_of, shown_clearly, views_with
from tolman.generate.families.mmsi_bench.support.settings import ViewSettings
from tolman.generate.families.mmsi_bench.support.steps import overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, gallery
from tolman.generate.family import Family
from tolman.generate.geometry import SceneGeometry
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.geometry.boxes import Floats
from tolman.items import Item

TASK = "Motion (Obj.)"
QUESTION = (
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


def _sector(angle: float) -> int:
    return int((angle + 45) // 90) % 4


def _answers(values: Values) -> NDArray[np.int64]:
    angle = _angles(values["camera"][:, :2], values["before"], values["after"])
    return np.asarray(((angle + 45) // 90).astype(np.int64) % 4)


def _motion(mover: Mover, a: View, b: View) -> tuple[float, float]:
    """The angle of the way, and its length in metres."""
    before, after = mover.place(a.seconds), mover.place(b.seconds)
    angle = float(_angles(a.place[None], before[None], after[None])[0])
    return angle, float(np.linalg.norm(after - before))


def _margin(angle: float) -> float:
    return 45 - abs((angle + 45) % 90 - 45)


def _violations(angle: float, metres: float, settings: ViewSettings) -> list[str]:
    broken = []
    if metres < settings.way:
        broken.append(f"moved by less than {settings.way} m")
    if _margin(angle) < settings.bend:
        broken.append(f"within {settings.bend}° of a boundary")
    return broken


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about pairs of pictures that show the same mover at different times, in a drawn order."""
    shown = gallery(geometry, settings)
    movers = list(movers_of(shown))
    if not movers or shown.lack:
        yield Rejected(TASK, geometry.scene.id, shown.lack or "nothing moves")
        return
    for mover in movers:
        views = views_with(shown, mover)
        pairs = [(a, b) for a, b in itertools.permutations(views, 2) if a.seconds < b.seconds]
        if not pairs:
            yield Rejected(TASK, geometry.scene.id, "fewer than two pictures show clearly what moves")
        random.Random(f"{geometry.scene.id}:{TASK}:{mover.number}").shuffle(pairs)
        yield from itertools.islice(_of_mover(shown, mover, pairs), settings.of_scene)


def _of_mover(gallery: Gallery, mover: Mover, pairs: list[tuple[View, View]]) -> Iterator[Draft | Rejected]:
    scene, name = gallery.scene.id, gallery.category(mover.number)
    for a, b in pairs:
        angle, metres = _motion(mover, a, b)
        broken = _violations(angle, metres, gallery.settings)
        if not broken and not gallery.overlap(a, b):
            broken = ["the pictures don't overlap"]
        if broken:
            yield Rejected(TASK, scene, broken[0])
            continue
        points = {
            "before": Point(mover.place(a.seconds), (mover.number,), 0),
            "after": Point(mover.place(b.seconds), (mover.number,), 1),
        }
        ambiguity = SingleViewAmbiguity((a, b), {"camera": 0}, points, _answers)
        cues = ambiguity.cues(gallery, DIRECTIONS)
        if cues is None:
            yield Rejected(TASK, scene, ONE_OPTION)
            continue
        sight = points["before"].place - a.place
        line = float(np.degrees(np.arctan2(sight[1], sight[0])))
        facing = [_sector((mover.facing(view.seconds) - line) % 360) for view in (a, b)]
        answer = DIRECTIONS[_sector(angle)]
        steps = (
            *(
                ReasoningStep(
                    "grounding", f"The {which} image shows the {name} about {_away(mover, view):.1f} m from the camera."
                )
                for which, view in (("first", a), ("second", b))
            ),
            overlapping(gallery, (a, b), 0, 1),
            ReasoningStep(
                "reconstruction",
                f"Set against what stays in its place in both images, the {name} is {metres:.1f} m from where it was.",
            ),
            ReasoningStep(
                "transformation",
                f"Seen from the first camera, that way leads {_in_words(angle)}.",
            ),
            ReasoningStep("logic", f"So the {name} moved {answer[0].lower()}{answer[1:]}."),
        )
        yield Draft(
            TASK,
            scene,
            QUESTION.format(name=name),
            answer,
            None,
            (answer, *(text for text in DIRECTIONS if text != answer)),
            {
                "angle": angle,
                "margin": _margin(angle),
                "distance": metres,
                "facing": [DIRECTIONS[f] for f in facing],
                "suggested": list(cues.suggested),
            },
            shots=(a.shot, b.shot),
            reasoning=steps,
            closed=True,
            kind="turning" if mover.turns else "frontless",
            single_view_cues=tuple((*own, str(way)) for own, way in zip(cues.cues, facing, strict=True)),
        )


def _away(mover: Mover, view: View) -> float:
    return float(np.linalg.norm(mover.place(view.seconds) - view.place))


def _in_words(angle: float) -> str:
    """The way against the line of sight."""
    folded = (angle + 180) % 360 - 180
    return f"{abs(folded):.0f}° to the {'left' if folded > 0 else 'right'} of straight away from it"


def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
    """The direction of the way between the two times."""
    shown, (a, b) = pictures_of(geometry, settings, item)
    name = matched(_PATTERN, item)[1]
    found = [
        mover
        for mover in movers_of(shown)
        if shown.category(mover.number) == name and all(shown_clearly(shown, mover, view) for view in (a, b))
    ]
    if len(found) != 1:
        raise KeyError(name)
    angle, metres = _motion(found[0], a, b)
    answer = DIRECTIONS[_sector(angle)]
    return Recomputed(
        answer,
        answer,
        _margin(angle),
        tuple(_violations(angle, metres, settings)),
        {"angle": angle, "distance": metres},
    )


FAMILY = Family(
    name="mmsi-bench/object-motion",
    title="The motion of an object between two pictures",
    tasks=(TASK,),
    settings=ViewSettings(),
    taxonomy=TaxonomyPlace(
        mmsi=TASK,
        site="movement prediction & navigation",
        spatialbench="spatial_causal_reasoning",
        factor="orientation",
        change="dynamic",
    ),
    draft=draft,
    recompute=recompute,
    names=(_PATTERN,),
)
