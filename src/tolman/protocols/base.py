"""Protocol: how an item is put to a model, as a pure description of turns.

A protocol's `converse` is a generator. It yields what is to be asked, is sent the response to it, and returns the
text that is to be scored. It never calls a model itself, so every turn can be stored, repeated and tested.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

from tolman.benchmarks.base import Benchmark, Preset
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.responses import Response


@dataclass(frozen=True)
class Ask:
    """One turn.

    Attributes:
        messages: the conversation up to here.
        sampling: other than the preset's, or None.
        draw: the number of this draw among equal ones, from 0.
    """

    messages: tuple[Message, ...]
    sampling: Sampling | None = None
    draw: int = 0


Conversation = Generator[Ask, Response, str]


@dataclass(frozen=True)
class Protocol:
    """A named way of asking.

    Attributes:
        name: what `--protocol` takes.
        shows_media: whether the model is shown the item's media.
        converse: (benchmark, item, preset) → the conversation.
    """

    name: str
    shows_media: bool
    converse: Callable[[Benchmark, Item, Preset], Conversation]
