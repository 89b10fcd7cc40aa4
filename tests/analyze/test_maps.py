"""Locality of cognitive maps: the paper's bins, laws, and noise of known size against an independent simulation."""

import itertools
import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given, strategies as st

from simulate.worlds import FURNITURE
from tolman.analyze.maps import Drawn, bin_labels, bin_of, consistency, distance, edges, locality, misfit, pairs
from tolman.benchmarks.published import published_tables
from tolman.cognitive_maps import CognitiveMap, true_map

TABLE_4 = [1, 2.125, 3.25, 4.375, 5.5, 6.625, 7.75, 8.875, 10]
"""The edges that the paper's table prints rounded."""
coordinate = st.floats(0, 10, allow_nan=False)
points = st.tuples(coordinate, coordinate)
maps = st.dictionaries(st.sampled_from("abcdef"), st.lists(points, min_size=1, max_size=3).map(tuple), min_size=2).map(
    lambda places: CognitiveMap(10, places)
)


def test_the_edges_are_those_of_table_4() -> None:
    assert edges(10).tolist() == TABLE_4
    for number, (low, high) in enumerate(itertools.pairwise(TABLE_4)):
        assert bin_of(low) == max(0, number - 1)  # an edge belongs to the bin below it, the first to the first
        assert bin_of(math.nextafter(low, 20)) == number
        assert bin_of((low + high) / 2) == number
        assert bin_of(high) == number
    assert bin_of(math.nextafter(1, 0)) is None
    assert bin_of(math.nextafter(10, 20)) is None
    assert bin_of(math.dist((0, 0), (10, 10))) is None


def test_a_distance_is_that_of_the_nearest_objects_and_may_be_off_by_one() -> None:
    true = CognitiveMap(10, {"a": ((0, 0), (5, 0)), "b": ((9, 0),), "c": ((0, 6),)})
    assert distance(true, "a", "b") == 4
    drawn = CognitiveMap(10, {"a": ((4, 0),), "b": ((9, 0),)})
    found = {pair.categories: pair for pair in pairs([Drawn("s", drawn, true)])}
    assert (found["a", "b"].drawn, found["a", "b"].right) == (5, True)
    assert (found["a", "c"].drawn, found["a", "c"].right) == (None, False)
    result = locality(list(found.values()))
    assert (result.pairs, result.missing, result.above) == (3, 2, 0)
    assert result.accuracy is not None
    assert (result.accuracy.value, result.accuracy.n) == (100, 1)
    off = CognitiveMap(10, {"a": ((3.9, 0),), "b": ((9, 0),)})
    assert not pairs([Drawn("s", off, true)])[0].right


def test_a_scene_that_is_drawn_several_times_does_not_narrow_an_interval() -> None:
    generator = random.Random(0)
    drawn = []
    for scene in range(10):
        places = {name: ((generator.uniform(0, 10), generator.uniform(0, 10)),) for name in "abcd"}
        moved = {name: ((x + generator.gauss(0, 1), y),) for name, ((x, y),) in places.items()}
        drawn.append(Drawn(str(scene), CognitiveMap(10, moved), CognitiveMap(10, places)))
    once, five = locality(pairs(drawn)).accuracy, locality(pairs(drawn * 5)).accuracy
    assert once is not None
    assert five is not None
    assert once.interval is not None
    assert five.interval is not None
    assert (five.interval.low, five.interval.high) == pytest.approx((once.interval.low, once.interval.high))


@given(maps)
def test_the_true_map_is_right_everywhere_and_each_pair_is_counted_once(one: CognitiveMap) -> None:
    found = pairs([Drawn("s", one, one)])
    result = locality(found)
    assert len(found) == math.comb(len(one.places), 2)
    assert all(share is None or share.value == 100 for share in result.bins)
    assert sum(share.n for share in result.bins if share) + result.below + result.above == len(found)


@given(maps, st.floats(0, 6.3), points, st.booleans())
def test_turning_mirroring_and_moving_a_map_changes_no_distance(
    one: CognitiveMap, angle: float, by: tuple[float, float], mirror: bool
) -> None:
    def moved(p: tuple[float, float]) -> tuple[float, float]:
        x, y = (-p[0] if mirror else p[0]), p[1]
        return (x * math.cos(angle) - y * math.sin(angle) + by[0], x * math.sin(angle) + y * math.cos(angle) + by[1])

    other = CognitiveMap(10, {name: tuple(moved(p) for p in places) for name, places in one.places.items()})
    assert all(pair.drawn == pytest.approx(pair.true, abs=1e-9) for pair in pairs([Drawn("s", other, one)]))
    flat = np.array([p for places in one.places.values() for p in places])
    if len(flat) > 2:
        turned = np.array([moved((x, y)) for x, y in flat])
        assert misfit(3 * turned, flat) == pytest.approx(0, abs=1e-6)


def test_independent_errors_are_as_large_near_as_far_and_moved_parts_are_not() -> None:
    generator = np.random.default_rng(0)
    noisy, parts = [], []
    for scene in range(200):
        true = generator.uniform(0, 10, (16, 2))
        names = [f"c{i}" for i in range(16)]
        drawn = true + generator.normal(0, 0.05, true.shape)
        # Four corners, each right in itself and turned about its own middle.
        corners = np.array([[2, 2], [2, 8], [8, 2], [8, 8]]).repeat(4, axis=0)
        grouped = corners + generator.uniform(-1, 1, true.shape)
        turn = generator.uniform(0, 2 * np.pi, 4).repeat(4)
        d = grouped - corners
        turned = corners + np.c_[d[:, 0] * np.cos(turn) - d[:, 1] * np.sin(turn), d[:, 0] * np.sin(turn) + d[:, 1] * np.cos(turn)]  # fmt: skip

        def as_map(at: np.ndarray, names: list[str] = names) -> CognitiveMap:
            return CognitiveMap(10, {n: ((float(x), float(y)),) for n, (x, y) in zip(names, at, strict=True)})

        noisy.append(Drawn(str(scene), as_map(drawn), as_map(true)))
        parts.append(Drawn(str(scene), as_map(turned), as_map(grouped)))
    even, uneven = consistency(noisy), consistency(parts)
    assert even is not None
    assert uneven is not None
    assert even.maps == 200
    assert even.whole == pytest.approx(0.05, rel=0.03)
    assert even.local == pytest.approx(0.05, rel=0.05)
    assert uneven.whole > 3 * uneven.local
    assert consistency([Drawn("s", as_map(true[:4], names[:4]), as_map(true[:4], names[:4]))]) is None


SIGMA, OURS, THEIRS = 0.7, 12, 40


def by_hand(places: dict[str, list[tuple[float, float]]], generator: random.Random) -> list[tuple[int, int]]:
    """Another program for one noisy map: right and all of each bin, in plain Python, from the paper's sentences."""
    noisy = {
        name: [(x + generator.gauss(0, SIGMA), y + generator.gauss(0, SIGMA)) for x, y in at]
        for name, at in places.items()
    }
    counts = [[0, 0] for _ in range(8)]
    names = sorted(places)
    for i, one in enumerate(names):
        for other in names[:i]:

            def nearest(at: dict[str, list[tuple[float, float]]], one: str = one, other: str = other) -> float:
                return min(((px - qx) ** 2 + (py - qy) ** 2) ** 0.5 for px, py in at[one] for qx, qy in at[other])

            true, drawn = nearest(places), nearest(noisy)
            for k in range(8):
                low, high = 1 + 9 / 8 * k, 1 + 9 / 8 * (k + 1)
                if low < true <= high or (k == 0 and true == 1):
                    counts[k][0] += abs(drawn - true) <= 1
                    counts[k][1] += 1
    return [(right, total) for right, total in counts]


def test_noise_of_known_size_gives_the_locality_of_an_independent_simulation() -> None:
    pytest.importorskip("trimesh", reason="furniture needs the extra 'worlds'")
    from tolman.simulate.furniture import Library
    from tolman.simulate.interior import draw_plan, scene_of

    library = Library(FURNITURE)
    scenes = [
        scene_of(draw_plan(f"s/{i}", ("rectangle", "l-shape", "two-rooms")[i % 3], f"maps {i}", library))
        for i in range(6)
    ]
    true = [true_map(scene) for scene in scenes]
    generator = np.random.default_rng(5)

    def noisy(one: CognitiveMap) -> CognitiveMap:
        return CognitiveMap(10, {
            name: tuple((x + generator.normal(0, SIGMA), y + generator.normal(0, SIGMA)) for x, y in at)
            for name, at in one.places.items()
        })  # fmt: skip

    drawn = [Drawn(scene.id, noisy(one), one) for _ in range(OURS) for scene, one in zip(scenes, true, strict=True)]
    found = locality(pairs(drawn))
    other = random.Random(77)
    shares: list[list[float]] = [[] for _ in range(8)]
    for _ in range(THEIRS):
        rounds = [by_hand({n: list(at) for n, at in one.places.items()}, other) for one in true]
        for k in range(8):
            total = sum(counts[k][1] for counts in rounds)
            share = found.bins[k]
            assert share is not None
            assert share.n == OURS * total  # the same pairs fall into the same bins
            shares[k].append(100 * sum(counts[k][0] for counts in rounds) / total)
    for k, share in enumerate(found.bins):
        assert share is not None
        error = statistics.stdev(shares[k]) * math.sqrt(1 / OURS + 1 / THEIRS)
        assert abs(share.value - statistics.mean(shares[k])) <= 3 * error, k
        assert 40 < share.value < 95  # noise of this size is neither harmless nor ruin


def test_bins_are_labelled_as_the_paper_prints_them() -> None:
    (table,) = [one for one in published_tables("maps") if one.source == "Table 4"]
    assert bin_labels([float(edge) for edge in edges(10)]) == list(table.columns)
