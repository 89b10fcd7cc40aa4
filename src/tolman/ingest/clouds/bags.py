"""ROS 1 and ROS 2 bags, and bare MCAP files: clouds, pictures, calibrations, poses and angular rates.

A message's time is its `header.stamp`, when it was measured. That of its arrival, by which the bag is sorted, is later
by the delay of the network and drivers. Trajectories of a sensor come from bags, or from files of poses and of angular
rates.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tolman.errors import InputError
from tolman.extras import needs, scipy
from tolman.geometry.boxes import Floats
from tolman.ingest.checks import check_seconds
from tolman.ingest.clouds import AUTO, PointTime, Sweep, checked_count, reading, sweep_of
from tolman.ingest.readers import rigid
from tolman.media.images import eight_bits
from tolman.media.video import need_pillow

CLOUDS = ("sensor_msgs/msg/PointCloud2",)
PICTURES = ("sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/Image")
POSES = (
    "nav_msgs/msg/Odometry",
    "geometry_msgs/msg/PoseStamped",
    "geometry_msgs/msg/PoseWithCovarianceStamped",
    "geometry_msgs/msg/TransformStamped",
)
RATES = ("sensor_msgs/msg/Imu",)
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}
_CHANNELS = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "8UC1": 1, "8UC3": 3}


@dataclass(frozen=True)
class Topic:
    """A topic of a bag: its name, its type and how many messages it has."""

    name: str
    kind: str
    count: int


def is_bag(path: Path) -> bool:
    """Check whether a path is a bag by its name: .bag, .mcap, .db3, or a folder with metadata.yaml."""
    return path.suffix in (".bag", ".mcap", ".db3") or (path / "metadata.yaml").is_file()


def topics(path: Path) -> list[Topic]:
    """The topics of a bag, by name.

    Raises:
        InputError: it can't be read.
        MissingExtraError: rosbags is not installed.
    """
    with reading(path, "bag"), _opened(path) as bag:
        return [Topic(name, str(info.msgtype), int(info.msgcount)) for name, info in sorted(bag.topics.items())]


def find_topic(path: Path, kinds: tuple[str, ...], name: str | None = None) -> str:
    """The one topic of some types, or that of a name.

    Raises:
        InputError: there is none, or several and no name says which.
    """
    known = topics(path)
    listed = ", ".join(f"{topic.name} ({topic.kind})" for topic in known) or "none"
    if name is not None:
        if not any(topic.name == name and topic.kind in kinds for topic in known):
            raise InputError(path, f"has no topic '{name}' of {' or '.join(kinds)}; topics: {listed}")
        return name
    found = [topic.name for topic in known if topic.kind in kinds and topic.count]
    if len(found) != 1:
        what = "no topic" if not found else f"{len(found)} topics ({', '.join(found)})"
        raise InputError(path, f"has {what} of {' or '.join(kinds)}; topics: {listed}", fix="name it with 'topic'")
    return found[0]


def messages(path: Path, topic: str) -> Iterator[tuple[float, Any]]:
    """The messages of a topic with the time of their header, seconds, in the order of the bag.

    Raises:
        InputError: the bag or a message can't be read.
    """
    with reading(path, "bag"), _opened(path) as bag:
        chosen = [connection for connection in bag.connections if connection.topic == topic]
        if not chosen:
            raise InputError(path, f"has no topic '{topic}'")
        promised, found = sum(connection.msgcount for connection in chosen), 0
        for connection, _, raw in bag.messages(connections=chosen):
            found += 1
            message = bag.deserialize(raw, connection.msgtype)
            stamp = message.header.stamp
            seconds = float(stamp.sec) + float(stamp.nanosec) * 1e-9
            yield seconds, message
        if found < promised:
            raise InputError(path, f"should hold {promised:,} messages of topic '{topic}', and {found:,} are there")


def bag_sweeps(path: Path, topic: str | None = None, rule: PointTime = AUTO) -> Iterator[Sweep]:
    """The clouds of a bag, a message each.

    Raises:
        InputError: the bag or a message can't be read, or the topic isn't there.
    """
    for stamp, message in messages(path, find_topic(path, CLOUDS, topic)):
        yield sweep_of(path, _columns(path, message), stamp, rule)


def bag_poses(path: Path, topic: str | None = None) -> tuple[Floats, Floats]:
    """Trajectory of a sensor: times, shape (n,), and poses, shape (n, 4, 4), from odometry or stamped poses."""
    times, places, turns = [], [], []
    for stamp, message in messages(path, find_topic(path, POSES, topic)):
        if hasattr(message, "transform"):
            place, turn = message.transform.translation, message.transform.rotation
        else:
            pose = message.pose.pose if hasattr(message.pose, "pose") else message.pose
            place, turn = pose.position, pose.orientation
        times.append(stamp)
        places.append([place.x, place.y, place.z])
        turns.append([turn.x, turn.y, turn.z, turn.w])
    order = np.argsort(times, kind="stable")
    with reading(path, "trajectory"):
        rotations = scipy.spatial.transform.Rotation.from_quat(np.array(turns)[order]).as_matrix()
    return np.array(times)[order], rigid(rotations, np.array(places)[order])


def bag_rates(path: Path, topic: str | None = None) -> tuple[Floats, Floats]:
    """Angular rates of an inertial unit: times, shape (n,), and rad/s about its axes, shape (n, 3)."""
    times, rates = [], []
    for stamp, message in messages(path, find_topic(path, RATES, topic)):
        times.append(stamp)
        rates.append([message.angular_velocity.x, message.angular_velocity.y, message.angular_velocity.z])
    order = np.argsort(times, kind="stable")
    return np.array(times)[order], np.array(rates)[order]


def bag_pictures(path: Path, topic: str) -> Iterator[tuple[float, NDArray[np.uint8]]]:
    """Pictures with their times, RGB, shape (height, width, 3), in the order of the bag.

    Raises:
        InputError: a picture can't be read.
        MissingExtraError: Pillow is not installed.
    """
    for stamp, message in messages(path, topic):
        with reading(path, "picture"):
            yield stamp, _picture(path, message)


def bag_times(path: Path, topic: str) -> Floats:
    """The times of a topic's messages, in the order of the bag, shape (n,)."""
    return np.array([stamp for stamp, _ in messages(path, topic)])


def _picture(path: Path, message: Any) -> NDArray[np.uint8]:
    if hasattr(message, "format"):
        need_pillow()

        return np.asarray(eight_bits(Image.open(io.BytesIO(message.data.tobytes()))).convert("RGB"))
    encoding = str(message.encoding)
    if encoding not in _CHANNELS:
        raise InputError(path, f"its pictures are encoded as '{encoding}'", fix=f"record {', '.join(_CHANNELS)}")
    channels, height, width, step = _CHANNELS[encoding], int(message.height), int(message.width), int(message.step)
    checked_count(path, height, max(step, width * channels), len(message.data), 0)
    rows = np.asarray(message.data)[: height * step].reshape(height, step)[:, : width * channels]
    picture = rows.reshape(height, width, channels)
    if channels == 1:
        return np.repeat(picture, 3, axis=2)
    picture = picture[:, :, :3]
    return np.ascontiguousarray(picture[:, :, ::-1] if encoding.startswith(("bgr", "8UC3")) else picture)


def _columns(path: Path, message: Any) -> dict[str, NDArray[Any]]:
    """The fields of a cloud's message."""
    step, count = int(message.point_step), int(message.width) * int(message.height)
    data = np.asarray(message.data, dtype=np.uint8)
    checked_count(path, count, step, len(data), 0)
    if message.height > 1 and message.row_step != step * message.width:
        rows = data[: int(message.row_step) * int(message.height)].reshape(int(message.height), -1)
        data = rows[:, : step * int(message.width)].reshape(-1)
    order = ">" if message.is_bigendian else "<"
    names, formats, offsets = [], [], []
    for field in message.fields:
        if field.datatype not in _TYPES:
            raise InputError(path, f"a cloud has a field of unknown type {field.datatype}", field=str(field.name))
        kind = np.dtype(order + _TYPES[field.datatype])
        if field.offset + kind.itemsize > step:
            raise InputError(path, f"lies outside its point of {step} bytes", field=str(field.name))
        names.append(str(field.name))
        formats.append(kind)
        offsets.append(int(field.offset))
    dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": step})
    table = np.frombuffer(data[: count * step].tobytes(), dtype=dtype)
    return {name: table[name] for name in names}


def _opened(path: Path) -> Any:
    with needs("build", "Reading ROS bags"):
        from rosbags.highlevel import AnyReader
    if not path.exists():
        raise InputError(path, "there is no such bag")
    for file in sorted(path.glob("*.db3")) if path.is_dir() else [path]:
        if file.suffix == ".db3":
            _check_pages(file)
    return AnyReader([path], default_typestore=_usual_messages())


@cache
def _usual_messages() -> Any:
    """Definitions for bags of ROS 2 before Iron, which hold none."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


def _check_pages(path: Path) -> None:
    """Check an SQLite file against the size in its header: SQLite itself reads one whose end is missing.

    Raises:
        InputError: it is cut off.
    """
    with path.open("rb") as file:
        head = file.read(32)
    if len(head) < 32 or not head.startswith(b"SQLite format 3\0"):
        raise InputError(path, "is no bag of ROS 2: it isn't SQLite", fix="copy it again")
    page, pages = struct.unpack(">H", head[16:18])[0], struct.unpack(">I", head[28:32])[0]
    wanted = pages * (65536 if page == 1 else page)
    if wanted > (size := path.stat().st_size):
        raise InputError(path, f"is cut off: it should have {wanted:,} bytes and has {size:,}", fix="copy it again")


def read_trajectory(path: Path, topic: str | None = None) -> tuple[Floats, Floats]:
    """Poses of a sensor in the scene, from a bag or from text in the TUM form: `time x y z qx qy qz qw` in each line.

    Returns:
        Times by the clock in the source, rising, shape (n,); poses, shape (n, 4, 4).

    Raises:
        InputError: it can't be read, a line has other numbers, times don't rise, or there are fewer than two poses.
    """
    times, poses = bag_poses(path, topic) if is_bag(path) else _from_text(path)
    if len(times) < 2:
        raise InputError(path, f"holds {len(times)} poses, and two are needed")
    rising = np.concatenate([[True], np.diff(times) > 0])
    if not rising.all():
        raise InputError(path, "the times of its poses don't rise", row=int(np.flatnonzero(~rising)[0]) + 1)
    check_seconds(path, times)
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
    check_seconds(path, table[order, 0])
    return table[order, 0], table[order, 1:4]


def _from_text(path: Path) -> tuple[Floats, Floats]:
    table = _table(path, 8)
    lengths = np.linalg.norm(table[:, 4:8], axis=1)
    if (np.abs(lengths - 1) > 0.01).any():
        row = int(np.flatnonzero(np.abs(lengths - 1) > 0.01)[0]) + 1
        raise InputError(path, f"pose {row} has a quaternion of length {lengths[row - 1]:.3g}, not 1")
    poses = np.tile(np.eye(4), (len(table), 1, 1))
    poses[:, :3, :3] = scipy.spatial.transform.Rotation.from_quat(table[:, 4:8]).as_matrix()
    poses[:, :3, 3] = table[:, 1:4]
    return table[:, 0], poses


def _table(path: Path, least: int) -> Floats:
    """The numbers of a text file, one row in each line, by spaces or commas; '#' and a header line are passed over."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
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
