"""The figure of `tolman analyze errors`: stacked bars of error types, a panel for each run and source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tolman.analyze.errors import Distribution
from tolman.reports.figures import svg
from tolman.scoring.error_types import CORRECT, ErrorTaxonomy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#4477aa", "#ee6677", "#ccbb44", "#aa3377")
_SOUND = "#d8e8d8"


def distribution_svg(found: Sequence[Distribution], taxonomy: ErrorTaxonomy) -> str:
    """For each run and source a panel with a bar for all tasks and one for each.

    Returns:
        One SVG element.
    """
    panels: dict[tuple[str, str], list[Distribution]] = {}
    for one in found:
        panels.setdefault((one.run, one.source), []).append(one)
    rows = [len(own) for own in panels.values()]

    def draw(figure: Figure) -> None:
        places = figure.subplots(len(panels), 1, squeeze=False, sharex=True, height_ratios=rows)[:, 0]
        for axes, ((run, source), own) in zip(places, panels.items(), strict=True):
            left = [0.0] * len(own)
            for kind, colour in zip(taxonomy.all_types, (*_COLOURS, _SOUND), strict=True):
                widths = [one.types[kind.key].value for one in own]
                axes.barh(range(len(own)), widths, left=left, color=colour, label=kind.title, height=0.7)
                if kind.key == CORRECT:
                    continue
                for i, width in enumerate(widths):
                    if width >= 6:
                        axes.text(left[i] + width / 2, i, f"{width:.0f}", ha="center", va="center", fontsize=8)
                left = [start + width for start, width in zip(left, widths, strict=True)]
            axes.set_yticks(range(len(own)), [f"{one.task or 'all'} ({one.n:,})" for one in own])
            axes.invert_yaxis()
            axes.set_title(f"{run}, judged by {source}", loc="left", fontsize=10)
            axes.set_xlim(0, 100)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        places[-1].set_xlabel("% of labelled responses")
        handles, names = places[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2, frameon=False, fontsize=9)

    return svg((9, 0.38 * sum(rows) + 0.6 * len(panels) + 1.4), draw)
