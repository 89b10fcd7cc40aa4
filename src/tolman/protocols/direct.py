"""Direct: the released prompt, and what comes back is the answer."""

from __future__ import annotations

from tolman.protocols.base import Ask, Conversation, Question, Strategy
from tolman.responses import Response


def converse(question: Question) -> Conversation:
    """One turn with the benchmark's own prompt."""
    response: Response = yield Ask((question.prompt,))
    return response.response


PROTOCOL = Strategy("direct", converse, summary="the released prompt; what comes back is the answer")
