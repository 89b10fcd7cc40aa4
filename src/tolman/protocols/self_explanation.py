"""Self-explanation: after the answer the model is asked for the steps behind it.

Source: VSI-Bench paper, Appendix B.2. The explanation is kept with the response, in the turn 'explanation'; the answer
that came before it is what is scored.
"""

from __future__ import annotations

from typing import Any

from tolman.protocols.base import Answer, Ask, Conversation, Modifier, Question, Step, reply
from tolman.responses import Response

EXPLAIN = "Please explain your answer step by step."


def explained(conversation: Conversation, question: Question) -> Conversation:
    """The conversation, and one more turn in its last dialogue."""
    last: tuple[Ask, Response] | None = None
    received: Any = None
    while True:
        try:
            step: Step = conversation.send(received)
        except StopIteration as finished:
            if last is not None:
                ask, response = last
                messages = reply(ask.messages, response, EXPLAIN)
                yield Ask(messages, question.sampling(long=True), purpose="explanation", role=ask.role)
            answer: str | Answer = finished.value
            return answer
        received = yield step
        last = (step, received) if isinstance(step, Ask) else None


PROTOCOL = Modifier(
    "self-explanation", after=explained, uses=("reasoning_tokens",), summary="after the answer, the steps behind it"
)
