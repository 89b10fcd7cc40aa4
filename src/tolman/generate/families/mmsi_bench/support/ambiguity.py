"""Single-view ambiguity: a question's elements, the options left open by one picture alone, and the suggested answer.

A question depends on *elements*: cameras (their places and directions) and points (objects, regions). A picture alone
determines its own camera and the points that it sees, all exactly. For the rest hypotheses are drawn: an unseen point
is anywhere on the floor outside its angle of view (something that moves is anywhere). Another camera is anywhere on the
floor, with any direction that meets two conditions: its angle of view holds as many of the picture's objects as two
pictures must share, and none of the points that the true camera doesn't see. A question is asked only where, for each
picture alone, at least two of its options come out under these hypotheses. The picture suggests the answer that comes
out most often. That answer, the frequency of each, and the picture's contents are its cues. By them selection leaves
out questions that one picture answers (`generate.shortcut_filtering`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.generate.family import Cues
from tolman.geometry.boxes import Floats

HYPOTHESES = 64
ONE_OPTION = "one picture alone leaves only one option open"
"""The reason for a rejection where there are no cues."""
_NEAREST = 6
"""Objects of a picture that are described, those that questions name apart."""
_LEAST = 6
"""Different hypotheses that there must be."""
Values = Mapping[str, Floats]
"""Element → its hypotheses: points (n, 2) in metres, cameras (n, 3) with the heading in degrees."""


@dataclass(frozen=True, eq=False)
class Point:
    """A place that a question depends on.

    Attributes:
        place: on the floor plan, metres, shape (2,).
        told_by: the objects whose pixels determine it.
        picture: of something that moves, the only picture that determines it.
    """

    place: Floats
    told_by: tuple[int, ...]
    picture: int | None = None


@dataclass(frozen=True)
class SingleViewCues:
    """Cues of each picture of a question, seen alone.

    Attributes:
        suggested: for each picture alone, the answer that it suggests.
        cues: as a draft has them.
    """

    suggested: tuple[str, ...]
    cues: Cues


@dataclass(frozen=True, eq=False)
class SingleViewAmbiguity:
    """Dependence of a question on its pictures.

    Attributes:
        pictures: that it shows.
        cameras: element → the picture whose camera it is.
        points: element → its place and the objects that determine it.
        answer: hypotheses → for each the number of an option; -1 for an answer that is none of them.
    """

    pictures: tuple[View, ...]
    cameras: Mapping[str, int]
    points: Mapping[str, Point]
    answer: Callable[[Values], NDArray[np.int64]]

    def truth(self) -> int:
        """The number of the true option."""
        values: dict[str, Floats] = {name: _camera(self.pictures[i])[None] for name, i in self.cameras.items()}
        values |= {name: point.place[None] for name, point in self.points.items()}
        return int(self.answer(values)[0])

    def cues(self, gallery: Gallery, names: Sequence[str]) -> SingleViewCues | None:
        """Return the cues of each picture alone; None if one of them leaves only one option open.

        Args:
            gallery: of its scene.
            names: of the options, by their numbers.
        """
        suggested, told = [], []
        for number, picture in enumerate(self.pictures):
            values = self._hypotheses(gallery, number, picture)
            if values is None:
                return None
            answers = self.answer(values)
            shares = np.bincount(answers[answers >= 0], minlength=len(names)) / len(answers)
            if (shares > 0).sum() < 2:
                return None
            suggested.append(names[int(shares.argmax())])
            told.append((suggested[-1], *shares.tolist(), *self._shown(gallery, number)))
        return SingleViewCues(tuple(suggested), tuple(told))

    def _tells(self, number: int, point: Point) -> bool:
        """Check whether a picture determines the place of a point."""
        return self.pictures[number].sees(point.told_by) and point.picture in (None, number)

    def _shown(self, gallery: Gallery, number: int) -> Iterator[float | None]:
        """Return cues of a picture's contents: the camera's tilt, counts, the nearest objects, and known places."""
        picture = self.pictures[number]
        still = [gallery.center(i) for i in sorted(picture.pixels) if i in gallery.still]
        away = sorted(_from(picture, still).tolist(), key=lambda way: math.hypot(*way))
        yield from (picture.tilt, len(still), len(gallery.standing_places))
        for place in range(_NEAREST):
            yield from away[place] if place < len(away) else (None, None)
        yield math.hypot(*away[-1]) if away else None
        for point in self.points.values():
            yield from _from(picture, [point.place])[0].tolist() if self._tells(number, point) else (None, None)

    def _known(self, camera: int, number: int) -> bool:
        """Check whether a picture determines another's camera: it is its own, or the same fixed one."""
        return camera == number or np.array_equal(self.pictures[camera].pose, self.pictures[number].pose)

    def _hidden(self, number: int, camera: int) -> list[Point]:
        """Return the points that a picture sees and another camera's picture doesn't."""
        picture, other = self.pictures[number], self.pictures[camera]
        return [
            point
            for point in self.points.values()
            if point.picture is None and picture.sees(point.told_by) and not other.sees(point.told_by)
        ]

    def _told(self, number: int, count: int) -> dict[str, Floats]:
        """Return the elements that a picture determines, `count` times each."""
        picture = self.pictures[number]
        found = {name: point.place for name, point in self.points.items() if self._tells(number, point)} | {
            name: _camera(picture) for name, index in self.cameras.items() if self._known(index, number)
        }
        return {name: np.repeat(value[None], count, axis=0) for name, value in found.items()}

    def _hypotheses(self, gallery: Gallery, number: int, picture: View) -> Values | None:
        """Draw hypotheses of the elements, given one picture alone."""
        text = f"{gallery.scene.id}:{number}:{[v.shot for v in self.pictures]}:{sorted(self.points)}"
        generator = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()[:8]))
        values = self._told(number, HYPOTHESES)
        for name, point in self.points.items():
            if name not in values:
                drawn = places(gallery, generator, HYPOTHESES, outside=picture if point.picture is None else None)
                if drawn is None:
                    return None
                values[name] = drawn
        for name, index in self.cameras.items():
            if name not in values:
                hidden = [point.place for point in self._hidden(number, index)]
                cameras = other_cameras(gallery, picture, hidden, generator, HYPOTHESES)
                if cameras is None:
                    return None
                values[name] = cameras
        return values


def _from(picture: View, places: Sequence[Floats]) -> Floats:
    """Places on the floor plan as a camera has them: metres ahead and to the left, shape (n, 2)."""
    away = np.array(places).reshape(-1, 2) - picture.place
    angle = math.radians(picture.heading)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return np.asarray(away @ turn)


def places(gallery: Gallery, generator: np.random.Generator, count: int, *, outside: View | None) -> Floats | None:
    """Places on the floor, of a picture outside its angle of view, metres, shape (count, 2); None where it has none."""
    drawn = _on_the_floor(gallery, generator, 12 * count)
    kept = drawn if outside is None else drawn[~_ahead(_camera(outside)[None], drawn, outside.half_angle)[0]]
    return np.asarray(kept[np.arange(count) % len(kept)]) if len(kept) >= _LEAST else None


def other_cameras(
    gallery: Gallery, picture: View, hidden: Sequence[Floats], generator: np.random.Generator, count: int
) -> Floats | None:
    """Cameras that might have taken the other picture, shape (count, 3); None where there are too few."""
    drawn = _on_the_floor(gallery, generator, 12 * count)
    cameras = np.column_stack([drawn, generator.uniform(-180, 180, len(drawn))])
    matched = [i for i, share in picture.pixels.items() if share >= gallery.settings.shared and i in gallery.still]
    objects = np.array([gallery.center(i) for i in matched]).reshape(-1, 2)
    fits = _ahead(cameras, objects, picture.half_angle).sum(1) >= gallery.settings.overlap
    fits &= ~_ahead(cameras, np.array(hidden).reshape(-1, 2), picture.half_angle).any(1)
    kept = cameras[fits]
    return np.asarray(kept[np.arange(count) % len(kept)]) if len(kept) >= _LEAST else None


def _on_the_floor(gallery: Gallery, generator: np.random.Generator, count: int) -> Floats:
    grid = gallery.standing_places
    return np.asarray(grid[generator.integers(len(grid), size=count)])


def _ahead(cameras: Floats, points: Floats, half_angle: float) -> NDArray[np.bool_]:
    """Mask of the points that each camera has in its angle of view, shape (cameras, points)."""
    away = points[None] - cameras[:, None, :2]
    angle = np.degrees(np.arctan2(away[..., 1], away[..., 0])) - cameras[:, None, 2]
    return np.asarray(np.abs((angle + 180) % 360 - 180) <= half_angle)


def _camera(view: View) -> Floats:
    return np.array([*view.place, view.heading])
