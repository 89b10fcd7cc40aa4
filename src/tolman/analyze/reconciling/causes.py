"""The causes for which an item's score differs between two runs."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """Why an item's scores differ.

    A set of causes stands for those that the logs can't tell apart: texts that were made under another prompt and
    from other frames differ for 'prompt or frames'.
    """

    ROWS = "rows"
    FAILURE = "failure"
    DATA = "data"
    PROMPT = "prompt"
    FRAMES = "frames"
    CUT_OFF = "cut off"
    PARSER = "parser"
    METRIC = "metric"
    UNEXPLAINED = "unexplained"

    @property
    def meaning(self) -> str:
        """What it says of an item."""
        return _MEANINGS[self]


Label = frozenset[Cause]
"""One piece of a difference: a cause, or causes that can't be told apart."""

_MEANINGS = {
    Cause.ROWS: "only one side has the item",
    Cause.FAILURE: "a call failed, and is left out or counted as wrong",
    Cause.DATA: "the question, its options or its true answer differ",
    Cause.PROMPT: "the model was asked in other words",
    Cause.FRAMES: "the model saw another number of frames",
    Cause.CUT_OFF: "the token limit ended one of the two responses",
    Cause.PARSER: "another answer is read in the text",
    Cause.METRIC: "the answer that is read gets another score",
    Cause.UNEXPLAINED: "the text differs and nothing that the logs record does, or a score isn't what its scorer gives",
}


def named(label: Label) -> str:
    """A label in words: 'prompt', 'prompt or frames'."""
    return " or ".join(str(cause) for cause in Cause if cause in label)


def in_order(label: Label) -> tuple[bool, int, tuple[int, ...]]:
    """A sorting key: single causes first, in their order; what is unexplained last."""
    order = list(Cause)
    places = tuple(sorted(order.index(cause) for cause in label))
    return Cause.UNEXPLAINED in label, len(label), places
