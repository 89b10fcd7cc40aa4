"""Dots with their intervals: an SVG element that any XML reader takes, with everything in its place."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

from hypothesis import given, strategies as st

from tolman.reports.charts.theme import LIGHT, following
from tolman.reports.svg_figures import LINE, WIDTH, Dots, dots_svg
from tolman.scoring.intervals import Interval

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


def circles(svg: str) -> list[tuple[float, float]]:
    """Places of dots, those of the legend last."""
    return [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in ElementTree.fromstring(svg).iter(f"{SVG}circle")]


def test_values_rise_to_the_right_and_lines_go_down() -> None:
    one = Dots("one", [(0, 10.0, None), (1, 60.0, Interval(50, 70)), (2, 90.0, None)])
    places = circles(dots_svg(["a", "b", "c"], [one], "score"))[:3]
    assert places == sorted(places)
    steps = [round(b[1] - a[1], 3) for a, b in pairwise(places)]
    assert steps == [LINE, LINE]
    # The axis goes from 0 to 100, so that equal differences are equal lengths.
    assert abs((places[1][0] - places[0][0]) / 50 - (places[2][0] - places[1][0]) / 30) < 0.01


def test_differences_lie_around_a_marked_zero() -> None:
    one = Dots("A − B", [(0, -3.0, Interval(-4, -2)), (1, 0.0, None), (2, 7.5, Interval(6, 9))])
    svg = dots_svg(["a", "b", "c"], [one], "difference", around_zero=True)
    left, middle, right = (x for x, _ in circles(svg)[:3])
    assert abs((right - middle) / 7.5 - (middle - left) / 3) < 0.1
    (zero,) = (line for line in ElementTree.fromstring(svg).iter(f"{SVG}line") if line.get("stroke") == LIGHT.ink)
    assert abs(float(zero.get("x1", "")) - middle) < 0.1
    ticks = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text") if text.get("fill") == LIGHT.faint]
    assert ticks == ["-4", "-2", "0", "2", "4", "6", "8", "10"]
    assert dots_svg(["a"], [Dots("A − B", [(0, 0.0, None)])], "difference", around_zero=True).count("<line") == 3


def test_an_interval_reaches_from_its_low_to_its_high_end() -> None:
    svg = dots_svg(["a"], [Dots("one", [(0, 50.0, Interval(40, 60))])], "score")
    (x, _), _ = circles(svg)
    whisker = next(p.get("d", "") for p in ElementTree.fromstring(svg).iter(f"{SVG}path") if "H" in p.get("d", ""))
    low, high = float(whisker[1:].split()[0]), float(whisker.rpartition("H")[2])
    assert low < x < high
    assert abs((low + high) / 2 - x) < 0.2


def test_runs_of_one_line_stand_apart_and_grey_marks_behind_them() -> None:
    series = [Dots("chance", [(0, 25.0, None)], "bar"), *(Dots(f"run {i}", [(0, 50.0, None)]) for i in range(3))]
    svg = dots_svg(["a"], series, "score")
    heights = {y for _, y in circles(svg)[:3]}
    assert len(heights) == 3
    assert svg.index("chance: 25.0") < svg.index("run 0: 50.0")


def test_values_below_0_and_above_100_widen_the_axis() -> None:
    svg = dots_svg(["a"], [Dots("one", [(0, -13.0, None), (0, 104.0, None)])], "score")
    told = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"-20", "0", "100", "120"} <= set(told)


@given(st.lists(TEXTS, max_size=12), st.lists(TEXTS, max_size=9))
def test_hostile_names_stay_text_and_all_stays_inside(labels: list[str], names: list[str]) -> None:
    series = [Dots(name, [(line, 50.0, None) for line in range(len(labels))]) for name in names]
    svg = dots_svg(labels, series, "score")
    root = ElementTree.fromstring(svg)
    assert {element.tag for element in root.iter()} <= {
        SVG + name for name in ("svg", "style", "rect", "line", "text", "path", "circle", "title")
    }
    assert [style.text for style in root.iter(f"{SVG}style")] == [following()]
    assert all(0 <= x <= WIDTH and 0 <= y <= float(root.get("height", "0")) for x, y in circles(svg) or [(0, 0)])


def test_the_same_content_is_the_same_bytes() -> None:
    series = [Dots("one", [(0, 1 / 3, Interval(0.1, 0.5))])]
    assert dots_svg(["a"], series, "score") == dots_svg(["a"], series, "score")
