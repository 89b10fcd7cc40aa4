"""One run from what the user asked for to its scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tolman import models, protocols
from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import RunInterruptedError, UsageError
from tolman.files import write_text
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.media.missing import refuse_missing
from tolman.media.store import FrameStore, default_root
from tolman.models.base import HasExpectation, KnowsTheTruth, Model, ModelOptions
from tolman.protocols.base import Protocol, ProtocolOptions
from tolman.responses import Outcome, Response
from tolman.runs.engine import Engine, Limits, Tally
from tolman.runs.folder import RunFolder, RunRecord, RunSettings, default_folder
from tolman.runs.judging import JudgeRequest, judge_run
from tolman.runs.load import Loaded, load, preset_of
from tolman.runs.prices import read_price
from tolman.runs.scoring import score_run
from tolman.runs.selection import Selection
from tolman.runs.store import open_store
from tolman.runtime import run_until_stopped, stoppable, uninterrupted


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
        frames, sampling: settings other than the preset's.
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
    out: Path | None = None
    part: str | None = None
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
        RunInterruptedError: the user, a batch system or a container stopped it; what was answered is kept and scored.
    """
    with stoppable(), ExitStack() as held:
        return _run(request, started, done, held)


def _run(
    request: RunRequest, started: Callable[[Started], None], done: Callable[[Outcome], None], held: ExitStack
) -> tuple[RunFolder, dict[str, Any]]:
    """`run`, from names to figures; what it holds until its end goes into `held`."""
    protocols.get(request.protocol)  # a wrong name is told before anything is loaded
    model = models.create(request.model, request.options)
    helpers = _helpers(request)
    judge = request.judge.open() if request.judge else None
    loaded = load(request.benchmark, request.data, request.subset, request.revision)
    if judge is not None:
        loaded.benchmark.rule_set(loaded.benchmark.judging.base)
    preset = _adjusted(preset_of(loaded.benchmark, request.preset), request)
    protocol = _protocol(request, loaded)
    presented = protocol.present(loaded.benchmark, loaded.items)
    items = protocol.present(loaded.benchmark, request.selection.apply(loaded.items))
    everyone = {"model": model, **helpers}
    _check(everyone, protocol, preset, loaded.benchmark, items)
    prices = {role: read_price(request.prices, one.name) for role, one in everyone.items()} if request.prices else {}
    record = _record(request, model, protocol, preset, loaded, len(presented))
    remote = any(one.remote for one in everyone.values())
    data = _media_folder(request, loaded, items, shown=protocol.shows_media and remote)
    folder = RunFolder(_place(request, record))
    held.enter_context(folder.sole_writer())
    earlier = folder.start(record, items)
    if isinstance(model, KnowsTheTruth):
        model.prepare(loaded.benchmark, presented)
    engine = Engine(
        benchmark=loaded.benchmark,
        model=model,
        protocol=protocol,
        preset=preset,
        data=data,
        frames=FrameStore(request.frame_store or default_root()),
        store=open_store(request.store) if remote else None,
        limits=request.limits,
        done=done,
        helpers=helpers,
        prices=prices,
    )
    started(Started(len(items) * request.repeats, folder.path, engine.tally, bool(prices), remote))
    expectation = model if isinstance(model, HasExpectation) else None
    try:
        run_until_stopped(engine.run(items, request.repeats))
    except KeyboardInterrupt:
        outcomes = _keep(folder, engine, items, request.repeats, earlier)
        score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)
        answered = sum(isinstance(outcome, Response) for outcome in outcomes)
        raise RunInterruptedError(
            f"Stopped: {answered:,} of {len(items) * request.repeats:,} answered and kept; the same command goes on."
        ) from None
    except BaseException:
        if engine.outcomes:
            _keep(folder, engine, items, request.repeats, earlier)
        raise
    finally:
        if engine.store is not None:
            engine.store.close()
    outcomes = _keep(folder, engine, items, request.repeats, earlier)
    figures = score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)
    if request.judge is None or judge is None:
        return folder, figures
    judge_run(
        folder, loaded.benchmark, items, outcomes, request.judge, judge, seed=request.options.seed, done=done,
        started=lambda calls, tally, remote: started(
            Started(calls, folder.path, tally, bool(request.prices), remote, "judging")
        ),
    )  # fmt: skip
    return folder, score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)


def _adjusted(preset: PromptPreset, request: RunRequest) -> PromptPreset:
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


def _place(request: RunRequest, record: RunRecord) -> Path:
    """The run's folder."""
    if request.out is not None:
        return request.out if request.part is None else request.out / request.part
    default = default_folder(record.settings)
    return default if request.part is None else default.with_name(f"{default.name}-{request.part}")


def _helpers(request: RunRequest) -> dict[str, Model]:
    """Further models that the protocol asks."""
    name = request.protocol_options.get("captioner")
    return {"captioner": models.create(name, request.captioner_options)} if name else {}


def _protocol(request: RunRequest, loaded: Loaded) -> Protocol:
    """The protocol with its options.

    Raises:
        UsageError: an option that is of no use to it.
    """
    options = ProtocolOptions(
        seed=request.options.seed,
        sampling=request.sampling or {},
        data=loaded.folder,
        scenes=request.options.scenes,
        **request.protocol_options,
    )
    protocol = protocols.get(request.protocol, options)
    for name in request.protocol_options:
        if name not in protocol.settings:
            raise UsageError(
                f"--{name.replace('_', '-')} is of no use to the protocol {protocol.name}; it belongs to "
                f"{', '.join(protocols.users_of(name))}."
            )
    return protocol


def _check(
    everyone: Mapping[str, Model], protocol: Protocol, preset: PromptPreset, benchmark: BenchmarkSpec, items: list[Item]
) -> None:
    """Refuse before the first call what can't be served."""
    protocol.check(benchmark, items, preset)
    model, viewer = everyone["model"], everyone[protocol.viewer]
    turns = set(protocol.name.split("+")) - _WITHOUT_WORDS
    if model.name.startswith("baseline/") and turns:
        raise UsageError(
            f"{model.name} looks at items and never at words, so the protocol {turns.pop()} changes nothing for it; "
            "leave it out."
        )
    whole = preset.frames.whole and any(media.kind == "video" for item in items for media in item.media)
    if not (protocol.shows_media and viewer.remote):
        return
    if whole and not getattr(viewer, "takes_videos", False):
        raise UsageError(
            f"the preset '{preset.name}' shows whole videos, which {viewer.name} doesn't take; "
            "choose another with --preset, or --frames N."
        )
    if _media(items) and not getattr(viewer, "takes_pictures", True):
        how = "ask it with --protocol blind, or choose a model that sees"
        raise UsageError(
            f"{viewer.name} reads text only; {how if viewer is model else f'choose a {protocol.viewer} that sees'}."
        )


_WITHOUT_WORDS = {"direct", "blind", "circular", "shuffle"}
"""Protocols that matter to a model which looks at items only."""


def _media_folder(request: RunRequest, loaded: Loaded, items: list[Item], *, shown: bool) -> Path:
    """The folder that media are relative to; fetched where the questions came from the hub and media are shown.

    Raises:
        InputError: media are shown, and they are not there.
    """
    if not (shown and _media(items)):
        return request.media or loaded.folder
    folder = request.media or loaded.media_folder()
    refuse_missing(folder, items)
    return folder


def _media(items: list[Item]) -> bool:
    return any(item.media for item in items)


def _record(
    request: RunRequest, model: Model, protocol: Protocol, preset: PromptPreset, loaded: Loaded, presented: int
) -> RunRecord:
    settings = RunSettings(
        benchmark=request.benchmark,
        subset=loaded.subset,
        data_hash=data_hash(loaded.items),
        model=model.name,
        model_settings=dict(model.settings),
        protocol=protocol.name,
        protocol_settings=dict(protocol.settings),
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
        presented_items=presented if presented != len(loaded.items) else None,
        data=loaded.source,
        failures_are_wrong=request.failures_are_wrong,
    )


def _keep(folder: RunFolder, engine: Engine, items: list[Item], repeats: int, earlier: list[Outcome]) -> list[Outcome]:
    """Write what came, in the order of items, then repeats; what an earlier start of this run had stays beside it."""
    with uninterrupted():  # a second Ctrl-C must not stop the writing
        found = {(o.id, o.repeat): o for o in earlier} | engine.outcomes
        keys = ((item.id, repeat) for item in items for repeat in range(repeats))
        outcomes = [found[key] for key in keys if key in found]
        folder.write_outcomes(outcomes)
        if engine.store is not None:
            usage = asdict(engine.tally)
            if not engine.prices:
                del usage["cost"]
            write_text(folder.path / "usage.json", json.dumps(usage, indent=2) + "\n")
        return outcomes
