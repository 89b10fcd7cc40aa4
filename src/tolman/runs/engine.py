"""Asking a model every item: ordered, concurrent, retried, stored as it comes, and stopped cleanly.

The tokens that a recipe expects of a video are compared with the endpoint's count, and with that of the authors' own
code. A server that lost frames on the way (vLLM keeps 32 unless configured otherwise) answers as if nothing had
happened. Only its token count shows it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from tolman.benchmarks.spec import PromptPreset
from tolman.errors import EndpointError
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore, clip_of, labelled, pictures_in, size_of
from tolman.media.video import BrokenMediaError
from tolman.messages import Clip, KeyFrames, Message, Part, Picture, Video
from tolman.models.code import code_of
from tolman.models.identity import AtAddresses
from tolman.models.model import CallError, Model, Request, is_stored
from tolman.models.recipes import CAP, ModelRecipe, VideoTokens
from tolman.protocols import Answer, Ask, Conversation, Look, Step
from tolman.responses import Failure, FailureKind, Outcome, Outcomes, Response, Turn, Usage
from tolman.runs.calling import Caller, Limits, NoAnswerError, Tally, failure_of
from tolman.runs.flow_control import Watcher
from tolman.runs.identifying import Identity, identify, keep_label
from tolman.runs.prices import Budget, Price
from tolman.runs.reasoning_room import answered, remark_on, was_asked_again
from tolman.runs.response_store import AnswerStore, request_key

T = TypeVar("T")


def interleave(jobs: Iterable[T], key: Callable[[T], Hashable], streams: int) -> Iterable[T]:
    """Deal groups of jobs to streams, the next one to that with the fewest jobs, and take from the streams in turn.

    So several addresses get questions about different videos at a time, while each still gets all about one video in a
    row.

    Args:
        jobs: in their order.
        key: common to the jobs of a group.
        streams: as many as there are addresses.
    """
    if streams < 2:
        return jobs
    groups: dict[Hashable, list[T]] = {}
    for job in jobs:
        groups.setdefault(key(job), []).append(job)
    dealt: Sequence[list[T]] = [[] for _ in range(streams)]
    for group in groups.values():
        min(dealt, key=len).extend(group)
    nothing = object()
    turns = chain.from_iterable(zip_longest(*dealt, fillvalue=nothing))
    return [job for job in turns if job is not nothing]  # type: ignore[misc]


FEWER, MORE = "video tokens fewer than the recipe expects", "video tokens more than the recipe expects"
ABOVE_CAP = "videos with frames larger than the authors' code allows"
"""transformers caps no frames unless `cap_pixels_per_frame` is set."""
MIN_SHARE = 0.99
"""Of the expected tokens; fewer are frames that got lost or were made smaller."""
MAX_SHARE = 1.25
"""Of the expected tokens: some servers count the texts between frames, such as times, among them."""


def rule_of(recipe: ModelRecipe | None, body: dict[str, Any]) -> VideoTokens | None:
    """How many tokens a recipe expects, with the bounds of pixels that requests carry; None where it doesn't say."""
    if recipe is None or recipe.tokens is None:
        return None
    arguments = body.get("mm_processor_kwargs")
    if not isinstance(arguments, dict) or recipe.tokens.patch is None:
        return recipe.tokens
    of_videos = arguments.get("videos_kwargs")
    given = arguments | (of_videos if isinstance(of_videos, dict) else {})
    size = given.get("size")
    found = {"least": size.get("shortest_edge"), "most": size.get("longest_edge")} if isinstance(size, dict) else {}
    changed: dict[str, Any] = {name: value for name, value in found.items() if isinstance(value, int)}
    if isinstance(given.get(CAP), bool):
        changed["capped"] = given[CAP]
    return recipe.tokens.model_copy(update=changed)


def is_above_cap(rule: VideoTokens | None, messages: Iterable[Message]) -> bool:
    """Check whether a call shows a video with larger frames than the authors' own code would."""
    if rule is None or rule.frame_cap is None:
        return False
    clips = [part for message in messages for part in message.parts if isinstance(part, Clip)]
    return any(rule.above_cap(len(clip.frames), *size_of(clip.frames[0])) for clip in clips)


def difference(rule: VideoTokens | None, messages: Iterable[Message], usage: Usage) -> str | None:
    """Return the note on a call's tokens; None where they are as expected, or unknown."""
    shown = [part for message in messages for part in message.parts if isinstance(part, Clip | Picture | Video)]
    clips = [part for part in shown if isinstance(part, Clip)]
    if rule is None or not clips or len(clips) < len(shown) or not usage.media_tokens:
        return None
    expected = sum(rule.expected(len(clip.frames), *size_of(clip.frames[0])) for clip in clips)
    if usage.media_tokens < MIN_SHARE * expected:
        return FEWER
    return MORE if usage.media_tokens > MAX_SHARE * expected else None


__all__ = ["Engine", "Limits", "Tally"]

DECODERS = 2
"""Videos decoded side by side."""
SPARE_WORKERS = 4
"""Workers beyond the calls that may be in flight."""
FIRST_LOOK, LAST_LOOK = 0.05, 1.0
"""Seconds between looks at whether another process has its answer: at first, and at most."""
LAST_ANSWER_SECONDS = 30.0
"""The longest wait for answers that are on their way when a run ends."""
_OVER = "the run's time limit was over"
_NOT_KEPT = {"id", "repeat", "response", "turns", "notes", "cost", "served"}
"""What a turn has of its own, or not at all."""


@dataclass
class Engine:
    """Everything a run needs to ask.

    Attributes:
        model: that is asked.
        converse: starts the conversation about an item.
        preset: how videos are shown, and how replies are sampled where an ask does not say.
        data: the folder that media are relative to.
        frames: the frame store.
        store: the response store, or None where no answer is kept.
        limits: when to give up.
        done: called with every outcome as it comes.
        helpers: further models by the role that a protocol gives them, such as 'captioner'.
        prices: of tokens, by role; the run's model is 'model'.
        video_tokens: how many tokens a video becomes; None where that isn't known.
        tally: counts so far.
        outcomes: by item and repeat, as they come.
        kept: answers of an earlier start, which are not asked for again.
        deadline: on the monotonic clock, after which nothing is asked; None before the first of several calls of `run`,
            or without a time limit.
        watcher: is notified of pauses, and knows whether a run can go on.
        identities: `id` of a model → its identity.
    """

    model: Model
    converse: Callable[[Item], Conversation]
    preset: PromptPreset
    data: Path
    frames: FrameStore
    store: AnswerStore | None
    limits: Limits = field(default_factory=Limits)
    done: Callable[[Outcome], None] = lambda outcome: None
    helpers: Mapping[str, Model] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    video_tokens: VideoTokens | None = None
    tally: Tally = field(default_factory=Tally)
    outcomes: Outcomes = field(default_factory=Outcomes)
    kept: Outcomes = field(default_factory=Outcomes)
    deadline: float | None = None
    watcher: Watcher = field(default_factory=Watcher)
    identities: dict[int, Identity] = field(default_factory=dict)

    async def run(self, items: Sequence[Item], repeats: int = 1, *, close: bool = True) -> None:
        """Ask every item as often as `repeats` says; `outcomes` fills as answers come.

        Args:
            items: each id once.
            repeats: how often each is asked.
            close: whether the models let go of their connections and weights afterwards; who goes on asking on the same
                event loop closes them at the end.

        Raises:
            EndpointError: the first call showed that none can succeed, or an endpoint went down and stayed so.
        """
        models = {"model": self.model, **self.helpers}
        self.budget = Budget(self.limits.most_cost, lambda: self.tally.cost)
        self.callers = {
            role: Caller(model, self.limits, self.tally, self.prices.get(role), self.budget, self.watcher)
            for role, model in models.items()
        }
        self._pictures: dict[Media, asyncio.Future[tuple[Part, ...]]] = {}
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._labelled: set[int] = set()  # models whose label is kept
        self._told: set[Caller] = set()  # whose first reply was looked at
        if self.deadline is None and self.limits.run_seconds is not None:
            self.deadline = time.monotonic() + self.limits.run_seconds
        # Questions about one video follow each other, so that it is decoded once and its first answers come early.
        media = [_media_key(item) for item in items]
        order = sorted(range(len(media)), key=media.__getitem__) if any(media) else range(len(media))
        streams = len(self.model.urls) if isinstance(self.model, AtAddresses) else 1
        jobs = ((number, r) for number in order for r in range(repeats))
        queue = ((items[number], r) for number, r in interleave(jobs, lambda job: media[job[0]] or job[0], streams))
        with ThreadPoolExecutor(DECODERS, thread_name_prefix="decode") as self._decoders:
            # More than calls may be in flight: the next are ready when a place is free, and others can be tried where
            # the first question fails.
            count = min(self.model.concurrency + SPARE_WORKERS, len(items) * repeats)
            workers = [asyncio.create_task(self._work(queue)) for _ in range(count)]
            try:
                await asyncio.gather(*workers)
                hopeless = self.callers["model"].hopeless
                if hopeless is not None and not any(isinstance(one, Response) for one in self.outcomes.values()):
                    raise hopeless
            except EndpointError:
                await self._last_answers()
                raise
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
                self._decoders.shutdown(wait=False, cancel_futures=True)
                if close:
                    await self.close()

    async def _last_answers(self) -> None:
        """Receive the answers in flight where nothing more is sent: they are paid for."""
        until, some = time.monotonic() + LAST_ANSWER_SECONDS, True
        while some and time.monotonic() < until:
            some = any(caller.in_flight for caller in self.callers.values())
            await asyncio.sleep(FIRST_LOOK)  # after the last too, so that it is kept

    async def identify(self, **more: Any) -> Mapping[str, Any]:
        """Identify all models; see `identifying.identify`.

        Args:
            more: an earlier start's knowledge of the run's model.

        Returns:
            The record of the run's model.
        """
        for helper in self.helpers.values():
            self.identities[id(helper)] = await identify(helper, self.store, self.limits, self.watcher)
        found = await identify(self.model, self.store, self.limits, self.watcher, **more)
        self.identities[id(self.model)] = found
        return found.record

    async def close(self) -> None:
        """Close the models."""
        for model in (self.model, *self.helpers.values()):
            await model.close()

    async def _work(self, queue: Iterator[tuple[Item, int]]) -> None:
        for item, repeat in queue:  # shared by all workers: each takes the next
            if (item.id, repeat) in self.kept:
                outcome: Outcome = self.kept[item.id, repeat]
                self.tally.reused += 1
            else:
                left = None if self.deadline is None else self.deadline - time.monotonic()
                why = _OVER if left is not None and left < 0 else self.budget.sentence if self.budget.is_used_up else ""
                outcome = (
                    Failure(id=item.id, kind=FailureKind.INTERRUPTED, message=why, repeat=repeat)
                    if why
                    else await self._ask_item(item, repeat, left)
                )
            self.outcomes[item.id, repeat] = outcome
            self.done(outcome)

    async def _ask_item(self, item: Item, repeat: int, seconds: float | None) -> Outcome:
        attempts = 1
        try:
            if seconds is None:
                return await self._converse(item, repeat)
            async with asyncio.timeout(seconds):
                return await self._converse(item, repeat)
        except CallError as error:
            kind, message = error.kind, error.message
            attempts = 1 + (self.limits.retries if error.retry else 0)
        except BrokenMediaError as error:
            kind, message = FailureKind.MEDIA, str(error)
        except TimeoutError:
            kind, message = FailureKind.INTERRUPTED, _OVER
        return Failure(id=item.id, kind=kind, message=f"item {item.id}: {message}", repeat=repeat, attempts=attempts)

    async def _converse(self, item: Item, repeat: int) -> Response:
        """Carry a conversation through to the text that is scored."""
        conversation = self.converse(item)
        spoken: list[tuple[Ask, Response]] = []
        step = next(conversation)
        while True:
            received = await self._take(item, step, repeat, spoken)
            try:
                step = conversation.send(received)
            except StopIteration as finished:
                answer = finished.value if isinstance(finished.value, Answer) else Answer(finished.value)
                return self._whole(item, repeat, answer, spoken)

    async def _take(self, item: Item, step: Step, repeat: int, spoken: list[tuple[Ask, Response]]) -> Any:
        """Return the input for a step of a conversation."""
        if isinstance(step, Look):
            return pictures_in([part for media in step.media for part in await self._pictures_of(media)])
        if isinstance(step, Ask):
            response = await self._ask(item, step, repeat)
            spoken.append((step, response))
            return response
        # All are waited for, whatever becomes of one of them: what they bring is paid for and stored.
        found = await asyncio.gather(*(self._ask(item, ask, repeat) for ask in step), return_exceptions=True)
        responses: list[Response] = []
        for one in found:
            if isinstance(one, BaseException):
                raise one
            responses.append(one)
        spoken += zip(step, responses, strict=True)
        return responses

    def _whole(self, item: Item, repeat: int, answer: Answer, spoken: Sequence[tuple[Ask, Response]]) -> Response:
        """The response to an item: the text that is scored, with all that led to it."""
        is_alone = len(spoken) == 1 and spoken[0][1].response == answer.text
        turns = [] if is_alone else [self._turn(ask, response) for ask, response in spoken]
        costs = [self.callers[ask.role].cost(response) for ask, response in spoken]
        timed = [response.seconds for _, response in spoken if response.seconds is not None]
        changes = {
            "id": item.id,
            "repeat": repeat,
            "response": answer.text,
            "usage": Usage.total(response.usage for _, response in spoken),
            "seconds": round(sum(timed), 4) if timed else None,
            "turns": tuple(turns),
            "notes": _notes(answer, spoken),
            "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
        }
        return spoken[-1][1].model_copy(update=changes)

    def _turn(self, ask: Ask, response: Response) -> Turn:
        model = self.callers[ask.role].model.name if ask.role != "model" else None
        own: dict[str, Any] = {"purpose": ask.purpose, "prompt": ask.messages[-1].text, "draw": ask.draw}
        return Turn(response=response.response, model=model, **own, **response.model_dump(exclude=_NOT_KEPT))

    async def _ask(self, item: Item, ask: Ask, repeat: int) -> Response:
        """One turn: from the store if it holds it, else from the model into the store."""
        caller, messages = self.callers[ask.role], ask.messages
        if caller.model.remote:  # the others look at the item, not at its pictures
            messages = tuple([await self._with_pictures(message) for message in messages])
        model, sampling, store = caller.model, ask.sampling or self.preset.sampling, self.store
        if store is None or not is_stored(model):
            request = Request(item, messages, sampling, repeat, ask.purpose, ask.draw)
            return self._checked(request, await self._answered(caller, request))
        key, text = request_key(model.name, dict(model.settings), messages, sampling, repeat, ask.draw, code_of(model))
        request = Request(item, messages, sampling, repeat, ask.purpose, ask.draw, key)
        # Who asks the same while the answer is on its way, such as for a caption of the same frame, waits for it.
        async with self._asking.setdefault(key, asyncio.Lock()):
            found = await _stored_or_leased(store, key, self.limits.again)
            if found is not None:
                return self._reused(caller, request, found)
            try:
                # Another may have stored it just before its lease ended.
                found = _stored(store, key, self.limits.again, forget=True) or self._kept_earlier(model, request)
                if found is not None:
                    return self._reused(caller, request, found)
                response = self._checked(request, await self._answered(caller, request))
                label = self.identities[id(model)].label if id(model) in self.identities else None
                if label is not None and id(model) not in self._labelled:
                    keep_label(store, model, *label)
                    self._labelled.add(id(model))
                kept = store.put(key, model.name, text, response)
                return kept if self.limits.again or not was_asked_again(kept) else response
            finally:
                store.end_lease(key)

    def _reused(self, caller: Caller, request: Request, found: Response) -> Response:
        """An answer of the store, which is counted."""
        self.tally.reused += 1
        caller.was_answered(request)
        return found

    async def _answered(self, caller: Caller, request: Request) -> Response:
        """Return a response to one request, asked for again where it was cut off in reasoning; the first of a model
        shows whether it reasons."""
        seen: Response | None = None
        try:
            seen = await answered(caller.call, request, self.limits.again, self.tally.count_again)
            return seen
        except NoAnswerError as error:
            seen = error.response
            raise
        finally:
            if seen is not None and caller not in self._told:
                self._told.add(caller)
                remark = remark_on(caller.model.name, seen, request.sampling)
                self.tally.remarks += [remark] if remark and caller.model.remote else []

    def _checked(self, request: Request, response: Response) -> Response:
        """The response, with a note where its videos became other tokens than they should."""
        if self.video_tokens is None:
            return response
        noted = difference(self.video_tokens, request.messages, response.usage)
        found = [noted] if noted else []
        if is_above_cap(self.video_tokens, request.messages):
            found.append(ABOVE_CAP)
        notes = {**response.notes, **dict.fromkeys(found, 1)}
        return response.model_copy(update={"notes": notes}) if found else response

    def _kept_earlier(self, model: Model, request: Request) -> Response | None:
        """An answer of the same weights that was kept under other settings, such as their address."""
        assert self.store is not None
        for settings in self.identities.get(id(model), Identity()).older:
            key, _ = request_key(
                model.name, dict(settings), request.messages, request.sampling, request.repeat, request.draw
            )
            found = _stored(self.store, key, self.limits.again)
            if found is not None:
                return found
        return None

    async def _with_pictures(self, message: Message) -> Message:
        """The turn with its media as pictures of the frame store, or as clips or whole videos where the preset says
        so."""
        if not message.media:
            return message
        parts = [await self._pictures_of(part) if isinstance(part, Media) else (part,) for part in message.parts]
        return Message(role=message.role, parts=tuple(chain.from_iterable(parts)))

    async def _pictures_of(self, media: Media) -> tuple[Part, ...]:
        """Return the pictures of a medium, made once however many items wait for it."""
        if media not in self._pictures:
            loop = asyncio.get_running_loop()
            made = asyncio.ensure_future(loop.run_in_executor(self._decoders, self.show, media))
            made.add_done_callback(_retrieve)
            self._pictures[media] = made
        return await asyncio.shield(self._pictures[media])

    def show(self, media: Media) -> tuple[Part, ...]:
        """Return a medium as the model is shown it; frames that are decoded here stay in the frame store.

        Raises:
            BrokenMediaError: it can't be read.
        """
        shown = self._shown(media)
        self.tally.remarks += [text for text in list(self.frames.remarks) if text not in self.tally.remarks]
        return shown

    def _shown(self, media: Media) -> tuple[Part, ...]:
        # Key frames and joined images are media of their own kind, whatever the preset says about videos.
        sampled = type(media) is Media or (isinstance(media, KeyFrames) and media.as_sampled)
        if sampled and media.kind == "video":
            if self.preset.frames.whole:
                return (self.frames.video(self.data, media),)
            if self.preset.frames.native:
                return (clip_of(self.frames, self.data, media, self.preset.frames),)
            if self.preset.frames.label:
                return labelled(self.frames.pictures(self.data, media, self.preset.frames), self.preset.frames.label)
        return self.frames.pictures(self.data, media, self.preset.frames)


def _notes(answer: Answer, spoken: Sequence[tuple[Ask, Response]]) -> dict[str, int]:
    """Count the notes of the protocol and of each call on the way to an answer."""
    if not answer.notes and not any(response.notes for _, response in spoken):
        return {}
    counts = Counter(answer.notes)
    for _, response in spoken:
        counts.update(response.notes)
    return {name: count for name, count in counts.items() if count}


def _retrieve(future: asyncio.Future[Any]) -> None:
    """Retrieve the error of an abandoned future, so that asyncio doesn't print it."""
    if not future.cancelled():
        future.exception()


async def _stored_or_leased(store: AnswerStore, key: str, again: int) -> Response | None:
    """The answer under a key, waited for while another process asks for it; None, with the lease on asking, where there
    is none."""
    found, pause = _stored(store, key, again), FIRST_LOOK
    while found is None and not store.lease(key):
        await asyncio.sleep(pause)
        pause = min(LAST_LOOK, 1.5 * pause)
        found = _stored(store, key, again)
    return found


def _stored(store: AnswerStore, key: str, again: int, *, forget: bool = False) -> Response | None:
    """Return the answer under a key; a call without text, which earlier versions kept, is none and may be forgotten. If
    nothing is asked again, an answer that needed more than the requested room is none either."""
    found = store.get(key)
    if found is None or (failure_of(found) is None and (again or not was_asked_again(found))):
        return found
    if forget and failure_of(found) is not None:
        store.forget(key)
    return None


def _media_key(item: Item) -> tuple[str, ...]:
    return tuple(media.path for media in item.media)
