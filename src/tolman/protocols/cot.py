"""Zero-shot chain of thought: the model thinks step by step, then a second turn extracts its answer.

Source: VSI-Bench paper, Appendix B.3 (the phrase, temperature 0, and the extra turn); MMSI-Bench paper, Table 7, whose
prompt asks for steps and answer at once, so that there is no second turn. The words of the second turn are not
published and are Tolman's, followed by the benchmark's own sentence that asks for the answer alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.messages import Message
from tolman.protocols.base import Ask, Conversation, Question, Strategy, reply
from tolman.responses import Response

PHRASE = "Let's think step by step."
EXTRACT = "Now state your final answer to the question."


def thinking(question: Question) -> Message:
    """The first turn's message."""
    ask = question.benchmark.step_by_step
    if ask is not None:
        return ask(question.item, question.preset, question.sees)
    return question.open(PHRASE)


def extracts(question: Question) -> bool:
    """Tell whether a second turn extracts the answer."""
    return question.benchmark.step_by_step is None


def extraction(question: Question, messages: Sequence[Message], thought: Response) -> tuple[Message, ...]:
    """The second turn's messages."""
    return reply(messages, thought, f"{EXTRACT}\n{question.demand}")


def converse(question: Question) -> Conversation:
    """Thinking, then the answer."""
    messages = (thinking(question),)
    thought: Response = yield Ask(messages, question.sampling(long=True), purpose="reasoning")
    if not extracts(question):
        return thought.response
    answer: Response = yield Ask(extraction(question, messages, thought), purpose="extraction")
    return answer.response


PROTOCOL = Strategy(
    "cot", converse, uses=("reasoning_tokens",), summary="think step by step, then a turn that extracts the answer"
)
