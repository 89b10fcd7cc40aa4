"""Estimates of runs before anything is asked (`tolman run … --dry-run`), and the data that several runs share.

Each data set is loaded once; the error for a missing one says how to fetch it.

A probe (`--probe`) asks some of a run's own questions, with fewer and fewer requests in flight, and keeps the answers
in the response store. The speed at each number is by Little's law: requests in flight over the seconds of an answer,
among requests that took the place of another. So neither the start, when all come at once, nor the end, when places
stay free, counts. Videos are decoded before, as most are shared by questions of the run.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, check_frames
from tolman.errors import TolmanError, UsageError, as_sentence, counted
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.run.compute import requests_of, server_of
from tolman.features.run.config import RunConfig
from tolman.items import Item, Media, Selection
from tolman.media.video import BrokenMediaError
from tolman.models.batching.batch_client import PRICE_SHARE
from tolman.protocols import Ask, Look, Protocol, Step
from tolman.responses import Outcome, Response, Usage
from tolman.runs.engine import DECODERS, Engine
from tolman.runs.prepared import PreparedRun
from tolman.runs.prices import LETTERS_OF_A_TOKEN, read_price
from tolman.runs.request import RunRequest
from tolman.runs.response_store import is_url, open_store, usual_place
from tolman.runs.run import adjusted, prepare, protocol_of
from tolman.runs.run_items import Loaded, load, preset_of
from tolman.runtime import run_until_stopped


class DataSets:
    """Benchmarks as runs ask for them; one that can't be loaded is tried once, and its error raised for every run."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Path | None, str | None, str | None, int | None], Loaded | TolmanError] = {}

    def load(self, request: RunRequest) -> Loaded:
        """The benchmark of a run.

        Raises:
            TolmanError: its data can't be loaded; of released data the sentence ends with the command that fetches it.
        """

        count = (request.frames or {}).get("count")
        key = (request.benchmark, request.data, request.subset, request.revision, count)
        if key not in self._found:
            try:
                self._found[key] = load(*key)
            except TolmanError as error:
                self._found[key] = _with_command(error, request)
        found = self._found[key]
        if isinstance(found, TolmanError):
            raise found
        return found


def _with_command(error: TolmanError, request: RunRequest) -> TolmanError:
    if request.data is not None or benchmarks.get(request.benchmark).hub is None:
        return error
    return UsageError(f"{as_sentence(str(error))} To fetch it: '{fetch_command(request)}'.")


def fetch_command(request: RunRequest) -> str:
    """The command that fetches the data of a run."""
    named = {"--subset": request.subset, "--revision": request.revision}
    return " ".join(["tolman fetch", request.benchmark, *(f"{o} {v}" for o, v in named.items() if v is not None)])


_NOT_STORED = ("python", "scripted", "baseline")
"""Families whose answers the response store doesn't hold."""
MOST_STEPS = 50
"""Of a conversation that is walked through; one that is longer is counted so far."""


@dataclass(frozen=True)
class Speed:
    """The speed of a model with so many requests in flight.

    Attributes:
        in_flight: requests at a time.
        answers: that were measured.
        seconds: of an answer, on average.
        answers_a_second: questions of the run.
        input_tokens_a_second, output_tokens_a_second: 0 where the endpoint doesn't report tokens.
        error: half the 95 % interval of `seconds`, as a share of it.
    """

    in_flight: int
    answers: int
    seconds: float
    answers_a_second: float
    input_tokens_a_second: float
    output_tokens_a_second: float
    error: float


@dataclass(frozen=True)
class SpeedProbe:
    """The time that a run takes, by some of its questions.

    Attributes:
        speeds: for each number of requests in flight, the most first.
        sampled, stored, failed: questions that were looked at; those answered in the response store, and those failed.
        left: answers that the run still needs, by the share of those that were stored.
        media_seconds: to decode the run's other videos and pictures.
        minutes, low, high: the predicted time of the run, with its range: the 95 % interval of its answers' seconds.
    """

    speeds: tuple[Speed, ...]
    sampled: int
    stored: int
    failed: int
    left: int
    media_seconds: float
    minutes: float
    low: float
    high: float


@dataclass(frozen=True)
class RunEstimate:
    """The expected expense of one run.

    Attributes:
        benchmark, model, protocol: which.
        items: that would be asked, each so often as samples are wanted.
        calls: of the model, answers that are in the response store included; the fewest that the protocol makes, and of
            `tools` the most. Equal requests, such as for the map of a scene, are one call where answers are stored.
        images: pictures in these calls; frames of videos are not among them.
        videos: in these calls.
        frames: how each video is shown, in words.
        text_tokens: of the prompts without media, about.
        answer_tokens: the most of all answers together; None where a call has no limit.
        minutes: at the speed of the model's answers in the response store, to requests with media where these have any,
            else to requests without; None where it has none.
        cost: the most for text and answers, without media; None without prices or a limit of tokens.
        probe: measured by a probe, whose minutes are `minutes` then; None without one.
    """

    benchmark: str
    model: str
    protocol: str
    items: int
    calls: int
    images: int
    videos: int
    frames: str
    text_tokens: int
    answer_tokens: int | None
    minutes: float | None
    cost: float | None
    probe: SpeedProbe | None = None


def estimate(configs: Sequence[RunConfig], lacking: Callable[[str], None] | None = None) -> list[RunEstimate]:
    """Estimate the expense of each run; nothing is asked, and no video is opened.

    Args:
        configs: of the runs.
        lacking: called with a sentence for a run whose data can't be loaded, which is left out then; where None, that
            is raised.

    Raises:
        TolmanError: as the runs would before their first call.
    """
    data, found = DataSets(), []
    for config in configs:
        for request in requests_of(config):
            try:
                loaded = data.load(request)
            except TolmanError as error:
                if lacking is None:
                    raise
                lacking(f"INCOMPLETE: {request.benchmark} with {request.model}: {error}")
                continue
            found.append(_estimate(request, loaded))
    return found


def _conversations(request: RunRequest, loaded: Loaded) -> tuple[PromptPreset, dict[str, list[Ask]]]:
    """The preset of a run, and for each of its items the calls of its conversation."""
    preset = adjusted(preset_of(loaded.benchmark, request.preset, loaded.subset), request)
    check_frames(loaded.benchmark, loaded.subset, preset.frames)
    protocol = protocol_of(request, loaded)
    items = protocol.present(loaded.benchmark, request.selection.apply(loaded.items))
    if request.selection.adaptive is not None:  # which items isn't known yet: as many, spread evenly
        items = list(Selection(limit=request.selection.adaptive.most(len(items))).apply(items))
    return preset, {item.id: asks_of(protocol, loaded.benchmark, item, preset) for item in items}


def _estimate(
    request: RunRequest, loaded: Loaded, conversations: tuple[PromptPreset, dict[str, list[Ask]]] | None = None
) -> RunEstimate:
    preset, items = conversations or _conversations(request, loaded)
    asked = [ask for asks in items.values() for ask in asks]
    if request.model.partition("/")[0] not in _NOT_STORED:
        asked = list({(ask.role, ask.messages, ask.sampling, ask.draw): ask for ask in asked}.values())
    limits = [(ask.sampling or preset.sampling).max_tokens for ask in asked]
    answer_tokens = None if None in limits else sum(limit for limit in limits if limit is not None)
    media = [one for ask in asked for message in ask.messages for one in message.media]
    letters = sum(len(message.text) for ask in asked for message in ask.messages)
    text_tokens, calls = letters // LETTERS_OF_A_TOKEN, len(asked)
    cost = None
    if request.prices is not None and answer_tokens is not None:
        spent = Usage(input_tokens=text_tokens, output_tokens=answer_tokens)
        share = PRICE_SHARE if request.options.batch else 1.0
        cost = share * read_price(request.prices, request.model).cost(spent) * request.repeats
    seconds = _seconds_of_a_call(request, media=bool(media))
    return RunEstimate(
        benchmark=request.benchmark,
        model=request.model,
        protocol=request.protocol,
        items=len(items) * request.repeats,
        calls=calls * request.repeats,
        images=sum(one.kind == "image" for one in media) * request.repeats,
        videos=sum(one.kind == "video" for one in media) * request.repeats,
        frames=preset.frames.describe(),
        text_tokens=text_tokens * request.repeats,
        answer_tokens=None if answer_tokens is None else answer_tokens * request.repeats,
        minutes=None if seconds is None else calls * request.repeats * seconds / request.options.concurrency / 60,
        cost=cost,
    )


def asks_of(protocol: Protocol, benchmark: BenchmarkSpec, item: Item, preset: PromptPreset) -> list[Ask]:
    """The most calls of an item's conversation, walked through with an answer that says nothing and wants to look."""

    conversation = protocol.converse(benchmark, item, preset)
    said = Response(id=item.id, response="A\nCROP 1 10 10 60 60")  # a request that the protocol `tools` would meet
    asked: list[Ask] = []
    try:
        step: Step = next(conversation)
        for _ in range(MOST_STEPS):
            if isinstance(step, Ask):
                asked.append(step)
                step = conversation.send(said)
            elif isinstance(step, Look):
                step = conversation.send(())
            else:
                asked += step
                step = conversation.send([said] * len(step))
    except StopIteration:
        pass
    finally:
        conversation.close()
    return asked


def _seconds_of_a_call(request: RunRequest, *, media: bool) -> float | None:
    """The mean of the model's latest answers in the response store, to requests with media or without."""

    place = request.store or usual_place()
    if not (is_url(place) or Path(place).exists()):
        return None
    with closing(open_store(place)) as store:
        return store.mean_seconds(request.model, media=media)


LEVELS = (64, 16, 4, 1)
"""Requests in flight of a probe, besides as many as the run has."""
MOST_SHARE = 0.5
"""The share of a run's questions that a probe asks at most."""
LEAST_ERROR = 0.05
"""Half of the interval of a predicted time, as a share of it, where measured seconds hardly differ."""
ENOUGH = 2 / 3
"""The share of a level's questions that must need an answer; if more are in the store, others are taken."""


def probe(
    configs: Sequence[RunConfig], events: Events = silent, lacking: Callable[[str], None] | None = None
) -> list[RunEstimate]:
    """Estimate the expense of each run, and measure the speed of its model with some of its own questions.

    Args:
        configs: of the runs.
        events: called with a sentence on the cost before the first call of each run, and with progress.
        lacking: as of `estimate`; also called where a model doesn't answer.

    Raises:
        UsageError: a model's answers aren't kept in the response store, or come in batches.
        TolmanError: as `estimate`, and where the model doesn't answer.
    """
    for config in configs:
        if config.batch or config.model.partition("/")[0] in _NOT_STORED:
            why = "answers of --batch come within a day" if config.batch else f"answers of {config.model} aren't stored"
            raise UsageError(f"--probe measures models whose answers are kept in the response store; {why}.")
    data, found, known = DataSets(), [], set[tuple[str, str | None, str | None]]()
    for config in configs:
        with server_of(config) as (asked, server):
            for request in requests_of(asked):
                model = request.model, request.options.base_url, request.options.label
                try:
                    loaded = data.load(request)
                    conversations = _conversations(request, loaded)
                    one = _estimate(request, loaded, conversations)
                    request = replace(request, server=server, loaded=loaded)
                    found.append(_probed(request, one, conversations[1], events, is_first=model not in known))
                except TolmanError as error:
                    if lacking is None:
                        raise
                    lacking(f"INCOMPLETE: {request.benchmark} with {request.model}: {error}")
                known.add(model)
    events(Ended())
    return found


def _probed(
    request: RunRequest, one: RunEstimate, asks: dict[str, list[Ask]], events: Events, *, is_first: bool
) -> RunEstimate:
    """An estimate with a probe of its model. For the first run of a model, fewer requests in flight are tried, too."""
    plan = _plan(request.options.concurrency, len(asks), 1 if not is_first else None)
    if not plan:
        events(Noted(f"{request.benchmark} with {request.model}: too few questions for a probe."))
        return one
    order = list(asks)
    random.Random(request.options.seed).shuffle(order)
    events(Noted(_announced(request, one, [asks[identity] for identity in order[: sum(n for _, n in plan)]], plan)))
    selection = request.selection.model_copy(update={"adaptive": None})
    with tempfile.TemporaryDirectory(prefix="tolman-probe-") as folder:
        trial = replace(request, out=Path(folder) / "run", part=None, judge=None, bank=None, selection=selection)
        with prepare(trial) as prepared:
            measured = run_until_stopped(_measure(prepared, order, asks, plan, events))
    speeds, sampled, stored, failed, media_seconds = measured
    if not speeds:
        events(Noted("No speed was measured: too few questions lack an answer in the response store."))
        return one
    top = speeds[0]
    left = max(0.0, one.items * (1 - stored / sampled) - sum(speed.answers for speed in speeds))
    seconds = max(left / top.answers_a_second + top.seconds, media_seconds)
    # With fewer questions than requests in flight, the run may be that much faster than the probe.
    faster = min(1.0, top.in_flight / min(request.options.concurrency, max(1.0, left)))
    low, high = (max(seconds * share, media_seconds) for share in (faster * (1 - top.error), 1 + top.error))
    minutes = seconds / 60, low / 60, high / 60
    shown = SpeedProbe(tuple(speeds), sampled, stored, failed, round(left), media_seconds, *minutes)
    return replace(one, minutes=seconds / 60, probe=shown)


def _plan(concurrency: int, items: int, most: int | None) -> list[tuple[int, int]]:
    """Requests in flight, the most first, and how many questions are asked so: the first, and two for each place.

    Args:
        concurrency: of the run.
        items: of the run.
        most: levels.
    """
    left = max(int(MOST_SHARE * items), min(items, 3))
    first = min(concurrency, max(1, (left - 1) // 2))
    plan = []
    for level in [first, *(level for level in LEVELS if level < first)][:most]:
        if (count := 2 * level + 1) <= left:
            plan.append((level, count))
            left -= count
    return plan


def _announced(request: RunRequest, one: RunEstimate, asks: Sequence[list[Ask]], plan: list[tuple[int, int]]) -> str:
    """The cost of a probe, before its first call."""
    calls = [ask for each in asks for ask in each]
    media = [one for ask in calls for message in ask.messages for one in message.media]
    shown = {kind: sum(one.kind == kind for one in media) for kind in ("video", "image")}
    said = [f"{sum(len(m.text) for ask in calls for m in ask.messages) // LETTERS_OF_A_TOKEN:,} text tokens"]
    said += [f"{counted(count, kind)}" for kind, count in shown.items() if count]
    if one.answer_tokens is not None:
        said.append(f"at most {one.answer_tokens * len(asks) // max(1, one.items):,} answer tokens")
    if one.cost is not None:
        said.append(f"cost up to {one.cost * len(asks) / max(1, one.items):,.2f} without media")
    levels = ", ".join(str(level) for level, _ in plan)
    return (
        f"Probe of {request.model}: {len(asks):,} of the {counted(one.items, 'question')} of {request.benchmark}, with "
        f"{levels} in flight: {', '.join(said)}. Answers are kept in the response store."
    )


@dataclass(frozen=True)
class _Asked:
    """One answer: when it was asked for and came (`time.monotonic`), and its tokens."""

    start: float
    end: float
    usage: Usage


async def _measure(
    prepared: PreparedRun, order: Sequence[str], asks: dict[str, list[Ask]], plan: list[tuple[int, int]], events: Events
) -> tuple[list[Speed], int, int, int, float]:
    """Ask some items of a run.

    Returns:
        The speeds; how many items were looked at, were in the store, and failed; seconds to decode the other
        media of the run.
    """
    items = {item.id: item for item in prepared.items}
    queue = (items[identity] for identity in order if identity in items)
    speeds, sampled, stored, failed, media_seconds, shown = list[Speed](), 0, 0, 0, 0.0, set["Media"]()
    async with prepared.ready(lambda text: events(Noted(text, "warning"))) as engine:
        for level, count in plan:
            while batch := list(islice(queue, count)):
                media = {one for item in batch for one in _media(asks[item.id])} - shown
                media_seconds += await asyncio.to_thread(_decode, engine, media)
                shown |= media
                events(Began(f"asking with {level} in flight", len(batch)))
                seen, counts = await _ask(engine, level, batch, events)
                sampled, stored, failed = sampled + len(batch), stored + counts[0], failed + counts[1]
                if len(seen) >= ENOUGH * count:
                    speeds.append(_speed(level, seen))
                    break
    every = {one for each in asks.values() for one in _media(each)}
    others = len(every - shown) / max(1, len(shown))
    return speeds, sampled, stored, failed, media_seconds * others


def _media(asks: Sequence[Ask]) -> Iterator[Media]:
    return (one for ask in asks for message in ask.messages for one in message.media)


def _decode(engine: Engine, media: set[Media]) -> float:
    """Bring media into the frame store as a run does; the seconds that it took."""

    def show(one: Media) -> None:
        with suppress(BrokenMediaError):  # a failure of its questions
            engine.show(one)

    began = time.monotonic()
    with ThreadPoolExecutor(DECODERS) as decoders:
        list(decoders.map(show, media))
    return time.monotonic() - began


async def _ask(engine: Engine, level: int, batch: list[Item], events: Events) -> tuple[list[_Asked], tuple[int, int]]:
    """Ask some items with so many requests in flight.

    Returns:
        The answers of the model, and how many came from the store and how many failed.
    """
    seen: list[_Asked] = []
    reused, failed = engine.tally.reused, 0
    before = reused

    def done(outcome: Outcome) -> None:
        nonlocal reused, failed
        now = time.monotonic()
        is_new, reused = engine.tally.reused == reused, engine.tally.reused
        if not isinstance(outcome, Response):
            failed += 1
        elif is_new and outcome.seconds is not None:
            seen.append(_Asked(now - outcome.seconds, now, outcome.usage))
        events(Advanced())

    engine.done, engine.model.concurrency = done, level
    await engine.run(batch, close=False)
    return seen, (min(len(batch), engine.tally.reused - before), failed)


def _speed(level: int, seen: Sequence[_Asked]) -> Speed:
    """The speed by the answers to requests that took the place of another."""
    edges = sorted([(one.start, 1) for one in seen] + [(one.end, -1) for one in seen])
    busy, most, began = 0, 0, edges[0][0]
    for at, step in edges:
        busy += step
        if busy > most:
            most, began = busy, at  # when the last place was taken
    ended = max(one.start for one in seen)
    later = [one for one in seen if one.start > began] or list(seen)
    seconds = statistics.fmean(one.end - one.start for one in later)
    in_flight = float(most)
    if ended > began:
        in_flight = sum(max(0.0, min(one.end, ended) - max(one.start, began)) for one in seen) / (ended - began)
    rate = in_flight / max(seconds, 1e-6)
    spread = statistics.stdev(one.end - one.start for one in later) if len(later) > 1 else seconds / 2
    return Speed(
        in_flight=level,
        answers=len(seen),
        seconds=seconds,
        answers_a_second=rate,
        input_tokens_a_second=rate * statistics.fmean(one.usage.input_tokens for one in seen),
        output_tokens_a_second=rate * statistics.fmean(one.usage.output_tokens for one in seen),
        error=min(0.9, max(LEAST_ERROR, 1.96 * spread / len(later) ** 0.5 / max(seconds, 1e-6))),
    )
