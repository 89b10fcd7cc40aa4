"""Trajectory of the phone of an ARKitScenes recording: .traj and .pincam files, and its orientation.

Rules of apple/ARKitScenes: threedod/benchmark_scripts/utils/tenFpsDataLoader.py (look-up) and rectify_im.py (turning).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.readers.documents import numbers_of, read_text

NEAR = 0.005
"""Seconds within which a frame has the pose of a line, as the released loader takes it."""
GAP = 0.25
"""Seconds between two lines within which frames get a pose between theirs; 10 lines a second are usual."""
SKY = {"Up": 0, "Left": 1, "Down": 2, "Right": 3}
"""Quarter turns clockwise that make pictures upright, by metadata.csv's sky_direction."""
_LINE = 7


@dataclass(frozen=True)
class Trajectory:
    """Trajectory of a phone.

    Attributes:
        times: seconds, rising, shape (n,).
        poses: camera → world, shape (n, 4, 4).
    """

    times: Floats
    poses: Floats

    def at(self, times: Floats) -> Floats:
        """Poses of frames: that of the line whose time agrees to a millisecond, else of the nearest within `NEAR`, else
        one between two lines no more than `GAP` apart, else nan.

        Args:
            times: of the frames, seconds, shape (f,).

        Returns:
            Camera → world, shape (f, 4, 4).
        """
        from scipy.spatial.transform import Rotation, Slerp

        found = np.full((len(times), 4, 4), np.nan)
        after = np.searchsorted(self.times, times).clip(0, len(self.times) - 1)
        before = (after - 1).clip(0)
        nearest = np.where(np.abs(self.times[after] - times) <= np.abs(self.times[before] - times), after, before)
        # Names carry three decimals, so that a half of the last one is no difference.
        close = np.abs(self.times[nearest] - times) <= NEAR + 0.0005
        found[close] = self.poses[nearest[close]]
        inside = (self.times[before] < times) & (times < self.times[after])
        between = np.flatnonzero(~close & inside & (self.times[after] - self.times[before] <= GAP))
        if len(between):
            share = (times[between] - self.times[before[between]]) / (
                self.times[after[between]] - self.times[before[between]]
            )
            places = self.poses[:, :3, 3]
            found[between] = np.eye(4)
            found[between, :3, :3] = Slerp(self.times, Rotation.from_matrix(self.poses[:, :3, :3]))(
                times[between]
            ).as_matrix()
            found[between, :3, 3] = (
                places[before[between]] * (1 - share[:, None]) + places[after[between]] * share[:, None]
            )
        return found


def read_trajectory(path: Path) -> Trajectory:
    """Read a .traj file: lines of a time and of world → camera as angle-axis and translation.

    Raises:
        InputError: it is cut off, holds no line or something else than such lines.
    """
    from scipy.spatial.transform import Rotation

    lines = [(number, line.split()) for number, line in enumerate(read_text(path).splitlines(), start=1)]
    rows = [(number, words) for number, words in lines if words]
    for number, words in rows:
        if len(words) != _LINE:
            raise InputError(path, f"has {len(words)} numbers, not {_LINE}", row=number, fix="get it again")
    if not rows:
        raise InputError(path, "holds no pose")
    table = np.stack([numbers_of(path, words, number) for number, words in rows])
    table = table[np.argsort(table[:, 0], kind="stable")]
    table = table[np.append(True, np.diff(table[:, 0]) > 0)]
    far = np.abs(table[:, 1:4]).max() > 100 or np.abs(table[:, 4:]).max() > 1e4
    if far:
        raise InputError(path, "holds a pose that is out of all bounds", fix="get it again")
    turn = Rotation.from_rotvec(table[:, 1:4]).as_matrix().transpose(0, 2, 1)
    poses = np.tile(np.eye(4), (len(table), 1, 1))
    poses[:, :3, :3] = turn
    poses[:, :3, 3] = -np.einsum("nij,nj->ni", turn, table[:, 4:])
    return Trajectory(table[:, 0], poses)


def turns_of(pose: Floats) -> int:
    """Quarter turns clockwise that make a frame's picture upright.

    Args:
        pose: camera → world with z up, shape (4, 4).
    """
    candidates = np.array([[0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0]])
    return int(np.argmax(candidates @ pose[2, :3]))


def most_turns(poses: Floats) -> int:
    """The same of a whole recording: what most of its frames need."""
    known = poses[np.isfinite(poses).all((1, 2))]
    return int(np.bincount(np.array([turns_of(pose) for pose in known], dtype=np.int64), minlength=4).argmax())


def read_pincam(path: Path) -> tuple[tuple[int, int], Floats]:
    """Width and height, and fx, fy, cx, cy of a .pincam file.

    Raises:
        InputError: it holds something else.
    """
    numbers = numbers_of(path, read_text(path).split())
    if len(numbers) != 6:
        raise InputError(path, f"has {len(numbers)} numbers, not width, height, fx, fy, cx and cy", fix="get it again")
    if numbers[:4].min() <= 0 or numbers[:2].max() > 1e5 or np.abs(numbers[4:]).max() > 1e5:
        raise InputError(path, "holds a size or focal length that can't be")
    return (int(numbers[0]), int(numbers[1])), numbers[2:]
