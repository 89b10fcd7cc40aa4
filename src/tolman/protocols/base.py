"""Parts of a protocol, which presents an item to a model: a pure description of conversation turns.

A strategy's `converse` is a generator. It yields what is to be asked, is sent the response to it, and returns the text
that is to be scored. It never calls a model itself, so every turn can be stored, repeated and tested. A modifier
changes how items or messages are presented, whatever the strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.items import Item, Media
from tolman.messages import Message, Sampling
from tolman.responses import Response

LONG = 4096
"""The least tokens that a turn may have in which a model thinks, where the preset sets a limit."""


@dataclass(frozen=True)
class ProtocolOptions:
    """Options of protocols on the command line. Each belongs to those that name it in `uses`.

    Attributes:
        seed: of every tie and every order that is drawn.
        sampling: settings that the user gave; they win over a protocol's own.
        data: the folder of the benchmark's questions.
        scenes: a folder of scenes.
        reasoning_tokens: the most tokens of a turn in which the model thinks, draws a map or explains.
        draws: how many answers self-consistency draws.
        grid: cells along each side of a cognitive map.
        map_categories: 'question' maps the categories that the question names, 'scene' all of its scene.
        captioner: the name of the model that captions.
        matcher: the name of what matches points of two images.
    """

    seed: int = 0
    sampling: Mapping[str, Any] = field(default_factory=dict)
    data: Path | None = None
    scenes: Path | None = None
    reasoning_tokens: int | None = None
    draws: int = 5
    grid: int = 10
    map_categories: str = "question"
    captioner: str | None = None
    matcher: str = "sift"


@dataclass(frozen=True)
class Ask:
    """One call.

    Attributes:
        messages: the conversation up to here.
        sampling: other than the preset's, or None.
        draw: the number of this draw among equal ones, from 0.
        purpose: what it is for; kept with the turn. (purpose, draw) is unique in a conversation.
        role: who is asked: 'model', or 'captioner'.
    """

    messages: tuple[Message, ...]
    sampling: Sampling | None = None
    draw: int = 0
    purpose: str = "answer"
    role: str = "model"


@dataclass(frozen=True)
class Look:
    """Not a call: the pictures that media become are wanted, a tuple of `Picture`."""

    media: tuple[Media, ...]


@dataclass(frozen=True)
class Answer:
    """End of a conversation, where there is more to say than the text.

    Attributes:
        text: what is scored.
        notes: what happened on the way and how often; summed over items in the report.
    """

    text: str
    notes: Mapping[str, int] = field(default_factory=dict)


Step = Ask | Look | tuple[Ask, ...]
Conversation = Generator[Step, Any, str | Answer]
"""Yields an Ask and is sent its Response; a Look and is sent pictures; or several Asks, which are put side by side, and
is sent a list of their Responses."""


@dataclass(frozen=True)
class Question:
    """An item with all that a strategy needs to put it.

    Attributes:
        benchmark, item, preset, options: what is asked, and how.
        sees: whether the model is shown media.
    """

    benchmark: BenchmarkSpec
    item: Item
    preset: PromptPreset
    options: ProtocolOptions
    sees: bool = True

    @property
    def prompt(self) -> Message:
        """The released prompt."""
        write = self.benchmark.prompt if self.sees else self.benchmark.blind_prompt
        return write(self.item, self.preset)

    @property
    def demand(self) -> str:
        """The released sentence that asks for the answer alone."""
        return self.benchmark.demand(self.item, self.preset)

    def open(self, *lines: str) -> Message:
        """The released prompt without that sentence, with other lines in its place."""
        message = self.benchmark.question(self.item, self.preset, self.sees)
        texts = [i for i, part in enumerate(message.parts) if isinstance(part, str)]
        parts = list(message.parts)
        if texts:
            parts[texts[-1]] = "\n".join([str(parts[texts[-1]]).rstrip("\n"), *lines])
        else:
            parts.append("\n".join(lines))
        return message.model_copy(update={"parts": tuple(parts)})

    def shown(self, text: str) -> Message:
        """The item's media, where the model sees any, and a text other than the question's."""
        return Message(parts=(*(self.item.media if self.sees else ()), text))

    def sampling(self, *, long: bool = False, **own: Any) -> Sampling:
        """The preset's sampling with a protocol's own settings, and the user's over both.

        Args:
            long: whether the model is to think, so that the preset's limit of tokens is too low.
            own: the protocol's own settings.
        """
        settings = {**own, **self.options.sampling}
        if long:
            limit = self.preset.sampling.max_tokens
            settings["max_tokens"] = self.options.reasoning_tokens or (None if limit is None else max(LONG, limit))
        return self.preset.sampling.model_copy(update=settings)


def reply(messages: Sequence[Message], response: Response, text: str) -> tuple[Message, ...]:
    """A conversation that goes on: what was said, the model's response, and the next message."""
    return (*messages, Message(role="assistant", parts=(response.response,)), Message(parts=(text,)))


def told(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """A conversation with a system text, behind the one that it has: many chat templates take one system message."""
    if messages[0].role == "system":
        return (Message(role="system", parts=(f"{messages[0].text}\n{text}",)), *messages[1:])
    return (Message(role="system", parts=(text,)), *messages)


Check = Callable[[BenchmarkSpec, Sequence[Item], PromptPreset, ProtocolOptions], None]


@dataclass(frozen=True)
class Strategy:
    """A way of asking: which turns there are.

    Attributes:
        name: what `--protocol` takes.
        converse: the turns.
        shows_media: whether anyone is shown the item's media.
        viewer: the role of who is shown them.
        uses: the options that matter, by their names in `ProtocolOptions`.
        check: raises a UsageError where the benchmark, its items or the options can't serve it.
        present: (benchmark, items, options) → the items that are asked.
        refuses: modifiers that make no sense with it → why, as the rest of a sentence.
        summary: a line for the list of protocols.
    """

    name: str
    converse: Callable[[Question], Conversation]
    shows_media: bool = True
    viewer: str = "model"
    uses: tuple[str, ...] = ()
    check: Check | None = None
    present: Callable[[BenchmarkSpec, Sequence[Item], ProtocolOptions], list[Item]] | None = None
    refuses: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""


@dataclass(frozen=True)
class Modifier:
    """A way of presenting, whatever the strategy.

    Attributes:
        name: what `--protocol` takes.
        sees: whether the model is shown media.
        present: (benchmark, item, options) → the items that are asked in its place.
        messages: (messages of a call, options) → what is sent.
        after: (conversation, question) → a conversation that goes on after it.
        uses, check, refuses, summary: as in `Strategy`; `refuses` names other modifiers.
    """

    name: str
    sees: bool = True
    present: Callable[[BenchmarkSpec, Item, ProtocolOptions], list[Item]] | None = None
    messages: Callable[[tuple[Message, ...], ProtocolOptions], tuple[Message, ...]] | None = None
    after: Callable[[Conversation, Question], Conversation] | None = None
    uses: tuple[str, ...] = ()
    check: Check | None = None
    refuses: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""


@dataclass(frozen=True)
class Protocol:
    """A strategy with its modifiers: what a run carries out.

    Attributes:
        name: strategy and modifiers joined by '+', in their own order.
        shows_media: whether anyone is shown the items' media.
        converse: (benchmark, item, preset) → the conversation.
        viewer: the role of who is shown them.
        present: (benchmark, items) → the items that are asked, before anything else is done with them.
        check: (benchmark, items, preset); raises a UsageError where they can't serve it.
        settings: the options that matter, by name; part of the run's settings.
    """

    name: str
    shows_media: bool
    converse: Callable[[BenchmarkSpec, Item, PromptPreset], Conversation]
    viewer: str = "model"
    present: Callable[[BenchmarkSpec, Sequence[Item]], list[Item]] = lambda benchmark, items: list(items)
    check: Callable[[BenchmarkSpec, Sequence[Item], PromptPreset], None] = lambda benchmark, items, preset: None
    settings: Mapping[str, Any] = field(default_factory=dict)
