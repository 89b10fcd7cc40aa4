"""Presentation of an item: without media, question first, media twice, options in other orders, images joined.

- Blind: the question without its media ("vision disabled", VSI-Bench paper, Appendix C.4).
- Question first: the text, then the media (VSI-Bench paper, Appendix D, Table 7a).
- Repeated media: the video before and after the text, and a notice of that to the model (VSI-Bench paper, Appendix D,
  Table 7b). The paper's format is [Video] [Context] [Video], with a system prompt about the redundancy. Its words are
  not published and are Tolman's.
- Circular: each question with its options in all rotations, right only if every answer is. Source: MMSI-Bench's
  circular data set (orders ABCD, BCDA, CDAB, DABC); CircularEval of MMBench (Liu et al., 2023).
- Option shuffle: the options in an order drawn for each item; the right letter moves with its option.
- Joined images: all images side by side in one picture. Visual correspondence also draws lines between points that show
  the same place. Source: MMSI-Bench paper, section 4.3, Figures 5 and 8 to 11, Table 10 and Appendix E.2. There PATS, a
  learned matcher, finds the points. Here SIFT with MAGSAC++ does by default, and learned matchers plug in
  (`tolman.matchers`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError, counted
from tolman.items import Item, Media
from tolman.media import matchers
from tolman.messages import Joined, Message
from tolman.protocols import Check, Modifier, ProtocolOptions, told
from tolman.scoring.item_kind import kind_of

_NO_MEDIA = "blind shows no media that could be shown otherwise"

BLIND = Modifier(
    "blind",
    sees=False,
    refuses=dict.fromkeys(("question-first", "repeated-media", "correspondence", "joined"), _NO_MEDIA),
    summary="without the media",
)


def question_first(message: Message) -> Message:
    """Move all media behind all texts; unchanged where the media are inside the text, which refers to their places."""
    parts = message.parts
    texts = [i for i, part in enumerate(parts) if not isinstance(part, Media)]
    shown = [i for i, part in enumerate(parts) if isinstance(part, Media)]
    if not texts or any(texts[0] < i < texts[-1] for i in shown):
        return message
    return message.model_copy(update={"parts": tuple(parts[i] for i in (*texts, *shown))})


def _check_question_first(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    prompts = (benchmark.prompt(item, preset) for item in items)
    if all(question_first(prompt) == prompt for prompt in prompts):
        raise UsageError(
            f"question-first changes nothing: {benchmark.title}'s prompt shows no media before its text already."
        )


QUESTION_FIRST = Modifier(
    "question-first",
    messages=lambda messages, options: tuple(map(question_first, messages)),
    check=_check_question_first,
    summary="the text before the media",
)


VIDEO = "The same video is shown twice, before the question and again after it. Both showings are identical."
IMAGES = "The same images are shown twice, before the question and again after it. Both showings are identical."


def _repeated_messages(messages: tuple[Message, ...], options: ProtocolOptions) -> tuple[Message, ...]:
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


def _check_repeated_media(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    if not any(item.media for item in items):
        raise UsageError(f"repeated-media has nothing to repeat: the questions of {benchmark.title} have no media.")


REPEATED_MEDIA = Modifier(
    "repeated-media",
    messages=_repeated_messages,
    check=_check_repeated_media,
    refuses={"question-first": "repeated-media shows the media on both sides of the question"},
    summary="the media before and after the text",
)


def rotations(benchmark: BenchmarkSpec, item: Item) -> list[Item]:
    """Return the item with its options rotated by 0, 1, 2 … places, one group that counts as one question.

    The first keeps the item's id, so that runs can be compared item by item; the others are 'ID@1', 'ID@2' … Numerical
    questions are asked once. A question with indistinguishable options is left out, as in the released code.
    """
    if not kind_of(item).has_letters:
        return [item]
    places = range(len(item.options))
    turned = [benchmark.reorder(item, [*places[turn:], *places[:turn]]) for turn in places]
    return [
        one.model_copy(update={"id": f"{item.id}@{turn}" if turn else item.id, "all_of": item.all_of or item.id})
        for turn, one in enumerate(turned)
        if one is not None
    ]


def _check_options(what: str) -> Check:
    """The check of a modifier that needs a question with options, whatever it does with them."""

    def check(benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions) -> None:
        if not any(kind_of(item).has_letters for item in items):
            raise UsageError(f"{what}: none of these questions has options.")

    return check


CIRCULAR = Modifier(
    "circular",
    present=lambda benchmark, item, options: rotations(benchmark, item),
    check=_check_options("circular has nothing to rotate"),
    summary="the options in all rotations; right only if all answers are",
)


def shuffle(benchmark: BenchmarkSpec, item: Item, seed: int) -> Item:
    """Return the item with its options in an order that only the seed and the item's id decide.

    Numerical questions, and questions with indistinguishable options, stay as they are.
    """
    if not kind_of(item).has_letters:
        return item
    order = list(range(len(item.options)))
    random.Random(f"{seed}:{item.id}:options").shuffle(order)
    return benchmark.reorder(item, order) or item


SHUFFLE = Modifier(
    "shuffle",
    present=lambda benchmark, item, options: [shuffle(benchmark, item, options.seed)],
    check=_check_options("shuffle has nothing to shuffle"),
    refuses={"circular": "circular asks with the options in every rotation already"},
    summary="the options in an order drawn by the seed",
)


def joined(messages: tuple[Message, ...], matcher: str | None) -> tuple[Message, ...]:
    """The messages with their images as one picture, in the place of the first."""
    return tuple(_joined(message, matcher) for message in messages)


def _joined(message: Message, matcher: str | None) -> Message:
    if len(message.media) < 2:
        return message
    members = message.media
    first = members[0]
    whole = Joined(kind="image", path=first.path, part=first.part, members=members, matcher=matcher)
    parts = (whole if part is first else part for part in message.parts if part is first or not isinstance(part, Media))
    return message.model_copy(update={"parts": tuple(parts)})


def check_images(name: str, items: Sequence[Item]) -> None:
    """That every question has several images.

    Raises:
        UsageError: it shows a video, or no image, or only one.
    """
    videos = [item for item in items if any(medium.kind == "video" for medium in item.media)]
    if videos:
        raise UsageError(
            f"{name} joins images, and a video is in {len(videos):,} of {counted(len(items), 'question')} (the first "
            f"is {videos[0].id}); choose others with --tasks or --ids."
        )
    few = [item for item in items if len(item.media) < 2]
    if few:
        raise UsageError(
            f"{name} needs at least two images; fewer are in {len(few):,} of {counted(len(items), 'question')} (the "
            f"first is {few[0].id}); leave them out with --exclude."
        )
    inside = [item for item in items if item.interleaved]
    if inside:
        raise UsageError(
            f"{name} would tear images out of the text that refers to them in {len(inside):,} of "
            f"{counted(len(items), 'question')} (the first is {inside[0].id}); leave them out with --exclude."
        )


JOINED = Modifier(
    "joined",
    messages=lambda messages, options: joined(messages, None),
    check=lambda benchmark, items, preset, options: check_images("joined", items),
    refuses={"correspondence": "correspondence joins the images already, with lines"},
    summary="all images side by side in one picture",
)


def _check_correspondence(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    matchers.get(options.matcher)
    check_images("correspondence", items)


CORRESPONDENCE = Modifier(
    "correspondence",
    messages=lambda messages, options: joined(messages, options.matcher),
    uses=("matcher",),
    check=_check_correspondence,
    summary="images side by side, lines between matching points",
)


PROTOCOLS = {
    "blind": BLIND,
    "question-first": QUESTION_FIRST,
    "repeated-media": REPEATED_MEDIA,
    "circular": CIRCULAR,
    "shuffle": SHUFFLE,
    "joined": JOINED,
    "correspondence": CORRESPONDENCE,
}
