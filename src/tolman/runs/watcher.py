"""Watcher and Tells: who is told of a run's pauses, and who tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Watcher:
    """Who is told of a run's pauses, and who knows that it can't go on.

    Attributes:
        noted: called with a sentence.
        gone: why no answer can come any more, such as the end of a server that was started here; None where it may.
    """

    noted: Callable[[str], None] = lambda sentence: None
    gone: Callable[[], str | None] = lambda: None


@runtime_checkable
class Tells(Protocol):
    """A model that tells by itself what happens at its addresses.

    Attributes:
        noted: called with a sentence.
        counts: address → what happened there, by name.
    """

    noted: Callable[[str], None]

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """What happened at each address."""
        ...
