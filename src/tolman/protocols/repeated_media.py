"""Repeated media: the video before and after the text, and the model told so (VSI-Bench paper, Appendix D, Table 7b).

The paper's format is [Video] [Context] [Video], with a system prompt that tells of the redundancy; its words are not
published and are Tolman's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message
from tolman.protocols.base import Modifier, ProtocolOptions, told

VIDEO = "The same video is shown twice, before the question and again after it. Both showings are identical."
IMAGES = "The same images are shown twice, before the question and again after it. Both showings are identical."


def _messages(messages: tuple[Message, ...], options: ProtocolOptions) -> tuple[Message, ...]:
    media = [medium for message in messages for medium in message.media]
    if not media:
        return messages
    said = VIDEO if all(m.kind == "video" for m in media) else IMAGES
    return told([_twice(message) for message in messages], said)


def _twice(message: Message) -> Message:
    """The media before the text and after it; media inside the text stay there and are shown again after it."""
    if not message.media:
        return message
    texts = [part for part in message.parts if isinstance(part, str)]
    inside = len(texts) > 1
    shown = message.parts if inside else (*message.media, *texts)
    return message.model_copy(update={"parts": (*shown, *message.media)})


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if not any(item.media for item in items):
        raise UsageError(f"repeated-media has nothing to repeat: the questions of {benchmark.title} have no media.")


PROTOCOL = Modifier(
    "repeated-media",
    messages=_messages,
    check=_check,
    refuses={"question-first": "repeated-media shows the media on both sides of the question"},
    summary="the media before and after the text",
)
