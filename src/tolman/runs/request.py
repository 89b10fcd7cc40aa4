"""RunRequest and Started: what the user asked for, and what a progress bar is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.models.base import Model, ModelOptions
from tolman.models.recipes import ModelRecipe
from tolman.models.serving import Server
from tolman.runs.engine import Limits, Tally
from tolman.runs.load import Loaded
from tolman.runs.selection import Selection

if TYPE_CHECKING:
    from tolman.runs.judging import JudgeRequest


@dataclass(frozen=True)
class RunRequest:
    """What the user asked for.

    Attributes:
        benchmark, model, protocol: names; a folder is a benchmark too, a protocol may be several joined by '+'.
        protocol_options: what the user gave of `ProtocolOptions`, by name.
        captioner_options: of the model that captions, where the protocol has one.
        data: a local folder; the hub where None.
        media: the folder that media are relative to; the data's where None.
        revision: of the hub's data set, other than the pinned one.
        subset, preset: names; the benchmark's first where None.
        frames, sampling: settings other than the preset's, the recipe's among them.
        form: what a video is to become (`tolman.models.recipes.InputForm`); the recipe's or the preset's where None.
        recipe: how the model's authors run it, where the user named one or the model's name brings one.
        recipe_asked: whether the user named it.
        out: the run's folder; a default under ./runs where None.
        part: of several runs of one command, which this is; it gets a folder of its own.
        options: of the model.
        limits: when to give up.
        selection: which items.
        repeats: how often each item is asked.
        store, frame_store: other than the user's own.
        prices: a file with the price of tokens.
        judge: a model that reads the responses.
        failures_are_wrong: score failed items 0.
        server: of the model, started with the run; who has it ends it.
        metrics: names of further metrics whose figures are added to the scores.
        opened: the model itself, in place of one made by the name `model`.
        loaded: the items, in place of those found by the name `benchmark`.
    """

    benchmark: str
    model: str
    protocol: str = "direct"
    protocol_options: Mapping[str, Any] = field(default_factory=dict)
    captioner_options: ModelOptions = ModelOptions()
    data: Path | None = None
    media: Path | None = None
    revision: str | None = None
    subset: str | None = None
    preset: str | None = None
    frames: dict[str, Any] | None = None
    sampling: dict[str, Any] | None = None
    form: str | None = None
    recipe: ModelRecipe | None = None
    recipe_asked: bool = False
    out: Path | None = None
    part: str | None = None
    options: ModelOptions = ModelOptions()
    limits: Limits = Limits()
    selection: Selection = Selection()
    repeats: int = 1
    store: Path | str | None = None
    frame_store: Path | None = None
    prices: Path | None = None
    judge: JudgeRequest | None = None
    failures_are_wrong: bool = False
    server: Server | None = None
    metrics: tuple[str, ...] = ()
    opened: Model | None = None
    loaded: Loaded | None = None


@dataclass(frozen=True)
class Started:
    """What a progress bar needs to know.

    Attributes:
        calls: items times repeats.
        folder: of the run.
        tally: counts that grow while the run goes on.
        priced: whether the user gave prices, so that the tally has a cost.
        remote: whether calls cost time or money.
        what: what the calls are for.
    """

    calls: int
    folder: Path
    tally: Tally
    priced: bool
    remote: bool
    what: str = "asking"
