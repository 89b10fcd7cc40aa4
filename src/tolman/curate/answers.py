"""Options and answer of a question set's row → a candidate of some kind.

The mapping names the kind of a question type (`kinds`). Where it names none, a row with options is multiple choice, and
another one is a number or a free text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tolman.benchmarks.rows import Row
from tolman.curate.candidates import TEXT, Candidate
from tolman.curate.fields import Field, Unmappable, plain
from tolman.curate.mapping import Mapping
from tolman.items import LETTERS, MEDIA_MARK, Unit, kind_named

_LETTER = re.compile(r"\A\s*[(\[]?([A-Za-z])[)\].:]?\s*\Z")


def answered(
    mapping: Mapping, row: Row, task: str, answer: Any, options: tuple[str, ...], common: dict[str, Any]
) -> Candidate:
    """A candidate with its kind and answer.

    Args:
        mapping: how the row is read.
        row: for further answers, where the answer is a free text.
        task: the question type.
        answer: as the row has it.
        options: texts, see `options_in`.
        common: the candidate's other fields.

    Raises:
        Unmappable: the answer is none of the kind.
        ValidationError: the question is not whole.
    """
    named = mapping.kinds.get(task, mapping.kinds.get("*"))
    if named is None and not options:
        return _open(mapping, task, answer, _also(mapping.fields.also, row), common)
    kind = kind_named(named or "choice")
    if kind.has_letters:
        return Candidate(kind=kind.name, options=options, answer=_letter(mapping, answer, options), **common)
    try:
        given = kind.released_answer(_text_or_json(answer))
    except ValueError as error:
        raise Unmappable(str(error)) from None
    return Candidate(kind=kind.name, options=options, answer=given, unit=_unit(mapping, task), **common)


def options_in(where: Field | None, row: Row) -> tuple[str, ...]:
    """The texts of the options, without the letters that some data sets write in front of them."""
    found = where.of(row) if where is not None else None
    if found is None:
        return ()
    if isinstance(found, dict):  # {"A": "left", "B": "right"}
        found = [found[key] for key in sorted(found) if found[key] not in (None, "")]
    if not isinstance(found, list):
        raise Unmappable("the options are no list")
    texts = [plain(option).strip() for option in found]
    lettered = [re.match(rf"\(?{letter}[).:]\s*", text) for letter, text in zip(LETTERS, texts, strict=False)]
    if len(lettered) == len(texts) and all(lettered):
        texts = [text[match.end() :] for text, match in zip(texts, lettered, strict=True) if match]
    told_apart = [" ".join(text.casefold().split()) for text in texts if MEDIA_MARK not in text]
    if "" in told_apart:
        raise Unmappable("an option is empty")
    if len(set(told_apart)) < len(told_apart):
        raise Unmappable("two options are the same")
    return tuple(texts)


def _letter(mapping: Mapping, answer: Any, options: tuple[str, ...]) -> str:
    """The letter of the right option."""
    text = plain(answer).strip()
    if mapping.answer in ("index", "position"):
        if not text.lstrip("-").isdigit():
            raise Unmappable(f"the answer {text[:40]!r} is no number of an option")
        place = int(text) - (mapping.answer == "position")
        if not 0 <= place < len(options):
            raise Unmappable(f"the answer {text[:40]!r} is none of the {len(options)} options")
        return LETTERS[place]
    if mapping.answer == "letter":
        match = _LETTER.match(text)
        if match is None or match[1].upper() not in LETTERS[: len(options)]:
            raise Unmappable(f"the answer {text[:40]!r} is no letter of an option")
        return match[1].upper()
    wanted = " ".join(text.casefold().split())
    hits = [i for i, option in enumerate(options) if " ".join(option.casefold().split()) == wanted]
    if len(hits) != 1:
        raise Unmappable(f"the answer {text[:40]!r} is {'none' if not hits else 'several'} of the options")
    return LETTERS[hits[0]]


def _open(mapping: Mapping, task: str, answer: Any, also: tuple[str, ...], common: dict[str, Any]) -> Candidate:
    """A candidate with a number or a text as its answer."""
    if isinstance(answer, list | dict | bytes):
        raise Unmappable("the answer is no text")
    text = plain(answer).strip()
    if mapping.open != "text":
        try:
            number = kind_named("number").released_answer(text)
        except ValueError as error:
            if mapping.open == "number":
                raise Unmappable(str(error)) from None
        else:
            return Candidate(kind="number", answer=number, unit=_unit(mapping, task), **common)
    return Candidate(kind=TEXT, answer=text, also=also, **common)


def _unit(mapping: Mapping, task: str) -> Unit | None:
    return mapping.units.get(task, mapping.units.get("*"))


def _text_or_json(answer: Any) -> str:
    if not isinstance(answer, list | dict | bytes):
        return plain(answer).strip()
    try:
        return json.dumps(answer, ensure_ascii=False)
    except TypeError:
        raise Unmappable("the answer is no text") from None


def _also(where: Field | None, row: Row) -> tuple[str, ...]:
    found = where.of(row) if where is not None else None
    if found is None:
        return ()
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("answer") if isinstance(part, dict) else part for part in parts]
    return tuple(dict.fromkeys(plain(text).strip() for text in texts if text not in (None, "")))
