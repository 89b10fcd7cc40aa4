"""Riddle: what a question depends on, what one of its pictures alone leaves open, and which answer that suggests.

A question depends on *elements*: cameras (where they stand and look) and points (objects, regions). A picture alone
tells its own camera and the points that it sees, all exactly. For the rest hypotheses are drawn: a point that it
doesn't see is anywhere on the floor outside its angle of view (something that moves is anywhere); another camera
stands anywhere on the floor and looks anywhere where it has as many of the picture's objects in its angle of view as
two pictures must share, and none of the points that the true one doesn't see. A question is asked only where, for
each picture alone, at least two of its options come out under these hypotheses. The answer that comes out most often
is what that picture suggests; what it suggests is the first of that picture's hints, by which selection leaves out
what one picture tells (`generate.sampling.unhinted`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.generate.pairs.views import Gallery, View
from tolman.geometry.boxes import Floats

HYPOTHESES = 64
_NEAR = 2.8
"""Metres; places in rooms are nearer and farther than that about as often."""
_NEAREST, _FARTHEST = (1.0, 1.6, 2.4), (3.0, 4.2, 5.5)
"""Metres that cut what is nearest and farthest in pictures of rooms into about equal parts."""
_MANY = (5, 7, 9, 11, 13)
"""Objects; the same of how many a picture shows."""
_DOWN = 14.0
"""Degrees; cameras that look down more than that stand high and at the edge."""
_LEAST = 6
"""Different hypotheses that there must be."""
Values = Mapping[str, Floats]
"""Element → its hypotheses: points (n, 2) in metres, cameras (n, 3) with the heading in degrees."""


@dataclass(frozen=True, eq=False)
class Point:
    """A place that a question depends on.

    Attributes:
        place: on the floor plan, metres, shape (2,).
        told_by: the objects whose pixels tell it.
        picture: of something that moves, the only picture that tells it.
    """

    place: Floats
    told_by: tuple[int, ...]
    picture: int | None = None


@dataclass(frozen=True, eq=False)
class Riddle:
    """A question's dependence on what is seen.

    Attributes:
        pictures: that it shows.
        cameras: element → the picture whose camera it is.
        points: element → its place and who tells it.
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

    def suggestions(self, gallery: Gallery) -> tuple[int, ...] | None:
        """For each picture alone the option it suggests; None where one of them leaves only one option open."""
        found = []
        for number, picture in enumerate(self.pictures):
            values = self._hypotheses(gallery, number, picture)
            if values is None:
                return None
            answers = self.answer(values)
            options, counts = np.unique(answers[answers >= 0], return_counts=True)
            if len(options) < 2:
                return None
            found.append(int(options[counts.argmax()]))
        return tuple(found)

    def clue(self, gallery: Gallery, suggestions: Sequence[int], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """What each picture alone hints at.

        That is, for each: the answer that it suggests, by its name; how the camera is held; how much it shows, how
        near and how far; on which side it looks at things; and the last two for each place that it tells.
        """
        found = []
        for picture, suggestion in zip(self.pictures, suggestions, strict=True):
            still = [gallery.center(i) for i in sorted(picture.pixels) if i in gallery.still]
            away = [float(np.linalg.norm(place - picture.place)) for place in still] or [0.0]
            told = (
                _look(picture, [point.place] if picture.sees(point.told_by) else []) for point in self.points.values()
            )
            looks = (
                "down" if picture.tilt > _DOWN else "level",
                f"{np.searchsorted(_MANY, len(still))}",
                f"{np.searchsorted(_NEAREST, min(away))}",
                f"{np.searchsorted(_FARTHEST, max(away))}",
                _look(picture, still),
            )
            found.append((names[suggestion], *looks, *told))
        return tuple(found)

    def _known(self, camera: int, number: int) -> bool:
        """Whether a picture tells where another's camera is: it is its own, or the same fixed one."""
        return camera == number or np.array_equal(self.pictures[camera].pose, self.pictures[number].pose)

    def _hidden(self, number: int, camera: int) -> list[Point]:
        """What a picture sees and another camera's picture doesn't."""
        picture, other = self.pictures[number], self.pictures[camera]
        return [
            point
            for point in self.points.values()
            if point.picture is None and picture.sees(point.told_by) and not other.sees(point.told_by)
        ]

    def _told(self, number: int, count: int) -> dict[str, Floats]:
        """What a picture tells, so many times."""
        picture = self.pictures[number]
        found = {
            name: point.place
            for name, point in self.points.items()
            if picture.sees(point.told_by) and point.picture in (None, number)
        } | {name: _camera(picture) for name, index in self.cameras.items() if self._known(index, number)}
        return {name: np.repeat(value[None], count, axis=0) for name, value in found.items()}

    def _hypotheses(self, gallery: Gallery, number: int, picture: View) -> Values | None:
        """What the elements may be, given one picture alone."""
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


def _look(picture: View, places: Sequence[Floats]) -> str:
    """Whether places lie near or far and to the left or the right of where a picture looks; '' for none."""
    if not places:
        return ""
    away = np.array(places) - picture.place
    angle = (np.degrees(np.arctan2(away[:, 1], away[:, 0])) - picture.heading + 180) % 360 - 180
    near = float(np.median(np.linalg.norm(away, axis=1))) < _NEAR
    return f"{'near' if near else 'far'} {'left' if float(angle.mean()) > 0 else 'right'}"


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
    """Which points each camera has in its angle of view, shape (cameras, points)."""
    away = points[None] - cameras[:, None, :2]
    angle = np.degrees(np.arctan2(away[..., 1], away[..., 0])) - cameras[:, None, 2]
    return np.asarray(np.abs((angle + 180) % 360 - 180) <= half_angle)


def _camera(view: View) -> Floats:
    return np.array([*view.place, view.heading])
