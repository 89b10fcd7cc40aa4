"""A text of a few words, of which several may be accepted.

The answer is the accepted text as it is; of several a JSON list of them.
"""

from __future__ import annotations

from tolman.items import Item
from tolman.scoring.answer_texts import accepted, listed, written_list
from tolman.scoring.item_kind import ItemKind
from tolman.scoring.metrics import text_match
from tolman.scoring.parse import read_careful_words
from tolman.scoring.reading import ParsedAnswer


def _check(item: Item) -> str:
    if item.options:
        return "a question that is answered in words has no options"
    if not all(text.strip() for text in accepted(item.answer)):
        return "an accepted answer is empty"
    said = read_careful_words(item, item.answer)
    if said.value is None:
        return f"the answer {item.answer[:40]!r} holds none that can be read ({said.note})"
    return ""


def _answer_text(item: Item) -> str:
    return " or ".join(accepted(item.answer))


def _released_answer(text: str) -> str:
    """A text, or a JSON list of them, without white space around them and without those that come twice.

    Raises:
        ValueError: there is none.
    """
    found = tuple(dict.fromkeys(one.strip() for one in listed(text) or (text,) if one.strip()))
    if not found:
        raise ValueError("the answer is empty")
    return found[0] if len(found) == 1 and listed(found[0]) is None else written_list(found)


def _stated(item: Item, text: str) -> str | None:
    found: ParsedAnswer = read_careful_words(item, text)
    return None if found.value is None else str(found.value)


KIND = ItemKind(
    name="text",
    title="a few words",
    check=_check,
    read=read_careful_words,
    metric=text_match.METRICS[0],
    answer_text=_answer_text,
    right_response=lambda item: accepted(item.answer)[0],
    guesses=lambda item, answers: answers or ("nothing",),
    demand=lambda item: "Answer with a single word or a short phrase only.",
    judge_request=lambda item: "Reply with the answer that the response gives, in as few of its words as say it.",
    alike=True,
    released_answer=_released_answer,
    answer_form=lambda item: "a word or a short phrase",
    stated_answer=_stated,
    asks_for="a few words",
)
