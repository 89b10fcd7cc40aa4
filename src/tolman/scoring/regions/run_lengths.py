"""Run lengths of masks as COCO has them: column by column, beginning with a run outside of the mask.

Source: cocodataset/cocoapi, common/maskApi.c (`rleEncode`, `rleToString`, `rleFrString`).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

MAX_PIXELS = 1 << 27
"""Pixels of a mask, at most: 134 million."""
_ZERO, _VALUE, _SIGN, _MORE, _BITS = 48, 0x1F, 0x10, 0x20, 5
_MAX_PIECES = 8
"""Characters of a number in the short form, at most."""


def encode(mask: Bools) -> list[int]:
    """Count the runs of a mask.

    Args:
        mask: which pixels it has. Shape (height, width).

    Returns:
        Lengths of runs in turn outside and inside of the mask, down each column, the columns from the left; their sum
        is the number of pixels.
    """
    import numpy as np

    flat = np.asarray(mask, dtype=bool).ravel(order="F")
    if not len(flat):
        return []
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    ends = [0, *changes.tolist(), len(flat)]
    runs = [after - before for before, after in itertools.pairwise(ends)]
    return [0, *runs] if flat[0] else runs


def decode(counts: Sequence[int], size: tuple[int, int]) -> Bools:
    """Make a mask of its runs.

    Args:
        counts: lengths of runs, as `encode` has them.
        size: height and width.

    Returns:
        Shape (height, width).

    Raises:
        ValueError: the runs are not those of a picture of this size.
    """
    import numpy as np

    runs = check_runs(counts, size)
    inside = np.arange(len(runs)) % 2 == 1
    return np.repeat(inside, runs).reshape(size, order="F")


def check_runs(counts: Sequence[Any], size: Sequence[Any]) -> list[int]:
    """Make sure that runs are those of a picture of a size.

    Raises:
        ValueError: they are not; the text is what is wrong, without a full stop.
    """
    if len(size) != 2 or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in size):
        raise ValueError("the mask's size is not [height, width]")
    if size[0] * size[1] > MAX_PIXELS:
        raise ValueError(f"the mask has {size[0] * size[1]:,} pixels; {MAX_PIXELS:,} are the most")
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in counts):
        raise ValueError("the mask's counts are not whole numbers from 0")
    if sum(counts) != size[0] * size[1]:
        raise ValueError(f"the mask's counts add up to {sum(counts)}, its size has {size[0] * size[1]} pixels")
    return list(counts)


def shortened(counts: Sequence[int]) -> str:
    """Write runs in COCO's short form, a text of ASCII characters."""
    text = []
    for i, count in enumerate(counts):
        left = count - counts[i - 2] if i > 2 else count
        more = True
        while more:
            piece = left & _VALUE
            left >>= _BITS
            more = left != -1 if piece & _SIGN else left != 0
            text.append(chr((piece | _MORE if more else piece) + _ZERO))
    return "".join(text)


def lengthened(text: str) -> list[int]:
    """Read COCO's short form; the inverse of `shortened`.

    Raises:
        ValueError: the text is none.
    """
    counts: list[int] = []
    value = pieces = 0
    for character in text:
        piece = ord(character) - _ZERO
        if not 0 <= piece < 2 * _MORE or pieces == _MAX_PIECES:
            raise ValueError("the mask's counts are no run lengths in COCO's short form")
        value |= (piece & _VALUE) << _BITS * pieces
        pieces += 1
        if piece & _MORE:
            continue
        if piece & _SIGN:
            value |= -1 << _BITS * pieces
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = pieces = 0
    if pieces:
        raise ValueError("the mask's counts break off")
    return counts
