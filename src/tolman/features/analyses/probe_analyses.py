"""Analyses of models' maps, object lists and routes of a scene, against the true ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tolman.analyze.maps import PUBLISHED_GRID, Drawn, ItemMap, MapsResult, RunMaps, consistency, locality, pairs
from tolman.analyze.probes import ProbedAnswer, ProbesResult, RunProbes, SceneProbe, summarise_probes
from tolman.benchmarks.published import published_tables
from tolman.errors import UsageError, counted
from tolman.features.analyses import plain_fields, to_plain, to_plain_tables
from tolman.features.analyses.config import MapsConfig, ProbesConfig
from tolman.features.analyses.scored_runs import scored_runs
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.files import write_text
from tolman.ground_truth.question_families import categories_in, family_of
from tolman.ground_truth.released_audit import warn_of_other_scenes
from tolman.ground_truth.scene_arrays import SEEN, MissingCategoryError, SceneGeometry
from tolman.items import Item
from tolman.protocols import ProtocolOptions
from tolman.protocols.cognitive_map import categories_on_map, drawn_map, scenes, true_map_of
from tolman.protocols.scene_probes import OBJECT_LIST, ROUTE, read_list, read_route
from tolman.reports.charts.chart import rendered
from tolman.reports.charts.point_forms import LINES_FORM
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.map_results import locality_chart, page
from tolman.reports.svg_figures import why_not_drawn
from tolman.responses import Response
from tolman.text_tables import frame_csv


def analyze_maps(config: MapsConfig, events: Events = silent) -> MapsResult:
    """Hold the maps that runs drew against the true ones.

    Raises:
        UsageError: a run drew no maps, on grids of different sizes, or its scenes are not available.
        InputError: a folder holds no run, or no scenes.
    """

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
    return replace(result, written=_write_maps(config.out, result, config.draw))


def _read(run: LoadedRun, folder: Path | None, grid: int, *, stretch: bool) -> RunMaps:
    """Return the maps of a run with the true ones; missing parts are counted.

    Questions of one scene that ask for the same map share the model's drawing: it is one map, however many they are.
    """

    settings = run.record.settings.protocol_settings
    own = _scenes_of(run, folder)
    if settings.get("map_categories") == "scene":
        settings = {**settings, "scenes": str(own)}
    options = ProtocolOptions(grid=grid, map_categories=settings["map_categories"], scenes=own)
    items, known = _items_and_scenes(run, own)
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


def _scenes_of(run: LoadedRun, folder: Path | None) -> Path:
    """The folder that was given, or else the one that the run was made with."""
    own: str | None = run.record.settings.protocol_settings.get("scenes")
    if folder is not None or own:
        return folder or Path(str(own))
    raise UsageError(f"the truth is computed from scenes; give their folder with --scenes ({run.folder.path}).")


def _items_and_scenes(run: LoadedRun, folder: Path | None) -> tuple[dict[str, Item], Mapping[str, SceneGeometry]]:
    """A run's items by id, and all scenes of its benchmark by name."""
    own = _scenes_of(run, folder)
    known, items = scenes(own), {item.id: item for item in run.folder.items()}
    lacking = [item for item in items.values() if (item.scene or "") not in known]
    if lacking:
        raise UsageError(
            f"{own} has no scene '{lacking[0].scene}'; it lacks the scenes of {len(lacking):,} of "
            f"{counted(len(items), 'question')} of {run.folder.path}. Give the benchmark's own scenes."
        )
    warn_of_other_scenes([*items.values()], known, own)
    return items, known


def _write_maps(out: Path, result: MapsResult, draw: int) -> tuple[Path, ...]:
    """Write the page, the figure and the table of distances; their paths."""

    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    if not why_not_drawn():
        figure = rendered(locality_chart(result), LINES_FORM)
        write_text(out / "locality.svg", figure)
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
    write_text(out / "pairs.csv", frame_csv(table, 4))
    return (*written, out / "pairs.csv")


def maps_to_json(result: MapsResult) -> dict[str, Any]:
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
    return {**plain_fields(result, "grid", "stretch"), "runs": runs, "published": to_plain_tables(result.published)}


COUNTING = ("vsi-bench/counting", "spatialbench/object-counting")
ORDER = ("vsi-bench/appearance-order", "spatialbench/appearance-order")


def analyze_probes(config: ProbesConfig, events: Events = silent) -> ProbesResult:
    """Hold object lists and routes against the scenes, and against the answers to the questions about them.

    Raises:
        InputError: a folder holds no run, no scores or no scenes.
        UsageError: a run has neither protocol, or its scenes aren't in the folder.
    """
    scored = scored_runs(config.runs, config.scorer)
    events(Began("reading probes", len(scored.runs)))
    found: dict[str, RunProbes] = {}
    for run in scored.runs:
        found[run.name] = _probed(run, config.scenes, scored.rows(run))
        events(Advanced())
    events(Ended())
    return ProbesResult(found, scored.scorer)


def _probed(run: LoadedRun, folder: Path | None, rows: pl.DataFrame) -> RunProbes:
    """Read the probes of a run and join them to its answers."""
    probe = next((part for part in run.record.settings.protocol.split("+") if part in (OBJECT_LIST, ROUTE)), None)
    if probe is None:
        raise UsageError(
            f"{run.folder.path} asked nothing about scenes; run it with --protocol {OBJECT_LIST} or {ROUTE}."
        )
    items, known = _items_and_scenes(run, folder)
    categories = frozenset(name for geometry in known.values() for name in geometry.categories)
    scores = {(id_, repeat): score for id_, repeat, score in rows.select("id", "repeat", "score").iter_rows()}
    read: dict[tuple[str, str], SceneProbe | None] = {}
    answers, unjoined = [], 0
    for outcome in run.folder.outcomes():
        if not isinstance(outcome, Response):
            unjoined += 1
            continue
        item, turn = items[outcome.id], outcome.turn(probe)
        geometry, text = known[item.scene or ""], turn.response if turn else ""
        key = geometry.scene.id, text
        if key not in read:
            read[key] = _read_probe(probe, text, item.cluster, geometry, categories)
        own, score = read[key], scores.get((item.id, outcome.repeat))
        agrees = None if own is None else _agrees(probe, item, own.said, geometry)
        if agrees is None or score is None:
            unjoined += 1
        else:
            answers.append(ProbedAnswer(item.id, item.task, item.cluster, score, agrees))
    found = [one for one in read.values() if one is not None]
    if probe == ROUTE and not any(one.true for one in found):
        raise UsageError(
            f"the scenes of {run.folder.path} don't say what their videos show when, so routes can't be judged."
        )
    return summarise_probes(probe, found, answers, unread=len(read) - len(found), unjoined=unjoined)


def _read_probe(
    probe: str, text: str, cluster: str, geometry: SceneGeometry, categories: frozenset[str]
) -> SceneProbe | None:
    if probe == OBJECT_LIST:
        counts = read_list(text, categories)
        shown = [name for name in geometry.categories if name not in geometry.unseen]
        true = {name: geometry.scene.count(name) for name in shown}
        return None if counts is None else SceneProbe(cluster, counts, true, categories)
    order = read_route(text, categories)
    first = {name: frames[0] for name, frames in geometry.appearances(SEEN).items()}
    return None if order is None else SceneProbe(cluster, {n: i for i, n in enumerate(order)}, first, categories)


def _agrees(probe: str, item: Item, said: Mapping[str, int], geometry: SceneGeometry) -> bool | None:
    """Check whether a probe has the right answer, or names all of the question's categories; None where it has none."""
    try:
        names = [geometry.category(name) for name in categories_in(item)]
    except MissingCategoryError:
        return None
    if not names:
        return None
    if not all(name in said for name in names):
        return False
    family = family_of(item)
    name = "" if family is None else family.name
    if probe == OBJECT_LIST and name in COUNTING and item.kind == "number":
        return said[names[0]] == item.float_answer
    if probe == ROUTE and name in ORDER and item.options:
        right = re.split(r", | -> ", item.options[item.letters.index(item.answer)])
        places = [said.get(part, -1) for part in right]
        return places == sorted(places)
    return True
