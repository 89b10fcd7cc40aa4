"""The functions behind `import tolman`: each a use case of `tolman.features`, its settings as keyword arguments.

`tolman.__all__` lists the public names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tolman import features
from tolman.errors import UsageError, hint
from tolman.features.compare.config import CompareConfig, ReconcileConfig
from tolman.features.config import at_places, config_of, fields_of
from tolman.features.events import Events, silent
from tolman.features.figures import FIGURES
from tolman.features.loaded_benchmark import Benchmark as Benchmark, load as load
from tolman.features.opened_folders import Run as Run, Scenes as Scenes
from tolman.features.report.config import ExplainConfig, PaperConfig, ReportConfig
from tolman.features.rewards import reward as reward
from tolman.features.run.config import RunConfig, ScoreConfig
from tolman.features.scores import Scores as Scores
from tolman.items import Item as Item, Media as Media
from tolman.messages import Message as Message
from tolman.models.model import Model
from tolman.models.python import PythonModel, qualified_name
from tolman.plugins import load_plugin as load_plugin
from tolman.runs.places import file_name

if TYPE_CHECKING:
    from tolman.features.compare.compute import CompareResult
    from tolman.features.compare.reconcile_runs import ReconcileResult
    from tolman.features.figures.compute import FigureResult
    from tolman.features.generate.audit import AuditResult, ShortcutAuditResult
    from tolman.features.generate.compute import GenerateResult
    from tolman.features.paper.compute import PaperResult
    from tolman.features.report.compute import ReportResult
    from tolman.features.report.explain import ExplainResult
    from tolman.features.scenes.compute import IngestResult
    from tolman.features.scenes.simulation import SimulateResult


BenchmarkLike = str | Path | Benchmark
ModelLike = str | Model | Callable[..., Any]
"""A name, a callable (messages → text, with or without `async`, or with a method `batch`), or a `Model`."""


@overload
def evaluate(
    benchmark: BenchmarkLike | Sequence[Item], model: ModelLike, *, events: Events = ..., **settings: Any
) -> Run: ...
@overload
def evaluate(
    benchmark: Sequence[BenchmarkLike], model: ModelLike, *, events: Events = ..., **settings: Any
) -> list[Run]: ...
def evaluate(
    benchmark: BenchmarkLike | Sequence[Item] | Sequence[BenchmarkLike],
    model: ModelLike,
    *,
    events: Events = silent,
    **settings: Any,
) -> Run | list[Run]:
    """Evaluate a model on a benchmark; in a script, in a thread, or in a notebook, which waits meanwhile.

    Args:
        benchmark: a name, a folder, a `Benchmark`, a list of `Item`s, or a list of benchmarks.
        model: a name such as 'openai/NAME' or 'baseline/random', or a Python callable (`tolman.models.python`):
            messages in, a text out, with or without `async`; with a method `batch`, several conversations at once.
        events: called with progress and notes.
        settings: the options of `tolman run`, named as its fields are (`tolman.features.run.config.RunConfig`):
            `protocol="cot"`, `frames=16`, `limit=100`, `out="runs/mine"`, `concurrency=4` …; `name`: the name of a
            callable.

    Returns:
        The run, or one for each benchmark of a list.

    Raises:
        UsageError: a setting that there isn't, or names that don't exist or don't go together.
        TolmanError: before the first call for everything that can be known before it; after it where it shows that
            none can succeed.
        RunInterruptedError: it was stopped; answers received are kept and scored.
    """
    jobs = _jobs(benchmark, model, settings)
    runs: list[Run] = []
    for job in jobs:
        with at_places(job.config):
            runs += features.run.compute.evaluate(job.config, events, model=job.model, benchmark=job.benchmark)[:1]
    return runs if _is_list(benchmark) else runs[0]


@overload
async def aevaluate(
    benchmark: BenchmarkLike | Sequence[Item], model: ModelLike, *, events: Events = ..., **settings: Any
) -> Run: ...
@overload
async def aevaluate(
    benchmark: Sequence[BenchmarkLike], model: ModelLike, *, events: Events = ..., **settings: Any
) -> list[Run]: ...
async def aevaluate(
    benchmark: BenchmarkLike | Sequence[Item] | Sequence[BenchmarkLike],
    model: ModelLike,
    *,
    events: Events = silent,
    **settings: Any,
) -> Run | list[Run]:
    """`evaluate` on the caller's event loop, which is free meanwhile. Cancelled, it keeps and scores the answers
    received.

    Raises:
        TolmanError: as `evaluate` does.
        CancelledError: it was cancelled.
    """
    jobs = _jobs(benchmark, model, settings)
    runs: list[Run] = []
    for job in jobs:
        with at_places(job.config):
            runs += (
                await features.run.compute.aevaluate(job.config, events, model=job.model, benchmark=job.benchmark)
            )[:1]
    return runs if _is_list(benchmark) else runs[0]


def score(
    responses: Any, benchmark: BenchmarkLike | Sequence[Item] | None = None, *, events: Events = silent, **settings: Any
) -> Scores:
    """Score responses that are there already.

    Args:
        responses: item's id → text (None for a call that brought none, a list of texts for several samples); a data
            frame (Polars, pandas) with the columns `id` and `response`; or a file or a run's folder, as `tolman score`
            takes them. A frame may number samples from 0 under `sample` and name failed calls under `failure` or
            `error`. A mapping or a frame may be a batch: its questions alone are scored, and the scores say how many
            these are. A file covers all questions: those that it lacks are missing.
        benchmark: a name, a folder, a `Benchmark` or a list of `Item`s; a run's folder needs none. To score often, load
            the benchmark once: `benchmark.score(responses)`.
        events: called with progress and notes.
        settings: the options of `tolman score`, named as the fields of `ScoreConfig` are. For responses that Python
            holds: data, subset, revision, preset, seed, name, count_failures_as_wrong, and scorer, the one scorer to
            use, such as 'official', which is the quickest.

    Returns:
        The figures. Those of a file or folder are written to a run folder too, as the command writes it; nothing is
        written for responses that Python holds.

    Raises:
        UsageError: no benchmark, an id that it doesn't have, a setting that there isn't.
        InputError: a file that can't be used.
    """
    if not isinstance(responses, str | Path):
        return _score_held(responses, benchmark, settings)
    if isinstance(benchmark, Benchmark) or not (benchmark is None or isinstance(benchmark, str | Path)):
        raise UsageError("a file of responses is scored against a benchmark's name or folder; give one of these.")
    named = {} if benchmark is None else {"benchmark": str(benchmark)}
    config = config_of(ScoreConfig, {"responses": (Path(responses),), **named, **settings})
    with at_places(config):
        return features.run.score_responses.score(config, events).scores


def open_run(path: Path | str) -> Run:
    """Open a run's folder.

    Raises:
        InputError: it is none.
    """
    run = Run(path)
    _ = run.record  # what is no run is told now
    return run


class _Job:
    """One run of `evaluate`."""

    def __init__(self, config: RunConfig, model: Callable[[], Model] | None, benchmark: Benchmark | None) -> None:
        self.config, self.model, self.benchmark = config, model, benchmark


def _jobs(
    benchmark: BenchmarkLike | Sequence[Item] | Sequence[BenchmarkLike], model: ModelLike, settings: Mapping[str, Any]
) -> list[_Job]:
    """A job for each benchmark; all settings are checked before the first is done."""
    several: Sequence[Any] = benchmark if _is_list(benchmark) else [benchmark]  # type: ignore[assignment]
    if not several:
        raise UsageError("a list of benchmarks needs one or more.")
    settings = dict(settings)
    called = settings.pop("name", None)
    if called is not None and isinstance(model, str):
        raise UsageError(f"'{model}' is a model's name; name= is what a Python callable is called.")
    if len(several) > 1 and settings.get("out") is not None:
        place = Path(settings["out"])
        outs = [{"out": place / f"{number}-{_label(one)}"} for number, one in enumerate(several, start=1)]
    else:
        outs = [{} for _ in several]
    return [_job(one, model, called, {**settings, **out}) for one, out in zip(several, outs, strict=True)]


def _job(one: BenchmarkLike | Sequence[Item], model: ModelLike, called: str | None, settings: dict[str, Any]) -> _Job:
    loaded = None
    if isinstance(one, Benchmark):
        loaded = one
        lost = [name for name in ("data", "subset", "revision") if settings.get(name) is not None]
        if lost:
            raise UsageError(f"the benchmark is loaded already; give {lost[0]} to tolman.load instead.")
    elif not isinstance(one, str | Path):
        loaded = Benchmark.of_items(one)
    name = loaded.name if loaded is not None else named_in_commands(one)  # type: ignore[arg-type]
    title = model if isinstance(model, str) else called or _model_name(model)
    config = config_of(RunConfig, {"benchmark": name, "model": title, **settings})
    if len(config.frames) > 1:
        raise UsageError("frames takes one number here; evaluate once for each of several.")
    return _Job(config, None if isinstance(model, str) else _maker(model, title, config), loaded)


def _maker(model: Model | Callable[..., Any], name: str, config: RunConfig) -> Callable[[], Model]:
    """Return a function that makes a new model for each run, as a run's end closes it."""
    if _is_model(model):
        return lambda: model  # type: ignore[return-value]
    return lambda: PythonModel(
        model,  # type: ignore[arg-type]
        name,
        concurrency=config.concurrency,
        batch_size=config.batch_size,
        timeout=config.timeout,
    )


def _model_name(model: Model | Callable[..., Any]) -> str:
    if _is_model(model):
        return str(model.name)  # type: ignore[union-attr]
    if not callable(model) and not hasattr(model, "batch"):
        raise UsageError(f"a model is a name such as 'openai/NAME' or a Python callable, not {type(model).__name__}.")
    return f"python/{qualified_name(model)}"


def _is_model(model: Any) -> bool:
    return all(hasattr(model, name) for name in ("name", "settings", "remote", "concurrency", "answer", "close"))


def _is_list(benchmark: Any) -> bool:
    """Check whether something is a list of benchmarks; a list of items, or of mappings, is one benchmark."""
    if isinstance(benchmark, str | Path | Benchmark):
        return False
    if not isinstance(benchmark, Sequence):
        raise UsageError(
            "a benchmark is a name, a folder, a tolman.Benchmark, a list of tolman.Item, or a list of benchmarks, "
            f"not {type(benchmark).__name__}."
        )
    return not any(isinstance(one, Item | Mapping) for one in benchmark)


def _score_held(responses: Any, benchmark: Any, settings: Mapping[str, Any]) -> Scores:
    if benchmark is None:
        raise UsageError("which benchmark answers the responses? Name it: tolman.score(responses, 'vsi-bench').")
    own = ("scorer", "preset", "seed", "name", "count_failures_as_wrong")
    loading = ("data", "subset", "revision") if isinstance(benchmark, str | Path) else ()
    for name in settings:
        if name not in (*own, *loading):
            raise UsageError(
                f"there is no setting '{name}' for responses that Python holds; {hint(name, (*own, *loading))}."
            )
    where = {name: settings[name] for name in loading if name in settings}
    loaded = benchmark if isinstance(benchmark, Benchmark) else load(benchmark, **where)
    return loaded.score(responses, **{name: value for name, value in settings.items() if name in own})


def named_in_commands(benchmark: str | Path) -> str:
    """How commands name it: a folder has a slash in its name."""
    place = str(benchmark)
    return f"./{place}" if isinstance(benchmark, Path) and "/" not in place else place


def _label(benchmark: Any) -> str:
    return file_name(benchmark.name if isinstance(benchmark, Benchmark) else Path(str(benchmark)).name)


def simulate(out: Path | str, *, events: Events = silent, **settings: Any) -> SimulateResult:
    """Simulate scenes whose truth is known, with videos.

    Args:
        out: folder of the scenes.
        events: called with progress and notes.
        settings: the options of `tolman simulate`, named as its fields are (`tolman.features.scenes.simulation`).

    Raises:
        UsageError: a setting that there isn't.
        NoDisplayError: the machine has no EGL.
    """
    config = config_of(features.scenes.config.SimulateConfig, {"out": out, **settings})
    with at_places(config):
        return features.scenes.simulation.simulate(config, events)


def ingest(format: str, path: Path | str, out: Path | str, *, events: Events = silent, **settings: Any) -> IngestResult:
    """Make scenes of scans and recordings.

    Args:
        format: of the recordings: 'scannet', 'arkitscenes', 'generic' …
        path: where they are.
        out: folder of the scenes.
        events: called with progress and notes.
        settings: the options of `tolman ingest`, named as its fields are (`tolman.features.scenes.compute`).

    Raises:
        UsageError: a setting or format that there isn't.
        InputError: recordings that can't be used.
    """
    config = config_of(features.scenes.config.IngestConfig, {"format": format, "path": path, "out": out, **settings})
    with at_places(config):
        return features.scenes.compute.ingest(config, events)


def generate(
    scenes: Path | str | Scenes, out: Path | str, *, events: Events = silent, **settings: Any
) -> GenerateResult:
    """Make a benchmark of scenes: questions whose answers follow from geometry.

    Args:
        scenes: a folder of scenes, or `Scenes`.
        out: folder of the benchmark.
        events: called with progress and notes.
        settings: the options of `tolman generate`, named as its fields are (`tolman.features.generate.compute`).

    Raises:
        UsageError: a setting, preset or family that there isn't, or no question comes out.
        InputError: no usable scene, or an output folder that holds something else.
    """
    place = scenes.path if isinstance(scenes, Scenes) else scenes
    config = config_of(features.generate.config.GenerateConfig, {"scenes": place, "out": out, **settings})
    with at_places(config):
        return features.generate.compute.generate(config, events)


def audit(
    benchmark: str | Path | Benchmark, scenes: Path | str | Scenes, *, events: Events = silent, **settings: Any
) -> AuditResult:
    """Recompute every answer of a benchmark from its scenes.

    Args:
        benchmark: a name, a folder, or a `Benchmark` that was loaded from one.
        scenes: a folder of its scenes, or `Scenes`.
        events: called with progress and notes.
        settings: the options of `tolman audit`, named as its fields are (`tolman.features.generate.audit`).

    Raises:
        UsageError: a setting that there isn't, or no scene fits.
        InputError: data that can't be used.
    """
    place = scenes.path if isinstance(scenes, Scenes) else scenes
    name, settings = _in_folder(benchmark, settings)
    config = config_of(features.generate.config.AuditConfig, {"benchmark": name, "scenes": place, **settings})
    with at_places(config):
        return features.generate.audit.audit(config, events)


def audit_shortcuts(
    benchmark: str | Path | Benchmark,
    *,
    teach: str | Path | Sequence[str | Path] = (),
    events: Events = silent,
    **settings: Any,
) -> ShortcutAuditResult:
    """Check whether learners that shortcut filtering doesn't use guess a benchmark's answers from its text.

    Args:
        benchmark: a name, a folder, or a `Benchmark` that was loaded from one.
        teach: folders of benchmarks whose questions are taught too, such as unfiltered ones of other seeds.
        events: called with progress and notes.
        settings: the options of `tolman audit --shortcuts`, named as its fields are (`tolman.features.generate.audit`).

    Raises:
        UsageError: a setting that there isn't, too few scenes for the folds, or nothing to teach.
        InputError: data that can't be used.
        MissingExtraError: scikit-learn isn't installed.
    """
    name, settings = _in_folder(benchmark, settings)
    several = [teach] if isinstance(teach, str | Path) else list(teach)
    taught = {"teach": tuple(Path(one) for one in several)} if several else {}
    given = {"benchmark": name, "shortcuts": True, **taught, **settings}
    config = config_of(features.generate.config.AuditConfig, given)
    with at_places(config):
        return features.generate.audit.audit_shortcuts(config, events)


def _in_folder(benchmark: str | Path | Benchmark, settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """How commands name a benchmark that is audited, and the settings with where it was loaded from.

    Raises:
        UsageError: its questions are in no folder, or it is something else.
    """
    if isinstance(benchmark, Benchmark):
        if benchmark.in_memory:
            raise UsageError(
                "these questions are in no folder; write them into one with .save(FOLDER), and audit that."
            )
        loaded = benchmark.loaded
        return named_in_commands(loaded.benchmark.name), {"data": loaded.folder, "subset": loaded.subset} | settings
    if not isinstance(benchmark, str | Path):
        kind = type(benchmark).__name__
        raise UsageError(
            f"a benchmark is a name, a folder or a tolman.Benchmark, not {kind}; a result has its folder in .out."
        )
    return named_in_commands(benchmark), settings


def open_scenes(path: Path | str) -> Scenes:
    """Open a collection of scenes; they are read when they are looped over.

    Raises:
        InputError: there is no such folder.
    """
    return Scenes(path)


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
    given = {"a": _path(a), "b": tuple(map(_path, b)), "scorer": scorer, "metrics": names, "out": out}
    config = config_of(CompareConfig, given)
    with at_places(config):
        return features.compare.compute.compare(config)


def reconcile(a: Run | str | Path, b: Run | str | Path, *, events: Events = silent, **settings: Any) -> ReconcileResult:
    """Say why two runs or logs of one benchmark have different scores: causes by item, in pieces that add up.

    Args:
        a: a run, its folder, or a log of another program.
        b: what it is compared with.
        events: called with progress and notes.
        settings: the options of `tolman reconcile`, named as its fields are (`tolman.features.compare.reconcile_runs`):
            `benchmark="mmsi-bench"` for two logs, `figure=`, `scorer_b=`, `out="why.html"` …

    Raises:
        UsageError: a setting that there isn't, they are of different benchmarks or none is named, they have no item in
            common, or the figure is no mean of scores.
        InputError: a path is neither a run's folder nor a log, or its rows don't fit the benchmark.
    """
    config = config_of(ReconcileConfig, {"a": _path(a), "b": _path(b), **settings})
    with at_places(config):
        return features.compare.reconcile_runs.reconcile(config, events)


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
    log: str | Sequence[str] = (),
    events: Events = silent,
) -> ReportResult:
    """Put runs into one table next to published rows, and into further ones by labels of the questions.

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
        scenes: of a site, the folder of the scenes, for floor plans; the one that the runs or the benchmark name where
            None.
        videos: whether videos are brought into a site, not only the frames that were sent.
        redact: whether a site or page leaves all videos and pictures out.
        log: experiment trackers that the runs are logged to: 'wandb', 'mlflow'.
        events: called with progress and notes.

    Raises:
        UsageError: an unknown form, choice of published rows, label or taxonomy, runs of different question sets, or a
            setting that the form has no use for.
        InputError: no run has scores.
    """
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    one_by, one_taxonomy = ((one,) if isinstance(one, str) else tuple(one) for one in (by, taxonomy))
    labels = {"by": one_by, "taxonomy": one_taxonomy, "log": log}
    labels = {name: some for name, some in labels.items() if some}
    given = {
        "runs": tuple(map(_path, several)), "format": format, "out": out, "published": published, "figure": figure,
        "layout": layout, "scorer": scorer, "places": places, "media": media, "scenes": scenes, "videos": videos,
        "redact": redact,
    }  # fmt: skip
    config = config_of(ReportConfig, given | labels)
    with at_places(config):
        return features.report.compute.report(config, events)


def explain(
    runs: Run | str | Path | Sequence[Run | str | Path], *, events: Events = silent, **settings: Any
) -> ExplainResult:
    """Explain why a model loses points, on one page.

    Args:
        runs: a run or its folder; of several, one to explain, and any of a grounded and a blind run of the same model.
        events: called with progress and notes.
        settings: the options of `tolman explain`, named as the fields of `ExplainConfig` are: `scenes="scenes"`,
            `out="explained"` …

    Raises:
        UsageError: a setting that there isn't, runs that don't belong together, or answers that can't be recomputed.
        InputError: a folder is no run's, was never scored, or holds no scenes.
    """
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    config = config_of(ExplainConfig, {"runs": tuple(map(_path, several)), **settings})
    with at_places(config):
        return features.report.explain.explain(config, events)


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
        of: the arguments of `tolman figure KIND`: runs or their folders, or of 'benchmark' a benchmark's name or
            folder.
        events: called with progress and notes.
        settings: the options of `tolman figure KIND`, named as its fields are: `out="radar.pdf"`, `dark=True`,
            `columns=` … The file is KIND.svg where `out` isn't given.

    Raises:
        UsageError: a kind or setting that there isn't, or nothing can be drawn of it.
        InputError: an input is broken.
        MissingExtraError: Matplotlib is not installed.
    """
    chosen = FIGURES.get(kind)
    several = [of] if isinstance(of, Run | Benchmark | str | Path) else list(of)
    given = [_place(one) for one in several]
    first = next((one for one in fields_of(chosen.config) if one.setting.positional), None)
    if first is None:
        raise UsageError(f"the figure '{kind}' takes nothing but settings; give them by name.")
    if not first.several and len(given) != 1:
        raise UsageError(f"the figure '{kind}' is of one {first.name}, not of {len(given)}.")
    value = tuple(given) if first.several else given[0]
    config = config_of(chosen.config, {first.name: value, **settings})
    with at_places(config):
        return features.figures.compute.draw_figure(chosen, config, events)


def paper(
    name: str,
    runs: Run | str | Path | Sequence[Run | str | Path],
    *,
    events: Events = silent,
    **settings: Any,
) -> PaperResult:
    """Rebuild the tables and figures of a paper from runs, with the published marks next to them.

    Args:
        name: of the paper: 'vsi-bench', 'site', 'mmsi-bench' or 'spatialbench'.
        runs: runs of its benchmark or their folders, under any protocols.
        events: called with progress and notes.
        settings: the options of `tolman paper`, named as the fields of `PaperConfig` are: `out="folder"`,
            `labels=`, `scenes=` … The folder is paper-NAME where `out` isn't given.

    Raises:
        UsageError: a paper or setting that there isn't, or a run of another benchmark.
        InputError: no run has scores.
        MissingExtraError: Matplotlib is not installed.
    """
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    config = config_of(PaperConfig, {"paper": name, "runs": tuple(map(_path, several)), **settings})
    with at_places(config):
        return features.paper.compute.rebuild_paper(config, events)


def _place(of: Run | Benchmark | str | Path) -> str:
    """Return a command's argument for a run or benchmark."""
    if isinstance(of, Run):
        return str(of.path)
    if isinstance(of, Benchmark):
        if of.in_memory:
            raise UsageError("these questions are in no folder; write them into one with .save(FOLDER), and draw that.")
        return of.loaded.benchmark.name
    return named_in_commands(of)


def _path(run: Run | str | Path) -> Path:
    return run.path if isinstance(run, Run) else Path(run)
