"""What runs would take, told before anything is asked (`tolman run … --dry-run`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import TolmanError
from tolman.workflows.data_sets import DataSets
from tolman.workflows.evaluate import requests_of
from tolman.workflows.run_config import RunConfig

if TYPE_CHECKING:
    from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
    from tolman.items import Item
    from tolman.protocols.base import Ask, Protocol, Step
    from tolman.runs.load import Loaded
    from tolman.runs.request import RunRequest

LETTERS_OF_A_TOKEN = 4
"""Of English text, about."""
MOST_STEPS = 50
"""Of a conversation that is walked through; one that is longer is counted so far."""


@dataclass(frozen=True)
class RunEstimate:
    """What one run would take.

    Attributes:
        benchmark, model, protocol: which.
        items: that would be asked, each so often as samples are wanted.
        calls: of the model, answers that are in the response store included; the fewest that the protocol makes.
        images: pictures in these calls; frames of videos are not among them.
        videos: in these calls.
        frames: how each video is shown, in words.
        text_tokens: of the prompts without media, about.
        answer_tokens: the most of all answers together; None where a call has no limit.
        minutes: at the speed of the model's answers in the response store; None where it has none.
        cost: the most for text and answers, without media; None without prices or a limit of tokens.
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


def estimate(configs: Sequence[RunConfig], lacking: Callable[[str], None] | None = None) -> list[RunEstimate]:
    """What each run would take; nothing is asked, and no video is opened.

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


def _estimate(request: RunRequest, loaded: Loaded) -> RunEstimate:
    from tolman.benchmarks.frame_budgets import check_frames
    from tolman.models.batching.interface import PRICE_SHARE
    from tolman.responses import Usage
    from tolman.runs.load import preset_of
    from tolman.runs.prepare import adjusted, protocol_of
    from tolman.runs.prices import read_price

    preset = adjusted(preset_of(loaded.benchmark, request.preset, loaded.subset), request)
    check_frames(loaded.benchmark, loaded.subset, preset.frames)
    protocol = protocol_of(request, loaded)
    items = protocol.present(loaded.benchmark, request.selection.apply(loaded.items))
    asked = [ask for item in items for ask in asks_of(protocol, loaded.benchmark, item, preset)]
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
    seconds = _seconds_of_a_call(request)
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
    """The calls of an item's conversation, walked through with an answer that says nothing."""
    from tolman.protocols.base import Ask, Look
    from tolman.responses import Response

    conversation = protocol.converse(benchmark, item, preset)
    said = Response(id=item.id, response="A")
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


def _seconds_of_a_call(request: RunRequest) -> float | None:
    """The mean of the model's latest answers in the response store."""
    from tolman.runs.store import is_url, open_store, usual_place

    place = request.store or usual_place()
    if not (is_url(place) or Path(place).exists()):
        return None
    store = open_store(place)
    try:
        return store.mean_seconds(request.model)
    finally:
        store.close()
