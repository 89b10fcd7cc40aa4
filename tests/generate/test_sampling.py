"""Shares of strata."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.errors import UsageError
from tolman.generate.share_sampling import draws, quotas, spread


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=80), st.data())
def test_quotas_add_up_and_are_near_each_share(strata: list[str], data: st.DataObject) -> None:
    counts = Counter(strata)
    size = data.draw(st.integers(len(counts), len(strata)))
    found = quotas(strata, size)
    assert sum(found.values()) == size
    assert all(1 <= found[key] <= counts[key] for key in counts)
    # A stratum that is lifted to one item takes it from others, at most one for each that is lifted.
    assert all(abs(found[key] - size * counts[key] / len(strata)) < len(counts) for key in counts)


def test_quotas_are_largest_remainders() -> None:
    assert quotas("aaaaabbbcc", 5) == {"a": 3, "b": 1, "c": 1}
    assert quotas("aaaaabbbcc", 10) == {"a": 5, "b": 3, "c": 2}
    with pytest.raises(UsageError, match="3 at least"):
        quotas("aabc", 2)


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
