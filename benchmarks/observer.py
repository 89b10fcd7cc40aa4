"""Recovery of the ideal observer: plant observers of known noise, fit them, and see whether the fits find the noise.

    python benchmarks/observer.py [--seeds 3] [--repeats 30] [--items 1000] [--draws 1000]

The observers answer VSI-Bench's released questions about its 288 scenes. They are written here in plain Python, one
answer at a time, and share no function with `tolman.analyze.observer*`. It prints how many planted parameters are
inside the fits' 95 % intervals, how often lapses are found where there are some and where there are none, and how far
noise and lapses are separated. The folder of the data is $TOLMAN_SHARED.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.analyze.observer import Noise
from tolman.analyze.observer_answers import AnswerTable, SceneTask, tabulate
from tolman.analyze.observer_fit import Levels, Observed, ObserverFit, TaskAnswers, fit
from tolman.geometry.boxes import Boxes, distances
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import LETTERS, Item
from tolman.parallel import parallel_map
from tolman.runs.run_items import load
from tolman.scenes import Scene, SceneObject

NUMBERS = ("object_counting", "object_abs_distance", "object_size_estimation", "room_size_estimation")
DIRECTIONS = ("object_rel_direction_easy", "object_rel_direction_medium", "object_rel_direction_hard")
TASKS = (*NUMBERS, "object_rel_distance", *DIRECTIONS)


@dataclass(frozen=True)
class Planted:
    """An observer: standard deviations in metres and as a share of a length, and probabilities."""

    position: float
    size: float
    miss: float
    lapse: float


SETTINGS = [
    Planted(position, size, miss, lapse)
    for position, size in ((0.1, 0.05), (0.2, 0.1), (0.35, 0.15), (0.5, 0.25), (0.8, 0.4))
    for miss, lapse in ((0.05, 0.0), (0.05, 0.1), (0.2, 0.1), (0.2, 0.3))
]


class Eyes:
    """One look at a scene: an error for each object, drawn when it is asked for."""

    def __init__(self, scene: Scene, planted: Planted, dice: random.Random) -> None:
        self.scene, self.planted, self.dice = scene, planted, dice
        self.found: dict[str, tuple[float, float, float] | None] = {}

    def place(self, thing: SceneObject) -> tuple[float, float, float] | None:
        """The place at which an object seems to be; None where it is overlooked."""
        if thing.id not in self.found:
            x, y, z = (value + self.dice.gauss(0, self.planted.position) for value in thing.box.center)
            self.found[thing.id] = None if self.dice.random() < self.planted.miss else (x, y, z)
        return self.found[thing.id]

    def things(self, name: str) -> list[SceneObject]:
        """The objects of that name."""
        name = "coat hanger" if name == "coat rack" and not self.scene.of(name) else name
        return self.scene.of(name)

    def noticed(self, name: str) -> list[SceneObject]:
        """Those of them that are not overlooked."""
        return [thing for thing in self.things(name) if self.place(thing) is not None]

    def pairs(self, a: str, b: str) -> list[tuple[SceneObject, SceneObject]]:
        """The objects that a distance of two names is between."""
        return [(one, other) for one in self.noticed(a) for other in self.noticed(b) if one.id != other.id]


@dataclass
class ToMeasure:
    """An answer for which distances are needed; they are measured for all answers together.

    Attributes:
        eyes: what was seen.
        pairs: objects, and the answer if they are the nearest; the distance itself where that is ''.
    """

    eyes: Eyes
    pairs: list[tuple[SceneObject, SceneObject, str]]


def measured(waiting: Sequence[ToMeasure]) -> list[str]:
    """The answers that hang on distances."""
    if not waiting:
        return []
    sides = []
    for side in (0, 1):
        things = [(one.eyes, pair[side]) for one in waiting for pair in one.pairs]
        centers = np.array([eyes.place(thing) for eyes, thing in things], dtype=float)
        axes = np.array([thing.box.axes for _, thing in things])
        sides.append(Boxes(centers, axes, np.array([thing.box.extents for _, thing in things])))
    gaps = iter(distances(*sides).tolist())
    found = []
    for one in waiting:
        gap, text = min((next(gaps), text) for _, _, text in one.pairs)
        found.append(text or str(gap))
    return found


def answer(item: Item, eyes: Eyes) -> str | ToMeasure | None:
    """The answer of an observer that never errs in reasoning; None where it hasn't seen the objects."""
    text, dice, planted = item.question, eyes.dice, eyes.planted
    if item.task == "object_counting":
        count = len(eyes.noticed(text.removeprefix("How many ").split("(s) are in this")[0]))
        return str(count) if count else None
    if item.task == "room_size_estimation":
        return str((eyes.scene.room_area or 0.0) * math.exp(dice.gauss(0, planted.size)) ** 2)
    if item.task == "object_size_estimation":
        thing = eyes.things(text.split(" of the ")[-1].split(", measured in")[0])[0]
        return None if eyes.place(thing) is None else str(100 * max(thing.box.extents) * lognormal(dice, planted.size))
    if item.task == "object_abs_distance":
        a, b = text.split("distance between the ")[1].split(" (in meters)")[0].split(" and the ")
        pairs = [(*pair, "") for pair in eyes.pairs(a, b)]
        return ToMeasure(eyes, pairs) if pairs else None
    if item.task == "object_rel_distance":
        primary, lettered = text.split("closest to the ")[1].rstrip("?"), zip(LETTERS, item.options, strict=False)
        pairs = [(*pair, letter) for letter, name in lettered for pair in eyes.pairs(primary, name)]
        return ToMeasure(eyes, pairs) if pairs else None
    names = text.split("standing by the ")[1].split(" and facing the ")
    facing, rest = names[1].split(", is the ")
    asked = rest.split(" to my")[0].split(" to the")[0]
    places = [eyes.place(eyes.things(name)[0]) for name in (names[0], facing, asked)]
    return None if None in places else LETTERS[item.options.index(direction(places, item.task))]  # type: ignore[arg-type]


def lognormal(dice: random.Random, sigma: float) -> float:
    """A factor by which a length is wrong."""
    return math.exp(dice.gauss(0, sigma))


def direction(places: Sequence[tuple[float, float, float]], task: str) -> str:
    """The name of a direction, by complex numbers."""
    here, ahead, there = (complex(x, y) for x, y, _ in places)
    turned = (there - here) / (ahead - here)
    if task.endswith("easy"):
        return "left" if turned.imag >= 0 else "right"
    if task.endswith("hard"):
        return ("front" if turned.real > 0 else "back") + ("-left" if turned.imag >= 0 else "-right")
    if turned.real < 0 and abs(turned.imag) <= -turned.real:
        return "back"
    return "left" if turned.imag >= 0 else "right"


def score(item: Item, text: str) -> float:
    """Accuracy, or mean relative accuracy as VSI-Bench's released code has it."""
    if item.options:
        return float(text == item.answer)
    error = abs(float(text) - float(item.answer)) / float(item.answer)
    return sum(error <= 1 - limit for limit in np.linspace(0.5, 0.95, 10)) / 10


def plant(
    items: Sequence[Item], scenes: dict[str, Scene], planted: Planted, seed: int, *, one_look: bool
) -> list[Observed]:
    """The answers of an observer.

    Args:
        items: that it answers.
        scenes: by id.
        planted: its noise.
        seed: of its errors.
        one_look: whether it looks at each scene once and answers all questions from that, or looks again for each.
    """
    dice = random.Random(f"{seed} {planted}")
    truths: dict[str, list[str]] = {}
    for item in items:
        truths.setdefault(item.task, []).append(item.answer)
    looks: dict[str, Eyes] = {}
    texts: list[str | ToMeasure] = []
    for item in items:
        scene = scenes[item.scene or ""]
        eyes = looks.setdefault(scene.id, Eyes(scene, planted, dice)) if one_look else Eyes(scene, planted, dice)
        text = None if dice.random() < planted.lapse else answer(item, eyes)
        guess = dice.choice(LETTERS[: len(item.options)] if item.options else truths[item.task])
        texts.append(guess if text is None else text)
    distant = iter(measured([text for text in texts if isinstance(text, ToMeasure)]))
    found = []
    for item, text in zip(items, texts, strict=True):
        said = text if isinstance(text, str) else next(distant)
        own = score(item, said)
        found.append(Observed(item.id, own, LETTERS.index(said) if item.options else round(10 * own)))
    return found


def fitted(tables: dict[str, AnswerTable], observed: Sequence[Observed], levels: Levels) -> ObserverFit:
    """One observer for all question types."""
    by_task: dict[str, list[Observed]] = {}
    for one in observed:
        by_task.setdefault(tables[one.id].task, []).append(one)
    return fit([TaskAnswers(tables, own, levels) for own in by_task.values()], levels)


def tables_of(
    items: Sequence[Item], geometries: dict[str, SceneGeometry], noise: Noise, draws: int, workers: int
) -> dict[str, AnswerTable]:
    """The simulated tables of all items, by id."""
    truths: dict[str, list[float]] = {}
    by_scene: dict[str, list[Item]] = {}
    for item in items:
        by_scene.setdefault(item.scene or "", []).append(item)
        if not item.options:
            truths.setdefault(item.task, []).append(item.float_answer)
    tasks = [SceneTask(geometries[name], own, None, truths, noise, draws) for name, own in by_scene.items()]
    found = [one for own in parallel_map(tabulate, tasks, workers) for one in own]
    return {one.id: one for one in found if isinstance(one, AnswerTable)}


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="planted runs of each of the 20 settings")
    parser.add_argument("--repeats", type=int, default=30, help="runs of each noise with and without lapses")
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    data = Path(os.environ.get("TOLMAN_SHARED", "../shared")) / "data" / "vsi-bench"
    geometries = {
        one.scene.id: one for one in open_collection(data / "meta_info") if isinstance(one, SceneGeometry)
    }  # fmt: skip
    scenes = {name: one.scene for name, one in geometries.items()}
    items = [item for item in load("vsi-bench", data, None).items if item.task in TASKS]
    noise, started = Noise(), time.perf_counter()
    tables = tables_of(items, geometries, noise, chosen.draws, chosen.workers)
    levels = Levels(noise)
    seconds = time.perf_counter() - started
    grid = f"{len(noise.positions)} × {len(noise.misses)} levels"
    print(f"{len(tables):,} items, {grid}, {chosen.draws:,} draws: {seconds:.0f} s", flush=True)

    def once(planted: Planted, seed: int, *, one_look: bool = False) -> ObserverFit:
        asked = random.Random(f"items {seed}").sample([item for item in items if item.id in tables], chosen.items)
        return fitted(tables, plant(asked, scenes, planted, seed, one_look=one_look), levels)

    recovery(once, chosen.seeds)
    lapses(once, chosen.repeats)


def recovery(once: Callable[..., ObserverFit], seeds: int) -> None:
    """Print how often planted parameters are inside their intervals."""
    print("\nshare of planted parameters inside their 95 % intervals; mean and spread of estimate − truth")
    for one_look in (False, True):
        inside: dict[str, list[bool]] = {}
        off: dict[str, list[float]] = {}
        apart = []
        for planted in SETTINGS:
            for seed in range(seeds):
                found = once(planted, seed, one_look=one_look)
                for name, own in found.parameters.items():
                    true = getattr(planted, name)
                    inside.setdefault(name, []).append(own.low <= true <= own.high)
                    if own.value is not None:
                        off.setdefault(name, []).append(own.value - true)
                if planted.lapse:
                    both = [found.parameters[name] for name in ("position", "lapse")]
                    held = [p.low <= t <= p.high for p, t in zip(both, (planted.position, planted.lapse), strict=True)]
                    apart.append((all(held), both[1].low > 0))
        print("one look at each scene" if one_look else "a look for each question")
        for name, own in inside.items():
            mean, spread = statistics.mean(off[name]), statistics.stdev(off[name])
            print(f"  {name:9} {percent(own)} of {len(own)}; off by {mean:+.4f} on average, ± {spread:.4f}")
        whole = [value for own in inside.values() for value in own]
        both, found = percent([a for a, _ in apart]), percent([b for _, b in apart])
        print(f"  all       {percent(whole)} of {len(whole)}")
        print(f"  of {len(apart)} with lapses: noise and lapses both inside {both}, lapses above 0 {found}", flush=True)


def percent(values: Sequence[bool]) -> str:
    """Their share."""
    return f"{100 * statistics.mean(values):.1f} %"


def lapses(once: Callable[..., ObserverFit], repeats: int) -> None:
    """Print how often lapses are found."""
    print("\nlapses found at the 5 % level: where 10 % are planted, and where none are")
    total: dict[float, list[bool]] = {0.1: [], 0.0: []}
    for position, size in ((0.1, 0.05), (0.2, 0.1), (0.35, 0.15), (0.5, 0.25), (0.8, 0.4)):
        shares = []
        for lapse, own in total.items():
            fits = [once(Planted(position, size, 0.05, lapse), 1000 + seed) for seed in range(repeats)]
            found = [one.p_lapse is not None and one.p_lapse < 0.05 for one in fits]
            own += found
            shares.append(percent(found))
        print(f"  {position:.2f} m, {size:.2f}: {shares[0]} and {shares[1]} of {repeats}", flush=True)
    print(f"  all: {percent(total[0.1])} and {percent(total[0.0])} of {len(total[0.0])}")


if __name__ == "__main__":
    main()
