"""Reading: what a rule set found in the text of a response."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What was read.

    Attributes:
        value: a letter ('A'), a number, or None where the text holds no answer.
        note: why there is no answer.
        guessed: a released parser drew this letter at random because it found none.
        assumed: a released parser takes this value wherever it finds none.
        judged: a model read it.
        failed: a model was to read it and didn't: not an answer, and not the lack of one.
        span: start and end of what was read in the response's text, in characters; None where it isn't known.
        rule: the name of the rule that made this reading.
        cut_off: there is no answer because the text ends before it.
    """

    value: str | float | Fraction | None
    note: str = ""
    guessed: bool = False
    assumed: bool = False
    judged: bool = False
    failed: bool = False
    span: tuple[int, int] | None = None
    rule: str = ""
    cut_off: bool = False

    @property
    def state(self) -> Literal["read", "none", "cut off"]:
        """Whether an answer was read, the text commits to none, or it ends before one."""
        if self.value is not None:
            return "read"
        return "cut off" if self.cut_off else "none"

    @property
    def text(self) -> str:
        """The value as a report shows it; empty where there is none."""
        if self.value is None:
            return ""
        if isinstance(self.value, str):
            return self.value
        return f"{float(self.value):.6g}"


def nothing(note: str, *, cut_off: bool = False) -> ParsedAnswer:
    """No answer, and why."""
    return ParsedAnswer(None, note, cut_off=cut_off)
