"""Parks: a round path, a plaza or a pond in the middle, a playground, lawns with trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.greenery import SPECIES, SPRUCE
from tolman.simulate.lanes import Lane
from tolman.simulate.open_places import Area, OpenPlace, OpenPlacing, finished
from tolman.simulate.placing import Spot

_PLAY = ("slide", "swing set", "seesaw", "climbing frame", "sandbox")
_REPEATED = ("bench", "lamp post", "trash can", "bush", "picnic table", "flower bed", "bicycle")
"""Categories that parks have several of. Their counts are drawn evenly, so that no count is the usual one."""
_SINGLE = (
    "notice board",
    "statue",
    "ping-pong table",
    "bicycle rack",
    "drinking fountain",
    "wheelbarrow",
    "soccer ball",
    "utility box",
    "flower pot",
)
_SPEEDS = (2.0, 4.0)
_CROWNS = {"round": 0.62, "oval": 0.55, "column": 0.34, "birch": 0.45, "maple": 0.58, "cherry": 0.75, SPRUCE: 0.45}
"""Widths of trees in their heights."""


def draw_park(identity: str, seed: str, *, objects: int = 26) -> OpenPlace:
    """A park.

    Args:
        identity: the scene's id.
        seed: of all that is drawn.
        objects: how many things are asked for.
    """
    generator = np.random.default_rng(np.frombuffer(f"park:{seed}".encode(), dtype=np.uint8))
    size = (float(np.round(generator.uniform(25, 33), 2)), float(np.round(generator.uniform(21, 27), 2)))
    middle = np.array(size) / 2
    ring = _ring(generator, middle, (size[0] / 2 - 4.6, size[1] / 2 - 4.4))
    wide = float(generator.uniform(2.0, 2.6))
    lane = Lane("bicycle", ring, 0.0, _SPEEDS)
    areas = [_band(ring, wide), *_exits(generator, ring, size, wide * 0.8)]
    play = _play_ground(generator, middle)
    areas.append(Area("bark", play))
    feature = ("fountain", "pond", "gazebo", "")[int(generator.integers(4))]
    side = -np.sign(play[:, 0].mean() - middle[0])
    heart = middle + np.array([side * 2.9, float(generator.uniform(-0.6, 0.6))])
    if feature in ("fountain", ""):
        radius = float(generator.uniform(2.3, 2.7))
        angles = np.arange(40) * 2 * np.pi / 40
        areas.append(Area("plaza", heart + radius * np.column_stack([np.cos(angles), np.sin(angles)]), 1))
    placing = OpenPlacing(size, tuple(areas), lane, generator)
    if feature:
        _put_feature(placing, feature, heart)
    _put_play(placing, play)
    trees = int(generator.integers(3, 9))
    _put_trees(placing, trees)
    placing.put_all(_wanted(objects - len(placing.placed), generator), lambda name, own: _spots(placing, name, own))
    return finished(identity, "park", placing)


def _ring(generator: np.random.Generator, middle: Floats, half: tuple[float, float]) -> Floats:
    """A closed way around a place's middle, shape (96, 2)."""
    angles = np.arange(96) * 2 * np.pi / 96
    power = float(generator.uniform(2.0, 3.4))
    x, y = np.cos(angles), np.sin(angles)
    radius = (np.abs(x) ** power + np.abs(y) ** power) ** (-1 / power)
    radius *= (
        1 + float(generator.uniform(0.0, 0.05)) * np.sin(3 * angles + float(generator.uniform(0, 2 * np.pi))) - 0.04
    )
    return middle + np.column_stack([x * radius * half[0], y * radius * half[1]])


def _band(ring: Floats, wide: float) -> Area:
    """A path along a closed way."""
    along = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1, keepdims=True)
    return Area("path", np.concatenate([ring + normal * wide / 2, ring - normal * wide / 2]), 2, ring=True)


def _exits(generator: np.random.Generator, ring: Floats, size: tuple[float, float], wide: float) -> list[Area]:
    """Paths from the round one to the edges, below it where they meet."""
    found = []
    for side in generator.permutation(4)[: int(generator.integers(2, 4))].tolist():
        axis, high = side % 2, side // 2
        shift = float(generator.uniform(-2.5, 2.5))
        across = 1 - axis
        at = size[across] / 2 + shift
        near = np.abs(ring[:, across] - at) < 0.8
        edge = ring[near, axis].max() if high else ring[near, axis].min()
        span = sorted((edge, float(size[axis]) if high else 0.0))
        corners = np.empty((4, 2))
        corners[:, axis] = [span[0], span[1], span[1], span[0]]
        corners[:, across] = [at - wide / 2, at - wide / 2, at + wide / 2, at + wide / 2]
        found.append(Area("path", corners if axis == 0 else corners[::-1]))
    return found


def _play_ground(generator: np.random.Generator, middle: Floats) -> Floats:
    """The corners of the ground that children play on, within the round path."""
    half = np.array([float(generator.uniform(2.7, 3.2)), float(generator.uniform(2.6, 3.4))])
    aside = float(generator.choice([-1, 1])) * float(generator.uniform(3.2, 3.6))
    at = middle + np.array([aside, float(generator.uniform(-0.5, 0.5))])
    return np.asarray(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half + at)


def _put_feature(placing: OpenPlacing, name: str, at: Floats) -> None:
    generator = placing.generator
    size = tuple(float(np.round(side * generator.uniform(0.85, 1.05), 3)) for side in placing._size(name))
    yaw = float(generator.uniform(-np.pi, np.pi)) if name == "gazebo" else float(generator.uniform(-0.2, 0.2))
    spots = iter([(float(at[0]), float(at[1]), yaw), (float(at[0]), float(at[1]), 0.0)])
    placing.put(name, name, (size[0], size[1], size[2]), spots)


def _put_play(placing: OpenPlacing, ground: Floats) -> None:
    import shapely

    inside = shapely.Polygon(ground)
    for name in placing.generator.permutation(_PLAY)[: int(placing.generator.integers(2, 5))]:
        width, depth, height = placing._size(str(name))
        scale = float(placing.generator.uniform(0.88, 1.05))
        size = (
            float(np.round(width * scale, 3)),
            float(np.round(depth * scale, 3)),
            float(np.round(height * scale, 3)),
        )

        def spots() -> Iterator[Spot]:
            for x, y, _ in placing.anywhere(inside):
                yield x, y, float(placing.generator.integers(4)) * np.pi / 2 + float(placing.generator.normal(0, 0.03))

        placing.put(str(name), str(name), size, spots(), gap=0.3)


def _put_trees(placing: OpenPlacing, count: int) -> None:
    generator = placing.generator
    names = [str(name) for name in generator.permutation([*SPECIES, SPRUCE])[: int(generator.integers(2, 5))]]
    for _ in range(count):
        name = names[int(generator.integers(len(names)))]
        height = float(np.round(generator.uniform(3.4, 8.2), 2))
        width = float(np.round(min(height * _CROWNS[name] * generator.uniform(0.85, 1.1), 4.2), 2))

        def spots() -> Iterator[Spot]:
            yield from ((x, y, 0.0) for x, y, _ in placing.anywhere())

        if not placing.put("tree", f"tree:{name}", (width, width, height), spots(), gap=0.2):
            placing.notes.append("no room for 1 more tree")


def _wanted(objects: int, generator: np.random.Generator) -> dict[str, int]:
    """Number of each category that is not there yet."""
    repeated = [str(name) for name in generator.permutation(_REPEATED)]
    single = [str(name) for name in generator.permutation(_SINGLE)]
    wanted = {name: int(generator.integers(2, 6)) for name in repeated[:3]}
    wanted.update(dict.fromkeys(single[:4], 1))
    for name in [*repeated[3:6], *single[4:]]:
        if sum(wanted.values()) < objects:
            wanted[name] = 1
    return wanted


def _spots(placing: OpenPlacing, category: str, size: tuple[float, float, float]) -> Iterator[Spot]:
    """Where such a thing may stand: along the path, or on the lawn."""
    if category in (
        "bench",
        "trash can",
        "lamp post",
        "notice board",
        "drinking fountain",
        "bicycle rack",
        "flower pot",
    ):
        away = {"bench": 1.45, "lamp post": 1.5}.get(category, 1.6)
        yield from placing.beside_lane(away, size[1])
    yield from placing.anywhere()
