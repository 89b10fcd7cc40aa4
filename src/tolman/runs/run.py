"""One run from what the user asked for to its scores."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tolman import models, protocols
from tolman.benchmarks.base import Preset
from tolman.errors import RunInterruptedError, UsageError
from tolman.files import write_text
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.media.store import FrameStore, default_root
from tolman.models.base import HasExpectation, KnowsTheTruth, Model, ModelOptions
from tolman.protocols.base import Protocol
from tolman.responses import Outcome, Response
from tolman.runs.engine import Engine, Limits, Tally
from tolman.runs.folder import RunFolder, RunRecord, RunSettings, default_folder
from tolman.runs.judging import JudgeRequest, judge_run
from tolman.runs.load import Loaded, load, preset_of
from tolman.runs.prices import Price, read_price
from tolman.runs.scoring import score_run
from tolman.runs.selection import Selection
from tolman.runs.store import open_store


@dataclass(frozen=True)
class RunRequest:
    """What the user asked for.

    Attributes:
        benchmark, model, protocol: names; a folder is a benchmark too.
        data: a local folder; the hub where None.
        media: the folder that media are relative to; the data's where None.
        revision: of the hub's data set, other than the pinned one.
        subset, preset: names; the benchmark's first where None.
        frames, sampling: settings other than the preset's.
        out: the run's folder; a default under ./runs where None.
        options: of the model.
        limits: when to give up.
        selection: which items.
        repeats: how often each item is asked.
        store, frame_store: other than the user's own.
        prices: a file with the price of tokens.
        judge: a model that reads the responses.
        failures_are_wrong: score failed items 0.
    """

    benchmark: str
    model: str
    protocol: str = "direct"
    data: Path | None = None
    media: Path | None = None
    revision: str | None = None
    subset: str | None = None
    preset: str | None = None
    frames: dict[str, Any] | None = None
    sampling: dict[str, Any] | None = None
    out: Path | None = None
    options: ModelOptions = ModelOptions()
    limits: Limits = Limits()
    selection: Selection = Selection()
    repeats: int = 1
    store: Path | None = None
    frame_store: Path | None = None
    prices: Path | None = None
    judge: JudgeRequest | None = None
    failures_are_wrong: bool = False


@dataclass(frozen=True)
class Started:
    """What a progress bar needs to know.

    Attributes:
        calls: items times repeats.
        folder: of the run.
        tally: counts that grow while the run goes on.
        price: of tokens, where the user gave it.
        remote: whether calls cost time or money.
        what: what the calls are for.
    """

    calls: int
    folder: Path
    tally: Tally
    price: Price | None
    remote: bool
    what: str = "asking"


def run(
    request: RunRequest, *, started: Callable[[Started], None], done: Callable[[Outcome], None]
) -> tuple[RunFolder, dict[str, Any]]:
    """Ask, score and write.

    Args:
        request: what was asked for.
        started: called before the first call.
        done: called with every outcome as it comes.

    Returns:
        The run's folder and what its scores.json holds.

    Raises:
        TolmanError: before the first call, for everything that can be known before it; after the first call, where
            it shows that none can succeed.
        RunInterruptedError: the user stopped it; what was answered is kept.
    """
    protocol = protocols.get(request.protocol)
    model = models.create(request.model, request.options)
    judge = request.judge.open() if request.judge else None
    loaded = load(request.benchmark, request.data, request.subset, request.revision)
    preset = _adjusted(preset_of(loaded.benchmark, request.preset), request)
    items = request.selection.apply(loaded.items)
    _check_media(model, protocol, preset, items)
    price = read_price(request.prices, model.name) if request.prices else None
    record = _record(request, model, protocol, preset, loaded)
    folder = RunFolder(request.out or default_folder(record.settings))
    folder.start(record, items)
    if isinstance(model, KnowsTheTruth):
        model.prepare(loaded.benchmark, loaded.items)
    engine = Engine(
        benchmark=loaded.benchmark,
        model=model,
        protocol=protocol,
        preset=preset,
        data=request.media or (loaded.media_folder() if _shows(protocol, model, items) else loaded.folder),
        frames=FrameStore(request.frame_store or default_root()),
        store=open_store(request.store) if model.remote else None,
        limits=request.limits,
        done=done,
    )
    started(Started(len(items) * request.repeats, folder.path, engine.tally, price, model.remote))
    expectation = model if isinstance(model, HasExpectation) else None
    try:
        asyncio.run(engine.run(items, request.repeats))
    except KeyboardInterrupt:
        outcomes = _keep(folder, engine, items, request.repeats, price)
        score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)
        answered = sum(isinstance(outcome, Response) for outcome in outcomes)
        raise RunInterruptedError(
            f"Stopped: {answered:,} of {len(items) * request.repeats:,} answered and kept; the same command goes on."
        ) from None
    except BaseException:
        if engine.outcomes:
            _keep(folder, engine, items, request.repeats, price)
        raise
    finally:
        if engine.store is not None:
            engine.store.close()
    outcomes = _keep(folder, engine, items, request.repeats, price)
    figures = score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)
    if request.judge is None or judge is None:
        return folder, figures
    judge_run(
        folder, loaded.benchmark, items, outcomes, request.judge, judge, seed=request.options.seed, done=done,
        started=lambda calls, tally, remote: started(Started(calls, folder.path, tally, None, remote, "judging")),
    )  # fmt: skip
    return folder, score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)


def _adjusted(preset: Preset, request: RunRequest) -> Preset:
    """The preset with the user's own settings in it."""
    frames, sampling = request.frames or {}, request.sampling or {}
    if "count" in frames:
        frames = {"per_second": None, "cap": None, "whole": False, **frames}
    elif "per_second" in frames:
        frames = {"count": None, "whole": False, **frames}
    return replace(
        preset,
        frames=preset.frames.model_copy(update=frames),
        sampling=preset.sampling.model_copy(update=sampling),
    )


def _check_media(model: Model, protocol: Protocol, preset: Preset, items: list[Item]) -> None:
    """Refuse before the first call what the model can't be shown."""
    whole = preset.frames.whole and any(media.kind == "video" for item in items for media in item.media)
    if whole and protocol.shows_media and model.remote and not getattr(model, "takes_videos", False):
        raise UsageError(
            f"the preset '{preset.name}' shows whole videos, which {model.name} doesn't take; "
            "choose another with --preset, or --frames N."
        )
    if _shows(protocol, model, items) and not getattr(model, "takes_pictures", True):
        raise UsageError(f"{model.name} reads text only; ask it with --protocol blind, or choose a model that sees.")


def _shows(protocol: Protocol, model: Model, items: list[Item]) -> bool:
    return protocol.shows_media and model.remote and any(item.media for item in items)


def _record(request: RunRequest, model: Model, protocol: Protocol, preset: Preset, loaded: Loaded) -> RunRecord:
    settings = RunSettings(
        benchmark=request.benchmark,
        subset=loaded.subset,
        data_hash=data_hash(loaded.items),
        model=model.name,
        model_settings=dict(model.settings),
        protocol=protocol.name,
        preset=preset.name,
        sampling=preset.sampling,
        frames=preset.frames,
        repeats=request.repeats,
        seed=request.options.seed,
        selection=request.selection,
    )
    return RunRecord(
        settings=settings,
        subset_items=len(loaded.items),
        data=loaded.source,
        failures_are_wrong=request.failures_are_wrong,
    )


def _keep(folder: RunFolder, engine: Engine, items: list[Item], repeats: int, price: Price | None) -> list[Outcome]:
    """Write what came, in the order of items, then repeats; what an earlier start of this run had stays beside it."""
    patience = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not stop the writing
    try:
        found = {(o.id, o.repeat): o for o in folder.outcomes()} | engine.outcomes
        keys = ((item.id, repeat) for item in items for repeat in range(repeats))
        outcomes = [found[key] for key in keys if key in found]
        folder.write_outcomes(outcomes)
        if engine.model.remote:
            tally = engine.tally
            usage = asdict(tally)
            if price is not None:
                usage["cost"] = price.cost(tally.input_tokens, tally.output_tokens)
            write_text(folder.path / "usage.json", json.dumps(usage, indent=2) + "\n")
        return outcomes
    finally:
        signal.signal(signal.SIGINT, patience)
