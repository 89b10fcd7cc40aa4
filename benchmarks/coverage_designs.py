"""Designs that try to break the intervals, each a process with a known true figure.

Ten were written by somebody who had not read the code of the intervals. The others are repeated answers, and composites
with a part in few scenes. Every draw takes new scene effects and new answers. In the true figure each sum over items is
replaced by its expectation: in closed form, by quadrature, or from 200,000 draws (standard error at most 0.02 points).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tolman.scoring.clusters import WORKING_CORRELATION, WORKING_CORRELATION_PAIRED, Clustered, clustered_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
THRESHOLDS = np.arange(0.5, 0.04, -0.05)
"""Relative errors below which a number is accurate; mean relative accuracy is the share of them that it is below."""


@dataclass(frozen=True)
class Answers:
    """One draw.

    Attributes:
        scene: of each item. Shape (items,).
        score: shape (items,), or (items, samples), or (items, 2) for a pair of runs.
        task: of each item, by number; one task if None.
        chance: of each item, subtracted if the figure is adjusted for chance.
    """

    scene: Ints
    score: Floats
    task: Ints | None = None
    chance: Floats | None = None


@dataclass(frozen=True)
class Design:
    """A process and the figure that it draws around.

    Attributes:
        name: in the table.
        draw: makes one draw.
        truth: the true figure, 0 to 1.
        weights: of the tasks.
        columns: what several scores of an item are: samples of it, or two runs whose difference is the figure.
    """

    name: str
    draw: Callable[[np.random.Generator], Answers]
    truth: float
    weights: tuple[float, ...] = (1.0,)
    columns: Literal["samples", "runs"] = "samples"

    @property
    def figure(self) -> Floats:
        """The weights of the pools. Shape (1, pools)."""
        return np.array([self.weights])

    def sums(self, generator: np.random.Generator) -> Clustered:
        """One draw as sums over scenes, with a leading dimension of 1."""
        answers = self.draw(generator)
        score = answers.score if answers.score.ndim == 2 else answers.score[:, None]
        if self.columns == "runs":
            score = score[:, 1:] - score[:, :1]
        times = score.shape[1]
        item = np.repeat(np.arange(len(score)), times)
        scene = np.unique(answers.scene, return_inverse=True)[1].astype(np.intp)[item]
        task = np.zeros(len(item), np.intp) if answers.task is None else answers.task[item]
        inside = task[:, None] == np.arange(len(self.weights))
        chance = np.zeros(len(item)) if answers.chance is None else answers.chance[item]
        lowest = -1.0 if self.columns == "runs" else -chance
        found = clustered_sums(
            scene,
            inside * (score.ravel() - chance)[:, None],
            inside * (1 - chance)[:, None],
            item=item if times > 1 else None,
            lowest=inside * np.broadcast_to(lowest, len(item))[:, None],
            working_correlation=WORKING_CORRELATION_PAIRED if self.columns == "runs" else WORKING_CORRELATION,
        )
        arrays = (found.numerators, found.denominators, found.counts, found.squares, found.lowest, found.highest)
        return Clustered(*(array[None] for array in arrays), found.working_correlation)


def _right(generator: np.random.Generator, chances: Floats) -> Floats:
    return (generator.random(chances.shape) < chances).astype(np.float64)


def _accuracy(error: Floats) -> Floats:
    return np.asarray((error[:, None] < THRESHOLDS).mean(1))


def _few_skewed(generator: np.random.Generator) -> Answers:
    scene = np.repeat(np.arange(8), 12)
    return Answers(scene, _right(generator, special.expit(2 + 1.5 * generator.standard_normal(8))[scene]))


def _giant(generator: np.random.Generator) -> Answers:
    scene = np.repeat(np.arange(20), [300] + [10] * 19)
    return Answers(scene, _right(generator, special.expit(0.5 + generator.standard_normal(20))[scene]))


def _informative_size(generator: np.random.Generator) -> Answers:
    size = np.clip(np.round(12 * np.exp(0.9 * generator.standard_normal(25))), 1, 250).astype(int)
    level = special.expit(1.2 - 0.9 * np.log(size / 12) + 0.6 * generator.standard_normal(25))
    scene = np.repeat(np.arange(25), size)
    return Answers(scene, _right(generator, level[scene]))


def _hard_mixture(generator: np.random.Generator) -> Answers:
    level = np.where(generator.random(40) < 0.1, 0.30, generator.beta(98, 2, 40))
    scene = np.repeat(np.arange(40), 10)
    return Answers(scene, _right(generator, level[scene]))


def _confined_task(generator: np.random.Generator) -> Answers:
    u, v = generator.standard_normal(40), generator.standard_normal(40)
    scene = np.concatenate([np.tile(np.repeat(np.arange(40), 4), 3), np.repeat(np.arange(4), 6)])
    task = np.repeat(np.arange(4), [160, 160, 160, 24])
    logit = np.where(task == 3, 0.3 + 0.7 * u[scene] + 1.5 * v[scene], 0.8 + 0.7 * u[scene])
    return Answers(scene, _right(generator, special.expit(logit)), task)


def _signed_composite(generator: np.random.Generator) -> Answers:
    u = generator.standard_t(4, 24)
    there = np.where(np.arange(24) < 8, 1 + generator.poisson(5, 24), 0)
    counts = np.stack([*(1 + generator.poisson(2, 24) for _ in range(3)), there])
    scene = np.concatenate([np.repeat(np.arange(24), count) for count in counts])
    task = np.repeat(np.arange(4), counts.sum(1))
    own = u[scene]
    right = _right(generator, special.expit(np.where(task == 3, 0.6 - 1.2 * own, 0.4 + own)))
    error = np.exp(-1.5 - 0.7 * own + 0.8 * generator.standard_normal(own.size))
    return Answers(scene, np.where(task == 2, _accuracy(error), right), task)


def _chance_by_scene(generator: np.random.Generator) -> Answers:
    kind = generator.choice(3, 18, p=[0.4, 0.4, 0.2])
    size = 1 + generator.poisson(np.array([30.0, 12.0, 6.0])[kind] * generator.gamma(2, 0.5, 18))
    known = np.choose(kind, [generator.uniform(-0.6, 0.7, 18), generator.beta(1, 6, 18), generator.beta(2, 3, 18)])
    scene = np.repeat(np.arange(18), size)
    own = np.where(generator.random(len(scene)) < 0.8, kind[scene], generator.integers(0, 3, len(scene)))
    chance = np.array([0.5, 0.25, 0.1])[own]
    right = _right(generator, np.clip(chance + (1 - chance) * known[scene], 0, 1))
    return Answers(scene, right, chance=chance)


def _sticky_samples(generator: np.random.Generator) -> Answers:
    scene = np.repeat(np.arange(15), 4)
    logit = -5 + 1.2 * generator.standard_normal(15)[scene] + 3 * generator.standard_normal(60)
    return Answers(scene, _right(generator, np.repeat(special.expit(logit)[:, None], 8, 1)))


def _shared_errors(generator: np.random.Generator) -> Answers:
    special_scene = generator.random(50) < 0.08
    level = np.where(special_scene, 0.4, generator.beta(6, 3, 50))
    scene = np.repeat(np.arange(50), 1 + generator.poisson(7, 50))
    first, luck = _right(generator, level[scene]), generator.random(len(scene))
    mended, flipped = np.maximum(first, luck < 0.7), np.where(luck < 0.01, 1 - first, first)
    return Answers(scene, np.stack([first, np.where(special_scene[scene], mended, flipped)], axis=1))


def _scale_error(generator: np.random.Generator) -> Answers:
    distances = np.array([40, 25, 16, 10, 7, 5, 4, 3, 3, 2])
    counts = [distances, (distances + 1) // 2, np.ones(10, int)]
    scene = np.concatenate([np.repeat(np.arange(10), count) for count in counts])
    task = np.repeat(np.arange(3), [count.sum() for count in counts])
    scale = 0.25 * generator.standard_t(2.5, 10)[scene] + 0.15 * generator.standard_normal(len(scene))
    return Answers(scene, _accuracy(np.abs(np.expm1(np.clip(scale, -50, 50)))), task)


def _repeated(generator: np.random.Generator, level: float, same: bool) -> Answers:
    """40 scenes of one item, each asked five times, at once or anew."""
    own = np.repeat(generator.beta(9 * level, 9 * (1 - level), 40)[:, None], 5, axis=1)
    found = _right(generator, own)
    return Answers(np.arange(40), np.repeat(found[:, :1], 5, axis=1) if same else found)


def _part_in_few(generator: np.random.Generator, scenes: int, few: int, both: bool) -> Answers:
    """Task A with 10 items in each scene, task B with 20 in a few of them; logit-normal effects of sd 1.5."""
    scene = np.concatenate([np.repeat(np.arange(scenes), 10), np.repeat(np.arange(few), 20)])
    task = np.repeat([0, 1], [10 * scenes, 20 * few])
    effects = 1.5 * generator.standard_normal((2, scenes)) * np.array([[1.0 if both else 0.0], [1.0]])
    return Answers(scene, _right(generator, special.expit(effects[task, scene])), task)


QUARTERS = (0.25,) * 4
THIRDS = (1 / 3,) * 3
FOREIGN = (
    Design("8 scenes, skewed", _few_skewed, 0.8099465),
    Design("one scene with 61 %", _giant, 0.6020271),
    Design("large scenes are hard", _informative_size, 0.5971314),
    Design("one scene of ten is broken", _hard_mixture, 0.912),
    Design("a task in 4 of 40 scenes", _confined_task, 0.6424527, QUARTERS),
    Design("effects of opposite sign", _signed_composite, 0.5782866, (0.30, 0.20, 0.15, 0.35)),
    Design("chance differs by scene", _chance_by_scene, 0.1235684),
    Design("8 sticky samples, near 0", _sticky_samples, 0.0879033),
    Design("pair, gain in 4 of 50 scenes", _shared_errors, 0.0305333, columns="runs"),
    Design("one scale error a scene", _scale_error, 0.5344512, THIRDS),
)
"""Written by somebody who had not read the code of the intervals."""
REPEATED = tuple(
    Design(f"5 samples, {'the same' if same else 'drawn anew'}", partial(_repeated, level=0.93, same=same), 0.93)
    for same in (True, False)
)
PARTS = tuple(
    Design(
        f"B in {few} of {scenes}, weight {weight}, {'both differ' if both else 'B differs'}",
        partial(_part_in_few, scenes=scenes, few=few, both=both),
        0.5,
        (1 - weight, weight),
    )
    for both in (True, False)
    for weight in (0.25, 0.5)
    for scenes, few in ((20, 1), (40, 2), (20, 4), (40, 4), (20, 6), (40, 8))
)
DESIGNS = (*FOREIGN, *REPEATED, *PARTS)
