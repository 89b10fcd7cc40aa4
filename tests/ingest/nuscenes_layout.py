"""A small drive in the on-disk layout of nuScenes, and what is true of it.

The car drives a curve over tilted ground far from the origin, with six cameras and a LiDAR that stand askew on it. Two
scenes share the tables, whose rows are shuffled; a radar and the tables that Tolman doesn't read are there too.
"""

import hashlib
import io
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

SIZE = (160, 90)
START = 1_532_402_927_647_951
"""Microseconds."""
INTRINSIC = [[126.6, 0.0, 81.6], [0.0, 126.6, 49.1], [0.0, 0.0, 1.0]]
YAWS = {
    "CAM_FRONT": 0.0,
    "CAM_FRONT_RIGHT": -56.0,
    "CAM_BACK_RIGHT": -111.0,
    "CAM_BACK": 180.0,
    "CAM_BACK_LEFT": 109.0,
    "CAM_FRONT_LEFT": 55.0,
}
LOOKS_AHEAD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Camera (x right, y down, z ahead) → car (x ahead, y left, z up)."""
LEVELS = {"1": "v0-40", "2": "v40-60", "3": "v60-80", "4": "v80-100"}


@dataclass(frozen=True)
class Thing:
    """Something on the street, relative to where the drive begins: x ahead.

    Attributes:
        name, category: of the instance.
        wlh: width, length, height, as nuScenes has them.
        start, speed: metres, metres a second; of the centre.
        angles: yaw, pitch, roll in degrees.
        spin: degrees of yaw a second.
        samples: in which it is annotated.
        level: its visibility token.
    """

    name: str
    category: str
    wlh: tuple[float, float, float]
    start: tuple[float, float, float]
    speed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: float = 0.0
    samples: tuple[int, ...] = (0, 1, 2, 3, 4)
    level: str = "4"

    def center(self, seconds: float) -> np.ndarray:
        return np.array(self.start) + np.array(self.speed) * seconds

    def turn(self, seconds: float) -> Rotation:
        yaw, pitch, roll = self.angles
        return Rotation.from_euler("zyx", [yaw + self.spin * seconds, pitch, roll], degrees=True)


THINGS = (
    Thing("moving car", "vehicle.car", (1.95, 4.61, 1.73), (14.0, 2.5, 0.9), (3.0, 0.4, 0.02), (25.0, 3.0, -2.0), 12.0),
    Thing("parked truck", "vehicle.truck", (2.5, 6.9, 2.8), (18.0, -6.0, 1.4), angles=(-40.0, 4.0, 2.0), level="3"),
    Thing("walker", "human.pedestrian.adult", (0.6, 0.7, 1.75), (9.0, 6.0, 0.9), (0.0, -1.2, 0.0), samples=(2, 3, 4), level="2"),
    Thing("hidden cone", "movable_object.trafficcone", (0.4, 0.4, 1.0), (22.0, 1.0, 0.5), level="1"),
    Thing("far barrier", "movable_object.barrier", (2.2, 0.5, 1.0), (-40.0, 3.0, 0.5), angles=(15.0, 0.0, 0.0), level=""),
)  # fmt: skip


def token(*parts: object) -> str:
    return hashlib.md5(repr(parts).encode()).hexdigest()


def matrix(rotation: Rotation | np.ndarray, shift: Any) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3] = rotation.as_matrix() if isinstance(rotation, Rotation) else rotation
    found[:3, 3] = shift
    return found


def wxyz(rotation: Rotation) -> list[float]:
    x, y, z, w = rotation.as_quat()
    return [w, x, y, z]


@dataclass
class Drive:
    """A scene of the data set.

    Attributes:
        name: of the scene.
        samples: how many there are, 0.5 s apart.
        sweeps: recordings between two samples, of each sensor.
        place: of the car at the first sample, in the global frame.
        heading: degrees.
        start: of the first sample, microseconds.
    """

    name: str
    samples: int = 5
    sweeps: int = 2
    place: tuple[float, float, float] = (1010.25, 612.75, 0.5)
    heading: float = 70.0
    start: int = START
    things: tuple[Thing, ...] = THINGS
    times: dict[str, list[int]] = field(default_factory=dict)

    def base(self) -> Rotation:
        return Rotation.from_euler("z", self.heading, degrees=True)

    def ego(self, seconds: float) -> np.ndarray:
        """Car → global."""
        turn = self.base() * Rotation.from_euler("zyx", [14 * seconds, 1.5 * seconds - 2, 2 - seconds], degrees=True)
        return matrix(turn, np.array(self.place) + self.base().apply([5 * seconds, 0.6 * seconds**2, 0.05 * seconds]))

    def box(self, thing: Thing, seconds: float) -> np.ndarray:
        """Box → global."""
        return matrix(
            self.base() * thing.turn(seconds), np.array(self.place) + self.base().apply(thing.center(seconds))
        )

    def stamps(self, channel: str) -> list[tuple[int, bool, int]]:
        """Microseconds from the first sample, whether it is a keyframe, and the sample: sensors fire at their own times."""
        late = {"LIDAR_TOP": 0}.get(channel, 3_000 + 7_919 * (list(YAWS).index(channel) if channel in YAWS else 0))
        found = []
        for i in range((self.samples - 1) * (self.sweeps + 1) + 1):
            at, key = i * 500_000 // (self.sweeps + 1), i % (self.sweeps + 1) == 0
            # Between keyframes a recording belongs to the sample that follows.
            found.append((at + late, key, -(-i // (self.sweeps + 1))))
        return found


def calibration(channel: str) -> tuple[Rotation, list[float]]:
    """Sensor → car."""
    if channel == "LIDAR_TOP":
        return Rotation.from_euler("zyx", [-89.5, 0.7, -0.4], degrees=True), [0.94, 0.01, 1.84]
    turn = Rotation.from_euler("zyx", [YAWS.get(channel, 0.0), 1.1, -0.6], degrees=True)
    if channel in YAWS:
        turn = turn * Rotation.from_matrix(LOOKS_AHEAD)
    return turn, [1.5 * np.cos(np.radians(YAWS.get(channel, 0))), 0.5 * np.sin(np.radians(YAWS.get(channel, 0))), 1.5]


def camera_color(channel: str, number: int) -> tuple[int, int, int]:
    return (40 * list(YAWS).index(channel), 12 * number, 128)


def write(root: Path, drives: list[Drive], version: str = "v1.0-mini", *, blobs: bool = True) -> Path:
    """Write the data set's folder; its path."""
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in (
        "attribute", "calibrated_sensor", "category", "ego_pose", "instance", "log", "map", "sample",
        "sample_annotation", "sample_data", "scene", "sensor", "visibility",
    )}  # fmt: skip
    channels = {**dict.fromkeys(YAWS, "camera"), "LIDAR_TOP": "lidar", "RADAR_FRONT": "radar"}
    tables["sensor"] = [{"token": token("s", c), "channel": c, "modality": kind} for c, kind in channels.items()]
    tables["visibility"] = [
        {"token": t, "level": level, "description": f"visibility of whole object is between {level[1:]}%"}
        for t, level in LEVELS.items()
    ]
    categories = sorted({thing.category for drive in drives for thing in drive.things})
    tables["category"] = [
        {"token": token("c", name), "name": name, "description": name, "index": i} for i, name in enumerate(categories)
    ]
    tables["attribute"] = [{"token": token("a"), "name": "vehicle.moving", "description": ""}]
    for drive in drives:
        _tables_of(root, tables, drive, channels, blobs)
    folder = root / version
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in tables.items():
        random.Random(name).shuffle(content)
        (folder / f"{name}.json").write_text(json.dumps(content, indent=0))
    return folder


def _tables_of(
    root: Path, tables: dict[str, list[dict[str, Any]]], drive: Drive, channels: dict[str, str], blobs: bool
) -> None:
    log = {"token": token("log", drive.name), "logfile": "n015", "vehicle": "n015", "date_captured": "2018-07-24"}
    tables["log"].append({**log, "location": "singapore-onenorth"})
    tables["map"].append({"token": token("map", drive.name), "log_tokens": [log["token"]], "filename": "maps/x.png"})
    samples = [token("sample", drive.name, i) for i in range(drive.samples)]
    tables["scene"].append(
        {
            "token": token("scene", drive.name), "log_token": log["token"], "nbr_samples": drive.samples,
            "first_sample_token": samples[0], "last_sample_token": samples[-1], "name": drive.name,
            "description": "Parked truck, pedestrian crosses",
        }
    )  # fmt: skip
    for i, one in enumerate(samples):
        tables["sample"].append(
            {
                "token": one, "timestamp": drive.start + i * 500_000, "scene_token": token("scene", drive.name),
                "prev": samples[i - 1] if i else "", "next": samples[i + 1] if i + 1 < len(samples) else "",
            }
        )  # fmt: skip
    for thing in drive.things:
        _annotate(tables, drive, thing, samples)
    for channel, modality in channels.items():
        turn, shift = calibration(channel)
        calibrated = token("cs", drive.name, channel)
        tables["calibrated_sensor"].append(
            {
                "token": calibrated, "sensor_token": token("s", channel), "translation": shift, "rotation": wxyz(turn),
                "camera_intrinsic": INTRINSIC if modality == "camera" else [],
            }
        )  # fmt: skip
        for number, (stamp, key, sample) in enumerate(drive.stamps(channel)):
            one = token("sd", drive.name, channel, number)
            ego = drive.ego(stamp * 1e-6)
            tables["ego_pose"].append(
                {
                    "token": one, "timestamp": drive.start + stamp, "translation": ego[:3, 3].tolist(),
                    "rotation": wxyz(Rotation.from_matrix(ego[:3, :3])),
                }
            )  # fmt: skip
            ending = {"camera": "jpg", "lidar": "pcd.bin", "radar": "pcd"}[modality]
            name = f"{'samples' if key else 'sweeps'}/{channel}/{drive.name}__{channel}__{drive.start + stamp}.{ending}"
            tables["sample_data"].append(
                {
                    "token": one, "sample_token": samples[sample], "ego_pose_token": one,
                    "calibrated_sensor_token": calibrated, "timestamp": drive.start + stamp,
                    "fileformat": ending.partition(".")[0], "is_key_frame": key,
                    "height": SIZE[1] if modality == "camera" else 0, "width": SIZE[0] if modality == "camera" else 0,
                    "filename": name, "prev": "", "next": "",
                }
            )  # fmt: skip
            if blobs and modality != "radar":
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_jpeg(channel, number) if modality == "camera" else _cloud(number).tobytes())


def _annotate(tables: dict[str, list[dict[str, Any]]], drive: Drive, thing: Thing, samples: list[str]) -> None:
    own = [i for i in thing.samples if i < drive.samples]
    if not own:
        return
    tokens = [token("ann", drive.name, thing.name, i) for i in own]
    instance = token("inst", drive.name, thing.name)
    tables["instance"].append(
        {
            "token": instance, "category_token": token("c", thing.category), "nbr_annotations": len(own),
            "first_annotation_token": tokens[0], "last_annotation_token": tokens[-1],
        }
    )  # fmt: skip
    for place, i in enumerate(own):
        box = drive.box(thing, 0.5 * i)
        tables["sample_annotation"].append(
            {
                "token": tokens[place], "sample_token": samples[i], "instance_token": instance,
                "visibility_token": thing.level, "attribute_tokens": [], "translation": box[:3, 3].tolist(),
                "size": list(thing.wlh), "rotation": wxyz(Rotation.from_matrix(box[:3, :3])),
                "prev": tokens[place - 1] if place else "",
                "next": tokens[place + 1] if place + 1 < len(own) else "", "num_lidar_pts": 5, "num_radar_pts": 0,
            }
        )  # fmt: skip


def _jpeg(channel: str, number: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", SIZE, camera_color(channel, number)).save(out, "JPEG", quality=95)
    return out.getvalue()


def _cloud(number: int) -> np.ndarray:
    """Points x, y, z, intensity, ring, shape (7, 5)."""
    return (np.arange(35, dtype="<f4") + number).reshape(7, 5)
