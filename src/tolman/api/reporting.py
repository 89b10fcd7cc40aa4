"""Runs beside each other: `compare`, `reconcile`, `report`, `figure`, `paper`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.api.evaluating import named_in_commands
from tolman.errors import UsageError
from tolman.workflows.compare import CompareConfig, CompareResult
from tolman.workflows.compare import compare as _compare
from tolman.workflows.events import Events, silent
from tolman.workflows.keywords import config_of
from tolman.workflows.loaded_benchmark import Benchmark
from tolman.workflows.opened_run import Run
from tolman.workflows.report import ReportConfig, ReportResult
from tolman.workflows.report import report as _report

if TYPE_CHECKING:
    from tolman.workflows.figure import FigureResult
    from tolman.workflows.paper import PaperResult
    from tolman.workflows.reconcile import ReconcileResult


def compare(
    a: Run | str | Path,
    *b: Run | str | Path,
    scorer: str | None = None,
    metrics: str | Sequence[str] | None = None,
    out: Path | str | None = None,
) -> CompareResult:
    """Compare a run with others item by item: differences with paired intervals, tests, items won and lost.

    Args:
        a: a run, or its folder.
        b: one or more to compare it with.
        scorer: such as 'careful'; the headline's where None.
        metrics: names of further metrics, compared by question type, such as 'within-25'.
        out: a file to write: .html (with every item won or lost), .md, .csv or .json.

    Raises:
        UsageError: they are of different benchmarks or data, have no item in common, don't have that scorer, or
            there is no such metric or form of a file.
        InputError: a folder is no run's, or was never scored.
    """
    names = metrics if metrics is None or isinstance(metrics, str) else ",".join(metrics)
    place = Path(out) if out is not None else None
    return _compare(CompareConfig(a=_path(a), b=tuple(map(_path, b)), scorer=scorer, metrics=names, out=place))


def reconcile(a: Run | str | Path, b: Run | str | Path, *, events: Events = silent, **settings: Any) -> ReconcileResult:
    """Say why two runs or logs of one benchmark have different scores: causes by item, in pieces that add up.

    Args:
        a, b: runs, their folders, or logs of other programs.
        events: called with progress and notes.
        settings: the options of `tolman reconcile`, named as its fields are (`tolman.workflows.reconcile`):
            `benchmark="mmsi-bench"` for two logs, `figure=`, `scorer_b=`, `out="why.html"` …

    Raises:
        UsageError: a setting that there isn't, they are of different benchmarks or none is named, they have no item in
            common, or the figure is no mean of scores.
        InputError: a path is neither a run's folder nor a log, or its rows don't fit the benchmark.
    """
    from tolman.workflows.reconcile import ReconcileConfig
    from tolman.workflows.reconcile import reconcile as carry_out

    return carry_out(config_of(ReconcileConfig, {"a": _path(a), "b": _path(b), **settings}), events)


def report(
    runs: Run | str | Path | Sequence[Run | str | Path],
    *,
    format: str | None = None,
    out: Path | str | None = None,
    published: str = "newest",
    by: str | Sequence[str] = (),
    taxonomy: str | Sequence[str] = (),
    figure: str | None = None,
    layout: str | None = None,
    scorer: str | None = None,
    places: Path | str | None = None,
    media: Path | str | None = None,
    scenes: Path | str | None = None,
    videos: bool = False,
    redact: bool = False,
) -> ReportResult:
    """Put runs into one table beside published rows, and into further ones by labels of the questions.

    Args:
        runs: runs or their folders, of one benchmark.
        format: 'markdown', 'csv', 'latex', 'json', 'html' or 'site'; that of `out` where None.
        out: a file to write; without a suffix the folder of a site, the explorer of every item.
        published: published rows: 'none', 'baselines' (chance and people), 'newest' (these and the models printed
            last), 'paper' (those of the benchmark's own paper) or 'all'.
        by: labels of a further table, such as 'source' or 'level,scene_type'; of several tables a list.
        taxonomy: benchmarks under whose classification the questions are scored too: 'vsi-bench', 'site', 'mmsi-bench',
            'spatialbench'.
        figure: column of the benchmark's table whose figure is shown for each value of a label; its headline where
            None.
        layout: 'across' (a column for each value of the last label) or 'down' (a row for each, with all columns); by
            the number of values where None.
        scorer: of the tables by labels; 'all' for each, the headline's where None.
        places: TOML file that gives question types their places in taxonomies.
        media: of a site or page, the folder that the paths of videos and pictures begin in; the runs' own where None.
        scenes: of a site, the folder of the scenes, for floor plans; what the runs or the benchmark name where None.
        videos: whether videos are brought into a site, not only the frames that were sent.
        redact: whether a site or page leaves all videos and pictures out.

    Raises:
        UsageError: an unknown form, choice of published rows, label or taxonomy, runs of different question sets, or a
            setting that the form has no use for.
        InputError: no run has scores.
    """
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    return _report(
        ReportConfig(
            runs=tuple(map(_path, several)),
            format=format,
            out=None if out is None else Path(out),
            published=published,
            by=(by,) if isinstance(by, str) else tuple(by),
            taxonomy=(taxonomy,) if isinstance(taxonomy, str) else tuple(taxonomy),
            figure=figure,
            layout=layout,
            scorer=scorer,
            places=None if places is None else Path(places),
            media=None if media is None else Path(media),
            scenes=None if scenes is None else Path(scenes),
            videos=videos,
            redact=redact,
        )
    )


def figure(
    kind: str,
    of: Run | Benchmark | str | Path | Sequence[Run | Benchmark | str | Path],
    *,
    events: Events = silent,
    **settings: Any,
) -> FigureResult:
    """Draw a figure of runs, or of a benchmark.

    Args:
        kind: of figure, as `tolman figure` lists them: 'bars', 'dots', 'radar', 'deltas', 'curve' …
        of: what `tolman figure KIND` takes before its options: runs or their folders, or of 'benchmark' a benchmark's
            name or folder.
        events: called with progress and notes.
        settings: the options of `tolman figure KIND`, named as its fields are: `out="radar.pdf"`, `dark=True`,
            `columns=` … The file is KIND.svg where `out` isn't given.

    Raises:
        UsageError: a kind or setting that there isn't, or nothing can be drawn of it.
        InputError: an input is broken.
        MissingExtraError: Matplotlib is not installed.
    """
    from tolman.workflows.config import fields_of
    from tolman.workflows.figure import draw_figure
    from tolman.workflows.figures import FIGURES

    chosen = FIGURES.get(kind)
    several = [of] if isinstance(of, Run | Benchmark | str | Path) else list(of)
    given = [_place(one) for one in several]
    first = next((one for one in fields_of(chosen.config) if one.setting.positional), None)
    if first is None:
        raise UsageError(f"the figure '{kind}' takes nothing but settings; give them by name.")
    if not first.several and len(given) != 1:
        raise UsageError(f"the figure '{kind}' is of one {first.name}, not of {len(given)}.")
    value = tuple(given) if first.several else given[0]
    return draw_figure(chosen, config_of(chosen.config, {first.name: value, **settings}), events)


def paper(
    name: str,
    runs: Run | str | Path | Sequence[Run | str | Path],
    *,
    events: Events = silent,
    **settings: Any,
) -> PaperResult:
    """Rebuild the tables and figures of a paper from runs, with the published marks beside them.

    Args:
        name: of the paper: 'vsi-bench', 'site', 'mmsi-bench' or 'spatialbench'.
        runs: runs of its benchmark or their folders, under any protocols.
        events: called with progress and notes.
        settings: the options of `tolman paper`, named as its fields are (`tolman.workflows.paper`): `out="folder"`,
            `labels=`, `scenes=` … The folder is paper-NAME where `out` isn't given.

    Raises:
        UsageError: a paper or setting that there isn't, or a run of another benchmark.
        InputError: no run has scores.
        MissingExtraError: Matplotlib is not installed.
    """
    from tolman.workflows.paper import PaperConfig, rebuild_paper

    several = [runs] if isinstance(runs, Run | str | Path) else runs
    return rebuild_paper(
        config_of(PaperConfig, {"paper": name, "runs": tuple(map(_path, several)), **settings}), events
    )


def _place(of: Run | Benchmark | str | Path) -> str:
    """What a command takes for it."""
    if isinstance(of, Run):
        return str(of.path)
    if isinstance(of, Benchmark):
        if of.in_memory:
            raise UsageError("these questions are in no folder; write them into one with .save(FOLDER), and draw that.")
        return of.loaded.benchmark.name
    return named_in_commands(of)


def _path(run: Run | str | Path) -> Path:
    return run.path if isinstance(run, Run) else Path(run)
