"""Evaluating a model on a benchmark: ask, score, and keep all of it in a run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.workflows.events import Events, Noted, silent
from tolman.workflows.fleet import BATCH_ALONE, limits_of, server_of
from tolman.workflows.judges import judge_request
from tolman.workflows.run_config import RunConfig
from tolman.workflows.values import json_object

if TYPE_CHECKING:
    from tolman.models.base import Model, ModelOptions
    from tolman.runs.run import RunRequest
    from tolman.workflows.loaded_benchmark import Benchmark
    from tolman.workflows.opened_run import Run


@dataclass(frozen=True)
class EvaluateResult:
    """What evaluating brought.

    Attributes:
        runs: one, or one for each number of frames and each budget of reasoning.
    """

    runs: tuple[Run, ...]


def evaluate(
    config: RunConfig,
    events: Events = silent,
    *,
    model: Callable[[], Model] | None = None,
    benchmark: Benchmark | None = None,
) -> EvaluateResult:
    """Evaluate a model on a benchmark, in this thread; an event loop that runs in it waits.

    Args:
        config: what is asked for.
        events: called with progress and notes.
        model: makes the model, in place of the name `config.model`.
        benchmark: a loaded one, in place of the name `config.benchmark`.

    Raises:
        TolmanError: before the first call for everything that can be known before it; after it where it shows that
            none can succeed.
        RunInterruptedError: it was stopped; what was answered is kept and scored.
    """
    from tolman.runs.run import run
    from tolman.workflows.calls import CallEvents
    from tolman.workflows.opened_run import Run

    _tell_of_metrics(config, events)
    runs = []
    with server_of(config) as (asked, server):
        for one in requests_of(asked, model, benchmark):
            calls = CallEvents(events)
            request = replace(one, server=server)
            folder, _ = run(request, started=calls.start, done=calls.done, noted=calls.note)
            calls.end()
            runs.append(Run(folder.path))
    return EvaluateResult(tuple(runs))


async def aevaluate(
    config: RunConfig,
    events: Events = silent,
    *,
    model: Callable[[], Model] | None = None,
    benchmark: Benchmark | None = None,
) -> EvaluateResult:
    """`evaluate` on the caller's event loop.

    Raises:
        TolmanError: as `evaluate` does.
        CancelledError: it was cancelled; what was answered is kept and scored.
    """
    from tolman.runs.run import arun
    from tolman.workflows.calls import CallEvents
    from tolman.workflows.opened_run import Run

    _tell_of_metrics(config, events)
    runs = []
    with server_of(config) as (asked, server):
        for one in requests_of(asked, model, benchmark):
            calls = CallEvents(events)
            request = replace(one, server=server)
            folder, _ = await arun(request, started=calls.start, done=calls.done, noted=calls.note)
            calls.end()
            runs.append(Run(folder.path))
    return EvaluateResult(tuple(runs))


def requests_of(
    config: RunConfig, model: Callable[[], Model] | None = None, benchmark: Benchmark | None = None
) -> Iterator[RunRequest]:
    """The runs that a config asks for: one, or one for each number of frames and each budget of reasoning.

    Raises:
        UsageError: a setting that can't be read, or a judge's without a judge.
    """
    from tolman.runs.sweep import by_budget, by_form, by_frames
    from tolman.workflows.recipes import with_form, with_recipe
    from tolman.workflows.thinking import budgets_of, thinking_of

    if len(set(config.frames)) < len(config.frames):
        raise UsageError(f"--frames names a number twice: {','.join(map(str, config.frames))}.")
    if len(set(config.input_form)) < len(config.input_form):
        raise UsageError(f"--as names a form twice: {','.join(config.input_form)}.")
    request = with_recipe(_request(config), config.recipe)
    if benchmark is not None:
        request = replace(request, benchmark=benchmark.name, loaded=benchmark.loaded)
    asked = (thinking_of(config.thinking, config.effort, budget) for budget in budgets_of(config.reasoning_budget))
    budgets = [one for one in asked if one is not None]
    by_count = by_frames(request, config.frames)
    formed = [with_form(found) for count in by_count for found in by_form(count, config.input_form)]
    for one in (part for each in formed for part in by_budget(each, budgets)):
        opened = replace(one, opened=model()) if model is not None else one
        yield _kept_items(opened, benchmark) if benchmark is not None and benchmark.in_memory else opened


def _request(config: RunConfig) -> RunRequest:
    from tolman.parallel.place import WorkPlace
    from tolman.runs.naming_items import ids_from
    from tolman.runs.run import RunRequest
    from tolman.runs.selection import Selection
    from tolman.scoring.metrics_by_name import names_of
    from tolman.workflows.thinking import ASKED_AGAIN, budgets_of, thinking_of

    if config.stream and not config.model.startswith("openai/"):
        raise UsageError(f"--stream is for models of the family openai, not for {config.model}.")
    if config.on is not None and not (config.model.startswith("hf/") and WorkPlace(config.on).is_cluster):
        raise UsageError(
            f"--on takes ray or ray://HOST:PORT and carries local networks (hf/…); {config.model} on {config.on} is "
            f"none: leave --on out."
        )
    if config.workers is not None and config.on is None:
        raise UsageError("--workers is the number of copies on a cluster: name that with --on.")
    if config.batch and config.stream:
        raise UsageError(BATCH_ALONE)
    shared, budgets = _shared_options(config), budgets_of(config.reasoning_budget)
    again = config.ask_again if config.ask_again is not None else (ASKED_AGAIN if len(budgets) < 2 else 0)
    captioner = config.captioner
    same_family = captioner is not None and captioner.partition("/")[0] == config.model.partition("/")[0]
    return RunRequest(
        benchmark=config.benchmark,
        model=config.model,
        protocol=config.protocol,
        protocol_options=_given(
            reasoning_tokens=config.reasoning_tokens,
            draws=config.samples_per_vote,
            grid=config.grid,
            map_categories=config.map_categories,
            captioner=captioner,
            matcher=config.matcher,
        ),
        captioner_options=replace(shared, base_url=config.captioner_url or (config.base_url if same_family else None)),
        data=config.data,
        media=config.media,
        revision=config.revision,
        subset=config.subset,
        preset=config.preset,
        frames=_given(
            count=config.frames[0] if config.frames else None,
            per_second=config.fps,
            cap=config.max_frames,
            quality=config.quality,
            longest_side=config.longest_side,
        ),
        sampling=_given(
            temperature=config.temperature,
            top_p=config.top_p,
            top_k=config.top_k,
            max_tokens=config.max_tokens,
            thinking=thinking_of(config.thinking, config.effort, budgets[0] if budgets else None),
        ),
        out=config.out,
        options=replace(
            shared,
            base_url=config.base_url,
            label=config.label,
            serve=config.serve,
            body=json_object(config.body, "--body"),
            scenes=config.scenes,
            stream=config.stream,
            batch=config.batch,
            on=config.on,
            workers=config.workers,
        ),
        limits=replace(limits_of(config), run_seconds=config.time_limit, again=again),
        selection=Selection(
            tasks=config.tasks,
            ids=ids_from(",".join(config.ids)),
            exclude=ids_from(",".join(config.exclude)),
            limit=config.limit,
        ),
        repeats=config.samples,
        store=config.store,
        frame_store=config.frame_store,
        prices=config.prices,
        judge=judge_request(
            config,
            limits=limits_of(config, of_judge=True),
            sample=config.judge_sample,
            **{name: getattr(shared, name) for name in _SHARED},
        ),
        failures_are_wrong=config.count_failures_as_wrong,
        metrics=names_of(config.metrics),
    )


_SHARED = ("concurrency", "timeout", "seed", "device", "dtype", "batch_size")
"""Settings that hold for all models of a run: the one that is evaluated, a captioner, a judge."""


def _shared_options(config: RunConfig) -> ModelOptions:
    from tolman.models.base import ModelOptions

    return ModelOptions(**_given(**{name: getattr(config, name) for name in _SHARED}))


def _given(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _tell_of_metrics(config: RunConfig, events: Events) -> None:
    """Say so where a plugin brings metrics and none is asked for: else its author waits for figures."""
    from tolman.scoring.metrics_by_name import metrics_of_plugins

    names = [] if config.metrics else metrics_of_plugins()
    if names:
        events(Noted(f"--metrics {','.join(names)} adds figures of the plugin's metrics, to this run and any other."))


def _kept_items(request: RunRequest, benchmark: Benchmark) -> RunRequest:
    """The request with the user's own items as a benchmark folder inside the run's, so that the run can be opened,
    scored and reported wherever they came from."""
    from tolman.runs.folder import file_name

    tail = "" if request.selection.is_all else "-part"
    model = request.opened.name if request.opened is not None else request.model
    out = request.out or Path("runs") / file_name(benchmark.name) / file_name(f"{model}-{request.protocol}{tail}")
    place = out if request.part is None else out / request.part
    saved = benchmark.save(place / "benchmark")
    return replace(
        request,
        benchmark=str(saved) if saved.is_absolute() else f"./{saved}",
        out=out,
        media=request.media or request.data or Path(),
        data=None,
    )
