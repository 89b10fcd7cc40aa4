"""Everything about a run that can be known before its first call."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from tolman import models, protocols
from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.benchmarks.frame_budgets import check_frames
from tolman.errors import UsageError
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.media.missing import refuse_missing
from tolman.media.store import FrameStore, default_root
from tolman.models.base import KnowsTheTruth, LeavesQuestions, Model
from tolman.models.code import mark_given
from tolman.protocols.base import Protocol, ProtocolOptions
from tolman.runs.engine import Engine
from tolman.runs.folder import RunFolder, RunRecord, RunSettings, default_folder
from tolman.runs.identifying import AtAddresses, begin
from tolman.runs.input_form import with_form
from tolman.runs.load import Loaded, load, preset_of
from tolman.runs.prepared import PreparedRun
from tolman.runs.prices import read_price
from tolman.runs.request import RunRequest
from tolman.runs.video_tokens import rule_of

BATCHES = "batches"
"""Folder of a run that remembers which questions were left at a provider."""


def prepare(request: RunRequest) -> PreparedRun:
    """Find out everything that can be known before the first call, and claim the run's folder.

    Raises:
        UsageError: names or options that don't exist or don't go together.
        InputError: data, media or an earlier start of the run that can't be used.
        RunConflictError: the folder holds another run, or another process is at work there.
    """
    with ExitStack() as held:
        return _prepare(request, held)


def _prepare(request: RunRequest, held: ExitStack) -> PreparedRun:
    """`prepare`, from names to a folder; what is held until the run's end goes into `held`."""
    protocols.get(request.protocol)  # a wrong name is told before anything is loaded
    given = request.opened
    model = mark_given(given) if given is not None else models.create(request.model, request.options)
    helpers = _helpers(request)
    judge = request.judge.open() if request.judge else None
    for one in (model, *helpers.values()):
        begin(one)  # looks at what is served while questions are read
    count = (request.frames or {}).get("count")
    loaded = request.loaded or load(request.benchmark, request.data, request.subset, request.revision, count)
    if judge is not None:
        loaded.benchmark.rule_set(loaded.benchmark.judging.base)
    preset = adjusted(preset_of(loaded.benchmark, request.preset, loaded.subset), request)
    protocol = protocol_of(request, loaded)
    presented = protocol.present(loaded.benchmark, loaded.items)
    items = protocol.present(loaded.benchmark, request.selection.apply(loaded.items))
    if protocol.shows_media and protocol.viewer == "model" and model.remote:
        preset = with_form(preset, request, model, loaded.items)
    check_frames(loaded.benchmark, loaded.subset, preset.frames)
    everyone = {"model": model, **helpers}
    _check(everyone, protocol, preset, loaded.benchmark, items)
    prices = {role: read_price(request.prices, one.name) for role, one in everyone.items()} if request.prices else {}
    record = _record(request, model, protocol, preset, loaded, len(presented))
    remote = any(one.remote for one in everyone.values())
    data = _media_folder(request, loaded, items, shown=protocol.shows_media and remote)
    folder = RunFolder(_place(request, record))
    held.enter_context(folder.sole_writer())
    earlier = folder.start(record, at_addresses=isinstance(model, AtAddresses))
    if isinstance(model, LeavesQuestions):
        model.keep_in(folder.path / BATCHES)
    if isinstance(model, KnowsTheTruth):
        model.prepare(loaded.benchmark, presented)
    engine = Engine(
        benchmark=loaded.benchmark,
        model=model,
        protocol=protocol,
        preset=preset,
        data=data,
        frames=FrameStore(request.frame_store or default_root()),
        store=None,
        limits=request.limits,
        helpers=helpers,
        prices=prices,
        video_tokens=rule_of(request.recipe, dict(request.options.body)),
    )
    return PreparedRun(request, engine, record, items, folder, earlier, judge, held.pop_all())


def adjusted(preset: PromptPreset, request: RunRequest) -> PromptPreset:
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


def protocol_of(request: RunRequest, loaded: Loaded) -> Protocol:
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
            option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
            raise UsageError(
                f"{option} is of no use to the protocol {protocol.name}; it belongs to "
                f"{', '.join(protocols.users_of(name))}."
            )
    return protocol


_OPTIONS = {"draws": "--samples-per-vote"}
"""Options whose name isn't that of their setting, which stored runs have."""


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
        recipe=_applied(request, preset),
    )


def _applied(request: RunRequest, preset: PromptPreset) -> dict[str, Any] | None:
    """What a recipe brought to the run, for its record; None where it brought nothing."""
    recipe = request.recipe
    if recipe is None or not (request.recipe_asked or (request.form is None and preset.frames.native)):
        return None
    tables = recipe.model_dump(mode="json", exclude_none=True, include={"input", "run"})
    found: dict[str, Any] = {
        "name": recipe.name,
        "title": recipe.title,
        "asked": request.recipe_asked,
        "input": tables["input"],
    }
    if request.recipe_asked and "run" in tables:
        if not request.model.startswith("openai/"):
            tables["run"].pop("body")  # other families have no such fields
        found["run"] = tables["run"]
    return found
