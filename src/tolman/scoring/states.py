"""The state of a scored response: read, none, or cut off.

'none' is a response that commits to no answer (a refusal, two answers, a range) or that a rule set can't read, and a
letter that a released parser drew at random, or takes wherever it finds none. 'cut off' is one that ends before its
answer: the endpoint reports the token limit as the reason for its end, or the text is nothing but an unfinished
reasoning trace.
"""

from __future__ import annotations

from typing import Literal

from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.endings import ending_of
from tolman.scoring.item_kind import kind_of
from tolman.scoring.reading import ParsedAnswer

ResponseState = Literal["read", "none", "cut off"]


def state_of(response: Response, reading: ParsedAnswer) -> ResponseState:
    """The state of a response under a rule set.

    Args:
        response: as it came.
        reading: the rule set's of it.
    """
    if reading.value is not None and not (reading.guessed or reading.assumed):
        return "read"
    return "cut off" if reading.cut_off or was_cut_off(response) else "none"


def was_cut_off(response: Response) -> bool:
    """Whether the text that is scored ends before the model was done."""
    if ending_of(response) == "cut off":
        return True
    from tolman.scoring.parse.reasoning import behind_reasoning

    begin, end, unfinished = behind_reasoning(response.response)
    return unfinished and not response.response[begin:end].strip()


def chance(item: Item) -> float:
    """The expected score of an answer drawn at random: 1 / number of options; 0 for a number, which has no chance
    level of its own; of another kind what that says."""
    return kind_of(item).chance(item)
