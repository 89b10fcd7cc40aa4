"""Evaluating a model on a benchmark: ask, score, and keep all of it in a run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.fleet import limits_of, server_of
from tolman.workflows.judges import judge_request
from tolman.workflows.settings import (
    STORES,
    FailuresAsWrong,
    JudgeBody,
    JudgeName,
    JudgeSample,
    JudgeUrl,
    ReleasedData,
    Revision,
    RunFolderOut,
    StorePlace,
    Subset,
)
from tolman.workflows.values import json_object

if TYPE_CHECKING:
    from tolman.models.base import Model, ModelOptions
    from tolman.runs.run import RunRequest
    from tolman.workflows.loaded_benchmark import Benchmark
    from tolman.workflows.opened_run import Run

_MODEL, _SAMPLING, _PROTOCOL, _FRAMES = "The model", "Sampling", "Protocols", "Pictures"
_ITEMS = "Which items"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """A model, a benchmark, and how the one is asked about the other. None leaves a setting to the prompt preset."""

    benchmark: Annotated[
        str, Setting("A benchmark's name, a folder that is one, or a suite's TOML file.", positional=True)
    ]
    model: Annotated[
        str,
        Setting(
            "FAMILY/NAME: openai/NAME, gemini/NAME, anthropic/NAME, hf/NAME, python/FILE.py:FUNCTION, baseline/NAME."
        ),
    ]
    data: ReleasedData = None
    media: Annotated[Path | None, Setting("Folder of the videos and images. Default: the data's.")] = None
    subset: Subset = None
    revision: Revision = None
    protocol: Annotated[str, Setting("Way of asking, see 'tolman protocols'; several joined by '+'.")] = "direct"
    preset: Annotated[
        str | None, Setting("Prompt preset: the authors' settings for one kind of model. Default: the first.")
    ] = None
    out: RunFolderOut = None
    base_url: Annotated[
        str | None,
        Setting(
            "Base URL of the model's endpoint; several that serve the same, with commas. Default: the family's own.",
            panel=_MODEL,
        ),
    ] = None
    label: Annotated[
        str | None,
        Setting(
            "Your name for the weights that are served, such as a checkpoint's: answers are kept under it. "
            "Default: what the endpoint says it serves.",
            panel=_MODEL,
        ),
    ] = None
    serve: Annotated[
        str | None,
        Setting(
            "Start a server for the run and end it afterwards: vllm:NAME, sglang:NAME or a command with {port}. "
            "Default: none.",
            panel=_MODEL,
        ),
    ] = None
    body: Annotated[
        str | None,
        Setting("JSON object of further fields for every request; null takes one out. Default: none.", panel=_MODEL),
    ] = None
    scenes: Annotated[
        Path | None, Setting("Folder of scenes, for baseline/oracle and maps. Default: none.", panel=_MODEL)
    ] = None
    device: Annotated[
        str | None,
        Setting("Device of a local network, such as cpu, cuda:1 or auto. Default: the best there is.", panel=_MODEL),
    ] = None
    dtype: Annotated[
        str | None,
        Setting(
            "Arithmetic of a local network: auto, float32, bfloat16, float16. Default: float32 on a CPU, else auto.",
            panel=_MODEL,
        ),
    ] = None
    batch_size: Annotated[
        int, Setting("Most questions that a local network answers together, from 1.", panel=_MODEL, least=1)
    ] = 8
    concurrency: Annotated[
        int | None,
        Setting("Most requests in flight, from 1. Default: 32; 1 for a Python function.", panel=_MODEL, least=1),
    ] = None
    timeout: Annotated[float, Setting("Seconds for one call, from 0.1.", panel=_MODEL, least=0.1)] = 600.0
    stream: Annotated[
        bool,
        Setting(
            "Have an openai/ model's replies sent in pieces, where a proxy cuts connections that are long silent.",
            panel=_MODEL,
        ),
    ] = False
    retries: Annotated[int, Setting("Times that a failed call is tried again, from 0.", panel=_MODEL, least=0)] = 8
    time_limit: Annotated[float | None, Setting("Seconds for the whole run. Default: no limit.", panel=_MODEL)] = None
    wait: Annotated[
        str | None,
        Setting(
            "Time that an endpoint which is loading or went down is waited for: 90s, 20m, 2h. Default: 0.", panel=_MODEL
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Setting("Most that the run may cost by --prices, from 0. Default: no limit.", panel=_MODEL, least=0),
    ] = None
    batch: Annotated[
        bool,
        Setting("Ask by the provider's batch interface, at about half the price and within a day.", panel=_MODEL),
    ] = False
    thinking: Annotated[
        str | None,
        Setting(
            "Whether the model reasons first. Default: as it does by itself.", panel=_SAMPLING, choices=("on", "off")
        ),
    ] = None
    effort: Annotated[
        str | None,
        Setting(
            "Amount of reasoning, in the endpoint's own word: none, minimal, low, medium, high, xhigh, max. "
            "Default: the model's.",
            panel=_SAMPLING,
        ),
    ] = None
    reasoning_budget: Annotated[
        tuple[str, ...],
        Setting(
            "Most tokens of reasoning beside those of the answer, 0–1,000,000, such as 2k (2,048); 0 switches it off. "
            "Several numbers make several runs and a table of score against budget. Default: the model's.",
            panel=_SAMPLING,
            metavar="N[,N…]",
        ),
    ] = ()
    ask_again: Annotated[
        int | None,
        Setting(
            "Times that a question is asked again, with 4 times the room, where the token limit came in its reasoning, "
            "0–5. Default: 2; 0 with several --reasoning-budget.",
            panel=_SAMPLING,
            least=0,
            most=5,
        ),
    ] = None
    input_form: Annotated[
        tuple[str, ...],
        Setting(
            "Form of a video: images (separate pictures), video (sampled frames with their times, as one video), file "
            "(the file, which the server samples); several make several runs. Default: the recipe's or the preset's.",
            panel=_FRAMES,
            option="--as",
            metavar="FORM[,FORM]",
            choices=("images", "video", "file"),
        ),
    ] = ()
    recipe: Annotated[
        str | None,
        Setting(
            "Recipe of a model family (see 'tolman recipes'): a name, a TOML file, or none. Default: by the "
            "model's name, for the form of videos only.",
            panel=_MODEL,
        ),
    ] = None
    judge: JudgeName = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    judge_sample: JudgeSample = None
    prices: Annotated[
        Path | None, Setting("JSON file with prices of tokens. Default: no cost is counted.", panel=_MODEL)
    ] = None
    temperature: Annotated[
        float | None, Setting("Sampling temperature, from 0. Default: the preset's.", panel=_SAMPLING, least=0)
    ] = None
    top_p: Annotated[
        float | None,
        Setting(
            "Nucleus sampling: share of the probability, 0–1. Default: the preset's.", panel=_SAMPLING, least=0, most=1
        ),
    ] = None
    top_k: Annotated[
        int | None, Setting("Most likely tokens drawn from, from 0. Default: the preset's.", panel=_SAMPLING, least=0)
    ] = None
    max_tokens: Annotated[
        int | None, Setting("Most tokens of an answer, from 1. Default: the preset's.", panel=_SAMPLING, least=1)
    ] = None
    seed: Annotated[int, Setting("Seed of everything that is drawn at random, a whole number.", panel=_SAMPLING)] = 0
    samples: Annotated[
        int,
        Setting(
            "Times that each item is asked, 1–10,000.", panel=_SAMPLING, aliases=("--repeats",), least=1, most=10_000
        ),
    ] = 1
    reasoning_tokens: Annotated[
        int | None,
        Setting(
            "Most tokens of a turn that thinks, maps or explains, from 1. Default: the protocol's.",
            panel=_PROTOCOL,
            least=1,
        ),
    ] = None
    samples_per_vote: Annotated[
        int | None,
        Setting(
            "Answers that self-consistency votes over, from 2. Default: 5.",
            panel=_PROTOCOL,
            aliases=("--draws",),
            least=2,
        ),
    ] = None
    grid: Annotated[
        int | None,
        Setting("Cells along each side of a cognitive map, 2–100. Default: 10.", panel=_PROTOCOL, least=2, most=100),
    ] = None
    map_categories: Annotated[
        str | None,
        Setting(
            "Contents of a map: the question's categories, or all of its scene. Default: question.",
            panel=_PROTOCOL,
            metavar="question|scene",
        ),
    ] = None
    captioner: Annotated[
        str | None, Setting("Model that captions, for caption-then-answer. Default: none.", panel=_PROTOCOL)
    ] = None
    captioner_url: Annotated[
        str | None,
        Setting("Address of the captioner's endpoint. Default: --base-url, in one family.", panel=_PROTOCOL),
    ] = None
    matcher: Annotated[
        str | None, Setting("Matcher of points of images, for correspondence. Default: sift.", panel=_PROTOCOL)
    ] = None
    frames: Annotated[
        tuple[int, ...],
        Setting(
            "Frames of a video, 1–999,999; several numbers make several runs. Default: the preset's.",
            panel=_FRAMES,
            metavar="N[,N…]",
            least=1,
            most=999_999,
        ),
    ] = ()
    fps: Annotated[
        float | None,
        Setting(
            "Frames for each second, from 0.001, in place of --frames. Default: the preset's.",
            panel=_FRAMES,
            least=0.001,
        ),
    ] = None
    max_frames: Annotated[
        int | None, Setting("Most frames with --fps, from 1. Default: the preset's.", panel=_FRAMES, least=1)
    ] = None
    quality: Annotated[
        int | None, Setting("JPEG quality, 1–95. Default: the preset's.", panel=_FRAMES, least=1, most=95)
    ] = None
    longest_side: Annotated[
        int | None,
        Setting("Longest side of a picture in pixels, from 16. Default: the preset's.", panel=_FRAMES, least=16),
    ] = None
    tasks: Annotated[tuple[str, ...], Setting("Question types that are asked. Default: all.", panel=_ITEMS)] = ()
    ids: Annotated[
        tuple[str, ...],
        Setting("Items that are asked: ids, or a file with one on each line.", panel=_ITEMS, metavar="ID[,ID…]|FILE"),
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        Setting("Items that are not asked: ids, or a file.", panel=_ITEMS, metavar="ID[,ID…]|FILE"),
    ] = ()
    limit: Annotated[
        int | None, Setting("Most items, spread over the benchmark, from 1. Default: all.", panel=_ITEMS, least=1)
    ] = None
    store: StorePlace = None
    frame_store: Annotated[
        Path | None, Setting("Folder of decoded frames. Default: in the user's cache.", panel=STORES)
    ] = None
    count_failures_as_wrong: FailuresAsWrong = False
    metrics: Annotated[
        str | None,
        Setting(
            "Further metrics by question type: names with commas between (within-25,signed-bias). Default: none.",
            metavar="NAMES",
        ),
    ] = None


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
    from tolman.runs.run import RunRequest
    from tolman.runs.selection import Selection, ids_from
    from tolman.scoring.metric import names_of
    from tolman.workflows.thinking import ASKED_AGAIN, budgets_of, thinking_of

    if config.stream and not config.model.startswith("openai/"):
        raise UsageError(f"--stream is for models of the family openai, not for {config.model}.")
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
