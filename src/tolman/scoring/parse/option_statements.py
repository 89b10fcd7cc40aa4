"""Options that a sentence states without announcing, concluding or judging them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from tolman.scoring.parse.commitments import ALONE, CONCLUDED, DECLARED, JUDGED, STATED, Commitment
from tolman.scoring.parse.mentions import Mention, are_joined, commit, commit_to_several, options_in
from tolman.scoring.parse.option_lines import LineContext
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import is_glued, is_inside, same_word, words_of

SHORT_WORDS = 6
"""Words of a sentence that may be whole without a full stop."""
MAX_REVISED_LINES = 5
"""Lines of a response whose last line doesn't outweigh an option named in the first, at most."""
MIN_SHARED_CHARS = 4
"""Letters of a word of the question that counts where a sentence repeats it, at least."""
MIN_SHARED_WORDS = 2
"""Words of the question that a sentence repeats where it says what is asked for, at least."""


def stated(context: LineContext) -> list[Commitment] | None:
    """The options that a line states without any announcement."""
    text, affirmed = context.text, context.line.affirmed
    options = options_in(affirmed)
    if not options:
        return None
    if len(options) == 1:
        return _single(context)
    outside = [m for m in affirmed if not _is_bracketed(m, text, context.segment)]
    if len(options_in(outside)) == 1:
        return [commit(outside[0], STATED, "stated")]
    joined = are_joined(affirmed, text, context.segment.language)
    marked = [m for m in affirmed if m.by == "letter" and m.marked]
    if len(options_in(marked)) == 1 and not joined:
        return [commit(marked[0], STATED, "stated")]
    return [commit_to_several(affirmed, STATED, "stated")]


def _is_bracketed(mention: Mention, text: str, segment: Segment) -> bool:
    """Whether a mention stands in brackets: an aside."""
    before = text[segment.start : mention.start]
    return before.count("(") > before.count(")")


def _single(context: LineContext) -> list[Commitment]:
    """The only option that a line names, as plainly as its place says."""
    text, segment, affirmed = context.text, context.segment, context.line.affirmed
    chosen = affirmed[0]
    supposed = bool(segment.having("suppose"))
    if chosen.label and chosen.by == "letter" and segment.line_start:
        if context.is_first:
            return [commit(chosen, ALONE, "first")]
        whole = len(segment.words) <= SHORT_WORDS or is_whole(segment, text)
        return [commit(chosen, CONCLUDED if context.is_last and whole else STATED, "labelled")]
    if context.is_last and not chosen.weak and not supposed:
        if len(context.lines) == 2 and segment.having("superlative"):
            return [commit(chosen, CONCLUDED, "superlative")]
        if (
            len(context.lines) >= 3
            and is_whole(segment, text)
            and not segment.having("negate")
            and not _opens_otherwise(context, chosen)
        ):
            return [commit(affirmed[-1], CONCLUDED, "last")]
    if chosen.weak and (chosen.by == "letter" or len(context.lines) > 3):
        return []
    if _is_paired(affirmed):
        return [commit(chosen, JUDGED, "named")]
    if _ends_in(segment, affirmed[-1], text):
        return [commit(affirmed[-1], DECLARED if context.is_last else JUDGED, "named")]
    if context.is_first and len(context.lines) > 1 and chosen.by == "text":
        lead = text[segment.start : chosen.start]
        bare = not lead.strip(" *_`\"'(") or (
            segment.language.is_only("copula", lead) and bool(segment.having("superlative"))
        )
        if bare and len(words_of(text[chosen.start : chosen.end])) > 1 and not _opens_another(context, chosen):
            return [commit(chosen, ALONE, "first")]
    return [commit(chosen, STATED, "stated")]


def _opens_otherwise(context: LineContext, chosen: Mention) -> bool:
    """Whether a short response begins with another option than it ends with."""
    first = context.lines[0]
    opening = options_in([m for m in first.affirmed if not m.weak])
    return (
        len(opening) == 1
        and chosen.option not in opening
        and not first.question
        and len(context.lines) <= MAX_REVISED_LINES
    )


def _opens_another(context: LineContext, chosen: Mention) -> bool:
    """Whether a later sentence begins with another option, as where a response goes through them."""
    return any(
        line.mentions
        and line.mentions[0].option != chosen.option
        and line.mentions[0].by == "text"
        and not line.mentions[0].negated
        and not context.text[line.segment.start : line.mentions[0].start].strip(" *_`\"'(-")
        for line in context.lines[1:]
    ) and not _shares_words(context)


def _shares_words(context: LineContext) -> bool:
    """Whether a line repeats what is asked: two of its longer words, or two neighbouring characters without spaces."""
    asked = words_of(context.question)
    pairs = {a.folded + b.folded for a, b in itertools.pairwise(asked) if is_glued(a.folded[0])}
    long = [w.folded for w in asked if len(w.folded) >= MIN_SHARED_CHARS]
    said = [w for w in context.segment.words if not is_inside(w, context.line.mentions)]
    if any(a.folded + b.folded in pairs for a, b in itertools.pairwise(said)):
        return True
    return len({a for a in long if any(same_word(w.folded, a) for w in said)}) >= MIN_SHARED_WORDS


def is_whole(segment: Segment, text: str) -> bool:
    """Whether a sentence comes to its end."""
    return (
        re.search(r"[.!。।)*\"'$\]~♪\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]\s*\Z", text[segment.start : segment.end])
        is not None
    )


def _is_paired(mentions: Sequence[Mention]) -> bool:
    """Whether a letter stands beside the text of its option: "(C) the sofa"."""
    return any(
        a.by == "letter" and a.marked and b.by == "text" and a.option == b.option and b.start - a.end <= 6
        for a, b in itertools.pairwise(mentions)
    )


def _ends_in(segment: Segment, mention: Mention, text: str) -> bool:
    """Whether a segment ends in "is A." or ": A"."""
    if mention.by != "letter" or text[mention.end : segment.end].strip(" *_`'\").!"):
        return False
    if text[segment.start : mention.start].rstrip(" *_`'\"(").endswith(":"):
        return True
    return any(
        c.end <= mention.start and not text[c.end : mention.start].strip(" *_`'\"(") for c in segment.having("copula")
    )
