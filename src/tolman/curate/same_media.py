"""Which media are the same: by perceptual hashes that differ in few bits; of absent files, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from tolman.curate.links import Links
from tolman.items import Media
from tolman.media.sampling import Frames
from tolman.media.store import FrameStore
from tolman.media.video import BrokenMediaError, need_pillow
from tolman.parallel import Workers, parallel_map, place_of

BITS = 4
"""The most bits of 64 in which the perceptual hashes of the same picture differ."""
MANY = 500
"""Files that are looked at by more than one process unasked."""
_SAMPLE = Frames(count=3, quality=85, longest_side=256)

Words = NDArray[np.uint64]


def media_names(
    media: Iterable[Sequence[Media]],
    data: Path,
    frames: FrameStore | None,
    bits: int = BITS,
    workers: Workers | None = None,
) -> tuple[list[str], int]:
    """A name for what each question is about, the same for the same pictures.

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
    need_pillow()
    import io

    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            grey = np.asarray(image.convert("L").resize((32, 32), Image.Resampling.LANCZOS), dtype=np.float64)
    except Exception as error:  # a broken image makes Pillow's readers raise almost anything
        raise BrokenMediaError(f"is no readable picture ({error})") from None
    low = (_DCT @ grey @ _DCT.T).ravel()
    signs = low[1:] > np.median(low[1:])
    return int(sum(1 << i for i, sign in enumerate(signs) if sign))


def near_pictures(hashes: Words, bits: int = BITS) -> list[int]:
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
                near = _differing(unique[first] ^ unique[seconds]) <= bits
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


def _differing(values: Words) -> NDArray[np.int64]:
    """Count the bits that are set."""
    total = np.zeros(len(values), dtype=np.int64)
    for part in range(4):
        total += _BITS_OF[((values >> np.uint64(16 * part)) & np.uint64(0xFFFF)).astype(np.int64)]
    return total


_BITS_OF = np.array([n.bit_count() for n in range(1 << 16)], dtype=np.int64)
_DCT = np.array([[np.cos(np.pi * (2 * x + 1) * u / 64) for x in range(32)] for u in range(8)])
