"""The ideal observer's answers: each question family's own reasoning, over many perceptions of a scene at once.

Each function of `ANSWERS` answers one of VSI-Bench's families from `Percepts`. Without noise it answers as the family's
`recompute` does. An answer is one of a few outcomes: an option, or one of the eleven scores that mean relative accuracy
gives to a number. `tabulate` counts how often each outcome comes at each level of noise.

If a perception lacks an object of the question, the answer is a guess: an option drawn evenly, or the true number of
another question of the type. The observer never picks the option "can't tell" of grounded runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.analyze.observer import Bools, Noise, Percepts, view_of
from tolman.benchmarks.vsi_bench import TURNS
from tolman.benchmarks.vsi_bench.vsi_meta_info import DIRECTIONS
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import THIRDS, Sectors, egocentric_angle
from tolman.ground_truth.question_families import family_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import LETTERS, Item
from tolman.media.sampling import Frames
from tolman.models.geometric import as_generated

Codes = NDArray[np.intp]
GUESS = -1
"""The code of a perception that leaves the answer open."""
POSITION, SIZE, MISS = "position", "size", "miss"
AXES = {
    "vsi-bench/counting": MISS,
    "vsi-bench/absolute-distance": POSITION,
    "vsi-bench/object-size": SIZE,
    "vsi-bench/room-size": SIZE,
    "vsi-bench/relative-distance": POSITION,
    "vsi-bench/relative-direction": POSITION,
    "vsi-bench/appearance-order": MISS,
    "vsi-bench/route-plan": POSITION,
}
"""The noise that each family's answers depend on."""
_NO_NOISE = Noise(positions=(0.0,), sizes=(0.0,), misses=(0.0,))
_CLEAR_DRAWS = 50
"""Perceptions without noise: they differ where things come into view in one frame and the order is drawn."""
_ERRORS = np.sort(1 - np.linspace(0.5, 0.95, 10))
"""Relative errors at which mean relative accuracy falls by 0.1 (VSI-Bench paper, section 4.1; its released code)."""


@dataclass(frozen=True)
class AnswerTable:
    """How often an observer gives each answer to one item.

    Shapes: S levels of noise (1 where the answers depend on none), M miss rates, K outcomes.

    Attributes:
        id, task, cluster: of the item.
        axis: the noise on which the answers depend: 'position', 'size' or 'miss'.
        chances: of each outcome, at least a little above 0. Shape (S, M, K).
        guess: of each outcome, without looking. Shape (K,).
        scores: of each outcome, 0 to 1. Shape (K,).
        ceiling: the score without any noise, 0 to 1: of all that the frames show.
    """

    id: str
    task: str
    cluster: str
    axis: str
    chances: Floats
    guess: Floats
    scores: Floats
    ceiling: float


@dataclass(frozen=True)
class Unanswered:
    """An item that the observer is not asked, and why."""

    id: str
    task: str
    reason: str


def relative_accuracy_level(values: Floats, truth: float | Floats) -> Codes:
    """Ten times the mean relative accuracy of answers to one number or to as many. Shape as the values'."""
    error = np.abs(values - truth) / np.abs(truth)
    return np.asarray(10 - np.searchsorted(_ERRORS, error, side="left"))


def _number(item: Item, values: Floats, noticed: Bools) -> Codes:
    """Outcomes of numbers: the score's level, or the nearest of numerical options."""
    if item.options:
        options = np.array([float(option) for option in item.options])
        return np.where(noticed, np.abs(values[..., None] - options).argmin(-1), GUESS)
    return np.where(noticed, relative_accuracy_level(values, item.float_answer), GUESS)


def named_parts(item: Item) -> list[tuple[str, ...]]:
    """The parts of a question that its family's patterns find, those of each pattern together."""
    known = family_of(item)
    found = [match for pattern in known.names for match in pattern.finditer(item.question)] if known else []
    if not found:
        raise ValueError("no family knows the question's words")
    return [match.groups() for match in found]


def count(percepts: Percepts, item: Item) -> Codes:
    """How many objects of a category: those on the map; an answer of 0 is never given."""
    found = percepts.count(percepts.geometry.category(named_parts(item)[0][0]))
    return _number(item, found.astype(np.float64)[None], found[None] > 0)


def absolute_distance(percepts: Percepts, item: Item) -> Codes:
    """The distance of the nearest points of two objects."""
    a, b = (percepts.geometry.category(name) for name in named_parts(item)[0][:2])
    found = percepts.distance(a, b)
    return _number(item, np.where(np.isfinite(found), found, 0.0), np.isfinite(found))


def object_size(percepts: Percepts, item: Item) -> Codes:
    """The longest side of an object, in centimetres."""
    category = percepts.geometry.category(named_parts(item)[0][0])
    number, noticed = percepts.one(category)
    return _number(item, 100 * percepts.longest(number), noticed[None])


def room_size(percepts: Percepts, item: Item) -> Codes:
    """The room's area in square metres: lengths are wrong by one factor, so the area by its square."""
    area = percepts.geometry.scene.room_area
    if area is None:
        raise KeyError("room area")
    found = area * np.exp(2 * np.array(percepts.noise.sizes)[:, None] * percepts.room_error)
    return _number(item, found[:, None], np.ones((1, 1, 1), bool))


def relative_distance(percepts: Percepts, item: Item) -> Codes:
    """The option that is nearest to an object, among those that were noticed."""
    primary = percepts.geometry.category(named_parts(item)[0][1])
    options = [percepts.geometry.category(option) for option in item.options]
    found = np.stack([percepts.distance(primary, option) for option in options])
    return np.where(np.isfinite(found).any(0), found.argmin(0), GUESS)


def relative_direction(percepts: Percepts, item: Item) -> Codes:
    """The sector that an object is in, for an observer at one who faces another."""
    sectors = DIRECTIONS[item.task]
    names = [percepts.geometry.category(name) for name in named_parts(item)[0][:3]]
    places, noticed = zip(*(percepts.place(name) for name in names), strict=True)
    sector = _sector(egocentric_angle(*places), sectors)
    options = np.array([item.options.index(name) for _, _, name in sectors])
    return np.where(noticed[0] & noticed[1] & noticed[2], options[sector], GUESS)


def _sector(angle: Floats, sectors: Sectors) -> Codes:
    """The numbers of the sectors that angles are in."""
    return np.asarray(np.searchsorted([low for low, _, _ in sectors], angle % 360.0, side="right") - 1)


def route_plan(percepts: Percepts, item: Item) -> Codes:
    """The option that has most turns in common with those of the observer; ties are drawn."""
    parts = named_parts(item)
    if len(parts) < 2 or len(parts[0]) != 3:
        raise ValueError("no family knows the question's words")
    (start, facing, _), stops = parts[0], [own[0] for own in parts[1:]]
    if not percepts.geometry.scene.floor:
        raise KeyError("the floor's outline")
    found = [percepts.place(percepts.geometry.category(name)) for name in (start, *stops)]
    places, noticed = [place for place, _ in found], np.logical_and.reduce([seen for _, seen in found])
    angles = []
    if " 1. [please fill in]" in item.question:
        ahead, seen = percepts.place(percepts.geometry.category(facing))
        noticed = noticed & seen
        angles.append(egocentric_angle(places[0], ahead, places[1]))
    for before, here, after in zip(places, places[1:], places[2:], strict=False):
        angles.append(egocentric_angle(here, here + (here - before), after))
    turns = np.array([TURNS[name] for _, _, name in THIRDS])[_sector(np.stack(angles), THIRDS)]
    agreed = np.stack([sum(map(np.equal, turns, option.split(", "))) for option in item.options], axis=-1)
    return np.where(noticed, _best(agreed, percepts), GUESS)


def _best(agreement: Floats, percepts: Percepts) -> Codes:
    """The option with the greatest agreement, ties at random. Shape (…, D, options) → (…, D)."""
    options = agreement.shape[-1]
    tie = np.random.default_rng(options).random((percepts.draws, options))
    return np.asarray((agreement + 0.5 * tie).argmax(-1))


def appearance_order(percepts: Percepts, item: Item) -> Codes:
    """The option that agrees with most pairs of first appearances; of several such, one is drawn.

    A category first appears in the first sampled frame that shows it in which it is not overlooked. One that is
    overlooked in all of them makes the answer a guess.
    """
    view = percepts.view
    if not view.known:
        raise KeyError("what the video shows when")
    names = re.split(r", ", named_parts(item)[0][0])
    first = np.stack([_first_noticed(percepts, name) for name in names], axis=-1)
    agreement = []
    for option in item.options:
        listed = re.split(r", | -> ", option)
        if sorted(listed) != sorted(names):
            raise ValueError("an option lists other things than the question")
        times = first[..., [names.index(name) for name in listed]]
        pairs = [(a, b) for a in range(len(names)) for b in range(a + 1, len(names))]
        with np.errstate(invalid="ignore"):
            agreement.append(sum(np.sign(times[..., b] - times[..., a]) for a, b in pairs))
    noticed = np.isfinite(first).all(-1)
    return np.where(noticed, _best(np.nan_to_num(np.stack(agreement, axis=-1)), percepts), GUESS)[None]


def _first_noticed(percepts: Percepts, category: str) -> Floats:
    """Seconds at which a category is first noticed, infinite where it never is. Shape (M, D)."""
    times = np.array([*percepts.view.category_times.get(category, ()), np.inf])
    known = percepts.names.index(percepts.geometry.category(category))
    misses = np.array(percepts.noise.misses)[:, None]
    with np.errstate(divide="ignore"):
        overlooked = np.floor(np.log(percepts.look[:, known]) / np.log(misses))  # geometric
    return np.asarray(times[np.minimum(overlooked, len(times) - 1).astype(np.intp)])


ANSWERS: Mapping[str, Callable[[Percepts, Item], Codes]] = {
    "vsi-bench/counting": count,
    "vsi-bench/absolute-distance": absolute_distance,
    "vsi-bench/object-size": object_size,
    "vsi-bench/room-size": room_size,
    "vsi-bench/relative-distance": relative_distance,
    "vsi-bench/relative-direction": relative_direction,
    "vsi-bench/appearance-order": appearance_order,
    "vsi-bench/route-plan": route_plan,
}
"""Family → (perceptions, item) → the outcome in each, shape (S, M, D) or one that broadcasts to it.

A function raises KeyError where the scene lacks what the question asks for, and ValueError where it can't be read.
"""


@dataclass(frozen=True)
class SceneTask:
    """One scene's items for `tabulate`.

    Attributes:
        geometry: of the scene.
        items: about it.
        frames: that the model was shown; None for the whole video.
        truths: question type → the true numbers of all items, from which guesses are drawn.
        noise, draws, seed: as of `Percepts`.
    """

    geometry: SceneGeometry
    items: Sequence[Item]
    frames: Frames | None
    truths: Mapping[str, Sequence[float]]
    noise: Noise
    draws: int = 1000
    seed: int = 0


def tabulate(task: SceneTask) -> list[AnswerTable | Unanswered]:
    """Simulate the observer on one scene's items."""
    view = view_of(task.geometry, task.frames)
    percepts = Percepts(task.geometry, view, task.noise, task.draws, task.seed)
    clear = Percepts(task.geometry, view, _NO_NOISE, _CLEAR_DRAWS, task.seed)
    found: list[AnswerTable | Unanswered] = []
    for item in task.items:
        try:
            found.append(_table(percepts, clear, item, task.truths.get(item.task, ())))
        except KeyError as error:
            found.append(Unanswered(item.id, item.task, f"the scene lacks {error.args[0]}"))
        except ValueError as error:
            found.append(Unanswered(item.id, item.task, str(error)))
    return found


def _table(percepts: Percepts, clear: Percepts, item: Item, truths: Sequence[float]) -> AnswerTable:
    family = family_of(item)
    if family is None or family.name not in ANSWERS:
        raise ValueError("the observer knows no reasoning for this question type")
    item = as_generated(item)
    if item.kind == "choice":
        scores = np.array([float(letter in item.right_letters) for letter in LETTERS[: len(item.options)]])
        if not scores.any():
            raise ValueError("its right answer is that it can't be answered")
        guess = np.full(len(scores), 1 / len(scores))
    elif item.kind == "number" and item.float_answer:
        scores = np.arange(11) / 10
        guess = np.bincount(relative_accuracy_level(np.array(truths), item.float_answer), minlength=11) / len(truths)
    else:
        raise ValueError("its answer is neither an option nor a number above 0")
    codes = ANSWERS[family.name](percepts, item)
    chances = _shares(np.broadcast_to(codes, (len(codes), len(percepts.noise.misses), percepts.draws)), guess)
    seen = ANSWERS[family.name](clear, item)
    ceiling = float(np.where(seen >= 0, scores[seen], guess @ scores).mean())
    return AnswerTable(item.id, item.task, item.cluster, AXES[family.name], chances, guess, scores, ceiling)


def _shares(codes: Codes, guess: Floats) -> Floats:
    """The share of each outcome among draws; half a draw is added to each (Jeffreys). Shape (S, M, D) → (S, M, K)."""
    (levels, misses, draws), outcomes = codes.shape, len(guess)
    cell = np.arange(levels * misses).reshape(levels, misses, 1) * (outcomes + 1)
    counts = np.bincount((cell + codes + 1).ravel(), minlength=levels * misses * (outcomes + 1))
    by_code = counts.reshape(levels, misses, outcomes + 1)
    return np.asarray((by_code[..., 1:] + by_code[..., :1] * guess + 0.5) / (draws + 0.5 * outcomes))


def scene_tasks(
    items: Sequence[Item],
    geometries: Mapping[str, SceneGeometry],
    frames: Frames | None,
    noise: Noise,
    *,
    draws: int = 1000,
    seed: int = 0,
) -> tuple[list[SceneTask], list[Unanswered]]:
    """Prepare items for `tabulate`, scene by scene.

    Args:
        items: of one benchmark.
        geometries: by scene's id.
        frames, noise, draws, seed: as of `SceneTask`.

    Returns:
        The tasks, and the items whose scene is not there.
    """
    truths: dict[str, list[float]] = {}
    by_scene: dict[str, list[Item]] = {}
    lost: list[Unanswered] = []
    for item in items:
        if item.kind == "number":
            truths.setdefault(item.task, []).append(item.float_answer)
        if item.scene in geometries:
            by_scene.setdefault(item.scene or "", []).append(item)
        else:
            lost.append(Unanswered(item.id, item.task, "its scene is not there"))
    tasks = [SceneTask(geometries[name], own, frames, truths, noise, draws, seed) for name, own in by_scene.items()]
    return tasks, lost
