"""How a response ended: by itself, or by something that stopped the model.

Endpoints report it as the finish reason of a call. The names are those of OpenAI-compatible endpoints, Anthropic and
Gemini, in lower case.
"""

from __future__ import annotations

from typing import Literal

from tolman.responses import Response

Ending = Literal["cut off", "filtered", "refused", "repetition", "tool call"]

EARLIER = "cut off earlier"
"""What is said of a response whose own text is whole and rests on a turn that was cut off."""

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

TOOL_REASONS = frozenset(
    {
        "tool_calls",
        "function_call",
        "tool_use",
        "malformed_function_call",
        "unexpected_tool_call",
        "too_many_tool_calls",
        "pause_turn",
    }
)
"""The model called a tool."""

USUAL_REASONS = frozenset({"", "stop", "stop_sequence", "end_turn", "eos", "eos_token", "finish_reason_unspecified"})
"""The model was done."""


def final_reason(response: Response) -> str:
    """The finish reason of the call whose text is scored, in lower case; empty where none is known."""
    reasons = [turn.finish_reason for turn in response.turns if turn.response == response.response]
    return ((reasons[-1] if reasons else response.finish_reason) or "").lower()


def ending_of(response: Response) -> Ending | None:
    """What stopped the model before it was done with the text that is scored; None where nothing did."""
    return ending_named(final_reason(response))


def rests_on_cut_off_turn(response: Response) -> bool:
    """Whether an earlier turn of the conversation, such as its reasoning, was ended by the token limit."""
    return any((turn.finish_reason or "").lower() in TOKEN_LIMIT_REASONS for turn in response.turns)


def ending_named(reason: str) -> Ending | None:
    """What a finish reason in lower case stands for; None where the model was done, or for a reason unknown here."""
    return next((ending for ending, reasons in _REASONS.items() if reason in reasons), None)


_REASONS: dict[Ending, frozenset[str]] = {
    "cut off": TOKEN_LIMIT_REASONS,
    "filtered": FILTER_REASONS,
    "refused": REFUSAL_REASONS,
    "repetition": REPETITION_REASONS,
    "tool call": TOOL_REASONS,
}
