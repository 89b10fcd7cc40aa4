"""The hall's recording in the layouts that rigs come in: clouds as PCD, LAS, LAZ, PLY or in bags, a video, a rig.json."""

import json
from pathlib import Path

import numpy as np

from ingest.lidar.pcd_writer import save_pcd
from ingest.lidar.yard import INTRINSICS, OFFSET, SIZE, Shot
from tolman.geometry.boxes import Floats
from tolman.ingest.clouds.recording import write_sweep
from tolman.simulate.rig_sensors import mount

EPOCH = 1_700_000_000.0
"""What is added to both clocks in bags and LAS files, which hold dates."""


def write_pcd(folder: Path, shot: Shot, kind: str = "binary") -> None:
    """A file for each sweep; times are nanoseconds from the sweep's stamp, as Ouster's driver writes them."""
    folder.mkdir(parents=True)
    for number, (points, stamp) in enumerate(zip(shot.points, shot.stamps, strict=True)):
        after = np.round((points["time"] - stamp) * 1e9).astype(np.uint32)
        columns = {name: points[name].astype(np.float32) for name in ("x", "y", "z", "intensity")}
        # Not padded, so that the order of names as texts is another.
        save_pcd(folder / f"sweep-{number}.pcd", {**columns, "t": after}, kind)


def write_stamps(path: Path, times: Floats) -> None:
    path.write_text("# seconds\n" + "\n".join(f"{time:.9f}" for time in times) + "\n")


def write_las(path: Path, shot: Shot, *, standard: bool = True) -> None:
    """One file of all sweeps, in the sensor's coordinates; LAZ by its name."""
    import laspy

    from tolman.ingest.clouds.cloud_files import GPS_EPOCH

    points = np.concatenate(shot.points)
    header = laspy.LasHeader(version="1.4", point_format=6)
    header.scales, header.offsets = np.full(3, 1e-4), np.zeros(3)
    header.global_encoding.gps_time_type = (
        laspy.header.GpsTimeType.STANDARD if standard else laspy.header.GpsTimeType.WEEK_TIME
    )
    las = laspy.LasData(header)
    las.x, las.y, las.z = points["x"].astype(float), points["y"].astype(float), points["z"].astype(float)
    las.intensity = (points["intensity"] * 65535).astype(np.uint16)
    seconds = points["time"]
    # Unix seconds of 2023 are 18 s behind those of the GPS.
    las.gps_time = seconds + EPOCH - GPS_EPOCH + 18 - 1e9 if standard else seconds
    path.parent.mkdir(parents=True, exist_ok=True)
    las.write(path)


def write_ply(folder: Path, shot: Shot) -> None:
    folder.mkdir(parents=True)
    for number, points in enumerate(shot.points):
        write_sweep(folder / f"{number:06d}.ply", points)


def write_trajectory(path: Path, times: Floats, poses: Floats) -> None:
    """In the TUM form."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
    rows = np.column_stack([times, poses[:, :3, 3], turns])
    path.write_text("# time x y z qx qy qz qw\n" + "\n".join(" ".join(f"{v:.9f}" for v in row) for row in rows) + "\n")


def write_calibration(path: Path) -> None:
    fx, fy, cx, cy = INTRINSICS
    path.write_text(
        json.dumps({"K": [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], "T_cam_lidar": mount().tolist(), "size": SIZE})
    )


def write_bag(
    path: Path, shot: Shot, frames: list[tuple[float, np.ndarray]], *, ros: int, storage: str = "sqlite3"
) -> None:
    """A bag with clouds, pictures, calibration, odometry and angular rates; messages arrive 30 ms after their stamp."""
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import StoragePlugin, Writer as Writer2
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if ros == 1 else Stores.ROS2_HUMBLE)
    types = store.types
    header_type, stamp_type = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]

    def header(seconds: float) -> object:
        nanos = round((seconds + EPOCH) * 1e9)
        stamp = stamp_type(sec=nanos // 10**9, nanosec=nanos % 10**9)
        return header_type(stamp=stamp, frame_id="x", **({"seq": 0} if ros == 1 else {}))

    found: list[tuple[float, str, str, object]] = []
    dtype = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("t", "<u4")])
    field = types["sensor_msgs/msg/PointField"]
    fields = [
        field(name=n, offset=o, datatype=k, count=1)
        for n, o, k in (("x", 0, 7), ("y", 4, 7), ("z", 8, 7), ("intensity", 12, 7), ("t", 16, 6))
    ]
    for points, stamp in zip(shot.points, shot.stamps, strict=True):
        table = np.zeros(len(points), dtype=dtype)
        for name in ("x", "y", "z", "intensity"):
            table[name] = points[name]
        table["t"] = np.round((points["time"] - stamp) * 1e9)
        cloud = types["sensor_msgs/msg/PointCloud2"](
            header=header(stamp),
            height=1,
            width=len(points),
            fields=fields,
            is_bigendian=False,
            point_step=20,
            row_step=20 * len(points),
            data=np.frombuffer(table.tobytes(), np.uint8),
            is_dense=True,
        )
        found.append((stamp, "/points", "sensor_msgs/msg/PointCloud2", cloud))
    for seconds, picture in frames:
        image = types["sensor_msgs/msg/Image"](
            header=header(seconds),
            height=picture.shape[0],
            width=picture.shape[1],
            encoding="bgr8",
            is_bigendian=0,
            step=picture.shape[1] * 3,
            data=np.ascontiguousarray(picture[:, :, ::-1]).reshape(-1),
        )
        found.append((seconds, "/camera", "sensor_msgs/msg/Image", image))
    point, quaternion, vector = (types[f"geometry_msgs/msg/{n}"] for n in ("Point", "Quaternion", "Vector3"))
    from scipy.spatial.transform import Rotation

    for seconds, pose in zip(shot.times, shot.poses, strict=True):
        turn = Rotation.from_matrix(pose[:3, :3]).as_quat()
        posed = types["geometry_msgs/msg/PoseStamped"](
            header=header(seconds),
            pose=types["geometry_msgs/msg/Pose"](position=point(*pose[:3, 3]), orientation=quaternion(*turn)),
        )
        found.append((seconds, "/pose", "geometry_msgs/msg/PoseStamped", posed))
    relative = Rotation.from_matrix(shot.camera.poses[:-1, :3, :3]).inv() * Rotation.from_matrix(
        shot.camera.poses[1:, :3, :3]
    )
    rates = relative.as_rotvec() / np.diff(shot.camera.times)[:, None]
    for seconds, rate in zip((shot.camera.times[1:] + shot.camera.times[:-1]) / 2, rates, strict=True):
        imu = types["sensor_msgs/msg/Imu"](
            header=header(seconds),
            orientation=quaternion(0.0, 0.0, 0.0, 1.0),
            orientation_covariance=np.zeros(9),
            angular_velocity=vector(*rate),
            angular_velocity_covariance=np.zeros(9),
            linear_acceleration=vector(0.0, 0.0, 9.8),
            linear_acceleration_covariance=np.zeros(9),
        )
        found.append((seconds, "/imu", "sensor_msgs/msg/Imu", imu))
    found.sort(key=lambda one: one[0])
    opened = Writer1(path) if ros == 1 else Writer2(path, version=9, storage_plugin=StoragePlugin[storage.upper()])
    with opened as writer:
        connections = {}
        for seconds, topic, kind, message in found:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=store)
            raw = store.serialize_ros1(message, kind) if ros == 1 else store.serialize_cdr(message, kind)
            writer.write(connections[topic], round((seconds + EPOCH + 0.03) * 1e9), raw)


def write_rig(folder: Path, lidar: dict[str, object], camera: dict[str, object] | None) -> None:
    """rig.json."""
    content = {"rig": 1, "scene": "hall", "category": "hall", "lidar": lidar, "cameras": [camera] if camera else []}
    (folder / "rig.json").write_text(json.dumps(content))


TRUE_CLOCK = {"method": "manual", "offset": OFFSET}
