"""Lists of benchmarks, protocols, metrics, recipes and stores in the terminal."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tolman import __version__
from tolman.benchmarks.fetching.listing import in_units
from tolman.benchmarks.known_errors import error_list, reports_on
from tolman.errors import counted
from tolman.features.catalogue.doctor import DoctorResult
from tolman.features.printing import list_first, plain_table, say, write_json
from tolman.models.thinking import REASONING, room

if TYPE_CHECKING:
    from tolman.benchmarks.known_errors import ErrorReport
    from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
    from tolman.features.catalogue.compute import ExportResult, FetchResult, ProtocolSummary, StoreSummary
    from tolman.features.run.config import NamedSuite
    from tolman.models.recipes import ModelRecipe
    from tolman.scoring.metrics import Metric


def show_benchmarks(
    console: Console, found: Sequence[BenchmarkSpec], suites: Sequence[NamedSuite] = (), *, as_json: bool
) -> None:
    """All benchmarks, a line each, then the suites of them; as JSON the benchmarks alone."""
    if as_json:
        write_json(console, [_benchmark_fields(one) for one in found], ascii_only=False)
        return
    headings = ("name", "title", "subsets", "figures", "published rows")
    grid = plain_table(headings, left=headings)
    for b in found:
        grid.add_row(b.name, b.title, ", ".join(b.subsets), str(len(b.table.columns)), str(len(b.published_rows)))
    console.print(grid)
    rows = [(one.name, f"{one.about}: {', '.join(one.benchmarks)}") for one in suites]
    if rows:
        console.print()
        _name_table(console, "Suites, carried out by 'tolman run NAME --model …'", rows)


def show_suite_file(console: Console, suite: NamedSuite, *, as_json: bool) -> None:
    """The file of a suite, as it is."""
    if as_json:
        record = {"name": suite.name, "about": suite.about, "benchmarks": list(suite.benchmarks), "file": suite.text}
        write_json(console, record, ascii_only=False)
        return
    console.file.write(suite.text)


def show_benchmark(console: Console, b: BenchmarkSpec, *, as_json: bool) -> None:
    """One benchmark with its subsets, prompt presets, scorers and columns."""
    if as_json:
        write_json(console, _benchmark_fields(b), ascii_only=False)
        return
    console.print(f"[bold]{escape(b.title)}[/]  {escape(b.credits)}", highlight=False, soft_wrap=True)
    place = f"{b.hub.repository} at {b.hub.revision}" if b.hub else "local only"
    console.print(f"Found at: {place}", highlight=False)
    if b.sources:
        console.print(f"Checked in: {escape(b.sources)}", highlight=False, soft_wrap=True)
    for title, rows in (
        ("Subsets", list(b.subsets.items())),
        ("Prompt presets", [(p.name, p.source) for p in b.presets]),
        ("Tokens of an answer, at most", [(p.name, _limits(p)) for p in b.presets]),
        ("Scorers", [(r.name, "headline" if r is b.rule_sets[0] else "") for r in b.rule_sets]),
        ("With --judge", [("judged", b.judging.source)]),
        ("Figures", [(c.key, f"{c.group}: {c.title}" if c.group else c.title) for c in b.table.columns]),
    ):
        _name_table(console, title, rows)
    if reports := reports_on(b.name):
        shown = [(own.kind, escape(f"{_wrong_answers(own)}. {own.how} {own.source}")) for own in reports]
        _name_table(console, f"Known errors, version {error_list().version}, for --exclude known-errors", shown)


def _wrong_answers(report: ErrorReport) -> str:
    """Name items with their released answers and those of the source."""
    instead = {one.id: f", source {one.instead}" if one.instead else "" for one in report.items}
    return "; ".join(f"{one.id}: {one.answer}{instead[one.id]}" for one in report.items)


def show_protocols(console: Console, found: Sequence[ProtocolSummary], *, as_json: bool) -> None:
    """Print all protocols: the ways of asking, one for each run, then the modifiers."""
    if as_json:
        write_json(console, [asdict(one) for one in found], ascii_only=False)
        return
    for title, kind in (("Ways of asking, one for a run", "strategy"), ("Joined to them with '+'", "modifier")):
        _name_table(console, title, [(one.name, one.summary) for one in found if one.kind == kind])


def show_metrics(console: Console, found: Sequence[Metric], *, as_json: bool) -> None:
    """All metrics, a line each: for which items, the range of a figure, and which end of it is better."""
    lows = [-math.inf if one.chance_adjusted else one.scale * one.range[0] for one in found]
    ranges = [(low, one.scale * one.range[1]) for low, one in zip(lows, found, strict=True)]
    if as_json:
        fields = ("name", "title", "kinds", "unit", "direction", "source")
        ends = [[end if math.isfinite(end) else None for end in ends] for ends in ranges]
        rows = [
            {name: getattr(one, name) for name in fields} | {"range": own} for one, own in zip(found, ends, strict=True)
        ]
        write_json(console, rows, ascii_only=False)
        return
    shown = []
    for one, (low, high) in zip(found, ranges, strict=True):
        bounds = f"{low:g} to {high:g} {one.unit}".rstrip().replace("inf", "∞").replace("-", "−")
        best = "0 is best" if one.direction == "zero" else f"{one.direction} is better"
        shown.append((one.name, escape(f"{', '.join(one.kinds) or 'all'}: {one.title}; {bounds}, {best}")))
    _name_table(console, "Metrics, with the items that they are for and their range", shown)


def _name_table(console: Console, title: str, rows: Sequence[tuple[str, str]]) -> None:
    grid = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    for row in rows:
        grid.add_row(*row)
    console.print(grid)


def _limits(preset: PromptPreset) -> str:
    """Return a preset's budget for the answer, and the one for reasoning where the model is asked to reason."""
    answer = preset.sampling.max_tokens
    if answer is None:
        return "no limit"
    return f"{answer:,}, and {room(preset.sampling.thinking or REASONING):,} more for reasoning where it is asked for"


def _benchmark_fields(b: BenchmarkSpec) -> dict[str, Any]:
    return {
        "name": b.name,
        "title": b.title,
        "paper": b.paper,
        "scored_like": b.scored_like,
        "licence": b.licence,
        "subsets": dict(b.subsets),
        "presets": {p.name: p.source for p in b.presets},
        "tokens": {
            p.name: {"answer": p.sampling.max_tokens, "reasoning": room(p.sampling.thinking or REASONING)}
            for p in b.presets
        },
        "rule_sets": [r.name for r in b.rule_sets],
        "judging": b.judging.source,
        "columns": [{"key": c.key, "title": c.title, "group": c.group} for c in b.table.columns],
        "headline": b.table.headline,
        "published_rows": len(b.published_rows),
        "hub": b.hub.repository if b.hub else None,
        "known_errors": {
            "version": error_list().version,
            "reports": [one.model_dump(exclude={"benchmark"}) for one in reports_on(b.name)],
        },
    }


def show_recipes(console: Console, found: Sequence[ModelRecipe], *, as_json: bool) -> None:
    """All recipes, a line each."""
    if as_json:
        write_json(console, [one.model_dump(mode="json", exclude_none=True) for one in found], ascii_only=False)
        return
    headings = ("name", "family", "videos as", "with --recipe")
    grid = plain_table(headings, left=headings)
    for one in found:
        settings = one.run.model_dump(exclude_none=True, exclude={"source", "body"}) if one.run else {}
        told = ", ".join(f"{name.replace('_', ' ')} {_value_text(value)}" for name, value in settings.items())
        grid.add_row(one.name, one.title, one.input.form, told)
    console.print(grid)


def show_recipe(console: Console, recipe: ModelRecipe, *, as_json: bool) -> None:
    """Print one recipe: its settings, and the source of each."""
    if as_json:
        write_json(console, recipe.model_dump(mode="json", exclude_none=True), ascii_only=False)
        return
    console.print(f"[bold]{escape(recipe.title)}[/]  {escape(recipe.name)}", highlight=False, soft_wrap=True)
    if recipe.match:
        say(console, f"For models named: {', '.join(recipe.match)}")
    tables: list[tuple[str, dict[str, Any]]] = [("Input, by the model's name", recipe.input.model_dump())]
    tables += [("Run, with --recipe", recipe.run.model_dump())] if recipe.run else []
    tables += [("Tokens of a video", recipe.tokens.model_dump(exclude_defaults=True))] if recipe.tokens else []
    tables += [(f"Whole files, {server}", one.model_dump()) for server, one in recipe.file.items()]
    for title, settings in tables:
        _settings_table(console, title, settings)
    for note in recipe.notes:
        say(console, f"- {note}")


def _settings_table(console: Console, title: str, settings: dict[str, Any]) -> None:
    grid = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=None, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, value in settings.items():
        if value is not None and value != {}:
            grid.add_row(name, escape(_value_text(value)))
    console.print(grid)


def _value_text(value: Any) -> str:
    """A value on one line."""
    return repr(value) if isinstance(value, str) and "\n" in value else str(value)


MAX_FILES = 12
"""Files that are named."""


def show_fetched(console: Console, result: FetchResult, *, as_json: bool) -> None:
    """Print the files fetched, their state, their place and their licence."""
    if as_json:
        paths = {name: str(path) if path else None for name, path in _places(result).items()}
        write_json(console, asdict(result) | paths | {"changed": list(result.changed)})
        return
    say(
        console,
        f"{result.title}, {result.subset}: {counted(result.items, 'question')} of "
        f"{result.repository}@{result.revision}",
    )
    total = sum(result.files.values())
    largest = sorted(result.files.items(), key=lambda one: (-one[1], one[0]))
    list_first(console, [f"  {path}  {in_units(size)}" for path, size in largest], MAX_FILES)
    if result.lock is None:
        say(console, f"Would come: {in_units(result.fetched)} of {in_units(total)}.")
    else:
        say(console, f"Fetched: {in_units(result.fetched)} of {in_units(total)}; the rest was here.")
        if result.changed:
            say(console, f"Changed since the state before: {'; '.join(result.changed)}.", "yellow")
        for name, path in _places(result).items():
            if path is not None:
                say(console, f"{name.capitalize()}: {path}")
    say(console, f"Licence: {result.licence}.")


def _places(result: FetchResult) -> dict[str, object]:
    return {"questions": result.questions, "media": result.media, "lock": result.lock}


def show_export(console: Console, result: ExportResult, *, as_json: bool) -> None:
    """The folder, and how the other program takes it."""
    if as_json:
        record = {"folder": str(result.folder), "use": result.use, "notes": result.notes, "files": result.files}
        console.file.write(json.dumps(record) + "\n")
        return
    console.print(f"{result.folder}: {result.title}, {counted(result.files, 'file')}", markup=False, highlight=False)
    say(console, result.use)


_STYLES = {"works": "green", "missing": "yellow", "fails": "red"}


def show_diagnosis(console: Console, result: DoctorResult, *, as_json: bool) -> None:
    """A line for each check, and below it what to do where something doesn't work."""
    if as_json:
        about = {"tolman": __version__, "python": platform.python_version(), "platform": platform.platform()}
        told = [asdict(check) for check in result.checks]
        write_json(console, {**about, "ok": not result.failed, "checks": told})
        return
    say(console, f"tolman {__version__}, Python {platform.python_version()}, {platform.platform()}")
    width = max(len(check.name) for check in result.checks)
    for group, checks in groupby(result.checks, lambda check: check.group):
        say(console, f"\n{group}", "bold")
        for check in checks:
            say(console, f"{check.state:<8}{check.name:<{width}}  {check.found}", _STYLES[check.state])
            if check.advice:
                say(console, f"{'':<{8 + width}}  → {check.advice}")


def show_store(console: Console, summary: StoreSummary, *, as_json: bool) -> None:
    """A row for each model, and the file they are in."""
    if as_json:
        models = [
            {"model": one.model, "answers": one.answers, "first": one.first, "last": one.last} for one in summary.models
        ]
        write_json(console, {"store": summary.place, "models": models})
        return
    grid = plain_table(("model", "answers", "first", "last"), left=("model", "first", "last"), whole=())
    for one in summary.models:
        grid.add_row(one.model, f"{one.answers:,}", _day(one.first), _day(one.last))
    console.print(grid)
    say(console, f"{summary.place}: {summary.size / 1e6:.1f} MB")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
