"""Plain text of a response: one way to write each character, without reasoning traces and markup.

Every character of the plain text knows the place in the response that it came from. The answer follows a reasoning
trace, so the trace is set aside.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from tolman.extras import lazy_pattern

MAX_CHARS = 50_000
"""A longer response is read from its last so many characters: answers come last."""

_INVISIBLE = lazy_pattern(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad\u064b-\u0652\u0640]|(?<=[0-9]){(?=,}[0-9])|(?<={,)}(?=[0-9])"
)
_SPACES: dict[int, str] = dict.fromkeys((160, 8194, 8195, 8201, 8239, 12288, 11, 12), " ")
_FULL_WIDTH: dict[int, str] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_DIGITS = {
    zero + digit: str(digit)
    for zero in (0x0660, 0x06F0, 0x0966, 0x09E6)  # Arabic, Persian, Devanagari, Bengali
    for digit in range(10)
}
_ODD_MARKS = (
    "\u066b\u066c\u061f\u060c\u061b\u2019\u2018\u02bc\u2212\u2010\u2011\u2236\u3010\u3011\u3014\u3015"
    "\u300c\u300d\u300e\u300f\u201c\u201d\u201e\u00ab\u00bb"
)
_MARKS = {ord(a): b for a, b in zip(_ODD_MARKS, ".,?,;'''---:[][]" + '"' * 9, strict=True)}
# Letters in circles and brackets, and mathematical alphabets, as models write them.
_LETTERS = {base + i: chr(65 + i) for base in (0x24B6, 0x1F150, 0x1F170, 0x1F130) for i in range(26)}
_LETTERS |= {0x24D0 + i: chr(97 + i) for i in range(26)}
_LETTERS |= {0x1D400 + 52 * k + i: chr(65 + i) for k in range(13) for i in range(26)}
_LETTERS |= {0x1D41A + 52 * k + i: chr(97 + i) for k in range(13) for i in range(26)}
_LETTERS |= {0x1D7CE + i: str(i % 10) for i in range(50)}
_NARROW: dict[int, str] = {**_SPACES, **_FULL_WIDTH, **_DIGITS, **_MARKS, **_LETTERS}

_NEXT_TURN = lazy_pattern(
    r"<\|im_start\|>\s*(?:user|system)|<\|start_header_id\|>\s*user|<\|eot_id\|>|<start_of_turn>\s*user|\[INST\]"
    r"|<\|(?:im_end|endoftext|end_of_text|eos)\|>\s*(?=\S)|<eo[ahs]>|(?:\A|\n)[ ]*请你?回答[:：]"
    r"|\n[ ]*(?:Question|Q|User|Human|问题|問題|質問|질문|Pregunta|Pergunta|Frage|Вопрос|السؤال|سؤال|प्रश्न)"
    r"[ ]?\d{0,2}[ ]?[:：](?!\*)",
    re.IGNORECASE,
)
_RESPONSE = lazy_pattern(r"###[ ]?(?:Response|Assistant|Answer)[ ]?:|(?:\A|\n)ASSISTANT:[ ]")
_CONTROL = lazy_pattern(
    r"<\|(?!channel|message|start\||begin_of_|end_of_(?:box|thought))[^<>|\n]{1,40}\|>|</?s>"
    r"|<(?:eos|bos|pad|unk|end_of_turn|start_of_turn)>|\[/?INST\]|<0x0A>"
)
_LATEX_WRAP = lazy_pattern(
    r"\\(?:text|mathrm|mathbf|textbf|mathit|textit|mathsf|operatorname|bf|rm|underline|emph)\s*\{([^{}]{0,400})\}"
)
_LATEX_SPACE = lazy_pattern(
    r"\\[,;:! ]|~(?=\\|[A-Za-z]|$)|\\(?:quad|qquad|left|right|displaystyle|bf|rm)\b|\\[()\[\]]|\$"
)
_FRACTION = lazy_pattern(
    r"(?:(?<![\w.,/^\\])([0-9]{1,6})(?:[ ]|\\[,;: ])?)?"
    r"\\(?:[dtcs]|nice)?frac\s*(?:\{([0-9.]{1,12})\}|([0-9]))\s*(?:\{([0-9.]{1,12})\}|([0-9]))"
)
_LATEX_SIGNS = {
    r"\times": "×", r"\cdot": "×", r"\approx": "≈", r"\sim": "≈", r"\simeq": "≈", r"\pm": "±", r"\le": "≤",
    r"\leq": "≤", r"\ge": "≥", r"\geq": "≥", r"\rightarrow": "→", r"\to": "→", r"\Rightarrow": "→", r"\implies": "→",
    r"\checkmark": "✓", r"\%": "%", r"\circ": "°", r"\boldsymbol": "", r"\cong": "≈",
}  # fmt: skip
_LATEX_SIGN = lazy_pattern(
    "|".join(re.escape(s) + r"(?![A-Za-z])" for s in sorted(_LATEX_SIGNS, key=len, reverse=True))
)
_STRUCK = lazy_pattern(r"~~[^~\n]{1,200}~~")
_TICKED = lazy_pattern(r"^[ ]*(?:[-*•][ ]+)?\[[xX]\]", re.MULTILINE)
_UNTICKED = lazy_pattern(r"^[ ]*(?:[-*•][ ]+)?\[ \][^\n]*", re.MULTILINE)
_MARKUP = lazy_pattern(r"</?(?:[a-z][a-z0-9]{1,10}|[abipqsu])(?:\s[^<>]{0,200})?/?>")
_SCRIPT = lazy_pattern(r"<(script|style)\b[^<>]{0,200}>.{0,5000}?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Plain:
    """A response with one way of writing each character.

    Attributes:
        text: as patterns look at it.
        removed: where in `text` characters of the response were left out, in order, one for each.
        begin: where in the response `text` begins.
    """

    text: str
    removed: tuple[int, ...] = ()
    begin: int = 0

    def origin(self, position: int) -> int:
        """Find the place in the response that a place in `text` came from.

        Args:
            position: in `text`.

        Returns:
            The place in the response.
        """
        return self.begin + position + bisect_right(self.removed, position)


def plain(response: str) -> Plain:
    """Write a response in narrow forms and ASCII digits, without invisible characters, with spaces for control tokens.

    Args:
        response: any text.

    Returns:
        The text, with the way back to the places in the response.
    """
    begin = max(0, len(response) - MAX_CHARS)
    tail = response[begin:]
    removed = tuple(match.start() - i for i, match in enumerate(_INVISIBLE.finditer(tail)))
    text = (_INVISIBLE.sub("", tail) if removed else tail).translate(_NARROW)
    echoed = _RESPONSE.search(text)
    if echoed and text[echoed.end() :].strip():  # a prompt said again in front
        text = " " * echoed.end() + text[echoed.end() :]
    after = next((m.start() for m in _NEXT_TURN.finditer(text) if text[: m.start()].strip()), None)
    if after is not None:  # a next turn made up behind
        text = text[:after]
    return Plain(_CONTROL.sub(blank, text), removed, begin)


def blank(match: re.Match[str]) -> str:
    """Replace a match by as many spaces; line breaks stay.

    Args:
        match: of any pattern.

    Returns:
        A text of the same length.
    """
    return re.sub(r"[^\n]", " ", match[0])


def visible(text: str) -> str:
    """Remove characters that don't show and Arabic vowel marks.

    Args:
        text: any.

    Returns:
        The text without them.
    """
    return _INVISIBLE.sub("", text)


def without_markup(text: str) -> str:
    """Replace HTML and LaTeX commands by spaces; their contents stay. Text that is struck out or not ticked goes.

    Args:
        text: any.

    Returns:
        A text of the same length.
    """
    if "<" in text:
        text = re.sub(r"<br\s*/?>", lambda m: "\n" + " " * (len(m[0]) - 1), text, flags=re.IGNORECASE)
        text = _MARKUP.sub(blank, _SCRIPT.sub(blank, text))
    if "http" in text:
        text = re.sub(r"https?://[^\s)\]]+", blank, text)
    if "~~" in text:
        text = _STRUCK.sub(blank, text)
    if "[ ]" in text and _TICKED.search(text):
        text = _TICKED.sub(blank, _UNTICKED.sub(blank, text))
    if "__" in text:
        text = text.replace("__", "  ")
    if "\\" in text or "$" in text:
        text = _FRACTION.sub(_fraction, text)
        for _ in range(2):
            text = _LATEX_WRAP.sub(lambda m: " " * (m.start(1) - m.start()) + m[1] + " ", text)
        text = _LATEX_SIGN.sub(lambda m: _LATEX_SIGNS[m[0]].ljust(len(m[0])), text)
        text = _LATEX_SPACE.sub(blank, text)
    return text


def _fraction(match: re.Match[str]) -> str:
    """Write a LaTeX fraction as "3/4", behind a whole number as "1 3/4", or as a product where it isn't proper."""
    over, under = match[2] or match[3], match[4] or match[5]
    proper = over.isdecimal() and under.isdecimal() and int(over) < int(under)
    whole = match[1] + (" " if proper else "×") if match[1] else ""
    return f"{whole}{over}/{under}".ljust(len(match[0]))


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """Remove case, accents and spelling variants from a word.

    Args:
        word: of any script.

    Returns:
        The word as it is compared.
    """
    word = word.casefold()
    if word.isascii():
        return word
    first = word[0]
    if first < "\u0370" or "\u1e00" <= first < "\u2000":
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        return word.replace("ß", "ss")
    if "\u0400" <= first < "\u0530":
        return word.replace("ё", "е")
    if "\u0600" <= first < "\u0700":
        word = word.translate(_ARABIC)
        return _ARTICLE.sub("", word) if len(word) > 4 else word
    if "\u0900" <= first < "\u0980":
        return unicodedata.normalize("NFD", word).translate(_DEVANAGARI)
    return word


_DEVANAGARI = str.maketrans({"\u0901": "\u0902", "\u093c": None})
_ARTICLE = lazy_pattern("^[وفبك]?(?:ال|لل)")
_ARABIC = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي"})


_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|cot)"
_CLOSE = lazy_pattern(
    rf"</\s*{_NAMES}\s*>|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final(?:<\|constrain\|>\w*)?<\|message\|>"
    r"|\[/THINK\]|assistantfinal",
    re.IGNORECASE,
)
_OPEN = lazy_pattern(
    rf"<\s*{_NAMES}\s*>|◁think▷|<\|begin_of_thought\|>|<\|channel\|>(?:analysis|commentary)<\|message\|>|\[THINK\]",
    re.IGNORECASE,
)


def behind_reasoning(text: str) -> tuple[int, int, bool]:
    """Find the part of a text that isn't a reasoning trace.

    A trace may lack its opening tag, where a chat template puts it into the prompt, or its closing tag, where the
    response was cut off.

    Args:
        text: with its tags.

    Returns:
        The start and the end of that part, and whether the trace was cut off.
    """
    begin = 0
    for match in _CLOSE.finditer(text):
        begin = match.end()
    opening = _OPEN.search(text, begin)
    if opening is None:
        return begin, len(text), False
    if text[begin : opening.start()].strip():
        return begin, opening.start(), False
    return opening.start(), opening.start(), True


def without_reasoning(text: str) -> str:
    """Remove a reasoning trace.

    Args:
        text: with its tags.

    Returns:
        The part of the text that isn't one.
    """
    begin, end, _ = behind_reasoning(text)
    return text[begin:end]


def without_tags(trace: str) -> str:
    """Remove the tags of a reasoning trace, and keep its text."""
    return _CLOSE.sub("", _OPEN.sub("", trace))
