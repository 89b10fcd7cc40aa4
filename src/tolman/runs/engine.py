"""Putting every item to a model and collecting what comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tolman.benchmarks.base import Benchmark, Preset
from tolman.items import Item
from tolman.models.base import Model, Request
from tolman.protocols.base import Protocol
from tolman.responses import Outcome


async def execute(
    benchmark: Benchmark,
    items: Sequence[Item],
    model: Model,
    protocol: Protocol,
    preset: Preset,
    *,
    repeats: int = 1,
    done: Callable[[Outcome], None],
) -> list[Outcome]:
    """Ask every item.

    Args:
        benchmark, items, model, protocol, preset: what the run is.
        repeats: how often each item is asked.
        done: called with every outcome as it comes.

    Returns:
        The outcomes in the order of items, then repeats.
    """
    outcomes: list[Outcome] = []
    for item in items:
        for repeat in range(repeats):
            conversation = protocol.converse(benchmark, item, preset)
            ask = next(conversation)
            while True:
                response = await model.answer(Request(item, ask.messages, ask.sampling or preset.sampling, repeat))
                try:
                    ask = conversation.send(response)
                except StopIteration as finished:
                    outcome = response.model_copy(update={"response": finished.value, "repeat": repeat})
                    break
            outcomes.append(outcome)
            done(outcome)
    return outcomes
