"""Movers: what moves in a scene, where it is in a picture, and which pictures show it clearly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tolman.generate.families.mmsi_bench.support.names import confusable
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, outlines
from tolman.geometry.boxes import Boxes, Floats

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
        """Where its box's second axis points on the floor plan: of a simulated figure the way it faces. Degrees."""
        nearest = int(np.abs(self.times - seconds).argmin())
        return float(np.degrees(np.arctan2(self.axes[nearest, 1, 1], self.axes[nearest, 1, 0])))

    @property
    def turns(self) -> bool:
        """Whether its box ever turns on the floor plan: then it has a front, which tells where it goes."""
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
    """Tell whether a picture shows it clearly, and nothing that could be taken for it."""
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
