"""Cognitive maps: the places that a model drew, joined to the true ones (VSI-Bench, Figures 9 and 19)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import RunsFigureConfig

if TYPE_CHECKING:
    from tolman.analyze.maps import MapsResult
    from tolman.reports.charts.chart import Chart


@dataclass(frozen=True, kw_only=True)
class MapsFigureConfig(RunsFigureConfig):
    """Settings of `maps_chart` and `locality_chart`."""

    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    draw: Annotated[
        int, Setting("Maps of each run that are drawn, 1–30; those with most places first.", least=1, most=30)
    ] = 6


def maps_chart(config: MapsFigureConfig, events: Events) -> Chart:
    """Make the data: for each map (panel) the places (x, value) of each category (label), drawn and true (series).

    Raises:
        InputError, UsageError: as `tolman analyze maps`; or no map could be read.
    """
    from tolman.reports.charts.chart import Chart, frame
    from tolman.reports.charts.planes import DRAWN, TRUE

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
    """The maps of the runs beside the true ones.

    Raises:
        InputError, UsageError: as `tolman analyze maps`.
    """
    from tolman.workflows.analyses.maps import MapsConfig, analyze_maps

    return analyze_maps(MapsConfig(runs=config.runs, scenes=config.scenes, out=None), events)


def map_notes(found: MapsResult, config: MapsFigureConfig) -> tuple[str, ...]:
    """What of the maps could not be used, and what must be said of the runs."""
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import run_warnings

    said = []
    for name, own in found.maps.items():
        said.append(f"{name}: {len(own.maps):,} maps were read, {own.unread:,} could not be.")
        if own.strange:
            said.append(f"{name}: asked for and not in the scene: {', '.join(sorted(own.strange))}.")
    return (*said, *run_warnings(scored_runs(config.runs, config.scorer)))


FIGURE = FigureKind(
    name="maps",
    title="Cognitive maps: the places that a model drew, joined to the true ones, a panel for each scene.",
    config=MapsFigureConfig,
    make=maps_chart,
    form="planes",
    columns=("panel", "series", "role", "label", "x", "value"),
    examples=("maps runs/my-bench-all/my-model-cognitive-map --scenes scenes",),
)
