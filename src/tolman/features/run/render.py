"""Tables of runs, suites, thinking budgets and estimates in the terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tolman import features
from tolman.errors import counted
from tolman.features.printing import TextConsole, plain_table, say, write_json
from tolman.features.report.config import ReportConfig
from tolman.features.report.render import print_report, print_wide
from tolman.models.pacing import in_words
from tolman.reports.loaded_runs import worst_answer
from tolman.reports.reference_rows import Published
from tolman.reports.text import as_json

if TYPE_CHECKING:
    from tolman.features.run.compute import BudgetCurve, BudgetStep
    from tolman.features.run.estimate import RunEstimate, SpeedProbe
    from tolman.features.run.suite import SuiteResult
    from tolman.features.run.suite_file import SuiteIndex
    from tolman.reports.report_pages import Matrix


def show_runs(
    console: Console,
    paths: Sequence[Path],
    *,
    as_json: bool,
    budgets: Sequence[BudgetCurve] = (),
    published: Published = "newest",
    notes: bool = False,
) -> None:
    """Print the table of one run, or of several that differ in one number, and write the page of each and of all.

    Args:
        console: where to.
        paths: folders of the runs.
        as_json: print JSON in place of tables.
        budgets: the score against the budget of reasoning, where the runs differ in it.
        published: which published rows are in the table and on the pages, as for `tolman report`.
        notes: whether all remarks and intervals are printed.
    """
    result = features.report.compute.report(ReportConfig(runs=tuple(paths), published=published))
    if as_json:
        content = json.loads(result.render("json"))
        more = {"budgets": [curve.to_list() for curve in budgets]} if budgets else {}
        write_json(console, content | more, ascii_only=False)
    else:
        print_report(console, result.report, notes=notes)
        show_budgets(console, budgets)
    page = features.report.compute.write_pages(paths, published)  # the table is not kept waiting for it
    if as_json:
        return
    say(console, f"Every item: {page}")
    item = worst_answer(result.runs[0]) if len(paths) == 1 else None
    if item is not None:
        say(console, f"The worst answer: {shlex.join(['tolman', 'view', str(paths[0]), '--item', item])}")


_HEADINGS = (
    "reasoning budget", "", "95 % interval", "− first", "paired 95 %", "p", "items", "reasoning tokens", "cut off",
)  # fmt: skip


def show_budgets(console: Console, curves: Sequence[BudgetCurve]) -> None:
    """Print a table for each curve: one line for each budget, compared with the first."""
    for curve in curves:
        headings = [curve.column if heading == "" else heading for heading in _HEADINGS]
        grid = plain_table(headings, whole=headings)
        for step in curve.steps:
            grid.add_row(f"{step.budget:,}", *_cells(step, curve.digits))
        print_wide(console, grid)
        said = (
            f"{curve.scorer}, {curve.frames}; '− first' is on items that both runs answered, with a paired "
            "interval; reasoning tokens are those of one answer on average."
        )
        say(console, said, "dim")
        if any(step.cut_off for step in curve.steps) and not curve.failures_are_wrong:
            said = "Answers that were cut off in reasoning are in no figure; --count-failures-as-wrong scores them 0."
            say(console, said, "bold")


def _cells(step: BudgetStep, digits: int) -> list[str]:
    found, paired = step.difference, "–"
    if found is not None and found.interval is not None:
        paired = f"{found.interval.low:+z.{digits}f} … {found.interval.high:+z.{digits}f}"
    return [
        "–" if step.value is None else f"{step.value:.{digits}f}",
        "–" if step.low is None or step.high is None else f"{step.low:.{digits}f}–{step.high:.{digits}f}",
        "" if found is None else f"{found.value:+z.{digits}f}",
        "" if found is None else paired,
        "" if found is None else f"{found.p:.3f}",
        "" if found is None else f"{found.n:,}",
        f"{step.reasoning_tokens:,.0f}",
        f"{step.cut_off:,}",
    ]


HEADS = (
    "benchmark", "model", "protocol", "items", "calls", "images", "videos", "text tokens", "answer tokens", "minutes",
    "cost",
)  # fmt: skip


def show_estimates(
    console: Console, found: Sequence[RunEstimate], *, as_json: bool, lacking: Sequence[str] = ()
) -> None:
    """Print a line for each run and their sum, or JSON; then a sentence for each run that isn't among them."""
    _show_table(console, found, as_json=as_json)
    if not as_json:
        show_probes(console, found)
    told = TextConsole(stderr=True) if as_json else console
    for text in lacking:
        say(told, text, "bold red")


def _show_table(console: Console, found: Sequence[RunEstimate], *, as_json: bool) -> None:
    if as_json:
        console.file.write(json.dumps([asdict(one) for one in found], indent=2) + "\n")
        return
    probed = any(one.probe for one in found)
    title = "Only the questions of the probe were asked." if probed else "Nothing was asked."
    grid = Table(box=None, pad_edge=False, title=title, title_justify="left", title_style="dim")
    for number, head in enumerate(HEADS):
        grid.add_column(head, justify="left" if number < 3 else "right", no_wrap=True)
    for one in found:
        videos = f"{one.videos:,} × {one.frames}" if one.videos else "0"
        grid.add_row(
            escape(one.benchmark), escape(one.model), one.protocol, f"{one.items:,}", f"{one.calls:,}",
            f"{one.images:,}", videos, f"{one.text_tokens:,}",
            "no limit" if one.answer_tokens is None else f"≤ {one.answer_tokens:,}",
            _range(one), "–" if one.cost is None else f"≤ {one.cost:,.2f}",
        )  # fmt: skip
    if len(found) > 1:
        known = [one.cost for one in found]
        cost = "–" if None in known else f"≤ {sum(cost for cost in known if cost is not None):,.2f}"
        calls = f"{sum(one.calls for one in found):,}"
        items = f"{sum(one.items for one in found):,}"
        wall = _wall(found) if probed else ""
        grid.add_row("[bold]all[/]", "", "", items, calls, "", "", "", "", wall, cost, style="bold")
    print_wide(console, grid)
    say(
        console,
        "Calls are the fewest that a protocol makes, those in the response store among them; text is counted at four "
        "letters a token; cost is of text and the longest answers, without pictures and videos; minutes are by "
        + (
            "the probe, with a 95 % range by the seconds of its answers."
            if probed
            else "the speed of this model's answers in the response store, and unknown where it has none of the kind."
        ),
        "dim",
    )


_SPEED_HEADS = (
    "in flight", "answers", "seconds each", "answers/s", "input tokens/s", "output tokens/s",
)  # fmt: skip


def show_probes(console: Console, found: Sequence[RunEstimate]) -> None:
    """Print the speeds that probes measured, and the time that they predict."""
    for one in found:
        if one.probe is None:
            continue
        grid = Table(box=None, pad_edge=False, title=f"{one.benchmark}, {one.model}", title_justify="left")
        for head in _SPEED_HEADS:
            grid.add_column(head, justify="right", no_wrap=True)
        for speed in one.probe.speeds:
            grid.add_row(
                f"{speed.in_flight}", f"{speed.answers:,}", f"{speed.seconds:,.2f}", f"{speed.answers_a_second:,.2f}",
                f"{speed.input_tokens_a_second:,.0f}", f"{speed.output_tokens_a_second:,.0f}",
            )  # fmt: skip
        print_wide(console, grid)
        say(console, _predicted(one.probe))


def _predicted(probe: SpeedProbe) -> str:
    low, middle, high = (in_words(60 * minutes) for minutes in (probe.low, probe.minutes, probe.high))
    top = probe.speeds[0]
    enough = min(
        (speed.in_flight for speed in probe.speeds if speed.answers_a_second >= AS_FAST * top.answers_a_second),
        default=top.in_flight,
    )
    said = [f"Predicted: {middle} ({low} to {high}) for the other {counted(probe.left, 'answer')}."]
    said += [f"{probe.stored:,} of {probe.sampled:,} sampled are in the store already."] if probe.stored else []
    said += [f"{probe.failed:,} of {probe.sampled:,} failed."] if probe.failed else []
    if 60 * probe.minutes <= probe.media_seconds:
        said.append("Decoding the videos takes the time, not the model.")
    elif enough < top.in_flight:
        said.append(f"{enough} in flight are as fast as {top.in_flight}.")
    return " ".join(said)


AS_FAST = 0.95
"""The share of the highest speed from which a lower number of requests in flight counts as fast."""


def _range(one: RunEstimate) -> str:
    if one.probe is None:
        return _minutes(one.minutes)
    return f"{_minutes(one.minutes)} ({_minutes(one.probe.low)}–{_minutes(one.probe.high)})"


def _wall(found: Sequence[RunEstimate]) -> str:
    """The minutes of a suite: runs of one model follow each other, and different models go on side by side."""
    sums: dict[str, list[float]] = {}
    for one in found:
        if one.probe is None:
            return _minutes(None)
        own = sums.setdefault(one.model, [0.0, 0.0, 0.0])
        for place, minutes in enumerate((one.probe.minutes, one.probe.low, one.probe.high)):
            own[place] += minutes
    middle, low, high = (max(own[place] for own in sums.values()) for place in range(3))
    return f"{_minutes(middle)} ({_minutes(low)}–{_minutes(high)})"


def _minutes(minutes: float | None) -> str:
    if minutes is None:
        return "unknown"
    return f"{minutes:,.1f}" if minutes >= 0.1 else "< 0.1"


def show_suite(
    console: Console,
    result: SuiteResult,
    *,
    as_json_list: bool,
    board: str | None = None,
    published: Published = "newest",
    notes: bool = False,
    index: SuiteIndex | None = None,
) -> None:
    """Print a suite's tables, or JSON with an entry for each benchmark, and write its pages.

    Args:
        console: where to.
        result: of the suite.
        as_json_list: whether as JSON.
        board: a leaderboard whose figures are printed too.
        published, notes: as of `show_runs`.
        index: weights of benchmarks, for an index of each model.
    """
    report = features.run.suite.report_suite(result, board, published=published, index=index)
    if as_json_list:
        tables = [json.loads(as_json(one)) for one in report.reports]
        record: dict[str, Any] = {"benchmarks": tables, "failed": list(result.failed)}
        if board is not None:
            record[board] = {name: _values(one, name) for one in report.boards.values() for name in one.rows}
        if report.indices is not None:
            record["index"] = {**asdict(report.indices), "index": report.indices.index.model_dump()}
        console.file.write(json.dumps(record, indent=2) + "\n")
        return
    for one in report.reports:
        print_report(console, one, notes=notes)
        console.print()
    _print_matrix(console, result.folder.name, report.matrix)
    indices = {} if report.indices is None else {features.run.suite.INDEX_TITLE: report.indices.matrix()}
    for title, matrix in (report.boards | indices).items():
        _print_matrix(console, title, matrix)
        for text in matrix.warnings:
            say(console, text, "yellow")
    for text in result.failed:
        say(console, text, "bold red")
    say(console, f"Every item: {report.page}")


def _values(matrix: Matrix, name: str) -> dict[str, str]:
    """Return a row's figures by column, with their remarks."""
    cells = zip(matrix.columns, matrix.rows[name], strict=True)
    return {key: f"{cell.value} {cell.interval}".rstrip() for (key, _), cell in cells if cell is not None}


def _print_matrix(console: Console, title: str, matrix: Matrix) -> None:
    grid = Table(title=escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    grid.add_column("", no_wrap=True)
    for name, headline in matrix.columns:
        grid.add_column(f"{escape(name)}\n[dim]{escape(headline)}[/]", justify="right")
    for name, cells in matrix.rows.items():
        shown = [Group(Text(c.value), Text(c.interval, style="dim")) if c else Text("–") for c in cells]
        grid.add_row(Text(name), *shown)
    print_wide(console, grid)
