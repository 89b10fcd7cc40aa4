"""Clouds as PCD files in its three encodings."""

import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def save_pcd(path: Path, columns: Mapping[str, np.ndarray], encoding: str = "binary") -> None:
    """Write columns of equal length, each with the type that it has."""
    kinds = [column.dtype for column in columns.values()]
    rows = np.rec.fromarrays(list(columns.values()), names=",".join(columns))
    lines = (
        "# .PCD v0.7 - Point Cloud Data file format",
        "VERSION 0.7",
        f"FIELDS {' '.join(columns)}",
        f"SIZE {' '.join(str(kind.itemsize) for kind in kinds)}",
        f"TYPE {' '.join(kind.kind.upper() for kind in kinds)}",
        f"COUNT {' '.join('1' for _ in kinds)}",
        f"WIDTH {len(rows)}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {len(rows)}",
        f"DATA {encoding}",
    )
    with path.open("wb") as file:
        file.write("\n".join((*lines, "")).encode())
        if encoding == "ascii":
            np.savetxt(file, rows, ["%.10f" if kind.kind == "f" else "%d" for kind in kinds])
        elif encoding == "binary":
            file.write(rows.tobytes())
        else:
            content = b"".join(np.ascontiguousarray(column).tobytes() for column in columns.values())
            packed = compress_lzf(content)
            file.write(struct.pack("<II", len(packed), len(content)) + packed)


def compress_lzf(content: bytes) -> bytes:
    """Pack as LibLZF does, by the last place of each three bytes."""
    out, plain, seen, at = bytearray(), bytearray(), dict[bytes, int](), 0

    def flush() -> None:
        for start in range(0, len(plain), 32):
            part = plain[start : start + 32]
            out.extend((len(part) - 1, *part))
        plain.clear()

    while at < len(content):
        three = content[at : at + 3]
        back = at - seen.get(three, at) - 1
        seen[three] = at
        if not (len(three) == 3 and 0 <= back < 8192):
            plain.append(content[at])
            at += 1
            continue
        length = 3
        while length < 264 and at + length < len(content) and content[at + length] == content[at + length - back - 1]:
            length += 1
        flush()
        short = min(length - 2, 7)
        out.append(short << 5 | back >> 8)
        out.extend((length - 9, back & 255) if short == 7 else (back & 255,))
        at += length
    flush()
    return bytes(out)
