"""Places as JSON: forms, scales, and one sentence for each thing that is wrong."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tolman.items import Item
from tolman.scoring.picture_places import (
    Place,
    asked_scale,
    distances,
    inside,
    overlaps,
    read_place,
    told_scale,
    write_boxes,
    write_points,
)
from tolman.scoring.picture_shapes import Box, Mask

SHARE = st.integers(0, 1000).map(lambda n: n / 1000)
MASK = '{"mask": {"size": [2, 3], "counts": [0, 2, 1, 1, 2]}}'


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=5), st.sampled_from([(1.0, 1.0), (1000.0, 1000.0), None]))
@settings(max_examples=60)
def test_points_come_back_from_their_json(points: list[tuple[float, float]], size: tuple[float, float] | None) -> None:
    place = read_place(write_points(points, size))
    assert place.points == tuple(points)
    assert (place.in_pixels, place.size) == ((True, (1.0, 1.0)) if size is None else (False, size))


@given(SHARE, SHARE, st.sampled_from([(640.0, 480.0), (1000.0, 1000.0), (100.0, 100.0), (3.0, 7.0)]))
@settings(max_examples=60)
def test_a_point_stays_where_it_is_on_any_scale(x: float, y: float, size: tuple[float, float]) -> None:
    place = Place(points=((x, y),))
    there = place.on(size)
    assert there.points[0] == pytest.approx((x * size[0], y * size[1]))
    assert there.on((1.0, 1.0)).points[0] == pytest.approx((x, y))
    assert distances(place, there) == [pytest.approx(0.0, abs=1e-9)]


def test_every_form_is_read() -> None:
    assert read_place('{"size": [640, 480], "box": [1, 2, 3, 4]}').boxes == (Box(1, 2, 3, 4),)
    assert len(read_place('{"boxes": [[0, 0, 0.5, 1], [0, 0, 1, 1]]}').boxes) == 2
    assert read_place('{"polygon": [[0, 0], [1, 0], [1, 1]]}').is_relative
    mask = read_place(MASK)
    assert (mask.region, mask.size) == (Mask(2, 3, (0, 2, 1, 1, 2)), (3.0, 2.0))
    assert read_place('{"mask": {"size": [2, 3], "counts": "021O1"}, "size": [3, 2]}') == mask
    assert read_place('{"points": [[1, 2]], "in": "pixels"}').in_pixels
    assert write_boxes([Box(0, 0, 1, 1)], None) == '{"box": [0, 0, 1, 1], "in": "pixels"}'


REFUSED = [
    json.loads(line) for line in Path(__file__).with_name("no_places.jsonl").read_text(encoding="utf-8").splitlines()
]
LONG = {
    "[" * 100_000: "is no JSON object",
    f'{{"points": [{", ".join(["[0, 0]"] * 20_001)}]}}': "20,001 points; 20,000 are the most",
}


@pytest.mark.parametrize(("text", "wrong"), [*((row["text"], row["wrong"]) for row in REFUSED), *LONG.items()])
def test_what_is_no_place_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_place(text)


def test_a_region_stands_for_its_points() -> None:
    truth = read_place('{"size": [100, 100], "box": [0, 0, 50, 100]}')
    assert inside(truth, read_place('{"box": [0.25, 0, 0.75, 1]}')) == [0.5]
    half = read_place('{"size": [100, 100], "polygon": [[0, 0], [100, 0], [0, 100]]}')
    assert inside(half, read_place('{"box": [0, 0, 1, 1]}'))[0] == pytest.approx(0.5, abs=0.01)
    assert inside(half, half) == [1.0]
    mask = read_place(MASK)
    assert inside(mask, read_place('{"box": [0, 0, 1, 1]}')) == [0.5]
    assert inside(mask, read_place('{"size": [3, 2], "boxes": [[0, 0, 1, 2], [-1, 0, 1, 2], [0.1, 0.1, 0.2, 0.2]]}')) == [
        1.0, 0.5, 1.0
    ]  # fmt: skip
    assert inside(mask, read_place('{"points": [[0, 0], [1, 1], [0.4, 0.9], [0.4, 0.1]]}')) == [1.0, 0.0, 1.0, 0.0]


def test_points_near_right_points_have_one_partner_each() -> None:
    truth = read_place('{"size": [100, 100], "points": [[10, 10], [50, 50]], "within": 5}')
    assert inside(truth, read_place('{"size": [100, 100], "points": [[12, 10], [13, 10], [90, 90]]}')) == [1, 0, 0]
    assert inside(truth, read_place('{"points": [[0.5, 0.5], [0.1, 0.1]]}')) == [1, 1]
    assert distances(truth, read_place('{"points": [[0.5, 0.6]]}')) == [pytest.approx(10 / 20000**0.5)]


def test_boxes_are_put_together_one_to_one() -> None:
    truth = read_place('{"boxes": [[0, 0, 0.5, 1], [0.5, 0, 1, 1]]}')
    assert overlaps(truth, read_place('{"boxes": [[0.5, 0, 1, 1], [0, 0, 0.5, 1]]}')) == [1.0, 1.0]
    assert overlaps(truth, read_place('{"box": [0, 0, 0.5, 1]}')) == [1.0, 0.0]
    one = read_place('{"box": [0, 0, 0.5, 1]}')
    assert overlaps(one, read_place('{"boxes": [[0, 0, 0.5, 1], [0, 0, 1, 1]]}')) == [1.0, 0.0]


def asking(question: str = "Where is it?", **labels: str) -> Item:
    """An item that asks for coordinates."""
    return Item(id="1", question=question, kind="points", answer='{"points": [[0, 0]]}', task="t", labels=labels)


@pytest.mark.parametrize(
    ("question", "name", "y_first"),
    [
        ("Where is it?", "", False),
        ("The coordinates should be between 0 and 1, indicating the normalized pixel locations", "0-1", False),
        ("… normalized to a 0-1000 scale, with the top-left corner as the origin", "0-1000", False),
        ("Give [y, x] from 0 to 1000", "0-1000", True),
        ("integers between 0 and 999", "0-999", False),
        ("x and y in pixels of the picture", "pixels", False),
        ("from 0 to 100 per cent, as (y, x)", "0-100", True),
        ("There are 10 to 100 cups", "", False),
    ],
)
def test_the_question_says_the_scale(question: str, name: str, y_first: bool) -> None:
    scale = asked_scale(asking(question))
    assert (scale.name, scale.y_first) == (name, y_first)


def test_the_label_stands_before_the_question() -> None:
    assert asked_scale(asking("between 0 and 1", coordinates="0-1000 yx")).name == "0-1000"
    with pytest.raises(ValueError, match="the label 'coordinates' is '0-1000 zx'; give 0-1, 0-100"):
        asking(coordinates="0-1000 zx")
    with pytest.raises(ValueError, match="the label 'coordinates' asks for pixels, and the answer doesn't"):
        asking(coordinates="pixels")


@pytest.mark.parametrize(
    ("numbers", "asked", "told"),
    [
        ([(0.5, True), (1.0, False)], "", "0-1"),
        ([(1.0, False), (1.0, False)], "", "0-1000"),
        ([(500.0, False), (20.0, False)], "", "0-1000"),
        ([(1200.0, False), (20.0, False)], "", "pixels"),
        ([(500.0, False), (20.0, False)], "0-1", ""),
        ([(1.0, False), (0.0, False)], "0-1", "0-1"),
        ([(0.5, True), (0.2, True)], "0-1000", "0-1"),
        ([(1200.0, False), (20.0, False)], "0-1000", ""),
        ([(1200.0, False), (20.0, False)], "pixels", "pixels"),
        ([(0.25, True), (0.5, True)], "pixels", "0-1"),
    ],
)
def test_coordinates_tell_their_scale_only_as_far_as_it_is_certain(
    numbers: list[tuple[float, bool]], asked: str, told: str
) -> None:
    assert told_scale(numbers, asked) == told
