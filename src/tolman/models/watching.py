"""Watching what answers: a server that serves something else in the middle of a run says so in its replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

AS_ASKED = "the model under the name that is asked for"


class ServedWatch:
    """What the replies of one address say that answered; those that say nothing mean what was asked for.

    Args:
        who: the model or the address, for the sentence.
        noted: called with a sentence for each further thing that answers.

    Attributes:
        seen: how many replies named what.
    """

    def __init__(self, who: str, noted: Callable[[str], None]) -> None:
        self._who, self._noted = who, noted
        self.seen: Counter[str] = Counter()
        self._last = ""

    def saw(self, served: str | None) -> None:
        """Count a reply, and tell where something else answers than before."""
        served = served or AS_ASKED
        if self._last and served != self._last and served not in self.seen:
            self._noted(
                f"{self._who}: {served} answers now, and {self._last} did before: what is served has changed in the "
                "middle of the run."
            )
        self.seen[served] += 1
        self._last = served
