"""Protocols by name: how an item is presented to a model, as a pure description of conversation turns.

A strategy's `converse` is a generator. It yields each question, is sent the response to it, and returns the text to
score. It never calls a model itself, so every turn can be stored, repeated and tested. A modifier changes how items or
messages are presented, with any strategy.

A name is that of a strategy or a modifier, or of several joined by '+': `cot`, `blind`, `cot+question-first`. A module
of this package declares one as `PROTOCOL`, or several by name in the dict `PROTOCOLS`. Other packages add theirs
through the entry point group `tolman.protocols`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.item_table import field_values
from tolman.items import Item, Media
from tolman.messages import Message, Sampling
from tolman.registry import Registry
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
        looks: how often the model may look again.
        grid: cells along each side of a cognitive map.
        map_categories: 'question' maps the categories that the question names, 'scene' all of its scene.
        captioner: the name of the model that captions.
        matcher: the name of the matcher of points in two images.
    """

    seed: int = 0
    sampling: Mapping[str, Any] = field(default_factory=dict)
    data: Path | None = None
    scenes: Path | None = None
    reasoning_tokens: int | None = None
    draws: int = 5
    looks: int = 5
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
        purpose: of the turn; kept with it. (purpose, draw) is unique in a conversation.
        role: that is asked: 'model', or 'captioner'.
        demands: whether the system text says in which form to answer, as it does in front of the released prompt.
    """

    messages: tuple[Message, ...]
    sampling: Sampling | None = None
    draw: int = 0
    purpose: str = "answer"
    role: str = "model"
    demands: bool = False


@dataclass(frozen=True)
class Look:
    """Not a call: the pictures that media become are wanted, a tuple of `Picture`."""

    media: tuple[Media, ...]


@dataclass(frozen=True)
class Answer:
    """End of a conversation, where there is more to say than the text.

    Attributes:
        text: that is scored.
        notes: events on the way and their counts; summed over items in the report.
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
        benchmark, item, preset, options: the question, and how it is asked.
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
        return with_lines(self.benchmark.question(self.item, self.preset, self.sees), *lines)

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


def with_lines(message: Message, *lines: str) -> Message:
    """Return a message with further lines behind its last text."""
    texts = [i for i, part in enumerate(message.parts) if isinstance(part, str)]
    parts = list(message.parts)
    if texts:
        parts[texts[-1]] = "\n".join([str(parts[texts[-1]]).rstrip("\n"), *lines])
    else:
        parts.append("\n".join(lines))
    return message.model_copy(update={"parts": tuple(parts)})


def reply(messages: Sequence[Message], response: Response, text: str) -> tuple[Message, ...]:
    """Return a continued conversation: its messages, the model's response, and the next message."""
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
        name: for `--protocol`.
        converse: the turns.
        shows_media: whether anyone is shown the item's media.
        viewer: the role that is shown them.
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
    present: Callable[[BenchmarkSpec, Sequence[Item], ProtocolOptions], Sequence[Item]] | None = None
    refuses: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""


@dataclass(frozen=True)
class Modifier:
    """A way of presenting, for any strategy.

    Attributes:
        name: for `--protocol`.
        sees: whether the model is shown media.
        present: (benchmark, item, options) → the items that are asked in its place.
        messages: (messages of a call, options) → the messages that are sent.
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
    """A strategy with its modifiers, as a run carries it out.

    Attributes:
        name: strategy and modifiers joined by '+', in their own order.
        shows_media: whether anyone is shown the items' media.
        converse: (benchmark, item, preset) → the conversation.
        viewer: the role that is shown them.
        present: (benchmark, items) → the items that are asked, before anything else is done with them.
        check: (benchmark, items, preset); raises a UsageError where they can't serve it.
        settings: the options that matter, by name; part of the run's settings.
    """

    name: str
    shows_media: bool
    converse: Callable[[BenchmarkSpec, Item, PromptPreset], Conversation]
    viewer: str = "model"
    present: Callable[[BenchmarkSpec, Sequence[Item]], Sequence[Item]] = lambda benchmark, items: items
    check: Callable[[BenchmarkSpec, Sequence[Item], PromptPreset], None] = lambda benchmark, items, preset: None
    settings: Mapping[str, Any] = field(default_factory=dict)


_REGISTRY = Registry("protocol", __name__, "PROTOCOL", "tolman.protocols", "PROTOCOLS")
names = _REGISTRY.names
_NO_OPTIONS = ProtocolOptions()


def get(name: str, options: ProtocolOptions = _NO_OPTIONS) -> Protocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none, or its parts make no sense together.
    """
    parts = [_part(part.strip()) for part in name.split("+")]
    direct = _part("direct")
    assert isinstance(direct, Strategy)
    return compose(parts, direct, options)


def keeps_items(name: str) -> bool:
    """Check whether a protocol asks the benchmark's questions as they are."""
    return all(getattr(_part(part.strip()), "present", None) is None for part in name.split("+"))


def users_of(option: str) -> list[str]:
    """The protocols to which an option matters."""
    return [name for name in names() if option in getattr(_part(name), "uses", ())]


def describe() -> list[tuple[str, str, str]]:
    """List all of them: name, 'strategy' or 'modifier', and a one-line summary."""
    found = ((name, _part(name)) for name in names())
    return [
        (name, "modifier" if isinstance(part, Modifier) else "strategy", getattr(part, "summary", ""))
        for name, part in found
    ]


def _part(name: str) -> Strategy | Modifier | Protocol:
    found = _REGISTRY.get(name)
    if not isinstance(found, Strategy | Modifier | Protocol):
        raise UsageError(f"the object registered as protocol '{name}' is no Strategy, Modifier or Protocol.")
    return found


def compose(parts: Sequence[Strategy | Modifier | Protocol], direct: Strategy, options: ProtocolOptions) -> Protocol:
    """Compose one protocol of a strategy and any number of modifiers, in any order.

    Args:
        parts: the names; a Protocol, as other packages may register one, counts as a strategy.
        direct: the strategy where none is named.
        options: the user's.

    Raises:
        UsageError: two strategies, one thing twice, or things that make no sense together.
    """
    strategies = [_strategy(part) for part in parts if not isinstance(part, Modifier)]
    modifiers = sorted((part for part in parts if isinstance(part, Modifier)), key=lambda modifier: modifier.name)
    if len(strategies) > 1:
        raise UsageError(
            f"{strategies[0].name} and {strategies[1].name} each say which turns there are; a protocol has one of them."
        )
    names = [modifier.name for modifier in modifiers]
    if len(set(names)) < len(names):
        raise UsageError(f"a protocol has each of its parts once, not {'+'.join(names)}.")
    strategy = strategies[0] if strategies else direct
    everything: list[Strategy | Modifier] = [strategy, *modifiers]
    for one in everything:
        for other in names:
            if other in one.refuses:
                raise UsageError(f"{one.name} and {other} make no sense together: {one.refuses[other]}.")
    uses = {name for one in everything for name in one.uses}
    own_name = [] if strategy.name == direct.name and names else [strategy.name]
    return Protocol(
        name="+".join([*own_name, *names]),
        shows_media=strategy.shows_media and all(modifier.sees for modifier in modifiers),
        converse=lambda benchmark, item, preset: _converse(strategy, modifiers, benchmark, item, preset, options),
        viewer=strategy.viewer,
        present=lambda benchmark, items: _present(strategy, modifiers, benchmark, items, options),
        check=lambda benchmark, items, preset: _check(strategy, modifiers, benchmark, items, preset, options),
        settings={name: _plain(getattr(options, name)) for name in sorted(uses) if getattr(options, name) is not None},
    )


def _strategy(part: Strategy | Protocol) -> Strategy:
    if isinstance(part, Strategy):
        return part
    registered = part
    return Strategy(
        registered.name,
        lambda question: registered.converse(question.benchmark, question.item, question.preset),
        registered.shows_media,
        registered.viewer,
        check=lambda benchmark, items, preset, options: registered.check(benchmark, items, preset),
        present=lambda benchmark, items, options: registered.present(benchmark, items),
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else str(value)


def _converse(
    strategy: Strategy,
    modifiers: Sequence[Modifier],
    benchmark: BenchmarkSpec,
    item: Item,
    preset: PromptPreset,
    options: ProtocolOptions,
) -> Conversation:
    question = Question(benchmark, item, preset, options, sees=all(modifier.sees for modifier in modifiers))
    conversation = strategy.converse(question)
    if benchmark.system(item, preset, question.sees, True):
        conversation = _changed(conversation, lambda ask: _with_system(ask, question))
    for modifier in modifiers:
        if modifier.after is not None:
            conversation = modifier.after(conversation, question)
    changing = [modifier for modifier in modifiers if modifier.messages is not None]
    return _changed(conversation, lambda ask: _presented(ask, changing, options)) if changing else conversation


def _with_system(ask: Ask, question: Question) -> Ask:
    """Return a call with the released system text first; without its sentences on the answer's form where the prompt
    isn't the released one."""
    if ask.role != "model":
        return ask
    demands = ask.demands or ask.messages[0] == question.prompt
    text = question.benchmark.system(question.item, question.preset, question.sees, demands)
    return replace(ask, messages=told(ask.messages, text))


def _presented(ask: Ask, modifiers: Sequence[Modifier], options: ProtocolOptions) -> Ask:
    """A call with its messages as modifiers present them."""
    messages = ask.messages
    for modifier in modifiers:
        if modifier.messages is not None:
            messages = modifier.messages(messages, options)
    return replace(ask, messages=messages)


def _changed(conversation: Conversation, change: Callable[[Ask], Ask]) -> Conversation:
    """The same conversation with its calls changed."""
    received: Any = None
    while True:
        try:
            step: Step = conversation.send(received)
        except StopIteration as finished:
            answer: str | Answer = finished.value
            return answer
        if isinstance(step, Look):
            received = yield step
        elif isinstance(step, Ask):
            received = yield change(step)
        else:
            received = yield tuple(change(ask) for ask in step)


def _present(
    strategy: Strategy,
    modifiers: Sequence[Modifier],
    benchmark: BenchmarkSpec,
    items: Sequence[Item],
    options: ProtocolOptions,
) -> Sequence[Item]:
    found = strategy.present(benchmark, items, options) if strategy.present is not None else items
    for modifier in modifiers:
        if modifier.present is not None:
            found = [shown for item in found for shown in modifier.present(benchmark, item, options)]
    repeated = [name for name, count in Counter(field_values(found, "id")).items() if count > 1]
    if repeated:
        raise UsageError(f"two questions would be called '{repeated[0]}'; give the benchmark's questions other ids.")
    return found


def _check(
    strategy: Strategy,
    modifiers: Sequence[Modifier],
    benchmark: BenchmarkSpec,
    items: Sequence[Item],
    preset: PromptPreset,
    options: ProtocolOptions,
) -> None:
    everything: list[Strategy | Modifier] = [strategy, *modifiers]
    for one in everything:
        if one.check is not None:
            one.check(benchmark, items, preset, options)
