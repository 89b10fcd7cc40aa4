"""Reading: what a rule set found in the text of a response."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

    Attributes:
        value: a letter ('A'), a number, or None where the text holds no answer.
        note: why there is no answer.
        guessed: a released parser drew this letter at random because it found none.
        judged: a model read it.
        failed: a model was to read it and didn't: not an answer, and not the lack of one.
    """

    value: str | float | Fraction | None
    note: str = ""
    guessed: bool = False
    judged: bool = False
    failed: bool = False

    @property
    def text(self) -> str:
        """The value as a report shows it; empty where there is none."""
        if self.value is None:
            return ""
        if isinstance(self.value, str):
            return self.value
        return f"{float(self.value):.6g}"


def nothing(note: str) -> Reading:
    """No answer, and why."""
    return Reading(None, note)
