"""Questions, answers, scores: `load`, `evaluate`, `aevaluate`, `score`, `open_run`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from tolman.errors import UsageError
from tolman.items import Item
from tolman.models.base import Model
from tolman.models.python import PythonModel, qualified_name
from tolman.names import hint
from tolman.workflows.config import at_places
from tolman.workflows.evaluate import aevaluate as _aevaluate
from tolman.workflows.evaluate import evaluate as _evaluate
from tolman.workflows.events import Events, silent
from tolman.workflows.keywords import config_of
from tolman.workflows.loaded_benchmark import Benchmark
from tolman.workflows.opened_run import Run
from tolman.workflows.run_config import RunConfig
from tolman.workflows.score import ScoreConfig
from tolman.workflows.score import score as _score
from tolman.workflows.scores import Scores

BenchmarkLike = str | Path | Benchmark
ModelLike = str | Model | Callable[..., Any]
"""A name, a callable (messages → text, with or without `async`, or with a method `batch`), or a `Model`."""


def load(
    benchmark: str | Path | Iterable[Item | Mapping[str, Any]],
    *,
    data: Path | str | None = None,
    subset: str | None = None,
    revision: str | None = None,
    name: str = "items",
    scoring_profile: str | None = None,
) -> Benchmark:
    """Load a benchmark's questions, or make a benchmark of your own.

    Args:
        benchmark: a name such as 'vsi-bench', a folder that is a benchmark, or questions: `Item`s or mappings of their
            fields.
        data: a local folder or file with the released data; the Hugging Face hub where None.
        subset: a named part; the benchmark's first where None.
        revision: commit of the hub's data set, other than the pinned one.
        name: of a list of questions.
        scoring_profile: of a list of questions, the benchmark whose prompts, scorers and table it uses. Where None, the
            one that all of them were loaded with; where there is none, a plain prompt and the scorer `careful`.

    Raises:
        UsageError: no such benchmark or subset, a list with something else in it, or the hub can't be reached.
        InputError: the data is not the benchmark's.
    """
    if isinstance(benchmark, str | Path):
        return Benchmark.load(benchmark, data=None if data is None else Path(data), subset=subset, revision=revision)
    return Benchmark.of_items(benchmark, name=name, scoring_profile=scoring_profile)


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
        settings: the options of `tolman run`, named as its fields are (`tolman.workflows.run_config.RunConfig`):
            `protocol="cot"`, `frames=16`, `limit=100`, `out="runs/mine"`, `concurrency=4` …; `name`: what a callable
            is called.

    Returns:
        The run, or one for each benchmark of a list.

    Raises:
        UsageError: a setting that there isn't, or names that don't exist or don't go together.
        TolmanError: before the first call for everything that can be known before it; after it where it shows that
            none can succeed.
        RunInterruptedError: it was stopped; what was answered is kept and scored.
    """
    jobs = _jobs(benchmark, model, settings)
    runs: list[Run] = []
    for job in jobs:
        with at_places(job.config):
            runs += _evaluate(job.config, events, model=job.model, benchmark=job.benchmark).runs[:1]
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
    """`evaluate` on the caller's event loop, which is free meanwhile. Cancelled, it keeps and scores what came.

    Raises:
        TolmanError: as `evaluate` does.
        CancelledError: it was cancelled.
    """
    jobs = _jobs(benchmark, model, settings)
    runs: list[Run] = []
    for job in jobs:
        with at_places(job.config):
            runs += (await _aevaluate(job.config, events, model=job.model, benchmark=job.benchmark)).runs[:1]
    return runs if _is_list(benchmark) else runs[0]


def score(
    responses: Any, benchmark: BenchmarkLike | Sequence[Item] | None = None, *, events: Events = silent, **settings: Any
) -> Scores:
    """Score responses that are there already.

    Args:
        responses: item's id → text (None for a call that brought none, a list of texts for several samples); a data
            frame (Polars, pandas) with the columns `id` and `response`, and `sample` where there are several; or a
            file or a run's folder, as `tolman score` takes them. A mapping or a frame may be a batch: its questions
            alone are scored, and the scores say how many these are. A file is of all questions: what it lacks is
            missing.
        benchmark: a name, a folder, a `Benchmark` or a list of `Item`s; a run's folder needs none. Who scores often
            loads the benchmark once: `benchmark.score(responses)`.
        events: called with progress and notes.
        settings: the options of `tolman score`, named as its fields are (`tolman.workflows.score.ScoreConfig`). Of
            responses that Python holds: data, subset, revision, preset, seed, name, count_failures_as_wrong, and
            scorer, the one scorer to use, such as 'official', which is the quickest.

    Returns:
        The figures. A file's or folder's stand in a run folder too, as the command writes it; nothing is written for
        responses that Python holds.

    Raises:
        UsageError: no benchmark, an id that it doesn't have, a setting that there isn't.
        InputError: a file that can't be used.
    """
    if not isinstance(responses, str | Path):
        return _score_held(responses, benchmark, settings)
    if isinstance(benchmark, Benchmark) or not (benchmark is None or isinstance(benchmark, str | Path)):
        raise UsageError("a file of responses is scored against a benchmark's name or folder; give one of these.")
    named = {} if benchmark is None else {"benchmark": str(benchmark)}
    config = config_of(ScoreConfig, {"responses": Path(responses), **named, **settings})
    with at_places(config):
        return _score(config, events).run.scores


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
    """Makes the model anew for each run, as a run's end closes it."""
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
    """Whether something is a list of benchmarks; a list of items, or of mappings, is one benchmark."""
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
    from tolman.runs.folder import file_name

    return file_name(benchmark.name if isinstance(benchmark, Benchmark) else Path(str(benchmark)).name)
