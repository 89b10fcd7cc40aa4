"""A small take in the on-disk layout of Ego-Exo4D, and where its cameras are in truth."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from videos import write_video

TAKE = "cmu_bike01_2"
UID = "13f01c79-5bfd-42f5-90ce-ee350aa1c3ad"
FRAMES = 12
START = 3
GRAPH = "40084458-f219-16ca-0c3c-8bd94ee06e6c"
CLOCK = 149_202_610_000
"""Microseconds of the glasses' clock at the session's first row."""
PERIOD = 33_333
FIXED = {
    "cam01": ([1.69, 0.55, -0.12], [35.0, 12.0, -100.0]),
    "cam02": ([-2.1, 1.35, 0.4], [-65.0, 5.0, -95.0]),
}
CALIBS = (
    "cam_uid,graph_uid,tx_world_cam,ty_world_cam,tz_world_cam,qx_world_cam,qy_world_cam,qz_world_cam,qw_world_cam,"
    "image_width,image_height,intrinsics_type,intrinsics_0,intrinsics_1,intrinsics_2,intrinsics_3,intrinsics_4,"
    "intrinsics_5,intrinsics_6,intrinsics_7,start_frame_idx,end_frame_idx,quality"
)
TRAJECTORY = (
    "graph_uid,tracking_timestamp_us,utc_timestamp_ns,tx_world_device,ty_world_device,tz_world_device,qx_world_device,"
    "qy_world_device,qz_world_device,qw_world_device,device_linear_velocity_x_device,gravity_z_world,quality_score"
)
MOUNT = Rotation.from_quat([0.332484, 0.0339686, 0.0416556, 0.941576]), [-0.004, -0.0119, -0.0044]
SEGMENTS = [
    {
        "start_time": 0.05, "end_time": 0.2, "step_id": 31, "step_unique_id": 7, "step_name": "Loosen the nuts",
        "step_description": "Loosen both", "is_essential": True,
    },
    {
        "start_time": 0.1, "end_time": 0.3, "step_id": 32, "step_unique_id": 8, "step_name": "Talk",
        "step_description": "", "is_essential": False,
    },
    {
        "start_time": 90.0, "end_time": 95.0, "step_id": 33, "step_unique_id": 9, "step_name": "After the end",
        "step_description": "", "is_essential": True,
    },
]  # fmt: skip
DESCRIPTIONS = [
    {
        "text": "C moves his right hand.", "timestamp": 0.15, "subject": "C", "ego_visible": True,
        "best_exo": {"raw_cam_id": "1", "cam_id": "cam01"}, "unsure": False,
    },
    {"text": "C nods.", "timestamp": 0.11, "subject": "C", "ego_visible": "0", "best_exo": None, "unsure": "0"},
    {"text": "C waits?", "timestamp": 0.12, "subject": "C", "ego_visible": False, "best_exo": None, "unsure": True},
]  # fmt: skip


def world_of(rotation: Rotation, place: Any) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = rotation.as_matrix(), place
    return found


def fixed(camera: str) -> np.ndarray:
    """Camera → world."""
    place, angles = FIXED[camera]
    return world_of(Rotation.from_euler("zyx", angles, degrees=True), place)


def glasses(stamp: int) -> np.ndarray:
    """Glasses → world at a time of their clock, microseconds."""
    seconds = (stamp - CLOCK) * 1e-6
    turn = Rotation.from_euler("zyx", [40 + 60 * seconds, 10 - 20 * seconds, -80 + 9 * seconds], degrees=True)
    return world_of(turn, [0.3 + seconds, -0.2 * seconds, 1.6])


def row_stamp(row: int) -> int:
    return CLOCK + 500 + row * PERIOD


def entry(**changes: Any) -> dict[str, Any]:
    """The take's record, with the fields of the documentation's example."""
    aria = {
        name: {
            "cam_id": "aria01", "stream_id": stream, "readable_stream_id": name, "clip_uid": "dc66a4d5",
            "relative_path": f"frame_aligned_videos/aria01_{stream}.mp4",
        }
        for name, stream in (("slam-left", "1201-1"), ("slam-right", "1201-2"), ("et", "211-1"), ("rgb", "214-1"))
    }  # fmt: skip
    record = {
        "root_dir": f"takes/{TAKE}", "take_name": TAKE, "participant_uid": 657, "is_dropped": False, "objects": [],
        "task_id": 4001, "task_name": "Remove a Wheel", "parent_task_id": 4000, "parent_task_name": "Bike Repair",
        "take_idx": 1, "duration_sec": FRAMES / 30, "best_exo": None, "timesync_start_idx": START,
        "timesync_end_idx": START + FRAMES, "validated": True, "university_name": "cmu", "take_uid": UID,
        "capture": {
            "root_dir": "captures/cmu_bike01", "capture_name": "cmu_bike01",
            "cameras": [
                camera("cam02", False), camera("aria01", True, "aria"), camera("cam01", False),
                camera("cam03", False), camera("cam05", True), camera("moblie", False),
            ],
        },
        "frame_aligned_videos": {
            "aria01": aria,
            **{name: {"0": {
                "cam_id": name, "stream_id": "0", "readable_stream_id": "0", "clip_uid": None,
                "relative_path": f"frame_aligned_videos/{name}.mp4",
            }} for name in ("cam01", "cam02", "cam03", "cam05")},
            "collage": {"0": {"clip_uid": "8", "stream_id": "0", "relative_path": "ego_preview.mp4"}},
            "best_exo": {"0": {"clip_uid": None, "stream_id": "0", "readable_stream_id": "0", "relative_path": None}},
        },
    }  # fmt: skip
    return {**record, **changes}


def camera(name: str, worn: bool, device: str = "hero10") -> dict[str, Any]:
    return {"cam_id": name, "is_ego": worn, "device_type": device, "relative_path": f"videos/{name}.mp4"}


def write(root: Path, *, small: tuple[str, ...] = ("cam02",), frames: int = FRAMES) -> Path:
    """Write the download's folder; that of the take."""
    take = root / "takes" / TAKE
    videos = take / "frame_aligned_videos"
    for name in ("aria01_214-1", "cam01", "cam02", "cam03", "cam05"):
        place = videos / "downscaled" / "448" if name in small else videos
        write_video(place / f"{name}.mp4", frames, size=(64, 64) if "aria" in name else (96, 54), gop=6)
    other = entry(take_name="unc_dance_7", root_dir="takes/unc_dance_7", take_uid="2")
    (root / "takes.json").write_text(json.dumps([other, entry()], indent=2))
    _write_poses(root, take / "trajectory")
    (root / "annotations").mkdir()
    keysteps = {"annotations": {UID: {"take_uid": UID, "take_name": TAKE, "scenario": "Bike", "segments": SEGMENTS}}}
    (root / "annotations" / "keystep_train.json").write_text(json.dumps({**keysteps, "taxonomy": {}, "vocabulary": {}}))
    (root / "annotations" / "keystep_val.json").write_text(json.dumps({"annotations": {}}))
    spoken = [
        {"annotation_uid": "f", "rejected": False, "reject_reason": None, "descriptions": DESCRIPTIONS},
        {"annotation_uid": "g", "rejected": True, "reject_reason": "x", "descriptions": DESCRIPTIONS},
    ]
    (root / "annotations" / "atomic_descriptions_train.json").write_text(json.dumps({"annotations": {UID: spoken}}))
    return take


def _write_poses(root: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    lens = "3840,2160,KANNALABRANDTK3,1761.275757,1761.275757,1920.0,1080.0,0.036902,0.057131,-0.057154,0.018458"
    lines = [CALIBS]
    for name, moved in (("cam01", "-1,-1,1"), ("cam02", "-1,-1,1"), ("cam03", "-1,-1,0")):
        pose = fixed(name) if name in FIXED else np.eye(4)
        x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat()
        place = ",".join(f"{v:.9f}" for v in (*pose[:3, 3], x, y, z, w))
        # The first camera's name has a space before it in released files.
        lines.append(f"{' ' if name == 'cam01' else ''}{name},{GRAPH},{place},{lens},{moved}")
    (folder / "gopro_calibs.csv").write_text("\n".join(lines) + "\n")
    lines = [TRAJECTORY]
    for stamp in range(CLOCK, row_stamp(START + FRAMES + 1) + 9000, 500):
        pose = glasses(stamp)
        x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat()
        place = ",".join(f"{v:.9f}" for v in (*pose[:3, 3], x, y, z, w))
        lines.append(f"{GRAPH},{stamp},-1,{place},0.03,-9.81,1.0")
    (folder / "closed_loop_trajectory.csv").write_text("\n".join(lines) + "\n")
    x, y, z, w = MOUNT[0].as_quat()
    mounted = {"Translation": MOUNT[1], "UnitQuaternion": [w, [x, y, z]]}
    beside = {"Translation": [0, 0, 0], "UnitQuaternion": [1, [0, 0, 0]]}
    lines = [
        json.dumps(
            {
                "tracking_timestamp_us": str(CLOCK + i * 100_000), "utc_timestamp_ns": "-1",
                "CameraCalibrations": [
                    {"Label": "camera-slam-left", "T_Device_Camera": beside},
                    {"Label": "camera-rgb", "T_Device_Camera": mounted, "Projection": {"Name": "FisheyeRadTanThinPrism"}},
                ],
            }
        )
        for i in range(4)
    ]  # fmt: skip
    (folder / "online_calibration.jsonl").write_text("\n".join(lines) + "\n")
    session = root / "captures" / "cmu_bike01"
    session.mkdir(parents=True)
    lines = ["cam01_pts,aria01_1201-1_capture_timestamp_ns,aria01_214-1_capture_timestamp_ns"]
    lines += [f"{row * 1001},{row_stamp(row) * 1000 + 7},{row_stamp(row) * 1000}" for row in range(START + FRAMES + 4)]
    (session / "timesync.csv").write_text("\n".join(lines) + "\n")
