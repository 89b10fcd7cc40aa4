"""Sentences of reference reasoning about pictures, each of one type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tolman.generate.draft import ReasoningStep
from tolman.generate.families.mmsi_bench.support.names import listed, ordinal
from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.geometry.visibility import project

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
    """Step that names what a picture shows, and where in it."""
    where = side(gallery, number, view)
    far = away(gallery, number, view)
    return ReasoningStep(
        "grounding",
        f"The {ordinal(place)} image shows the {gallery.category(number)} {where}, about {far:.1f} m from the camera.",
    )


def overlapping(gallery: Gallery, pictures: Sequence[View], a: int, b: int) -> ReasoningStep:
    """Step that names what two of the pictures share."""
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
    """Step that says how one camera stands to another."""
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
