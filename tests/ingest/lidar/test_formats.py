"""Clouds come back from every layout as they were written; times are the sensor's, not the recorder's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ingest.lidar.layouts import EPOCH, write_bag, write_las, write_pcd, write_ply
from ingest.lidar.yard import Shot, shot
from tolman.errors import InputError
from tolman.ingest.clouds import PointTime, Sweep, cloud_files, read_sweeps, sweep_of
from tolman.ingest.clouds.bags import (
    bag_pictures,
    bag_poses,
    bag_rates,
    bag_sweeps,
    read_rates,
    read_trajectory,
    topics,
)
from tolman.ingest.clouds.cloud_files import GPS_EPOCH, read_las, read_stamps, stamp_in_name, unix_seconds

pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
NOISE = [(0.1 * i, (np.random.default_rng(i).random((12, 16, 3)) * 255).astype(np.uint8)) for i in range(3)]


@pytest.fixture(scope="module")
def few() -> Shot:
    """Twelve sweeps, so that names that aren't padded are out of order as texts."""
    whole = shot()
    return Shot(tuple(p[::7] for p in whole.points[:12]), whole.stamps[:12], whole.times, whole.poses, whole.camera)


def check(found: list[Sweep], few: Shot, *, places: float, after: float, shift: float = 0.0) -> None:
    assert len(found) == len(few.points)
    for one, true in zip(found, few.points, strict=True):
        assert np.abs(one.points - np.column_stack([true["x"], true["y"], true["z"]])).max() <= places
        assert one.times is not None
        assert np.abs(one.times - shift - true["time"]).max() <= after


@pytest.mark.parametrize("kind", ["ascii", "binary", "binary_compressed"])
def test_pcd(few: Shot, tmp_path: Path, kind: str) -> None:
    write_pcd(tmp_path / "a", few, kind)
    assert f"DATA {kind}\n".encode() in (tmp_path / "a" / "sweep-0.pcd").read_bytes()
    check(list(read_sweeps(tmp_path / "a", few.stamps)), few, places=1e-6, after=1e-8)


def test_a_large_pcd_is_read_in_parts(few: Shot, tmp_path: Path) -> None:
    from tolman.ingest.clouds.cloud_files import read_pcd

    write_pcd(tmp_path / "a", few)
    parts = list(read_pcd(tmp_path / "a" / "sweep-3.pcd", float(few.stamps[3]), chunk=100))
    assert max(len(part.points) for part in parts) == 100
    assert np.concatenate([part.times for part in parts if part.times is not None]) == pytest.approx(
        few.points[3]["time"], abs=1e-8
    )


@pytest.mark.parametrize(("name", "standard"), [("a.las", True), ("a.laz", True), ("week.laz", False)])
def test_las(few: Shot, tmp_path: Path, name: str, standard: bool) -> None:
    write_las(tmp_path / name, few, standard=standard)
    found = list(read_las(tmp_path / name, chunk=1000))
    assert max(len(one.points) for one in found) == 1000
    points, truth = np.concatenate([one.points for one in found]), np.concatenate(few.points)
    assert np.abs(points[:, 0] - truth["x"]).max() <= 5.1e-5
    times = np.concatenate([one.times for one in found if one.times is not None])
    # A date is in Unix seconds, as the camera's computer counts them; seconds of the week are as they are.
    assert np.abs(times - (EPOCH if standard else 0.0) - truth["time"]).max() < 3e-7


def test_leap_seconds() -> None:
    # 2017-01-01T00:00:00Z is 1483228800; the GPS is 18 s ahead from then on, 17 s before.
    gps = np.array([1483228800.0 - GPS_EPOCH + 18, 1483228800.0 - 10 - GPS_EPOCH + 17])
    assert unix_seconds(gps).tolist() == [1483228800.0, 1483228790.0]


def test_ply_of_the_simulator(few: Shot, tmp_path: Path) -> None:
    write_ply(tmp_path / "p", few)
    check(list(read_sweeps(tmp_path / "p")), few, places=1e-6, after=0.0)


@pytest.mark.parametrize(("ros", "storage"), [(1, "sqlite3"), (2, "sqlite3"), (2, "mcap")])
def test_bags_by_their_header_stamps(few: Shot, tmp_path: Path, ros: int, storage: str) -> None:
    path = tmp_path / ("a.bag" if ros == 1 else "bag")
    write_bag(path, few, NOISE, ros=ros, storage=storage)
    assert {topic.name for topic in topics(path)} == {"/points", "/camera", "/pose", "/imu"}
    # Messages arrive 30 ms late; that must not be in any time.
    check(list(bag_sweeps(path)), few, places=0.0, after=3e-7, shift=EPOCH)
    seen = list(bag_pictures(path, "/camera"))
    assert [time - EPOCH for time, _ in seen] == pytest.approx([time for time, _ in NOISE], abs=1e-6)
    assert all((a == b).all() for (_, a), (_, b) in zip(seen, NOISE, strict=True))
    times, poses = bag_poses(path)
    assert np.abs(times - EPOCH - few.times).max() < 3e-7
    assert np.abs(poses - few.poses).max() < 1e-12
    assert len(bag_rates(path)[0]) == len(few.camera.times) - 1
    if storage == "mcap":
        check(list(bag_sweeps(path / "bag.mcap")), few, places=0.0, after=3e-7, shift=EPOCH)


def test_a_bag_s_topic_must_be_there_and_be_one(few: Shot, tmp_path: Path) -> None:
    write_bag(tmp_path / "a.bag", few, NOISE, ros=1)
    with pytest.raises(
        InputError, match=r"a\.bag: has no topic '/lidar' of sensor_msgs/msg/PointCloud2; topics: /camera"
    ):
        list(bag_sweeps(tmp_path / "a.bag", "/lidar"))


def columns(**more: np.ndarray) -> dict[str, np.ndarray]:
    return {axis: np.array([1.0, 2.0], dtype=np.float32) for axis in "xyz"} | more


@pytest.mark.parametrize(
    ("column", "stamp", "rule", "wanted"),
    [
        (np.array([0, 5_000_000], dtype=np.uint32), 10.0, PointTime(), [10.0, 10.005]),
        (np.array([0.0, 0.05], dtype=np.float32), 10.0, PointTime(), [10.0, 10.05]),
        (np.array([0.0, 0.05]), 1.7e9, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([4.0, 4.05]), 4.0, PointTime(), [4.0, 4.05]),
        (np.array([1_700_000_000_000_000_000, 1_700_000_000_050_000_000], dtype=np.uint64), 3.0, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([1.7e15, 1.7e15 + 5e4]), None, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([0, 50], dtype=np.uint32), 10.0, PointTime(unit="us"), [10.0, 10.00005]),
        (np.array([0.0, 0.05]), 4.0, PointTime(kind="relative"), [4.0, 4.05]),
        (np.array([0.0, 0.05]), 4.0, PointTime(kind="none"), None),
    ],
)  # fmt: skip
def test_how_the_time_of_points_is_understood(
    column: np.ndarray, stamp: float | None, rule: PointTime, wanted: list[float] | None
) -> None:
    times = sweep_of(Path("x"), columns(t=column), stamp, rule).times
    assert wanted is None if times is None else times == pytest.approx(wanted, abs=3e-7)


def test_returns_that_never_came_are_left_out() -> None:
    found = sweep_of(Path("x"), {axis: np.array([1.0, 0.0, np.nan]) for axis in "xyz"}, 0.0)
    assert found.points.tolist() == [[1.0, 1.0, 1.0]]


def test_clouds_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("s-10.pcd", "s-9.pcd", "s-100.pcd"):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in cloud_files(tmp_path)] == ["s-9.pcd", "s-10.pcd", "s-100.pcd"]
    (tmp_path / "a.las").write_bytes(b"")
    with pytest.raises(InputError, match=r"several kinds: \.las, \.pcd"):
        cloud_files(tmp_path)


def test_names_that_are_times() -> None:
    assert stamp_in_name(Path("1700000000.25.pcd")) == 1700000000.25
    assert stamp_in_name(Path("1700000000250000000.pcd")) == pytest.approx(1700000000.25)
    assert stamp_in_name(Path("000017.pcd")) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1.0\n0.5\n", "its times fall"),
        ("a\nb\n", "is no time"),
        ("", "holds no times"),
        ("1.0\nnan\n", "isn't finite"),
    ],
)
def test_broken_stamps_are_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(InputError, match=reason):
        read_stamps(tmp_path / "t.txt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 0 0 0 0 0 0 1\n", "holds 1 poses"),
        ("0 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n", "row 2: the times"),
        ("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 7\n", "pose 2 has a quaternion of length 7"),
        ("0 0 0 0 0 0 0 1\n1 0 0 0 x 0 0 1\n", "row 2: a line holds"),
        ("0 0 0 0 0 0 0 1\n1 0 0 inf 0 0 0 1\n", "row 2: a line has not 8"),
        ("0 0 0\n", "row 1: a line has not 8"),
    ],
)
def test_broken_trajectories_are_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(InputError, match=f"t.txt.*{reason}"):
        read_trajectory(tmp_path / "t.txt")


def test_rates_from_text(tmp_path: Path) -> None:
    (tmp_path / "imu.csv").write_text("time,wx,wy,wz,ax\n1.0,0.1,0.2,0.3,9\n0.5,0,0,1,9\n")
    times, rates = read_rates(tmp_path / "imu.csv")
    assert times.tolist() == [0.5, 1.0]
    assert rates.tolist() == [[0, 0, 1], [0.1, 0.2, 0.3]]
