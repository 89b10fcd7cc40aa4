"""Breaking a scan's files at random, for any format: what comes of it is a scene or one sentence that names a file."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from tolman.errors import TolmanError
from tolman.ingest.scan_format import Format, RawScene

HEAD = 700
"""Bytes at a file's beginning in which most of its counts and sizes stand."""


def read_all(kind: Format, root: Path) -> list[RawScene]:
    """Read every scene of a folder, with every picture and mask."""
    found = []
    for source in kind.find(root):
        reading = kind.read(source)
        for recording in reading.recordings:
            count = len(recording.times)
            if recording.pictures is not None:
                for _ in recording.pictures(range(count)):
                    pass
            for frame in range(count if recording.masks is not None else 0):
                assert recording.masks is not None
                recording.masks(frame)
        found.append(reading)
    return found


def cut(path: Path, draw: random.Random) -> None:
    """End a file before its end."""
    data = path.read_bytes()
    path.write_bytes(data[: draw.randrange(len(data))])


def spoil(path: Path, draw: random.Random) -> None:
    """Change a few bytes, most of them in the head."""
    data = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 4)):
        reach = min(len(data), HEAD) if draw.random() < 0.7 else len(data)
        data[draw.randrange(reach)] = draw.choice([0, 255, 45, 57, draw.randrange(256)])
    path.write_bytes(data)


def fuzz(kind: Format, scan: Path, work: Path, names: Sequence[str], *, seed: int, rounds: int, must_fail: bool) -> int:
    """Break one file after the other; how many readings ended in an error.

    Args:
        kind: the format.
        scan: a whole scan's folder.
        work: an empty folder.
        names: the files that are broken in turn, relative to the scan.
        seed: of what is drawn.
        rounds: how often.
        must_fail: cut files short, which every reader must notice; else change bytes, which some can't.
    """
    draw = random.Random(seed)
    copy = work / scan.name
    shutil.copytree(scan, copy)
    failed = 0
    for number in range(rounds):
        file = copy / names[number % len(names)]
        whole = file.read_bytes()
        (cut if must_fail else spoil)(file, draw)
        try:
            read_all(kind, copy)
        except TolmanError as error:
            failed += 1
            assert str(copy) in str(error), f"{file.name}: {error}"
            assert "\n" not in str(error)
        else:
            assert not must_fail, (
                f"round {number}: {file.name} was cut to {file.stat().st_size:,} of {len(whole):,} bytes"
            )
        file.write_bytes(whole)
    return failed
