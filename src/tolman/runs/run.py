"""One run from the user's request to its scores, prepared before its first call.

`run` asks and waits. `arun` is its twin for a caller with an event loop: cancelled, it keeps and scores the answers so
far and is cancelled then. Both are `prepare`, `PreparedRun.ask` and `PreparedRun.finish`.

A video becomes separate pictures, one video of sampled frames, or the file itself. The first of these decides: the user
(`--as`), the recipe that the user named, the recipe that the model's name brings, the prompt preset. A form that the
user asked for and the model doesn't take is refused. A form that only the model's name brings is left out where the
model is known not to take it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman import models, protocols
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, check_frames, read_by_itself
from tolman.errors import EndpointError, RunConflictError, RunInterruptedError, UsageError
from tolman.extras import LazyModule
from tolman.item_table import at_hand, data_hash
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.integrity import refuse_missing, refuse_outside
from tolman.media.sampling import Frames
from tolman.models.code import OBJECT, UNKNOWN, callable_of, mark_given
from tolman.models.hf_inputs import MEDIA
from tolman.models.identity import AtAddresses
from tolman.models.model import KnowsTheTruth, LeavesQuestions, Model
from tolman.models.recipes import CAP
from tolman.protocols import Protocol, ProtocolOptions
from tolman.responses import Outcome
from tolman.runs.engine import Engine, rule_of
from tolman.runs.identifying import begin
from tolman.runs.places import check_run_folder, default_folder
from tolman.runs.prepared import PreparedRun, ignored
from tolman.runs.prices import read_price
from tolman.runs.request import RunRequest, Started
from tolman.runs.run_folder import CALLABLE, RunFolder, RunRecord, RunSettings
from tolman.runs.run_items import Loaded, load, preset_of
from tolman.runtime import run_until_stopped

if TYPE_CHECKING:
    from tolman.runs import adaptive_items
else:
    adaptive_items = LazyModule("tolman.runs.adaptive_items")


def with_form(preset: PromptPreset, request: RunRequest, model: Model, items: Sequence[Item]) -> PromptPreset:
    """Return the preset with the form that the user or a recipe asks for.

    Args:
        preset: with the recipe's and the user's own frames in it.
        request: the user's.
        model: which is shown the videos.
        items: of the benchmark; without a video among them there is no form to choose.

    Raises:
        UsageError: the model doesn't take the form that was asked for, it lacks a number of frames or has one where it
            samples by itself, or there is no video.
    """
    if not any(media.kind == "video" for item in items for media in item.media):
        if request.form is not None:
            raise UsageError(f"--as {request.form} changes nothing: no question of the benchmark shows a video.")
        return preset
    form, asked = request.form, request.form is not None or request.recipe_asked
    if form is None and request.recipe is not None:
        form = request.recipe.input.form
    if form is None or (not asked and (form != "video" or preset.frames.whole)):
        return preset
    clips, files = getattr(model, "takes_clips", False), getattr(model, "takes_videos", False)
    if not asked and not clips:
        return preset
    if form == "video" and files and not clips:
        form = "file"
    if form == "file" and request.form is None and _own_frames(request):
        form = "images"  # the user's frames go before the recipe's form
    if form == "file" and not files:
        raise UsageError(f"{model.name} doesn't take whole videos; show their frames with --as images.")
    if form == "video" and not clips:
        raise UsageError(f"{model.name} takes no videos; show their frames as separate pictures with --as images.")
    if form == "file" and _own_frames(request):
        raise UsageError(
            f"{model.name} is shown whole videos and takes frames of its own choice; leave out --frames and --fps, or "
            "show pictures with --as images."
        )
    return replace(preset, frames=_frames(preset, form))


def _own_frames(request: RunRequest) -> bool:
    """Check whether the user set the number of frames."""
    usual = request.recipe.frames() if request.recipe is not None else {}
    given = request.frames or {}
    return any(name in given and given[name] != usual.get(name) for name in ("count", "per_second"))


def _frames(preset: PromptPreset, form: str) -> Frames:
    frames = preset.frames
    if form == "file":
        return frames.model_copy(
            update={"whole": True, "native": False, "count": None, "per_second": None, "cap": None}
        )
    if frames.whole and frames.count is None and frames.per_second is None:
        raise UsageError(f"the preset '{preset.name}' shows whole videos; say how many frames with --frames N.")
    native = form == "video"
    return frames.model_copy(update={"whole": False, "native": native, "label": None if native else frames.label})


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
    """Prepare a run, from names to a folder; resources held until the run's end go into `held`."""
    protocols.get(request.protocol)  # a wrong name is told before anything is loaded
    given = request.opened
    model = mark_given(given) if given is not None else models.create(request.model, request.options)
    helpers = _helpers(request)
    judge = request.judge.open(_twin(request, model)) if request.judge else None
    for one in (model, *helpers.values()):
        begin(one)  # looks at what is served while questions are read
    frames = (request.frames or {}).get("count")
    loaded = request.loaded or load(
        request.benchmark, request.data, request.subset, request.revision, frames, held=False
    )
    loaded = replace(loaded, items=at_hand(loaded.items))
    if judge is not None and request.judge is not None:
        judged = read_by_itself(loaded.benchmark) if request.judge.is_self else loaded.benchmark
        judged.rule_set(judged.judging.base)
    preset = adjusted(preset_of(loaded.benchmark, request.preset, loaded.subset), request)
    protocol = protocol_of(request, loaded)
    presented, chosen = protocol.present(loaded.benchmark, loaded.items), request.selection.apply(loaded.items)
    items = presented if chosen is loaded.items else protocol.present(loaded.benchmark, chosen)
    adaptive = _adaptive(request, loaded, items)
    if protocol.shows_media and protocol.viewer == "model" and model.remote:
        preset = with_form(preset, request, model, loaded.items)
    check_frames(loaded.benchmark, loaded.subset, preset.frames)
    everyone = {"model": model, **helpers}
    _check(everyone, protocol, preset, loaded.benchmark, items)
    prices = {role: read_price(request.prices, one.name) for role, one in everyone.items()} if request.prices else {}
    record = _record(request, model, protocol, preset, loaded, len(presented))
    remote = any(one.remote for one in everyone.values())
    data = _media_folder(request, loaded, items, shown=protocol.shows_media and remote)
    folder = RunFolder(_place(request, record, model))
    if request.out is not None:
        check_run_folder(folder.path)
        refuse_others(folder.path, model)
    held.enter_context(folder.sole_writer())
    earlier = folder.start(record, at_addresses=isinstance(model, AtAddresses))
    if adaptive is not None:
        adaptive.go_on_in(folder)
    if isinstance(model, LeavesQuestions):
        model.keep_in(folder.path / BATCHES)
    if isinstance(model, KnowsTheTruth):
        model.prepare(loaded.benchmark, presented)
    engine = Engine(
        model=model,
        converse=lambda item: protocol.converse(loaded.benchmark, item, preset),
        preset=preset,
        data=data if callable_of(model) is None else data.absolute(),  # a callable may change the working directory
        frames=FrameStore(request.frame_store or default_root()),
        store=None,
        limits=request.limits,
        helpers=helpers,
        prices=prices,
        video_tokens=rule_of(request.recipe, dict(request.options.body)),
    )
    return PreparedRun(
        request, engine, loaded.benchmark, record, items, folder, earlier, judge, held.pop_all(), adaptive
    )


def _adaptive(request: RunRequest, loaded: Loaded, items: Sequence[Item]) -> adaptive_items.AdaptiveItems | None:
    """The choice of an adaptive run's items; None where all are asked."""
    if request.bank is None:
        return None
    return adaptive_items.AdaptiveItems(request, request.bank, loaded, items, data_hash(loaded.items))


def _twin(request: RunRequest, model: Model) -> Model | None:
    """The run's model once more, for reading its own responses: the first one is closed by then."""
    if request.judge is None or not request.judge.is_self:
        return None
    return model if request.opened is not None else models.create(request.model, request.options)


def adjusted(preset: PromptPreset, request: RunRequest) -> PromptPreset:
    """The preset with the user's own settings in it."""
    frames, sampling = request.frames or {}, request.sampling or {}
    if "count" in frames:
        frames = {"per_second": None, "cap": None, "whole": False, **frames}
    elif "per_second" in frames:
        frames = {"count": None, "whole": False, **frames}
    return replace(
        preset, frames=preset.frames.model_copy(update=frames), sampling=preset.sampling.model_copy(update=sampling)
    )


def _place(request: RunRequest, record: RunRecord, model: Model) -> Path:
    """The run's folder."""
    if request.out is not None:
        return request.out if request.part is None else request.out / request.part
    default = default_folder(record.settings)
    return own_folder(default if request.part is None else default.with_name(f"{default.name}-{request.part}"), model)


def own_folder(default: Path, model: Model) -> Path:
    """The first of FOLDER, FOLDER-2, FOLDER-3 … without answers of a callable that isn't known to be the model's."""
    maker = callable_of(model)
    if maker is None:
        return default
    if maker.startswith(OBJECT):  # its state may have changed
        maker = UNKNOWN
    numbered = (default.with_name(f"{default.name}-{number}") for number in count(2))
    places = chain([default], numbered)
    return next(one for one in places if not RunFolder(one).holds_run_of_other(maker, finished=False))


def refuse_others(place: Path, model: Model) -> None:
    """Refuse a folder that the user named and that holds another callable's finished run.

    Raises:
        RunConflictError: it does, or the callable isn't known to be the same.
    """
    maker = callable_of(model)
    if maker is None or not RunFolder(place).holds_run_of_other(maker, finished=True):
        return
    raise RunConflictError(
        f"{place} holds a finished run, and {model.name} isn't known to be the callable that made it; give another "
        "folder with out=, or remove this one."
    )


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
    everyone: Mapping[str, Model],
    protocol: Protocol,
    preset: PromptPreset,
    benchmark: BenchmarkSpec,
    items: Sequence[Item],
) -> None:
    """Refuse requests that can't be served, before the first call."""
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


_WITHOUT_WORDS = {"direct", "blind", "circular", "shuffle", "grounded"}
"""Protocols that matter to a model which looks at items only."""


def _media_folder(request: RunRequest, loaded: Loaded, items: Sequence[Item], *, shown: bool) -> Path:
    """The folder that media are relative to; fetched where the questions came from the hub and media are shown.

    Raises:
        InputError: media are shown, and they are not there.
    """
    if not (shown and _media(items)):
        return request.media or loaded.folder
    folder = request.media or loaded.media_folder()
    if not loaded.from_hub and loaded.folder != Path():  # else the hub's cache, or questions that Python holds
        refuse_outside(folder, items)
    refuse_missing(folder, items)
    return folder


def _media(items: Sequence[Item]) -> bool:
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
    record = RunRecord(
        settings=settings,
        subset_items=len(loaded.items),
        presented_items=presented if presented != len(loaded.items) else None,
        data=loaded.source,
        failures_are_wrong=request.failures_are_wrong,
        known_errors=request.selection.count_errors(loaded.items),
        recipe=_applied(request, preset),
    )
    maker = callable_of(model)
    if maker is not None:
        record.environment[CALLABLE] = maker
    return record


def _applied(request: RunRequest, preset: PromptPreset) -> dict[str, Any] | None:
    """Return a recipe's part in the run, for its record; None where it has none."""
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
    rule = rule_of(recipe, dict(request.options.body))
    if rule is not None and rule.frame_cap is not None:
        found[CAP] = rule.capped
    if request.recipe_asked and "run" in tables:
        family, run = request.model.partition("/")[0], tables["run"]
        run.pop(CAP, None)  # said above as it is in this run
        if family == "hf":
            run["body"] = {name: fields for name, fields in run["body"].items() if name == MEDIA}
        if family not in ("openai", "hf"):
            run.pop("body")  # other families have no such fields
        found["run"] = run
    return found


__all__ = ["PreparedRun", "RunRequest", "Started", "arun", "prepare", "run"]


def run(
    request: RunRequest,
    *,
    started: Callable[[Started], None] = ignored,
    done: Callable[[Outcome], None] = ignored,
    noted: Callable[[str], None] = ignored,
) -> tuple[RunFolder, dict[str, Any]]:
    """Ask, score and write; in a script, in a thread, or where an event loop is running, which waits meanwhile.

    Args:
        request: the user's.
        started: called before the first call, in this thread or in that of an event loop.
        done: called with every outcome as it comes, likewise.
        noted: called with a sentence about each pause and any other event, likewise.

    Returns:
        The run's folder and the content of its scores.json.

    Raises:
        TolmanError: before the first call, for everything that can be known before it.
        EndpointError: no call was answered. An endpoint that went down later ends the run, which is scored as a part.
        RunInterruptedError: the user, a batch system or a container stopped it; answers so far are kept and scored.
    """
    with prepare(request) as prepared:
        try:
            run_until_stopped(prepared.ask(started=started, done=done, noted=noted))
        except KeyboardInterrupt:
            folder, _ = prepared.finish()
            stopped = RunInterruptedError(prepared.stopped)
            stopped.folder = folder.path
            raise stopped from None
        except EndpointError as error:
            _end_early(prepared, error, noted)
        except BaseException:
            prepared.keep()
            raise
        return prepared.finish()


async def arun(
    request: RunRequest,
    *,
    started: Callable[[Started], None] = ignored,
    done: Callable[[Outcome], None] = ignored,
    noted: Callable[[str], None] = ignored,
) -> tuple[RunFolder, dict[str, Any]]:
    """The same on the caller's event loop, which is free while files are read, answers come and scores are computed.

    Raises:
        TolmanError: as `run` does.
        CancelledError: it was cancelled; answers so far are kept and scored.
    """
    preparing = asyncio.ensure_future(asyncio.to_thread(prepare, request))
    try:
        prepared = await asyncio.shield(preparing)
    except asyncio.CancelledError:
        preparing.add_done_callback(_let_go)
        raise
    with prepared:
        try:
            await prepared.ask(started=started, done=done, noted=noted)
        except asyncio.CancelledError:
            prepared.finish()
            raise
        except EndpointError as error:
            _end_early(prepared, error, noted)
        except BaseException:
            prepared.keep()
            raise
        finishing = asyncio.ensure_future(asyncio.to_thread(prepared.finish))
        try:
            return await asyncio.shield(finishing)
        except asyncio.CancelledError:
            await finishing  # what is written is to become whole, and the folder stays ours until then
            raise


def _end_early(prepared: PreparedRun, error: EndpointError, noted: Callable[[str], None]) -> None:
    """Report why a run ended before its last question; its answers are scored as a part.

    Raises:
        EndpointError: nothing came, or the judge's endpoint ended it.
    """
    if not prepared.has_answers:
        prepared.keep()
        raise error from None
    noted(prepared.ended(error))


def _let_go(preparing: asyncio.Future[PreparedRun]) -> None:
    if not preparing.cancelled() and preparing.exception() is None:
        preparing.result().close()
