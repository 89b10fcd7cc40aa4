"""Figures as SVG, PDF and PNG, in a browser that prefers light or dark, and in print."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tolman.errors import UsageError
from tolman.features.figures import FORMS
from tolman.reports.charts.chart import Chart, format_of, frame, render
from tolman.reports.charts.theme import DARK, LIGHT

HOSTILE = "</text><script>alert(1)</script> $\\frac{1}{2}$ & \x00 字"
full = pytest.mark.full


def chart(**settings: Any) -> Chart:
    """Three series at several places, some with intervals, rows of papers, a value below 0, a hostile name."""
    rows: list[dict[str, Any]] = [
        {
            "panel": panel, "series": series, "role": "run", "label": label, "x": float(2**place),
            "value": 40.0 * place - 10, "low": None if place else -20.0, "high": None if place else 5.0, "n": 12,
        }
        for panel in ("first", HOSTILE)
        for series in ("a", HOSTILE, "c")
        for place, label in enumerate(("a", HOSTILE, "c"))
    ]  # fmt: skip
    for role in ("chance", "human", "published"):
        rows += [{"panel": "first", "series": role, "role": role, "label": "a", "value": 30.0}]
    return Chart(frame(rows), f"Title {HOSTILE}", x=HOSTILE, y="score", notes=(HOSTILE * 9,), settings=settings)


def maps() -> Chart:
    rows = [
        {"panel": "room", "series": series, "role": "run", "label": "bed", "x": 2.0 + shift, "value": 3.0}
        for series, shift in (("true", 0.0), ("drawn", 1.0))
    ]
    return Chart(frame(rows), "Maps", settings={"grid": 10})


def drawn(form: str) -> Chart:
    if form == "planes":
        return maps()
    return chart(names=True, fit=True, ring=True, zero=True)


@full
@pytest.mark.parametrize("form", FORMS.names())
def test_every_form_draws_hostile_names_as_text(form: str) -> None:
    once = render(drawn(form), FORMS.get(form))
    assert once == render(drawn(form), FORMS.get(form))  # the same bytes
    root = ElementTree.fromstring(once)
    assert not [one for one in root.iter() if one.tag.endswith("script")]
    assert root.get("role") == "img"
    assert len(once) < 200_000


@full
@pytest.mark.parametrize(("suffix", "head"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_pdf_and_png_are_made(suffix: str, head: bytes) -> None:
    made = render(drawn("bars"), FORMS.get("bars"), suffix, dark=True)
    assert made.startswith(head)
    assert made == render(drawn("bars"), FORMS.get("bars"), suffix, dark=True)


def test_a_suffix_names_the_format() -> None:
    assert format_of(Path("x.PDF")) == "pdf"
    with pytest.raises(UsageError, match=r"\.svg, \.pdf, \.png"):
        format_of(Path("x.gif"))


def colours(page: Any) -> set[str]:
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('svg text')].map(one => getComputedStyle(one).fill)"
    )
    return set(found)


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


@full
def test_an_svg_follows_its_reader_and_is_light_in_print(tmp_path: Path) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    light, dark = ({rgb(theme.ink), rgb(theme.faint), rgb(theme.light), rgb(theme.dark)} for theme in (LIGHT, DARK))
    with sync.sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        for form in FORMS.names():
            file = tmp_path / f"{form}.svg"
            file.write_bytes(render(drawn(form), FORMS.get(form)))
            page.goto(file.as_uri())
            page.emulate_media(color_scheme="light", media="screen")
            assert colours(page) <= light, form
            page.emulate_media(color_scheme="dark")
            assert colours(page) <= dark, form
            page.emulate_media(color_scheme="dark", media="print")
            assert colours(page) <= light, form
        browser.close()
