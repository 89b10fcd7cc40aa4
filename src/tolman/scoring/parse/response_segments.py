"""Segments of a response: its sentences and lines, with the cues in them and the announcements of an answer.

The readers of options and of numbers share the rules for announcements.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from tolman.scoring.parse.lexicon import Cue, Languages, Word, both_ends, is_in_longer, is_inside, longest, words_of

MAX_SEGMENTS = 160
"""Sentences that are looked at: a quarter of them at the beginning of a text, the others at its end."""
MAX_SEGMENT_CHARS = 600
"""Characters of a sentence; a longer sentence is looked at in parts."""
MAX_CUES = 80
"""Cues of a sentence that are looked at: a quarter of them at its beginning, the others at its end."""

_BREAK = re.compile(
    r"\n+|[。।]+[\"')\]*_]*|[!?]+[\"')\]*_]*(?=\s|\Z|[\u3040-\u9fff\uac00-\ud7af])|\.{2,}|…"
    r"|\.[\"')\]*_`]*(?=\s|\Z|[\u3040-\u9fff\uac00-\ud7af])"
)
_LABEL_BEFORE = re.compile(r"[\s*_`#>(\[\"'|•·–-]*(?:[^\W\d_]{2,12}\s+)?[(\[]?(?:[A-Za-z]|[0-9]{1,2})[)\]]?[*_`]*\Z")
_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|appr|ca|e\.g|i\.e|vs|fig|nr|resp|incl|max|min|avg|est|sq|z\.B|d\.h|bzw|env|aprox|cca|etc|кв|см|м|ок"
    r"|т\.е|напр|Dr|Mr|Mrs|St)"
    r"|(?<![\w.])[A-Za-z]\.[A-Za-z])\Z",
    re.IGNORECASE,
)


@dataclass
class Segment:
    """A sentence, or a line that is none.

    Attributes:
        start, end: in the text.
        line_start: whether it begins a line.
        line_end: whether nothing follows it on its line.
        language: of the text.
        words: in it, in order.
        cues: in it, in order.
        concepts: in it, in order.
    """

    start: int
    end: int
    line_start: bool
    line_end: bool
    language: Languages
    words: list[Word] = field(default_factory=list)
    cues: list[Cue] = field(default_factory=list)
    concepts: list[Cue] = field(default_factory=list)

    _by_role: dict[tuple[str, ...], list[Cue]] = field(default_factory=dict)
    _replies: list[Cue] | None = None

    def having(self, *roles: str) -> list[Cue]:
        """List the cues of some roles.

        Args:
            roles: of the cues.

        Returns:
            The cues in order.
        """
        known = self._by_role.get(roles)
        if known is None:
            known = self._by_role[roles] = [cue for cue in self.cues if cue.role in roles]
        return known

    def part(self, start: int, end: int) -> Segment:
        """Return a part of it, with the words, cues and concepts that are whole in it.

        Args:
            start, end: of the part, in the text.
        """
        within = Cue("", start, end)
        return Segment(
            start,
            end,
            self.line_start and start == self.start,
            self.line_end and end == self.end,
            self.language,
            [w for w in self.words if is_inside(w, [within])],
            [c for c in self.cues if is_inside(c, [within])],
            [c for c in self.concepts if is_inside(c, [within])],
        )


def replies(segment: Segment, text: str) -> list[Cue]:
    """Find the phrases of answers in a segment that don't say "yes", "no" or a number: "not at all", "just the one".

    Args:
        segment: the sentence or line.
        text: that contains it.

    Returns:
        The cues in order; of phrases that hold others only the longest.
    """
    if segment._replies is None:
        segment._replies = longest(both_ends(segment.language.asked.find(segment.words, text), MAX_CUES))
    return segment._replies


def segments(text: str, language: Languages, whole: tuple[str, ...] = ()) -> list[Segment]:
    """Split a text into the sentences and lines that hold anything.

    Args:
        text: without markup.
        language: whose cues are looked for.
        whole: folded texts of options: "B. front left" isn't split before one of them.

    Returns:
        The segments in order, with their words and cues.
    """
    found: list[Segment] = []
    start, line_start = 0, True
    for match in _BREAK.finditer(text):
        newline = match[0].startswith("\n")
        if (
            not newline
            and match[0].startswith(".")
            and len(match[0].rstrip("\"')]*_`")) == 1
            and not _ends(text, start, match, whole)
        ):
            continue
        end = match.start() if newline else match.end()
        if text[start:end].strip():
            at_end = newline or not text[end : _line_end(text, end)].strip()
            found.append(Segment(start, end, line_start, at_end, language))
            line_start = False
        if newline or not text[end : _line_end(text, end)].strip():
            line_start = True
        start = match.end()
    if text[start:].strip():
        found.append(Segment(start, len(text), line_start, True, language))
    found = [part for segment in found for part in _parts(segment, text)]
    found = both_ends(found, MAX_SEGMENTS)
    _fill(found, text)
    return found


def is_question(segment: Segment, text: str) -> bool:
    """Check whether a segment ends in a question mark.

    Args:
        segment: the sentence or line.
        text: that contains it.

    Returns:
        True also where quotes or brackets close behind the mark.
    """
    return text[segment.start : segment.end].rstrip(" *_`\"')\t").endswith("?")


def is_supposed(segment: Segment, text: str) -> bool:
    """Check whether a sentence supposes its statement or only deems it possible.

    Args:
        segment: the sentence.
        text: that contains it.

    Returns:
        False for "can be seen", which states.
    """
    return any(text[c.start : c.end].casefold() != "can be" for c in segment.having("suppose"))


_HAD_IT_BEEN = re.compile(r"\A[\s*_`\"'(>-]*(?:(?:but|and)[ ])?(?:had|were|should)[ ]\w+", re.IGNORECASE)
_IF_IT_WERE = re.compile(
    r"\bif\b[^.?!\n]{1,120}?\b(?:were|had|was|weren't|hadn't|wasn't|\w+ed|stood|came|took)\b", re.IGNORECASE
)
_IF_ASKED = re.compile(r"[\W_]*(?:but |and )?(?:had|were|should) (?:i|you|we|one)\b", re.IGNORECASE)
"""The beginning of a choice: "were I to guess"."""
_OTHERWISE = tuple(
    tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for patterns in (
        (
            r"\A[\W_]*(?:hätten?|wären?|würden?|stünden?|lägen?|hingen?|ginge|käme) (?!ich|man|wir)",
            r",[^,]*\b(?:hätten?|wären?|würden?)\b",
        ),
        (r"\bwenn (?!ich|man|wir)", r"\b(?:hätten?|wären?|würden?|stünden?|lägen?)\b"),
        (
            r"\b(?:si (?!je|j['’]|on|vous|nous|tu)|s['’](?:ils?(?! fallait)|elles?) )",
            r"\w(?:ait|aient)\b",
            r"\wr(?:ait|aient|ais)\b",
        ),
        (
            r"\bsi (?!me|tuviera que|yo|uno)",
            r"\b(?:hubiera|hubiese|fuera|fuese|estuviera|estuviese|tuviera)n?\b",
            r"\wría[ns]?\b",
        ),
        (
            r"\bse (?!eu|tivesse que|dovessi)",
            r"\w(?:sse|ssem|ssero|ssi)\b",
            r"\w(?:ria|riam|rebbe|rebbero|remmo)\b",
        ),
    )
)
"""Suppositions of what is not so, in German, French, Spanish, Portuguese and Italian: patterns that follow in order."""
_CONDITIONAL = frozenset(("de", "fr", "es", "pt"))
"""Languages, beside English, whose files have phrases for what is not so."""
_WOULD = re.compile(r"\b(?:would|could|might|wouldn't|couldn't|'d)\b", re.IGNORECASE)


_CONCEDED = re.compile(r"\w[ ,—–-]+(?:although|though|even though|albeit|even if)\b[^.;:!?\n]*\Z", re.IGNORECASE)


def is_conceded(cue: Cue, text: str) -> bool:
    """Check whether a doubt is only conceded behind a statement: "white, although the light makes it hard to say"."""
    return _CONCEDED.search(text, max(0, cue.start - MAX_CONCEDED_CHARS), cue.start) is not None


MAX_CONCEDED_CHARS = 80
"""Characters in front of a doubt in which it is conceded, at most."""


def is_counterfactual(segment: Segment, text: str) -> bool:
    """Check whether a sentence supposes something contrary to fact: "had it been closer, it would have been the lamp".

    Args:
        segment: the sentence.
        text: that contains it.

    Returns:
        False for "if I had to choose, it would be the lamp", which chooses.
    """
    part = text[segment.start : segment.end]
    if _HAD_IT_BEEN.match(part) and not _IF_ASKED.match(part) and _WOULD.search(part):
        return True
    if segment.language.names & _CONDITIONAL and any(_follow(patterns, part) for patterns in _OTHERWISE):
        return True
    if segment.having("choose", "tentative"):
        return False
    if any(c.role == "counterfactual" for c in replies(segment, text)):
        return bool(_WOULD.search(part)) or bool(segment.language.names & _CONDITIONAL)
    return bool(_WOULD.search(part) and _IF_IT_WERE.search(part))


def _follow(patterns: Sequence[re.Pattern[str]], part: str) -> bool:
    """Check whether each of some patterns is found behind the one before it."""
    end = 0
    for pattern in patterns:
        match = pattern.search(part, end)
        if match is None:
            return False
        end = match.end()
    return True


def _parts(segment: Segment, text: str) -> list[Segment]:
    """A segment, in parts where it is longer than a sentence is."""
    if segment.end - segment.start <= MAX_SEGMENT_CHARS:
        return [segment]
    parts = []
    start = segment.start
    while start < segment.end:
        end = min(start + MAX_SEGMENT_CHARS, segment.end)
        if end < segment.end:
            space = text.rfind(" ", start + MAX_SEGMENT_CHARS // 2, end)
            end = space if space > 0 else end
        parts.append(
            Segment(
                start,
                end,
                segment.line_start and start == segment.start,
                segment.line_end and end == segment.end,
                segment.language,
            )
        )
        start = end
    return parts


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _ends(text: str, start: int, match: re.Match[str], whole: tuple[str, ...]) -> bool:
    """Check whether a full stop ends a sentence, and isn't a label's, a number's or an abbreviation's."""
    before = text[max(start, match.start() - 24) : match.start()]
    if re.search(r"\b[Nn]o\Z", before) and re.match(r"\.\s*\d", text[match.start() : match.start() + 4]):
        return False
    if _ABBREVIATION.search(before):
        return not text[match.end() : match.end() + 3].strip()
    if match.start() - start <= 24 and _LABEL_BEFORE.fullmatch(before):
        return not text[match.end() : _line_end(text, match.end())].strip()
    if whole and re.search(r"(?<![A-Za-z0-9])[A-Za-z]\Z", before):
        follows = " ".join(
            w.folded for w in words_of(text, match.end(), min(match.end() + 80, _line_end(text, match.end())))
        )
        return not any(w and (follows == w or follows.startswith(w + " ")) for w in whole)
    return True


def _fill(found: list[Segment], text: str) -> None:
    for segment in found:
        segment.words, segment.cues, segment.concepts = _content(text, segment.language, segment.start, segment.end)


@lru_cache(maxsize=2 * MAX_SEGMENTS)
def _content(text: str, language: Languages, start: int, end: int) -> tuple[list[Word], list[Cue], list[Cue]]:
    """The words, cues and concepts in a part of a text, which is looked at more than once for some items."""
    words = words_of(text)
    first, last = (bisect_left(words, place, key=_start) for place in (start, end))
    inside = list(words[first:last])
    return inside, both_ends(language.cues_of(inside, text), MAX_CUES), language.concepts.find(inside, text)


_start = attrgetter("start")


MAX_SUPPOSING_GAP = 24
"""Characters between "whether" and "the answer is", at most."""

_INTRODUCING = (":", "：", "=", "→")


def cues_in_front(segment: Segment, cue: Cue, text: str, *roles: str) -> Iterator[Cue]:
    """Find the cues shortly before an announcement, in its clause.

    Args:
        segment: that contains the announcement.
        cue: the announcement.
        text: without markup.
        roles: of the cues.

    Yields:
        The cues in order.
    """
    for c in segment.having(*roles):
        if not 0 <= cue.start - c.end <= MAX_SUPPOSING_GAP or re.search(r"[,;:()]", text[c.end : cue.start]):
            continue
        if not is_in_longer(c, segment.having("choose")):  # "if I must choose"
            yield c


def announces_next(segment: Segment, text: str, *roles: str) -> bool:
    """Check whether a segment announces an answer that is still to come.

    Args:
        segment: that holds no answer itself.
        text: without markup.
        roles: of the cues that announce.

    Returns:
        True where it ends in an announcement, or holds one and ends in a colon.
    """
    cues = segment.having(*roles)
    if not cues:
        return False
    last = cues[-1]
    rest = text[last.end : segment.end]
    return (
        text[segment.start : segment.end].rstrip(" *_`\"'\t#$[({\\").endswith(_INTRODUCING)
        or (last.role != "conclude" and not words_of(rest))
        or (last.role == "answer" and segment.language.is_only("copula", rest))
    )


def opening_denials(segment: Segment, text: str) -> list[Cue]:
    """Find a "no" that opens a segment.

    Args:
        segment: the sentence or line.
        text: without markup.

    Returns:
        The cue, or several that begin at the same place; empty without any.
    """
    return [c for c in segment.concepts if c.role == "no" and opens(segment, c.start, text)]


def opens(segment: Segment, position: int, text: str) -> bool:
    """Check whether only signs are between a segment's beginning and a place.

    Args:
        segment: the sentence or line.
        position: in the text.
        text: without markup.

    Returns:
        True at the beginning, and behind quotes, brackets, dashes and bold.
    """
    return not text[segment.start : position].strip(" *_`\"'(-")
