"""Near-duplicate questions, within a pool and between benchmarks.

Two questions are near-duplicates where they are about the same media, say the same, and have the same options or the
same answer. Texts alone don't suffice: thousands of rooms are asked for their number of chairs. Nor does likeness: long
templates differ in one word, which makes all the difference. So pairs are found by MinHash (Broder 1997) with banding,
must share most of their five-letter pieces, and say the same where all words that carry meaning stand in the same
order, slips of spelling aside. Which media are the same, `same_media` tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.curate.links import Links

PIECE = 5
"""Letters in a piece of text."""
BANDS, ROWS = 15, 4
"""A pair of texts with a Jaccard index of 0.7 is found with a probability of 0.98, one of 0.5 with 0.62."""
ALIKE = 0.7
"""The least Jaccard index of near-duplicates."""
_CHUNK = 10_000

_FILLERS = (
    "a an the this that these those is are was were be been there here it its do does did can could will would shall",
    "please of and s",
)
FILLERS = frozenset(word for line in _FILLERS for word in line.split())
"""Words that two wordings of one question may differ in; none that tells directions, places or numbers apart."""

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class QuestionText:
    """Parts of a question that are compared.

    Attributes:
        id: unique among all that are compared, or within its `origin`.
        origin: the pool or benchmark that it is from.
        text: the question as `comparable` has it.
        media: a name for what it is about; '' where it has no media.
        answer: the right answer's text.
        options: all options as one text, in any order.
    """

    id: str
    origin: str
    text: str
    media: str
    answer: str
    options: str = ""

    @classmethod
    def of(
        cls, id: str, origin: str, question: str, media: str, answer: str, options: Iterable[str] = ()
    ) -> QuestionText:
        """Of a question as it stands in a benchmark."""
        told = "|".join(sorted(comparable(option) for option in options))
        return cls(id, origin, comparable(question), media, comparable(answer), told)

    def repeats(self, other: QuestionText) -> bool:
        """Tell whether two questions with the same text about the same media are one."""
        return self.options == other.options or self.answer == other.answer


@dataclass(frozen=True)
class DuplicateGroup:
    """Near-duplicates of each other.

    Attributes:
        members: their positions, rising.
        conflict: whether they have different answers.
    """

    members: tuple[int, ...]
    conflict: bool


def comparable(text: str) -> str:
    """A text without case and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def say_the_same(first: str, second: str) -> bool:
    """Tell whether two texts have the same words in the same order, apart from words without meaning here (`FILLERS`)
    and for one wrong letter in a long word.

    Args:
        first, second: as `comparable` gives them.
    """
    a, b = _telling(first).split(), _telling(second).split()
    return len(a) == len(b) and all(x == y or _slip(x, y) for x, y in zip(a, b, strict=True))


def near_duplicates(questions: Sequence[QuestionText], alike: float = ALIKE) -> list[DuplicateGroup]:
    """Groups of near-duplicates, in the order of their first members.

    Args:
        questions: all that are compared with each other.
        alike: the least Jaccard index of two texts.
    """
    links = Links(len(questions))
    texts = [question.text for question in questions]
    media = np.array([hash_of(question.media) for question in questions], dtype=np.uint64)
    telling = [_telling(text) for text in texts]
    for told in ("answer", "options"):  # the same words are found without fail, slips of spelling by likeness
        firsts: dict[tuple[str, str, str], int] = {}
        for i, question in enumerate(questions):
            links.join(firsts.setdefault((telling[i], question.media, getattr(question, told)), i), i)
    del telling
    for band in _bands(texts):
        for i, j in _equal(band ^ media):
            one, other = questions[i], questions[j]
            if links.root(i) == links.root(j) or one.media != other.media or not one.repeats(other):
                continue
            if say_the_same(one.text, other.text) and _jaccard(one.text, other.text) >= alike:
                links.join(i, j)
    groups = [members for members in links.groups() if len(members) > 1]
    return [DuplicateGroup(tuple(members), len({questions[i].answer for i in members}) > 1) for members in groups]


def leaks(
    groups: Iterable[DuplicateGroup], questions: Sequence[QuestionText]
) -> Iterator[tuple[QuestionText, QuestionText]]:
    """For each question of the first origin that has near-duplicates from another: it and the first of these."""
    own = questions[0].origin if questions else ""
    for group in groups:
        members = [questions[i] for i in group.members]
        foreign = [question for question in members if question.origin != own]
        if foreign:
            yield from ((question, foreign[0]) for question in members if question.origin == own)


def without_repeats(groups: Iterable[DuplicateGroup], ids: Sequence[str]) -> Mapping[str, str]:
    """Find the questions that leave a pool: id → the first of its group, which stays."""
    return {ids[i]: ids[group.members[0]] for group in groups for i in group.members[1:]}


def hash_of(text: str) -> int:
    """64 bits of a text, the same in every process."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _bands(texts: Sequence[str]) -> Iterator[Words]:
    """The hash of each band of each text's signature, band after band. Each has shape (texts,)."""
    generator = np.random.default_rng(20_251_121)
    factors = generator.integers(1, 2**63, size=BANDS * ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    signatures = np.empty((len(texts), BANDS * ROWS), dtype=np.uint32)
    for start in range(0, len(texts), _CHUNK):
        codes, offsets = _pieces(texts[start : start + _CHUNK])
        for column, factor in enumerate(factors):
            mixed = ((codes * factor) >> np.uint64(32)).astype(np.uint32)
            signatures[start : start + len(offsets), column] = np.minimum.reduceat(mixed, offsets)
    for band in range(BANDS):
        value = np.full(len(texts), band + 1, dtype=np.uint64)
        for row in signatures[:, band * ROWS : (band + 1) * ROWS].T:
            value = (value ^ row) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(29)
        yield value


def _pieces(texts: Sequence[str]) -> tuple[Words, NDArray[np.int64]]:
    """All five-byte pieces of some texts, one text after the other, and where each text's begin."""
    encoded = [text.encode("utf-8", "replace").ljust(PIECE, b" ") for text in texts]
    lengths = np.array([len(one) for one in encoded])
    flat = np.frombuffer(b"".join(encoded), dtype=np.uint8).astype(np.uint64)
    codes = np.zeros(len(flat) - PIECE + 1, dtype=np.uint64)
    for i in range(PIECE):
        codes |= flat[i : len(flat) - PIECE + 1 + i] << np.uint64(8 * i)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    inside = np.ones(len(codes), dtype=bool)
    for i in range(1, PIECE):  # pieces that reach into the next text
        inside[starts[1:] - i] = False
    codes ^= codes >> np.uint64(17)
    kept = np.concatenate([[0], np.cumsum(lengths - PIECE + 1)[:-1]])
    return codes[inside], kept


def _equal(values: Words) -> Iterator[tuple[int, int]]:
    """Pairs of positions with the same value: each with the first one and with the one before it."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    same = np.flatnonzero(ranked[1:] == ranked[:-1]) + 1
    first = -1
    before = -2
    for i in same.tolist():
        if i != before + 1:
            first = int(order[i - 1])
        before = i
        yield first, int(order[i])
        if (previous := int(order[i - 1])) != first:
            yield previous, int(order[i])


def _jaccard(first: str, second: str) -> float:
    a, b = _set_of(first), _set_of(second)
    return len(a & b) / len(a | b)


def _telling(text: str) -> str:
    return " ".join(word for word in text.split() if word not in FILLERS)


def _slip(a: str, b: str) -> bool:
    """Tell whether two long words differ in one letter, which is changed, missing or too many."""
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 1 or any(c.isdigit() for c in a + b):
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    return rest_a[1:] == rest_b[1:] or rest_a == rest_b[1:] or rest_a[1:] == rest_b


def _set_of(text: str) -> set[str]:
    text = text.ljust(PIECE)
    return {text[i : i + PIECE] for i in range(len(text) - PIECE + 1)}
