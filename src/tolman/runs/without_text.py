"""A call that ended without any text: a failure, unless the model was done and said nothing."""

from __future__ import annotations

from tolman.models.base import CallError
from tolman.responses import FailureKind, Response
from tolman.scoring.endings import USUAL_REASONS, ending_named

ANSWERED = frozenset({FailureKind.CUT_OFF, FailureKind.FILTERED, FailureKind.NO_TEXT})
"""Failures of calls that were answered: the endpoint works, and other questions may bring text."""


class NoAnswerError(CallError):
    """A call that was answered without an answer.

    Args:
        kind, message: as in `CallError`.
        response: what came.
    """

    def __init__(self, kind: FailureKind, message: str, response: Response) -> None:
        super().__init__(kind, message, retry=False)
        self.response = response


def failure_of(response: Response, max_tokens: int | None = None) -> NoAnswerError | None:
    """Why a call's response is no answer; None where it is one.

    An empty text is an answer where the model was done: it said nothing. It is none where the token limit or a filter
    came first, where the model refused or called a tool, or where all that it said was reasoning.

    Args:
        response: of one call, as it came.
        max_tokens: the limit that was sent, to name it.
    """
    if response.response.strip():
        return None
    reason = (response.finish_reason or "").lower()
    kind = FailureKind.NO_TEXT
    match ending_named(reason):
        case "cut off":
            limit = f" of {max_tokens:,}" if max_tokens else ""
            reasoned = response.reasoning or response.usage.reasoning_tokens
            spent = "while the model was reasoning" if reasoned else "before its first word"
            advice = "give more with --reasoning-budget" if reasoned else "give more with --max-tokens"
            kind, sentence = FailureKind.CUT_OFF, f"the token limit{limit} ended the answer {spent}; {advice}"
        case "filtered":
            kind = FailureKind.FILTERED
            sentence = f"the answer was filtered out (finish reason '{response.finish_reason}')"
        case "refused":
            kind = FailureKind.FILTERED
            sentence = f"the model refused to answer (finish reason '{response.finish_reason}')"
        case "tool call":
            sentence = "the model called a tool instead of answering"
        case _ if reason not in USUAL_REASONS:
            sentence = f"the answer ended without text (finish reason '{response.finish_reason}')"
        case _ if response.reasoning:
            sentence = "the model gave reasoning and no answer"
        case _:
            return None
    return NoAnswerError(kind, sentence, response)
