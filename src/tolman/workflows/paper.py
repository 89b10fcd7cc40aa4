"""Rebuilding a paper: its tables and figures from the user's runs beside what it prints, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import TolmanError, UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable

if TYPE_CHECKING:
    import polars as pl

    from tolman.reports.loaded import LoadedRun
    from tolman.reports.paper_page import MadeFile
    from tolman.workflows.papers import Drawing, Paper, PaperPart, Step


@dataclass(frozen=True, kw_only=True)
class PaperConfig:
    """Which paper is rebuilt from which runs."""

    paper: Annotated[str, Setting("Paper: vsi-bench, site, mmsi-bench or spatialbench.", positional=True)]
    runs: Annotated[
        tuple[Path, ...], Setting("Run folders of its benchmark, under any protocols.", positional=True, repeated=True)
    ]
    out: Annotated[Path | None, Setting("Folder to write. Default: paper-NAME.")] = None
    labels: Annotated[
        Path | None,
        Setting("Labels of error types: people's file, or labels.jsonl of 'tolman analyze errors'. Default: none."),
    ] = None
    scenes: Annotated[
        Path | None, Setting("Folder of the scenes that true maps are computed from. Default: the run's own.")
    ] = None
    downstream: Annotated[
        Path | None, Setting("CSV of results of other tasks: a row for each model, its name first. Default: none.")
    ] = None
    places: Annotated[
        Path | None,
        Setting("TOML file that gives values of a label a question family or a place in taxonomies. Default: none."),
    ] = None
    before: Annotated[
        str | None,
        Setting("Benchmark, folder or run with the questions before a selection, counted beside. Default: none."),
    ] = None


@dataclass(frozen=True)
class PartResult:
    """What became of a table or figure.

    Attributes:
        part: which.
        files: what was made of it.
        said: sentences about it: the runs that it is made of, and those that were left out.
        missing: for each step that could not be made, why.
    """

    part: PaperPart
    files: tuple[MadeFile, ...] = ()
    said: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """'rebuilt', 'in part', 'missing', or 'elsewhere' for what is no result of runs."""
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
        warnings: what must be said of all of them.
    """

    paper: Paper
    out: Path
    parts: tuple[PartResult, ...]
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    def table(self) -> pl.DataFrame:
        """One row for each table and figure of the paper: what became of it, its files, what it lacks."""
        import polars as pl

        columns = {"part": pl.String, "title": pl.String, "state": pl.String, "files": pl.String, "missing": pl.String}
        rows = [
            (
                one.part.name,
                one.part.title,
                one.state,
                ", ".join(name for file in one.files for name in file.names),
                "; ".join(one.missing),
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
    from tolman import benchmarks
    from tolman.files import write_text
    from tolman.reports.charts.page import check_drawing
    from tolman.reports.loaded import load_scored
    from tolman.reports.paper_page import index_html, index_markdown
    from tolman.workflows.papers import PAPERS

    paper: Paper = PAPERS.get(config.paper)
    check_drawing()
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
    out = config.out or Path(f"paper-{paper.name}")
    out.mkdir(parents=True, exist_ok=True)
    events(Began("rebuilding", len(paper.parts)))
    results = []
    for part in paper.parts:
        results.append(_part(part, runs, config, out, title))
        events(Advanced())
    events(Ended())
    result = PaperResult(paper, out, tuple(results), tuple(left_out), tuple(dict.fromkeys(warnings)))
    told = [f"LEFT OUT: {sentence}" for sentence in left_out] + list(result.warnings)
    rows = [(one.part, one.state, one.files, one.said, one.missing) for one in results]
    write_text(out / "index.md", index_markdown(paper.title, rows, told))
    write_text(out / "index.html", index_html(paper.title, out, rows, told))
    return result


def _part(part: PaperPart, runs: Sequence[LoadedRun], config: PaperConfig, out: Path, title: str) -> PartResult:
    """Make one table or figure of the runs that it is made of: of each set of questions, a version."""
    if not part.steps:
        return PartResult(part)
    from tolman.runs.folder import BASELINES
    from tolman.workflows.paper_steps import asked, is_of_questions

    groups: dict[tuple[str, str], list[LoadedRun]] = {}
    for run in runs:
        settings = run.record.settings
        # A baseline sees no media under any protocol; where protocols are compared, it has nothing to compare.
        is_baseline = settings.model.startswith(BASELINES) and part.least == 1
        if part.protocols and settings.protocol not in part.protocols and not is_baseline:
            continue
        if not part.subset or settings.subset == part.subset:
            groups.setdefault((settings.subset, settings.data_hash), []).append(run)
    chosen = {key: _distinct(own, part) for key, own in groups.items()}
    chosen = {
        key: pair for key, pair in chosen.items() if len({r.record.settings.protocol for r in pair[0]}) >= part.least
    }
    if not chosen:
        least = f"at least {part.least} of the protocols " if part.least > 1 else ""
        which = least + " or ".join(part.protocols) if part.protocols else "this benchmark"
        subset = f" and of the subset {part.subset}" if part.subset else ""
        return PartResult(part, missing=(f"no run is under {which}{subset}",))

    files: list[MadeFile] = []
    said: list[str] = []
    missing: list[str] = []
    for (subset, data), (own, others) in chosen.items():
        same = [key for key in chosen if key[0] == subset]
        tail = "" if len(chosen) == 1 else f"-{subset}" + (f"-{data[:6]}" if len(same) > 1 else "")
        made: list[MadeFile] = []
        for step in part.steps:
            try:
                made += _step(step, part, own, config, out, tail)
            except TolmanError as error:
                missing.append(str(error).removesuffix("."))
        if made:
            used = [max(own, key=asked)] if all(is_of_questions(step) for step in part.steps) else own
            said.append(f"Made of {', '.join(run.name for run in used)}.")
            said += (
                [f"Left out, as another run stands for it: {', '.join(run.name for run in others)}."] if others else []
            )
        files += made
    if files and part.printed:
        from tolman.benchmarks.published_tables import printed_in

        said += [table.told() for table in printed_in(title, part.printed)]
    return PartResult(part, tuple(files), tuple(said), tuple(dict.fromkeys(missing)))


def _distinct(runs: Sequence[LoadedRun], part: PaperPart) -> tuple[list[LoadedRun], list[LoadedRun]]:
    """The runs that a part is made of, and those that others stand for.

    Where protocols are compared, runs are of equal frames and reasoning: those settings of which there are most
    protocols. Of several runs at one place, the first that was given stands for all.
    """
    own: list[LoadedRun] = list(runs)
    others: list[LoadedRun] = []
    if part.least > 1:
        alike: dict[str, list[LoadedRun]] = {}
        for run in own:
            settings = run.record.settings
            alike.setdefault(f"{settings.frames} {settings.sampling.thinking} {settings.selection}", []).append(run)
        own = max(alike.values(), key=lambda some: (len({r.record.settings.protocol for r in some}), len(some)))
        others = [run for run in runs if run not in own]
    if part.least == 1 and not part.sweeps:
        return own, others
    places: dict[tuple[str, str, str], LoadedRun] = {}
    for run in own:
        settings = run.record.settings
        known = places.setdefault((settings.model, settings.protocol, str(settings.frames)), run)
        others += [run] if known is not run else []
    return list(places.values()), others


def _step(
    step: Step, part: PaperPart, runs: Sequence[LoadedRun], config: PaperConfig, out: Path, tail: str
) -> list[MadeFile]:
    from tolman.workflows.paper_steps import diversity_table, draw, fact_table, score_tables, subset_table
    from tolman.workflows.papers import DiversityTable, Drawing, FactTable, SubsetTable

    stem = part.name.lower().replace(" ", "-").replace(".", "-") + tail
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
    if step.kind == "benchmark" and config.before is not None:
        given["beside"] = config.before
    return {option: value for option, value in given.items() if value is not None}
