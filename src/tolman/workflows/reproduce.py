"""Reproducing a published result: the settings that it was reached with, and the figure beside the published one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tolman.errors import UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.settings import StorePlace

if TYPE_CHECKING:
    from tolman.workflows.opened_run import Run
    from tolman.workflows.reproduction.target import ReproductionTarget, TargetRun
    from tolman.workflows.run_config import RunConfig

_MODEL, _STORES = "The model", "Stores"
ReproductionVerdict = Literal["reproduced", "not reproduced", "no verdict"]


@dataclass(frozen=True, kw_only=True)
class ReproduceConfig:
    """Which published result is run again, and where its weights answer."""

    name: Annotated[
        str | None, Setting("Target: a name, or a TOML file. Default: all are listed.", positional=True)
    ] = None
    dry_run: Annotated[bool, Setting("Print what would be asked, and of what, and ask nothing.")] = False
    base_url: Annotated[
        str | None, Setting("Base URL of the endpoint that serves the weights. Default: none.", panel=_MODEL)
    ] = None
    model: Annotated[
        str | None,
        Setting("FAMILY/NAME that answers, such as hf/NAME. Default: openai/ and the weights' name.", panel=_MODEL),
    ] = None
    serve: Annotated[
        str | None,
        Setting("Start a server for the runs, as 'tolman run --serve' does: vllm:NAME. Default: none.", panel=_MODEL),
    ] = None
    label: Annotated[str | None, Setting("Name for the weights, as of 'tolman run'. Default: none.", panel=_MODEL)] = (
        None
    )
    recipe: Annotated[
        str | None, Setting("Recipe in place of the target's: a name or a TOML file. Default: its own.", panel=_MODEL)
    ] = None
    concurrency: Annotated[
        int | None, Setting("Most requests in flight, from 1. Default: 32.", panel=_MODEL, least=1)
    ] = None
    timeout: Annotated[float, Setting("Seconds for one call, from 0.1.", panel=_MODEL, least=0.1)] = 600.0
    wait: Annotated[
        str | None,
        Setting("Time that an endpoint which is loading is waited for: 90s, 20m, 2h. Default: 0.", panel=_MODEL),
    ] = None
    data: Annotated[Path | None, Setting("Folder with the released data. Default: the Hugging Face hub.")] = None
    media: Annotated[Path | None, Setting("Folder of the videos. Default: the data's.")] = None
    out: Annotated[Path | None, Setting("Folder of the runs. Default: runs/reproduce/NAME.")] = None
    limit: Annotated[
        int | None, Setting("Most items, from 1, to try it out: no verdict then. Default: all.", least=1)
    ] = None
    store: StorePlace = None
    frame_store: Annotated[
        Path | None, Setting("Folder of decoded frames. Default: in the user's cache.", panel=_STORES)
    ] = None


@dataclass(frozen=True)
class Planned:
    """One run of a target before it is carried out.

    Attributes:
        target, run: what is published.
        config: the settings of the run.
        questions: that are asked.
        source: of the data: a folder, or the hub's data set.
    """

    target: ReproductionTarget
    run: TargetRun
    config: RunConfig
    questions: int
    source: str


@dataclass(frozen=True)
class Reproduced:
    """One run of a target after it.

    Attributes:
        planned: what it was to be.
        run: its folder.
        value: the benchmark's headline, 0 to 100; None where there is none.
        low, high: its 95 % interval.
        verdict: whether the published figure lies within the tolerance.
        reason: why there is no verdict; else empty.
    """

    planned: Planned
    run: Run
    value: float | None
    low: float | None
    high: float | None
    verdict: ReproductionVerdict
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Points above the published figure."""
        return None if self.value is None else self.value - self.planned.run.published


def list_targets() -> list[ReproductionTarget]:
    """All targets by name."""
    from tolman.workflows.reproduction.target import names, open_target

    return [open_target(name) for name in names()]


def plan(config: ReproduceConfig) -> list[Planned]:
    """The runs of a target, without asking anything.

    Raises:
        UsageError: there is no such target, or nothing that answers is named.
        InputError: its file is none.
    """
    from tolman import benchmarks
    from tolman.workflows.reproduction.target import open_target

    if config.name is None:
        raise UsageError("which target? 'tolman reproduce' lists them.")
    target = open_target(config.name)
    benchmark = benchmarks.get(target.benchmark)
    subset = next(iter(benchmark.subsets))
    every = benchmark.sizes.get(subset, 0)
    hub = benchmark.hub
    source = str(config.data) if config.data else f"{hub.repository}@{hub.revision}" if hub else "a folder (--data)"
    questions = min(every, config.limit) if config.limit else every
    return [Planned(target, run, _settings(config, target, run), questions, source) for run in target.runs]


def reproduce(config: ReproduceConfig, events: Events = silent) -> list[Reproduced]:
    """Run a target, and hold its figures against the published ones.

    Raises:
        TolmanError: as `evaluate` does.
    """
    from tolman.workflows.evaluate import evaluate

    planned = plan(config)
    if not (config.base_url or config.serve or (config.model and not config.model.startswith("openai/"))):
        weights = planned[0].target.weights
        raise UsageError(
            f"what answers for {weights}? Name its endpoint with --base-url, have it started with --serve "
            f"vllm:{weights}, or run it here with --model hf/{weights}."
        )
    return [_judged(one, evaluate(one.config, events).runs[0]) for one in planned]


def _settings(config: ReproduceConfig, target: ReproductionTarget, run: TargetRun) -> RunConfig:
    from tolman.workflows.run_config import RunConfig

    folder = (config.out or Path("runs") / "reproduce" / target.name) / f"as-{run.form}"
    return RunConfig(
        benchmark=target.benchmark,
        model=config.model or f"openai/{target.weights}",
        base_url=config.base_url,
        serve=config.serve,
        label=config.label,
        recipe=config.recipe or target.recipe,
        input_form=(run.form,),
        frames=(run.frames,) if run.form != "file" else (),
        preset=run.preset,
        max_tokens=run.max_tokens,
        body=json.dumps(run.body) if run.body else None,
        concurrency=config.concurrency,
        timeout=config.timeout,
        wait=config.wait,
        data=config.data,
        media=config.media,
        out=folder,
        limit=config.limit,
        store=config.store,
        frame_store=config.frame_store,
    )


def _judged(planned: Planned, run: Run) -> Reproduced:
    """A run's figure beside the published one; no verdict on a part of the questions or of the answers."""
    headline, figures = run.scores.headline, run.figures
    interval = headline.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    reason = ""
    lost = sum(figures["unanswered"].values())
    if figures["items"] < planned.questions or planned.config.limit:
        reason = f"{figures['items']:,} questions were asked, and the published figure is of more"
    elif lost:
        reason = f"{lost:,} of {figures['asked']:,} questions have no answer; the same command asks them again"
    elif headline.value is None:
        reason = "there is no figure"
    if reason or headline.value is None:
        return Reproduced(planned, run, headline.value, low, high, "no verdict", reason)
    within = abs(headline.value - planned.run.published) <= planned.run.tolerance
    return Reproduced(planned, run, headline.value, low, high, "reproduced" if within else "not reproduced")
