"""Strategies that show the model something else: captions of its frames, a solved example, or some frames only.

- Caption, then answer: one model describes each frame, another answers from the descriptions ("Socratic"). Source:
  VSI-Bench paper, Appendix C.4 and Table 6, after OpenEQA and HourVideo. Each frame is captioned apart and without the
  question, so that the captions of a video serve all its questions. The words of the prompts are Tolman's.
- One-shot: each question behind a solved example of its type, with reasoning and key frames. Source: SpatialBench
  paper, section 5.3, and its released "deep guide" on QA_fewshot.txt. The paper has one example for each task, and
  fifteen are released. The released code takes the first of each answer format, which are two. Here it is one for each
  task, as the paper says. The examples themselves are not asked. A benchmark folder whose questions carry their
  reasoning and key frames, as generated ones do, has examples of its own. They are from scenes that are held out, so
  that no question is asked about a place that an example shows.
- Grounded: the question with all frames, with those that carry its answer alone, and with others in their place. "Can't
  tell" is offered each time. The counterfactual twin is another item of the run. `tolman.analyze.grounding` compares
  the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tolman.benchmarks.spec import BenchmarkSpec, OneShot, PromptPreset
from tolman.errors import UsageError, counted
from tolman.guessing.folds import TWINS
from tolman.items import CANT_TELL, LETTERS, Item, Media
from tolman.media.needed_frames import needed_frames
from tolman.media.sampling import Frames
from tolman.messages import KeyFrames, Message, Picture
from tolman.protocols import Ask, Conversation, Look, ProtocolOptions, Question, Strategy, with_lines
from tolman.responses import Response
from tolman.scoring.item_kind import kind_of

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
            f"there is nothing to caption for {len(bare):,} of {counted(len(items), 'question')}, without media (the "
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
    """The questions that are no example, nor of a scene that is held out for one, nor an example's twins."""
    examples = _examples(benchmark.one_shot, options).values()
    used = {example.id for example in examples}
    if benchmark.one_shot is not None and benchmark.one_shot.holds_out_scenes:
        held = {example.cluster for example in examples}
        rings = {example.evidence.get(TWINS) for example in examples} - {None}
        return [item for item in items if item.cluster not in held and item.evidence.get(TWINS) not in rings]
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


EVIDENCE, WITHOUT = "evidence alone", "without evidence"
"""Purposes of the calls that show the frames that carry the answer, and others in their place."""


def with_way_out(item: Item) -> Item:
    """Return a question with "can't tell" as its last option; one without lettered options as it is."""
    if not kind_of(item).has_letters or len(item.options) == len(LETTERS):
        return item
    return item.model_copy(update={"options": (*item.options, CANT_TELL)})


def twins_of(items: Sequence[Item]) -> dict[str, Item]:
    """Find the counterfactual twin of each item: the same question about another scene, with another answer.

    Of several, the one half a ring on in the order of the answers, so that numbers differ most.

    Returns:
        Item's id → its twin; items without one are left out.
    """
    rings: dict[tuple[object, ...], list[Item]] = {}
    for item in items:
        name = item.labels.get(TWINS) or item.evidence.get(TWINS)
        if name:
            rings.setdefault((str(name), item.kind, item.question, item.options), []).append(item)
    found: dict[str, Item] = {}
    for ring in rings.values():
        ring.sort(key=lambda item: (item.float_answer if item.kind == "number" else 0.0, item.answer, item.id))
        for place, item in enumerate(ring):
            first = (place + len(ring) // 2) % len(ring)
            twin = next((other for other in ring[first:] + ring[:first] if other.answer != item.answer), None)
            if twin is not None:
                found[item.id] = twin
    return found


def converse_grounded(question: Question) -> Conversation:
    """The question with all frames, with those that carry the answer, and without these, side by side."""
    asks = [_offering(question)]
    found = _evidence(question.item, question.preset.frames)
    if found is not None:
        carrying, others = found
        asks += [_offering(question, carrying, EVIDENCE), _offering(question, others, WITHOUT)]
    responses: list[Response] = yield tuple(asks)
    return responses[0].response


def _evidence(item: Item, frames: Frames) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The frames that carry an item's answer and others in their place; None where these can't be separated."""
    needed = needed_frames(item) if len(item.media) == 1 and item.media[0].start is item.media[0].end is None else None
    found = needed.split(frames) if needed is not None else None
    return found if found is not None and all(found) else None


def _offering(question: Question, numbers: tuple[int, ...] = (), purpose: str = "answer") -> Ask:
    """The released prompt, perhaps with some frames of the video, and the way out."""
    item, prompt = question.item, question.prompt
    if numbers:
        path, quality = item.media[0].path, question.preset.frames.quality
        shown = KeyFrames(kind="video", path=path, numbers=numbers, quality=quality, as_sampled=True)
        parts = tuple(shown if isinstance(part, Media) else part for part in prompt.parts)
        prompt = prompt.model_copy(update={"parts": parts})
    offered = CANT_TELL in item.options
    how = f"answer {item.letters[-1]} ({CANT_TELL})" if offered else f'answer "{CANT_TELL}" instead'
    message = with_lines(prompt, f"If what is shown isn't enough to answer the question, {how}.")
    return Ask((message,), purpose=purpose, demands=True)


def _check_grounded(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    if preset.frames.whole and any(medium.kind == "video" for item in items for medium in item.media):
        raise UsageError(
            f"grounded shows some frames of a video, and the preset '{preset.name}' shows whole videos; give a number "
            "with --frames."
        )
    if not twins_of(items) and all(_evidence(item, preset.frames) is None for item in items):
        raise UsageError(
            f"grounded has nothing to compare: of {counted(len(items), 'question')} none has a twin, or evidence in "
            f"{preset.frames.describe()} and a part of its video without any; show more frames, or ask questions of "
            "'tolman generate'."
        )


GROUNDED = Strategy(
    "grounded",
    converse_grounded,
    check=_check_grounded,
    present=lambda benchmark, items, options: [with_way_out(item) for item in items],
    refuses={
        "blind": "it compares answers to different frames",
        "self-explanation": "it has several dialogues, none of which could go on",
        **dict.fromkeys(("shuffle", "circular"), f"the option '{CANT_TELL}' is always the last"),
    },
    summary="with all frames, with the evidence alone, and without it",
)


PROTOCOLS = {"caption-then-answer": CAPTION_THEN_ANSWER, "one-shot": ONE_SHOT, "grounded": GROUNDED}
