"""Watching what answers: a server that serves something else in the middle of a run says so in its replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class ServedWatch:
    """What the replies of one address say that answered.

    Args:
        who: the model or the address, for the sentence.
        noted: called with a sentence for each further thing that answers.

    Attributes:
        seen: how many replies named what.
    """

    def __init__(self, who: str, noted: Callable[[str], None]) -> None:
        self._who, self._noted = who, noted
        self.seen: Counter[str] = Counter()
        self._last: str | None = None

    def saw(self, served: str | None) -> None:
        """Count a reply, and tell where something else answers than before."""
        if served is None:
            return
        if self._last is not None and served != self._last and served not in self.seen:
            self._noted(
                f"{self._who}: {served} answers now, and {self._last} did before: what is served has changed in the "
                "middle of the run."
            )
        self.seen[served] += 1
        self._last = served
