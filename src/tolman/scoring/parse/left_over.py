"""The option that a response is left with when it has gone through them, though its last sentence doesn't name it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tolman.items import LETTERS
from tolman.scoring.parse.commitments import CONCLUDED, Commitment
from tolman.scoring.parse.lexicon import Cue
from tolman.scoring.parse.mentions import options_in
from tolman.scoring.parse.option_lines import OptionLine
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.verdicts import heads_line
from tolman.scoring.parse.words import is_glued

MIN_HEADED = 3
"""Options that head lines of their own in a response that goes through them, at least."""
MIN_SHARED = 2
"""Words that the last sentence shares with what is said of an option, at least."""
MAX_ORDINAL_GAP = 24
"""Characters between "the last" and "remains", at most."""
STEM_CHARS = 5
"""Letters by which words are compared."""


def left_over(lines: Sequence[OptionLine], text: str, count: int) -> list[Commitment]:
    """Find the option that the last sentence of a response means without naming any.

    Args:
        lines: of the response.
        text: without markup.
        count: number of options.

    Returns:
        At most one commitment: to the last of the list where the last one is said to be left, to the only one that is
        not denied where one is said to be left, or to the one of which the last sentence repeats most.
    """
    if len(lines) < MIN_HEADED or any(not m.weak and not m.negated for m in lines[-1].mentions):
        return []
    last = lines[-1].segment
    headed = _headed(lines, text)
    remaining = last.having("remaining")
    option = None
    if remaining:
        option = _last_of_list(last, remaining, headed, text)
        if option is None:
            denied = {m.option for line in lines for m in line.mentions if m.negated and m.option >= 0}
            kept = {m.option for line in lines for m in line.affirmed if m.option not in denied}
            left = set(range(count)) - denied
            option = left.pop() if len(left) == 1 and len(denied) == count - 1 and kept <= left else None
    if option is None and len(headed) >= MIN_HEADED:
        option = _repeated(last, headed, text)
    if option is None:
        return []
    start = last.start + len(text[last.start : last.end]) - len(text[last.start : last.end].lstrip())
    return [Commitment(LETTERS[option], CONCLUDED, start, last.end, "left over")]


def _headed(lines: Sequence[OptionLine], text: str) -> dict[int, list[Segment]]:
    """For each option that heads a line the segments up to the next such line, in the order of the list."""
    found: dict[int, list[Segment]] = {}
    current: list[Segment] | None = None
    for line in lines[:-1]:
        head = line.mentions[0] if line.mentions else None
        heads = head is not None and line.segment.line_start and (head.label or heads_line(line, head, text))
        if heads and head is not None and head.option >= 0:
            current = found.setdefault(head.option, [])
        elif current is not None and line.segment.line_start and text[: line.segment.start].endswith("\n\n"):
            current = None
        if current is not None and len(options_in(line.mentions)) <= 1:
            current.append(line.segment)
    return found


def _last_of_list(
    last: Segment, remaining: Sequence[Cue], headed: Mapping[int, list[Segment]], text: str
) -> int | None:
    """The option that heads the last line of the list, where "the last one is left"."""
    if len(headed) < MIN_HEADED:
        return None
    ends = [c for c in last.language.ordinals.find(last.words, text) if c.role == "-1"]
    near = any(max(a.start - b.end, b.start - a.end) <= MAX_ORDINAL_GAP for a in ends for b in remaining)
    return list(headed)[-1] if near else None


def _repeated(last: Segment, headed: Mapping[int, list[Segment]], text: str) -> int | None:
    """The option of which the last sentence repeats the most words that nothing says of another."""
    if not last.having("remaining", "conclude", "answer", "choose", "affirm", "superlative"):
        return None
    said = {option: set().union(*(_stems(s) for s in parts)) for option, parts in headed.items() if parts}
    counts = Counter(stem for stems in said.values() for stem in stems)
    own = _stems(last)
    scores = {option: sum(counts[stem] == 1 for stem in stems & own) for option, stems in said.items()}
    ranked = sorted(scores.values(), reverse=True)
    if len(ranked) < MIN_HEADED or ranked[0] < MIN_SHARED or ranked[0] < 2 * ranked[1] + 1:
        return None
    return max(scores, key=lambda option: scores[option])


def _stems(segment: Segment) -> set[str]:
    """What the words of a segment are compared by: beginnings, and pairs of characters without spaces."""
    found = set()
    words = segment.words
    for i, word in enumerate(words):
        if is_glued(word.folded[0]):
            if i + 1 < len(words) and words[i + 1].start == word.end and not re.match(r"[\u3040-\u309f]", word.folded):
                found.add(word.folded + words[i + 1].folded)
        elif len(word.folded) > 2 and word.folded not in segment.language.skip:
            found.add(word.folded[:STEM_CHARS])
    return found
