"""Runs whose true figures are known, and draws of scenes from real answers: what `coverage.py` measures with.

None of it is the model that an interval assumes. A scene's difficulty is drawn from one of four families (beta; normal
on the logit scale; skewed on the logit scale; two kinds of scene), with an intra-scene correlation from 0.05 to 0.3;
tasks share it in part; items of a task differ in difficulty; the mix of tasks differs between scenes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from tolman.scoring.clusters import WORKING_CORRELATION, WORKING_CORRELATION_PAIRED, Clustered, moments
from tolman.scoring.intervals import has_enough_scenes

Floats = NDArray[np.float64]
FAMILIES = ("beta", "logit-normal", "skewed", "two kinds")
CORRELATIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
EVENNESS = ("equal", "lognormal", "Zipf", "one with 70 %")
KINDS = ("plain", "paired", "composite")
GRID = 4001
DESIGNS = 60
"""Sizes and mixes of tasks that are tried until an interval is printed, so that a cell has its 4,000 draws."""
SHARED = 0.6
"""Share of a scene's difficulty that all its tasks have in common, and that two runs have in common."""
DISTANCE = {50: 6.0, 80: 6.0, 93: 4.0, 99: 1.0}
"""How much worse the second run of a pair is, in points."""


@dataclass(frozen=True)
class Block:
    """Runs over one set of scenes.

    Attributes:
        sums: of the runs, or of the differences of pairs. Leading dimension: draws.
        weights: of the figure's pools. Shape (1, pools).
        truth: the figure that the runs are drawn around, from 0 to 1.
        family, correlation: of the scenes.
    """

    sums: Clustered
    weights: Floats
    truth: float
    family: str
    correlation: float


def blocks(
    kind: str, evenness: str, scenes: int, truth: int, *, draws: int, items_per_scene: int = 12, seed: int = 0
) -> list[Block]:
    """Draws for one cell of the table, spread evenly over families and correlations; new scenes for each block."""
    key = (KINDS.index(kind), EVENNESS.index(evenness), scenes, truth, items_per_scene)
    generator = np.random.default_rng([20261122, seed, *key])
    combinations = [(family, rho) for family in FAMILIES for rho in CORRELATIONS] * 2
    each = -(-draws // len(combinations))
    return [
        _block(kind, evenness, scenes, truth / 100, each, items_per_scene, f, r, generator) for f, r in combinations
    ]


def _block(
    kind: str,
    evenness: str,
    scenes: int,
    truth: float,
    draws: int,
    items_per_scene: int,
    family: str,
    rho: float,
    generator: np.random.Generator,
) -> Block:
    pools = 4 if kind == "composite" else 1
    for _ in range(DESIGNS):
        scene, task = _design(evenness, scenes, items_per_scene, pools, generator)
        empty = clustered(np.zeros((1, len(scene))), scene, task, scenes, pools, 0.0)
        if has_enough_scenes(moments(empty, np.full((1, pools), 1 / pools)))[0, 0]:
            break
    spread = min(1.0, 2 * (1 - truth)) * np.array([0.1, 0.04, -0.04, -0.1])
    targets = truth + (spread if pools == 4 else np.zeros(1))
    common = generator.standard_normal((draws, scenes, 1))
    latent = generator.standard_normal((draws, len(scene)))
    graded = task == 3  # scores in tenths, as of mean relative accuracy
    scores, true = _answers(family, rho, targets, common, latent, scene, task, graded, generator)
    lowest = 0.0
    if kind == "paired":
        others, other = _answers(
            family, rho, targets - DISTANCE[round(100 * truth)] / 100, common, latent, scene, task, graded, generator
        )
        scores, true, lowest = scores - others, true - other, -1.0
    weights = np.full((1, pools), 1 / pools)
    return Block(clustered(scores, scene, task, scenes, pools, lowest), weights, float(true.mean()), family, rho)


def _design(
    evenness: str, scenes: int, items_per_scene: int, pools: int, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each item's scene and task; every task has an item."""
    sizes = np.maximum(scene_sizes(evenness, scenes, items_per_scene, generator), -(-pools // scenes))
    scene = np.repeat(np.arange(scenes), sizes)
    mix = generator.dirichlet(np.full(pools, 2.0), scenes).cumsum(1)
    task = (generator.random(len(scene))[:, None] > mix[scene]).sum(1).clip(0, pools - 1)
    task[generator.choice(len(scene), pools, replace=False)] = np.arange(pools)
    return scene, task


def _answers(
    family: str,
    rho: float,
    targets: Floats,
    common: Floats,
    latent: Floats,
    scene: NDArray[np.intp],
    task: NDArray[np.intp],
    graded: NDArray[np.bool_],
    generator: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Scores of one run, shape (draws, items), and the true figure of each task."""
    draws, scenes = common.shape[:2]
    own = generator.standard_normal((draws, scenes, len(targets)))
    level = special.ndtr(np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own)
    tables = [quantiles(family, float(t), rho) for t in targets]
    grid = np.linspace(0, 1, GRID)
    chances = np.stack([np.interp(level[..., p], grid, table) for p, table in enumerate(tables)], axis=-1)
    chance = chances[:, scene, task]
    noise = generator.standard_normal(latent.shape)
    right = (special.ndtr(np.sqrt(0.5) * latent + np.sqrt(0.5) * noise) < chance).astype(np.float64)
    if graded.any():
        p = chance[:, graded].clip(1e-6, 1 - 1e-6)
        right[:, graded] = generator.binomial(10, generator.beta(2 * p, 2 * (1 - p))) / 10
    return right, np.array([np.trapezoid(table, grid) for table in tables])


def scene_sizes(evenness: str, scenes: int, mean: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Items of each scene."""
    if evenness == "equal":
        sizes = np.full(scenes, float(mean))
    elif evenness == "lognormal":
        sizes = mean * np.exp(0.8 * generator.standard_normal(scenes) - 0.32)
    elif evenness == "Zipf":
        sizes = 1 / np.arange(1, scenes + 1)
        sizes *= mean * scenes / sizes.sum()
    else:
        sizes = np.full(scenes, 0.3 * mean * scenes / max(scenes - 1, 1))
        sizes[0] = 0.7 * mean * scenes
    return np.maximum(1, np.round(sizes)).astype(np.intp)


@cache
def quantiles(family: str, mean: float, rho: float) -> Floats:
    """Quantiles of a scene's chance of a right answer: that mean, and the variance rho · mean · (1 − mean)."""
    level = (np.arange(GRID) + 0.5) / GRID
    variance = rho * mean * (1 - mean)
    if family == "beta":
        return np.asarray(stats.beta.ppf(level, mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)))
    if family == "two kinds":  # good scenes, in which all is right, and bad ones; good and bad alike in number if not
        share = min(0.5, (1 - mean) ** 2 / (variance + (1 - mean) ** 2))
        gap = np.sqrt(variance / (share * (1 - share)))
        return np.where(level < share, mean + share * gap - gap, mean + share * gap)
    normal = stats.norm.ppf(level) if family == "logit-normal" else np.log(level) + 1

    def at(scale: float) -> Floats:
        low, high = -80.0, 80.0
        for _ in range(70):
            centre = (low + high) / 2
            low, high = (centre, high) if special.expit(centre + scale * normal).mean() < mean else (low, centre)
        return np.asarray(special.expit((low + high) / 2 + scale * normal))

    low, high = 1e-3, 40.0
    for _ in range(45):
        scale = (low + high) / 2
        low, high = (scale, high) if at(scale).var() < variance else (low, scale)
    return at((low + high) / 2)


def clustered(
    scores: Floats, scene: NDArray[np.intp], task: NDArray[np.intp], scenes: int, pools: int, lowest: float
) -> Clustered:
    """Sums over scenes and tasks of scores of shape (draws, items)."""
    cell = scene * pools + task
    onto = np.zeros((len(scene), scenes * pools))
    onto[np.arange(len(scene)), cell] = 1
    counts = onto.sum(0).reshape(scenes, pools)
    numerators = (scores @ onto).reshape(len(scores), scenes, pools)
    squares = (scores**2 @ onto).reshape(len(scores), scenes, pools).sum(1)
    shape = (len(scores), scenes, pools)
    items = np.broadcast_to(counts.sum(0), (len(scores), pools))
    return Clustered(
        numerators,
        np.broadcast_to(counts, shape),
        np.broadcast_to(counts, shape),
        np.stack([squares, numerators.sum(1), items], axis=-1),
        lowest * items,
        1.0 * items,
        WORKING_CORRELATION_PAIRED if lowest else WORKING_CORRELATION,
    )
