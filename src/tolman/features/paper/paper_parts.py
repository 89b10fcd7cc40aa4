"""The parts of a rebuilt paper: the runs that each needs, their gaps, and the steps that make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.analyze.composition import diversity, facts
from tolman.analyze.labels import label_names
from tolman.analyze.model_scores import published_correlation, same_heading
from tolman.benchmarks.published import published_tables
from tolman.errors import UsageError, counted
from tolman.features.analyses.config import CorrelationConfig, RepresentativeConfig
from tolman.features.analyses.model_analyses import analyze_representative, correlated_columns, correlations
from tolman.features.config import make
from tolman.features.figures import FIGURES
from tolman.features.figures.compute import draw_figure
from tolman.features.paper import Drawing, PaperPart, RunNeed, ScoreTable, SubsetTable
from tolman.features.report.config import CutSettings
from tolman.features.report.report_cuts import cut_tables, read_places
from tolman.files import write_text
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.report_content import build, emphasis, part_of, with_ranks
from tolman.reports.table_rows import ReportTable
from tolman.reports.text import comma_separated, escape_markdown, interval_shown, label, latex, markdown, shown
from tolman.runs.run_folder import BASELINES, PEOPLE, RunFolder
from tolman.runs.run_scoring import score_run
from tolman.text_tables import csv_text


@dataclass(frozen=True)
class MadeFile:
    """A table or figure that was made.

    Attributes:
        names: of its files, in the folder.
        html: the table as HTML; '' for a figure.
        picture: the file of a figure; '' for a table.
        about: the content of the figure.
        notes: sentences below it.
    """

    names: tuple[str, ...]
    html: str = ""
    picture: str = ""
    about: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class PartRuns:
    """The runs of one set of questions that a part is made of.

    Attributes:
        own: those that it shows.
        others: runs that others represent.
        lacks: missing pieces of the part, which is made in part.
        absent: why it can't be made of them.
        said: further sentences about them.
    """

    own: list[LoadedRun]
    others: list[LoadedRun] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def runs_of(part: PaperPart, runs: Sequence[LoadedRun], place: Path) -> dict[tuple[str, str], PartRuns]:
    """For each set of questions (its subset and the hash of its data) the runs that a part is made of.

    Args:
        part: of the paper.
        runs: that the user gave.
        place: a folder for runs that are cut to the part's subset.
    """
    groups: dict[tuple[str, str], list[LoadedRun]] = {}
    able = [run for run in runs if _can_serve(run, part)]
    for run in able:
        if not part.subset or run.record.settings.subset == part.subset:
            groups.setdefault((run.record.settings.subset, run.record.settings.data_hash), []).append(run)
    cut = dict[str, str]()
    for run in able:
        named = {other.name for own in groups.values() for other in own}
        if part.subset and run.record.settings.subset != part.subset and run.name not in named:
            found = cut_to_subset(run, part.subset, place)
            if found is not None:
                settings = found.record.settings
                groups.setdefault((settings.subset, settings.data_hash), []).append(found)
                cut[run.name] = (
                    f"{run.name}: its answers to the {counted(found.figures['items'], 'question')} of {part.subset}."
                )
    chosen = {key: _chosen(own, part) for key, own in groups.items()}
    for one in chosen.values():
        one.said += [cut[run.name] for run in one.own if run.name in cut and run.folder.path.is_relative_to(place)]
    return chosen


def _can_serve(run: LoadedRun, part: PaperPart) -> bool:
    settings = run.record.settings
    # A baseline sees no media under any protocol; where protocols are compared, it has nothing to compare.
    is_baseline = settings.model.startswith(BASELINES) and part.least == 1
    return not part.protocols or settings.protocol in part.protocols or is_baseline


def cut_to_subset(run: LoadedRun, subset: str, place: Path) -> LoadedRun | None:
    """The part of a run that is of a subset's questions, as a run folder of its own.

    Args:
        run: of another subset.
        subset: one whose questions the benchmark knows by their ids.
        place: where the folder is made.

    Returns:
        None where the subset isn't known by its ids, or the run asked none of it.
    """
    spec = benchmarks.get(run.record.settings.benchmark)
    if subset not in spec.subset_ids:
        return None
    ids = spec.subset_ids[subset]()
    items = [item for item in run.folder.items() if item.id in ids]
    if not items:
        return None
    folder = RunFolder(place / f"{len([*place.iterdir()])}")
    outcomes = [outcome for outcome in run.folder.each_outcome() if outcome.id in ids]
    settings = run.record.settings.model_copy(update={"subset": subset, "data_hash": data_hash(items)})
    record = run.record.model_copy(
        update={"settings": settings, "subset_items": len(items), "presented_items": None, "endpoint": {}}
    )
    folder.start(record)
    folder.write_items(items)
    folder.write_outcomes(outcomes)
    judgements = run.folder.judgements()
    if judgements is not None:
        folder.write_judgements(judgements)
    score_run(folder, spec, record, items, outcomes)
    return replace(run, folder=folder, record=record, figures=folder.figures())


def _chosen(runs: Sequence[LoadedRun], part: PaperPart) -> PartRuns:
    found = _of_grids(runs, part)
    own, others = _distinct(found.own, part)
    found.own, found.others = own, [*found.others, *others]
    if len({run.record.settings.protocol for run in own}) < part.least:
        found.absent.append(f"fewer than {part.least} of the protocols {' or '.join(part.protocols)} have a run")
    if part.sweeps and len({str(run.record.settings.frames) for run in own}) < 2:
        found.absent.append("all runs show the same number of frames")
    for need in part.needs:
        if not any(_meets(run, need) for run in own):
            (found.absent if need.essential else found.lacks).append(f"no run {need.describe()}")
    if not part.is_of_questions and all(run.record.settings.model.startswith(BASELINES) for run in own):
        found.lacks.append("no run is of a model, only of baselines")
    used = [max(own, key=asked)] if part.is_of_questions else own
    found.lacks += [text for run in used for text in _lacks(run, part)]
    return found


def _of_grids(runs: Sequence[LoadedRun], part: PaperPart) -> PartRuns:
    """Runs whose maps are on the part's grid, where it is of one: those on others are left out."""
    if len(part.grids) != 1 or not runs:
        return PartRuns(list(runs))
    (wanted,) = part.grids
    drawn = {_grid(run) for run in runs}
    grid = wanted if wanted in drawn else _grid(runs[0])
    own = [run for run in runs if _grid(run) == grid]
    lacks = [] if grid == wanted else [f"the maps are on a grid of {grid}, and the paper's on one of {wanted}"]
    return PartRuns(own, [run for run in runs if run not in own], lacks)


def _grid(run: LoadedRun) -> int | None:
    grid = run.record.settings.protocol_settings.get("grid")
    return None if grid is None else int(grid)


def _distinct(runs: Sequence[LoadedRun], part: PaperPart) -> tuple[list[LoadedRun], list[LoadedRun]]:
    """Return the runs that a part is made of, and those that others represent.

    If protocols are compared, runs are of equal frames and reasoning, at the settings with most protocols. The first
    given of several runs at one place represents all.
    """
    own: list[LoadedRun] = list(runs)
    others: list[LoadedRun] = []
    if part.least > 1:
        alike: dict[str, list[LoadedRun]] = {}
        for run in own:
            settings = run.record.settings
            selection = "" if _holds_types(run, part) else str(settings.selection)
            alike.setdefault(f"{settings.frames} {settings.sampling.thinking} {selection}", []).append(run)
        own = max(alike.values(), key=lambda some: (len({r.record.settings.protocol for r in some}), len(some)))
        others = [run for run in runs if run not in own]
    if part.least == 1 and not part.sweeps:
        return own, others
    places: dict[tuple[str, str, str, int | None], LoadedRun] = {}
    for run in own:
        settings = run.record.settings
        grid = _grid(run) if part.grids else None
        known = places.setdefault((settings.model, settings.protocol, str(settings.frames), grid), run)
        others += [run] if known is not run else []
    return list(places.values()), others


def _meets(run: LoadedRun, need: RunNeed) -> bool:
    settings = run.record.settings
    return (
        (not need.protocol or settings.protocol == need.protocol)
        and (need.grid is None or _grid(run) == need.grid)
        and settings.model.startswith(PEOPLE if need.people else "")
    )


def _holds_types(run: LoadedRun, part: PaperPart) -> bool:
    """Check whether a run is of all questions of the types that a part is about."""
    selection = run.record.settings.selection
    without = selection.model_copy(update={"tasks": ()})
    return bool(part.tasks) and without.is_all and set(part.tasks) <= set(selection.tasks or part.tasks)


def _lacks(run: LoadedRun, part: PaperPart) -> list[str]:
    """Return a run's gaps in the questions that a part is about."""
    spec, record = benchmarks.get(run.record.settings.benchmark), run.record
    is_whole_data = record.subset_items >= spec.sizes.get(record.settings.subset, 0)
    of = "" if is_whole_data and _holds_types(run, part) else part_of(run, spec)
    found = [f"{run.name} is of {of} questions"] if of else []
    lost = sum(run.figures["unanswered"].values())
    if lost and not part.is_of_questions and not run.record.failures_are_wrong:
        found.append(f"{run.name} lacks {lost:,} of {counted(run.figures['asked'], 'answer')}")
    return found


def asked(run: LoadedRun) -> int:
    """How many questions a run asked."""
    return int(run.figures["items"])


FORMS = {".md": markdown, ".csv": comma_separated, ".tex": latex}


def score_tables(
    step: ScoreTable, runs: Sequence[LoadedRun], out: Path, stem: str, places: Path | None = None
) -> list[MadeFile]:
    """Write a table of scores as Markdown, CSV and LaTeX, with the paper's rows and by labels where it has some.

    Args:
        step: which table.
        runs: its rows.
        out, stem: folder, and name without suffix.
        places: a file that gives questions labels which their rows lack.

    Raises:
        UsageError: the runs can't be in one table, or the questions have none of the labels.
    """
    report = build(runs, "paper")
    if step.sources:
        own = [row for row in report.rows if row.group != "model" or row.source in step.sources]
        report = replace(report, rows=with_ranks(own, report.columns))
    if step.by:
        labels = {name for item in runs[0].folder.items() for name in item.labels}
        if places is not None:
            labels |= {name for classes in read_places(places).places.values() for name in classes}
        by = next((name for name in step.by if name in labels), None)
        if by is None:
            raise UsageError(f"the questions carry no label {' or '.join(step.by)}.")
        settings = CutSettings(by=(by,), figure=step.figures_below or None, places=places)
        report = replace(report, cuts=cut_tables(runs, report.benchmark, settings))
    written = []
    for suffix, form in FORMS.items():
        write_text(out / f"{stem}{suffix}", form(report))
        written.append(f"{stem}{suffix}")
    said = [*report.warnings, *report.marks]
    tables = [html_table(table) for table in (report.table, *report.cuts)]
    for table in report.cuts:
        said += [*table.marks, *table.notes]
    return [MadeFile(tuple(written), html="\n".join(tables), notes=tuple(dict.fromkeys(said)))]


def draw(step: Drawing, runs: Sequence[LoadedRun], given: dict[str, Any], out: Path, stem: str) -> MadeFile:
    """Draw a figure as SVG, for print as PDF, and write its data as CSV.

    Raises:
        UsageError, InputError: as `tolman figure` of its kind.
    """
    kind = FIGURES.get(step.kind)
    name = f"{stem}-{step.kind}"
    settings = dict(step.settings) | given
    if step.of_questions:
        settings |= {"benchmark": str(_whole(runs).folder.path)}
        settings["by"] = _labels(step, _whole(runs))
    else:
        settings["runs"] = tuple(run.folder.path for run in runs)
    config = make(kind.config, settings | {"out": out / f"{name}.svg", "csv": out / f"{name}.csv"})
    chart = draw_figure(kind, config).chart
    draw_figure(kind, replace(config, out=out / f"{name}.pdf", csv=None), chart=chart)
    return MadeFile((f"{name}.svg", f"{name}.pdf", f"{name}.csv"), picture=f"{name}.svg", about=chart.title)


def _labels(step: Drawing, run: LoadedRun) -> tuple[str, ...]:
    """The labels of a figure of questions that the questions have.

    Raises:
        UsageError: none of them, or not both of two that are crossed.
    """

    wanted = tuple(step.settings["by"])
    known = label_names(run.folder.items())
    found = tuple(name for name in wanted if name in known)
    if not found or (step.kind == "cross" and found != wanted):
        lacking = [name for name in wanted if name not in known]
        raise UsageError(f"the questions don't differ in {' and '.join(lacking)}.")
    return found


def fact_table(runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Write the facts about the questions as CSV and Markdown."""

    items, said = _questions(runs)
    rows = [(one.name, f"{one.value:,.2f}".removesuffix(".00")) for one in facts(items)]
    return _plain(("Statistic", "Value"), rows, out, stem, said)


def diversity_table(runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Write how diverse the questions are worded as CSV and Markdown."""

    items, said = _questions(runs)
    found = diversity([item.question for item in items], None)
    rows = [
        ("Distinct words", f"{found.distinct_words:,}"),
        ("Unique 3-grams", f"{found.unique_3_grams:,}"),
        ("Unique 5-grams", f"{found.unique_5_grams:,}"),
    ]
    said = [*said, "Syntactic structures need a parser: tolman analyze diversity BENCHMARK --structures."]
    return _plain(("Statistic", "Value"), rows, out, stem, said)


def correlation_table(
    runs: Sequence[LoadedRun], table: Path, turned: Sequence[str], out: Path, stem: str
) -> list[MadeFile]:
    """Write models' scores next to their results of other tasks, and the coefficients between the columns: of the
    score, and of the column that the paper starts from, with all others.

    Args:
        runs: whose headlines are the scores.
        table: a CSV with a row for each model.
        turned: its columns in which lower is better.
        out, stem: folder, and name without suffix.

    Raises:
        InputError, UsageError: as `tolman analyze correlation`.
    """

    paths = tuple(run.folder.path for run in runs)
    columns = correlated_columns(CorrelationConfig(table=table, runs=paths, lower_is_better=tuple(turned)))
    heads = ("Model", *columns.figures)
    rows = [
        (model, *(_figure(-own[i] if name in turned else own[i]) for name, own in columns.figures.items()))
        for i, model in enumerate(columns.models)
    ]
    printed = published_tables("correlation")
    starts = [name for name in columns.others if any(same_heading(name, one.score) for one in printed)]
    coefficients = []
    for start in (columns.score, *starts):
        others = [name for name in columns.figures if name not in (start, columns.score)]
        for other, found in correlations(replace(columns, score=start, others=others), 0).items():
            paper = published_correlation(start, other, printed)
            names = (f"−{name}" if name in turned else name for name in (start, other))
            figures = (found.pearson, found.spearman, paper.pearson if paper else None)
            coefficients.append((*names, str(found.n), *("–" if one is None else f"{one:.3f}" for one in figures)))
    said = [f"Lower is better in {', '.join(turned)}: the coefficients are of the negated figures."] if turned else []
    heads_below = ("Of", "With", "Models", "Pearson", "Spearman", "Pearson as printed")
    return [
        _plain(heads, rows, out, stem, columns.marks),
        _plain(heads_below, coefficients, out, f"{stem}-correlation", said),
    ]


def _figure(value: float) -> str:
    return "–" if value != value else f"{value:.4g}"


def subset_table(step: SubsetTable, runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Choose a subset by the first run of each model, and write each model's figures on it and on all questions.

    Raises:
        UsageError: fewer than three models, or fewer questions than the subset has.
    """

    first: dict[str, Path] = {}
    for run in runs:
        first.setdefault(run.record.settings.model, run.folder.path)
    result = analyze_representative(RepresentativeConfig(runs=tuple(first.values()), size=step.size, out=None))
    key, subset = result.headline.key, result.subset
    heads = ("Model", "All", "Subset", "Error, taking part", "Error, held out", "Error, random draw")
    rows = []
    for i, name in enumerate(result.models):
        held_out = subset.held_out[i]
        errors = (subset.errors[i], held_out.chosen, held_out.drawn)
        figures = (subset.full[i][key], subset.figures[i][key], *(error.headline for error in errors))
        rows.append((name, *(f"{figure:.2f}" for figure in figures)))
    about = f"{result.headline.title} on {len(subset.ids):,} of {counted(subset.items, 'question')}; errors in points."
    ids = "tolman analyze representative RUNS writes the ids."
    return _plain(heads, rows, out, stem, [about, ids])


def _plain(heads: Sequence[str], rows: Sequence[Sequence[str]], out: Path, stem: str, said: Sequence[str]) -> MadeFile:
    html, text, separated = plain_table(heads, rows)
    write_text(out / f"{stem}.md", text)
    write_text(out / f"{stem}.csv", separated)
    return MadeFile((f"{stem}.md", f"{stem}.csv"), html=html, notes=tuple(said))


def _whole(runs: Sequence[LoadedRun]) -> LoadedRun:
    """The run that asked most questions."""
    return max(runs, key=asked)


def _questions(runs: Sequence[LoadedRun]) -> tuple[list[Item], list[str]]:
    """The questions of the run that asked most, and that they are a part where they are."""
    run = _whole(runs)
    items = run.folder.items()
    whole = len(items) == run.record.subset_items or data_hash(items) == run.record.settings.data_hash
    said = (
        []
        if whole
        else [f"PART: {len(items):,} of {counted(run.record.subset_items, 'question')}, those of {run.name}."]
    )
    return items, said


_TAGS = {"best": "strong", "second": "u"}


def html_table(table: ReportTable) -> str:
    """A table of scores with its intervals; the best and second best set off."""
    heads = ["", *table.in_rows, "scorer", *(column.title for column in table.columns)]
    lines = []
    for row in table.rows:
        cells = [escape(label(row)), *(escape(value or "all") for value in row.values), escape(row.rules)]
        for column in table.columns:
            tag = _TAGS.get(emphasis(row, column))
            text, interval = escape(shown(row, column)), escape(interval_shown(row, column))
            text = f"<{tag}>{text}</{tag}>" if tag else text
            cells.append(text + (f"<small>{interval}</small>" if interval else ""))
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    body = "\n".join(lines)
    inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>"
    return _scrolling(inside)


def _scrolling(inside: str) -> str:
    """A table of numbers that a keyboard can scroll where the page is narrow."""
    return (
        '<div class="scroll" role="region" aria-label="table" tabindex="0">'
        f'<table class="numbers">{inside}</table></div>'
    )


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    """A table of texts as HTML, Markdown and CSV."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    html = _scrolling(f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>")
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    lines += [f"| {' | '.join(map(escape_markdown, row))} |" for row in rows]
    plain = csv_text([heads, *([cell.replace(",", "") for cell in row] for row in rows)])
    return html, "\n".join(lines) + "\n", plain
