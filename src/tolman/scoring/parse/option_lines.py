"""Lines and sentences of a response with the options that they name, by letter or in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tolman.items import LETTERS
from tolman.scoring.parse.lexicon import Cue, Languages, both_ends, is_glued, is_in_longer, is_inside, words_of
from tolman.scoring.parse.option_mentions import Mention, behind_first, with_polarity
from tolman.scoring.parse.option_texts import COMPASS_LETTERS, OptionTexts
from tolman.scoring.parse.option_words import text_mentions
from tolman.scoring.parse.response_segments import Segment, is_question, segments

_NOTHING = frozenset({"none"})
MAX_MENTIONS = 24
"""Mentions of a sentence that are looked at, a quarter at its beginning: no answer stands in the middle of more."""


@dataclass
class OptionLine:
    """A segment with the options that it names.

    Attributes:
        segment: the sentence or line.
        mentions: in it, in order.
        question: whether it ends in a question mark.
        listing: whether it heads a list of options with an option's letter.
    """

    segment: Segment
    mentions: list[Mention]
    question: bool
    listing: bool = False

    @property
    def affirmed(self) -> list[Mention]:
        """Mentions that aren't denied; weak ones only where there are no others."""
        affirmed = [m for m in self.mentions if not m.negated]
        return [m for m in affirmed if not m.weak] or affirmed


@dataclass(frozen=True)
class LineContext:
    """A line with the response around it.

    Attributes:
        lines: of the response.
        number: of this line among them.
        text: without markup.
        options: of the item.
        awaited: whether an earlier line announces an answer that is still to come.
        question: of the item; empty where it is not to be looked at.
    """

    lines: list[OptionLine]
    number: int
    text: str
    options: OptionTexts
    awaited: bool
    question: str = ""

    @property
    def line(self) -> OptionLine:
        """The line itself."""
        return self.lines[self.number]

    @property
    def segment(self) -> Segment:
        """Its sentence."""
        return self.line.segment

    @property
    def earlier(self) -> list[OptionLine]:
        """Lines before it."""
        return self.lines[: self.number]

    @property
    def is_first(self) -> bool:
        """Check whether no line precedes it."""
        return self.number == 0

    @property
    def is_last(self) -> bool:
        """Check whether no line follows it."""
        return self.number == len(self.lines) - 1


def option_lines(text: str, options: OptionTexts, language: Languages, ranked: bool = False) -> list[OptionLine]:
    """Split a text into lines and sentences, and find the options that each names.

    Args:
        text: without markup.
        options: of the item.
        language: of the text.
        ranked: whether the question asks for the first of a ranking.

    Returns:
        The lines in order.
    """
    written = (tuple(w.folded for w in words_of(option)) for option in options.texts)
    whole = tuple(" ".join(words) for words in dict.fromkeys((*options.folded, *written)))
    lines = [
        OptionLine(s, mentions_of(text, s, options), is_question(s, text)) for s in segments(text, language, whole)
    ]
    if ranked:
        for line in lines:
            line.mentions = behind_first(text, line.segment, line.mentions)
    _mark_listings(lines)
    return lines


def mentions_of(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find all mentions of options in a segment, by letters and texts.

    Args:
        text: without markup.
        segment: the part of it to look at.
        options: of the item.

    Returns:
        The mentions in order, with their polarity.
    """
    nothing, corrections = segment.having("none_of"), segment.having("correct")
    # "None of the above" denies every option, unless it is the text of one.
    by_text = [
        m
        for m in text_mentions(text, segment, options)
        if not is_in_longer(m, corrections)  # "no wait"
        if not is_inside(m, nothing) or any((m.start, m.end) == (c.start, c.end) for c in nothing)
    ]
    letters = [m for m in letter_mentions(text, segment, options) if not is_inside(m, by_text)]
    found = sorted([*by_text, *letters], key=lambda m: m.start)
    told = with_polarity(text, segment, both_ends(found, MAX_MENTIONS))
    # "There is nothing" does not deny that nothing is there.
    return [replace(m, negated=False) if m.by == "text" and options.concepts[m.option] == _NOTHING else m for m in told]


def _mark_listings(lines: Sequence[OptionLine]) -> None:
    """Mark lines that head a list of options with their letters: two in their order, or three against it, at least."""
    _mark_runs(lines, 1, 2)
    _mark_runs(lines, -1, 3)


def _mark_runs(lines: Sequence[OptionLine], step: int, least: int) -> None:
    run: list[OptionLine] = []
    expected = -1
    for line in lines:
        label = line.mentions[0] if line.mentions else None
        if label is None or not label.label or label.by != "letter":
            continue
        if not run or label.option != expected:
            _mark(run, least)
            run = []
        if run or label.option >= 0:
            run.append(line)
        expected = label.option + step
    _mark(run, least)


def _mark(run: Sequence[OptionLine], least: int) -> None:
    if len(run) >= least:
        for line in run:
            line.listing = True


MAX_LETTERS = 32
"""Letters of a sentence that are looked at, a quarter of them at its beginning."""
CONTEXT_CHARS = 24
"""Characters before and behind a letter that are looked at."""
MAX_COPULA_GAP = 24
"""Characters between "the answer" and a letter with nothing but "is" between them, at most."""
MAX_NATIVE_GAP = 12
"""Characters between "option" or "the answer" and a letter of another alphabet, at most."""

_LETTER = re.compile(
    r"(?<![A-Za-z0-9\u00c0-\u024f\u0400-\u052f_\\])(?<![Nn]/)(?<![A-Za-z]&)([A-Za-zАВСЕНД])"
    r"(?![A-Za-z0-9\u00c0-\u024f\u0400-\u052f_]|'[A-Za-z])"
)
_HOMOGLYPHS = str.maketrans("АВСЕН", "ABCEH")
_OPENING = "([{<\"'`*_|"
_CLOSING = ")]}>\"'`*_|"
_MATH_BEFORE = re.compile(r"(?:[=+^×·≈]|(?<![A-Z])/|(?<=\s)-|\b(?:det|matrix|sin|cos|log|let))[ ({\[]*\Z")
_MATH_BEHIND = re.compile(r"[ ]*(?:[=+^×·≈]|/(?![A-Z]\b)|-(?=\s?\d)|\(\w+\s*[-+])")
_NAMED = re.compile(
    r"(?:\b(?:point|box|object|person|line|side|angle|type|vitamin|car|robot|image|picture|photo|figure|fig\.?|region|area"
    r"|marker|location|position|team|player|room|building|group|circle|spot|frame|view|camera|man|woman|vector|matrix|set"
    r"|plane|block|node|row|column|plan|part|section|station|table|item|case|class|grade|hepatitis|graph|curve|event|city"
    r"|town|village|punkt|objekt|bild|punto|objeto|imagen|imagem|objet|точка|объект|картинка|изображение)s?"
    r"[ ]+[(\"'*`]*)\Z",
    re.IGNORECASE,
)
"""Behind such a word a letter names something else: "point A"."""
_LABEL_FRONT = re.compile(r"[ \t]*(?:[-*•·–>|#✓✔✅☑✗✘❌✕❎→]+[ \t]*)*(?:\d{1,2}[.)][ \t]+)?[*_`(\[\"' \t]*\Z")
_LABEL_BACK = re.compile(r"[*_`\"']*[)\]]?[*_`]*[ \t]*(?:[.:,;)\]|]|[–—-]|→|=>|=)|[*_`\"']*[)\]]|[*_`]{2}|[ \t]*\(")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_CYRILLIC_BEHIND = re.compile(r"[ ]+(?!(?:и|или)[ ]+[АВСЕД]\b)[\u0400-\u04ff]+")
_WORD_BEHIND = re.compile(r"[ ]+[A-Za-zÀ-ž]{2}|[ ]+[a-zà-ž]")
_JOINT = r"(?:,|/|&|[ ](?:or|and|y|o|et|ou|und|oder|e|и|или)[ ])"
_COUPLED_BEHIND = re.compile(rf"[ ]*{_JOINT}[ ]*[(\[*]*[A-Z](?![\w'])")
_COUPLED_BEFORE = re.compile(rf"(?<![\w'])[A-Z][)\]*]*[ ]*{_JOINT}[ (\[*]*\Z")
_CODE_BEHIND = re.compile(r"[*_`]*[.:][\\/\w]")
_TEXT_BEHIND = re.compile(r"[*_`]*[.:][A-Z*]")
_WORD_LETTERS = "AIOEYUÀ"
"""Letters that are words in some language."""

_CIRCLED = "①②③④⑤⑥"
_STEMS = "甲乙丙丁戊己"
_PARTICLES = ("입니다", "이다", "번", "가 ", "이 ", "を", "が", "で", "だ", "は", "に", "と", "の", "项", "項", "选项")


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Surroundings of a letter.

    Attributes:
        head: the segment's text in front of it.
        before, behind: the nearest characters on either side.
        enclosed: it is in brackets, quotes or bold.
        bracketed: a bracket closes behind it.
        called: it follows "option".
        announced: it follows "the answer" or "I choose".
        label: it heads its line, set off from the following text.
        alone: the segment holds nothing else.
    """

    head: str
    before: str
    behind: str
    enclosed: bool
    bracketed: bool
    called: bool
    announced: bool
    label: bool
    alone: bool

    @property
    def marked(self) -> bool:
        """Check whether something sets the letter off as an option's."""
        return self.enclosed or self.bracketed or self.called


def letter_mentions(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Find the letters in a segment that may name an option.

    Args:
        text: with Markdown, without HTML and LaTeX commands.
        segment: the part of it to look at.
        options: of the item.

    Returns:
        Their mentions, not in order: letters of other alphabets come first.
    """
    found = _native_letters(text, segment, options)
    for match in both_ends([*_LETTER.finditer(text, segment.start, segment.end)], MAX_LETTERS):
        letter = match[1].translate(_HOMOGLYPHS)
        option = LETTERS.find(letter.upper())
        if option < 0:
            continue
        start, end = match.span()
        around = _surroundings(text, segment, start, end)
        if letter.islower() and not _is_set_off(text, segment, start, around):
            continue
        if not around.called and _is_hyphenated(around):
            continue
        if option >= options.count:
            option = -1 if letter.islower() else _compass_option(letter, options)
        if option < 0 and not (around.marked or around.alone or around.announced or around.label):
            continue
        weak = _is_weak(letter, text, segment, start, around, options)
        marked = around.marked or around.alone
        found.append(Mention(option, start, end, "letter", weak=weak, label=around.label, marked=marked))
    return found


def _compass_option(letter: str, options: OptionTexts) -> int:
    """The option that is the direction of a letter, N, E, S or W; -1 without one."""
    named = COMPASS_LETTERS.get(letter.lower())
    return next((i for i, concepts in enumerate(options.concepts) if concepts == {named}), -1)


def _surroundings(text: str, segment: Segment, start: int, end: int) -> _Surroundings:
    head, tail = text[segment.start : start], text[end : segment.end]
    before, behind = text[max(segment.start, start - CONTEXT_CHARS) : start], text[end : end + CONTEXT_CHARS]
    closed = behind[:1] in (")", "]")
    return _Surroundings(
        head,
        before,
        behind,
        enclosed=bool(before and before[-1] in _OPENING and behind and behind[0] in _CLOSING),
        bracketed=closed,
        called=_is_behind(segment.having("option"), text, start, 4, " *_`'\"([:-"),
        announced=_is_behind(segment.having("answer", "choose"), text, start, 6, " *_`'\"([:="),
        label=_is_label(head, behind),
        alone=not head.strip(" \t*_`'\"([{<$#>-.:→") and not tail.strip(" \t*_`'\")]}>$.!,;:"),
    )


def _is_label(head: str, behind: str) -> bool:
    """Check whether a letter heads its line, as in a list of options."""
    if len(head.strip()) > CONTEXT_CHARS:
        return False
    return _LABEL_FRONT.fullmatch(head) is not None and _LABEL_BACK.match(behind) is not None


def _is_behind(cues: list[Cue], text: str, position: int, reach: int, signs: str) -> bool:
    """Check whether a place is right behind a cue, with nothing but signs between them."""
    return any(0 <= position - cue.end <= reach and not text[cue.end : position].strip(signs) for cue in cues)


def _is_set_off(text: str, segment: Segment, start: int, around: _Surroundings) -> bool:
    """Check whether a lower-case letter is set off well enough to name an option."""
    ends = not around.behind[:2].strip(" .,;")
    return (
        around.alone
        or around.called
        or (around.announced and ends)
        or (around.bracketed and around.before[-1:] in ("(", "["))
        or (around.bracketed and around.before[-1:] in ("", " ") and "(" not in around.before.rpartition(")")[2])
        or (not around.behind[:2].strip(" .,;\n") and _is_behind_copula(segment, text, start))
    )


def _is_hyphenated(around: _Surroundings) -> bool:
    """Check whether a letter is a part of a word with a hyphen: "T-shirt"."""
    before, behind = around.before, around.behind
    return (behind[:1] == "-" and behind[1:2].isalpha()) or (before[-1:] == "-" and before[-2:-1].isalpha())


def _is_weak(letter: str, text: str, segment: Segment, start: int, around: _Surroundings, options: OptionTexts) -> bool:
    """Check whether a letter may be a word, a variable, a name or a part of code."""
    before, behind = around.before, around.behind
    if not (around.marked or around.alone):
        if _CYRILLIC.match(text, start) and _CYRILLIC_BEHIND.match(behind) and not around.announced:
            return True  # "В", "А" and "С" are words
        word = _WORD_BEHIND.match(behind) is not None
        if letter == "I" and (word or behind[:1] in " '"):
            return True
        coupled = _COUPLED_BEHIND.match(behind) or _COUPLED_BEFORE.search(before)
        if letter in _WORD_LETTERS and word and not coupled and not _is_behind_copula(segment, text, start):
            return True
        if (_MATH_BEFORE.search(before) and not segment.having("answer", "choose")) or _MATH_BEHIND.match(behind):
            return True
    if _NAMED.search(before) and not around.called and not options.pictured:
        return True
    return bool(_CODE_BEHIND.match(behind)) and not _TEXT_BEHIND.match(behind)


def _is_behind_copula(segment: Segment, text: str, start: int) -> bool:
    """Check whether a letter comes right behind "the answer is" or the like."""
    gaps = [text[cue.end : start] for cue in segment.having("answer", "choose") if cue.end <= start]
    return any(len(gap) <= MAX_COPULA_GAP and segment.language.is_only("copula", gap) for gap in gaps)


def _native_letters(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Return letters of other alphabets and circled numbers that are alone or called an option."""
    found = []
    starts, ends = {w.start for w in segment.words}, {w.end for w in segment.words}
    for cue in segment.language.letters.find(segment.words, text):
        whole = cue.start in starts and cue.end in ends
        head, behind = text[segment.start : cue.start], text[cue.end : segment.end]
        circled = text[cue.start] in _CIRCLED
        alone = not head.strip(" \t*_`'\"([{#>-.:") and not behind.strip(" \t*_`'\")]}.!,;:")
        enclosed = head[-1:] in ("(", "[") and behind[:1] in (")", "]")
        if not whole or not (circled or alone or enclosed or _is_called(cue, text, segment)):
            continue
        behind_call = text[cue.start] in _STEMS and any(c.end == cue.start for c in segment.having("option", "choose"))
        if not circled and head and is_glued(text[cue.start]) and is_glued(head[-1]) and not behind_call:
            continue
        if not (circled or enclosed or behind.startswith(_PARTICLES)) and _goes_on(text[cue.end - 1], behind):
            continue
        option = int(cue.role)
        found.append(
            Mention(option if option < options.count else -1, cue.start, cue.end, "letter", weak=False, marked=True)
        )
    return found


def _is_called(cue: Cue, text: str, segment: Segment) -> bool:
    """Check whether a letter of another alphabet is next to "option" or behind "the answer is"."""
    for called in segment.having("option", "answer", "choose"):
        if 0 <= cue.start - called.end <= MAX_NATIVE_GAP:
            gap = text[called.end : cue.start]
            if not gap.strip(" *_`'\"([:=：") or segment.language.is_only("copula", gap):
                return True
    return any(0 <= called.start - cue.end <= 2 for called in segment.having("option"))


def _goes_on(last: str, behind: str) -> bool:
    """Check whether a word goes on behind a character of a script without spaces."""
    return behind[:1].isalpha() and is_glued(last)
