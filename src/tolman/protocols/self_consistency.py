"""Self-consistency: several independent chains of thought, and the majority of their answers.

Source: VSI-Bench paper, Appendix B.3: 5 runs of zero-shot chain of thought with its extraction turn, temperature 0.7,
top-p 1, top-k 40.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols import cot
from tolman.protocols.base import Answer, Ask, Conversation, ProtocolOptions, Question, Strategy
from tolman.protocols.votes import NO_DIALOGUE, TIED, UNREAD, majority, value_of
from tolman.responses import Response

SAMPLING: Mapping[str, Any] = {"temperature": 0.7, "top_p": 1.0, "top_k": 40}


def converse(question: Question) -> Conversation:
    """So many chains side by side, then their extractions, then the majority."""
    messages = (cot.thinking(question),)
    long, short = question.sampling(long=True, **SAMPLING), question.sampling(**SAMPLING)
    draws = range(question.options.draws)
    thoughts: list[Response] = yield tuple(Ask(messages, long, i, "reasoning") for i in draws)
    answers = thoughts
    if cot.extracts(question):
        answers = yield tuple(
            Ask(cot.extraction(question, messages, thought), short, i, "extraction")
            for i, thought in enumerate(thoughts)
        )
    return vote(question, [answer.response for answer in answers])


def vote(question: Question, texts: Sequence[str]) -> Answer:
    """The majority of some answers; where none of them can be read, the first as it is."""
    values = [value_of(question.item, text) for text in texts]
    found = majority(values, f"{question.options.seed}:{question.item.id}")
    text = texts[0] if found.winner is None else found.winner
    return Answer(text, {TIED: int(found.tied), UNREAD: values.count(None)})


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if options.draws < 2:
        raise UsageError(
            f"a majority takes at least 2 samples, not {options.draws}; give another number with --samples-per-vote."
        )
    if options.sampling.get("temperature") == 0:
        raise UsageError("self-consistency draws different chains of thought, which --temperature 0 doesn't give.")


PROTOCOL = Strategy(
    "self-consistency",
    converse,
    uses=("draws", "reasoning_tokens"),
    check=_check,
    refuses=NO_DIALOGUE,
    summary="the majority of several chains of thought",
)
