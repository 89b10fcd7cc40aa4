"""The figures of `tolman analyze maps`: accuracy by distance, and drawn maps beside the true ones in one page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from tolman.analyze.maps import Drawn, ItemMap, Locality
from tolman.reports.figures import svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE = (
    "body{font-family:sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222}"
    "figure{margin:2em 0}figcaption{margin-bottom:.5em}svg{max-width:100%;height:auto}"
)


def page(figure: str, shown: Sequence[ItemMap]) -> str:
    """One self-contained page: the figure, then the maps."""
    parts = ["<h1>Cognitive maps</h1>", f"<figure>{figure}</figure>"]
    for one in shown:
        said = f"<br><small>{escape('; '.join(one.problems))}</small>" if one.problems else ""
        others = f" (and {one.questions - 1:,} more of {escape(one.drawn.scene)})" if one.questions > 1 else ""
        caption = f"<b>{escape(one.run)}</b>, item {escape(one.item)}: {escape(one.question)}{others}{said}"
        parts.append(f"<figure><figcaption>{caption}</figcaption>{beside(one.drawn)}</figure>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Cognitive maps</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def beside(one: Drawn) -> str:
    """The drawn map beside the true one, as one SVG element."""
    names = list(one.true.places)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        for axes, title, places in ((left, "drawn", one.drawn.places), (right, "true", one.true.places)):
            _map(axes, title, one.true.grid, places, names)

    return svg((9, 4.6), draw)


def _map(
    axes: Axes, title: str, grid: int, places: Mapping[str, Sequence[tuple[float, float]]], names: Sequence[str]
) -> None:
    for number, name in enumerate(names):
        for x, y in places.get(name, ()):
            colour = f"C{number % 10}"
            axes.scatter([x], [y], color=colour, s=36, zorder=2)
            axes.annotate(
                name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=8, color=colour, parse_math=False
            )
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlim(-0.2, grid + 0.2)
    axes.set_ylim(-0.2, grid + 0.2)
    axes.set_aspect("equal")
    axes.set_xticks(range(0, grid + 1, max(1, grid // 10)))
    axes.set_yticks(range(0, grid + 1, max(1, grid // 10)))
    axes.grid(color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8)


def locality_svg(found: Mapping[str, Locality]) -> str:
    """Accuracy by true distance, a line for each run, with 95 % intervals; one SVG element."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for run, one in found.items():
            middles = [(low + high) / 2 for low, high in zip(one.edges, one.edges[1:], strict=False)]
            points = [(x, share) for x, share in zip(middles, one.bins, strict=True) if share is not None]
            values = [share.value for _, share in points]
            reach = [
                [max(0.0, s.value - s.interval.low) if s.interval else math.nan for _, s in points],
                [max(0.0, s.interval.high - s.value) if s.interval else math.nan for _, s in points],
            ]
            axes.errorbar([x for x, _ in points], values, yerr=reach, marker="o", markersize=5, capsize=2.5, label=run)
        axes.set_xlabel("true distance, in grid units")
        axes.set_ylabel("% of distances at most one unit off")
        axes.set_ylim(-2, 102)
        axes.grid(axis="y", color="#e5e5e5")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if found:
            figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    return svg((9, 4), draw)
