"""Shares of strata."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.errors import UsageError
from tolman.generate.sampling import quotas, unbiased


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


CHOICES = st.lists(st.lists(st.sampled_from("abcdefg"), min_size=4, max_size=4, unique=True), min_size=1, max_size=60)


@given(CHOICES, st.floats(0, 0.5))
def test_no_name_is_right_more_often_than_chance_has_it(choices: list[list[str]], tolerance: float) -> None:
    things = list(enumerate(tuple(options) for options in choices))
    kept = unbiased(things, lambda t: t[1][0], lambda t: t[1], lambda t: [], tolerance, "seed")
    assert kept == [thing for thing in things if thing in kept]
    for name in "abcdefg":
        chance = sum(name in options for _, options in kept) / 4
        right = sum(name == options[0] for _, options in kept)
        assert right - chance <= max(1.0, tolerance * chance) + 1e-6


def test_what_is_fair_already_stays_whole() -> None:
    things = [tuple("abcd"[i:] + "abcd"[:i]) for i in range(4)] * 5
    assert unbiased(things, lambda t: t[0], lambda t: t, lambda t: [], 0.0, "seed") == things
