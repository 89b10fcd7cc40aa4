"""Evaluate a model on benchmarks: ask, score and keep the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman import features
from tolman.errors import EndpointError, UsageError, counted
from tolman.extras import LazyModule
from tolman.features.config import json_object, judge_request
from tolman.features.events import CallEvents, Events, Noted, silent
from tolman.features.opened_folders import Run
from tolman.features.run.config import ADAPTIVE_SHARE, ASKED_AGAIN, RunConfig, budgets_of, thinking_of
from tolman.items import AdaptiveSelection, Selection
from tolman.models.dialects import overlaid
from tolman.models.hf_inputs import MEDIA, takes_cap
from tolman.models.model import Model, ModelOptions
from tolman.models.pacing import seconds_of
from tolman.models.recipes import CAP, ModelRecipe, match, open_recipe
from tolman.models.servers import Server
from tolman.parallel.work_places import WorkPlace
from tolman.reports.loaded_runs import load_runs, one_benchmark, one_rule_set, scores_under
from tolman.responses import FailureKind
from tolman.runs.flow_control import Limits
from tolman.runs.places import check_run_folder, file_name
from tolman.runs.request import by_budget, by_form, by_frames
from tolman.runs.run import RunRequest, arun, own_folder, refuse_others, run
from tolman.runs.run_items import left_out_by, some_ids_from
from tolman.scoring.metrics import metrics_of_plugins, names_of
from tolman.scoring.run_differences import Difference, differences

if TYPE_CHECKING:
    import polars as pl

    from tolman.features.loaded_benchmark import Benchmark
    from tolman.scoring import adaptive_testing
else:
    adaptive_testing = LazyModule("tolman.scoring.adaptive_testing")


@dataclass(frozen=True)
class BudgetStep:
    """One run of several that differ in the budget of reasoning.

    Attributes:
        budget: in tokens.
        value, low, high: the headline figure with its 95 % interval; None where there is none.
        reasoning_tokens: of the answers, on average.
        cut_off: answers that were cut off before their first word.
        difference: the headline figure minus that of the first run, on items that both answered; None for the
            first, and where there is none.
    """

    budget: int
    value: float | None
    low: float | None
    high: float | None
    reasoning_tokens: float
    cut_off: int
    difference: Difference | None


@dataclass(frozen=True)
class BudgetCurve:
    """The score against the budget of reasoning.

    Attributes:
        scorer: by which the runs are scored.
        column: title of the headline figure.
        digits: that the paper prints of it.
        frames: of a video, in words.
        steps: in the order of the budgets as they were given.
        failures_are_wrong: whether answers that were cut off count as wrong.
    """

    scorer: str
    column: str
    digits: int
    frames: str
    steps: tuple[BudgetStep, ...]
    failures_are_wrong: bool

    def to_list(self) -> list[dict[str, Any]]:
        """For JSON."""
        return [asdict(step) for step in self.steps]


def budget_curves(runs: Sequence[Run]) -> list[BudgetCurve]:
    """Compare the headline figures of runs that differ in their budget of reasoning: a curve for each number of frames.

    Raises:
        UsageError: the runs are of different benchmarks or data.
        InputError: one was never scored.
    """
    groups: dict[str, list[Run]] = {}
    for one in runs:
        groups.setdefault(one.record.settings.frames.describe(), []).append(one)
    return [_curve(group) for group in groups.values()]


def _curve(runs: Sequence[Run]) -> BudgetCurve:
    loaded = load_runs([one.path for one in runs])
    scorer = one_rule_set(loaded, None)
    table = one_benchmark(loaded).table_of(scorer)
    column = table.column(table.headline)
    frames = [scores_under(one, scorer) for one in loaded]
    steps = []
    for one, frame in zip(loaded, frames, strict=True):
        settings, figures = one.record.settings, one.figures
        cell = figures["rule_sets"][scorer]["cells"].get(column.key) or {}
        interval = cell.get("interval") or {}
        answered = figures["asked"] - sum(figures["unanswered"].values())
        asked = settings.sampling.thinking
        shared = frame is not frames[0] and bool(_answered(frame) & _answered(frames[0]))
        paired = differences(frame, frames[0], table, seed=settings.seed) if shared else {}
        steps.append(
            BudgetStep(
                budget=asked.budget or 0 if asked is not None else 0,
                value=cell.get("value"),
                low=interval.get("low"),
                high=interval.get("high"),
                reasoning_tokens=figures.get("usage", {}).get("reasoning_tokens", 0) / max(1, answered),
                cut_off=sum(failed["count"] for failed in figures["failures"] if failed["kind"] == FailureKind.CUT_OFF),
                difference=paired.get(column.key),
            )
        )
    wrong = all(run.record.failures_are_wrong for run in loaded)
    shown = loaded[0].record.settings.frames.describe()
    return BudgetCurve(scorer, column.title, column.digits, shown, tuple(steps), wrong)


def _answered(scores: pl.DataFrame) -> set[str]:
    """The items that have a score."""
    return set(scores.drop_nulls("score")["id"])


BATCH_ALONE = "--batch leaves questions at a provider; leave out --stream and --serve."
SERVER_WAIT_SECONDS = 1800.0
"""How long a server that is started for a run may take to load, where --wait doesn't say."""


def limits_of(config: RunConfig, *, of_judge: bool = False) -> Limits:
    """When the calls of a run, or of its judge, are given up.

    Raises:
        UsageError: a wait that is no duration, or a cost without prices.
    """

    if config.max_cost is not None and config.prices is None:
        raise UsageError("--max-cost needs the prices of tokens; name a file of them with --prices.")
    wait = _wait_seconds(config, started=config.serve is not None and not of_judge)
    return Limits(retries=config.retries, wait_seconds=wait, most_cost=config.max_cost)


def _wait_seconds(config: RunConfig, *, started: bool) -> float:
    """The seconds of --wait; where it isn't given, those of a server that is started, else 0.

    Raises:
        UsageError: it is no duration.
    """

    if config.wait is None:
        return SERVER_WAIT_SECONDS if started else 0.0
    found = seconds_of(config.wait)
    if found is None:
        raise UsageError(f"--wait takes a duration such as 90s, 20m or 2h, not '{config.wait}'.")
    return found


@contextmanager
def server_of(config: RunConfig) -> Iterator[tuple[RunConfig, Server | None]]:
    """The server that a run is to start, and the config that asks at its address; it is ended behind it.

    Raises:
        UsageError: it can't be started, or the model is at an address that is given.
    """
    asked, server = with_server(config)
    with server or nullcontext():
        yield asked, server


def with_server(config: RunConfig) -> tuple[RunConfig, Server | None]:
    """The config that asks at the address of the server that a run is to start, and the server, which isn't started.

    Raises:
        UsageError: it can't be started, or the model is at an address that is given.
    """

    if config.serve is None:
        return config, None
    if config.batch:
        raise UsageError(BATCH_ALONE)
    family = config.model.partition("/")[0]
    if family != "openai":
        raise UsageError(f"--serve starts a server for openai/NAME, not for {config.model}.")
    if config.base_url is not None:
        raise UsageError("--serve starts a server of its own; leave out --base-url, or --serve.")
    server = Server(config.serve)
    return replace(config, base_url=server.url), server


def evaluate(
    config: RunConfig,
    events: Events = silent,
    *,
    model: Callable[[], Model] | None = None,
    benchmark: Benchmark | None = None,
) -> tuple[Run, ...]:
    """Evaluate a model on a benchmark, in this thread; an event loop that runs in it waits.

    Args:
        config: the settings of the run.
        events: called with progress and notes.
        model: makes the model, in place of the name `config.model`.
        benchmark: a loaded one, in place of the name `config.benchmark`.

    Returns:
        The run, or one for each number of frames and each budget of reasoning.

    Raises:
        TolmanError: before the first call for everything that can be known before it; after it where no call was
            answered.
        RunInterruptedError: it was stopped; answers received are kept and scored.
    """

    _tell_of_metrics(config, events)
    runs: list[Run] = []
    with server_of(config) as (asked, server):
        for one in requests_of(asked, model, benchmark):
            calls = CallEvents(events)
            request = replace(one, server=server)
            try:
                folder, _ = run(request, started=calls.start, done=calls.done, noted=calls.note)
            except EndpointError as error:
                _skip_rest(runs, error, calls)
                break
            calls.end()
            runs.append(Run(folder.path))
    if config.log:
        features.report.trackers.log_runs(config.log, [one.path for one in runs], events)
    return tuple(runs)


async def aevaluate(
    config: RunConfig,
    events: Events = silent,
    *,
    model: Callable[[], Model] | None = None,
    benchmark: Benchmark | None = None,
) -> tuple[Run, ...]:
    """`evaluate` on the caller's event loop.

    Raises:
        TolmanError: as `evaluate` does.
        CancelledError: it was cancelled; answers received are kept and scored.
    """

    _tell_of_metrics(config, events)
    runs: list[Run] = []
    with server_of(config) as (asked, server):
        for one in requests_of(asked, model, benchmark):
            calls = CallEvents(events)
            request = replace(one, server=server)
            try:
                folder, _ = await arun(request, started=calls.start, done=calls.done, noted=calls.note)
            except EndpointError as error:
                _skip_rest(runs, error, calls)
                break
            calls.end()
            runs.append(Run(folder.path))
    if config.log:
        await asyncio.to_thread(features.report.trackers.log_runs, config.log, [one.path for one in runs], events)
    return tuple(runs)


def _skip_rest(runs: Sequence[Run], error: EndpointError, calls: CallEvents) -> None:
    """Leave out the further runs of a command whose endpoint went down in an earlier one, and say so.

    Raises:
        EndpointError: no earlier run lacks answers.
    """
    if not any(sum(one.figures["unanswered"].values()) for one in runs):
        raise error
    calls.note(
        f"{error} {counted(len(runs), 'of the runs was', 'of the runs were')} started; run the same command again to "
        "resume."
    )


def requests_of(
    config: RunConfig, model: Callable[[], Model] | None = None, benchmark: Benchmark | None = None
) -> Iterator[RunRequest]:
    """The runs that a config asks for: one, or one for each number of frames and each budget of reasoning.

    Raises:
        UsageError: a setting that can't be read, or a judge's without a judge.
        MissingExtraError: a tracker's package isn't installed.
    """

    if config.log:
        features.report.trackers.check_trackers(config.log)
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
    if config.stream and not config.model.startswith("openai/"):
        raise UsageError(f"--stream is for models of the family openai, not for {config.model}.")
    if config.on is not None and not (config.model.startswith("hf/") and WorkPlace(config.on).is_cluster):
        raise UsageError(
            f"--on takes ray or ray://HOST:PORT and carries local networks (hf/…); {config.model} on {config.on} is "
            f"none: leave --on out."
        )
    if config.server is not None and not config.model.startswith("openai/"):
        raise UsageError(f"--server is for models of the family openai, not for {config.model}.")
    if config.workers is not None and config.on is None:
        raise UsageError("--workers is the number of copies on a cluster: name that with --on.")
    if config.batch and config.stream:
        raise UsageError(BATCH_ALONE)
    shared, budgets = _shared_options(config), budgets_of(config.reasoning_budget)
    again = config.ask_again if config.ask_again is not None else (ASKED_AGAIN if len(budgets) < 2 else 0)
    captioner, bank = config.captioner, _bank(config)
    left_out = left_out_by(config.exclude, config.benchmark)
    same_family = captioner is not None and captioner.partition("/")[0] == config.model.partition("/")[0]
    return RunRequest(
        benchmark=config.benchmark,
        model=config.model,
        protocol=config.protocol,
        protocol_options=_given(
            reasoning_tokens=config.reasoning_tokens,
            draws=config.samples_per_vote,
            looks=config.looks,
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
            server=config.server,
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
            ids=some_ids_from(",".join(config.ids)) if config.ids else (),
            exclude=left_out.exclude,
            known_errors=left_out.known_errors,
            limit=config.limit,
            adaptive=None if bank is None else _adaptive(config, bank),
        ),
        bank=bank,
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


def _bank(config: RunConfig) -> adaptive_testing.ItemBank | None:
    """The item bank of an adaptive run; None where all items are asked.

    Raises:
        InputError: the file is no bank.
        UsageError: settings that don't go together.
    """
    if config.adaptive is None:
        for name in ("adaptive_share", "adaptive_error"):
            if getattr(config, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise UsageError(f"{option} belongs to --adaptive; name the item bank with --adaptive BANK.")
        return None
    if config.adaptive_share == 0:
        raise UsageError("--adaptive-share 0 asks nothing; give a share above 0.")
    if config.batch:
        raise UsageError("--batch takes a day for each of the small batches of --adaptive; leave one of them out.")
    if config.metrics:
        raise UsageError("--metrics would describe the asked items only, and --adaptive estimates all; leave one out.")
    return adaptive_testing.read_bank(config.adaptive)


def _adaptive(config: RunConfig, bank: adaptive_testing.ItemBank) -> AdaptiveSelection:
    share = ADAPTIVE_SHARE if config.adaptive_share is None else config.adaptive_share
    return AdaptiveSelection(bank=bank.sign, share=share, error=config.adaptive_error)


_SHARED = ("concurrency", "timeout", "seed", "device", "dtype", "batch_size")
"""Settings that hold for all models of a run: the one that is evaluated, a captioner, a judge."""


def _shared_options(config: RunConfig) -> ModelOptions:
    return ModelOptions(**_given(**{name: getattr(config, name) for name in _SHARED}))


def _given(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _tell_of_metrics(config: RunConfig, events: Events) -> None:
    """Say so where a plugin brings metrics and none is asked for: else its author waits for figures."""

    names = [] if config.metrics else metrics_of_plugins()
    if names:
        events(Noted(f"--metrics {','.join(names)} adds figures of the plugin's metrics, to this run and any other."))


def _kept_items(request: RunRequest, benchmark: Benchmark) -> RunRequest:
    """The request with the user's own items as a benchmark folder inside the run's, so that the run can be opened,
    scored and reported wherever they came from."""

    tail = "" if request.selection.is_all else "-part"
    model = request.opened.name if request.opened is not None else request.model
    default = Path("runs") / file_name(benchmark.name) / file_name(f"{model}-{request.protocol}{tail}")
    out, given = request.out or default, request.opened
    if request.part is not None:
        out /= request.part
    if request.out is not None:
        check_run_folder(out)
    if given is not None:
        if request.out is None:
            out = own_folder(out, given)
        else:
            refuse_others(out, given)
    saved = benchmark.save(out / "benchmark")
    return replace(
        request,
        benchmark=str(saved) if saved.is_absolute() else f"./{saved}",
        out=out,
        part=None,
        media=request.media or request.data or Path(),
        data=None,
    )


NONE = "none"
"""What `--recipe` takes to leave out the one that a model's name brings."""
_FAMILIES = ("openai", "hf", "gemini", "anthropic")
"""Families whose names say which network answers."""


def with_recipe(request: RunRequest, wanted: str | None) -> RunRequest:
    """Return the request with a recipe's settings, below those of the user.

    Args:
        request: with the user's own settings only.
        wanted: the recipe that the user named; 'none' for none; None for the one that the model's name brings.

    Raises:
        UsageError: there is no such recipe, or a model that none is for.
        InputError: its file is none.
    """

    family = request.model.partition("/")[0]
    if wanted == NONE:
        return request
    if wanted is None:
        recipe = match(request.model) if family in _FAMILIES else None
        if recipe is None:
            return request
        return _told(replace(request, recipe=recipe))
    recipe = open_recipe(wanted)
    if family not in _FAMILIES:
        raise UsageError(f"--recipe is of no use to {request.model}; it says how networks are run.")
    body = _body(recipe, family)
    changed = replace(
        request,
        recipe=recipe,
        recipe_asked=True,
        frames=_frames(recipe.frames(), request.frames or {}),
        sampling=recipe.sampling() | (request.sampling or {}),
        options=replace(request.options, body=_below(body, request.options.body)),
    )
    return _told(changed)


def _body(recipe: ModelRecipe, family: str) -> dict[str, Any]:
    """Fields of requests that a recipe brings: all to endpoints, those of the processor to local networks."""

    if recipe.run is None:
        return {}
    if family == "openai":
        return dict(recipe.run.body)
    if family != "hf":
        return {}
    found = {MEDIA: recipe.run.body[MEDIA]} if MEDIA in recipe.run.body else {}
    if recipe.run.cap_pixels_per_frame is not None and takes_cap():
        return dict(overlaid(found, {MEDIA: {"videos_kwargs": {CAP: recipe.run.cap_pixels_per_frame}}}))
    return found


def _told(request: RunRequest) -> RunRequest:
    """The request with the server that its recipe names, unless the user names one."""
    server = request.recipe.input.server if request.recipe is not None else None
    if server is None or request.options.server is not None:
        return request
    return replace(request, options=replace(request.options, server=server))


def with_form(request: RunRequest) -> RunRequest:
    """Return the request of one form of `--as`: where the server is to sample whole files, it gets the settings for
    that."""
    recipe = request.recipe
    asked = recipe.input.form if recipe is not None and request.recipe_asked else None
    if (request.form or asked) != "file":
        return request
    files = recipe.whole_files() if recipe is not None else {}
    return replace(request, options=replace(request.options, whole_videos=files))


def _frames(recipe: dict[str, Any], user: dict[str, Any]) -> dict[str, Any]:
    """The recipe's frames below the user's: a number or a rate of the user's replaces the recipe's."""
    chosen = ("count", "per_second", "cap")
    replaced = chosen if {"count", "per_second"} & user.keys() else ()
    return {name: value for name, value in recipe.items() if name not in replaced} | user


def _below(recipe: dict[str, Any], user: Any) -> dict[str, Any]:
    """The recipe's fields of a request below the user's, table by table."""

    found: dict[str, Any] = overlaid(recipe, user)
    return found
