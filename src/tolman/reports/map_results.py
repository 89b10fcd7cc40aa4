"""Cognitive maps as `tolman analyze maps` shows them: distances by length, unusable maps, and a page of figures.

The page shows the accuracy by distance, and drawn maps next to the true ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from tolman.analyze.maps import Consistency, Drawn, ItemMap, Locality, MapsResult, RunMaps
from tolman.reports.analysis_results import Shown, format_interval, format_share, list_written, missing_intervals, table
from tolman.reports.svg_figures import svg
from tolman.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def show_maps(result: MapsResult) -> list[Shown]:
    """Make the output: accuracy by true distance, and sentences for each run."""
    first = next(iter(result.localities.values()))
    headings = ["true distance", *(f"{a:g}–{b:g}" for a, b in zip(first.edges, first.edges[1:], strict=False))]
    body = []
    for name, one in result.localities.items():
        body.append([name, *("–" if share is None else f"{share.value:.1f}" for share in one.bins)])
        if any(share and share.interval for share in one.bins):
            body.append(["  95 % interval", *(format_interval(share.interval) if share else "–" for share in one.bins)])
        body.append(["  pairs", *(f"{share.n:,}" if share else "0" for share in one.bins)])
    for table_of in result.published:
        body += [[f"{name}, published", *(f"{100 * v:.1f}" for v in row)] for name, row in table_of.rows.items()]
    title = f"% of distances at most one unit off, grid {result.grid}x{result.grid}"
    shown: list[Shown] = [table(headings, body, title=title)]
    shown += missing_intervals(share.reason for one in result.localities.values() for share in one.bins if share)
    shown += [f"published: {one.place}, on that benchmark's videos." for one in result.published]
    for name, own in result.maps.items():
        shown += (f"{name}: {text}" for text in _said(own, result.localities[name], result.consistencies[name]))
    return [*shown, *list_written(result.written, drawn=True)]


def _said(own: RunMaps, found: Locality, fit: Consistency | None) -> list[str]:
    middle = found.edges[len(found.edges) // 2]
    drawn = f"{len(own.maps):,} maps, drawn for {sum(one.questions for one in own.maps):,} answers"
    said = [
        f"{drawn}; all distances {format_share(found.accuracy)}.",
        f"up to {middle:g} {format_share(found.near)}, above {format_share(found.far)}.",
    ]
    if fit is not None:
        off = f"{fit.local:.2f} units within neighbourhoods and {fit.whole:.2f} over whole maps"
        said.append(f"places off by {off} ({fit.maps:,} maps).")
    left_out = {
        "unreadable maps": own.unread,
        "pairs with a category that was not drawn": found.missing,
        f"pairs nearer than {found.edges[0]:g} (in no bin)": found.below,
        f"pairs farther than {found.edges[-1]:g} (in no bin)": found.above,
        "categories that the scene doesn't have": sum(own.strange.values()),
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    return [*said, f"{counts}."] if counts else said


_STYLE = (
    "body{font-family:sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:#222}"
    "figure{margin:2em 0}figcaption{margin-bottom:.5em}svg{max-width:100%;height:auto}"
)


def page(figure: str, shown: Sequence[ItemMap]) -> str:
    """One self-contained page: the figure, then the maps."""
    parts = ["<h1>Cognitive maps</h1>", f"<figure>{figure}</figure>"]
    for one in shown:
        said = f"<br><small>{escape(visible('; '.join(one.problems)))}</small>" if one.problems else ""
        others = f" (and {one.questions - 1:,} more of {escape(one.drawn.scene)})" if one.questions > 1 else ""
        caption = (
            f"<b>{escape(one.run)}</b>, item {escape(visible(one.item))}: {escape(visible(one.question))}{others}{said}"
        )
        parts.append(f"<figure><figcaption>{caption}</figcaption>{beside(one.drawn)}</figure>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Cognitive maps</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def beside(one: Drawn) -> str:
    """Draw the model's map next to the true one, as one SVG element."""
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
