"""Run a published result again, and set its figure next to the published one.

A target has all settings of a published result: a TOML file each in `targets/`.

```toml
title = "My-Model-7B on VSI-Bench"
benchmark = "vsi-bench"
weights = "owner/My-Model-7B"            # on the Hugging Face hub
recipe = "my-family"
serving = "how the weights are served"

[[runs]]                                 # one for each published figure
form = "video"                           # images, video or file
frames = 32
preset = "open"                          # prompts, of the benchmark
published = 63.6                         # its headline, 0 to 100
tolerance = 2.5                          # points
source = "where the figure is written"
others = [{ value = 62.9, source = "another program's, where it was run again" }]
```
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tolman import benchmarks
from tolman.errors import UsageError, counted
from tolman.features.config import shared_settings
from tolman.features.events import Events, silent
from tolman.features.opened_folders import Run
from tolman.features.run.compute import evaluate
from tolman.features.run.config import ReproduceConfig, RunConfig
from tolman.models.recipes import InputForm
from tolman.toml_catalogue import TomlCatalogue


class OtherFigure(BaseModel):
    """A figure somewhere else.

    Attributes:
        value: 0 to 100.
        source: where it is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    value: float
    source: str


class TargetRun(BaseModel):
    """One run of a target.

    Attributes:
        form: of a video.
        frames: of a video.
        preset: of prompts.
        max_tokens: of an answer; the recipe's where None.
        body: further fields of requests, above the recipe's.
        published: the benchmark's headline.
        tolerance: points within which the figure counts as reproduced.
        source: where the figure and the settings are written.
        others: further figures of the same weights, to look at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    form: InputForm
    frames: int = Field(ge=1)
    preset: str
    max_tokens: int | None = Field(default=None, ge=1)
    body: dict[str, Any] = Field(default_factory=dict)
    published: float = Field(ge=0, le=100)
    tolerance: float = Field(gt=0)
    source: str
    others: tuple[OtherFigure, ...] = ()


class ReproductionTarget(BaseModel):
    """A published result.

    Attributes:
        name: of its file, without the ending.
        title: model and benchmark.
        benchmark: its name.
        weights: on the Hugging Face hub.
        recipe: its name.
        serving: how the weights are served.
        runs: one for each figure.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    title: str
    benchmark: str
    weights: str
    recipe: str
    serving: str
    runs: tuple[TargetRun, ...] = Field(min_length=1)


_SHELF = TomlCatalogue("target", ReproductionTarget, "tolman.features.reproduce", "targets", named=True)


def names() -> tuple[str, ...]:
    """The targets of the package."""
    return _SHELF.names


def open_target(name: str) -> ReproductionTarget:
    """A target of the package by its name, or a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the line.
    """
    return _SHELF.open(name)


ReproductionVerdict = Literal["reproduced", "not reproduced", "no verdict"]


@dataclass(frozen=True)
class Planned:
    """One run of a target before it is carried out.

    Attributes:
        target, run: the published result.
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
        planned: its plan.
        run: its folder.
        value: the benchmark's headline, 0 to 100; None where there is none.
        low, high: its 95 % interval.
        verdict: whether the published figure is within the tolerance.
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

    return [open_target(name) for name in names()]


def plan(config: ReproduceConfig) -> list[Planned]:
    """The runs of a target, without asking anything.

    Raises:
        UsageError: there is no such target, or nothing that answers is named.
        InputError: its file is none.
    """

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

    planned = plan(config)
    if not (config.base_url or config.serve or (config.model and not config.model.startswith("openai/"))):
        weights = planned[0].target.weights
        raise UsageError(
            f"what answers for {weights}? Name its endpoint with --base-url, have it started with --serve "
            f"vllm:{weights}, or run it here with --model hf/{weights}."
        )
    return [_judged(one, evaluate(one.config, events)[0]) for one in planned]


def _settings(config: ReproduceConfig, target: ReproductionTarget, run: TargetRun) -> RunConfig:
    folder = (config.out or Path("runs") / "reproduce" / target.name) / f"as-{run.form}"
    others = {
        "benchmark": target.benchmark,
        "model": config.model or f"openai/{target.weights}",
        "recipe": config.recipe or target.recipe,
        "input_form": (run.form,),
        "frames": (run.frames,) if run.form != "file" else (),
        "preset": run.preset,
        "max_tokens": run.max_tokens,
        "body": json.dumps(run.body) if run.body else None,
        "out": folder,
    }
    return RunConfig(**shared_settings(config, RunConfig) | others)


def _judged(planned: Planned, run: Run) -> Reproduced:
    """Set a run's figure next to the published one; no verdict on a part of the questions or of the answers."""
    headline, figures = run.scores.headline, run.figures
    interval = headline.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    reason = ""
    lost = sum(figures["unanswered"].values())
    if figures["items"] < planned.questions or planned.config.limit:
        reason = (
            f"{counted(figures['items'], 'question was', 'questions were')} asked, and the published figure is of more"
        )
    elif lost:
        asked = counted(figures["asked"], "question")
        reason = f"no answer to {lost:,} of {asked}; the same command asks again"
    elif headline.value is None:
        reason = "there is no figure"
    if reason or headline.value is None:
        return Reproduced(planned, run, headline.value, low, high, "no verdict", reason)
    within = abs(headline.value - planned.run.published) <= planned.run.tolerance
    return Reproduced(planned, run, headline.value, low, high, "reproduced" if within else "not reproduced")
