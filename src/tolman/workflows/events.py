"""What a use case tells while it goes on: its caller shows it, logs it, or passes `silent`.

A use case begins one step after the other; a step that begins ends the one before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Began:
    """A step begins; the one before it is over.

    Attributes:
        what: is done, such as 'reading scenes'.
        total: how many parts it has; None where that isn't known.
    """

    what: str
    total: int | None = None


@dataclass(frozen=True)
class Advanced:
    """Parts of the step are done.

    Attributes:
        count: of parts.
        state: what stands beside a bar from now on, such as tokens and cost; None: what stood there.
    """

    count: int = 1
    state: str | None = None


@dataclass(frozen=True)
class Ended:
    """The step is over, and no other begins yet."""


@dataclass(frozen=True)
class Noted:
    """A sentence about what was met on the way.

    Attributes:
        text: the sentence.
        level: 'warning' where the result isn't all that was asked for.
    """

    text: str
    level: Literal["info", "warning"] = "info"


Event = Began | Advanced | Ended | Noted
Events = Callable[[Event], None]
"""Called with each event, from the thread that does the work."""


def silent(event: Event) -> None:
    """Tell nobody."""


def told(events: Events) -> Callable[[str, int], None]:
    """Events out of calls with what is begun and how many parts it has, and with '' and a count after some parts."""

    def tell(what: str, count: int) -> None:
        events(Began(what, count) if what else Advanced(count))

    return tell
