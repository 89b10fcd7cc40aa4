"""Clouds in files: which they are, in what order, when each was taken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds.las import read_las
from tolman.ingest.clouds.pcd import read_pcd
from tolman.ingest.clouds.sweep import AUTO, PointTime, Sweep, sweep_of
from tolman.ingest.readers.numbers import in_order
from tolman.ingest.readers.ply import read_ply

SUFFIXES = (".pcd", ".las", ".laz", ".ply")


def cloud_files(place: Path) -> list[Path]:
    """The clouds of a folder in the order of the numbers in their names, or the one file.

    Raises:
        InputError: there are none, or of several kinds.
    """
    if place.is_file():
        return [place]
    found = [path for path in place.iterdir() if path.suffix.lower() in SUFFIXES] if place.is_dir() else []
    if not found:
        raise InputError(place, f"holds no clouds ({', '.join(SUFFIXES)})")
    kinds = {path.suffix.lower() for path in found}
    if len(kinds) > 1:
        raise InputError(place, f"holds clouds of several kinds: {', '.join(sorted(kinds))}")
    return in_order(found)


def stamp_in_name(path: Path) -> float | None:
    """When a cloud was taken, if its name is a time: seconds with a point, or whole nano-, micro- or milliseconds."""
    if re.fullmatch(r"\d{9,10}\.\d+", path.stem):
        return float(path.stem)
    for digits, scale in ((19, 1e-9), (16, 1e-6), (13, 1e-3)):
        if re.fullmatch(rf"\d{{{digits}}}", path.stem):
            return int(path.stem) * scale
    return None


def read_stamps(path: Path) -> Floats:
    """One time for each sweep or frame: the first number of each line, seconds; a header and '#' lines are passed over.

    Raises:
        InputError: a line has no number, or times fall.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read ({error})") from None
    found: list[float] = []
    for number, line in enumerate(lines, start=1):
        text = re.split(r"[,;\s]+", line.strip())[0]
        if not text or line.lstrip().startswith("#"):
            continue
        try:
            found.append(float(text))
        except ValueError:
            if not found and number == 1:
                continue
            raise InputError(path, f"'{text[:40]}' is no time in seconds", row=number) from None
    times = np.array(found)
    if not len(times) or not np.isfinite(times).all():
        raise InputError(path, "holds no times" if not len(times) else "holds a time that isn't finite")
    if (np.diff(times) < 0).any():
        raise InputError(path, "its times fall", row=int(np.flatnonzero(np.diff(times) < 0)[0]) + 2)
    return times


def read_sweeps(place: Path, stamps: Floats | None = None, rule: PointTime = AUTO) -> Iterator[Sweep]:
    """The sweeps of a file or folder, one after the other; never more than one file's part in memory.

    Args:
        place: a cloud, or a folder of clouds.
        stamps: when each file was taken, seconds by the sensor's clock; None looks into the files and at their names.
        rule: for the time of points.

    Raises:
        InputError: a file can't be read, or there are other numbers of stamps and files.
        MissingExtraError: a package is missing that reads them.
    """
    files = cloud_files(place)
    if stamps is not None and len(stamps) != len(files):
        raise InputError(place, f"holds {len(files)} clouds, and there are {len(stamps)} times for them")
    for number, path in enumerate(files):
        stamp = float(stamps[number]) if stamps is not None else stamp_in_name(path)
        kind = path.suffix.lower()
        if kind == ".pcd":
            yield from read_pcd(path, stamp, rule)
        elif kind in (".las", ".laz"):
            for sweep in read_las(path, rule):
                yield sweep if stamp is None else Sweep(stamp, sweep.points, sweep.intensity, sweep.times)
        elif kind == ".ply":
            ply = read_ply(path)
            columns = {axis: ply.points[:, i] for i, axis in enumerate("xyz")} | ply.vertex
            yield sweep_of(path, columns, stamp, rule)
        else:
            raise InputError(path, f"is no cloud that can be read ({', '.join(SUFFIXES)})")
