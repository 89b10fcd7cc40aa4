"""Questions about pictures: going through pairs of views, and the sentences of the reference reasoning.

A question's views are found again from its item. Each sentence of the reasoning is of one type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tolman.generate.draft import Draft, ReasoningStep, Rejected
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, gallery, listed, ordinal
from tolman.generate.scene_geometry import SceneGeometry
from tolman.geometry.camera_geometry import project
from tolman.items import Item

Ask = Callable[[Gallery, View, View], Iterator[Draft | Rejected]]


def drafts_of(geometry: SceneGeometry, settings: ViewSettings, task: str, ask: Ask) -> Iterator[Draft | Rejected]:
    """A family's questions about two pictures: some of each pair of overlapping views, up to the most of a scene."""
    shown = gallery(geometry, settings)
    if shown.lack_of_pairs:
        yield Rejected(task, geometry.scene.id, shown.lack_of_pairs)
        return
    made = 0
    for a, b in shown.pairs(task):
        of_pair = 0
        for found in ask(shown, a, b):
            yield found
            if isinstance(found, Draft):
                made, of_pair = made + 1, of_pair + 1
            if of_pair >= settings.of_pair or made >= settings.of_scene:
                break
        if made >= settings.of_scene:
            return


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


def matched(pattern: re.Pattern[str], item: Item) -> re.Match[str]:
    """A question's parts.

    Raises:
        ValueError: it is none of the family's.
    """
    match = pattern.search(item.question)
    if match is None:
        raise ValueError("is no question of its type")
    return match


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


def moved(a: View, b: View, first: int, second: int) -> ReasoningStep:
    """Return the step that gives one camera's pose relative to another."""
    turn = turn_between(a, b)
    where = (np.degrees(np.arctan2(*(b.place - a.place)[::-1])) - a.heading) % 360
    apart = float(np.linalg.norm(b.place - a.place))
    turned = "looks the same way" if abs(turn) < 5 else f"is turned about {abs(turn):.0f}° to the {_hand(turn)}"
    return ReasoningStep(
        "reconstruction",
        f"Put together, the camera of the {ordinal(second)} image {turned} compared with the {ordinal(first)} one and "
        f"stands about {apart:.1f} m away from it, {around(where)} of it.",
    )


def around(angle: float) -> str:
    """An angle counter-clockwise from ahead in words: '30° to the left'."""
    folded = (angle + 180) % 360 - 180
    if abs(folded) < 5:
        return "straight ahead"
    if abs(folded) > 175:
        return "straight behind"
    return f"{abs(folded):.0f}° to the {_hand(folded)} of straight ahead"


def turned(angle: float) -> str:
    """A turn to the left in words: '30° to the left'."""
    folded = (angle + 180) % 360 - 180
    return f"{abs(folded):.0f}° to the {_hand(folded)}"


def _hand(angle: float) -> str:
    return "left" if angle > 0 else "right"
