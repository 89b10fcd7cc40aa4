"""Claims of a LAZ file about its own packing, held to its size before it is unpacked.

Nothing that is packed tells how much it unpacks to, so these numbers alone decide what the decoder allocates. Sources:
the LASzip record (VLR 'laszip encoded', 22204) and, for point formats 6 to 10, the head of each chunk: the first point
as it is, the number of points, and the bytes of each layer.
"""

from __future__ import annotations

import struct
from pathlib import Path

from tolman.errors import InputError
from tolman.ingest.clouds.sweep import checked_count

_MARK = b"laszip encoded\0\0"
_AFTER = 52
"""Bytes from the mark in a record's head to what follows the head."""
_VARIABLE = 0xFFFFFFFF
_MOST_CHUNK = 10_000_000
_MOST_RATIO = 1000
"""So many points at most may be packed in a byte."""
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}
_EXTRA = 14
"""The kind of part that has a layer for each of its bytes."""


def check_packed(path: Path, first: int, points: int, width: int) -> None:
    """Hold the counts of a LAZ file to each other and to its size.

    Args:
        path: the file.
        first: byte at which its points begin.
        points: how many its header promises.
        width: bytes of each, unpacked.

    Raises:
        InputError: they can't be right.
    """
    import lazrs

    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(first + 8)
        at = head.find(_MARK) + _AFTER
        if at < _AFTER or at + 34 > first or len(head) < first + 8:
            raise InputError(path, "is no LAZ file: its record of the packing is missing")
        (chunk,) = struct.unpack_from("<I", head, at + 12)
        (count,) = struct.unpack_from("<H", head, at + 32)
        if at + 34 + 6 * count > first:
            raise InputError(path, f"its record of the packing promises {count} parts of a point")
        parts = [struct.unpack_from("<HH", head, at + 34 + 6 * i) for i in range(count)]
        if sum(part[1] for part in parts) != width:
            raise InputError(path, f"its points are of {width} bytes, and packed as {sum(part[1] for part in parts)}")
        (table,) = struct.unpack_from("<q", head, first)
        if not first + 8 <= table <= size - 8:
            raise InputError(path, f"is cut off: its table of chunks should be at byte {table:,} of {size:,}")
        file.seek(table)
        _, chunks = struct.unpack("<II", file.read(8))
        checked_count(path, points, 1, _MOST_RATIO * (table - first - 8), first)
        if chunk != _VARIABLE and not 0 < chunk <= _MOST_CHUNK:
            raise InputError(path, f"its header promises chunks of {chunk:,} points")
        if chunk != _VARIABLE and chunks != -(-points // chunk):
            raise InputError(
                path, f"its {points:,} points in chunks of {chunk:,} don't make the {chunks:,} of its table"
            )
        if chunks > table - first:
            raise InputError(path, f"its table promises {chunks:,} chunks in {table - first:,} bytes")
        file.seek(first)
        rows = lazrs.read_chunk_table(file, lazrs.LazVlr(head[at : at + 34 + 6 * count])) or []
        if sum(row[1] for row in rows) != table - first - 8:
            raise InputError(path, "its chunks don't fill the bytes between its header and their table")
        layers = sum(_LAYERS.get(kind, bytes_ if kind == _EXTRA else 0) for kind, bytes_ in parts)
        if not layers:
            return
        at = first + 8
        for number, (_, length) in enumerate(rows):
            file.seek(at + width)
            found = file.read(4 + 4 * layers)
            said = sum(struct.unpack(f"<{layers}I", found[4:])) if len(found) == 4 + 4 * layers else -1
            if said != length - width - len(found):
                raise InputError(path, f"the layers of chunk {number}, at byte {at:,}, don't fill its {length:,} bytes")
            at += length
