"""Results of analyses as tables and sentences for the terminal, and the forms that they share.

`show_NAME(result)` returns the output of `tolman analyze NAME`, top to bottom: bias has a row for each learner on each
subset, correlation for each column, deltas a table for each comparison, diversity a row for each question type,
humans people's figures and the tiers, memorisation a table for each model, representative a row for each model,
weights the weights and the scores with them. Nothing here reads, asks or prints. Error types and cognitive maps are in
`map_results`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from tolman.analyze.bias import BiasResult
from tolman.analyze.composition import DiversityResult
from tolman.analyze.deltas import WANTED, Delta, DeltasResult, MemorisationResult, PublishedDelta
from tolman.analyze.difficulty import MANY_MODELS, DifficultyResult, TaskDifficulty
from tolman.analyze.error_shares import PEOPLE, Distribution, ErrorsResult, LabelAgreement
from tolman.analyze.grounding import CONDITIONS, LOSSES, GroundingResult, TaskGrounding
from tolman.analyze.humans import TIERS, Difficulty, HumansResult
from tolman.analyze.model_scores import Correlation, CorrelationResult, WeightsResult
from tolman.analyze.observer_fit import FRAMES_UNKNOWN, LAPSE, ObserverFit, ObserverResult, Parameter, RunObserver
from tolman.analyze.representative import RepresentativeResult
from tolman.analyze.sample_figures import SampleFigures, SamplesResult
from tolman.errors import counted
from tolman.reports.charts.chart import ends_of
from tolman.reports.svg_figures import why_not_drawn
from tolman.reports.table_rows import MISSING_SIGN, missing_sentences
from tolman.scoring.aggregate import Cell
from tolman.scoring.error_types import CORRECT, ErrorTaxonomy
from tolman.scoring.intervals import Interval, Share
from tolman.scoring.score_table import Column

LEVEL = 0.05
"""A gap is marked where its p-value after Holm's correction is below."""
Shown = str | Text | RichTable
"""A part of what is printed: a sentence, or a table as wide as it is."""


def table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, title: str | None = None
) -> RichTable:
    """A table.

    Args:
        headings: of the columns.
        rows: of texts, taken as they are.
        left: how many columns hold names; the others hold figures.
        title: above it.
    """
    grid = RichTable(title=title and escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    for i, heading in enumerate(headings):
        grid.add_column(escape(heading), justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(escape(cell) for cell in row))
    return grid


def warning(sentence: str) -> Text:
    """A sentence that is not to be overlooked."""
    return Text(sentence, style="bold red")


def format_interval(interval: Interval | None, digits: int = 1, *, signed: bool = False) -> str:
    """Format an interval; '–' where there is none."""
    if interval is None:
        return "–"
    form = f"{'+' if signed else ''}.{digits}f"
    return f"{interval.low:{form}} … {interval.high:{form}}"


def format_share(share: Share | None) -> str:
    """Format a share with its interval, where it has one; '–' where there is none."""
    if share is None:
        return "–"
    interval = f"{format_interval(share.interval)}, " if share.interval else ""
    return f"{share.value:.1f} % ({interval}n = {share.n:,})"


def missing_intervals(reasons: Iterable[str | None]) -> list[str]:
    """Sentence about why intervals are missing, where some are; the first reason."""
    said = [reason for reason in reasons if reason]
    return [f"Where there is no interval: {said[0]}."] if said else []


def list_written(files: Sequence[Path], *, drawn: bool) -> list[str]:
    """Return sentences about the files that were written, and why figures are not among them.

    Args:
        files: the written files; no sentence where there are none.
        drawn: whether figures are among them where they can be drawn.
    """
    if not files:
        return []
    missing = why_not_drawn() if drawn else None
    return [f"Written: {', '.join(map(str, files))}.", *([f"Figures are left out. {missing}"] if missing else [])]


def show_bias(result: BiasResult) -> list[Shown]:
    """Make the output: the table, each learner's headline with its interval, and the written files."""
    found = result.bias
    columns = found.table.columns
    count = f"{len(found.guesses.items):,}"
    body = [["all", "", "random", count, *(_figure(result.chance, column) for column in columns)]]
    body += [
        [row.subset, row.trained, row.learner, f"{row.n:,}", *(_figure(row.figures, column) for column in columns)]
        for row in found.rows
    ]
    headings = ["items", "trained on", "learner", "n", *(column.title for column in columns)]
    title = f"{result.label}: blind scores, {result.folds} folds by scene, scorer {result.scorer}"
    shown: list[Shown] = [table(headings, body, left=3, title=title)]
    headline = found.table.column(found.table.headline)
    for row in found.rows:
        interval = row.figures[headline.key].interval
        if row.subset == "all" and interval is not None:
            figure = f"{headline.title} {_figure(row.figures, headline)}"
            shown.append(f"{row.learner}: {figure}, 95 % interval {format_interval(interval)}")
    if result.out is not None:
        keep, leave = result.out / "keep.txt", result.out / "leave-out.txt"
        lists = f", {keep}, {leave}; use them with 'tolman run … --ids {keep}' or '--exclude {leave}'."
        shown.append(f"Written: {result.out / 'guessability.csv'}{lists if found.kept is not None else '.'}")
    return shown


def _figure(figures: Mapping[str, Cell], column: Column) -> str:
    value = figures[column.key].value
    return "–" if value is None else f"{value:.1f}"


FEW_MODELS = 10
"""Below it a line says that a bootstrap over so few models is rough."""


def show_correlation(result: CorrelationResult) -> list[Shown]:
    """Make the output: the table, figures that lack parts, and how far intervals go."""
    headings = ["", "models", "Pearson", "95 % interval", "Spearman", "95 % interval"]
    rows = [[_signed(other, result), *_cells(value)] for other, value in result.correlations.items()]
    printed = [result.published.get(other) for other in result.correlations]
    for heading, values in (
        ("published: Pearson", [one.pearson if one else None for one in printed]),
        ("published: Spearman", [one.spearman if one else None for one in printed]),
    ):
        if any(value is not None for value in values):
            headings.append(heading)
            rows = [[*row, "–" if v is None else f"{v:g}"] for row, v in zip(rows, values, strict=True)]
    held = f", {' and '.join(_signed(name, result) for name in result.controls)} held fixed" if result.controls else ""
    title = f"{'partial ' if held else ''}correlation with {_signed(result.score, result)}{held}"
    shown: list[Shown] = [table(headings, rows, title=title)]
    sources = dict.fromkeys(f"{one.source} ({counted(one.n, 'model')})" for one in result.published.values())
    shown += [f"published: {', '.join(sources)}."] if sources else []
    shown += result.marks
    if min(value.n for value in result.correlations.values()) < FEW_MODELS:
        shown.append("Intervals are bootstrap percentiles over models; over so few of them they are a rough guide.")
    return shown


def _signed(column: str, result: CorrelationResult) -> str:
    return f"−{column}" if column in result.negated else column


def _cells(value: Correlation) -> list[str]:
    figures = ["–" if v is None else f"{v:.4f}" for v in (value.pearson, value.spearman)]
    intervals = [format_interval(value.pearson_interval, 2), format_interval(value.spearman_interval, 2)]
    return [str(value.n), figures[0], intervals[0], figures[1], intervals[1]]


def show_deltas(result: DeltasResult) -> list[Shown]:
    """Make the output: runs with missing answers, the tables, and the basis of the figures."""
    shown: list[Shown] = [
        warning(f"{name}: {counted(count, 'item without an answer is', 'items without an answer are')} left out.")
        for name, count in result.unanswered.items()
    ]
    for delta in result.deltas:
        shown.append(_table(delta, result))
    shown += [_published(one) for one in result.published]
    shown += dict.fromkeys(text for delta in result.deltas for text in _missing(delta, result.columns))
    shown += missing_intervals(d.reason for delta in result.deltas for d in delta.figures.values())
    if result.chance_items:
        built = f"built from all {counted(result.chance_items, 'question')} of the benchmark"
        method = f"Intervals are paired and clustered by scene; scorer: {result.scorer}."
        shown.append(f"chance: baseline/{result.chance}, {built}. {method}")
    return shown


def show_memorisation(result: MemorisationResult) -> list[Shown]:
    """Make the output: a table for each model, and notes on its figures."""
    shown: list[Shown] = [warning(text) for text in (*result.unchecked, *result.unanswered)]
    few = False
    for run in result.runs:
        rows = []
        for column in result.columns:
            if (gap := run.gaps.get(column.key)) is None:
                continue
            few |= gap.is_small
            p = run.p_holm.get(column.key)
            rows.append([
                column.title + ("*" if p is not None and p < LEVEL else "") + (MISSING_SIGN if gap.is_small else ""),
                f"{gap.public:.{column.digits}f}",
                f"{gap.fresh:.{column.digits}f}",
                f"{gap.value:+z.{column.digits}f}",
                format_interval(gap.interval, column.digits, signed=True),
                "–" if gap.p is None else f"{gap.p:.2g}",
                "–" if p is None else f"{p:.2g}",
                "–" if gap.detectable is None else f"{gap.detectable:.{column.digits}f}",
                " / ".join(f"{n:,}" for n in gap.questions),
                " / ".join(f"{n:,}" for n in gap.scenes),
                "–" if gap.needed is None else f"{gap.needed:,}",
            ])  # fmt: skip
        headings = ["", "public", "fresh", "gap", "95 % interval", "p", "p (Holm)", "detectable", "questions"]
        shown.append(table([*headings, "scenes", "needed"], rows, title=f"{run.name}: public − fresh, {result.scorer}"))
    shown += missing_intervals(gap.reason for run in result.runs for gap in run.gaps.values())
    shown.append(
        f"p: randomisation test by scene; * below {LEVEL} after Holm's correction. detectable: the smallest gap that "
        "such runs show with 80 % power at the 5 % level."
    )
    if few:
        shown.append(
            f"{MISSING_SIGN} too few questions to show a gap of {WANTED:g} points; needed: how many each form should "
            "have."
        )
    return shown


def _table(delta: Delta, result: DeltasResult) -> RichTable:
    """The runs' two sides and their difference, then the difference of each published model."""
    rows = []
    published = [one for one in result.published if one.what == delta.what]
    for column in result.columns:
        if column.key not in delta.figures:
            continue
        d = delta.figures[column.key]
        figures = [f"{d.a:.{column.digits}f}", f"{d.b:.{column.digits}f}", f"{d.value:+z.{column.digits}f}"]
        interval = format_interval(d.interval, column.digits, signed=True)
        beside = [_difference(one, column) for one in published]
        rows.append([column.title + (MISSING_SIGN if d.missing else ""), *figures, interval, f"{d.n:,}", *beside])
    one, other = delta.what.split(" − ")
    names = [f"published: {one.model}" for one in published]
    headings = ["", one, other, "difference", "95 % interval", "items", *names]
    return table(headings, rows, title=f"{delta.model}: {delta.what}")


def _difference(published: PublishedDelta, column: Column) -> str:
    if column.key not in published.figures:
        return "–"
    a, b = published.figures[column.key]
    return f"{a - b:+z.1f}"


def _published(one: PublishedDelta) -> str:
    subset = "" if not one.subset else f", subset {one.subset}"
    return f"published, {one.model}: {one.what} of {one.source}{subset}, the source's own runs."


def _missing(delta: Delta, columns: tuple[Column, ...]) -> list[str]:
    own = [(c, delta.figures[c.key]) for c in columns if c.key in delta.figures]
    return missing_sentences(delta.what, [(c.title, d.missing, d.attainable, c.digits) for c, d in own])


_COUNTED = ("Distinct words", "Unique 3-grams", "Unique 5-grams")
"""Rows of a published table that are columns here."""


def show_diversity(result: DiversityResult) -> list[Shown]:
    """Make the table."""
    headings = ["", "questions", "unique", "tokens", "distinct words", "unique 3-grams", "unique 5-grams"]
    rows = [
        [task, *(f"{figure:,}" for figure in asdict(one).values() if figure is not None)]
        for task, one in result.tasks.items()
    ]
    with_structures = any(one.structures is not None for one in result.tasks.values())
    headings += ["structures"] if with_structures else []
    shown: list[Shown] = []
    for one in result.published:
        counts = [row for name, row in one.rows.items() if name in _COUNTED]
        for place, name in enumerate(one.columns):
            lacking = ["–"] if with_structures else []  # another parser's structures can't be compared
            rows.append([f"{name}, published", "–", "–", "–", *(f"{row[place]:,.0f}" for row in counts), *lacking])
        shown.append(f"published: {one.place}.")
    return [table(headings, rows, title=f"{result.label}: wording"), *shown]


def show_humans(result: HumansResult) -> list[Shown]:
    """Make the output: a row for each person and their average, figures that lack parts, a row for each tier."""
    columns, average = result.columns, result.average
    body = [
        [name, *(f"{figures[c.key]:.{c.digits}f}" if c.key in figures else "–" for c in columns)]
        for name, figures in result.people.items()
    ]
    body.append(["average", *(f"{average[c.key].value:.{c.digits}f}" for c in columns)])
    body.append(["95 % interval", *(format_interval(average[c.key].interval) for c in columns)])
    for row in result.published:
        setting = f" ({row.setting})" if row.setting else ""
        figures = ["–" if (value := row.values.get(c.key)) is None else f"{value}" for c in columns]
        body.append([f"{row.name}{setting}, published", *figures])
    title = f"{counted(len(result.people), 'person', 'people')}, {result.scorer}"
    shown: list[Shown] = [table(["", *(c.title for c in columns)], body, title=title)]
    shown += result.marks
    sources = ", ".join(
        dict.fromkeys(f"{row.source} ({row.date})" if row.date else row.source for row in result.published)
    )
    shown += [f"published: {sources}."] if sources else []
    shown += [one.told(only="Human") for one in result.published_tables]
    if result.difficulty is None:
        shown += [result.no_tiers] if result.no_tiers else []
    else:
        shown += _tiers(result.difficulty, result.out)
    return shown


def _tiers(found: Difficulty, out: Path | None) -> list[Shown]:
    tasks = list(dict.fromkeys(found.frame["task"].to_list()))
    body = []
    for tier in TIERS:
        own = found.frame.filter(pl.col("tier") == tier)
        mean, wrong = own["seconds"].mean(), int((own["wrong"] > 0).sum())
        seconds = f"{mean:.1f}" if isinstance(mean, float) else "–"
        per_task = [f"{int((own['task'] == task).sum()):,}" for task in tasks]
        body.append([tier, f"{own.height:,}", seconds, f"{wrong:,}", *per_task])
    headings = ["tier", "items", "mean seconds", "answered wrongly", *tasks]
    low, high = found.cuts
    shown: list[Shown] = [
        table(headings, body, title="difficulty, from normalised answering times"),
        f"easy up to {low:.1f} s, medium up to {high:.1f} s; an item that anybody answered wrongly is hard.",
    ]
    if found.untimed:
        one, many = (f"answered without a time and {be} in no tier." for be in ("is", "are"))
        shown.append(counted(found.untimed, f"item was {one}", f"items were {many}"))
    if out is not None:
        shown.append(f"Written: {out / 'tiers.csv'}, and a list of ids for each tier (--ids {out / 'hard.txt'}).")
    return shown


def show_representative(result: RepresentativeResult) -> list[Shown]:
    """Make the output: errors of the figures on the subset, and whether it beats a random draw."""
    subset, headline = result.subset, result.headline
    body = []
    for i, name in enumerate(result.models):
        held_out = subset.held_out[i]
        figures = [own[i][headline.key] for own in (subset.full, subset.figures)]
        errors = [subset.errors[i], held_out.chosen, held_out.drawn]
        body.append(
            [name, *(f"{f:.2f}" for f in figures), *(f"{e.headline:.2f}" for e in errors)]
            + [f"{e.mean:.2f}" for e in errors]
        )
    short = ["taking part", "held out", "random draw"]
    headings = ["", "all items", "subset", *short, *(f"{name}, all columns" for name in short)]
    title = f"{len(subset.ids):,} of {counted(subset.items, 'item')}; {headline.title} and its error in points"
    shown: list[Shown] = [table(headings, body, title=title)]
    chosen, drawn = (sum(getattr(check, side).mean for check in subset.held_out) for side in ("chosen", "drawn"))
    if chosen >= drawn:
        shown.append(warning("On models left out the subset does no better than a stratified random draw."))
    shown += [one.told() for one in result.published]
    if result.out is not None:
        ids = result.out / "ids.txt"
        shown.append(f"Written: {ids}; use it with 'tolman run … --ids {ids}'.")
    return shown


def show_weights(result: WeightsResult) -> list[Shown]:
    """Make the output: a row for each level, a row for each model, and the value of the optimum."""
    found = result.weights
    rows = [
        [title, f"{result.counts[i]:g}", f"{found.deviations[i]:.2f}"]
        + [f"{values[i]:.4f}" for values in (found.e, found.f, found.c)]
        for i, title in enumerate(result.levels.values())
    ]
    headings = ["level", "questions", "deviation S", "E", "weight F", "C = F·S"]
    best_first = np.argsort(-found.scores, kind="stable")
    shown: list[Shown] = [
        table(headings, rows, title=f"{result.title}: weights over {counted(len(result.models), 'model')}"),
        table(["model", "score"], [[result.models[i], f"{found.scores[i]:.2f}"] for i in best_first]),
        f"variance of the steps of C {found.variance:.4f}, objective {found.objective:.4f}.",
    ]
    if found.degenerate:
        shown.append("Two levels count the same: the paper discards such an optimum; try other --alpha and --k.")
    return shown


def show_errors(result: ErrorsResult) -> list[Shown]:
    """Make the output: failed judgements, the types for each run and source, agreement, the written files."""
    shown: list[Shown] = []
    if result.failures:
        first, count = result.failures[0], len(result.failures)
        what = f"{count:,} of {counted(count + result.judged, 'judgement')} failed, in no figure"
        shown.append(f"INCOMPLETE: {what}; the first: {first.run}, item {first.id}: {first.why}.")
    for run, source in dict.fromkeys((one.run, one.source) for one in result.distributions):
        own = [one for one in result.distributions if (one.run, one.source) == (run, source)]
        shown += _types(f"{run}, judged by {source}", own, result.taxonomy, result.scorer)
    if result.agreement:
        shown.append(_agreement(result.agreement))
        shown += missing_intervals(one.kappa_reason for one in result.agreement if one.kappa is not None)
    if (alpha := result.people_alpha).value is not None:
        interval = f"{format_interval(alpha.interval, 3)}, " if alpha.interval else ""
        shown.append(f"Krippendorff's alpha of all people: {alpha.value:.3f} ({interval}n = {alpha.n:,}).")
    if result.without_reasoning:
        one, many = (f"an answer without reasoning and {be} not judged." for be in ("was", "were"))
        shown.append(counted(result.without_reasoning, f"response is {one}", f"responses are {many}"))
    shown += [one.told() for one in result.published]
    shown += list_written(result.written, drawn=bool(result.distributions))
    return shown


def _types(title: str, own: list[Distribution], taxonomy: ErrorTaxonomy, scorer: str) -> list[Shown]:
    """Show one run under one source: a row for all tasks and for each, and its reasoning next to its answers."""
    titles = [kind.title.removesuffix(" error").removesuffix(" reasoning") for kind in taxonomy.types]
    body = [[one.task or "all", f"{one.n:,}", *(_percent(one.types.get(key)) for key in taxonomy.keys)] for one in own]
    whole = own[0]
    right, wrong = format_share(whole.reasoning_on_right), format_share(whole.reasoning_on_wrong)
    return [
        table(["% of responses", "n", *titles, "correct"], body, title=title),
        f"Reasoning {format_share(whole.reasoning)}; answers ({scorer}) {format_share(whole.answers)}.",
        f"Reasoning behind right answers {right}, behind wrong ones {wrong}.",
        *(f"{title}: {format_share(share)} of the errors." for title, share in whole.groups.items()),
        *missing_intervals([whole.reasoning.reason]),
    ]


def _agreement(found: list[LabelAgreement]) -> RichTable:
    rows = [
        [
            one.first,
            "most people" if one.second == PEOPLE else one.second,
            f"{one.n:,}",
            "–" if one.accuracy is None else f"{100 * one.accuracy:.1f}",
            "–" if one.overlap is None else f"{100 * one.overlap:.1f}",
            "–" if one.kappa is None else f"{one.kappa:.3f}",
            format_interval(one.kappa_interval, 3),
            f"{one.undecided:,}",
        ]
        for one in found
    ]
    headings = ["", "against", "n", "the same, %", "overlap, %", "Cohen's kappa", "95 % interval", "people divided"]
    return table(headings, rows, left=2, title="agreement")


def _percent(share: Share | None) -> str:
    return "–" if share is None else f"{share.value:.1f}"


def error_rows(
    found: Sequence[Distribution], taxonomy: ErrorTaxonomy, *, by_task: bool, among_errors: bool = False
) -> list[dict[str, Any]]:
    """The rows of a chart's data: of each run and source (panel), question type (label) and error type (series) the per
    cent of the labelled responses.

    Args:
        found: the shares.
        taxonomy: the error types.
        by_task: whether each run and source has a panel, with a label for each question type.
        among_errors: whether shares are of the responses with an error.
    """
    return [
        {
            "panel": f"{one.run}, labels of {one.source}" if by_task else None,
            "series": kind.title,
            "role": "run",
            "label": one.task or ("all" if by_task else f"{one.run}, by {one.source}"),
            "value": share.value,
            **ends_of(share.interval),
            "n": share.n,
        }
        for one in found
        for kind in taxonomy.all_types
        if not (among_errors and kind.key == CORRECT)
        and (share := (one.among_errors if among_errors else one.types).get(kind.key)) is not None
    ]


_FORMS = {
    "position": ("places", 1.0, 2, " m"),
    "size": ("lengths", 100.0, 0, " %"),
    "miss": ("missed", 100.0, 0, " %"),
    "lapse": ("lapses", 100.0, 0, " %"),
}
"""Parameter → what it is an error of, the factor of its unit, digits and unit."""


def show_observer(result: ObserverResult) -> list[Shown]:
    """Make the output: for each run a row for each question type, and failed fits."""
    shown: list[Shown] = []
    headings = ["", "answers", "noise", "lapses", "ceiling", "with noise", "model", "explained", "hopeless", "missed"]
    for name, run in result.runs.items():
        rows = [_fit_row(task, fit) for task, fit in run.fits.tasks.items() if not fit.reason]
        if rows:
            shown.append(table(headings, rows, title=f"{name}: equivalent noise of an ideal observer (95 % interval)"))
        shown += _said_of(run)
    shown.append(
        "explained: the share of the loss that noise of this size explains. hopeless: items that such noise leaves to "
        "guessing. missed: items that 99 % of such observers get right if they overlook nothing, and the model gets "
        "wrong."
    )
    shown.append(f"{result.draws:,} perceptions at each level of noise; scorer: {result.scorer}.")
    return shown


def _fit_row(task: str, fit: ObserverFit) -> list[str]:
    noise = next(name for name in fit.parameters if name != LAPSE)
    split = fit.explained
    assert split is not None
    share = "–"
    if split.share is not None:
        share = f"{100 * split.share:.0f} % ({100 * split.low:.0f} … {100 * split.high:.0f})"
    return [
        task,
        f"{fit.answers:,}",
        _estimate(noise, fit.parameters[noise]),
        _estimate(LAPSE, fit.parameters[LAPSE]),
        *(f"{figure:.1f}" for figure in (split.ceiling, split.perception, split.observed)),
        share,
        f"{len(fit.hopeless):,}",
        f"{len(fit.missed):,}",
    ]


def _estimate(name: str, found: Parameter) -> str:
    """A parameter with its interval, in its unit."""
    _, factor, digits, unit = _FORMS[name]
    if found.value is None:
        return "–"
    high = "" if found.high == float("inf") else f"{factor * found.high:.{digits}f}"
    return f"{factor * found.value:.{digits}f}{unit} ({factor * found.low:.{digits}f} … {high})".replace("… )", "…)")


def _said_of(run: RunObserver) -> list[str]:
    """Return sentences about one run: all question types together, and those without a figure."""
    together, said = run.fits.together, []
    if together.reason:
        said.append(f"All question types together: not fitted; {together.reason}.")
    else:
        parts = [f"{_FORMS[name][0]} {_estimate(name, own)}" for name, own in together.parameters.items()]
        said.append(f"All question types together: {', '.join(parts)}.")
        if together.p_lapse is not None:
            p = "p < 0.001" if together.p_lapse < 0.001 else f"p = {together.p_lapse:.3f}"
            said.append(f"Lapses beyond noise and misses: {p}, one-sided.")
        said += [f"All together: {own.reason}." for own in together.parameters.values() if own.reason]
    for task, fit in run.fits.tasks.items():
        reasons = [fit.reason, *(own.reason for own in fit.parameters.values())]
        said += [f"{task}: {reason}." for reason in dict.fromkeys(reasons) if reason]
    for task, reasons_of in run.left_out.items():
        said += [
            f"{task}: {counted(count, 'item is', 'items are')} left out: {reason}."
            for reason, count in reasons_of.items()
        ]
    said += [f'{task}: {counted(count, "is", "are")} unread or "can\'t tell".' for task, count in run.unread.items()]
    if not run.sightings_known:
        said.append("The scenes don't say what the frames show, so every object counts as shown.")
    elif not run.frames_known:
        said.append(FRAMES_UNKNOWN)
    return said


def show_difficulty(result: DifficultyResult) -> list[Shown]:
    """Make the output: a row for each question type, and sentences on its limits."""
    headings = [
        "",
        "items",
        "models",
        "difficulty, SD",
        "reliability",
        "discrimination, SD",
        "p",
        "used",
        "predicted, ρ",
    ]
    rows = [_difficulty_row(task, own) for task, own in result.tasks.items() if own.used is not None]
    title = f"difficulty in logits, over {counted(len(result.models), 'model')}"
    shown: list[Shown] = [table(headings, rows, title=title)]
    shown.append(
        "reliability: share of the difficulties' variance that isn't error. discrimination: spread of its logarithm, "
        "and p that all items share one. predicted: Spearman's correlation of the difficulty with an ideal observer's "
        "(95 % interval over items)."
    )
    if len(result.models) < MANY_MODELS:
        shown.append(
            f"Single discriminations need {MANY_MODELS} models or more; with {len(result.models)} they are mostly the "
            "mean of their question type."
        )
    weak = [task for task, own in result.tasks.items() if own.reliability is not None and own.reliability < 0.5]
    if weak:
        shown.append(warning(f"Most of the differences in difficulty are error: {', '.join(weak)}. Give more models."))
    shown += [f"{task}: not fitted; {own.reason}." for task, own in result.tasks.items() if own.reason]
    for task, reasons in result.left_out.items():
        lost = "; ".join(f"{counted(count, 'item')}: {reason}" for reason, count in reasons.items())
        shown.append(f"{task}: no prediction for {lost}.")
    shown.append(f"scorer: {result.scorer}.")
    if result.out is not None:
        bank = result.out / "bank.json"
        shown.append(f"Written: {bank} and items.csv; use the bank with 'tolman run … --adaptive {bank}'.")
    return shown


def _difficulty_row(task: str, own: TaskDifficulty) -> list[str]:
    used, other, found = own.used, own.two_parameters, own.predicted
    assert used is not None
    assert other is not None
    assert own.p_slopes is not None
    rho = "–"
    if found is not None and found.spearman is not None:
        rho = f"{found.spearman:.2f} ({format_interval(found.spearman_interval, 2)})"
    return [
        task,
        f"{own.items:,}",
        f"{own.models}",
        f"{used.difficulties:.2f}",
        f"{own.reliability:.2f}",
        f"{other.slopes:.2f}",
        "< 0.001" if own.p_slopes < 0.001 else f"{own.p_slopes:.3f}",
        own.used_name or "",
        rho,
    ]


def show_grounding(result: GroundingResult) -> list[Shown]:
    """Make the output: for each run a row for each question type, and what the figures rest on."""
    shown: list[Shown] = []
    headings = ["", "items", "accuracy", "grounded", *CONDITIONS[1:], *LOSSES]
    for name, run in result.runs.items():
        if run.unanswered:
            lost = counted(run.unanswered, "asking without an answer is", "askings without an answer are")
            shown.append(warning(f"{name}: {lost} left out."))
        rows = [_grounding_row(task, own) for task, own in run.tasks.items()]
        rows += [_grounding_row("all", run.together)] if len(rows) > 1 else []
        shown.append(table(headings, rows, title=f"{name}: grounded accuracy in % (95 % interval)"))
        if run.untested:
            untested = counted(run.untested, "item is in no figure: it has", "items are in no figure: they have")
            shown.append(f"{untested} neither frames without evidence nor a twin.")
        figures = (*run.tasks.values(), run.together)
        shown += missing_intervals(own.grounded.reason for own in figures)
    shown.append(
        "accuracy: right with all frames. evidence alone: right. without evidence: can't tell. twin: another answer. "
        "Each is of the n askings that have the condition; a grounded item meets all that it has. "
        f"An answer is right from a score of {result.right_from:g}; scorer: {result.scorer}."
    )
    return shown


def _grounding_row(name: str, own: TaskGrounding) -> list[str]:
    plain, *others = (own.conditions[condition] for condition in CONDITIONS)
    figures = [f"{one.value:.1f} ({format_interval(one.interval)})" for one in (plain, own.grounded) if one is not None]
    met = ["–" if one is None else f"{one.value:.1f} (n={one.n:,})" for one in others]
    return [name, f"{own.items:,}", *figures, *met, *(f"{own.losses[loss].value:.1f}" for loss in LOSSES)]


def show_samples(result: SamplesResult) -> list[Shown]:
    """Make the output: for each run the headline by k, and all columns for the greatest k."""
    shown: list[Shown] = [*map(warning, result.marks)]
    headline, kinds = result.columns[0], ["pass@k", "majority@k", "best-of-k", "k guesses"]
    cells: list[Cell] = []
    for name, run in result.runs.items():
        for one in run.sets:
            if one.short:
                short = counted(one.short, "item has", "items have")
                shown.append(warning(f"{name}: {short} fewer than {one.k} answered samples, so no figure of {one.k}."))
        mean = _with_interval(run.mean[headline.key], headline)
        rows = [_set_row(f"k = {one.k}", one, headline) for one in run.sets]
        title = f"{name}: {headline.title} {mean}, the mean of {run.samples} samples"
        shown.append(table(["", "items", *kinds], rows, title=title))
        last = run.sets[-1]
        rows = [_set_row(c.title, last, c, _with_interval(last.mean[c.key], c)) for c in result.columns[1:]]
        if rows:
            shown.append(table(["", "items", "mean", *kinds], rows, title=f"{name}: sets of k = {last.k} samples"))
        if run.no_majority:
            shown.append(f"There is no majority@k: {run.no_majority}.")
        cells += [run.mean[headline.key], *(one.passed[headline.key] for one in run.sets)]
    shown += missing_intervals(cell.reason for cell in cells)
    shown.append(
        "pass@k: one of k samples is right. majority@k: the most frequent answer. best-of-k: the best score. Each is "
        "expected over all sets of k answered samples. k guesses: pass@k of guesses among the options, 0 for others. "
        f"A sample is right from a score of {result.right_from:g}; scorer: {result.scorer}."
    )
    return shown


def _set_row(name: str, found: SampleFigures, column: Column, *mean: str) -> list[str]:
    """A row with one column's figures."""
    kinds = (found.passed, found.majority, found.best)
    figures = ["–" if own is None else _with_interval(own[column.key], column) for own in kinds]
    return [name, f"{found.passed[column.key].n:,}", *mean, *figures, _figure(found.guessing, column)]


def _with_interval(cell: Cell, column: Column) -> str:
    """A figure with its 95 % interval, where it has one."""
    if cell.value is None:
        return "–"
    interval = f" ({format_interval(cell.interval, column.digits)})" if cell.interval else ""
    return f"{cell.value:.{column.digits}f}{interval}"
