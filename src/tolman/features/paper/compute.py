"""Rebuilding a paper: its tables and figures from the user's runs next to the published values, and missing parts."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from tolman import benchmarks
from tolman.analyze.model_scores import same_heading
from tolman.benchmarks.published import printed_in, published_tables
from tolman.benchmarks.rows import read_rows
from tolman.errors import TolmanError, UsageError
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.features.notebook import Displayable, NotebookTable
from tolman.features.paper import (
    PAPERS,
    CorrelationTable,
    DiversityTable,
    Drawing,
    FactTable,
    Paper,
    PaperPart,
    Step,
    SubsetTable,
)
from tolman.features.paper.paper_parts import (
    MadeFile,
    asked,
    correlation_table,
    diversity_table,
    draw,
    fact_table,
    runs_of,
    score_tables,
    subset_table,
)
from tolman.features.report.config import PaperConfig
from tolman.files import check_results
from tolman.reports.charts.chart import check_drawing
from tolman.reports.loaded_runs import LoadedRun, load_scored
from tolman.reports.report_pages import save, save_report
from tolman.reports.text import environment

INDEX = "index.md"
"""By which a folder of rebuilt tables and figures is known."""


@dataclass(frozen=True)
class PartResult:
    """The result for a table or figure.

    Attributes:
        part: which.
        files: made of it.
        said: sentences about it: the runs that it is made of, and those that were left out.
        missing: why steps could not be made, and runs that it rests on and lacks.
        runs: names of those that it is made of.
    """

    part: PaperPart
    files: tuple[MadeFile, ...] = ()
    said: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Return 'rebuilt', 'in part', 'missing', or 'elsewhere' for parts that are no result of runs."""
        if not self.part.steps:
            return "elsewhere"
        return ("in part" if self.missing else "rebuilt") if self.files else "missing"


@dataclass(frozen=True, repr=False)
class PaperResult(Displayable):
    """A paper rebuilt.

    Attributes:
        paper: which.
        out: the folder, with index.html and index.md.
        parts: its tables and figures, in the paper's order.
        left_out: a sentence for each path that is no run with scores.
        warnings: on all of them.
    """

    paper: Paper
    out: Path
    parts: tuple[PartResult, ...]
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """Return one row for each table and figure of the paper: its state, its files, its gaps, its runs."""

        columns = {
            "part": pl.String, "title": pl.String, "state": pl.String, "files": pl.String, "missing": pl.String,
            "runs": pl.String,
        }  # fmt: skip
        rows = [
            (
                one.part.name,
                one.part.title,
                one.state,
                ", ".join(name for file in one.files for name in file.names),
                "; ".join(one.missing),
                ", ".join(one.runs),
            )
            for one in self.parts
        ]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def _title(self) -> str:
        made = sum(one.state == "rebuilt" for one in self.parts)
        return f"{self.paper.name}: {made} of {len(self.parts)} tables and figures rebuilt in {self.out}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.left_out, *self.warnings)


def rebuild_paper(config: PaperConfig, events: Events = silent) -> PaperResult:
    """Make each table and figure that the runs allow, and an index of all of them.

    Raises:
        MissingExtraError: Matplotlib is not installed.
        InputError: no run has scores.
        UsageError: there is no such paper, or a run is of another benchmark.
    """

    paper: Paper = PAPERS.get(config.paper)
    check_drawing()
    out = config.out or Path(f"paper-{paper.name}")
    check_results(out, sorted(path.name for path in out.iterdir()) if out.is_dir() else (), INDEX)
    runs, left_out = load_scored(config.runs)
    title = benchmarks.get(paper.benchmark).title
    warnings = []
    for run in runs:
        spec = benchmarks.get(run.record.settings.benchmark)
        if spec.name != paper.benchmark and spec.scored_like != title:
            raise UsageError(
                f"{run.folder.path} is a run of {spec.title}, and this paper's benchmark is {title}; give runs of "
                f"'{paper.benchmark}', or of a folder whose scoring profile it is."
            )
        if spec.name != paper.benchmark:
            warnings.append(f"{run.name}: questions of {spec.title}, scored like {title}'s; not the paper's questions.")
    save_report(out / INDEX, "", "markdown")  # what is made is known as Tolman's, though it may be interrupted
    events(Began("rebuilding", len(paper.parts)))
    results = []
    with TemporaryDirectory() as place:
        for part in paper.parts:
            results.append(_part(part, runs, config, out, title, Path(place)))
            events(Advanced())
    events(Ended())
    result = PaperResult(paper, out, tuple(results), tuple(left_out), tuple(dict.fromkeys(warnings)))
    told = [f"LEFT OUT: {sentence}" for sentence in left_out] + list(result.warnings)
    rows = [(one.part, one.state, one.files, one.said, one.missing) for one in results]
    save_report(out / INDEX, index_markdown(paper.title, rows, told), "markdown")
    save(out / "index.html", index_html(paper.title, out, rows, told))
    return result


def _part(
    part: PaperPart, runs: Sequence[LoadedRun], config: PaperConfig, out: Path, title: str, place: Path
) -> PartResult:
    """Make one table or figure of the runs that it is made of: of each set of questions, a version."""
    if not part.steps:
        return PartResult(part)

    chosen = runs_of(part, runs, place)
    able = {key: found for key, found in chosen.items() if not found.absent}
    if not able:
        absent = dict.fromkeys(text for found in chosen.values() for text in found.absent)
        return PartResult(part, missing=tuple(absent) or (_no_run(part),))
    is_whole = any(not found.lacks for found in able.values())
    files: list[MadeFile] = []
    said: list[str] = []
    missing: list[str] = []
    rests_on: dict[str, None] = {}
    for (subset, data), found in able.items():
        same = [key for key in able if key[0] == subset]
        tail = "" if len(able) == 1 else f"-{subset}" + (f"-{data[:6]}" if len(same) > 1 else "")
        made: list[MadeFile] = []
        for step in part.steps:
            try:
                made += _step(step, part, found.own, config, out, tail)
            except TolmanError as error:
                missing.append(str(error).removesuffix("."))
                if config.before is not None and isinstance(step, Drawing) and step.of_questions:
                    # What is counted beside can't be read; the questions themselves can.
                    with suppress(TolmanError):
                        made += _step(step, part, found.own, replace(config, before=None), out, tail)
        if made:
            used = [max(found.own, key=asked)] if part.is_of_questions else found.own
            rests_on |= dict.fromkeys(run.name for run in used)
            said += [f"Made of {', '.join(run.name for run in used)}.", *found.said]
            others = ", ".join(run.name for run in found.others)
            said += [f"Left out, as another run covers it: {others}."] if others else []
            # Where the runs of one set of questions are all there, what others lack makes the part no less whole.
            (said if is_whole else missing).extend(f"{text}." if is_whole else text for text in found.lacks)
        files += made
    if files and part.printed:
        said += [table.told() for table in printed_in(title, part.printed)]
    return PartResult(part, tuple(files), tuple(said), tuple(dict.fromkeys(missing)), tuple(rests_on))


def _no_run(part: PaperPart) -> str:
    least = f"at least {part.least} of the protocols " if part.least > 1 else ""
    which = least + " or ".join(part.protocols) if part.protocols else "this benchmark"
    return f"no run is under {which}" + (f" and of the subset {part.subset}" if part.subset else "")


def _step(
    step: Step, part: PaperPart, runs: Sequence[LoadedRun], config: PaperConfig, out: Path, tail: str
) -> list[MadeFile]:
    stem = part.name.lower().replace(" ", "-").replace(".", "-") + tail
    if isinstance(step, CorrelationTable):
        return correlation_table(runs, _downstream(config), _turned(config), out, stem)
    if isinstance(step, Drawing):
        return [draw(step, runs, _given(step, config), out, stem)]
    if isinstance(step, FactTable):
        return [fact_table(runs, out, stem)]
    if isinstance(step, DiversityTable):
        return [diversity_table(runs, out, stem)]
    if isinstance(step, SubsetTable):
        return [subset_table(step, runs, out, stem)]
    return score_tables(step, runs, out, stem, config.places)


def _given(step: Drawing, config: PaperConfig) -> dict[str, Any]:
    """The options of a figure that the user gives.

    Raises:
        UsageError: one that it can't do without isn't given.
    """
    given = {option: getattr(config, name) for option, name in step.given.items()}
    for option, name in step.given.items():
        if given[option] is None and name != "scenes":  # runs know their scenes
            raise UsageError(f"--{name} is not given.")
    if step.kind == "scatter":
        given["lower_is_better"] = _turned(config)
    if step.kind == "benchmark" and config.before is not None:
        given["beside"] = config.before
    return {option: value for option, value in given.items() if value is not None}


def _downstream(config: PaperConfig) -> Path:
    if config.downstream is None:
        raise UsageError("--downstream is not given.")
    return config.downstream


def _turned(config: PaperConfig) -> tuple[str, ...]:
    """The columns of the results of other tasks whose signs are turned: those named, or those that the paper turns.

    Raises:
        InputError: the file can't be read.
    """

    if config.lower_is_better:
        return config.lower_is_better
    title = benchmarks.get(PAPERS.get(config.paper).benchmark).title
    known = [name for table in published_tables("correlation", title) for name in table.lower_is_better]
    rows = read_rows(_downstream(config))
    return tuple(name for name in (rows[0] if rows else ()) if any(same_heading(name, one) for one in known))


Row = tuple["PaperPart", str, Sequence[MadeFile], Sequence[str], Sequence[str]]
"""A part, its state, what was made, sentences about it, and why steps are missing."""


def index_markdown(title: str, rows: Sequence[Row], warnings: Sequence[str]) -> str:
    """The index as Markdown, with pictures and files by name."""
    lines = [f"# {title}", "", *(f"{sentence}\n" for sentence in warnings)]
    lines += ["| part | shows | state |", "|---|---|---|"]
    lines += [f"| {part.name} | {part.title} | {state} |" for part, state, *_ in rows]
    for part, state, files, said, missing in rows:
        lines += ["", f"## {part.name}: {part.title}", ""]
        for one in files:
            if one.picture:
                lines += [f"![{one.about}]({one.picture})", ""]
            lines += [", ".join(f"[{name}]({name})" for name in one.names), ""]
        lines += [text + "\n" for text in _said(part, state, files, said, missing)]
    return "\n".join(lines) + "\n"


def index_html(title: str, folder: Path, rows: Sequence[Row], warnings: Sequence[str]) -> str:
    """The index as one page that needs no other file: pictures are within it, and follow its reader's preference.

    Args:
        title: of the paper.
        folder: that the pictures are in.
        rows: of the index.
        warnings: sentences at the top.
    """
    content = [
        {
            "part": part,
            "state": state,
            "files": files,
            "pictures": {
                one.picture: base64.b64encode((folder / one.picture).read_bytes()).decode()
                for one in files
                if one.picture
            },
            "said": _said(part, state, files, said, missing),
        }
        for part, state, files, said, missing in rows
    ]
    return environment().get_template("paper.html.j2").render(title=title, rows=content, warnings=warnings)


def _said(
    part: PaperPart, state: str, files: Sequence[MadeFile], sentences: Sequence[str], missing: Sequence[str]
) -> list[str]:
    said = [*dict.fromkeys(note for one in files for note in one.notes), *sentences]
    said += [f"MISSING: {why}." for why in missing]
    if missing and part.command:
        said.append(f"It needs: {part.command}.")
    if state == "elsewhere":
        said.append(f"Not rebuilt: {part.instead}.")
    return said
