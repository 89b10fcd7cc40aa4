"""Responses that go through the options one by one: what they say on the way is not yet their answer."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.scoring.parse.commitments import DECLARED, Commitment
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.verdicts import heads_line

MIN_OPTIONS = 3
"""Options that head a line of their own in a response that goes through them, at least."""
_VERDICTS = frozenset({"judged", "eliminated", "order", "route", "left over", "first", "alone"})
"""Rules that hold within an enumeration too."""


def behind_enumeration(commitments: Sequence[Commitment], lines: Sequence[OptionLine], text: str) -> list[Commitment]:
    """Leave out what a response says of single options while it goes through them.

    Args:
        commitments: of the response.
        lines: of the response.
        text: without markup.

    Returns:
        All commitments, if fewer than three options head a line of their own. Otherwise those that stand behind the
        last such line or in the last line of all, verdicts on the options, and letters that are declared.
    """
    heading = [line for line in lines if line.mentions and _is_heading(line, text)]
    if len({line.mentions[0].option for line in heading}) < MIN_OPTIONS:
        return list(commitments)
    end = min(lines[-1].segment.start, heading[-1].segment.end)
    letters = {m.start for line in lines for m in line.mentions if m.by == "letter"}
    return [
        c
        for c in commitments
        if c.start >= end or c.rule in _VERDICTS or (c.strength >= DECLARED and c.start in letters)
    ]


def _is_heading(line: OptionLine, text: str) -> bool:
    head = line.mentions[0]
    return head.label or heads_line(line, head, text)
