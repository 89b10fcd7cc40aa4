"""Blind: the question without its media ("vision disabled", VSI-Bench paper, Appendix C.4)."""

from __future__ import annotations

from tolman.benchmarks.base import Benchmark, Preset
from tolman.items import Item
from tolman.protocols.base import Ask, Conversation, Protocol


def converse(benchmark: Benchmark, item: Item, preset: Preset) -> Conversation:
    """One turn with the benchmark's prompt for a model that sees nothing."""
    response = yield Ask((benchmark.blind_prompt(item, preset),))
    return response.response


PROTOCOL = Protocol("blind", shows_media=False, converse=converse)
