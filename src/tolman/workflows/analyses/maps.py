"""Cognitive maps: what models drew, held against the true maps of the scenes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.outputs import to_plain_tables
from tolman.workflows.analyses.settings import Runs
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent

if TYPE_CHECKING:
    from tolman.analyze.maps import MapsResult, RunMaps
    from tolman.reports.analyses.output import Shown
    from tolman.reports.loaded import LoadedRun
    from tolman.responses import Response


@dataclass(frozen=True, kw_only=True)
class MapsConfig:
    """Settings of `analyze_maps`."""

    runs: Runs
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    stretch: Annotated[
        bool, Setting("Let true maps fill the grid along both axes, which distorts the scene's distances.")
    ] = False
    draw: Annotated[int, Setting("Maps of each run that are drawn into the page, 0 or more.", least=0)] = 24
    out: Annotated[Path | None, Setting("Folder for maps.html, locality.svg and pairs.csv.")] = Path("maps")


def analyze_maps(config: MapsConfig, events: Events = silent) -> MapsResult:
    """Hold the maps that runs drew against the true ones.

    Raises:
        UsageError: a run drew no maps, on grids of different sizes, or its scenes are not at hand.
        InputError: a folder holds no run, or no scenes.
    """
    from tolman.analyze.maps import PUBLISHED_GRID, MapsResult, consistency, locality, pairs
    from tolman.benchmarks.published_tables import published_tables
    from tolman.workflows.analyses.inputs import scored_runs

    runs = scored_runs(config.runs).runs
    for run in runs:
        if "cognitive-map" not in run.record.settings.protocol.split("+"):
            raise UsageError(f"{run.folder.path} drew no maps; run it with --protocol cognitive-map.")
    grids = {int(run.record.settings.protocol_settings["grid"]) for run in runs}
    if len(grids) > 1:
        sizes = " and ".join(str(grid) for grid in sorted(grids))
        raise UsageError(f"the runs drew on grids of {sizes}; analyse them one by one.")
    grid = grids.pop()
    events(Began("reading maps", len(runs)))
    maps: dict[str, RunMaps] = {}
    for run in runs:
        maps[run.name] = _read(run, config.scenes, grid, stretch=config.stretch)
        events(Advanced())
    events(Ended())
    result = MapsResult(
        grid=grid,
        stretch=config.stretch,
        maps=maps,
        localities={name: locality(pairs(own.drawn), grid) for name, own in maps.items()},
        consistencies={name: consistency(own.drawn) for name, own in maps.items()},
        published=tuple(published_tables("maps")) if grid == PUBLISHED_GRID and not config.stretch else (),
    )
    if config.out is None:
        return result
    return replace(result, written=_write(config.out, result, config.draw))


def _read(run: LoadedRun, folder: Path | None, grid: int, *, stretch: bool) -> RunMaps:
    """The maps of a run beside the true ones; whatever they lack is counted.

    Questions of one scene that ask for the same map share the model's drawing: it is one map, however many they are.
    """
    from tolman.analyze.maps import Drawn, ItemMap, RunMaps
    from tolman.protocols.base import ProtocolOptions
    from tolman.protocols.cognitive_map import categories_on_map, drawn_map, scenes, true_map_of
    from tolman.responses import Response

    settings = run.record.settings.protocol_settings
    own = folder or (Path(settings["scenes"]) if settings.get("scenes") else None)
    if own is None:
        raise UsageError(f"true maps are computed from scenes; give their folder with --scenes ({run.folder.path}).")
    known = scenes(own)
    if settings.get("map_categories") == "scene":
        settings = {**settings, "scenes": str(own)}
    options = ProtocolOptions(grid=grid, map_categories=settings["map_categories"], scenes=own)
    items = {item.id: item for item in run.folder.items()}
    lacking = [item for item in items.values() if (item.scene or "") not in known]
    if lacking:
        raise UsageError(
            f"{own} has no scene '{lacking[0].scene}'; {len(lacking):,} of {len(items):,} questions of "
            f"{run.folder.path} are of scenes that it lacks. Give the benchmark's own scenes."
        )
    drawings: dict[tuple[object, ...], list[Response]] = {}
    for outcome in run.folder.outcomes():
        if isinstance(outcome, Response):
            item, turn = items[outcome.id], outcome.turn("map")
            text = f"none of {outcome.id}" if turn is None else turn.response
            key = (item.cluster, outcome.repeat, categories_on_map(item, options), text)
            drawings.setdefault(key, []).append(outcome)
    found = RunMaps(answers=sum(map(len, drawings.values())))
    for first, *others in drawings.values():
        item = items[first.id]
        reading = drawn_map(first, item, settings)
        if reading is None or reading.map is None:
            found.unread += 1
            continue
        true, strange = true_map_of(known[item.scene or ""], categories_on_map(item, options), grid, stretch=stretch)
        found.strange.update(strange)
        drawn = Drawn(item.cluster, reading.map, true)
        question = " ".join(item.question.split())
        found.maps.append(ItemMap(run.name, item.id, question, drawn, reading.problems, 1 + len(others)))
    return found


def _write(out: Path, result: MapsResult, draw: int) -> tuple[Path, ...]:
    """Write the page, the figure and the table of distances; their paths."""
    import polars as pl

    from tolman.analyze.maps import pairs
    from tolman.files import write_text
    from tolman.reports.analyses.map_page import locality_svg, page
    from tolman.reports.figures import why_not_drawn

    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    if not why_not_drawn():
        figure = locality_svg(result.localities)
        write_text(out / "locality.svg", figure + "\n")
        write_text(out / "maps.html", page(figure, [one for own in result.maps.values() for one in own.maps[:draw]]))
        written = [out / "maps.html", out / "locality.svg"]
    rows = []
    for name, own in result.maps.items():
        for one in own.maps:
            for pair in pairs([one.drawn]):
                right = None if pair.drawn is None else pair.right
                rows.append((name, one.item, one.questions, pair.scene, *pair.categories, pair.true, pair.drawn, right))
    schema = {
        "run": pl.String, "id": pl.String, "questions": pl.Int64, "scene": pl.String, "a": pl.String, "b": pl.String,
        "true": pl.Float64, "drawn": pl.Float64, "right": pl.Boolean,
    }  # fmt: skip
    table = pl.DataFrame(rows, schema=schema, orient="row")
    write_text(out / "pairs.csv", table.write_csv(float_precision=4))
    return (*written, out / "pairs.csv")


def to_json(result: MapsResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    runs = {
        name: {
            "maps": len(own.maps),
            "answers": own.answers,
            "unread": own.unread,
            "not_in_scene": dict(own.strange),
            "locality": to_plain(result.localities[name]),
            "consistency": to_plain(result.consistencies[name]),
        }
        for name, own in result.maps.items()
    }
    return {
        "grid": result.grid,
        "stretch": result.stretch,
        "runs": runs,
        "published": to_plain_tables(result.published),
    }


def show(result: MapsResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import maps as form

    return form.show(result)


ANALYSIS = Analysis(
    name="maps",
    title="Cognitive maps that models drew against the true ones: distances near and far, the maps side by side.",
    config=MapsConfig,
    run=analyze_maps,
    show=show,
    to_json=to_json,
    examples=("maps runs/my-bench-all/my-model-cognitive-map --scenes scenes",),
)
