"""Options and answer of a question set's row → a candidate of some kind.

The mapping names the kind of a question type (`kinds`). Where it names none, a row with options is multiple choice, and
another one is a number or a free text.
"""

from __future__ import annotations

from typing import Any

from tolman.benchmarks.declaring.answers import right_letter, text_or_json
from tolman.benchmarks.declaring.options import without_letters
from tolman.benchmarks.fields import Field, Unmappable, plain
from tolman.benchmarks.rows import Row
from tolman.curate.candidates import TEXT, Candidate
from tolman.curate.mapping import Mapping
from tolman.items import MEDIA_MARK, Unit, kind_named


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
    if named == TEXT or (named is None and not options):
        also = _also(mapping.fields.also, row)
        return _open(mapping, task, answer, also, common, words=named == TEXT)
    kind = kind_named(named or "choice")
    if kind.has_letters:
        return Candidate(
            kind=kind.name, options=options, answer=right_letter(mapping.answer, answer, options), **common
        )
    try:
        given = kind.released_answer(text_or_json(answer))
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
    texts = without_letters(texts) or texts
    told_apart = [" ".join(text.casefold().split()) for text in texts if MEDIA_MARK not in text]
    if "" in told_apart:
        raise Unmappable("an option is empty")
    if len(set(told_apart)) < len(told_apart):
        raise Unmappable("two options are the same")
    return tuple(texts)


def _open(
    mapping: Mapping, task: str, answer: Any, also: tuple[str, ...], common: dict[str, Any], *, words: bool
) -> Candidate:
    """A candidate with a number or a text as its answer; never a number where the mapping says that it is words."""
    if words and isinstance(answer, list) and answer and all(isinstance(one, str) for one in answer):
        answer, also = answer[0], tuple(dict.fromkeys((*answer[1:], *also)))
    if isinstance(answer, list | dict | bytes):
        raise Unmappable("the answer is no text")
    text = plain(answer).strip()
    if mapping.open != "text" and not words:
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


def _also(where: Field | None, row: Row) -> tuple[str, ...]:
    found = where.of(row) if where is not None else None
    if found is None:
        return ()
    parts = found if isinstance(found, list) else [found]
    texts = [part.get("answer") if isinstance(part, dict) else part for part in parts]
    return tuple(dict.fromkeys(plain(text).strip() for text in texts if text not in (None, "")))
