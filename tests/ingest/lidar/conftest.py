"""Recordings that several tests look at, made once."""

from pathlib import Path

import numpy as np
import pytest

from ingest.lidar.layouts import write_bag, write_calibration, write_pcd, write_rig, write_stamps, write_trajectory
from ingest.lidar.yard import pictures, shot


@pytest.fixture(scope="session")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hall as a rig of files: PCD sweeps, a video, trajectories in two frames, clocks to be estimated."""
    pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
    from tolman.media.video import VideoWriter

    folder = tmp_path_factory.mktemp("rig") / "hall"
    whole = shot()
    write_pcd(folder / "lidar", whole)
    write_stamps(folder / "stamps.txt", whole.stamps)
    write_trajectory(folder / "trajectory.txt", whole.times, whole.poses)
    # A camera's own odometry begins where the camera does, in a frame of its own.
    odometry = np.linalg.inv(whole.camera.poses[0]) @ whole.camera.poses
    write_trajectory(folder / "odometry.txt", whole.camera.times, odometry)
    write_calibration(folder / "calibration.json")
    _, seen = pictures(10)
    with VideoWriter(folder / "ego.mp4", (160, 120), 3, "worlds") as video:
        for picture in seen:
            video.add(picture)
    write_rig(
        folder,
        {
            "path": "lidar",
            "stamps": "stamps.txt",
            "trajectory": {"path": "trajectory.txt"},
            "clock": {"method": "estimated"},
        },
        {
            "path": "ego.mp4",
            "calibration": "calibration.json",
            "trajectory": {"path": "odometry.txt"},
            "clock": {"method": "none"},
        },
    )
    return folder


@pytest.fixture(scope="session")
def bag_rig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in one bag of ROS 2, with an inertial unit."""
    pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
    folder = tmp_path_factory.mktemp("bag") / "hall"
    folder.mkdir()
    times, seen = pictures(30)
    write_bag(folder / "drive", shot(), list(zip(times.tolist(), seen, strict=True)), ros=2, storage="mcap")
    write_calibration(folder / "calibration.json")
    write_rig(
        folder,
        {"path": "drive", "trajectory": {"path": "drive"}, "clock": {"method": "estimated"}},
        {"path": "drive", "calibration": "calibration.json", "rates": {"path": "drive"}, "rate": 1},
    )
    return folder
