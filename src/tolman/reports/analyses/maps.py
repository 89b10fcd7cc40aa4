"""What `tolman analyze maps` reads, prints and writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import polars as pl
from rich.console import Console

from tolman.analyze.maps import Consistency, Drawn, Locality, consistency, locality, pairs
from tolman.cognitive_maps import CognitiveMap, true_map
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.generate.geometry import SceneGeometry
from tolman.items import Item
from tolman.protocols.base import ProtocolOptions
from tolman.protocols.cognitive_map import categories_on_map, drawn_map, scenes
from tolman.reports.alike import one_benchmark
from tolman.reports.analyses.map_page import Shown, locality_svg, page
from tolman.reports.analyses.output import print_table, reach, say, say_missing, say_written, share_shown, write_json
from tolman.reports.figures import why_not_drawn
from tolman.reports.loaded import LoadedRun, load_runs
from tolman.responses import Response


@dataclass
class _Maps:
    """A run's maps, each once, and what could not be used.

    Attributes:
        shown: what was read.
        unread: maps that could not be read.
        answers: responses that came with these maps.
        strange: categories that were asked for and that the scene doesn't have.
    """

    shown: list[Shown] = field(default_factory=list)
    unread: int = 0
    answers: int = 0
    strange: Counter[str] = field(default_factory=Counter)

    @property
    def drawn(self) -> list[Drawn]:
        """The maps with their true ones."""
        return [one.drawn for one in self.shown]


def print_maps(
    console: Console,
    paths: Sequence[Path],
    *,
    scenes: Path | None,
    stretch: bool,
    draw: int,
    out: Path,
    as_json: bool,
) -> None:
    """Hold the maps that runs drew against the true ones.

    Raises:
        UsageError: a run drew no maps, on grids of different sizes, or its scenes are not at hand.
        InputError: a folder holds no run, or no scenes.
    """
    runs = load_runs(paths)
    one_benchmark(runs)
    for run in runs:
        if not _drew(run):
            raise UsageError(f"{run.folder.path} drew no maps; run it with --protocol cognitive-map.")
    grids = {int(run.record.settings.protocol_settings["grid"]) for run in runs}
    if len(grids) > 1:
        sizes = " and ".join(str(grid) for grid in sorted(grids))
        raise UsageError(f"the runs drew on grids of {sizes}; analyse them one by one.")
    grid = grids.pop()
    maps = {run.name: _read(run, scenes, grid, stretch=stretch) for run in runs}
    localities = {name: locality(pairs(own.drawn), grid) for name, own in maps.items()}
    fits = {name: consistency(own.drawn) for name, own in maps.items()}
    written = _write(out, maps, localities, draw)
    if as_json:
        content = {
            name: {
                "maps": len(own.shown),
                "answers": own.answers,
                "unread": own.unread,
                "not_in_scene": dict(own.strange),
                "locality": asdict(localities[name]),
                "consistency": fit and asdict(fit),
            }
            for (name, own), fit in zip(maps.items(), fits.values(), strict=True)
        }
        write_json(console, {"grid": grid, "stretch": stretch, "runs": content})
        return
    _print(console, maps, localities, fits, grid)
    say_written(console, written, drawn=True)


def _drew(run: LoadedRun) -> bool:
    return "cognitive-map" in run.record.settings.protocol.split("+")


def _read(run: LoadedRun, folder: Path | None, grid: int, *, stretch: bool) -> _Maps:
    """The maps of a run beside the true ones; whatever they lack is counted.

    Questions of one scene that ask for the same map share the model's drawing: it is one map, however many they are.
    """
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
    found = _Maps(answers=sum(map(len, drawings.values())))
    for first, *others in drawings.values():
        item = items[first.id]
        reading = drawn_map(first, item, settings)
        if reading is None or reading.map is None:
            found.unread += 1
            continue
        geometry = known[item.scene or ""]
        true, strange = _true(geometry, categories_on_map(item, options), grid, stretch=stretch)
        found.strange.update(strange)
        drawn = Drawn(item.cluster, reading.map, true)
        found.shown.append(Shown(run.name, item.id, _question(item), drawn, reading.problems, 1 + len(others)))
    return found


def _true(geometry: SceneGeometry, names: Iterable[str], grid: int, *, stretch: bool) -> tuple[CognitiveMap, list[str]]:
    """The true map under the names that were asked for, and those that the scene doesn't have."""
    known, strange = {}, []
    for name in names:
        try:
            known[name] = geometry.category(name)
        except KeyError:
            strange.append(name)
    places = true_map(geometry.scene, grid=grid, categories=known.values(), stretch=stretch).places
    return CognitiveMap(grid, {name: places[category] for name, category in known.items()}), strange


def _question(item: Item) -> str:
    return " ".join(item.question.split())


def _write(out: Path, maps: Mapping[str, _Maps], found: Mapping[str, Locality], draw: int) -> list[Path]:
    """Write what was found; the files that were written."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    if not why_not_drawn():
        figure = locality_svg(found)
        written = [out / "maps.html", out / "locality.svg"]
        write_text(out / "locality.svg", figure + "\n")
        write_text(out / "maps.html", page(figure, [one for own in maps.values() for one in own.shown[:draw]]))
    rows = []
    for name, own in maps.items():
        for shown in own.shown:
            for pair in pairs([shown.drawn]):
                right = None if pair.drawn is None else pair.right
                rows.append(
                    (name, shown.item, shown.questions, pair.scene, *pair.categories, pair.true, pair.drawn, right)
                )
    schema = {
        "run": pl.String, "id": pl.String, "questions": pl.Int64, "scene": pl.String, "a": pl.String, "b": pl.String,
        "true": pl.Float64, "drawn": pl.Float64, "right": pl.Boolean,
    }  # fmt: skip
    table = pl.DataFrame(rows, schema=schema, orient="row")
    write_text(out / "pairs.csv", table.write_csv(float_precision=4))
    return [*written, out / "pairs.csv"]


def _print(
    console: Console,
    maps: Mapping[str, _Maps],
    found: Mapping[str, Locality],
    fits: Mapping[str, Consistency | None],
    grid: int,
) -> None:
    first = next(iter(found.values()))
    headings = ["true distance", *(f"{a:g}–{b:g}" for a, b in zip(first.edges, first.edges[1:], strict=False))]
    body = []
    for name, one in found.items():
        body.append([name, *("–" if share is None else f"{share.value:.1f}" for share in one.bins)])
        if any(share and share.interval for share in one.bins):
            body.append(["  95 % interval", *(reach(share.interval) if share else "–" for share in one.bins)])
        body.append(["  pairs", *(f"{share.n:,}" if share else "0" for share in one.bins)])
    print_table(console, headings, body, title=f"% of distances at most one unit off, grid {grid}x{grid}")
    say_missing(console, [share.reason for one in found.values() for share in one.bins if share])
    for name, one in found.items():
        own, fit = maps[name], fits[name]
        middle = one.edges[len(one.edges) // 2]
        drawn = f"{len(own.shown):,} maps, drawn for {sum(shown.questions for shown in own.shown):,} answers"
        say(console, f"{name}: {drawn}; all distances {share_shown(one.accuracy)}.")
        say(console, f"{name}: up to {middle:g} {share_shown(one.near)}, above {share_shown(one.far)}.")
        if fit is not None:
            off = f"{fit.local:.2f} units within neighbourhoods and {fit.whole:.2f} over whole maps"
            say(console, f"{name}: places off by {off} ({fit.maps:,} maps).")
        left_out = {
            "unreadable maps": own.unread,
            "pairs with a category that was not drawn": one.missing,
            f"pairs nearer than {one.edges[0]:g} (in no bin)": one.below,
            f"pairs farther than {one.edges[-1]:g} (in no bin)": one.above,
            "categories that the scene doesn't have": sum(own.strange.values()),
        }
        said = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
        if said:
            say(console, f"{name}: {said}.")
