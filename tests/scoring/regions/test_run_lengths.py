"""Run lengths of masks: laws, COCO's short form, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tolman.scoring.picture_shapes import decode, encode, lengthened, shortened

MASKS = hnp.arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9)))


@given(MASKS)
@settings(max_examples=60)
def test_a_mask_comes_back_from_its_runs_and_from_their_short_form(mask: np.ndarray) -> None:
    counts = encode(mask)
    assert sum(counts) == mask.size
    assert sum(counts[1::2]) == mask.sum()
    assert (decode(counts, mask.shape) == mask).all()
    assert lengthened(shortened(counts)) == counts


@given(st.lists(st.integers(0, 10**6), max_size=12))
@settings(max_examples=60)
def test_the_short_form_holds_any_counts(counts: list[int]) -> None:
    assert lengthened(shortened(counts)) == counts


def test_runs_go_down_the_columns_and_begin_outside() -> None:
    mask = np.array([[1, 0, 0], [1, 1, 0]], dtype=bool)
    assert encode(mask) == [0, 2, 1, 1, 2]
    assert encode(~mask) == [2, 1, 1, 2]
    # by hand, after rleToString
    assert (shortened([0, 2, 1, 1, 2]), shortened([2, 1, 1, 2])) == ("021O1", "2111")


@pytest.mark.parametrize(
    ("counts", "size", "wrong"),
    [
        ([2, 1], (2, 2), "add up to 3, its size has 4 pixels"),
        ([2, -1, 3], (2, 2), "no whole|not whole numbers from 0"),
        ([True, 3], (2, 2), "not whole numbers from 0"),
        ([4], (2, 0), "not \\[height, width\\]"),
        ([10**12], (10**6, 10**6), "1,000,000,000,000 pixels; 134,217,728 are the most"),
    ],
)
def test_runs_of_another_picture_are_refused(counts: list[int], size: tuple[int, int], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        decode(counts, size)


@pytest.mark.parametrize(("text", "wrong"), [("é", "no run lengths"), ("o" * 40, "no run lengths"), ("o", "break off")])
def test_what_is_no_short_form_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        lengthened(text)
