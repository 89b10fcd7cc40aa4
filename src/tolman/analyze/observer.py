"""The ideal observer's perception: a scene as noisy eyes see it in the frames that a model was shown.

The observer sees every object that the sampled frames show, with errors of known size, and reasons without error
(Geisler 2011, Vision Research 51, 771–781). Each error has a parameter in the terms of psychophysics, see `Noise`.
`Percepts` draws many perceptions of one scene at once, at every level of noise, from the same random numbers.
Accuracies at two levels then differ by the noise alone.

A scene without poses or sightings, such as those of VSI-Bench's release, shows all of its objects. Errors are then the
same in all directions, and nothing is forgotten.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Boxes, Floats
from tolman.ground_truth.scene_arrays import SEEN, SceneGeometry
from tolman.media.needed_frames import Needs, frames_of
from tolman.media.sampling import Frames

Bools = NDArray[np.bool_]
PROJECTIONS = 12
"""Alternating projections that find the distance of two boxes."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Levels of noise that are simulated, and errors that all levels share.

    Attributes:
        positions: standard deviations of an object's place along each axis across the line of sight, in metres.
        sizes: standard deviations of the logarithm of a length: 0.1 is an error of about 10 %.
        misses: probabilities that an object is overlooked, or a category in one frame where the order of appearance is
            asked for.
        radial: error along the line of sight, as a multiple of the error across it.
        drift: metres by which a map that is built up over the video is off between its beginning and its end, along
            each axis: a random walk, the same for all that is seen together.
        confusion: probability that an object is taken for one of another category of the scene.
        memory: seconds after which 63 % of the objects are forgotten that were not seen again; None for a perfect one.
    """

    positions: tuple[float, ...] = (0.0, *(round(0.05 * 1.5**k, 3) for k in range(10)))
    sizes: tuple[float, ...] = (0.0, *(round(0.02 * 1.5**k, 3) for k in range(10)))
    misses: tuple[float, ...] = (0.0, 0.04, 0.1, 0.18, 0.3, 0.45, 0.6, 0.8)
    radial: float = 1.0
    drift: float = 0.0
    confusion: float = 0.0
    memory: float | None = None


@dataclass(frozen=True)
class SampledView:
    """The objects of one scene as the sampled frames show them.

    Attributes:
        shown: whether a frame shows the object well enough. Shape (objects,).
        sight: unit vectors from the camera to the object in the frame that shows it best; 0 where no pose is known.
            Shape (objects, 3).
        first, last: seconds at which the object is seen for the first and the last time. Shape (objects,).
        end: seconds at which the last frame was taken.
        category_times: category → seconds of the frames that show it, in their order.
        known: whether the scene's sightings are known.
    """

    shown: Bools
    sight: Floats
    first: Floats
    last: Floats
    end: float
    category_times: dict[str, tuple[float, ...]]
    known: bool


def view_of(geometry: SceneGeometry, frames: Frames | None = None) -> SampledView:
    """Find the objects that the sampled frames show of a scene.

    Args:
        geometry: of the scene.
        frames: the sampling; None for the whole video.
    """
    count, capture = len(geometry.scene.objects), geometry.video_capture
    zeros = np.zeros(count)
    if capture is None:
        return SampledView(np.ones(count, bool), np.zeros((count, 3)), zeros, zeros, 0.0, {}, known=False)
    total = len(capture.times)
    seconds = np.array(capture.times) - capture.times[0]
    lasts = float(seconds[-1]) * total / max(total - 1, 1)
    whole = frames is None or frames.whole
    numbers = range(total) if frames is None or whole else frames.indices(total, Fraction(lasts))
    sampled = set(numbers)

    def times(shown: Sequence[int]) -> tuple[float, ...]:
        needed = frames_of(Needs(capture, (("", tuple(shown)),), looked_every=geometry.looked_every))
        spans = needed.needed[0].frames if needed is not None and shown else ()
        return tuple(float(seconds[n]) for low, high in spans for n in range(low, high + 1) if n in sampled)

    seen = [times(geometry.shown_frames.get(thing.id, ())) for thing in geometry.scene.objects]
    return SampledView(
        shown=np.array([bool(own) for own in seen]),
        sight=_lines_of_sight(geometry),
        first=np.array([own[0] if own else 0.0 for own in seen]),
        last=np.array([own[-1] if own else 0.0 for own in seen]),
        end=float(seconds[max(sampled)]) if sampled else 0.0,
        category_times={name: times(own) for name, own in geometry.appearances(SEEN).items()},
        known=True,
    )


def _lines_of_sight(geometry: SceneGeometry) -> Floats:
    """Unit vectors from the camera to each object, in the frame of the video that shows the most pixels of it."""
    capture, found = geometry.video_capture, np.zeros((len(geometry.scene.objects), 3))
    if capture is None or not capture.poses:
        return found
    best: dict[str, tuple[int, int]] = {}
    for one in capture.sightings:
        best[one.object] = max(best.get(one.object, (0, 0)), (one.pixels, one.frame))
    for number, thing in enumerate(geometry.scene.objects):
        if thing.id in best:
            away = np.array(thing.box.center) - capture.pose(best[thing.id][1])[:3, 3]
            found[number] = away / max(float(np.linalg.norm(away)), 1e-9)
    return found


@dataclass
class Percepts:
    """Many perceptions of one scene, at each level of noise.

    Shapes: S levels of a place's or a length's error, M miss rates, D draws, N objects.

    Attributes:
        geometry: of the scene.
        view: of its objects.
        noise: the levels.
        draws: perceptions of each level.
        seed: of the random numbers, together with the scene's id.
    """

    geometry: SceneGeometry
    view: SampledView
    noise: Noise
    draws: int
    seed: int = 0
    _gaps: dict[tuple[int, int], NDArray[np.float32]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        generator = np.random.default_rng([self.seed, zlib.crc32(self.geometry.scene.id.encode())])
        count = len(self.geometry.scene.objects)
        self._error = self._unit_error(generator.standard_normal((self.draws, count, 3)))
        self._drift = self._walk(generator.standard_normal((self.draws, count, 3)))
        self._overlooked = generator.random((self.draws, count))
        self._length_error = generator.standard_normal((self.draws, count))
        self.room_error = generator.standard_normal(self.draws)
        self._confused = generator.random((self.draws, count)) < self.noise.confusion
        self._label = generator.integers(1, max(2, len(self.names)), (self.draws, count))
        self.tie = generator.random((self.draws, count))
        self.look = generator.random((self.draws, max(1, len(self.names))))

    @cached_property
    def names(self) -> list[str]:
        """The categories that have boxes."""
        return list(self.geometry.members)

    def _unit_error(self, normal: Floats) -> Floats:
        """Errors of places for a level of 1 m, the radial part stretched. Shape (D, N, 3)."""
        along = (normal * self.view.sight).sum(-1, keepdims=True)
        return np.asarray(normal + (self.noise.radial - 1.0) * along * self.view.sight)

    def _walk(self, normal: Floats) -> Floats:
        """The map's drift at the time when each object is first seen. Shape (D, N, 3)."""
        order = np.argsort(self.view.first, kind="stable")
        passed = np.diff(self.view.first[order], prepend=0.0) / max(self.view.end, 1e-9)
        found = np.empty_like(normal)
        found[:, order] = np.cumsum(normal * np.sqrt(passed)[:, None], axis=1)
        return self.noise.drift * found

    @cached_property
    def places(self) -> Floats:
        """The places at which objects seem to be, in metres. Shape (S, D, N, 3)."""
        levels = np.array(self.noise.positions)[:, None, None, None]
        return np.asarray(self.geometry.boxes.centers + levels * self._error + self._drift)

    def longest(self, number: NDArray[np.intp]) -> Floats:
        """How long the longest side of one object in each draw seems to be, in metres. Shape (M, D) → (S, M, D)."""
        error = self._length_error[np.arange(self.draws), number]
        return np.asarray(
            np.exp(np.array(self.noise.sizes)[:, None, None] * error) * self.geometry.boxes.extents.max(1)[number]
        )

    @cached_property
    def noticed(self) -> Bools:
        """Mark the objects that are on the observer's map when it answers. Shape (M, D, N)."""
        kept = 1.0 - np.array(self.noise.misses)[:, None]
        if self.noise.memory is not None and self.view.known:
            kept = kept * np.exp(-(self.view.end - self.view.last) / self.noise.memory)
        return np.asarray((self._overlooked < kept[:, None, :]) & self.view.shown)

    def labelled(self, category: str) -> Bools:
        """Mark the objects that are taken for one of a category. Shape (D, N)."""
        own = np.zeros(len(self.geometry.scene.objects), np.intp)
        for number, members in enumerate(self.geometry.members.values()):
            own[members] = number
        taken = np.where(self._confused & (len(self.names) > 1), (own + self._label) % len(self.names), own)
        return np.asarray(taken == self.names.index(category))

    def count(self, category: str) -> NDArray[np.intp]:
        """How many objects of a category the observer has on its map. Shape (M, D)."""
        return np.asarray((self.noticed & self.labelled(category)).sum(-1))

    def one(self, category: str) -> tuple[NDArray[np.intp], Bools]:
        """Return the object that the observer takes for the one of a category, and whether it has any.

        Returns:
            Object numbers, shape (M or 1, D), and truth values, shape (M, D). One of several candidates is drawn.
        """
        if not self.noise.confusion:  # a name that several objects have means the first, as in the families' reasoning
            first = self.geometry.members[category][0]
            return np.full((1, self.draws), first), np.asarray(self.noticed[..., first])
        mask = self.noticed & self.labelled(category)
        return np.asarray(np.argmax(mask * (self.tie + 1e-9), axis=-1)), np.asarray(mask.any(-1))

    def place(self, category: str) -> tuple[Floats, Bools]:
        """The place at which the one object of a category seems to be, and whether it was noticed.

        Returns:
            Shapes (S, M or 1, D, 3) and (M, D).
        """
        number, noticed = self.one(category)
        return self.places[:, np.arange(self.draws), number], noticed

    def distance(self, a: str, b: str) -> NDArray[np.float32]:
        """How far apart the nearest objects of two categories seem to be; infinite where one has none.

        Returns:
            Metres, shape (S, M, D).
        """
        labels = self.labelled(a), self.labelled(b)
        found = np.full((len(self.noise.positions), len(self.noise.misses), self.draws), math.inf, np.float32)
        ones, others = (np.flatnonzero(label.any(0)) for label in labels)
        for i, j in itertools.product(ones.tolist(), others.tolist()):
            both = self.noticed[..., i] & self.noticed[..., j] & labels[0][:, i] & labels[1][:, j]
            drawn = np.flatnonzero(both.any(0))
            part = slice(None) if len(drawn) == self.draws else drawn
            if i != j and len(drawn):
                lacking = np.where(both[:, part], np.float32(0.0), np.float32(math.inf))
                found[..., part] = np.minimum(found[..., part], self._gap(i, j, part)[:, None] + lacking)
        return found

    def _gap(self, i: int, j: int, drawn: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        """The distance of two objects' boxes as they seem to be placed in some draws. Shape (S, draws)."""
        i, j = min(i, j), max(i, j)
        if not isinstance(drawn, slice) and len(drawn) < self.draws / 4:  # what is rarely mistaken for something else
            return self._measured(i, j, drawn)
        if (i, j) not in self._gaps:
            self._gaps[i, j] = self._measured(i, j, slice(None))
        return self._gaps[i, j][:, drawn]

    def _measured(self, i: int, j: int, drawn: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        off = self.places[:, drawn, j] - self.places[:, drawn, i]
        centers = self.geometry.boxes.centers
        is_true = (off == centers[j] - centers[i]).all(-1)
        found = np.where(is_true, self.geometry.between(i, j), box_gap(off, self.geometry.boxes, i, j))
        return found.astype(np.float32)


def box_gap(offset: Floats, boxes: Boxes, i: int, j: int, steps: int = PROJECTIONS) -> Floats:
    """The distance of two boxes for many places of the second, by alternating projections.

    Von Neumann's method (Cheney and Goldstein 1959): a point is projected onto one box and the other in turn. The
    result is never less than the distance. It is too long by less than 1 mm on average, and by centimetres for some
    boxes that are tilted against each other by a few degrees.

    Args:
        offset: from the first box's centre to the second's in metres, shape (…, 3).
        boxes: of the scene.
        i, j: the boxes' numbers.
        steps: projections onto each.

    Returns:
        Metres, shape (…).
    """
    frame, turn = boxes.axes[i], (boxes.axes[j] @ boxes.axes[i].T).astype(np.float32)
    half, other = (boxes.extents[n][:, None].astype(np.float32) / 2 for n in (i, j))
    away = np.ascontiguousarray((offset.reshape(-1, 3) @ frame.T).T, dtype=np.float32)  # long rows are fast
    theirs = away
    for _ in range(steps):
        ours = np.clip(theirs, -half, half)
        theirs = away + turn.T @ np.clip(turn @ (ours - away), -other, other)
    return np.asarray(np.sqrt(((np.clip(theirs, -half, half) - theirs) ** 2).sum(0))).reshape(offset.shape[:-1])
