"""Joined images: all images of a question side by side in one picture, with or without lines between points.

Visual correspondence draws lines between points that show the same place. Source: MMSI-Bench paper, section 4.3,
Appendix E.2 and Figures 8 to 11. There PATS, a learned matcher, finds the points. Here SIFT with MAGSAC++ does by
default, and learned matchers plug in (`tolman.matchers`).

Its control is `joined`, without lines (MMSI-Bench paper, section 4.3, Figure 5 and Table 10).
"""

from __future__ import annotations

from collections.abc import Sequence

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.media import matchers
from tolman.messages import Joined, Message, Part
from tolman.protocols import Modifier, ProtocolOptions


def joined(messages: tuple[Message, ...], matcher: str | None) -> tuple[Message, ...]:
    """The messages with their images as one picture, in the place of the first."""
    return tuple(_joined(message, matcher) for message in messages)


def _joined(message: Message, matcher: str | None) -> Message:
    if len(message.media) < 2:
        return message
    members = message.media
    parts: list[Part] = []
    for part in message.parts:
        if not isinstance(part, Media):
            parts.append(part)
        elif part is members[0]:
            parts.append(Joined(kind="image", path=part.path, part=part.part, members=members, matcher=matcher))
    return message.model_copy(update={"parts": tuple(parts)})


def check_images(name: str, items: Sequence[Item]) -> None:
    """That every question has several images.

    Raises:
        UsageError: it shows a video, or no image, or only one.
    """
    videos = [item for item in items if any(medium.kind == "video" for medium in item.media)]
    if videos:
        raise UsageError(
            f"{name} joins images, and {len(videos):,} of {len(items):,} questions show a video (the first is "
            f"{videos[0].id}); choose others with --tasks or --ids."
        )
    few = [item for item in items if len(item.media) < 2]
    if few:
        raise UsageError(
            f"{name} needs at least two images, and {len(few):,} of {len(items):,} questions have fewer (the first is "
            f"{few[0].id}); leave them out with --exclude."
        )
    inside = [item for item in items if item.interleaved]
    if inside:
        raise UsageError(
            f"{name} would tear images out of the text that refers to them in {len(inside):,} of {len(items):,} "
            f"questions (the first is {inside[0].id}); leave them out with --exclude."
        )


def _check_joined(
    benchmark: BenchmarkSpec, items: Sequence[Item], preset: PromptPreset, options: ProtocolOptions
) -> None:
    check_images("joined", items)


JOINED = Modifier(
    "joined",
    messages=lambda messages, options: joined(messages, None),
    check=_check_joined,
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


PROTOCOLS = {"joined": JOINED, "correspondence": CORRESPONDENCE}
