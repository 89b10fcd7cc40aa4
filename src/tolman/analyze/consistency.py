"""Consistency: do a model's answers about one scene agree with each other, right or wrong?

A *group* is a set of questions with some answers that no scene allows. Each kind of group has its rule:

- directions: two relative directions among the same three objects. Each says on which side of the line through two of
  them the third is, and bounds one angle of their triangle. Two sides must be the same, two bounds of one angle must
  overlap, and two angles must not exceed 180°.
- nearest: two or three answers for the nearest object that form a cycle. If A is nearer to X than B, then the distance
  XA is below XB.
- nearest and distances: the object called nearest has a larger distance than another option.
- triangle: three distances among three objects. Distances are between the nearest points, so b adds its own diameter:
  ac ≤ ab + bc + √3 · longest side of b, as the model gives that side.
- twice: a number that was asked for twice.

Numbers contradict each other if they differ by more than a tolerance. The rates are compared with those of a guesser
with the same distribution of answers: the answers permuted among the questions of each type.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.analyze.observer_answers import named_parts, relative_accuracy_level
from tolman.analyze.observer_fit import is_answer
from tolman.benchmarks.vsi_bench.vsi_meta_info import DIRECTIONS
from tolman.geometry.boxes import Floats
from tolman.ground_truth.question_families import family_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.models.geometric import as_generated
from tolman.scoring.intervals import Share, share

Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]

DIRECTION, NEAREST, DISTANCE = (
    "vsi-bench/relative-direction",
    "vsi-bench/relative-distance",
    "vsi-bench/absolute-distance",
)
SIZE, COUNT, ROOM = "vsi-bench/object-size", "vsi-bench/counting", "vsi-bench/room-size"
COMPARED = (DIRECTION, NEAREST, DISTANCE, SIZE, COUNT, ROOM)
"""The families whose answers are compared."""
KINDS = ("directions", "nearest", "nearest and distances", "triangle", "twice")
_TURNED = {(0, 1, 2): 1, (1, 2, 0): 1, (2, 0, 1): 1, (0, 2, 1): -1, (2, 1, 0): -1, (1, 0, 2): -1}
"""Order of three objects → whether it runs around their triangle as the first does."""


@dataclass(frozen=True)
class SceneAnswer:
    """One answer about a scene.

    Attributes:
        id, task, scene, cluster: of the item.
        repeat: number of the sample. Answers of different samples aren't compared.
        family: of the question, one of `COMPARED`.
        about: categories that it names. A direction: position, facing, object asked for. Nearest: the object to which
            it is, then the options. A distance: both, in alphabetical order.
        value: the number of the sector or option from 0, or the number in the question's unit.
        truth: the same of the right answer.
        options: how many answers there are; 0 for numbers.
    """

    id: str
    task: str
    scene: str
    cluster: str
    repeat: int
    family: str
    about: tuple[str, ...]
    value: float
    truth: float
    options: int


@dataclass
class AnswerSheet:
    """A run's answers that can be compared, and the others by reason.

    Attributes:
        answers: in the order of the run.
        unread: question type → responses without a readable answer.
        other_types: question type → answers that are of no family of `COMPARED`.
        left_out: reason → answers.
    """

    answers: list[SceneAnswer] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    other_types: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def values(self) -> Floats:
        """The answers' values. Shape (answers,)."""
        return np.array([one.value for one in self.answers], dtype=np.float64)

    def right(self, values: Floats, right_from: float) -> Bools:
        """Mark right answers: the right option, or a number with enough mean relative accuracy.

        Args:
            values: shape (answers,).
            right_from: the accuracy from which a number is right, 0 to 1.
        """
        truths: Floats = np.array([one.truth for one in self.answers], dtype=np.float64)
        is_number = np.array([not one.options for one in self.answers], dtype=np.bool_)
        with np.errstate(divide="ignore", invalid="ignore"):
            accurate = relative_accuracy_level(values, truths) / 10 >= right_from - 1e-9
        return np.where(is_number & (truths != 0), accurate, values == truths)

    def permuted(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Permute values among the questions of one type that have as many options. Shape (answers,)."""
        pools: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, one in enumerate(self.answers):
            pools[one.task, one.options].append(number)
        found = values.copy()
        for members in pools.values():
            found[members] = generator.permutation(values[members])
        return found


def read_answers(rows: pl.DataFrame, items: Mapping[str, Item], geometries: Mapping[str, SceneGeometry]) -> AnswerSheet:
    """Read a run's answers from the rows of its scores.

    Args:
        rows: of `tolman.scoring.score_items.SCHEMA`, under one scorer.
        items: by id.
        geometries: by scene's id.
    """
    sheet = AnswerSheet()
    columns = rows.filter(pl.col("status") == "scored").select("id", "repeat", "task", "state", "guessed", "reading")
    for name, repeat, task, state, guessed, reading in columns.iter_rows():
        item = items[name]
        family = family_of(item)
        if family is None or family.name not in COMPARED:
            sheet.other_types[task] += 1
        elif not is_answer(item, state, guessed, reading):
            sheet.unread[task] += 1
        else:
            try:
                sheet.answers.append(_answer(as_generated(item), repeat, family.name, reading or "", geometries))
            except KeyError:
                sheet.left_out["the scene lacks an object that it names"] += 1
            except ValueError as error:
                sheet.left_out[str(error)] += 1
    return sheet


def _answer(item: Item, repeat: int, family: str, reading: str, geometries: Mapping[str, SceneGeometry]) -> SceneAnswer:
    """One answer.

    Raises:
        KeyError: the scene lacks an object.
        ValueError: the answer can't be compared; the sentence says why.
    """
    geometry = geometries.get(item.scene or "")
    if geometry is None:
        raise ValueError("the scene is not there")
    is_choice = family in (DIRECTION, NEAREST)
    if item.kind != ("choice" if is_choice else "number"):
        raise ValueError("the answer is no option" if is_choice else "the answer is no number")
    about = _about(item, family, geometry)
    if is_choice:
        places = [item.letters.find(text.strip().rstrip(".") or "?") for text in (reading, item.answer)]
        if family == DIRECTION:
            names = [name for _, _, name in DIRECTIONS.get(item.task, ())]
            if sorted(names) != sorted(item.options):
                raise ValueError("the options are no directions")
            places = [names.index(item.options[place]) if place >= 0 else -1 for place in places]
        value, truth = map(float, places)
    else:
        value, truth = _number(reading), item.float_answer
    if value < 0 or not math.isfinite(value):
        raise ValueError("the answer is no option" if is_choice else "the answer is no number from 0")
    head = item.id, item.task, item.scene or "", item.cluster, repeat, family
    return SceneAnswer(*head, about, value, truth, len(item.options))


def _about(item: Item, family: str, geometry: SceneGeometry) -> tuple[str, ...]:
    """The categories that a question is about."""
    if family == ROOM:
        return ()
    names = named_parts(item)[0]
    if family == NEAREST:
        names = (names[1], *item.options)
    about = tuple(geometry.category(name) for name in names)
    if family == DIRECTION and any(len(geometry.members[name]) > 1 for name in about):
        raise ValueError("it asks for the direction of one of several objects")
    if len(set(about)) < len(about):
        raise ValueError("it names an object twice")
    return tuple(sorted(about)) if family == DISTANCE else about


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("the answer is no number from 0") from None


class Checks:
    """The groups of one rule.

    Args:
        kind: of `KINDS`.
        members: numbers of each group's answers; −1 where one is missing. Shape (groups, answers).
        tables: for choices, whether each combination of answers is a contradiction. Shape (groups, options, …).
    """

    def __init__(self, kind: str, members: Sequence[Sequence[int]], tables: Sequence[Bools] = ()) -> None:
        self.kind = kind
        self.members: Numbers = np.array(members, dtype=np.intp)
        self.tables: Bools | None = np.stack(tables) if tables else None

    def broken(self, values: Floats, tolerance: float) -> Bools:
        """Mark the groups whose answers contradict each other.

        Args:
            values: of all answers.
            tolerance: share by which two numbers may differ.
        """
        own = np.where(self.members < 0, np.nan, values[self.members])
        if self.tables is not None:
            return np.asarray(self.tables[(np.arange(len(own)), *own.astype(np.intp).T)])
        return np.asarray(_RULES[self.kind](own, tolerance))


def _exceeds(large: Floats, small: Floats, tolerance: float) -> Bools:
    return np.asarray(large - small > tolerance * large)


def _breaks_triangle(own: Floats, tolerance: float) -> Bools:
    return _exceeds(own[:, 0], own[:, 1] + own[:, 2] + math.sqrt(3) * own[:, 3] / 100, tolerance)


def _differ(own: Floats, tolerance: float) -> Bools:
    return _exceeds(own.max(1), own.min(1), tolerance)


def _is_not_nearest(own: Floats, tolerance: float) -> Bools:
    """The first column is the chosen option's number, the others the options' distances, nan where not answered."""
    chosen = own[np.arange(len(own)), 1 + own[:, 0].astype(np.intp)]
    return _exceeds(chosen, np.nanmin(own[:, 1:], axis=1), tolerance)


_RULES = {"nearest and distances": _is_not_nearest, "triangle": _breaks_triangle, "twice": _differ}


def checks(answers: Sequence[SceneAnswer], geometries: Mapping[str, SceneGeometry]) -> list[Checks]:
    """Find all groups, of the answers of each sample about each scene.

    Args:
        answers: of a run.
        geometries: by scene's id; only whether a name has one object in the scene is used.
    """
    sets: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, one in enumerate(answers):
        sets[one.scene, one.repeat].append(number)
    found: dict[tuple[str, int], tuple[list[Sequence[int]], list[Bools]]] = {}
    for (scene, _), own in sets.items():
        by_family: dict[str, list[int]] = defaultdict(list)
        for number in own:
            by_family[answers[number].family].append(number)
        for kind, members, table in (
            *_direction_groups(answers, by_family[DIRECTION]),
            *_nearest_groups(answers, by_family[NEAREST]),
            *_number_groups(answers, by_family, geometries[scene]),
        ):
            groups, tables = found.setdefault((kind, len(members)), ([], []))
            groups.append(members)
            tables += [] if table is None else [table]
    return [Checks(kind, groups, _padded(tables)) for (kind, _), (groups, tables) in found.items()]


def _padded(tables: list[Bools]) -> list[Bools]:
    """Tables of one shape; the added cells are those of no option."""
    if not tables:
        return []
    sides = np.max([table.shape for table in tables], axis=0)
    return [np.pad(table, [(0, side - own) for side, own in zip(sides, table.shape, strict=True)]) for table in tables]


_Found = Iterable[tuple[str, Sequence[int], Bools | None]]


def _direction_groups(answers: Sequence[SceneAnswer], numbers: Sequence[int]) -> _Found:
    """Pairs of directions among the same three objects."""
    by_objects: dict[frozenset[str], list[int]] = defaultdict(list)
    for number in numbers:
        by_objects[frozenset(answers[number].about)].append(number)
    for objects, own in by_objects.items():
        listed = sorted(objects)
        claims = {number: _sides_and_angles(answers[number], listed) for number in own}
        for a, b in itertools.combinations(own, 2):
            (side, low, high), (other_side, other_low, other_high) = claims[a], claims[b]
            broken = side[:, None] * other_side == -1
            if answers[a].about[0] == answers[b].about[0]:
                broken |= np.maximum.outer(low, other_low) >= np.minimum.outer(high, other_high)
            else:
                broken |= np.add.outer(low, other_low) >= 180
            if broken.any():
                yield "directions", (a, b), broken


def _sides_and_angles(one: SceneAnswer, listed: Sequence[str]) -> tuple[Numbers, Floats, Floats]:
    """Each sector as facts about the triangle of three objects: the way around it in the order of the list (1 to the
    left, −1 to the right, 0 unknown), and the bounds of its angle at the position in degrees."""
    turn = _TURNED[tuple(listed.index(name) for name in one.about)]  # type: ignore[index]
    sectors = np.array([(low, high) for low, high, _ in DIRECTIONS[one.task]])
    low, high = sectors.T
    side = np.where(high <= 180, 1, np.where(low >= 180, -1, 0))
    bounds = np.where(side[:, None] == 1, sectors, 360 - sectors[:, ::-1])
    bounds[side == 0] = np.stack([low, np.full(len(low), 180.0)], axis=1)[side == 0]
    return turn * side, bounds[:, 0], bounds[:, 1]


def _nearest_groups(answers: Sequence[SceneAnswer], numbers: Sequence[int]) -> _Found:
    """Pairs and triples of answers for the nearest object that can form a cycle of distances."""
    pairs = {
        number: [frozenset((answers[number].about[0], option)) for option in answers[number].about[1:]]
        for number in numbers
    }
    # below[a, b][k, l]: answer k to question a says that its distance is below that of answer l to question b.
    below = {
        (a, b): np.array([[two in pairs[a] and two != one for two in pairs[b]] for one in pairs[a]])
        for a, b in itertools.permutations(numbers, 2)
    }
    both = {(a, b): below[a, b] & below[b, a].T for a, b in below}
    for a, b in itertools.combinations(numbers, 2):
        if both[a, b].any():
            yield "nearest", (a, b), both[a, b]
    for a, b, c in itertools.combinations(numbers, 3):
        one_way = below[a, b][:, :, None] & below[b, c][None] & below[c, a].T[:, None]
        other_way = below[a, c][:, None] & below[c, b].T[None] & below[b, a].T[:, :, None]
        known = both[a, b][:, :, None] | both[b, c][None] | both[a, c][:, None]
        cycle = (one_way | other_way) & ~known
        if cycle.any():
            yield "nearest", (a, b, c), cycle


def _number_groups(
    answers: Sequence[SceneAnswer], by_family: Mapping[str, list[int]], geometry: SceneGeometry
) -> _Found:
    """Groups with numbers."""
    same: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for family in (DISTANCE, SIZE, COUNT, ROOM):
        for number in by_family.get(family, ()):
            same[family, answers[number].about].append(number)
    for own in same.values():
        for pair in itertools.combinations(own, 2):
            yield "twice", pair, None
    first = {key: own[0] for key, own in same.items()}
    apart = {frozenset(about): number for (family, about), number in first.items() if family == DISTANCE}
    for number in by_family.get(NEAREST, ()):
        primary, *options = answers[number].about
        known = [apart.get(frozenset((primary, option)), -1) for option in options]
        if sum(one >= 0 for one in known) > 1:
            yield "nearest and distances", (number, *known), None
    for a, b, c in itertools.combinations(sorted({name for pair in apart for name in pair}), 3):
        sides = [apart.get(frozenset(pair)) for pair in ((a, b), (b, c), (a, c))]
        if None in sides:
            continue
        for middle, order in ((a, (1, 0, 2)), (b, (2, 0, 1)), (c, (0, 1, 2))):
            size = first.get((SIZE, (middle,)))
            if size is not None and len(geometry.members[middle]) == 1:
                yield "triangle", (*(int(sides[n] or 0) for n in order), size), None


@dataclass(frozen=True)
class Contradictions:
    """Contradictions of one kind.

    Attributes:
        groups: that could contradict.
        found: how many do.
        share: of the groups, with an interval clustered by scene; None without groups.
        guessed: the mean share of groups that contradict after a permutation of the answers, 0 to 100.
        p: the share of permutations with as few contradictions, one-sided.
        ids: items of each contradiction.
    """

    groups: int
    found: int
    share: Share | None
    guessed: float
    p: float
    ids: tuple[tuple[str, ...], ...]


def contradictions(
    sheet: AnswerSheet,
    geometries: Mapping[str, SceneGeometry],
    *,
    tolerance: float,
    permutations: int,
    seed: int,
) -> dict[str, Contradictions]:
    """Count the contradictions of each kind that has groups, and of all together.

    Args:
        sheet: a run's answers.
        geometries: by scene's id.
        tolerance: share by which two numbers may differ.
        permutations: of the answers, for the guesser's rate.
        seed: of the permutations.

    Returns:
        Kind → its contradictions; 'all' last. Empty where no answers can contradict.
    """
    listed = checks(sheet.answers, geometries)
    if not listed:
        return {}
    values = sheet.values
    own = [one.broken(values, tolerance) for one in listed]
    generator = np.random.default_rng([seed, 1])
    null = np.zeros((permutations, len(listed)))
    for row in null:
        drawn = sheet.permuted(values, generator)
        row[:] = [one.broken(drawn, tolerance).sum() for one in listed]
    found = {}
    for kind in (*KINDS, "all"):
        chosen = [n for n, one in enumerate(listed) if kind in (one.kind, "all")]
        if chosen:
            parts = [(listed[n].members, own[n]) for n in chosen]
            found[kind] = _counted(sheet.answers, parts, null[:, chosen].sum(1))
    return found


def _counted(answers: Sequence[SceneAnswer], parts: Sequence[tuple[Numbers, Bools]], null: Floats) -> Contradictions:
    broken = np.concatenate([own for _, own in parts])
    groups = [tuple(n for n in group if n >= 0) for members, _ in parts for group in members.tolist()]
    clusters = np.unique([answers[group[0]].cluster for group in groups], return_inverse=True)[1]
    items = [tuple(answers[n].id for n in group) for group in groups]
    count = int(broken.sum())
    return Contradictions(
        groups=len(groups),
        found=count,
        share=share(broken.astype(np.float64), np.ones(len(groups)), clusters, items),
        guessed=100 * float(null.mean()) / len(groups),
        p=float(1 + (null <= count).sum()) / (1 + len(null)),
        ids=tuple(sorted(one for one, is_broken in zip(items, broken.tolist(), strict=True) if is_broken)),
    )
