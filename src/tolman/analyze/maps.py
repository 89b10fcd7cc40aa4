"""Cognitive maps: how well the distances on drawn maps fit the true ones, near and far.

Source: VSI-Bench paper, section 6.1, Figure 10 and Appendix B.4: the distance of two categories is that of their
nearest objects, and is right where it is at most one grid unit off; accuracy by the true distance in eight bins.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np

from tolman.benchmarks.published import PublishedTable
from tolman.cognitive_maps import CognitiveMap
from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import Share, share

TOLERANCE = 1.0
"""Grid units by which a distance may be off."""
BINS = 8
PUBLISHED_GRID = 10
"""Cells along each side of the maps that the paper measured."""
NEIGHBOURS = 3
"""So many nearest objects make up the neighbourhood of an object."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Drawn:
    """A map that a model drew, and the true one.

    Attributes:
        scene: the cluster of its error.
        drawn, true: on grids of the same size.
    """

    scene: str
    drawn: CognitiveMap
    true: CognitiveMap


@dataclass(frozen=True, slots=True)
class MapPair:
    """The distance of two categories, in grid units.

    Attributes:
        scene: of the map.
        categories: the two.
        true: on the true map.
        drawn: on the drawn one; None where one of them is not on it.
    """

    scene: str
    categories: tuple[str, str]
    true: float
    drawn: float | None

    @property
    def right(self) -> bool:
        """Return whether the drawn distance is at most one grid unit off."""
        return self.drawn is not None and abs(self.drawn - self.true) <= TOLERANCE + _ROUNDING


@dataclass(frozen=True)
class Locality:
    """Accuracy of distances.

    Attributes:
        edges: of the bins, in grid units.
        bins: for each bin the share of right distances among the drawn ones; None where it has none.
        accuracy: the same over all distances, those outside the bins too.
        near, far: over the bins below and above the middle edge.
        pairs, missing: pairs of the true maps, and those with a category that was not drawn.
        below, above: drawn pairs whose true distance is below the first or above the last bin.
    """

    edges: tuple[float, ...]
    bins: tuple[Share | None, ...]
    accuracy: Share | None
    near: Share | None
    far: Share | None
    pairs: int
    missing: int
    below: int
    above: int


@dataclass(frozen=True)
class Consistency:
    """Distance of objects from their places once a map is turned, mirrored, moved and scaled to fit best.

    Attributes:
        local: root mean square in grid units where each object with its nearest neighbours is fitted on its own.
        whole: where the map is fitted as a whole. Both are per degree of freedom that the fit leaves, so that
            independent errors of the objects give equal figures; a map of right parts in wrong places has a `whole`
            above its `local`.
        maps: that have enough objects whose partner on the true map is known (one of their category on each).
    """

    local: float
    whole: float
    maps: int


@dataclass(frozen=True)
class ItemMap:
    """A map with its heading.

    Attributes:
        run, item, question: name of the run, the item's id and its question.
        drawn: the two maps.
        problems: unusable parts of the response.
        questions: how many share this map; the one named is the first.
    """

    run: str
    item: str
    question: str
    drawn: Drawn
    problems: tuple[str, ...]
    questions: int = 1


@dataclass
class RunMaps:
    """The maps of one run, each once, and the unusable ones.

    Attributes:
        maps: those that were read.
        unread: maps that could not be read.
        answers: responses that came with these maps.
        strange: categories that were asked for and that the scene doesn't have.
    """

    maps: list[ItemMap] = field(default_factory=list)
    unread: int = 0
    answers: int = 0
    strange: Counter[str] = field(default_factory=Counter)

    @property
    def drawn(self) -> list[Drawn]:
        """The maps with their true ones."""
        return [one.drawn for one in self.maps]


@dataclass(frozen=True)
class MapsResult:
    """The maps of several runs against the true ones.

    Attributes:
        grid: cells along each side.
        stretch: whether true maps fill the grid along both axes.
        maps: run → its maps.
        localities: run → accuracy of distances.
        consistencies: run → local against whole fit; None where no map has enough objects.
        written: files.
        published: tables of the same with the same bins; empty where the grid or the true maps are others.
    """

    grid: int
    stretch: bool
    maps: dict[str, RunMaps]
    localities: dict[str, Locality]
    consistencies: dict[str, Consistency | None]
    written: tuple[Path, ...] = ()
    published: tuple[PublishedTable, ...] = ()


def edges(grid: int) -> Floats:
    """The nine edges of the eight bins: from 1 to the grid's side; the paper's for a grid of 10."""
    return np.linspace(1, grid, BINS + 1)


def bin_labels(bounds: Sequence[float]) -> list[str]:
    """The bins between edges as the paper prints them: '[1.0, 2.1]', '(2.1, 3.3]'; halves are rounded up."""
    said = [str(Decimal(str(edge)).quantize(Decimal("0.1"), ROUND_HALF_UP)) for edge in bounds]
    return [f"{'(' if place else '['}{low}, {high}]" for place, (low, high) in enumerate(itertools.pairwise(said))]


def bin_of(distance: float, grid: int = 10) -> int | None:
    """The number of a distance's bin, from 0; None outside all.

    The first bin holds both its edges, the others the upper one.
    """
    bounds = edges(grid)
    if not bounds[0] <= distance <= bounds[-1]:
        return None
    return max(0, int(np.searchsorted(bounds, distance, side="left")) - 1)


def distance(one: CognitiveMap, a: str, b: str) -> float | None:
    """Compute the distance of the nearest objects of two categories; None where one of them isn't on the map."""
    first, second = one.places.get(a, ()), one.places.get(b, ())
    return min((math.dist(p, q) for p in first for q in second), default=None)


def pairs(maps: Iterable[Drawn]) -> list[MapPair]:
    """All pairs of categories of the true maps."""
    found = []
    for one in maps:
        for a, b in itertools.combinations(one.true.places, 2):
            true = distance(one.true, a, b)
            if true is not None:
                found.append(MapPair(one.scene, (a, b), true, distance(one.drawn, a, b)))
    return found


def locality(found: Sequence[MapPair], grid: int = 10) -> Locality:
    """Accuracy by true distance.

    Args:
        found: pairs of maps on a grid of this size.
        grid: cells along each side.
    """
    drawn = [pair for pair in found if pair.drawn is not None]
    numbers = [bin_of(pair.true, grid) for pair in drawn]
    bounds = edges(grid)

    def over(chosen: Iterable[int | None]) -> Share | None:
        wanted = set(chosen)
        return _accuracy([pair for pair, number in zip(drawn, numbers, strict=True) if number in wanted])

    return Locality(
        edges=tuple(float(edge) for edge in bounds),
        bins=tuple(over([i]) for i in range(BINS)),
        accuracy=_accuracy(drawn),
        near=over(range(BINS // 2)),
        far=over(range(BINS // 2, BINS)),
        pairs=len(found),
        missing=len(found) - len(drawn),
        below=int(sum(pair.true < bounds[0] for pair in drawn)),
        above=int(sum(pair.true > bounds[-1] for pair in drawn)),
    )


def consistency(maps: Iterable[Drawn]) -> Consistency | None:
    """Local against whole fit; None where no map has more than a neighbourhood of paired objects."""
    parts: list[float] = []
    wholes: list[float] = []
    for one in maps:
        names = [
            name for name, places in one.true.places.items() if len(places) == len(one.drawn.places.get(name, ())) == 1
        ]
        if len(names) <= NEIGHBOURS + 1:
            continue
        true = np.array([one.true.places[name][0] for name in names])
        drawn = np.array([one.drawn.places[name][0] for name in names])
        apart = np.linalg.norm(true[:, None] - true[None], axis=2)
        near = np.argsort(apart, axis=1, kind="stable")[:, : NEIGHBOURS + 1]
        wholes.append(misfit(drawn, true))
        parts.append(float(np.mean([misfit(drawn[own], true[own]) for own in near])))
    if not wholes:
        return None
    return Consistency(math.sqrt(np.mean(parts)), math.sqrt(np.mean(wholes)), len(wholes))


def misfit(drawn: Floats, true: Floats) -> float:
    """Compute the mean square residual of places in a plane after the best similarity, which may mirror.

    The orthogonal Procrustes problem (Schönemann 1966) with scale. The drawn places are moved onto the true ones, so
    that a map with everything in one point fits nothing; in squared grid units per degree of freedom that the fit
    leaves.

    Args:
        drawn, true: shape (places, 2), three places at least.
    """
    a, b = drawn - drawn.mean(axis=0), true - true.mean(axis=0)
    spread = float((a**2).sum())
    fitted = float(np.linalg.svd(a.T @ b, compute_uv=False).sum()) ** 2 / spread if spread else 0.0
    return max(0.0, float((b**2).sum()) - fitted) / (2 * len(drawn) - 4)


def _accuracy(chosen: Sequence[MapPair]) -> Share | None:
    if not chosen:
        return None
    clusters = np.unique([pair.scene for pair in chosen], return_inverse=True)[1]
    items = [(pair.scene, pair.categories, pair.true) for pair in chosen]  # a scene may be drawn several times
    return share(np.array([float(pair.right) for pair in chosen]), np.ones(len(chosen)), clusters, items)
