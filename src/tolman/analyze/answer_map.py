"""The best single map: places for a scene's objects that satisfy as many of a model's answers as possible.

A map gives each category of a scene one place in the plane. Boxes keep their true shape, height and heading, and the
objects of one category their true places relative to each other. So a map has two coordinates for each category, and
the true map gives the right answers.

Satisfying most of a set of contradictory answers is a hard combinatorial problem. Each answer has a margin, positive
where the map satisfies it. The sum of a sigmoid of the margins is maximised by Adam (Kingma and Ba 2015) while the
sigmoid steepens towards a count (graduated non-convexity, Blake and Zisserman 1987). The best of several starts counts,
and so does the best step of each. The first start is the true map. All starts of all answer sets are one array.

The distance of two boxes is the greatest of u · offset − h(u) over directions u, where h is the support function of
their Minkowski difference. With the directions used here it is too short by 1 cm on average.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.analyze.consistency import (
    DIRECTION,
    DISTANCE,
    NEAREST,
    AnswerSheet,
    Bools,
    Contradictions,
    Numbers,
    SceneAnswer,
)
from tolman.benchmarks.vsi_bench.vsi_meta_info import DIRECTIONS
from tolman.cognitive_maps import Place
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.ground_plane import egocentric_angle, sector_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.scoring.intervals import Share, share

Reals = NDArray[np.float32]
PLACED = (DIRECTION, NEAREST, DISTANCE)
"""The families whose answers depend on places."""
LEAST_ANSWERS = 6
STEPS = 120
"""Of Adam, from the greatest to the smallest length and temperature."""
GUESSED_SETS = 5
"""Permutations of the answers to which maps are fitted as well."""
_LENGTHS, _TEMPERATURES = (0.4, 0.02), (1.0, 0.05)
_DEGREES, _METRES, _SHARE = 40.0, 0.5, 0.25
"""Margins that count as one."""


def _directions(boxes: Boxes) -> Reals:
    """Unit vectors in all directions, and along the axes of some boxes, where faces are parallel. Shape (K, 3)."""
    azimuth, height = np.meshgrid(
        np.radians(np.arange(0, 360, 15)), np.radians([-85, -55, -30, -12, 0, 12, 30, 55, 85])
    )
    around = np.stack([np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)], axis=-1)
    axes = np.unique(boxes.axes.reshape(-1, 3).round(3), axis=0)
    return np.concatenate([around.reshape(-1, 3), axes, -axes]).astype(np.float32)


def has_enough(answers: Sequence[SceneAnswer]) -> bool:
    """Check whether there are more answers than coordinates of the map, and six or more."""
    things = {name for one in answers for name in one.about}
    return len(answers) >= max(LEAST_ANSWERS, 2 * len(things) + 1)


@dataclass(frozen=True)
class MapTask:
    """One scene's answers for `fit_map`, several sets of them.

    Attributes:
        geometry: of the scene.
        answers: of families in `PLACED`.
        values: of the answers; each row is fitted apart. Shape (sets, answers).
        tolerance: share by which a distance may differ.
        starts: of the search, 2 or more.
        seed: of the starts.
    """

    geometry: SceneGeometry
    answers: Sequence[SceneAnswer]
    values: Floats
    tolerance: float
    starts: int
    seed: int


@dataclass(frozen=True)
class AnswerMap:
    """The best maps of one scene.

    Attributes:
        things: categories.
        places: of the best map of each set, in metres. Shape (sets, things, 2).
        kept: whether that map satisfies each answer. Shape (sets, answers).
        true_kept: whether the true map does. Shape (sets, answers).
    """

    things: tuple[str, ...]
    places: Floats
    kept: Bools
    true_kept: Bools


def fit_map(task: MapTask) -> AnswerMap:
    """Find the map that satisfies most answers, for each set of values."""
    margins = Margins(task.geometry, task.answers, task.tolerance)
    sets, starts = len(task.values), task.starts
    generator = np.random.default_rng([task.seed, zlib.crc32(task.geometry.scene.id.encode())])
    spread = max(1.0, float(margins.true.std(0).max()))
    drawn = generator.normal(0.0, spread, (starts, *margins.true.shape))
    drawn[0] = margins.true - margins.true.mean(0)
    places = np.tile(drawn, (sets, 1, 1)).astype(np.float32)
    values = np.repeat(task.values, starts, axis=0)
    best_count = np.full(len(places), -1)
    best_places = places.copy()
    best_kept = np.zeros(values.shape, np.bool_)
    mean, square = np.zeros_like(places), np.zeros_like(places)
    for step in range(STEPS):
        part = step / (STEPS - 1)
        length, temperature = (high * (low / high) ** part for high, low in (_LENGTHS, _TEMPERATURES))
        margin, slope = margins(places, values, temperature)
        kept = margin > 0  # all objects in one point satisfy nothing
        count = kept.sum(1)
        better = count > best_count
        best_count = np.where(better, count, best_count)
        best_places[better], best_kept[better] = places[better], kept[better]
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        unbiased = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.99 ** (step + 1))
        places = places + np.float32(length) * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-6)
    chosen = np.arange(sets) * starts + best_count.reshape(sets, starts).argmax(1)
    true = np.tile(margins.true.astype(np.float32), (sets, 1, 1))
    return AnswerMap(
        things=margins.things,
        places=best_places[chosen].astype(np.float64),
        kept=best_kept[chosen],
        true_kept=margins(true, task.values, 1.0)[0] > 0,
    )


class Margins:
    """The margins by which maps satisfy answers, and their slopes.

    Shapes: B maps, T things, E pairs of things, P pairs of objects, A answers.

    Attributes:
        things: categories.
        true: their true places, those of each one's first object. Shape (T, 2).
    """

    def __init__(self, geometry: SceneGeometry, answers: Sequence[SceneAnswer], tolerance: float) -> None:
        self.things = tuple(sorted({name for one in answers for name in one.about}))
        self.true = np.array([geometry.center(name)[:2] for name in self.things])
        self._tolerance = tolerance
        number = {name: n for n, name in enumerate(self.things)}
        families = np.array([one.family for one in answers])
        self._turning, self._near, self._apart = (np.flatnonzero(families == name) for name in PLACED)
        pairs: dict[tuple[int, int], int] = {}

        def pair(a: str, b: str) -> int:
            key = number[min(a, b)], number[max(a, b)]
            return pairs.setdefault(key, len(pairs))

        self._triples = self._numbers([[number[name] for name in answers[n].about] for n in self._turning.tolist()], 3)
        self._sectors = _sector_bounds([answers[n].task for n in self._turning.tolist()])
        options = [[pair(answers[n].about[0], name) for name in answers[n].about[1:]] for n in self._near.tolist()]
        most = max(map(len, options), default=1)
        self._options = self._numbers([own + [-1] * (most - len(own)) for own in options], most)
        self._pair = self._numbers([[pair(*answers[n].about)] for n in self._apart.tolist()], 1)[:, 0]
        self._ends = self._numbers(list(pairs), 2)
        self._set_boxes(geometry)

    @staticmethod
    def _numbers(rows: Sequence[Sequence[int]], width: int) -> Numbers:
        return np.array(rows, dtype=np.intp).reshape(-1, width)

    def _set_boxes(self, geometry: SceneGeometry) -> None:
        """Prepare the distances of all pairs of objects: their first numbers, and the part that places don't change."""
        boxes, first = geometry.boxes, list[int]()
        fixed: list[Floats] = []
        used = [n for name in self.things for n in geometry.members[name]]
        self._units = _directions(boxes.take(np.array(used, dtype=np.intp)))
        # How far each box reaches from its centre in each direction. Shape (objects, directions).
        along = np.abs(np.einsum("kd,nad->nka", self._units, boxes.axes))
        support = np.asarray((along * boxes.extents[:, None] / 2).sum(-1), dtype=np.float32)
        flat = self._units * np.array([1, 1, 0], np.float32)
        for a, b in self._ends.tolist():
            first.append(len(fixed))
            one, other = (geometry.members[self.things[n]] for n in (a, b))
            for i, j in itertools.product(one, other):
                base = boxes.centers[j] - boxes.centers[i]
                moved = np.append(self.true[b] - self.true[a], 0.0)
                fixed.append(self._units @ base - flat @ moved - support[i] - support[j])
        self._first = np.array(first, dtype=np.intp)
        self._of_pair = np.repeat(np.arange(len(first)), np.diff([*first, len(fixed)]))
        self._fixed = np.array(fixed, dtype=np.float32).reshape(-1, len(self._units))

    def __call__(self, places: Reals, values: Floats, temperature: float) -> tuple[Reals, Reals]:
        """Compute margins, and the slope of the sum of their sigmoids.

        Args:
            places: of the things, shape (B, T, 2).
            values: of the answers, shape (B, A).
            temperature: margin over which a sigmoid rises.

        Returns:
            Shapes (B, A) and (B, T, 2).
        """
        margin = np.zeros(values.shape, np.float32)
        slope = np.zeros_like(places)

        def weigh(which: Numbers, own: Reals) -> Reals:
            margin[:, which] = own
            risen = 1 / (1 + np.exp(np.clip(-own / temperature, -30, 30)))
            return np.asarray(risen * (1 - risen) / temperature)

        if len(self._turning):
            own, by_ends = self._turn(places, values[:, self._turning].astype(np.intp))
            weight = weigh(self._turning, own)
            for n, by_end in enumerate(by_ends):
                slope += np.einsum("bqd,qt->btd", weight[..., None] * by_end, self._one_hot(self._triples[:, n]))
        if len(self._ends):
            gap, away = self._gaps(places)
            by_gap = np.zeros_like(gap)
            if len(self._near):
                own, nearest, rival = self._nearest(gap, values[:, self._near].astype(np.intp))
                weight = weigh(self._near, own) / _METRES
                rows = np.arange(len(gap))[:, None]
                np.add.at(by_gap, (rows, rival), weight)
                np.add.at(by_gap, (rows, nearest), -weight)
            if len(self._apart):
                said = values[:, self._apart].astype(np.float32)
                own, by_own = self._distance(np.maximum(gap[:, self._pair], 0), said)
                np.add.at(by_gap, (np.arange(len(gap))[:, None], self._pair), weigh(self._apart, own) * by_own)
            pull = by_gap[..., None] * away
            ends = self._one_hot(self._ends[:, 1]) - self._one_hot(self._ends[:, 0])
            slope += np.einsum("bed,et->btd", pull, ends)
        return margin, slope

    def _one_hot(self, numbers: Numbers) -> Reals:
        return np.eye(len(self.things), dtype=np.float32)[numbers]

    def _turn(self, places: Reals, said: Numbers) -> tuple[Reals, tuple[Reals, Reals, Reals]]:
        """Margins of directions, and their slopes by the three places. Shapes (B, Q) and (B, Q, 2)."""
        here, ahead, there = (places[:, self._triples[:, n]] for n in range(3))
        u, v = ahead - here, there - here
        angle = np.degrees(np.arctan2(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0], (u * v).sum(-1)))
        columns = np.arange(said.shape[1])
        middle, half = self._sectors[columns, said, 0], self._sectors[columns, said, 1]
        off = (angle - middle + 180) % 360 - 180
        inward = (-np.sign(off) * (180 / math.pi / _DEGREES))[..., None]
        by_v, by_u = (inward * _quarter(w) / np.maximum((w**2).sum(-1, keepdims=True), 0.01) for w in (v, u))
        return (half - np.abs(off)) / np.float32(_DEGREES), (by_u - by_v, -by_u, by_v)

    def _gaps(self, places: Reals) -> tuple[Reals, Reals]:
        """Distances of pairs of things, below 0 where boxes overlap, and unit vectors. Shapes (B, E) and (B, E, 2)."""
        flat = (places[:, self._ends[:, 1]] - places[:, self._ends[:, 0]]) @ self._units[:, :2].T
        reach = flat[:, self._of_pair] + self._fixed
        way = reach.argmax(-1)
        by_object = np.take_along_axis(reach, way[..., None], -1)[..., 0]
        gap = np.minimum.reduceat(by_object, self._first, axis=1)
        is_nearest = by_object == gap[:, self._of_pair]
        away = np.add.reduceat(self._units[way, :2] * is_nearest[..., None], self._first, axis=1)
        ties = np.add.reduceat(is_nearest, self._first, axis=1, dtype=np.float32)
        return gap, np.asarray(away / ties[..., None], dtype=np.float32)

    def _nearest(self, gap: Reals, said: Numbers) -> tuple[Reals, Numbers, Numbers]:
        """Margins of the nearest object, and the pairs of things of the chosen option and its closest rival."""
        columns = np.arange(said.shape[1])
        own = np.where(self._options < 0, np.float32(np.inf), gap[:, self._options])
        chosen = np.take_along_axis(own, said[..., None], -1)[..., 0]
        np.put_along_axis(own, said[..., None], np.float32(np.inf), -1)
        rival = own.argmin(-1)
        best = np.take_along_axis(own, rival[..., None], -1)[..., 0]
        return (best - chosen) / np.float32(_METRES), self._options[columns, said], self._options[columns, rival]

    def _distance(self, gap: Reals, said: Reals) -> tuple[Reals, Reals]:
        """Margins of distances, and their slopes. Shapes (B, Q)."""
        greater = np.maximum(np.maximum(gap, said), np.float32(0.05))
        by_gap = np.where(gap > said, -said / greater**2, 1 / greater)  # of the margin, in shares
        unit = np.float32(_SHARE)
        return (np.float32(self._tolerance) - np.abs(gap - said) / greater) / unit, np.asarray(
            by_gap / unit, np.float32
        )


def _sector_bounds(tasks: Sequence[str]) -> Reals:
    """The middle and half the width of each sector in degrees. Shape (questions, 4, 2)."""
    found = np.zeros((len(tasks), 4, 2), np.float32)
    for n, task in enumerate(tasks):
        for k, (low, high, _) in enumerate(DIRECTIONS[task]):
            found[n, k] = (low + high) / 2, (high - low) / 2
    return found


def _quarter(vectors: Reals) -> Reals:
    """Vectors turned by 90° to the left."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


@dataclass(frozen=True)
class MapShare:
    """How many answers of one kind a map satisfies.

    Attributes:
        answers: how many there are.
        share: of them that the map satisfies, with an interval clustered by scene; None without answers.
        guessed: the same after a permutation of the answers, 0 to 100; None where none has such answers.
    """

    answers: int
    share: Share | None
    guessed: float | None


@dataclass(frozen=True)
class MapShares:
    """The best map of each scene.

    Attributes:
        scenes: samples of scenes with enough answers.
        best, true: all answers under the best map of each scene and under the true map.
        best_right: right answers under the best map: the part of the model's accuracy that one map explains.
        thin_scenes, thin_answers: left out, as there are too few answers to contradict a map.
        lost: ids of the answers that the best map doesn't satisfy.
    """

    scenes: int
    best: MapShare
    best_right: MapShare
    true: MapShare
    thin_scenes: int
    thin_answers: int
    lost: tuple[str, ...]


@dataclass(frozen=True)
class RunConsistency:
    """Consistency of one run.

    Attributes:
        answers: that were compared.
        contradictions: kind → its figures, 'all' last; empty where no answers can contradict.
        map: shares of the best maps; None where no scene has enough answers.
        drawn: answers that follow from the maps that the model drew; None where no maps were given.
        undrawn: answers about objects that the drawn map lacks or has several of.
        unread: question type → answers without a reading.
        other_types: question type → answers that aren't compared.
        left_out: reason → answers.
    """

    answers: int
    contradictions: dict[str, Contradictions]
    map: MapShares | None
    drawn: MapShare | None
    undrawn: int
    unread: dict[str, int]
    other_types: dict[str, int]
    left_out: dict[str, int]


@dataclass(frozen=True)
class ConsistencyResult:
    """Consistency of several runs.

    Attributes:
        runs: by name.
        tolerance: share by which two numbers may differ.
        permutations: for the guesser's contradictions; its maps are fitted to `GUESSED_SETS` of them.
        starts, seed: of the maps, and of the permutations.
        right_from: the score from which a number is right.
        scorer: that read the answers.
    """

    runs: dict[str, RunConsistency]
    tolerance: float
    permutations: int
    starts: int
    seed: int
    right_from: float
    scorer: str


@dataclass(frozen=True)
class AnswerSets:
    """A run's values and permutations of them, in rows: the model's own first.

    Attributes:
        sheet: the answers.
        values: shape (1 + permutations, answers).
        right: which of them are right. Shape as the values.
    """

    sheet: AnswerSheet
    values: Floats
    right: Bools

    @classmethod
    def of(cls, sheet: AnswerSheet, right_from: float, seed: int) -> AnswerSets:
        """Permute a run's answers `GUESSED_SETS` times."""
        own, generator = sheet.values, np.random.default_rng([seed, 2])
        values = np.stack([own, *(sheet.permuted(own, generator) for _ in range(GUESSED_SETS))])
        return cls(sheet, values, np.stack([sheet.right(row, right_from) for row in values]))

    def shares(self, numbers: Sequence[int], kept: Bools, counts: Bools | None = None) -> MapShare:
        """Count answers that are satisfied.

        Args:
            numbers: of the answers.
            kept: whether each is satisfied. Shape (1 + permutations, numbers).
            counts: whether each takes part; all do where None. Shape as `kept`.
        """
        counts = np.ones_like(kept) if counts is None else counts
        chosen = [self.sheet.answers[n] for n in numbers]
        clusters = np.unique([one.cluster for one in chosen], return_inverse=True)[1]
        parts, wholes = (kept & counts).astype(np.float64), counts.astype(np.float64)
        guessed = float(wholes[1:].sum())
        return MapShare(
            answers=int(counts[0].sum()),
            share=share(parts[0], wholes[0], clusters, [one.id for one in chosen]) if chosen else None,
            guessed=100 * float(parts[1:].sum()) / guessed if guessed else None,
        )


def map_tasks(
    sets: AnswerSets, geometries: Mapping[str, SceneGeometry], *, tolerance: float, starts: int, seed: int
) -> tuple[list[tuple[list[int], MapTask]], list[int]]:
    """Prepare the scenes for `fit_map`.

    Returns:
        For each sample of a scene with enough answers the numbers of these and the task; and the number of answers of
        each other one.
    """
    answers = sets.sheet.answers
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, one in enumerate(answers):
        if one.family in PLACED:
            groups[one.scene, one.repeat].append(number)
    found, thin = [], []
    for (scene, _), numbers in groups.items():
        own = [answers[n] for n in numbers]
        if has_enough(own):
            task = MapTask(geometries[scene], own, sets.values[:, numbers], tolerance, starts, seed)
            found.append((numbers, task))
        else:
            thin.append(len(own))
    return found, thin


def summarise_maps(
    sets: AnswerSets, fitted: Sequence[tuple[Sequence[int], AnswerMap]], thin: Sequence[int]
) -> MapShares | None:
    """Compute the shares over all scenes.

    Args:
        sets: the answers.
        fitted: for each sample of a scene the numbers of its answers and its maps.
        thin: the number of answers of each one that was left out.

    Returns:
        None where nothing was fitted.
    """
    if not fitted:
        return None
    numbers = [n for own, _ in fitted for n in own]
    kept = np.concatenate([found.kept for _, found in fitted], axis=1)
    true = np.concatenate([found.true_kept for _, found in fitted], axis=1)
    lost = {sets.sheet.answers[n].id for n, is_kept in zip(numbers, kept[0].tolist(), strict=True) if not is_kept}
    return MapShares(
        scenes=len(fitted),
        best=sets.shares(numbers, kept),
        best_right=sets.shares(numbers, kept, sets.right[:, numbers]),
        true=sets.shares(numbers, true),
        thin_scenes=len(thin),
        thin_answers=sum(thin),
        lost=tuple(sorted(lost)),
    )


def share_drawn(sets: AnswerSets, places: Mapping[int, Mapping[str, Sequence[Place]]]) -> tuple[MapShare, int]:
    """Compute the share of answers that follow from the maps that the model drew. A drawn map has no metres, so
    absolute distances take no part.

    Args:
        sets: the answers.
        places: number of an answer → category → where its objects are on the map for it.

    Returns:
        The share, and the number of answers about objects that their map lacks or has several of.
    """
    asked = [n for n in places if sets.sheet.answers[n].family in (DIRECTION, NEAREST)]
    follows = {n: _follows(sets.sheet.answers[n], places[n]) for n in asked}
    known = {n: value for n, value in follows.items() if value is not None}
    kept = sets.values[:, list(known)] == np.array(list(known.values()))
    return sets.shares(list(known), kept), len(asked) - len(known)


def _follows(answer: SceneAnswer, places: Mapping[str, Sequence[Place]]) -> int | None:
    """The number of the sector or option that follows from a map; None where the map leaves it open."""
    own = [places.get(name, ()) for name in answer.about]
    if answer.family == DIRECTION:
        if any(len(one) != 1 for one in own) or len({one[0] for one in own}) < 3:
            return None
        sectors = DIRECTIONS[answer.task]
        name = sector_of(float(egocentric_angle(*(one[0] for one in own))), sectors)
        return [one for _, _, one in sectors].index(name)
    if not all(own):
        return None
    apart = [min(math.dist(a, b) for a in own[0] for b in option) for option in own[1:]]
    return apart.index(min(apart)) if apart.count(min(apart)) == 1 else None
