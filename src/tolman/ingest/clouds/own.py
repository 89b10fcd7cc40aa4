"""Tolman's own form of a LiDAR recording: a folder of binary PLY files, one for each sweep, named by its number.

Simulated and ingested recordings are kept so. Points are raw, in the sensor's coordinates at their firing; `time` is by
the sensor's own clock, and the capture's poses, one for each sweep, bring them together. Clouds that are in the scene's
coordinates already have a capture without poses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.files import atomic_write, whole_folder
from tolman.geometry.boxes import Floats
from tolman.geometry.motion import deskew, poses_at
from tolman.ingest.clouds.along import Track
from tolman.ingest.clouds.sweep import Sweep

_PLY = {"float": "<f4", "double": "<f8", "uchar": "|u1", "ushort": "<u2"}
_KINDS = {kind: name for name, kind in _PLY.items()}
_LONGEST = 0.5
"""A turn takes less; what lasts longer is a part of a large file, and is cut into …"""
_PIECE = 0.1
"""… so many seconds."""
_FAR = 1000.0
"""Metres from which on coordinates are written as doubles: a float's steps are a tenth of a millimetre there."""


def write_sweep(path: Path, points: NDArray[np.void]) -> None:
    """Points as a binary PLY.

    Args:
        path: the file.
        points: a row for each return: x, y, z in metres and, as far as they are known, intensity, time (seconds by the
            sensor's own clock) and others; floats, doubles, uchars or ushorts.
    """
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    lines += [f"property {_KINDS[points.dtype[name].str]} {name}" for name in points.dtype.names or ()]
    head = "\n".join([*lines, "end_header", ""])
    with atomic_write(path) as partial:
        partial.write_bytes(head.encode() + points.tobytes())


def read_sweep(path: Path) -> NDArray[np.void]:
    """Points of a PLY that `write_sweep` wrote.

    Raises:
        InputError: it is another file, or cut off.
    """
    data = path.read_bytes()
    head, mark, body = data.partition(b"end_header\n")
    lines = head.decode("latin-1").split("\n")
    fields = [words[1:] for line in lines if (words := line.split()) and words[0] == "property"]
    known = all(len(field) == 2 and field[0] in _PLY for field in fields)
    names = [field[-1] for field in fields]
    if not mark or lines[0] != "ply" or not known or names[:3] != ["x", "y", "z"] or len({*names}) < len(names):
        raise InputError(path, "is no sweep of a recording")
    dtype = np.dtype([(name, _PLY[kind]) for kind, name in fields])
    count = next((line.split()[-1] for line in lines if line.startswith("element vertex")), "")
    if not count.isdigit() or int(count) * dtype.itemsize != len(body):
        raise InputError(path, f"should hold {count or 'a number of'} points and has {len(body)} bytes of them")
    return np.frombuffer(body, dtype=dtype)


class Keeper:
    """Keeps the sweeps of any format in Tolman's own form, one after the other.

    Sweeps are gone through twice: `look` learns when each was taken, `write` writes them. The trajectory is finer than
    the poses of a capture, one for each sweep; so points are written where the capture's poses bring them to where the
    trajectory does, to the rounding of floats.

    Args:
        track: where the sensor was; None for clouds in the scene's coordinates.
    """

    def __init__(self, track: Track | None) -> None:
        self.track = track
        self._middles: list[float | None] = []

    def look(self, sweep: Sweep) -> None:
        """Learn when a sweep was taken."""
        self._middles += [_middle(piece) for piece in self._pieces(sweep)]

    @property
    def times(self) -> Floats:
        """The middles of what is written, by the sensor's clock, seconds, rising; none where one isn't known."""
        if any(middle is None for middle in self._middles):
            return np.zeros(0)
        times = np.sort(np.array(self._middles, dtype=np.float64))
        # Poses are told apart by their times.
        for i in range(1, len(times)):
            times[i] = max(times[i], np.nextafter(times[i - 1], np.inf))
        return times

    @property
    def poses(self) -> Floats:
        """Of the sensor at these times, shape (n, 4, 4); none without a track."""
        if self.track is None or not len(self.times):
            return np.zeros((0, 4, 4))
        return poses_at(self.track.times, self.track.poses, self.times)

    def write(self, sweeps: Iterable[Sweep], folder: Path) -> None:
        """Write the sweeps that were looked at into a folder, whole or not at all."""
        times, poses = self.times, self.poses
        ranks = np.argsort(np.argsort([middle or 0.0 for middle in self._middles], kind="stable"), kind="stable")
        with whole_folder(folder) as partial:
            number = 0
            for sweep in sweeps:
                for piece in self._pieces(sweep):
                    place = ranks[number] if len(times) else number
                    write_sweep(partial / f"{place:06d}.ply", self._rows(piece, times, poses))
                    number += 1

    def _pieces(self, sweep: Sweep) -> Iterator[Sweep]:
        """A sweep without the points of which no pose is known, cut by time if it lasts too long."""
        if not len(sweep.points):
            return
        if self.track is None:
            yield sweep
            return
        times = sweep.times if sweep.times is not None else np.full(len(sweep.points), sweep.span[0])
        known = self.track.covers(times)
        if not known.any():
            return
        times = times[known]
        own = Sweep(
            sweep.stamp, sweep.points[known], None if sweep.intensity is None else sweep.intensity[known], times
        )
        if np.ptp(times) <= _LONGEST:
            yield own
            return
        bins = np.floor(times / _PIECE)
        order = np.argsort(bins, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(bins[order])) + 1):
            intensity = None if own.intensity is None else own.intensity[part]
            yield Sweep(own.stamp, own.points[part], intensity, times[part])

    def _rows(self, sweep: Sweep, times: Floats, poses: Floats) -> NDArray[np.void]:
        points = sweep.points
        if self.track is not None:
            assert sweep.times is not None
            scene = deskew(points, sweep.times, self.track.times, self.track.poses)
            moments, index = np.unique(sweep.times, return_inverse=True)
            back = np.linalg.inv(poses_at(times, poses, moments))[index]
            points = np.einsum("nij,nj->ni", back[:, :3, :3], scene) + back[:, :3, 3]
        kind = "<f8" if len(points) and np.abs(points).max() > _FAR else "<f4"
        columns: dict[str, tuple[str, Floats | float]] = {a: (kind, points[:, i]) for i, a in enumerate("xyz")}
        if sweep.intensity is not None:
            columns["intensity"] = ("<f4", sweep.intensity)
        if sweep.times is not None or sweep.stamp is not None:
            columns["time"] = ("<f8", sweep.times if sweep.times is not None else float(sweep.stamp or 0.0))
        rows = np.zeros(len(points), dtype=[(name, column[0]) for name, column in columns.items()])
        for name, column in columns.items():
            rows[name] = column[1]
        return rows


def _middle(sweep: Sweep) -> float | None:
    if sweep.times is None and sweep.stamp is None:
        return None
    low, high = sweep.span
    return (low + high) / 2
