"""Shares of strata."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.errors import UsageError
from tolman.generate.sampling import quotas


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
