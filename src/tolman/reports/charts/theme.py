"""Themes: the colours of figures in light and dark, distinct for any colour vision and in a print without colour.

The colours of series are those of Okabe and Ito (2008), "Color Universal Design", but for yellow, which white paper
swallows. Markers and hatches separate series where no colour does. Every colour of the light theme is used for one
thing, so that an SVG can follow its reader's preference: `following` adds a rule for each that turns it into the dark
theme's.
"""

from __future__ import annotations

from dataclasses import dataclass

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "////", "\\\\\\\\", "----", "xxxx", "||||", "++++", "//")


@dataclass(frozen=True)
class Theme:
    """Colours of a figure, as #rrggbb.

    Attributes:
        ink: letters and axes.
        faint: letters that matter less.
        grid: lines behind the marks.
        ground: the background.
        behind: marks behind those of runs: rows of papers, baselines, people.
        light, dark: letters on a dark and on a light colour.
        series: of the series, in turn.
    """

    ink: str
    faint: str
    grid: str
    ground: str
    behind: str
    light: str
    dark: str
    series: tuple[str, ...]

    def of(self, number: int) -> str:
        """The colour of the series with that number, from 0."""
        return self.series[number % len(self.series)]

    def on(self, number: int) -> str:
        """The colour of letters on that of a series."""
        below = luminance(self.of(number)) + 0.05
        lighter, darker = (luminance(self.light) + 0.05) / below, below / (luminance(self.dark) + 0.05)
        return self.light if lighter > darker else self.dark


def luminance(colour: str) -> float:
    """Relative luminance of a colour, 0–1 (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


LIGHT = Theme(
    ink="#1b1f24",
    faint="#59636e",
    grid="#e2e5e9",
    ground="#ffffff",
    behind="#868f99",
    light="#fefefe",
    dark="#0f1215",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#8c6d1f"),
)
DARK = Theme(
    ink="#e8ebee",
    faint="#a5aeb7",
    grid="#343b43",
    ground="#15191e",
    behind="#8a939d",
    light="#101316",
    dark="#0e1114",
    series=("#4ba9e4", "#ff8b42", "#2fc89b", "#e5a3c9", "#f2b632", "#93d3f7", "#c2c2c2", "#cdac5f"),
)


def following(light: Theme = LIGHT, dark: Theme = DARK) -> str:
    """Style rules that turn the light theme's colours into the dark one's where the reader prefers dark on a screen.

    They match the `style` attributes that Matplotlib writes, and attributes of their own that give a colour. Programs
    that know no such rules show the light theme, and so does a print.
    """
    pairs = [
        (getattr(light, name), getattr(dark, name))
        for name in ("ink", "faint", "grid", "ground", "behind", "light", "dark")
    ]
    pairs += zip(light.series, dark.series, strict=True)
    rules = [
        f'[style*="{what}: {before}"]{{{what}:{after}!important}}'
        for before, after in pairs
        for what in ("fill", "stroke")
    ]
    rules += [f'[{what}="{before}"]{{{what}:{after}}}' for before, after in pairs for what in ("fill", "stroke")]
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(rules)}}}"
