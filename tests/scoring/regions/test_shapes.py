"""Shapes in pictures: what is inside, distances, and a point inside of any shape."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

from tolman.scoring.picture_shapes import (
    Box,
    Mask,
    Polygon,
    Region,
    decode,
    encode,
    intersection_over_union,
    lengthened,
    shortened,
)

NUMBER = st.integers(0, 400).map(lambda n: n / 4)
L_SHAPE = Polygon(((0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)))


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x, y = draw(NUMBER), draw(NUMBER)
    return Box(x, y, x + draw(NUMBER) + 0.25, y + draw(NUMBER) + 0.25)


@st.composite
def masks(draw: st.DrawFn) -> Mask:
    pixels = draw(hnp.arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 8))).filter(np.any))
    return Mask(*pixels.shape, tuple(encode(pixels)))


@st.composite
def polygons(draw: st.DrawFn) -> Polygon:
    vertices = draw(st.lists(st.tuples(NUMBER, NUMBER), min_size=3, max_size=9, unique=True))
    polygon = Polygon(tuple(vertices))
    return polygon if polygon.area > 1 else Polygon((*vertices[:1], (200.0, 3.0), (150.0, 280.0)))


@given(st.one_of(boxes(), polygons(), masks()))
@settings(max_examples=80)
def test_the_middle_lies_inside_and_has_no_distance(shape: Region) -> None:
    assert shape.contains(np.array([shape.middle]))[0]
    assert shape.distance(shape.middle) == 0.0
    assert shape.bounds.contains(np.array([shape.middle]))[0]


@given(boxes(), st.tuples(NUMBER, NUMBER))
@settings(max_examples=60)
def test_a_box_is_the_polygon_of_its_corners(box: Box, point: tuple[float, float]) -> None:
    corners = Polygon(((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)))
    assert corners.area == pytest.approx(box.area)
    assert corners.distance(point) == pytest.approx(box.distance(point), abs=1e-3)
    assert corners.contains(np.array([point]))[0] == (box.distance(point) == 0)


@given(masks())
@settings(max_examples=60)
def test_a_mask_holds_its_pixels_and_no_others(mask: Mask) -> None:
    from tolman.scoring.picture_shapes import decode

    pixels = decode(mask.counts, (mask.height, mask.width))
    rows, columns = np.indices(pixels.shape)
    centres = np.stack([columns, rows], axis=-1).reshape(-1, 2) + 0.5
    assert (mask.contains(centres) == pixels.ravel()).all()
    assert mask.area == pixels.sum()
    assert [mask.distance(tuple(p)) == 0 for p in centres[:8].tolist()] == pixels.ravel()[:8].tolist()


@given(boxes(), boxes())
@settings(max_examples=60)
def test_overlap_is_symmetric_and_whole_for_the_same_box_only(one: Box, other: Box) -> None:
    share = intersection_over_union(one, other)
    assert share == pytest.approx(intersection_over_union(other, one))
    assert 0 <= share <= 1
    assert intersection_over_union(one, one) == 1.0
    assert share < 1 or one == other


def test_edges_are_inside_and_outside_is_not() -> None:
    points = np.array([(0, 0), (4, 1), (1, 2.5), (0.5, 3.9), (2, 2), (1.01, 1.01), (-0.1, 0), (0, 5)])
    assert L_SHAPE.contains(points).tolist() == [True, True, True, True, False, False, False, False]
    assert L_SHAPE.distance((2, 3)) == pytest.approx(1.0)
    assert L_SHAPE.distance((2, 2)) == pytest.approx(1.0)
    mask = Mask(2, 3, (0, 2, 4))
    assert mask.contains(np.array([(0, 0), (0.99, 2), (1, 1), (3, 2), (-0.01, 0), (3.1, 0)])).tolist() == [
        True, True, False, False, False, False
    ]  # fmt: skip
    assert mask.distance((3, 3)) == pytest.approx(math.hypot(2, 1))
    last = Mask(2, 3, (4, 2))
    assert last.contains(np.array([(3, 2), (2, 0)])).tolist() == [True, True]  # the picture's own edge


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
