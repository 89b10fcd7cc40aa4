"""Locality of cognitive maps: accuracy of distances by the true distance (VSI-Bench, Figure 10 and Table 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.maps import MapsFigureConfig, map_notes, read_maps

if TYPE_CHECKING:
    from tolman.analyze.maps import MapsResult
    from tolman.reports.charts.chart import Chart


def locality_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each run (series) and bin of true distances (label, its middle in x) the per cent of drawn
    distances that are at most one grid unit off.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.figures.inputs import ends

    found = read_maps(config, events)
    rows = []
    for name, one in found.localities.items():
        for low, high, share in zip(one.edges, one.edges[1:], one.bins, strict=False):
            if share is not None:
                rows.append(
                    {
                        "series": name, "role": "run", "label": f"{low:.1f}–{high:.1f}", "x": (low + high) / 2,
                        "value": share.value, **ends(share.interval), "n": share.n,
                    }
                )  # fmt: skip
    for table in found.published:
        for name, values in table.rows.items():
            some = next(iter(found.localities.values()))
            for low, high, value in zip(some.edges, some.edges[1:], values, strict=False):
                rows.append(
                    {
                        "series": name, "role": "published", "label": f"{low:.1f}–{high:.1f}", "x": (low + high) / 2,
                        "value": 100 * value,
                    }
                )  # fmt: skip
    missing = [
        f"{name}: {one.missing:,} of {one.pairs:,} distances are of categories that were not drawn."
        for name, one in found.localities.items()
        if one.missing
    ]
    return Chart(
        frame(rows),
        "Locality of cognitive maps: distances at most one grid unit off",
        x="true distance, grid units",
        y="% of drawn distances",
        notes=(*_intervals(found), *_printed(found), *missing, *map_notes(found, config)),
    )


def _printed(found: MapsResult) -> list[str]:
    """Where the grey lines come from."""
    return [f"Grey: {', '.join(table.rows)}, as printed ({table.place})." for table in found.published]


def _intervals(found: MapsResult) -> list[str]:
    """What the lines are, or why there are none."""
    from tolman.workflows.figures.inputs import CLUSTERED

    shares = [share for one in found.localities.values() for share in one.bins if share is not None]
    if any(share.interval for share in shares):
        return [CLUSTERED]
    return [f"No intervals: {reason}." for reason in dict.fromkeys(share.reason for share in shares) if reason][:1]


FIGURE = FigureKind(
    name="locality",
    title="Locality of cognitive maps: accuracy of drawn distances by the true distance, a line for each run.",
    config=MapsFigureConfig,
    make=locality_chart,
    form="lines",
    columns=("series", "role", "label", "x", "value", "low", "high", "n"),
    examples=("locality runs/my-bench-all/my-model-cognitive-map --scenes scenes",),
)
