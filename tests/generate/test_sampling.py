"""Shares of strata."""

import random
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from tolman.generate.share_sampling import draws, spread

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from([None, 1, 2])), max_size=60)


@given(ROWS, st.integers(0, 70), st.integers(0, 9))
def test_spreading_is_even_at_every_level(rows: list[tuple[str, str, int | None]], most: int, seed: int) -> None:
    drawn = spread(rows, [lambda r: r[0], lambda r: r[1]], most, str(seed))
    assert len(drawn) == min(most, len(rows))
    assert drawn == spread(rows, [lambda r: r[0], lambda r: r[1]], most, str(seed))
    there, taken = Counter(r[0] for r in rows), Counter(r[0] for r in drawn)
    for a in there:  # whoever has fewer than another has given all it has, but for one turn
        for b in there:
            assert taken[a] >= taken[b] - 1 or taken[a] == there[a]
    for a in there:
        inner = Counter(r[1] for r in rows if r[0] == a)
        got = Counter(r[1] for r in drawn if r[0] == a)
        for x in inner:
            for y in inner:
                assert got[x] >= got[y] - 1 or got[x] == inner[x]


@given(ROWS, st.integers(0, 70), st.integers(0, 4))
def test_caps_are_kept_and_nothing_that_they_allow_is_missed(
    rows: list[tuple[str, str, int | None]], most: int, cap: int
) -> None:
    drawn = spread(rows, [lambda r: r[0]], most, "0", [(lambda r: r[2], cap)])
    taken = Counter(r[2] for r in drawn)
    assert all(taken[value] <= cap for value in (1, 2))
    allowed = sum(r[2] is None for r in rows) + sum(min(cap, sum(r[2] == v for r in rows)) for v in (1, 2))
    assert len(drawn) == min(most, allowed)


@pytest.mark.parametrize("count", range(8))
def test_draws_are_those_of_the_standard_library(count: int) -> None:
    for size in range(count, 30):
        things = [f"{number}" for number in range(size)]
        one, other = random.Random(f"{size}"), random.Random(f"{size}")
        assert list(draws(one, things, count, 20)) == [other.sample(things, count) for _ in range(20)]
        assert one.random() == other.random()
