"""Estimates of runs before anything is asked (`tolman run … --dry-run`), and the data that several runs share.

Each data set is loaded once; the error for a missing one says how to fetch it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, check_frames
from tolman.errors import TolmanError, UsageError, as_sentence
from tolman.features.run.compute import requests_of
from tolman.features.run.config import RunConfig
from tolman.items import Selection
from tolman.models.batching.batch_client import PRICE_SHARE
from tolman.protocols import Ask, Look, Protocol, Step
from tolman.responses import Response, Usage
from tolman.runs.prices import LETTERS_OF_A_TOKEN, read_price
from tolman.runs.response_store import is_url, open_store, usual_place
from tolman.runs.run import adjusted, protocol_of
from tolman.runs.run_items import Loaded, load, preset_of

if TYPE_CHECKING:
    from tolman.items import Item
    from tolman.runs.request import RunRequest


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
class RunEstimate:
    """The expected expense of one run.

    Attributes:
        benchmark, model, protocol: which.
        items: that would be asked, each so often as samples are wanted.
        calls: of the model, answers that are in the response store included; the fewest that the protocol makes. Equal
            requests, such as for the map of a scene, are one call where the model's answers are stored.
        images: pictures in these calls; frames of videos are not among them.
        videos: in these calls.
        frames: how each video is shown, in words.
        text_tokens: of the prompts without media, about.
        answer_tokens: the most of all answers together; None where a call has no limit.
        minutes: at the speed of the model's answers in the response store, to requests with media where these have any,
            else to requests without; None where it has none.
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


def _estimate(request: RunRequest, loaded: Loaded) -> RunEstimate:
    preset = adjusted(preset_of(loaded.benchmark, request.preset, loaded.subset), request)
    check_frames(loaded.benchmark, loaded.subset, preset.frames)
    protocol = protocol_of(request, loaded)
    items = protocol.present(loaded.benchmark, request.selection.apply(loaded.items))
    if request.selection.adaptive is not None:  # which items isn't known yet: as many, spread evenly
        items = list(Selection(limit=request.selection.adaptive.most(len(items))).apply(items))
    asked = [ask for item in items for ask in asks_of(protocol, loaded.benchmark, item, preset)]
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
    """The calls of an item's conversation, walked through with an answer that says nothing."""

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


def _seconds_of_a_call(request: RunRequest, *, media: bool) -> float | None:
    """The mean of the model's latest answers in the response store, to requests with media or without."""

    place = request.store or usual_place()
    if not (is_url(place) or Path(place).exists()):
        return None
    with closing(open_store(place)) as store:
        return store.mean_seconds(request.model, media=media)
