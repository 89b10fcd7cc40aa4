"""Caption, then answer: one model describes each frame, another answers from the descriptions ("Socratic").

Source: VSI-Bench paper, Appendix C.4 and Table 6, after OpenEQA and HourVideo. Each frame is captioned apart and
without the question, so that the captions of a video serve all its questions. The words of the prompts are Tolman's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Picture
from tolman.protocols.base import Ask, Conversation, Look, ProtocolOptions, Question, Strategy
from tolman.responses import Response

FRAME = (
    "This is a frame of a video. Describe in a few sentences which objects can be seen, how many of each there are, "
    "how large they are, and where they are in relation to each other and to the camera."
)
IMAGE = FRAME.replace("a frame of a video", "an image")
FRAMES_HEAD = "You can't see the video itself. These are descriptions of {count} of its frames, in their order:"
IMAGES_HEAD = "You can't see the images themselves. These are descriptions of them, in their order:"
_BARE = "the answering model is shown no media"


def converse(question: Question) -> Conversation:
    """A caption of each picture, side by side, then the answer."""
    media = question.item.media
    pictures: tuple[Picture, ...] = yield Look(media)
    video = any(medium.kind == "video" for medium in media)
    long = question.sampling(long=True)
    captions: list[Response] = yield tuple(
        Ask((Message(parts=(picture, FRAME if video else IMAGE)),), long, purpose=f"caption {i}", role="captioner")
        for i, picture in enumerate(pictures, start=1)
    )
    head = FRAMES_HEAD.format(count=len(pictures)) if video else IMAGES_HEAD
    listed = (
        f"{_label(i, picture)}: {' '.join(caption.response.split())}"
        for i, (picture, caption) in enumerate(zip(pictures, captions, strict=True), start=1)
    )
    text = question.benchmark.blind_prompt(question.item, question.preset).text
    answer: Response = yield Ask((Message(parts=("\n".join([head, *listed, "", text]),)),))
    return answer.response


def _label(number: int, picture: Picture) -> str:
    return f"Image {number}" if picture.seconds is None else f"Frame {number} ({picture.seconds:.1f} s)"


def _check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
    if options.captioner is None:
        raise UsageError("caption-then-answer needs a model that captions; name it with --captioner MODEL.")
    if preset.frames.whole and any(medium.kind == "video" for item in items for medium in item.media):
        raise UsageError(
            f"captions are of frames, and the preset '{preset.name}' shows whole videos; give a number with --frames."
        )
    bare = [item for item in items if not item.media]
    if bare:
        raise UsageError(
            f"there is nothing to caption for {len(bare):,} of {len(items):,} questions, which have no media (the "
            f"first is {bare[0].id})."
        )


PROTOCOL = Strategy(
    "caption-then-answer",
    converse,
    viewer="captioner",
    uses=("captioner", "reasoning_tokens"),
    check=_check,
    refuses={
        "blind": "without media there is nothing to caption",
        **dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _BARE),
    },
    summary="one model captions frames, another answers from the captions",
)
