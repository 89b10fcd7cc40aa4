"""The waterfall: bars that join, in the lengths of their points."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from tolman.reports.svg_figures import Step, waterfall_svg

SVG = "{http://www.w3.org/2000/svg}"


def spans(svg: str) -> list[tuple[float, float]]:
    """Where bars begin and end, in pixels; the first rectangle is the ground."""
    _, *bars = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [(float(bar.get("x", "")), float(bar.get("x", "")) + float(bar.get("width", ""))) for bar in bars]


def test_a_bar_begins_where_the_one_above_ends() -> None:
    steps = [Step("frames", 10.0), Step("parser", -30.0), Step("unexplained", 5.0)]
    found = spans(waterfall_svg(("A", 60.0), steps, ("B", 45.0), 1))
    (zero, a), (up, top), (low, also_top), (again_low, end), (also_zero, b) = found
    assert (zero, up, also_top, again_low, end) == pytest.approx((also_zero, a, top, low, b))
    lengths = [right - left for left, right in found]
    assert [length / lengths[0] for length in lengths] == pytest.approx([1, 1 / 6, 1 / 2, 1 / 12, 3 / 4], abs=0.01)


@pytest.mark.parametrize(
    ("a", "pieces"),
    [
        (0.0, []),
        (0.0, [("", 0.0)]),
        (50.0, [('<b> & "x"', -70.0), ("up", 130.0)]),
        (33.3, [("prompt or frames or cut off or parser or unexplained" * 3, 0.004), ("a", -33.304)]),
    ],
)
def test_any_pieces_are_drawn_inside_and_with_their_values(a: float, pieces: list[tuple[str, float]]) -> None:
    steps = [Step(name, points) for name, points in pieces]
    svg = waterfall_svg(("A", a), steps, ("B", a + sum(points for _, points in pieces)), 2)
    width = float(ElementTree.fromstring(svg).get("width", ""))
    assert all(0 <= left < right <= width - 40 for left, right in spans(svg))
    shown = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")][1::2]
    assert shown[1:-1] == [f"{step.points:+.2f}".replace("+0.00", "0.00").replace("-", "−") for step in steps]
    _, *bars = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    tops = [float(bar.get("y", "")) for bar in bars]
    assert all(b > a for a, b in pairwise(tops))


def test_nothing_lost_is_grey_and_has_no_sign() -> None:
    _, *bars = ElementTree.fromstring(
        waterfall_svg(("A", 60.0), [Step("up", 4.0), Step("none", -0.04), Step("down", -3.96)], ("B", 60.0), 1)
    ).iter(f"{SVG}rect")
    first, up, none, down, last = (bar.get("fill") for bar in bars)
    assert none == first == last
    assert len({none, up, down}) == 3
    assert [bar[0].text for bar in bars[1:-1]] == ["up: +4.0", "none: 0.0", "down: −4.0"]
