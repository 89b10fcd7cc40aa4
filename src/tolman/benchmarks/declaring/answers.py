"""Right answers of rows, in the forms that releases have them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tolman.benchmarks.fields import Unmappable, plain
from tolman.items import LETTERS

_LETTER = re.compile(r"\A\s*(?:[(\[]?([A-Za-z])[)\].:]?\s*\Z|[(\[]?([A-Z])[)\].:]\s)")
""""B", "(B)", "b.", or "B. right" and "(B) right" with the option's text behind the letter."""


def right_letter(form: str, answer: Any, options: Sequence[str]) -> str:
    """The letter of the right option.

    Args:
        form: 'letter', 'index' (from 0), 'position' (from 1) or 'text'.
        answer: as the row has it.
        options: texts.

    Raises:
        Unmappable: the answer is none of the options.
    """
    text = plain(answer).strip()
    if form in ("index", "position"):
        if not text.lstrip("-").isdigit():
            raise Unmappable(f"the answer {text[:40]!r} is no number of an option")
        place = int(text) - (form == "position")
        if not 0 <= place < len(options):
            raise Unmappable(f"the answer {text[:40]!r} is none of the {len(options)} options")
        return LETTERS[place]
    if form == "letter":
        match = _LETTER.match(text)
        letter = (match[1] or match[2]).upper() if match is not None else ""
        if not letter or letter not in LETTERS[: len(options)]:
            raise Unmappable(f"the answer {text[:40]!r} is no letter of an option")
        return letter
    wanted = " ".join(text.casefold().split())
    hits = [i for i, option in enumerate(options) if " ".join(option.casefold().split()) == wanted]
    if len(hits) != 1:
        raise Unmappable(f"the answer {text[:40]!r} is {'none' if not hits else 'several'} of the options")
    return LETTERS[hits[0]]


def text_or_json(answer: Any) -> str:
    """An answer as a text; a list or mapping as JSON.

    Raises:
        Unmappable: it is neither.
    """
    if not isinstance(answer, list | dict | bytes):
        return plain(answer).strip()
    try:
        return json.dumps(answer, ensure_ascii=False)
    except TypeError:
        raise Unmappable("the answer is no text") from None
