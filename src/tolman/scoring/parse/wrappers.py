"""Answers in wrappers made for them, and the response prepared for the reader without regard to the item.

Wrappers are boxes, tags, and fields of a JSON object or of XML. A prepared response has its reasoning trace set aside,
its wrappers read, and the rest as prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tolman.scoring.parse.language_detection import all_names, languages
from tolman.scoring.parse.plain_text import Plain, behind_reasoning, plain, without_markup

MAX_INSIDE_CHARS = 2000
"""Characters in a tag, at most."""
MAX_TAGS = 64
"""Tags that are kept while a text is searched, at most; of more the last."""
MAX_OBJECTS = 40
"""Braces that may begin a JSON object, at most."""
MAX_OBJECT_CHARS = 4000
"""Characters of a JSON object, at most."""
MAX_DEPTH = 4
"""Objects within each other that are looked into for an answer, at most."""
MAX_PATH_CHARS = 100
"""Characters of the keys that lead to a field, at most."""
MAX_HASH_WORDS = 6
"""Words behind "####", at most."""

_OPENING = re.compile(r"<\s*([^<>/|\s][^<>/|\n]{0,30}?)\s*>")
_TAG_NAMES = re.compile(
    r"(?:final|my|correct|the|predicted|model)?[_ -]?(?:answer|ans|output|response|result|choice|option|letter"
    r"|prediction|conclusion|solution|final|estimate)(?:[_ -]?(?:letter|option|value|number|choice))?",
    re.IGNORECASE,
)
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>(.{0,2000}?)(?:<\|end_of_box\|>|\Z)", re.DOTALL)
_BOXED = re.compile(r"\\(?:f?boxed|fbox)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,100}\}){0,200}\}){0,500})\}")
_FINAL_HASHES = re.compile(r"^####[ \t]*([^\n#]{1,80})$", re.MULTILINE)
_KEY = re.compile(
    r"(?:final_?|predicted_?|correct_?|my_?|selected_?|chosen_?|model_?)*"
    r"(?:answer|answers|option|choice|letter|prediction|result|value|response|output|estimate|estimation|label|selection"
    r"|solution|ans|pred|conclusion|verdict|decision|final|corrected|revised|selected|chosen"
    r"|total\w*|count|distance\w*|area\w*|length\w*|longest\w*|answer_?(?:cm|m|m2|letter|option|value|text|number|choice)"
    r"|答案|最终答案|回答|选项|選項|结果|結果|最終答案|最終回答|答え|解答|정답|답|최종답|최종_답|답변|respuesta|respuesta_final"
    r"|opcion|réponse|reponse|reponse_finale|réponse_finale|antwort|endantwort|ergebnis|loesung|lösung|resposta"
    r"|valeur|valor|wert|schätzung|schaetzung|estimaci[óo]n|estimativa|opci[óo]n|opç[ãa]o|choix|auswahl|значение|оценка"
    r"|выбор|القيمة|قيمة|الخيار|اختيار|मान|विकल्प|値|推定値|选择|值|估计值|估计|数值|값|추정값|선택"
    r"|resposta_final|ответ|итоговый_ответ|итог|الإجابة|الجواب|إجابة|الإجابة_النهائية|उत्तर|अंतिम_उत्तर|जवाब)",
    re.IGNORECASE,
)
_PLAINEST = re.compile(r"final|corrected|revised|最终|最終|최종|итог|endantwort|النهائية|अंतिम", re.IGNORECASE)
_ANSWERLIKE = re.compile(
    r"answer|ans\b|option|choice|letter|pred|答|选|選|정답|답|respuesta|r[ée]ponse|antwort|resposta|ответ"
    r"|إجابة|الجواب|उत्तर|जवाब",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenField:
    """A field of a JSON object: the keys that lead to it, its value as text, and where in the response it is."""

    path: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Wrapped:
    """Content of a wrapper.

    Attributes:
        text: the content; empty for a JSON object of which no field holds the answer by its name.
        start, end: where in the response.
        rule: which kind of wrapper.
        fields: of a JSON object, unless a name says plainly which of them holds the answer.
    """

    text: str
    start: int
    end: int
    rule: str
    fields: tuple[WrittenField, ...] = ()


def wrapped(text: str) -> list[Wrapped]:
    """Find the wrappers of the first kind that a text has.

    Args:
        text: with HTML, LaTeX and Markdown.

    Returns:
        The wrappers in order.
    """
    for found in (_tags(text), _boxes(text, _BOX_TOKENS), _boxes(text, _BOXED), list(_json_fields(text))):
        if found:
            return found
    return [
        Wrapped(m[1], m.start(1), m.end(1), "hashes")
        for m in _FINAL_HASHES.finditer(text)
        if len(m[1].split()) <= MAX_HASH_WORDS
    ]


def _tags(text: str) -> list[Wrapped]:
    """Elements whose name says that they hold the answer; the last may lack its end."""
    found: list[Wrapped] = []
    position = 0
    for match in _OPENING.finditer(text):
        if match.start() < position or not _names_an_answer(match[1]):
            continue
        closing = re.compile(rf"</\s*{re.escape(match[1])}\s*>", re.IGNORECASE).search(
            text, match.end(), match.end() + MAX_INSIDE_CHARS
        )
        if closing is None and len(text) - match.end() > MAX_INSIDE_CHARS:
            continue
        end = closing.start() if closing else len(text)
        following = _OPENING.search(text, match.end(), end) if closing is None else None
        end = following.start() if following else end
        inner = _BOXED.search(text, match.end(), end)
        start, stop = (inner.start(1), inner.end(1)) if inner else (match.end(), end)
        if text[start:stop].strip():
            found.append(Wrapped(text[start:stop], start, stop, "tag"))
        position = end
        if len(found) > MAX_TAGS:
            del found[: MAX_TAGS // 2]
    return found


def _boxes(text: str, pattern: re.Pattern[str]) -> list[Wrapped]:
    """Contents of boxes; of a box within box tokens the inner content."""
    found = []
    for match in pattern.finditer(text):
        inner = _BOXED.search(match[1]) if pattern is _BOX_TOKENS else None
        start, end = (match.start(1) + inner.start(1), match.start(1) + inner.end(1)) if inner else match.span(1)
        if text[start:end].strip():
            found.append(Wrapped(text[start:end], start, end, "box"))
    return found


@lru_cache(maxsize=1024)
def _names_an_answer(name: str) -> bool:
    """Check whether a tag's name says that it holds the answer, in any of the languages."""
    if _TAG_NAMES.fullmatch(name):
        return True
    name = name.replace("_", " ")
    everything = languages(all_names())
    return not name.isascii() and any(
        c.role == "answer" and c.end - c.start >= len(name.strip()) - 1 for c in everything.found_in(name)
    )


def _json_fields(text: str) -> Iterator[Wrapped]:
    """The field of each JSON object in a text that holds its answer; of an object only one."""
    position, tries = 0, 0
    while tries < MAX_OBJECTS:
        opening = text.find("{", position)
        if opening < 0:
            return
        tries += 1
        record, end = _object(text, opening)
        if record is None:
            position = opening + 1
            continue
        position = end
        field = _answer_field(record)
        fields = tuple(_placed(_leaves(record, ""), text, opening, end))
        if field is None and fields:
            yield Wrapped("", opening, end, "json", fields)
        if field is not None:
            key, value = field
            if _ANSWERLIKE.search(key) or _PLAINEST.search(key):
                fields = ()
            inside = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
            at = text.rfind(inside, opening, end)
            start, stop = (at, at + len(inside)) if at >= 0 and inside else (opening, end)
            yield Wrapped(_shown(record, key, value), start, stop, "json", fields)


def _placed(leaves: Iterator[tuple[str, str, str]], text: str, start: int, end: int) -> Iterator[WrittenField]:
    """Fields with their places in a text, in whose part from start to end they are written in order."""
    for path, value, written in leaves:
        at = text.find(written, max(start, text.find(path.rsplit(" ", 1)[-1], start, end)), end)
        start = at + len(written) if at >= 0 else start
        yield WrittenField(path, value, max(at, 0), start) if at >= 0 else WrittenField(path, value, start, end)


def _leaves(record: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    """The fields of an object and of those in it: the keys that lead to each, its value as text and as written."""
    for key, value in record.items():
        named = f"{path} {key.replace('_', ' ')}".strip()
        if isinstance(value, dict) and len(path) < MAX_PATH_CHARS:
            yield from _leaves(value, named)
        elif isinstance(value, bool):
            yield named, "yes" if value else "no", str(value).lower()
        elif isinstance(value, str | int | float):
            yield named, _shown(record, key, value), str(value)


def _object(text: str, opening: int) -> tuple[dict[str, Any] | None, int]:
    """The JSON object (or something close to one) that begins at a brace, and where it ends."""
    end = _matching(text, opening)
    if end is None:
        return None, opening
    body = text[opening:end]
    for attempt in (body, _repaired(body)):
        try:
            record = json.loads(attempt, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            return record, end
    return None, end


def _matching(text: str, opening: int) -> int | None:
    """The end of the object that begins at a brace; None without any."""
    depth, quoted, i, stop = 0, False, opening, min(len(text), opening + MAX_OBJECT_CHARS)
    while i < stop:
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return None


def _repaired(body: str) -> str:
    """Single quotes, bare keys and words, and a trailing comma, as models write them."""
    body = re.sub(r"(?<=[{,:\[\s])'([^'\n]{0,400})'(?=\s*[,:}\]])", lambda m: json.dumps(m[1]), body)
    body = re.sub(r"([{,]\s*)([^\W\d]\w{0,40})\s*:", r'\1"\2":', body)
    body = re.sub(r":\s*([A-Za-z])\s*([,}])", r': "\1"\2', body)
    body = re.sub(r"//[^\n]*", "", body)
    return re.sub(r",\s*([}\]])", r"\1", body)


def _answer_field(record: dict[str, Any], depth: int = 0) -> tuple[str, Any] | None:
    """The field of an object that holds its answer: the plainest name first, then the last of the others."""
    fields = [
        (str(k), v)
        for k, v in record.items()
        if isinstance(v, str | int | float | list | dict) and not isinstance(v, bool)
    ]
    simple = [
        (k, v)
        for k, v in fields
        if not isinstance(v, dict | list) or (isinstance(v, list) and v and not isinstance(v[0], dict))
    ]
    named = [(k, v) for k, v in simple if _KEY.fullmatch(k.strip().replace(" ", "_").replace("-", "_"))]
    for choose in (
        [f for f in named if _PLAINEST.search(f[0])],
        [f for f in named if _ANSWERLIKE.search(f[0])],
        [f for f in named if not isinstance(f[1], list)],
    ):
        if choose:
            return choose[-1]
    for key, value in reversed(fields):
        if isinstance(value, dict) and depth < MAX_DEPTH:
            inner = _answer_field(value, depth + 1)
            if inner is not None:
                return inner if not _ANSWERLIKE.search(key) else (key + "." + inner[0], inner[1])
    if depth == 0 and len(simple) == 1 and len(fields) == 1:
        return simple[0]
    measured = [f for f in simple if _KEY_UNIT.search(f[0]) and not isinstance(f[1], list)]
    return measured[0] if depth == 0 and len(measured) == 1 else None


_UNIT_KEY = re.compile(r"unit|unidad|unit[eé]|unidade|einheit|единиц|وحدة|इकाई|单位|單位|単位|단위", re.IGNORECASE)
_KEY_UNIT = re.compile(
    r"(?:_|\b)(m2|m²|sqm|sq_m|cm|mm|m|meters?|metres?|centimeters?|centimetres?|feet|ft|inches|in)\Z", re.IGNORECASE
)


_RELATED_KEY = re.compile(
    r"(\w+?)_(?:relative_to|compared_(?:to|with)|in_relation_to|with_respect_to|seen_from|from|vs)_(\w+)", re.IGNORECASE
)
"""Keys that name two things: the value says where the first is, seen from the second."""


def _shown(record: dict[str, Any], key: str, value: Any) -> str:
    """A field's value as text, with the unit that a neighbouring field or its name gives."""
    if isinstance(value, list):
        return ", ".join(str(v) for v in value)
    related = _RELATED_KEY.fullmatch(key)
    if related and isinstance(value, str):
        return " ".join(f"the {related[1]} is {value} of the {related[2]}".replace("_", " ").split())
    if isinstance(value, str) and not re.fullmatch(r"\s*-?[0-9]+(?:[.,][0-9]+)?\s*", value):
        return value
    unit = next((str(v) for k, v in _fields_beside(record, key) if _UNIT_KEY.search(str(k)) and isinstance(v, str)), "")
    if not unit:
        named = _KEY_UNIT.search(key)
        unit = {"m2": "m²", "sqm": "m²", "sq_m": "m²"}.get(named[1].lower(), named[1]) if named else ""
    return f"{value} {unit}".strip()


def _fields_beside(record: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    """The fields of the object that holds a key."""
    if key in record:
        return list(record.items())
    for value in record.values():
        if isinstance(value, dict):
            found = _fields_beside(value, key.rsplit(".", 1)[-1])
            if found:
                return found
    return []


HEAD_CHARS = 600
"""Characters at the beginning of a long text that are searched for commitments in prose."""
TAIL_CHARS = 3_000
"""Characters at its end that are searched."""
MAX_WRAPPERS = 8
"""Boxes, tags or objects that are looked at, the last of all."""
MAX_KEPT_CHARS = 500
"""Characters of a response whose text is prepared once however many items it answers, at most."""

_ERROR_START = re.compile(
    r"\A\W{0,8}(?:[\w.]{1,60}[ _]?)?(?:error|exception|traceback|http[ /]|failed to|failure"
    r"|request (?:failed|timed|rejected)"
    r"|rate[ _-]?limit|timed? ?out|timeout|internal server|bad gateway|service unavailable|gateway time"
    r"|too many requests|connection (?:error|refused|reset|aborted|closed)|quota|unauthorized|forbidden"
    r"|unable to (?:respond|process|connect|complete|reach)|api (?:call|request|key)|server (?:is|error|overloaded)"
    r"|\[?(?:blocked|error|failed)\]?\b)",
    re.IGNORECASE,
)
ERROR_WITHIN = re.compile(
    r"\b(?:status|error)[ _]?code\b|\bHTTP(?:/[0-9.]+)?[ ]?[1-5][0-9]{2}\b|rate[ _-]?limit(?:ed|s)?\b"
    r"|Traceback \(most recent|\btimed out\b|\bmax retries exceeded\b|\b(?:Error|Exception):",
    re.IGNORECASE,
)


def is_error_message(text: str) -> bool:
    """Check whether a text is the message of an error in place of a response.

    Args:
        text: of a response.

    Returns:
        True where it begins as such messages do.
    """
    return _ERROR_START.match(text) is not None


@dataclass(frozen=True, slots=True)
class PreparedResponse:
    """The parts of a response that the reader looks at for any item.

    Attributes:
        whole: all of it.
        begin: where in it `text` begins.
        text: the part behind its reasoning.
        cut_off: whether its reasoning has no end.
        is_error: whether it is the message of an error.
        wrappers: the last of them.
        prose: `text` without markup.
    """

    whole: Plain
    begin: int
    text: str
    cut_off: bool
    is_error: bool
    wrappers: tuple[Wrapped, ...] = ()
    prose: str = ""


def prepared(response: str) -> PreparedResponse:
    """Prepare a response, a short one once.

    Args:
        response: hostile or not.

    Returns:
        All its parts that the reader looks at for any item.
    """
    return _prepared_once(response) if len(response) <= MAX_KEPT_CHARS else _prepared(response)


def _prepared(response: str) -> PreparedResponse:
    whole = plain(response)
    begin, end, cut_off = behind_reasoning(whole.text)
    text = whole.text[begin:end]
    is_error = is_error_message(text)
    if is_error or not text.strip():
        return PreparedResponse(whole, begin, text, cut_off, is_error)
    wrappers = tuple(wrapped(text)[-MAX_WRAPPERS:])
    return PreparedResponse(whole, begin, text, cut_off, is_error, wrappers, shortened(without_markup(text)))


_prepared_once = lru_cache(maxsize=4096)(_prepared)


def shortened(text: str) -> str:
    """Blank the middle of a long text, so that places stay.

    Args:
        text: of any length.

    Returns:
        A text of the same length.
    """
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return text[:HEAD_CHARS] + "\n" + " " * (len(text) - HEAD_CHARS - TAIL_CHARS - 1) + text[-TAIL_CHARS:]
