"""Suites: models × benchmarks × protocols in one TOML file, the figures of their leaderboards, and weighted indices.

```toml
out = "spring"                       # any setting of `tolman run`, for all runs
concurrency = 64

[[model]]
model = "openai/qwen3-vl-8b"
base_url = "http://node1:8000/v1"

[[benchmark]]
benchmark = "vsi-bench"
frames = [16, 32]

[[benchmark]]
benchmark = "./my-bench"

[[protocol]]
protocol = "direct"
```

The runs are all combinations of one table of each kind. A file without a model is a suite for any model, which is given
with the command. If a setting is given in several places, the model's table holds before the protocol's, that before
the benchmark's, and that before the settings above the tables.
"""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl
import tomli_w
from pydantic import BaseModel, ConfigDict, Field

from tolman import benchmarks, models, protocols
from tolman.errors import InputError, TolmanError, UsageError, hint
from tolman.exports.easi import BACKENDS, COLUMNS, columns_of, is_on_board
from tolman.exports.exporters import RunSource
from tolman.exports.results import lacks_of
from tolman.features.analyses.scored_runs import chance_scores
from tolman.features.config import PLUGINS, as_toml, by_field, fields_of, is_secret, make
from tolman.features.run.config import FOLDER, RunConfig
from tolman.files import write_text
from tolman.reports.loaded_runs import quoted
from tolman.reports.report_pages import LACKING, Matrix, MatrixCell
from tolman.reports.text import signs_of
from tolman.runs.places import file_name
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import preset_of, subset_of
from tolman.scoring.aggregate import cells
from tolman.scoring.intervals import Interval
from tolman.scoring.metrics import PERCENT
from tolman.toml_catalogue import checked

if TYPE_CHECKING:
    from tolman.features.opened_folders import Run
    from tolman.reports.loaded_runs import LoadedRun
    from tolman.reports.report_content import Report


KEY = "board"
"""The key of a suite's file that names the leaderboard."""
BOARDS = {"easi": "EASI's figures, by the rules of its lmms-eval backend"}
"""Name → the title of its table."""


def board_of(path: Path) -> str | None:
    """The leaderboard that a suite's file names.

    Raises:
        UsageError: there is none of that name.
    """
    found = tomllib.loads(path.read_text(encoding="utf-8-sig")).get(KEY)
    if found is not None and found not in BOARDS:
        raise UsageError(f"{path}: there is no board '{found}'; {hint(str(found), list(BOARDS))}.")
    return found


def board_matrix(runs: Sequence[Run]) -> Matrix:
    """EASI's headline figures: a row for each model, a column for each benchmark of the board that has a run.

    A figure that rests on a part is marked. Runs of other benchmarks aren't in it, nor are models with several runs of
    one, which are reported.
    """
    by_name: dict[str, list[RunSource]] = {}
    for run in runs:
        settings = run.record.settings
        source = RunSource(RunFolder(run.path), benchmarks.get(settings.benchmark))
        if is_on_board(source):
            by_name.setdefault(settings.named(), []).append(source)
    found = Matrix()
    cells: dict[str, dict[str, MatrixCell]] = {}
    for name, sources in by_name.items():
        try:
            columns = columns_of(sources, parts=True)
            for column in columns:
                value, _ = column.figures(next(one for one in BACKENDS if one in column.board.scorers))
                lacks = any(lacks_of(source) for source in column.all_runs)
                if value is not None:
                    cells.setdefault(name, {})[column.board.key] = MatrixCell(f"{value:.1f}", LACKING if lacks else "")
        except TolmanError as error:
            found.warnings.append(f"{name}: {error}")
    keys = [column.key for column in COLUMNS if any(column.key in row for row in cells.values())]
    found.columns += [(key, "EASI") for key in keys]
    found.rows |= {name: [row.get(key) for key in keys] for name, row in cells.items()}
    return found


INDEX = "index"
"""The key of a suite's table that weights its benchmarks."""


class SuiteIndex(BaseModel):
    """An index over a suite's benchmarks: the weighted mean of their headline figures.

    Attributes:
        weights: of benchmarks, each named as the folder of its runs; above 0, and divided by their sum.
        figures: 'plain', or 'chance-adjusted': (figure − chance) / (100 − chance), with the expected headline of a
            random answerer on the answered questions as chance: for a choice one in the number of options, for a number
            the score of a true answer drawn from the benchmark's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(min_length=1)
    figures: Literal["plain", "chance-adjusted"] = "plain"

    def share(self, name: str) -> float:
        """The weight of a benchmark, from 0 to 1."""
        return self.weights[name] / sum(self.weights.values())


class _IndexTable(BaseModel):
    index: SuiteIndex


def index_of(path: Path, configs: Sequence[RunConfig]) -> SuiteIndex | None:
    """The index of a suite's file; None where it has none.

    Args:
        path: the file.
        configs: of its runs.

    Raises:
        InputError: the table is wrong, or weights a benchmark that the suite doesn't have.
    """
    text, data = _read(path)
    if INDEX not in data:
        return None
    found = checked(_IndexTable, path, text, {INDEX: data[INDEX]}).index
    known = list(dict.fromkeys(_place(config).parts[0] for config in configs))
    for name in found.weights:
        if name not in known:
            raise InputError(path, f"weights '{name}', which is no benchmark of the suite", field=INDEX,
                             fix=hint(name, known))  # fmt: skip
    return found


@dataclass(frozen=True)
class IndexPart:
    """The headline of one benchmark, as an index takes it.

    Attributes:
        value: on the 0–100 scale; below 0 where it is adjusted for chance and worse.
        interval: 95 %; None where there is none.
        lacks: whether it rests on a part of the benchmark.
        signs: of the figure in the benchmark's table: '†' where too much is unread, and so on.
    """

    value: float
    interval: Interval | None
    lacks: bool = False
    signs: str = ""


def weighted_index(parts: Sequence[tuple[float, IndexPart, Hashable]]) -> IndexPart:
    """Return the weighted mean of figures, with a 95 % interval.

    The figures' distances to their limits are weighted and added: in squares for different benchmarks, which count as
    independent (Zou and Donner 2008, as `scoring.intervals.limits_by_part`), and plainly for subsets of one benchmark,
    whose questions overlap.

    Args:
        parts: the weight of each, with a sum of 1, its figure, and its benchmark.
    """
    value = sum(weight * part.value for weight, part, _ in parts)
    lacks = any(part.lacks for _, part, _ in parts)
    signs = "".join(dict.fromkeys(sign for _, part, _ in parts for sign in part.signs))
    below: dict[Hashable, float] = {}
    above: dict[Hashable, float] = {}
    for weight, part, benchmark in parts:
        if part.interval is None:
            return IndexPart(value, None, lacks, signs)
        below[benchmark] = below.get(benchmark, 0.0) + weight * (part.value - part.interval.low)
        above[benchmark] = above.get(benchmark, 0.0) + weight * (part.interval.high - part.value)
    low, high = value - math.hypot(*below.values()), value + math.hypot(*above.values())
    return IndexPart(value, Interval(low, high), lacks, signs)


@dataclass(frozen=True)
class SuiteIndices:
    """The indices of a suite's models.

    Attributes:
        index: the weights.
        models: name → its index.
        parts: name → benchmark → the figure that is in the index.
        warnings: a sentence for each model without an index, and for parts.
    """

    index: SuiteIndex
    models: dict[str, IndexPart]
    parts: dict[str, dict[str, IndexPart]]
    warnings: list[str]

    def matrix(self) -> Matrix:
        """The indices and their parts as a table."""
        names = list(self.index.weights)
        columns = [("Index", self.index.figures), *((name, f"weight {self.index.share(name):.3g}") for name in names)]
        rows: dict[str, list[MatrixCell | None]] = {
            model: [_index_cell(found), *(_index_cell(self.parts[model][name]) for name in names)]
            for model, found in self.models.items()
        }
        return Matrix(columns, rows, self.warnings)


def _index_cell(part: IndexPart) -> MatrixCell:
    interval = f"{part.interval.low:.1f}–{part.interval.high:.1f}" if part.interval else ""
    beside = " ".join(filter(None, (LACKING if part.lacks else "", interval)))
    return MatrixCell(f"{part.value:.1f}{part.signs}", beside)


def suite_indices(reported: Sequence[tuple[LoadedRun, Report]], folder: Path, index: SuiteIndex) -> SuiteIndices:
    """Compute the index of each model that has a run on each of the weighted benchmarks.

    Args:
        reported: the suite's runs with scores, each with the report that it is in.
        folder: of the suite.
        index: the weights.
    """
    by_model: dict[str, dict[str, tuple[LoadedRun, Report]]] = {}
    for run, report in reported:
        key, model, *_ = run.folder.path.relative_to(folder).parts  # as `_place` forms them
        by_model.setdefault(model, {})[key] = run, report
    found = SuiteIndices(index, {}, {}, [])
    for model, own in by_model.items():
        name = next(run.name for run, _ in own.values())
        name = f"{name} ({model})" if name in found.models else name  # told apart on another benchmark only
        if lacking := [key for key in index.weights if key not in own]:
            found.warnings.append(f"{name} has no index: it has no run on {', '.join(lacking)}.")
            continue
        try:
            parts = {key: _index_part(*own[key], index) for key in index.weights}
        except TolmanError as error:
            found.warnings.append(f"{name} has no index: {error}")
            continue
        found.parts[name] = parts
        found.models[name] = weighted_index(
            [(index.share(key), part, own[key][0].record.settings.benchmark) for key, part in parts.items()]
        )
        if found.models[name].interval is None:
            lacking = [key for key, part in parts.items() if part.interval is None]
            found.warnings.append(f"{name}: the index has no interval, as {', '.join(lacking)} has none.")
    return found


def _index_part(run: LoadedRun, report: Report, index: SuiteIndex) -> IndexPart:
    """A run's headline for an index.

    Raises:
        UsageError: it has none, or it isn't on the 0–100 scale.
    """
    benchmark, scorer = report.benchmark, quoted(run)
    column = benchmark.table.column(benchmark.table.headline)
    row = next((row for row in report.rows if row.headline and (row.name, row.rules) == (run.name, scorer)), None)
    figure = None if row is None else row.figures.get(column.key)
    if row is None or figure is None or column.unit != PERCENT:
        raise UsageError(f"{column.title} of {benchmark.title} has no value on the 0–100 scale.")
    chance = 0.0
    if index.figures == "chance-adjusted":
        rows = chance_scores("random", benchmark, run.folder.items(), benchmark.rule_set(scorer))
        # Of the questions that the figure rests on: others may be easier to guess.
        answered = run.folder.scan_scores().filter(pl.col("rule_set") == scorer, pl.col("score").is_not_null())
        rows = rows.filter(pl.col("id").is_in(answered.select("id").collect()["id"].implode()))
        chance = cells(rows, benchmark.table_of(scorer))[column.key].value or 0.0

    def adjusted(figure: float) -> float:
        return 100 * (figure - chance) / (100 - chance)

    ends = figure.interval
    interval = Interval(adjusted(ends.low), adjusted(ends.high)) if ends else None
    lacks = bool(lacks_of(RunSource(run.folder, benchmark)))
    return IndexPart(adjusted(figure.value), interval, lacks, signs_of(row, column))


AXES = ("benchmark", "protocol", "model")
"""Tables of a suite, the ones whose settings hold last at the end."""
ABOUT = "about"
"""The key of a file that says in some words what the suite is."""
OUT = "runs"
"""The folder of a suite that names none, in which it has a folder of its file's name."""


def read_suite(path: Path, given: Mapping[str, Any] | None = None) -> list[RunConfig]:
    """The runs of a suite, those of one model after each other; each has a folder of its own.

    Args:
        path: the file.
        given: settings that hold before all that the file says.

    Returns:
        One config for each combination. Several frames, forms or budgets of a run stay in its config.

    Raises:
        InputError: the file can't be read or is no suite; the sentence names the line of an unknown key.
        UsageError: a setting is of the wrong type or out of bounds.
    """
    text, data = _read(path)
    data.pop(PLUGINS, None)
    for key in (ABOUT, KEY, INDEX):
        data.pop(key, None)
    tables = {axis: _tables(path, text, data.pop(axis, None), axis) for axis in AXES}
    if not tables["model"] and "model" in (given or {}):
        tables["model"] = [{}]
    elif not tables["model"] and path.parent == FOLDER:
        raise UsageError(f"the suite {path.stem} is for any model; name yours with --model FAMILY/NAME.")
    for axis in ("benchmark", "model"):
        if not tables[axis]:
            raise InputError(path, f"has no [[{axis}]] table", fix=f'write [[{axis}]] and {axis} = "NAME" below it')
    _check_keys(path, text, data, extra=(*AXES, ABOUT, KEY, INDEX))
    shared = by_field(path, RunConfig, data)
    root = Path((given or {}).get("out") or shared.pop("out", None) or Path(OUT) / path.stem)
    configs = []
    for model, benchmark, protocol in itertools.product(
        tables["model"], tables["benchmark"], tables["protocol"] or [{}]
    ):
        settings = shared | benchmark | protocol | model | {k: v for k, v in (given or {}).items() if k != "out"}
        config = make(RunConfig, settings, where=f"{path}: ")
        configs.append(replace(config, out=root / _place(config)))
    _refuse_twins(path, configs)
    index_of(path, configs)  # a wrong one is said before anything is asked
    return configs


def copy_suite(path: Path, folder: Path, given: Mapping[str, Any] | None = None) -> None:
    """Keep a copy of the file with its runs.

    Args:
        path: of the suite.
        folder: of its runs.
        given: settings that held before the file's; of a suite that comes with Tolman they are kept as a comment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if path.resolve() != (folder / path.name).resolve():
        said = _said(given or {}) if path.parent == FOLDER else ""
        write_text(folder / path.name, said + path.read_text(encoding="utf-8-sig"))


def _said(given: Mapping[str, Any]) -> str:
    """Return settings as the lines of a comment; those that may hold a password are left out."""
    kept = {
        one.name: as_toml(given[one.name])
        for one in fields_of(RunConfig)
        if given.get(one.name) is not None and not is_secret(one, given[one.name])
    }
    return "".join(f"# {line}\n" for line in ("Carried out with:", *tomli_w.dumps(kept).splitlines()))


def folder_of(configs: Sequence[RunConfig]) -> Path:
    """The folder of a suite's runs."""
    places = [config.out for config in configs if config.out is not None]
    return places[0].parent.parent


def _place(config: RunConfig) -> Path:
    """A run's folder below the suite's: the benchmark's, then the model's with its protocol."""
    benchmark = file_name("-".join(filter(None, (Path(config.benchmark).name, config.subset))))
    model = config.model if config.label is None else f"{config.model}-{config.label}"
    return Path(benchmark) / file_name(f"{model}-{config.protocol}")


def _refuse_twins(path: Path, configs: Sequence[RunConfig]) -> None:
    """Two runs must not share a folder, and two models not a name: their figures would be one row."""
    by_place: dict[Path | None, RunConfig] = {}
    for config in configs:
        twin = by_place.setdefault(config.out, config)
        if twin is config:
            continue
        if twin.base_url != config.base_url and twin.model == config.model:
            raise InputError(
                path,
                f"has {config.model} at {twin.base_url} and at {config.base_url}",
                fix="give each a 'label', or if they serve the same, write both addresses into one base_url",
            )
        raise InputError(
            path,
            f"has {config.model} with {config.protocol} on {config.benchmark} twice",
            fix="leave one out, or give each model a 'label' and each benchmark a 'subset'",
        )


def _tables(path: Path, text: str, value: Any, axis: str) -> list[dict[str, Any]]:
    """The tables of an axis: [[model]] tables, or a list of names for short."""
    if value is None:
        return []
    if isinstance(value, str):
        value = [value]
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise InputError(path, f"'{axis}' is no table", fix=f"write [[{axis}]]")
    found = [{axis: one} if isinstance(one, str) else one for one in value]
    for number, table in enumerate(found, start=1):
        if not isinstance(table, dict):
            raise InputError(path, f"'{axis}' holds {table!r}", fix=f"write [[{axis}]], or a list of names")
        _check_keys(path, text, table)
        if axis != "protocol" and axis not in table:
            raise InputError(path, f"[[{axis}]] table {number} says no '{axis}'", fix=f'write {axis} = "NAME"')
    return [by_field(path, RunConfig, table) for table in found]


def _check_keys(path: Path, text: str, table: Mapping[str, Any], extra: Sequence[str] = ()) -> None:
    known = [one.name for one in fields_of(RunConfig)]
    options = {one.option.removeprefix("--").replace("-", "_"): one.name for one in fields_of(RunConfig)}
    for key in table:
        plain = key.replace("-", "_")
        if plain not in known and plain not in options:
            line = next(
                (n for n, one in enumerate(text.splitlines(), 1) if re.match(rf"\s*{re.escape(key)}\s*=", one)), None
            )
            place = f"line {line}: " if line else ""
            raise InputError(path, f"{place}there is no setting '{key}'", fix=hint(plain, [*known, *extra]))


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror or error})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is no TOML ({error})") from None


def models_of(configs: Sequence[RunConfig]) -> list[list[RunConfig]]:
    """The runs of each model: those of one endpoint, or of all networks of this machine, are done after each other."""
    groups: dict[tuple[str, ...], list[RunConfig]] = {}
    for config in configs:
        family = config.model.partition("/")[0]
        named = (config.model, config.base_url, config.label, config.serve)
        own = ("hf",) if family == "hf" else tuple(one or "" for one in named)
        groups.setdefault(own, []).append(config)
    return list(groups.values())


def check_names(configs: Sequence[RunConfig]) -> None:
    """Refuse unknown names before the first call. A folder that can't be read fails alone, when it is loaded.

    Raises:
        UsageError: there is no such benchmark, subset, prompt preset, protocol or family of models.
    """
    for name, subset, preset in dict.fromkeys((one.benchmark, one.subset, one.preset) for one in configs):
        try:
            benchmark = benchmarks.get(name)
        except InputError:
            continue
        preset_of(benchmark, preset, subset_of(benchmark, subset))
    for name in dict.fromkeys(config.protocol for config in configs):
        protocols.get(name)
    for name in dict.fromkeys(config.model for config in configs):
        if name.partition("/")[0] not in models.families():
            raise UsageError(f"there is no model family '{name}'; {hint(name.partition('/')[0], models.families())}.")
