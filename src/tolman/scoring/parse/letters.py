"""Letters in a text that name options."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tolman.items import LETTERS
from tolman.scoring.parse.lexicon import Cue
from tolman.scoring.parse.mentions import Mention
from tolman.scoring.parse.option_texts import OptionTexts
from tolman.scoring.parse.segments import Segment
from tolman.scoring.parse.words import both_ends, is_glued

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
        enclosed: it stands in brackets, quotes or bold.
        bracketed: a bracket closes behind it.
        called: it stands behind "option".
        announced: it stands behind "the answer" or "I choose".
        label: it heads its line, set off from what follows.
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
        """Whether something sets the letter off as an option's."""
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
            option = -1
        if option < 0 and not (around.marked or around.alone or around.announced or around.label):
            continue
        weak = _is_weak(letter, text, segment, start, around, options)
        marked = around.marked or around.alone
        found.append(Mention(option, start, end, "letter", weak=weak, label=around.label, marked=marked))
    return found


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
    """Whether a letter heads its line, as in a list of options."""
    if len(head.strip()) > CONTEXT_CHARS:
        return False
    return _LABEL_FRONT.fullmatch(head) is not None and _LABEL_BACK.match(behind) is not None


def _is_behind(cues: list[Cue], text: str, position: int, reach: int, signs: str) -> bool:
    """Whether a place lies right behind a cue, with nothing but signs between them."""
    return any(0 <= position - cue.end <= reach and not text[cue.end : position].strip(signs) for cue in cues)


def _is_set_off(text: str, segment: Segment, start: int, around: _Surroundings) -> bool:
    """Whether a lower-case letter is set off well enough to name an option."""
    ends = not around.behind[:2].strip(" .,;")
    return (
        around.alone
        or around.called
        or (around.announced and ends)
        or (around.bracketed and around.before[-1:] in ("(", "["))
        or (around.bracketed and around.label and not around.head.strip())
        or (not around.behind[:2].strip(" .,;\n") and _is_behind_copula(segment, text, start))
    )


def _is_hyphenated(around: _Surroundings) -> bool:
    """Whether a letter is a part of a word with a hyphen: "T-shirt"."""
    before, behind = around.before, around.behind
    return (behind[:1] == "-" and behind[1:2].isalpha()) or (before[-1:] == "-" and before[-2:-1].isalpha())


def _is_weak(letter: str, text: str, segment: Segment, start: int, around: _Surroundings, options: OptionTexts) -> bool:
    """Whether a letter may be a word, a variable, a name or a part of code."""
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
    """Whether a letter stands right behind "the answer is" or the like."""
    gaps = [text[cue.end : start] for cue in segment.having("answer", "choose") if cue.end <= start]
    return any(len(gap) <= MAX_COPULA_GAP and segment.language.is_only("copula", gap) for gap in gaps)


def _native_letters(text: str, segment: Segment, options: OptionTexts) -> list[Mention]:
    """Letters of other alphabets and circled numbers, where nothing else stands or they are called an option."""
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
    """Whether a letter of another alphabet stands beside "option" or behind "the answer is"."""
    for called in segment.having("option", "answer", "choose"):
        if 0 <= cue.start - called.end <= MAX_NATIVE_GAP:
            gap = text[called.end : cue.start]
            if not gap.strip(" *_`'\"([:=：") or segment.language.is_only("copula", gap):
                return True
    return any(0 <= called.start - cue.end <= 2 for called in segment.having("option"))


def _goes_on(last: str, behind: str) -> bool:
    """Whether a word goes on behind a character of a script without spaces."""
    return behind[:1].isalpha() and is_glued(last)
