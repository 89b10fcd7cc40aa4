"""Putting a strategy and modifiers together: `cot+question-first` is one protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.base import (
    Answer,
    Ask,
    Conversation,
    Look,
    Modifier,
    Protocol,
    ProtocolOptions,
    Question,
    Step,
    Strategy,
    told,
)


def compose(parts: Sequence[Strategy | Modifier | Protocol], direct: Strategy, options: ProtocolOptions) -> Protocol:
    """One protocol of a strategy and any number of modifiers, in any order.

    Args:
        parts: what was named; a Protocol, as other packages may register one, counts as a strategy.
        direct: the strategy where none is named.
        options: what the user said.

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
    """A call to the model with the released system text first; without what that says of the answer's form where the
    released prompt isn't what is asked."""
    if ask.role != "model":
        return ask
    demands = ask.messages[0] == question.prompt
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
) -> list[Item]:
    found = strategy.present(benchmark, items, options) if strategy.present is not None else list(items)
    for modifier in modifiers:
        if modifier.present is not None:
            found = [shown for item in found for shown in modifier.present(benchmark, item, options)]
    repeated = [name for name, count in Counter(item.id for item in found).items() if count > 1]
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
