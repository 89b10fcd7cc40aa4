"""Trajectories of a sensor: files of poses and of angular rates, and their readers from bags."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds.bags import bag_poses, bag_rates, is_bag


def read_trajectory(path: Path, topic: str | None = None) -> tuple[Floats, Floats]:
    """Poses of a sensor in the scene, from a bag or from text in the TUM form: `time x y z qx qy qz qw` in each line.

    Returns:
        Times by the clock that stands there, rising, shape (n,); poses, shape (n, 4, 4).

    Raises:
        InputError: it can't be read, a line has other numbers, times don't rise, or there are fewer than two poses.
    """
    times, poses = bag_poses(path, topic) if is_bag(path) else _from_text(path)
    if len(times) < 2:
        raise InputError(path, f"holds {len(times)} poses, and two are needed")
    rising = np.concatenate([[True], np.diff(times) > 0])
    if not rising.all():
        raise InputError(path, "the times of its poses don't rise", row=int(np.flatnonzero(~rising)[0]) + 1)
    if not np.isfinite(poses).all():
        raise InputError(
            path, "holds a pose that isn't finite", row=int(np.flatnonzero(~np.isfinite(poses).all((1, 2)))[0]) + 1
        )
    return times, poses


def read_rates(path: Path, topic: str | None = None) -> tuple[Floats, Floats]:
    """Angular rates of an inertial unit, from a bag or from text: `time wx wy wz …`, seconds and rad/s.

    Raises:
        InputError: it can't be read.
    """
    if is_bag(path):
        return bag_rates(path, topic)
    table = _table(path, 4)
    order = np.argsort(table[:, 0], kind="stable")
    return table[order, 0], table[order, 1:4]


def _from_text(path: Path) -> tuple[Floats, Floats]:
    from scipy.spatial.transform import Rotation

    table = _table(path, 8)
    lengths = np.linalg.norm(table[:, 4:8], axis=1)
    if (np.abs(lengths - 1) > 0.01).any():
        row = int(np.flatnonzero(np.abs(lengths - 1) > 0.01)[0]) + 1
        raise InputError(path, f"pose {row} has a quaternion of length {lengths[row - 1]:.3g}, not 1")
    poses = np.tile(np.eye(4), (len(table), 1, 1))
    poses[:, :3, :3] = Rotation.from_quat(table[:, 4:8]).as_matrix()
    poses[:, :3, 3] = table[:, 1:4]
    return table[:, 0], poses


def _table(path: Path, least: int) -> Floats:
    """The numbers of a text file, one row in each line, by spaces or commas; '#' and a header line are passed over."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read ({error})") from None
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=1):
        parts = line.replace(",", " ").split()
        if not parts or parts[0].startswith("#"):
            continue
        try:
            row = [float(part) for part in parts[:least]]
        except ValueError:
            if not rows and number == 1:
                continue
            raise InputError(path, "a line holds something that is no number", row=number) from None
        if len(row) < least or not np.isfinite(row).all():
            raise InputError(path, f"a line has not {least} numbers that are finite", row=number)
        rows.append(row)
    if not rows:
        raise InputError(path, "holds no numbers")
    return np.array(rows)
