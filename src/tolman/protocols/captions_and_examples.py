"""Strategies that give the model more than the question: captions of its frames, or a solved example.

- Caption, then answer: one model describes each frame, another answers from the descriptions ("Socratic"). Source:
  VSI-Bench paper, Appendix C.4 and Table 6, after OpenEQA and HourVideo. Each frame is captioned apart and without the
  question, so that the captions of a video serve all its questions. The words of the prompts are Tolman's.
- One-shot: each question behind a solved example of its type, with reasoning and key frames. Source: SpatialBench
  paper, section 5.3, and its released "deep guide" on QA_fewshot.txt. The paper has one example for each task, and
  fifteen are released. The released code takes the first of each answer format, which are two. Here it is one for each
  task, as the paper says. The examples themselves are not asked. A benchmark folder whose questions carry their
  reasoning and key frames, as generated ones do, has examples of its own. They are from scenes that are held out, so
  that no question is asked about a place that an example shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tolman.benchmarks.spec import BenchmarkSpec, OneShot, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Picture
from tolman.protocols import Ask, Conversation, Look, ProtocolOptions, Question, Strategy
from tolman.responses import Response

FRAME = (
    "This is a frame of a video. Describe in a few sentences which objects can be seen, how many of each there are, "
    "how large they are, and where they are in relation to each other and to the camera."
)
IMAGE = FRAME.replace("a frame of a video", "an image")
FRAMES_HEAD = "You can't see the video itself. These are descriptions of {count} of its frames, in their order:"
IMAGES_HEAD = "You can't see the images themselves. These are descriptions of them, in their order:"
_BARE = "the answering model is shown no media"


def converse_by_captions(question: Question) -> Conversation:
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


def _check_captions(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
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


CAPTION_THEN_ANSWER = Strategy(
    "caption-then-answer",
    converse_by_captions,
    viewer="captioner",
    uses=("captioner", "reasoning_tokens"),
    check=_check_captions,
    refuses={
        "blind": "without media there is nothing to caption",
        **dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _BARE),
    },
    summary="one model captions frames, another answers from the captions",
)


_LAID_OUT = "the released layout has the example's frames first, then its text, then the question, then its frames"


def converse_with_example(question: Question) -> Conversation:
    """One turn with the example in front."""
    how = question.benchmark.one_shot
    assert how is not None  # `check` has seen to it
    example = _examples(how, question.options)[how.task(question.item)]
    response: Response = yield Ask((how.prompt(example, question.item, question.preset),))
    return response.response


@lru_cache(maxsize=4)
def _load(how: OneShot, data: Path, seed: int) -> Mapping[str, Item]:
    return how.load(data, seed)


def _examples(how: OneShot | None, options: ProtocolOptions) -> Mapping[str, Item]:
    return _load(how, options.data, options.seed) if how is not None and options.data is not None else {}


def _others(benchmark: BenchmarkSpec, items: Sequence[Item], options: ProtocolOptions) -> list[Item]:
    """The questions that are no example, nor of a scene that is held out for one."""
    examples = _examples(benchmark.one_shot, options).values()
    used = {example.id for example in examples}
    if benchmark.one_shot is not None and benchmark.one_shot.holds_out_scenes:
        held = {example.cluster for example in examples}
        return [item for item in items if item.cluster not in held]
    return [item for item in items if item.id not in used]


def _check_examples(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    how, examples = benchmark.one_shot, _examples(benchmark.one_shot, options)
    if how is None or (how.holds_out_scenes and not examples):
        raise UsageError(
            f"one-shot needs solved examples, and {benchmark.title} has none; SpatialBench does, and so does a "
            "benchmark of 'tolman generate' with question types of two scenes or more."
        )
    if not items:
        raise UsageError("only the examples themselves are left after the selection, and they are not asked.")
    lacking = sorted({item.task for item in items if how.task(item) not in examples})
    if lacking:
        why = ", as an example is of a scene that is held out" if how.holds_out_scenes else ""
        others = ",".join(sorted({item.task for item in items} - {*lacking}))
        fix = f"leave them out with --tasks {others}" if others else "choose others with --tasks"
        raise UsageError(f"there is no solved example for the question types {', '.join(lacking)}{why}; {fix}.")


ONE_SHOT = Strategy(
    "one-shot",
    converse_with_example,
    check=_check_examples,
    present=_others,
    refuses={
        "blind": "an example of looking at frames doesn't help without frames",
        **dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _LAID_OUT),
    },
    summary="behind a solved example of the same type",
)


PROTOCOLS = {"caption-then-answer": CAPTION_THEN_ANSWER, "one-shot": ONE_SHOT}
