"""Figures of cognitive maps: drawn places joined to the true ones, and accuracy of distances by the true distance.

Sources: VSI-Bench, Figures 9 and 19 (maps), Figure 10 and Table 4 (locality).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tolman.analyze.maps import bin_labels
from tolman.errors import UsageError
from tolman.features.analyses.config import MapsConfig
from tolman.features.analyses.run_analyses import analyze_maps
from tolman.features.analyses.scored_runs import scored_runs
from tolman.features.events import Events
from tolman.features.figures.config import MapsFigureConfig
from tolman.features.figures.figure_inputs import CLUSTERED, ends, run_warnings
from tolman.reports.charts.chart import Chart, frame
from tolman.reports.charts.point_forms import DRAWN, TRUE

if TYPE_CHECKING:
    from tolman.analyze.maps import MapsResult


def maps_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each map (panel) the places (x, value) of each category (label), drawn and true (series).

    Raises:
        InputError, UsageError: as `tolman analyze maps`; or no map could be read.
    """

    found = read_maps(config, events)
    rows, titles = [], set[str]()
    for name, own in found.maps.items():
        shown = sorted(own.maps, key=lambda one: (-len(one.drawn.drawn.places), one.item))
        scenes = set[str]()
        for one in shown:
            if one.drawn.scene in scenes or len(scenes) == config.draw:
                continue  # questions of one scene have maps that are much alike
            scenes.add(one.drawn.scene)
            title = one.drawn.scene + (f" · {name}" if len(found.maps) > 1 else "")
            titles.add(title)
            for series, places in ((TRUE, one.drawn.true.places), (DRAWN, one.drawn.drawn.places)):
                rows += [
                    {"panel": title, "series": series, "role": "run", "label": category, "x": x, "value": y}
                    for category, own_places in places.items()
                    for x, y in own_places
                ]
    if not rows:
        raise UsageError("no map of these runs could be read; nothing can be drawn.")
    return Chart(
        frame(rows),
        f"Cognitive maps: {len(titles)} of {sum(len(own.maps) for own in found.maps.values()):,}, one of a scene",
        notes=map_notes(found, config),
        settings={"grid": found.grid},
    )


def read_maps(config: MapsFigureConfig, events: Events) -> MapsResult:
    """Return the maps of the runs with the true ones.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """

    return analyze_maps(MapsConfig(runs=config.runs, scenes=config.scenes, out=None), events)


def map_notes(found: MapsResult, config: MapsFigureConfig) -> tuple[str, ...]:
    """Return notes on unusable maps, and the warnings of the runs."""

    said = []
    for name, own in found.maps.items():
        said.append(f"{name}: {len(own.maps):,} maps were read, {own.unread:,} could not be.")
        if own.strange:
            said.append(f"{name}: asked for and not in the scene: {', '.join(sorted(own.strange))}.")
    return (*said, *run_warnings(scored_runs(config.runs, config.scorer)))


def locality_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each run (series) and bin of true distances (label, its middle in x) the per cent of drawn
    distances that are at most one grid unit off.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """

    found = read_maps(config, events)
    rows = []
    for name, one in found.localities.items():
        for label, (low, high), share in zip(bin_labels(one.edges), pairwise(one.edges), one.bins, strict=True):
            if share is not None:
                rows.append(
                    {
                        "series": name, "role": "run", "label": label, "x": (low + high) / 2,
                        "value": share.value, **ends(share.interval), "n": share.n,
                    }
                )  # fmt: skip
    for table in found.published:
        for name, values in table.rows.items():
            some = next(iter(found.localities.values()))
            for label, (low, high), value in zip(bin_labels(some.edges), pairwise(some.edges), values, strict=True):
                rows.append(
                    {
                        "series": name, "role": "published", "label": label, "x": (low + high) / 2,
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
    """Return the source of the grey lines."""
    return [f"Grey: {', '.join(table.rows)}, as printed ({table.place})." for table in found.published]


def _intervals(found: MapsResult) -> list[str]:
    """Explain the lines, or why there are none."""

    shares = [share for one in found.localities.values() for share in one.bins if share is not None]
    if any(share.interval for share in shares):
        return [CLUSTERED]
    return [f"No intervals: {reason}." for reason in dict.fromkeys(share.reason for share in shares) if reason][:1]
