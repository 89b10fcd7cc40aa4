"""RunRequest and Started: the user's request, also of several runs, and the data of a progress bar.

A sweep is several runs that differ in one setting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.items import Selection
from tolman.messages import Thinking
from tolman.models.model import Model, ModelOptions
from tolman.models.recipes import ModelRecipe
from tolman.models.servers import Server
from tolman.runs.engine import Limits, Tally
from tolman.runs.run_items import Loaded

if TYPE_CHECKING:
    from tolman.runs.judging import JudgeRequest
    from tolman.scoring.adaptive_testing import ItemBank


@dataclass(frozen=True)
class RunRequest:
    """The user's request for a run.

    Attributes:
        benchmark, model, protocol: names; a folder is a benchmark too, a protocol may be several joined by '+'.
        protocol_options: the user's values of `ProtocolOptions`, by name.
        captioner_options: of the model that captions, where the protocol has one.
        data: a local folder; the hub where None.
        media: the folder that media are relative to; the data's where None.
        revision: of the hub's data set, other than the pinned one.
        subset, preset: names; the benchmark's first where None.
        frames, sampling: settings other than the preset's, the recipe's among them.
        form: of a video (`tolman.models.recipes.InputForm`); the recipe's or the preset's where None.
        recipe: how the model's authors run it, where the user named one or the model's name brings one.
        recipe_asked: whether the user named it.
        out: the run's folder; a default under ./runs where None.
        part: of several runs of one command, which this is; it gets a folder of its own.
        options: of the model.
        limits: of the run.
        selection: which items.
        bank: the items' parameters, where the selection is adaptive.
        repeats: how often each item is asked.
        store, frame_store: other than the user's own.
        prices: a file with the price of tokens.
        judge: a model that reads the responses.
        failures_are_wrong: score failed items 0.
        server: of the model, started with the run; its holder ends it.
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
    bank: ItemBank | None = None
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
    """Data of a progress bar.

    Attributes:
        calls: items times repeats.
        folder: of the run.
        tally: counts that grow while the run goes on.
        priced: whether the user gave prices, so that the tally has a cost.
        remote: whether calls cost time or money.
        what: purpose of the calls.
    """

    calls: int
    folder: Path
    tally: Tally
    priced: bool
    remote: bool
    what: str = "asking"


def by_frames(request: RunRequest, counts: Sequence[int]) -> list[RunRequest]:
    """A run for each number of frames, in a folder of its own; the one request where there are not several.

    With `out` the folders are out/frames-N, else the default's name with -frames-N behind it.
    """
    if len(counts) < 2:
        return [request]
    return [
        replace(request, frames={**(request.frames or {}), "count": count}, part=_part(request, f"frames-{count}"))
        for count in counts
    ]


def by_budget(request: RunRequest, budgets: Sequence[Thinking]) -> list[RunRequest]:
    """A run for each budget of reasoning, in a folder of its own (…reasoning-N); the one request where there are not
    several."""
    if len(budgets) < 2:
        return [request]
    return [
        replace(
            request,
            sampling={**(request.sampling or {}), "thinking": asked},
            part=_part(request, f"reasoning-{asked.budget}"),
        )
        for asked in budgets
    ]


def by_form(request: RunRequest, forms: Sequence[str]) -> list[RunRequest]:
    """A run for each form of videos, in a folder of its own, 'as-video'; the one request with its form where there are
    not several."""
    if len(forms) < 2:
        return [replace(request, form=forms[0])] if forms else [request]
    return [replace(request, form=form, part=_part(request, f"as-{form}")) for form in forms]


def _part(request: RunRequest, name: str) -> str:
    return name if request.part is None else f"{request.part}-{name}"
