"""Parts of an option's text that no other option has, in scripts whose words have endings or no spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import is_inside

MAX_PIECES = 8
"""Pieces that tell an option from the others, at most; of longer options none is known by its pieces."""

_KANJI = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_PAIR = re.compile(r"(?=([\uac00-\ud7af]{2}|[\u30a0-\u30ff]{2}))")
"""Two syllables of Hangul or katakana, in which stems survive the endings that follow."""


def pieces_of(options: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Find the pieces that tell each option from the others.

    Args:
        options: their texts.

    Returns:
        For each option its Chinese characters and pairs of other syllables that no other option has.
    """
    bags = [frozenset(_KANJI.findall(option)) | frozenset(_PAIR.findall(option)) for option in options]
    own = []
    for i, bag in enumerate(bags):
        others = frozenset[str]().union(*(b for j, b in enumerate(bags) if j != i))
        own.append(bag - others)
    return tuple(own)


def by_pieces(text: str, segment: Segment, pieces: Sequence[frozenset[str]]) -> list[Mention]:
    """Find the one option of which a segment holds most pieces, and of the others none.

    Args:
        text: without markup.
        segment: the part of it to look at.
        pieces: of each option.

    Returns:
        At most one weak mention: "模様のある方" for "模様の椅子" beside "無地の椅子".
    """
    if not any(pieces) or any(len(own) > MAX_PIECES for own in pieces):
        return []
    part = text[segment.start : segment.end]
    other_sense = segment.having("negate", "deny", "label", "option", "answer", "tentative")
    hits: dict[int, list[int]] = {}
    for option, own in enumerate(pieces):
        for piece in own:
            at = part.rfind(piece)
            if at >= 0:
                hits.setdefault(option, []).append(segment.start + at)
    if len(hits) != 1:
        return []
    ((option, places),) = hits.items()
    mention = Mention(option, min(places), max(places) + 1, "text", weak=True)
    if 2 * len(places) < len(pieces[option]) or is_inside(mention, other_sense):
        return []
    return [mention]
