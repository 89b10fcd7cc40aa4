"""A LiDAR recording as the pages about rigs describe one, with things where their commands measure.

The rig's `rig.json` and `calibration.json` are those that the page shows.
"""

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from docs.blocks import blocks
from tolman.files import remove, whole_folder
from tolman.geometry.boxes import Floats

PAGE = "docs/ingest/lidar.md"
ROOM = (9.0, 8.0, 2.7)
SECONDS, RATE, FRAMES = 6.0, 30, 10
"""Length of the recording, and poses and pictures of the camera a second."""
MEASURED = (("bin", (1.5, 2.5), (0.5, 0.4, 0.9)), ("case", (4.5, 2.5), (0.5, 0.5, 0.7)))
"""Name, middle and extents of the things in the boxes 1,2,… to 2,3,… and 4,2,… to 5,3,…; 2.5 m are between them."""
CRATE = (0.3, 0.25, 0.42)
"""Extents of what the pixels 210,140 to 330,300 show after 4.2 s."""
SEEN, MOMENT = (270.0, 275.0), 4.2
"""Where the middle of its foot is in that frame."""


def make_recordings(place: Path, kept: Path) -> None:
    """Write `yard` and `recordings/yard` (a rig), `worlds` (a collection with a LiDAR capture) and `hall.laz`.

    Args:
        place: the stage; what it has of these names is replaced.
        kept: where they are made by the first page that needs them.
    """
    pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
    made = kept / "recordings"
    if not made.exists():
        with whole_folder(made) as partial:
            _write_rig(partial / "recordings" / "yard")
            (partial / "yard").symlink_to(Path("recordings") / "yard")
            _write_collection(partial / "worlds", partial / "hall.laz")
    for path in made.iterdir():
        remove(place / path.name)
    shutil.copytree(made, place, symlinks=True, dirs_exist_ok=True)


def _shown(field: str) -> str:
    """The first JSON of the page with a field."""
    return next(block.text for block in blocks(PAGE) if block.language == "json" and field in block.text)


@cache
def _calibration() -> tuple[Floats, Floats, tuple[int, int]]:
    """The matrix of the camera, LiDAR → camera, and the size of the pictures, as the page shows them."""
    shown = json.loads(_shown('"T_cam_lidar"'))
    width, height = shown["size"]
    return np.array(shown["K"], dtype=float), np.array(shown["T_cam_lidar"], dtype=float), (width, height)


@cache
def _carried():  # type: ignore[no-untyped-def]
    """The camera: around the middle of the yard, looking down and to and fro unevenly."""
    from tolman.simulate.walks import Walk, looking

    times = np.arange(round(SECONDS * RATE) + 1) / RATE
    angle = 2 * np.pi * times / SECONDS + 0.4
    places = np.column_stack([4.2 + 1.2 * np.cos(angle), 4.6 + 0.9 * np.sin(angle), np.full(len(times), 1.5)])
    yaw = angle + np.pi / 2 + 0.5 * np.sin(2.1 * times) + 0.25 * np.sin(3.7 * times + 1) + 0.1 * np.sin(9 * times)
    pitch = -np.radians(30) + 0.03 * np.sin(2.6 * times)
    return Walk(times, looking(places, yaw, pitch, 0.02 * np.sin(3.1 * times)))


def _world(identity: str):  # type: ignore[no-untyped-def]
    from ingest.lidar.yard import Thing, room_of
    from tolman.geometry.motion import poses_at

    things = [Thing(name, middle, extents) for name, middle, extents in MEASURED]
    carried = _carried()
    pose = poses_at(carried.times, carried.poses, np.array([MOMENT]))[0]
    ray = pose[:3, :3] @ np.linalg.inv(_calibration()[0]) @ np.array([*SEEN, 1.0])
    foot = pose[:3, 3] - ray * pose[2, 3] / ray[2]
    things.append(Thing("crate", (float(foot[0]), float(foot[1])), CRATE))
    return room_of(tuple(things), ROOM, identity)


def _write_rig(folder: Path) -> None:
    from scipy.spatial.transform import Rotation

    from ingest.lidar.layouts import write_pcd, write_stamps, write_trajectory
    from ingest.lidar.yard import recorded
    from tolman.media.video import VideoWriter

    _, mounted, size = _calibration()
    carried = _carried()
    shot = recorded(_world("campus/yard"), carried, mounted)
    write_pcd(folder / "lidar", shot)
    write_stamps(folder / "stamps.txt", shot.stamps)
    write_trajectory(folder / "trajectory.txt", shot.times, shot.poses)
    turns = Rotation.from_matrix(carried.poses[:, :3, :3])
    rates = (turns[:-1].inv() * turns[1:]).as_rotvec() * RATE
    middles = (carried.times[1:] + carried.times[:-1]) / 2
    rows = [",".join(f"{value:.9f}" for value in row) for row in np.column_stack([middles, rates])]
    (folder / "imu.csv").write_text("\n".join(rows) + "\n")
    with VideoWriter(folder / "ego.mp4", size, FRAMES, "worlds") as video:
        grey = np.full((size[1], size[0], 3), 128, dtype=np.uint8)
        for _ in range(round(SECONDS * FRAMES) + 1):
            video.add(grey)
    (folder / "rig.json").write_text(_shown('"rates"'))
    (folder / "calibration.json").write_text(_shown('"T_cam_lidar"'))


def _write_collection(folder: Path, cloud_file: Path) -> None:
    import laspy

    from ingest.lidar.yard import SPINNER
    from tolman.scene_table import write_captures, write_scenes
    from tolman.simulate.rig_sensors import cloud, record_lidar

    world, media = _world("simulated/0-0000"), "lidar/simulated/0-0000"
    capture = record_lidar(
        world, _carried(), folder / media, identity="simulated/0-0000/lidar", media=media, seed="yard", spinner=SPINNER
    )
    write_scenes(folder, [world.scene])
    write_captures(folder, [capture])
    points, _ = cloud(capture, folder / media)
    las = laspy.LasData(laspy.LasHeader(version="1.4", point_format=6))
    las.header.scales = np.full(3, 1e-4)
    las.x, las.y, las.z = points.T
    las.write(cloud_file)
