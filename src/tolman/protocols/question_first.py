"""Question first: the text, then the media (VSI-Bench paper, Appendix D, Table 7a)."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.messages import Message
from tolman.protocols.base import Modifier, ProtocolOptions


def first(message: Message) -> Message:
    """All texts, then all media; unchanged where the media stand inside the text, which refers to their places."""
    parts = message.parts
    texts = [i for i, part in enumerate(parts) if not isinstance(part, Media)]
    shown = [i for i, part in enumerate(parts) if isinstance(part, Media)]
    if not texts or any(texts[0] < i < texts[-1] for i in shown):
        return message
    return message.model_copy(update={"parts": tuple(parts[i] for i in (*texts, *shown))})


def _messages(messages: tuple[Message, ...], options: ProtocolOptions) -> tuple[Message, ...]:
    return tuple(first(message) for message in messages)


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    prompts = (benchmark.prompt(item, preset) for item in items)
    if all(first(prompt) == prompt for prompt in prompts):
        raise UsageError(
            f"question-first changes nothing: {benchmark.title}'s prompt shows no media before its text already."
        )


PROTOCOL = Modifier("question-first", messages=_messages, check=_check, summary="the text before the media")
