"""States of scored responses (read, none, or cut off), and how a response ended.

'none' is a response that commits to no answer (a refusal, two answers, a range) or that a rule set can't read. So is a
letter that a released parser drew at random, or takes wherever it finds none. 'cut off' is a response that ends before
its answer: the endpoint reports the token limit as the reason for its end, or the text is nothing but an unfinished
reasoning trace.

A response ends by itself, or by something that stopped the model. Endpoints report it as the finish reason of a call.
The names are those of OpenAI-compatible endpoints, Anthropic and Gemini, in lower case.
"""

from __future__ import annotations

from typing import Literal

from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import kind_of

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
    """Check whether the text that is scored ends before the model was done."""
    if ending_of(response) == "cut off":
        return True
    from tolman.scoring.parse.plain_text import behind_reasoning

    begin, end, unfinished = behind_reasoning(response.response)
    return unfinished and not response.response[begin:end].strip()


def chance(item: Item) -> float:
    """Return the expected score of an answer drawn at random: 1 / number of options; 0 for a number, which has no
    chance level of its own; for another kind the kind's level."""
    return kind_of(item).chance(item)


Ending = Literal["cut off", "filtered", "refused", "repetition", "tool call"]

EARLIER = "cut off earlier"
"""What is said of a response whose own text is whole and rests on a turn that was cut off."""

UNFINISHED = "unfinished"
"""What is said of a response that ends within its reasoning, though no token limit is reported as the reason."""

TOKEN_LIMIT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
"""The token limit ended the text."""

FILTER_REASONS = frozenset(
    {
        "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety",
        "image_prohibited_content", "image_recitation", "model_armor", "language",
    }
)  # fmt: skip
"""A filter of the endpoint ended the text."""

REFUSAL_REASONS = frozenset({"refusal"})
"""The model refused to answer, or to go on."""

REPETITION_REASONS = frozenset({"repetition"})
"""The endpoint ended a text that repeated itself (vLLM)."""

TOOL_REASONS = frozenset((
    "tool_calls", "function_call", "tool_use", "malformed_function_call", "unexpected_tool_call", "too_many_tool_calls",
    "pause_turn",
))  # fmt: skip
"""The model called a tool."""

USUAL_REASONS = frozenset({"", "stop", "stop_sequence", "end_turn", "eos", "eos_token", "finish_reason_unspecified"})
"""The model was done."""


def final_reason(response: Response) -> str:
    """The finish reason of the call whose text is scored, in lower case; empty where none is known."""
    reasons = [turn.finish_reason for turn in response.turns if turn.response == response.response]
    return ((reasons[-1] if reasons else response.finish_reason) or "").lower()


def ending_of(response: Response) -> Ending | None:
    """Return the reason that the model stopped before it was done with the scored text; None where there is none."""
    return ending_named(final_reason(response))


def rests_on_cut_off_turn(response: Response) -> bool:
    """Check whether an earlier turn of the conversation, such as its reasoning, was ended by the token limit."""
    return any((turn.finish_reason or "").lower() in TOKEN_LIMIT_REASONS for turn in response.turns)


def ending_named(reason: str) -> Ending | None:
    """Return the ending for a finish reason in lower case; None where the model was done, or for an unknown reason."""
    return next((ending for ending, reasons in _REASONS.items() if reason in reasons), None)


_REASONS: dict[Ending, frozenset[str]] = {
    "cut off": TOKEN_LIMIT_REASONS,
    "filtered": FILTER_REASONS,
    "refused": REFUSAL_REASONS,
    "repetition": REPETITION_REASONS,
    "tool call": TOOL_REASONS,
}
