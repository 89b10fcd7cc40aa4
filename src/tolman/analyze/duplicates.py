"""Near-duplicate questions, within a pool and between benchmarks, and media that are the same.

Two questions are near-duplicates where they are about the same media, say the same, and have the same options or the
same answer. Texts alone don't suffice: thousands of rooms are asked for their number of chairs. Nor does likeness: long
templates differ in one word, which makes all the difference. So pairs are found by MinHash (Broder 1997) with banding,
and must share most of their five-letter pieces. They say the same if all words that carry meaning have the same order,
slips of spelling aside.

Media are the same where their perceptual hashes differ in few bits; absent files are compared by their names.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from tolman.extras import Image
from tolman.items import Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, need_pillow
from tolman.parallel import Workers, parallel_map, place_of


class Links:
    """Groups of elements that are linked, directly or through others.

    Args:
        count: number of elements, which are named by their positions.
    """

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, i: int) -> int:
        """The first of the group that one is in."""
        parent = self._parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def join(self, a: int, b: int) -> None:
        """Link two."""
        a, b = self.root(a), self.root(b)
        self._parent[max(a, b)] = min(a, b)  # the first of a group stays its root

    def groups(self) -> list[list[int]]:
        """All groups, each in rising order, those of one among them."""
        found: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            found.setdefault(self.root(i), []).append(i)
        return list(found.values())


BITS = 4
"""The most bits of 64 in which the perceptual hashes of the same picture differ."""
LEAST_CONTRAST = 4.0
"""The least standard deviation of a picture's shades of grey, 0 to 255, if it is more than one colour."""
MANY = 500
"""Files that are looked at by more than one process unasked."""
_SAMPLE = Frames(count=3, quality=85, longest_side=256)

Hashes = NDArray[np.uint64]


def media_names(
    media: Iterable[Sequence[Media]],
    data: Path,
    frames: FrameStore | None,
    bits: int = BITS,
    workers: Workers | None = None,
) -> tuple[list[str], int]:
    """Return a name for the media of each question, the same for the same pictures.

    Args:
        media: of each question.
        data: the folder that they are relative to.
        frames: where pictures are decoded to; None goes by the names of the files alone.
        bits: the most bits in which hashes of the same picture differ.
        workers: that look at the files. Default: processes where there are many.

    Returns:
        The names, and how many media could be looked at.
    """
    lists = [tuple(one) for one in media]
    unique = sorted({medium for one in lists for medium in one}, key=lambda m: (m.path, m.part or (), m.start or 0.0))
    named: dict[Media, str] = {}
    for medium in unique:
        part = "" if medium.part is None else f"#{medium.part[0]}.{medium.part[1]}"
        span = "" if medium.start is None and medium.end is None else f"@{medium.start}-{medium.end}"
        named[medium] = f"{PurePosixPath(medium.path).stem.casefold()}{part}{span}"
    hashes: list[int] = []
    hashed: list[Media] = []
    if frames is not None:
        there = [medium for medium in unique if (data / medium.path).is_file()]
        workers = workers or place_of(None, None, few=len(there) < MANY)
        jobs = ((frames.root, data, medium) for medium in there)
        for medium, found in zip(there, parallel_map(_look, jobs, workers, shared=(data,)), strict=True):
            hashes += found
            hashed += [medium] * len(found)
    if hashes:
        pictures = near_pictures(np.array(hashes, dtype=np.uint64), bits)
        seen: dict[Media, list[int]] = {}
        for medium, group in zip(hashed, pictures, strict=True):
            seen.setdefault(medium, []).append(group)
        named.update({medium: "=" + ".".join(map(str, groups)) for medium, groups in seen.items()})
    return ["|".join(named[medium] for medium in one) for one in lists], len(set(hashed))


def _look(job: tuple[Path, Path, Media]) -> list[int]:
    """The hashes of some frames of a medium; none of a broken one."""
    root, data, medium = job
    try:
        return [picture_hash(Path(one.path).read_bytes()) for one in FrameStore(root).pictures(data, medium, _SAMPLE)]
    except BrokenMediaError:
        return []


def picture_hash(data: bytes) -> int:
    """The perceptual hash of a picture: signs of its 63 lowest frequencies about their median, 64 bits.

    Source: the DCT hash of Zauner 2010, "Implementation and benchmarking of perceptual image hash functions", 3.2.1.

    Raises:
        BrokenMediaError: the bytes are no picture.
        MissingExtraError: Pillow is not installed.
    """
    return _hash(_grey(data))


def contrasting_hash(data: bytes) -> int | None:
    """The perceptual hash of a picture; None if it is nearly of one colour, as all such pictures look alike.

    Raises:
        BrokenMediaError: the bytes are no picture.
        MissingExtraError: Pillow is not installed.
    """
    grey = _grey(data)
    return _hash(grey) if grey.std() >= LEAST_CONTRAST else None


def _grey(data: bytes) -> NDArray[np.float64]:
    """A picture in 32 × 32 shades of grey, 0 to 255."""
    need_pillow()

    try:
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("L").resize((32, 32), Image.Resampling.LANCZOS), dtype=np.float64)
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise BrokenMediaError(f"is no readable picture ({error})") from None


def _hash(grey: NDArray[np.float64]) -> int:
    low = (_DCT @ grey @ _DCT.T).ravel()
    signs = low[1:] > np.median(low[1:])
    return int(sum(1 << i for i, sign in enumerate(signs) if sign))


def near_pictures(hashes: Hashes, bits: int = BITS) -> list[int]:
    """A number for each picture, the same for those that are linked by hashes that differ in at most so many bits.

    Args:
        hashes: shape (pictures,).
        bits: 0 to 7; all such pairs are found: at least one of four parts of 16 bits differs in one bit at most.
    """
    unique, place = np.unique(hashes, return_inverse=True)
    links = Links(len(unique))
    flips = [0] if bits < 4 else [0, *(1 << i for i in range(16))]
    for part in range(4):
        keys = ((unique >> np.uint64(16 * part)) & np.uint64(0xFFFF)).astype(np.int64)
        order = np.argsort(keys, kind="stable")
        ranked = keys[order]
        for flip in flips:
            start = np.searchsorted(ranked, keys ^ flip, "left")
            counts = np.searchsorted(ranked, keys ^ flip, "right") - start
            for first, others in _expanded(start, counts):
                seconds = order[others]
                near = differing_bits(unique[first] ^ unique[seconds]) <= bits
                for a, b in zip(first[near].tolist(), seconds[near].tolist(), strict=True):
                    links.join(a, b)
    roots = [links.root(i) for i in range(len(unique))]
    return [roots[i] for i in place.ravel().tolist()]


def _expanded(
    starts: NDArray[np.int64], counts: NDArray[np.int64], most: int = 2_000_000
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Ranges written out: (which, position) pairs, in parts that fit into memory."""
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, "right")))
        part = counts[begin:end]
        which = np.repeat(np.arange(begin, end), part)
        inner = np.arange(len(which)) - np.repeat(np.cumsum(part) - part, part)
        yield which, np.repeat(starts[begin:end], part) + inner
        begin = end


def differing_bits(values: Hashes) -> NDArray[np.int64]:
    """Count the bits that are set."""
    total = np.zeros(len(values), dtype=np.int64)
    for part in range(4):
        total += _BITS_OF[((values >> np.uint64(16 * part)) & np.uint64(0xFFFF)).astype(np.int64)]
    return total


_BITS_OF = np.array([n.bit_count() for n in range(1 << 16)], dtype=np.int64)
_DCT = np.array([[np.cos(np.pi * (2 * x + 1) * u / 64) for x in range(32)] for u in range(8)])


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
"""Words that two wordings of one question may differ in; none for directions, places or numbers."""

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class QuestionText:
    """Parts of a question that are compared.

    Attributes:
        id: unique among all that are compared, or within its `origin`.
        origin: the pool or benchmark that it is from.
        text: the question as `comparable` has it.
        media: a name for its media; '' if it has none.
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
        """Return the parts of a benchmark's question."""
        told = "|".join(sorted(comparable(option) for option in options))
        return cls(id, origin, comparable(question), media, comparable(answer), told)

    def repeats(self, other: QuestionText) -> bool:
        """Check whether two questions with the same text about the same media are one."""
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
    """Check whether two texts have the same words in the same order, apart from words without meaning here (`FILLERS`)
    and for one wrong letter in a long word.

    Args:
        first, second: as `comparable` gives them.
    """
    a, b = telling(first).split(), telling(second).split()
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
    worded = [telling(text) for text in texts]
    for told in ("answer", "options"):  # the same words are found without fail, slips of spelling by likeness
        firsts: dict[tuple[str, str, str], int] = {}
        for i, question in enumerate(questions):
            links.join(firsts.setdefault((worded[i], question.media, getattr(question, told)), i), i)
    del worded
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


def telling(text: str) -> str:
    """A text of `comparable` without the words of `FILLERS`."""
    return " ".join(word for word in text.split() if word not in FILLERS)


def _slip(a: str, b: str) -> bool:
    """Check whether two long words differ in one letter, which is changed, missing or too many."""
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 1 or any(c.isdigit() for c in a + b):
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    return rest_a[1:] == rest_b[1:] or rest_a == rest_b[1:] or rest_a[1:] == rest_b


def _set_of(text: str) -> set[str]:
    text = text.ljust(PIECE)
    return {text[i : i + PIECE] for i in range(len(text) - PIECE + 1)}
