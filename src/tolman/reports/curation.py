"""The statistics of a curated pool as a figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tolman.reports.figures import svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

DRAWN = ("category", "scale", "factor", "information", "change", "source", "options", "media")
"""Labels whose shares are drawn."""


def statistics_svg(statistics: Mapping[str, Any]) -> str:
    """Bars of before and after for each label, as shares of their pools."""
    before, after = statistics["before"], statistics["after"]
    labels = [label for label in DRAWN if label in before and label in after]
    rows = [max(len(before[label]), len(after[label])) for label in labels]

    def draw(figure: Drawing) -> None:
        grid = figure.subplots(len(labels), 1, height_ratios=[n + 1.5 for n in rows], squeeze=False)
        for axes, label in zip(grid[:, 0], labels, strict=True):
            values = list(dict.fromkeys([*after[label], *before[label]]))
            for offset, (when, pool, colour) in enumerate((("before", before, "#b5b5b5"), ("after", after, "#2a6f97"))):
                name = f"{when}, n = {pool['candidates']:,}"
                shares = [100 * pool[label].get(value, 0) / max(1, pool["candidates"]) for value in values]
                axes.barh(
                    [-i - 0.4 * offset for i in range(len(values))], shares, height=0.38, color=colour, label=name
                )
            axes.set_yticks([-i - 0.2 for i in range(len(values))], values)
            axes.set_title(label, loc="left", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
        grid[-1, 0].set_xlabel("share of the pool, %")
        handles, names = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    return svg((8, 0.33 * sum(rows) + 0.75 * len(labels) + 0.6), draw)
