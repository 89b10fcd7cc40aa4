"""The data of a chart, and texts that stand in pictures."""

import pytest

from tolman.reports.charts.bar_forms import STACKED_FORM
from tolman.reports.charts.chart import SCHEMA, Chart, frame, plain, rendered, shortened
from tolman.reports.charts.point_forms import DRAWN, PLANES_FORM, TRUE
from tolman.reports.charts.theme import DARK, LIGHT, following


def test_csv_has_the_columns_that_are_filled() -> None:
    made = Chart(frame([{"series": "a, b", "role": "run", "label": "x", "value": 1.5}]), "title")
    assert made.to_csv() == 'series,role,label,value\n"a, b",run,x,1.5\n'
    assert made.data.schema == SCHEMA


def test_names_are_one_line_without_control_characters() -> None:
    assert plain("a\x00b\n\tc\u202e") == "a b c"
    assert len(plain("x" * 500)) == 60
    found = shortened(["y" * 100 + "1", "y" * 100 + "2"])
    assert len(set(found.values())) == 2


def test_every_colour_means_one_thing_and_has_its_like_in_the_dark() -> None:
    """An SVG follows its reader by exchanging colours; two uses of one colour would be exchanged alike."""
    names = ("ink", "faint", "grid", "ground", "behind", "light", "dark")
    light = [getattr(LIGHT, name) for name in names] + list(LIGHT.series)
    assert len(set(light)) == len(light)
    dark = [getattr(DARK, name) for name in names] + list(DARK.series)
    assert not set(light) & set(dark)  # else a colour that was exchanged would be exchanged again
    rules = following()
    assert all(f"fill: {colour}" in rules and f"stroke: {colour}" in rules for colour in light)
    assert rules.startswith("@media screen and (prefers-color-scheme:dark)")


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_letters_can_be_read_on_their_ground() -> None:
    for theme in (LIGHT, DARK):
        assert contrast(theme.ink, theme.ground) >= 7
        assert contrast(theme.faint, theme.ground) >= 4.5
        for number in range(len(theme.series)):
            assert contrast(theme.of(number), theme.ground) >= 2.1
            assert contrast(theme.on(number), theme.of(number)) >= 4.5


def test_each_panel_of_stacked_bars_has_its_own_counts_and_its_whole_title() -> None:
    pytest.importorskip("matplotlib")
    title = "scripted/model.jsonl (explanation), labels of openai/judge, without human labels"
    rows = [
        {"panel": panel, "series": "right", "role": "run", "label": "all", "value": 100.0, "n": n}
        for panel, n in ((title, 4), ("short", 7))
    ]
    drawn = rendered(Chart(frame(rows), "Errors"), STACKED_FORM)
    assert "all (4)" in drawn
    assert "all (7)" in drawn
    assert all(word in drawn for word in title.split())


def test_a_line_between_two_maps_is_explained_where_one_is_drawn() -> None:
    pytest.importorskip("matplotlib")

    def drawn(panels: tuple[str, str]) -> str:
        rows = [
            {"panel": panel, "series": series, "role": "run", "label": "sofa", "x": 1.0, "value": 2.0}
            for panel, series in zip(panels, (TRUE, DRAWN), strict=True)
        ]
        return rendered(Chart(frame(rows), "Maps"), PLANES_FORM)

    assert "from one to the other" in drawn(("one", "one"))
    assert "from one to the other" not in drawn(("true", "drawn"))
