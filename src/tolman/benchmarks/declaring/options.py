"""Options of a row, in the forms that releases have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tolman.benchmarks.declaring.schema import Options
from tolman.benchmarks.fields import Unmappable, plain
from tolman.benchmarks.rows import Row
from tolman.items import LETTERS

_MARKER = re.compile(r"(?:\A|(?<=[\s,;(]))\(?([A-Z])[.):](?=\s)")
"""The letter of an inline option: "A. left", "(A) left", "A) left", "A: left"."""


def options_of(where: Options, row: Row) -> tuple[str, ...]:
    """The texts of the options that stand in a column of their own.

    Raises:
        Unmappable: there are none, one is empty, or they have another form.
    """
    assert where.origin is not None
    found = where.origin.allowing(where.optional).of(row)
    if found is None:
        return ()
    texts = _texts(where.form, found)
    if where.lettered:
        taken_off = without_letters(texts)
        if taken_off is None and where.lettered is True:
            raise Unmappable(f"the options {' / '.join(texts)[:80]!r} don't begin with their letters")
        texts = texts if taken_off is None else taken_off
    if "" in texts:
        raise Unmappable("an option is empty")
    return tuple(texts)


def _texts(form: str, found: Any) -> list[str]:
    if form == "mapping":
        if not isinstance(found, dict):
            raise Unmappable("the options are no mapping of letters to texts")
        found = [found[key] for key in sorted(found) if found[key] not in (None, "")]
    elif form == "lines":
        if not isinstance(found, str):
            raise Unmappable("the options are no text")
        return [line.strip() for line in found.split("\n") if line.strip()]
    elif not isinstance(found, list):
        raise Unmappable("the options are no list")
    return [plain(one).strip() for one in found]


def without_letters(texts: Sequence[str]) -> list[str] | None:
    """Options without the letters in front of them; None where one doesn't begin with its own."""
    found = [re.match(rf"\(?{letter}[).:]\s*", text) for letter, text in zip(LETTERS, texts, strict=False)]
    if len(found) < len(texts) or not all(found):
        return None
    return [text[match.end() :] for text, match in zip(texts, found, strict=True) if match]


def split_inline(text: str) -> tuple[str, tuple[str, ...]]:
    """A question with its options inside, as its stem and their texts.

    The options are the longest chain of letters from A on, none of which stands alone; of equally long ones the last.
    The last option goes to the end of the text.

    Raises:
        Unmappable: there are not two of them.
    """
    chains: list[list[re.Match[str]]] = []
    for match in _MARKER.finditer(text):
        for chain in chains:
            if len(chain) == LETTERS.index(match[1]):
                chain.append(match)
        if match[1] == "A":
            chains.append([match])
    found: tuple[str, tuple[str, ...]] = ("", ())
    for chain in chains:
        ends = [*(match.start() for match in chain[1:]), len(text)]
        texts = tuple(text[match.end() : end].strip(" \t\r\n,;(") for match, end in zip(chain, ends, strict=True))
        if "" not in texts and len(texts) >= max(2, len(found[1])):
            found = text[: chain[0].start()].strip(), texts
    if not found[1]:
        raise Unmappable(f"the options in the question {text[-80:]!r} can't be told apart")
    return found
