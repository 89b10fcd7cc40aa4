"""Questions about pictures: going through pairs of views, and the sentences of the reference reasoning.

A question's views are found again from its item. Each sentence of the reasoning is of one type.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from tolman.generate.families.mmsi_bench.support.ambiguity import ONE_OPTION, SingleViewAmbiguity
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, gallery, listed, ordinal
from tolman.generate.family import Draft, Family, ReasoningStep, Recomputed, Rejected, first_drafts, matched, place_of
from tolman.geometry.camera_geometry import project
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item

Ask = Callable[[Gallery, View, View], Iterator[Draft | Rejected]]


Answer = Callable[[Gallery, tuple[View, ...], re.Match[str]], Recomputed]
ANY_QUESTION = re.compile("")
"""The pattern of questions whose pictures alone say what is asked."""


def drafts_of(geometry: SceneGeometry, settings: ViewSettings, task: str, ask: Ask) -> Iterator[Draft | Rejected]:
    """A family's questions about two pictures: some of each pair of overlapping views, up to the most of a scene."""
    shown = gallery(geometry, settings)
    if shown.lack_of_pairs:
        yield Rejected(task, geometry.scene.id, shown.lack_of_pairs)
        return
    yield from some_of_each((ask(shown, a, b) for a, b in shown.pairs(task)), settings)


def some_of_each(asked: Iterable[Iterator[Draft | Rejected]], settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """The first questions about each set of pictures, up to the most of a scene."""
    of_pictures = (first_drafts(found, settings.of_pair) for found in asked)
    return first_drafts(itertools.chain.from_iterable(of_pictures), settings.of_scene)


def pictures_of(geometry: SceneGeometry, settings: ViewSettings, item: Item) -> tuple[Gallery, tuple[View, ...]]:
    """The views that an item shows.

    Raises:
        ValueError: the item doesn't say which they are.
        KeyError: the scene has no such recording.
    """
    shots = item.evidence.get("shots")
    if not isinstance(shots, list) or not shots:
        raise ValueError("doesn't say which pictures it shows")
    shown = gallery(geometry, settings)
    return shown, tuple(shown.view(str(capture), int(frame)) for capture, frame, _ in shots)


def closed_draft(
    gallery: Gallery,
    task: str,
    question: str,
    answer: str,
    options: Sequence[str],
    ambiguity: SingleViewAmbiguity,
    evidence: Mapping[str, object],
    steps: Iterable[ReasoningStep],
) -> Draft | Rejected:
    """A question whose options are a closed list, unless one of its pictures alone leaves only one of them open.

    Args:
        gallery: of its scene.
        task, question, answer, evidence: as a draft has them.
        options: all texts, in the order of the numbers that `ambiguity` gives them.
        ambiguity: its dependence on its pictures.
        steps: the reasoning; not worked out if the question isn't asked.
    """
    cues = ambiguity.cues(gallery, options)
    if cues is None:
        return Rejected(task, gallery.scene.id, ONE_OPTION)
    return Draft(
        task, gallery.scene.id, question, answer, None, (answer, *(text for text in options if text != answer)),
        {**evidence, "suggested": list(cues.suggested)}, shots=tuple(view.shot for view in ambiguity.pictures),
        reasoning=tuple(steps), closed=True, single_view_cues=cues.cues,
    )  # fmt: skip


def view_family(
    name: str,
    title: str,
    task: str,
    draft: Callable[[SceneGeometry, ViewSettings], Iterator[Draft | Rejected]],
    answer: Answer,
    *,
    pattern: re.Pattern[str] = ANY_QUESTION,
    names: tuple[re.Pattern[str], ...] = (),
) -> Family[ViewSettings]:
    """A family of questions about pictures.

    Args:
        name, title, draft, names: as `Family` has them.
        task: its question type.
        answer: (gallery, pictures, match of the pattern) → the answer to an existing question.
        pattern: of its questions.
    """

    def recompute(geometry: SceneGeometry, item: Item, settings: ViewSettings, *, released: bool = True) -> Recomputed:
        shown, pictures = pictures_of(geometry, settings, item)
        return answer(shown, pictures, matched(pattern, item))

    return Family(name, title, (task,), ViewSettings(), place_of(name), draft, recompute, names)


def pair_family(
    name: str,
    title: str,
    task: str,
    ask: Ask,
    answer: Answer,
    *,
    pattern: re.Pattern[str] = ANY_QUESTION,
    names: tuple[re.Pattern[str], ...] = (),
) -> Family[ViewSettings]:
    """The same about pairs of overlapping pictures: (gallery, first picture, second picture) → questions."""
    return view_family(name, title, task, partial(drafts_of, task=task, ask=ask), answer, pattern=pattern, names=names)


_SIDES = ((0.36, "on the left"), (0.64, "in the middle"), (2.0, "on the right"))


def side(gallery: Gallery, number: int, view: View) -> str:
    """Place of an object in a picture: 'on the left'."""
    middle, _ = project(gallery.geometry.boxes.centers[number], view.pose, view.intrinsics)
    across = min(1.0, float(np.nan_to_num(middle[0], nan=view.size[0] / 2)) / view.size[0])
    return next(text for limit, text in _SIDES if across < limit)


def away(gallery: Gallery, number: int, view: View) -> float:
    """Metres on the floor plan from a picture's camera to an object's middle."""
    return float(np.linalg.norm(gallery.center(number) - view.place))


def grounded(gallery: Gallery, number: int, view: View, place: int) -> ReasoningStep:
    """Return the step that names an object of a picture and its place there."""
    where = side(gallery, number, view)
    far = away(gallery, number, view)
    return ReasoningStep(
        "grounding",
        f"The {ordinal(place)} image shows the {gallery.category(number)} {where}, about {far:.1f} m from the camera.",
    )


def overlapping(gallery: Gallery, pictures: Sequence[View], a: int, b: int) -> ReasoningStep:
    """Return the step that names the objects shared by two of the pictures."""
    found = gallery.anchors(pictures[a], pictures[b], pictures) or gallery.anchors(pictures[a], pictures[b])
    main = found[0]
    more = "" if len(found) < 2 else f", and both show {listed([gallery.category(i) for i in found[1:3]])}"
    return ReasoningStep(
        "reconstruction",
        f"The {gallery.category(main)} is {side(gallery, main, pictures[a])} in the {ordinal(a)} image and "
        f"{side(gallery, main, pictures[b])} in the {ordinal(b)} image{more}, so these images overlap.",
    )


def turn_between(a: View, b: View) -> float:
    """Degrees by which the second camera is turned to the left of the first, -180 … 180."""
    return (b.heading - a.heading + 180) % 360 - 180


def ahead_and_left(a: View, b: View) -> tuple[float, float]:
    """Metres ahead and to the left from the first view to the second, on the floor plan."""
    way, angle = b.place - a.place, math.radians(a.heading)
    return float(way @ (math.cos(angle), math.sin(angle))), float(way @ (-math.sin(angle), math.cos(angle)))


def quarter(angle: float) -> int:
    """The quarter around ahead, left, behind or right that holds an angle counter-clockwise from ahead: 0 to 3."""
    return int((angle + 45) // 90) % 4


def quarter_margin(angle: float) -> float:
    """Degrees from such an angle to the next quarter."""
    return 45 - abs((angle + 45) % 90 - 45)


def moved(a: View, b: View, first: int, second: int) -> ReasoningStep:
    """Return the step that gives one camera's pose relative to another."""
    turn = turn_between(a, b)
    where = (np.degrees(np.arctan2(*(b.place - a.place)[::-1])) - a.heading) % 360
    apart = float(np.linalg.norm(b.place - a.place))
    seen = "looks the same way" if abs(turn) < 5 else f"is turned about {turned(turn)}"
    return ReasoningStep(
        "reconstruction",
        f"Put together, the camera of the {ordinal(second)} image {seen} compared with the {ordinal(first)} one and "
        f"stands about {apart:.1f} m away from it, {around(where)} of it.",
    )


def around(angle: float) -> str:
    """An angle counter-clockwise from ahead in words: '30° to the left'."""
    folded = (angle + 180) % 360 - 180
    if abs(folded) < 5:
        return "straight ahead"
    if abs(folded) > 175:
        return "straight behind"
    return f"{turned(folded)} of straight ahead"


def turned(angle: float) -> str:
    """A turn to the left in words: '30° to the left'."""
    folded = (angle + 180) % 360 - 180
    return f"{abs(folded):.0f}° to the {'left' if folded > 0 else 'right'}"
