"""A call that ended without any text: a failure, unless the model was done and said nothing."""

from __future__ import annotations

from tolman.models.base import CallError
from tolman.responses import FailureKind, Response
from tolman.scoring.endings import USUAL_REASONS, ending_named

ANSWERED = frozenset({FailureKind.CUT_OFF, FailureKind.FILTERED, FailureKind.NO_TEXT})
"""Failures of calls that were answered: the endpoint works, and other questions may bring text."""


def failure_of(response: Response, max_tokens: int | None = None) -> CallError | None:
    """Why a call's response is no answer; None where it is one.

    An empty text is an answer where the model was done: it said nothing. It is none where the token limit or a filter
    came first, where the model called a tool, or where all that it said was reasoning.

    Args:
        response: of one call, as it came.
        max_tokens: the limit that was sent, to name it.
    """
    if response.response.strip():
        return None
    reason = (response.finish_reason or "").lower()
    ending = ending_named(reason)
    if ending == "cut off":
        limit = f" of {max_tokens:,}" if max_tokens else ""
        spent = "while the model was reasoning" if response.reasoning else "before its first word"
        sentence = f"the token limit{limit} ended the answer {spent}; give more with --max-tokens"
        return CallError(FailureKind.CUT_OFF, sentence, retry=False)
    if ending == "filtered":
        sentence = f"the answer was filtered out (finish reason '{response.finish_reason}')"
        return CallError(FailureKind.FILTERED, sentence, retry=False)
    if ending == "tool call":
        return CallError(FailureKind.NO_TEXT, "the model called a tool instead of answering", retry=False)
    if reason not in USUAL_REASONS:
        sentence = f"the answer ended without text (finish reason '{response.finish_reason}')"
        return CallError(FailureKind.NO_TEXT, sentence, retry=False)
    if response.reasoning:
        return CallError(FailureKind.NO_TEXT, "the model gave reasoning and no answer", retry=False)
    return None
