"""Direct: the released prompt, and what comes back is the answer."""

from __future__ import annotations

from tolman.benchmarks.base import Benchmark, Preset
from tolman.items import Item
from tolman.protocols.base import Ask, Conversation, Protocol


def converse(benchmark: Benchmark, item: Item, preset: Preset) -> Conversation:
    """One turn with the benchmark's own prompt."""
    response = yield Ask((benchmark.prompt(item, preset),))
    return response.response


PROTOCOL = Protocol("direct", shows_media=True, converse=converse)
