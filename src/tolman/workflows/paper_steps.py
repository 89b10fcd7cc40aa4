"""The steps that a paper's tables and figures are made by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.files import write_text
from tolman.item_table import data_hash
from tolman.reports.content import build
from tolman.reports.paper_page import MadeFile, html_table, plain_table
from tolman.reports.ranking import with_ranks
from tolman.reports.text import comma_separated, latex, markdown
from tolman.workflows.config import make
from tolman.workflows.figure import draw_figure
from tolman.workflows.figures import FIGURES
from tolman.workflows.papers import Drawing, ScoreTable, SubsetTable
from tolman.workflows.report_cuts import CutSettings, cut_tables, read_places

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.reports.loaded import LoadedRun
    from tolman.workflows.papers import Step

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
        UsageError: the runs can't stand in one table, or the questions have none of the labels.
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
    shown = [html_table(table) for table in (report.table, *report.cuts)]
    for table in report.cuts:
        said += [*table.marks, *table.notes]
    return [MadeFile(tuple(written), html="\n".join(shown), notes=tuple(dict.fromkeys(said)))]


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
    config = make(kind.config, settings | {"out": out / f"{name}.svg", "data": out / f"{name}.csv"})
    chart = draw_figure(kind, config).chart
    draw_figure(kind, replace(config, out=out / f"{name}.pdf", data=None), chart=chart)
    return MadeFile((f"{name}.svg", f"{name}.pdf", f"{name}.csv"), picture=f"{name}.svg", about=chart.title)


def _labels(step: Drawing, run: LoadedRun) -> tuple[str, ...]:
    """The labels of a figure of questions that the questions have.

    Raises:
        UsageError: none of them, or not both of two that are crossed.
    """
    from tolman.analyze.labels import label_names

    wanted = tuple(step.settings["by"])
    known = label_names(run.folder.items())
    found = tuple(name for name in wanted if name in known)
    if not found or (step.kind == "cross" and found != wanted):
        lacking = [name for name in wanted if name not in known]
        raise UsageError(f"the questions don't differ in {' and '.join(lacking)}.")
    return found


def fact_table(runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Write the facts about the questions as CSV and Markdown."""
    from tolman.analyze.composition import facts

    items, said = _questions(runs)
    rows = [(one.name, f"{one.value:,.2f}".removesuffix(".00")) for one in facts(items)]
    return _plain(("Statistic", "Value"), rows, out, stem, said)


def diversity_table(runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Write how diverse the questions are worded as CSV and Markdown."""
    from tolman.analyze.diversity import diversity

    items, said = _questions(runs)
    found = diversity([item.question for item in items], None)
    rows = [
        ("Distinct words", f"{found.distinct_words:,}"),
        ("Unique 3-grams", f"{found.unique_3_grams:,}"),
        ("Unique 5-grams", f"{found.unique_5_grams:,}"),
    ]
    said = [*said, "Syntactic structures need a parser: tolman analyze diversity BENCHMARK --structures."]
    return _plain(("Statistic", "Value"), rows, out, stem, said)


def subset_table(step: SubsetTable, runs: Sequence[LoadedRun], out: Path, stem: str) -> MadeFile:
    """Choose a subset by the first run of each model, and write each model's figures on it and on all questions.

    Raises:
        UsageError: fewer than three models, or fewer questions than the subset has.
    """
    from tolman.workflows.analyses.representative import RepresentativeConfig, analyze_representative

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
    about = f"{result.headline.title} on {len(subset.ids):,} of {subset.items:,} questions; errors in points."
    ids = "tolman analyze representative RUNS writes the ids."
    return _plain(heads, rows, out, stem, [about, ids])


def _plain(heads: Sequence[str], rows: Sequence[Sequence[str]], out: Path, stem: str, said: Sequence[str]) -> MadeFile:
    html, text, separated = plain_table(heads, rows)
    write_text(out / f"{stem}.md", text)
    write_text(out / f"{stem}.csv", separated)
    return MadeFile((f"{stem}.md", f"{stem}.csv"), html=html, notes=tuple(said))


def is_of_questions(step: Step) -> bool:
    """Whether a step takes the questions of one run, whatever was answered."""
    return step.of_questions if isinstance(step, Drawing) else not isinstance(step, ScoreTable | SubsetTable)


def asked(run: LoadedRun) -> int:
    """How many questions a run asked."""
    return int(run.figures["items"])


def _whole(runs: Sequence[LoadedRun]) -> LoadedRun:
    """The run that asked most questions."""
    return max(runs, key=asked)


def _questions(runs: Sequence[LoadedRun]) -> tuple[list[Item], list[str]]:
    """The questions of the run that asked most, and that they are a part where they are."""
    run = _whole(runs)
    items = run.folder.items()
    whole = len(items) == run.record.subset_items or data_hash(items) == run.record.settings.data_hash
    said = [] if whole else [f"PART: {len(items):,} of {run.record.subset_items:,} questions, those of {run.name}."]
    return items, said
