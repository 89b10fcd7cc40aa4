"""Analyses over several models: correlation, capability weights, a representative subset, and memorisation.

Weights say how much each cognitive level counts, from runs or from the rows that a paper prints. Models score on the
representative subset as on all items, checked on models that took no part.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tolman import benchmarks
from tolman.analyze.deltas import MemorisationResult, RunGaps, form_gaps
from tolman.analyze.model_scores import (
    Correlation,
    CorrelationResult,
    WeightsResult,
    correlate,
    published_correlation,
    solve,
)
from tolman.analyze.representative import RepresentativeResult, representative
from tolman.benchmarks.benchmark_folder import form_of, provenance_of
from tolman.benchmarks.published import published_tables
from tolman.benchmarks.rows import Row, read_rows
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError, UsageError, counted, hint
from tolman.features.analyses import plain_fields, to_plain, to_plain_tables, write_ids, write_json
from tolman.features.analyses.config import (
    CorrelationConfig,
    MemorisationConfig,
    RepresentativeConfig,
    WeightsConfig,
)
from tolman.features.analyses.robot_logs import read_robot_logs
from tolman.features.analyses.scored_runs import scored_runs
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.reports.loaded_runs import (
    LoadedRun,
    load_runs,
    one_benchmark,
    one_rule_set,
    refuse_adaptive,
    scores_under,
    withheld,
)
from tolman.reports.table_rows import missing_marks
from tolman.scoring.clusters import Floats
from tolman.scoring.significance import holm


@dataclass(frozen=True)
class CorrelatedColumns:
    """Columns over models, before they are correlated.

    Attributes:
        models: names, in the order of the table.
        figures: column → one figure for each model, nan where there is none; negated where lower is better.
        score, others: the column that is correlated, and those it is correlated with.
        controls: those that are held fixed.
        marks: a line for each score that lacks parts of its benchmark.
    """

    models: list[str]
    figures: dict[str, Floats]
    score: str
    others: list[str]
    marks: list[str]
    controls: tuple[str, ...] = ()


def analyze_correlation(config: CorrelationConfig, events: Events = silent) -> CorrelationResult:
    """Correlate one column of a table with others, over its rows.

    Raises:
        InputError: a cell that is no number, a model twice, a column that is missing.
        UsageError: no column to start from.
    """

    columns = correlated_columns(config)
    found = correlations(columns, config.seed)
    tables = published_tables("correlation")
    printed = {
        other: None if config.control else published_correlation(columns.score, other, tables) for other in found
    }
    published = {other: one for other, one in printed.items() if one is not None}
    return CorrelationResult(
        columns.score, config.lower_is_better, config.seed, columns.marks, found, published, columns.controls
    )


def correlations(columns: CorrelatedColumns, seed: int) -> dict[str, Correlation]:
    """Correlate the score with each other column."""

    score, held = columns.figures[columns.score], [columns.figures[name] for name in columns.controls]
    return {other: correlate(score, columns.figures[other], held, seed=seed) for other in columns.others}


def correlated_columns(config: CorrelationConfig) -> CorrelatedColumns:
    """Read the table, and the runs' headlines next to it.

    Raises:
        InputError, UsageError: as `analyze_correlation`.
    """
    asked = {*config.against, *config.control, *config.lower_is_better, *([config.score] if config.score else [])}
    names, columns, marks = read_robot_logs(config.table) if config.table.is_dir() else _read(config.table, asked)
    score = config.score
    if config.runs:
        name, values, remarks = _headlines(config.runs, names)
        marks += remarks
        if name in columns:
            raise UsageError(f"the table has a column '{name}' of its own; leave the runs or the column out.")
        columns, score = {name: values, **columns}, score or name
    if score is None:
        raise UsageError("which column is correlated with the others? Name it with --score, or give runs.")
    for column in (score, *config.against, *config.control, *config.lower_is_better):
        if column not in columns:
            raise InputError(
                config.table, f"has no column '{column}'", fix=f"columns with figures: {', '.join(columns)}"
            )
    turned = {name: -own if name in config.lower_is_better else own for name, own in columns.items()}
    others = list(config.against) or [column for column in columns if column not in (score, *config.control)]
    if held := {score, *others} & {*config.control}:
        raise UsageError(f"the column '{min(held)}' can't be both correlated and held fixed; leave out one.")
    return CorrelatedColumns(names, turned, score, others, marks, config.control)


def _read(path: Path, wanted: Collection[str]) -> tuple[list[str], dict[str, Floats], list[str]]:
    """Read the models of the first column, every other column that holds numbers, and remarks.

    Args:
        path: of the table.
        wanted: columns that have to hold numbers.
    """

    rows = read_rows(path)
    if len(rows) < 2:
        raise InputError(path, "holds fewer than two models", fix="give a row for each model")
    header = list(rows[0])
    names = [str(row[header[0]]).strip() for row in rows]
    for number, name in enumerate(names, start=2):
        if name in names[: number - 2]:
            raise InputError(path, f"the model {name!r} appears twice", row=number, field=header[0])
    columns, marks = {}, []
    for heading in header[1:]:
        cells = [read_figure(row[heading]) for row in rows]
        if heading in wanted or any(isinstance(cell, FigureCell) for cell in cells):
            columns[heading] = np.array([_value(path, i, row, heading) for i, row in enumerate(rows, start=2)])
            marks += _marks(path, heading, [cell for cell in cells if isinstance(cell, FigureCell)])
    if not columns:
        raise InputError(path, "has no column with figures")
    return names, columns, marks


@dataclass(frozen=True)
class FigureCell:
    """A figure as papers print it.

    Attributes:
        value: the figure, without its error.
        has_error: whether an error follows, after ±.
        is_percent: whether a percent sign follows.
    """

    value: float
    has_error: bool
    is_percent: bool


_NUMBER = r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
_FIGURE = re.compile(rf"({_NUMBER})\s*(%?)\s*(?:(?:±|\+/?-)\s*(?=[0-9.]){_NUMBER}\s*(%?))?")
_FOOTNOTES = "*†‡§¶¹²³⁴⁵ "
_NONE = {"", "-", "–", "—", "n/a", "na", "nan", "none", "null"}


def read_figure(cell: object) -> FigureCell | str | None:
    """Read a cell: a number, also with a thousands comma, a percent sign, an error after ±, or a footnote mark.

    Returns:
        None for an empty cell or a dash; the text itself if it is no figure.
    """
    text = str(cell if cell is not None else "").replace("\u2212", "-").replace("\u00a0", " ").strip(_FOOTNOTES)
    if text.casefold() in _NONE:
        return None
    found = _FIGURE.fullmatch(text)
    try:
        value = float(found[1].replace(",", "")) if found else math.nan
    except ValueError:
        value = math.nan
    if found is None or not math.isfinite(value):
        return text
    return FigureCell(value, found[3] is not None, "%" in (found[2], found[3]))


def _value(path: Path, number: int, row: Row, heading: str) -> float:
    found = read_figure(row[heading])
    if isinstance(found, str):
        raise InputError(path, f"{found!r} is no number", row=number, field=heading, fix="write 12.3, or nothing")
    return math.nan if found is None else found.value


def _marks(path: Path, heading: str, figures: Sequence[FigureCell]) -> list[str]:
    """Remarks on a column.

    Raises:
        InputError: some figures have a percent sign and others none.
    """
    percents = sum(figure.is_percent for figure in figures)
    if 0 < percents < len(figures):
        what = f"has a percent sign behind {percents} of {len(figures)} figures"
        raise InputError(path, what, field=heading, fix="write all of them on one scale")
    errors = sum(figure.has_error for figure in figures)
    return [f"{heading}: the errors after ± of {counted(errors, 'figure')} are not used."] if errors else []


def _headlines(paths: Sequence[Path], names: Sequence[str]) -> tuple[str, Floats, list[str]]:
    """The runs' headlines, in the order of the table's models (nan for a model without a run), and a line for each that
    lacks parts.

    Raises:
        UsageError: two runs are of one model, or none is of the table's.
    """

    scored = scored_runs(paths)
    benchmark, headline = scored.benchmark, scored.benchmark.table.headline
    values: dict[str, float] = {}
    places: dict[str, Path] = {}
    remarks: dict[str, None] = {}
    for run in scored.runs:
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        for name in (run.record.settings.model, run.record.settings.model.partition("/")[2]):
            if name in names and run.record.settings.protocol == "direct":
                if name in places:
                    raise UsageError(
                        f"the runs {places[name]} and {run.folder.path} are both of the model '{name}'; give one for "
                        "each row of the table."
                    )
                places[name] = run.folder.path
                figure = used[scored.scorer]["cells"][headline]["value"]
                values[name] = math.nan if figure is None else figure
                remarks |= dict.fromkeys(missing_marks(run.name, run.folder.path, used, benchmark, [headline]))
    if not values:
        raise UsageError("the table's first column names none of the runs' models (names must be equal).")
    return benchmark.title, np.array([values.get(name, math.nan) for name in names]), list(remarks)


def correlation_to_json(result: CorrelationResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    return plain_fields(result, "score", "negated", "seed", "marks", "correlations", "published", "controls")


LEVELS = "Levels"
"""The group of the columns that are levels, in a table that has them."""


@dataclass(frozen=True)
class _Figures:
    """Models' figures, column key → figure, and how many questions each column has where that is known."""

    names: list[str]
    figures: list[dict[str, float | None]]
    counts: dict[str, int]


def analyze_weights(config: WeightsConfig, events: Events = silent) -> WeightsResult:
    """Solve for the weights of levels.

    Raises:
        MissingExtraError: scipy isn't installed.
        UsageError: no scores, unknown columns or models, or no solution.
    """

    if bool(config.runs) == (config.published is not None):
        raise UsageError("give runs, or --published BENCHMARK for the rows of its paper.")
    benchmark, scores = _of_runs(config.runs) if config.runs else _published(config.published or "")
    columns = {column.key: column for column in benchmark.table.columns}
    keys = list(config.levels) or [c.key for c in benchmark.table.columns if c.group == LEVELS]
    unknown = [key for key in keys if key not in columns]
    if unknown or not keys:
        problem = f"no column '{unknown[0]}'" if unknown else "no levels of its own"
        which = hint(unknown[0] if unknown else "", columns)
        raise UsageError(f"{benchmark.title} has {problem}; name some with --levels; {which}.")
    missing = [name for name in config.leave_out if name not in scores.names]
    if missing:
        raise UsageError(f"there is no row '{missing[0]}' to leave out; {hint(missing[0], scores.names)}.")
    taken = [
        (name, [own.get(key) for key in keys])
        for name, own in zip(scores.names, scores.figures, strict=True)
        if name not in config.leave_out and all(own.get(key) is not None for key in keys)
    ]
    numbers = list(config.counts) or [float(scores.counts.get(key, 0)) for key in keys]
    if len(numbers) != len(keys) or not all(number > 0 for number in numbers):
        raise UsageError(f"say how many questions each of the {len(keys)} levels has: --counts N,N,…")
    means = np.array([row for _, row in taken], dtype=np.float64).reshape(len(taken), len(keys))
    found = solve(means, np.array(numbers), alpha=config.alpha, trade_off=config.k, seed=config.seed)
    return WeightsResult(
        title=benchmark.title,
        levels={key: columns[key].title for key in keys},
        counts=numbers,
        models=[name for name, _ in taken],
        alpha=config.alpha,
        k=config.k,
        weights=found,
    )


def _of_runs(paths: Sequence[Path]) -> tuple[BenchmarkSpec, _Figures]:
    scored = scored_runs(paths)
    cells = [run.figures["rule_sets"][scored.scorer]["cells"] for run in scored.runs]
    figures = [{key: cell["value"] for key, cell in own.items()} for own in cells]
    counts = {key: max(own[key]["n"] for own in cells if key in own) for key in cells[0]}
    return scored.benchmark, _Figures([run.name for run in scored.runs], figures, counts)


def _published(name: str) -> tuple[BenchmarkSpec, _Figures]:
    """The rows of models in the paper's main table, in its default setting."""

    benchmark = benchmarks.get(name)
    rows = [row for row in benchmark.published_rows if row.group == "model" and not row.setting]
    if not rows:
        raise UsageError(f"{benchmark.title} has no published rows.")
    rows = [row for row in rows if row.source == rows[0].source]
    return benchmark, _Figures([row.name for row in rows], [row.values for row in rows], {})


def weights_to_json(result: WeightsResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    levels = {"levels": list(result.levels), **plain_fields(result, "models", "alpha", "k")}
    return {**levels, **to_plain(result.weights)}


def analyze_representative(config: RepresentativeConfig, events: Events = silent) -> RepresentativeResult:
    """Choose a subset, check it on models left out, and write its ids.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: too few runs or items, or two runs of one name.
    """

    scored = scored_runs(config.runs, config.scorer)
    refuse_adaptive(scored.runs)
    names = scored.model_names
    events(Began("choosing", len(names) + 1))
    table = scored.benchmark.table_of(scored.scorer)
    rows = [scored.rows(run) for run in scored.runs]
    subset = representative(rows, table, config.size, seed=config.seed, done=lambda count: events(Advanced()))
    events(Ended())
    headline = scored.benchmark.table.column(scored.benchmark.table.headline)
    printed = tuple(published_tables("representative", scored.benchmark.title))
    result = RepresentativeResult(names, scored.scorer, config.seed, config.size, headline, subset, config.out, printed)
    if config.out is not None:
        config.out.mkdir(parents=True, exist_ok=True)
        write_ids(config.out / "ids.txt", subset.ids)
        write_json(config.out / "subset.json", representative_to_json(result))
    return result


def representative_to_json(result: RepresentativeResult) -> dict[str, Any]:
    """Make the content of `--json` and of `subset.json` of a result."""
    settings = plain_fields(result, "models", "scorer", "seed", "size")
    return {**settings, **to_plain(result.subset), "published": to_plain_tables(result.published)}


def analyze_memorisation(config: MemorisationConfig, events: Events = silent) -> MemorisationResult:
    """Compare models' runs on a public form of a benchmark with their runs on fresh forms.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: a model lacks a run, the forms aren't parallel, or they share questions or scenes.
    """
    runs = load_runs(config.runs)
    refuse_adaptive(runs)
    digest = runs[0].record.settings.data_hash
    public = [run for run in runs if run.record.settings.data_hash == digest]
    fresh = [run for run in runs if run.record.settings.data_hash != digest]
    if not fresh:
        raise UsageError("all runs are on the same questions; name the runs on a fresh form too.")
    if form_of(_home(public[0])):
        raise UsageError(f"{public[0].folder.path} is a run on a fresh form; name a run on the public form first.")
    benchmark, scorer = one_benchmark(public), one_rule_set(runs, config.scorer)
    rows = {run.folder.path: scores_under(run, scorer) for run in runs}
    unchecked = tuple(dict.fromkeys(filter(None, (_check_parallel(public[0], run) for run in fresh))))
    _check_apart([rows[public[0].folder.path], *_one_of_each_form(fresh, rows)])
    twins = max(_twins(form_of(_home(run))) for run in fresh)
    rows = {path: _in_groups(frame, twins) for path, frame in rows.items()}
    pairs = _pairs(public, fresh)
    table = benchmark.table_of(scorer)
    events(Began("comparing", len(pairs)))
    found, unanswered = [], []
    for name, (own, others) in pairs.items():
        lacking = set().union(*(withheld(run, scorer) for run in (own, *others)))
        forms = pl.concat([rows[run.folder.path] for run in others], how="diagonal")
        gaps = form_gaps(rows[own.folder.path], forms, table, seed=config.seed)
        found.append((name, {key: gap for key, gap in gaps.items() if key not in lacking}))
        if table.headline not in found[-1][1]:
            unread = "too many responses are unread"
            why = unread if table.headline in lacking else "it isn't a weighted sum of the same types in both forms"
            unanswered.append(f"{name}: {table.column(table.headline).title} is left out, as {why}.")
        events(Advanced())
    events(Ended())
    tests = [gap.p for _, gaps in found for gap in gaps.values() if gap.p is not None]
    adjusted = iter(holm(tests))
    results = [
        RunGaps(name, gaps, {key: next(adjusted) for key, gap in gaps.items() if gap.p is not None})
        for name, gaps in found
    ]
    for run in runs:
        frame = rows[run.folder.path]
        if count := frame.filter(frame["score"].is_null()).height:
            lost = counted(count, "question without a score is", "questions without a score are")
            unanswered.append(f"{run.name}: {lost} left out.")
    return MemorisationResult(scorer, results, table.columns, table.headline, unchecked, tuple(unanswered))


def _home(run: LoadedRun) -> Path:
    """The folder of a run's benchmark."""
    return Path(run.record.settings.benchmark)


def _check_parallel(public: LoadedRun, fresh: LoadedRun) -> str:
    """Refuse forms that aren't made by one recipe; a sentence where that isn't known.

    Raises:
        UsageError: types, recipes or versions differ.
    """
    kinds = [set(run.folder.scores()["task"]) for run in (public, fresh)]
    paths = f"{public.folder.path} and {fresh.folder.path}"
    if other := sorted(kinds[0] ^ kinds[1]):
        raise UsageError(f"{paths} aren't on parallel forms: only one has the question type {other[0]}.")
    form = form_of(_home(fresh))
    if form and form.get("benchmark") != public.record.settings.data_hash:
        raise UsageError(f"{_home(fresh)} is a form of another benchmark than {_home(public)}.")
    told = [provenance_of(_home(run)) for run in (public, fresh)]
    for name in ("tolman", "preset", "choices"):
        if all(told) and told[0].get(name) != told[1].get(name):
            raise UsageError(f"{paths} aren't on parallel forms: their recipes differ in '{name}' (provenance.json).")
    return "" if all(told) else f"The recipes of {paths} weren't compared: there is no provenance.json."


def _twins(form: dict[str, Any]) -> int:
    """How many scenes of a form are twins of each other; 1 for none."""
    recipe = form.get("recipe")
    simulated = recipe.get("simulate") if isinstance(recipe, dict) else None
    twins = simulated.get("twins") if isinstance(simulated, dict) else None
    return twins if isinstance(twins, int) and twins > 1 else 1


def _in_groups(rows: pl.DataFrame, twins: int) -> pl.DataFrame:
    """Rows whose clusters are groups of twins, which are numbered one after the other ('simulated/7-0012')."""
    if twins == 1:
        return rows
    number = pl.col("cluster").str.extract(r"-(\d+)$").cast(pl.Int64, strict=False) // twins
    group = pl.concat_str(pl.col("cluster").str.replace(r"\d+$", "twins-"), number.cast(pl.String))
    return rows.with_columns(pl.coalesce(group, "cluster").alias("cluster"))


def _one_of_each_form(fresh: Sequence[LoadedRun], rows: dict[Path, pl.DataFrame]) -> list[pl.DataFrame]:
    first: dict[str, pl.DataFrame] = {}
    for run in fresh:
        first.setdefault(run.record.settings.data_hash, rows[run.folder.path])
    return list(first.values())


def _check_apart(forms: Sequence[pl.DataFrame]) -> None:
    """Refuse forms that share questions or scenes.

    Raises:
        UsageError: two do.
    """
    for what, name in (("question", "id"), ("scene", "cluster")):
        seen: set[str] = set()
        for frame in forms:
            own = set(frame[name])
            if both := seen & own:
                shared = f"{counted(len(both), what)}, such as {min(both)}"
                raise UsageError(f"the forms share {shared}, so they are no independent samples; use other scenes.")
            seen |= own


def _pairs(public: Sequence[LoadedRun], fresh: Sequence[LoadedRun]) -> dict[str, tuple[LoadedRun, list[LoadedRun]]]:
    """Each model's run on the public form and its runs on fresh ones.

    Raises:
        UsageError: a model lacks one, or has two on one form.
    """
    own: dict[str, LoadedRun] = {}
    others: dict[str, dict[str, LoadedRun]] = {}
    for run in (*public, *fresh):
        name = run.record.settings.named()
        known = own if run in public else others.setdefault(name, {})
        key = name if run in public else run.record.settings.data_hash
        if key in known:
            raise UsageError(f"{known[key].folder.path} and {run.folder.path} are of {name} on one form; give one.")
        known[key] = run
    if lacking := sorted(own.keys() ^ others.keys()):
        where = "public" if lacking[0] in others else "fresh"
        raise UsageError(f"{lacking[0]} has no run on the {where} form; give one, or leave out its other runs.")
    return {name: (run, list(others[name].values())) for name, run in own.items()}
