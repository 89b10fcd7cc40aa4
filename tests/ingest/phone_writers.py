"""Write the small world as the apps of phones do, from the descriptions of their formats: metres, y up."""

import json
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from ingest.generic_writer import TO_Y_UP
from ingest.worlds import ROOM, SIZE, small_world
from tolman.simulate.render import Frame

STARTED = 81234.5
"""Seconds of a phone's clock at the first frame."""
LOOK = np.diag([1.0, -1.0, -1.0, 1.0])


def arkit_poses() -> np.ndarray:
    """Camera → world, y up, cameras looking along −z, shape (f, 4, 4)."""
    turn = np.eye(4)
    turn[:3, :3] = TO_Y_UP
    return np.asarray(turn @ small_world().poses @ LOOK)


def sensor(picture: np.ndarray, turns: int) -> np.ndarray:
    """The picture as a phone stores it that was held turned: its upright picture is this one turned clockwise."""
    return np.ascontiguousarray(np.rot90(picture, turns))


def _millimetres(frame: Frame) -> np.ndarray:
    return np.round(frame.depth[::2, ::2] * 1000).astype(np.uint16)


def write_polycam(folder: Path, pictures: Sequence[Frame], start: str = "corrected_") -> None:
    place = folder / "keyframes"
    for name in (f"{start}images", f"{start}cameras", "depth"):
        (place / name).mkdir(parents=True)
    fx, fy, cx, cy = small_world().intrinsics
    for i, (picture, pose) in enumerate(zip(pictures, arkit_poses(), strict=False)):
        stamp = round((STARTED + i / 10) * 1e6)
        Image.fromarray(picture.colour).save(place / f"{start}images" / f"{stamp}.jpg", quality=95)
        Image.fromarray(_millimetres(picture)).save(place / "depth" / f"{stamp}.png")
        content = {f"t_{r}{c}": float(pose[r, c]) for r in range(3) for c in range(4)}
        content |= {"fx": fx, "fy": fy, "cx": cx, "cy": cy, "width": SIZE[0], "height": SIZE[1], "blur_score": 90.0}
        (place / f"{start}cameras" / f"{stamp}.json").write_text(json.dumps(content))


def write_scanner_app(folder: Path, pictures: Sequence[Frame], *, mesh: bool = True) -> None:
    folder.mkdir(parents=True)
    fx, fy, cx, cy = small_world().intrinsics
    for i, (picture, pose) in enumerate(zip(pictures, arkit_poses(), strict=False)):
        for number, there in ((2 * i, True), (2 * i + 1, False)):
            content = {
                "cameraPoseARFrame": pose.ravel().tolist(),
                "intrinsics": [fx, 0, cx, 0, fy, cy, 0, 0, 1],
                "time": STARTED + number / 20,
                "frame_index": number,
            }
            (folder / f"frame_{number:05d}.json").write_text(json.dumps(content))
            if there:
                Image.fromarray(picture.colour).save(folder / f"frame_{number:05d}.jpg", quality=95)
                Image.fromarray(_millimetres(picture)).save(folder / f"depth_{number:05d}.png")
    if mesh:
        world = small_world()
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in (world.points @ TO_Y_UP.T).tolist()]
        lines += [f"f {a}/{a} {b}/{b} {c}/{c}" for a, b, c in (world.faces + 1).tolist()]
        (folder / "export.obj").write_text("\n".join(lines) + "\n")


def write_stray(folder: Path, pictures: Sequence[Frame], **_: Any) -> None:
    import av

    (folder / "depth").mkdir(parents=True)
    fx, fy, cx, cy = small_world().intrinsics
    (folder / "camera_matrix.csv").write_text(f"{fx}, 0.0, {cx}\n0.0, {fy}, {cy}\n0.0, 0.0, 1.0\n")
    rows = ["timestamp, frame, x, y, z, qx, qy, qz, qw"]
    # The app turns ARKit's cameras by 180° about x before it writes them.
    for i, pose in enumerate((arkit_poses() @ LOOK)[: len(pictures)]):
        numbers = (*pose[:3, 3], *Rotation.from_matrix(pose[:3, :3]).as_quat())
        rows.append(", ".join([repr(STARTED + i / 10), f"{i:06d}", *(repr(float(n)) for n in numbers)]))
        Image.fromarray(_millimetres(pictures[i])).save(folder / "depth" / f"{i:06d}.png")
    (folder / "odometry.csv").write_text("\n".join(rows) + "\n")
    with av.open(str(folder / "rgb.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture.colour, "rgb24")))
        container.mux(stream.encode())


def write_record3d(
    path: Path, pictures: Sequence[Frame], *, pack: Callable[[bytes], bytes] = bytes, turns: int = 0, **fields: Any
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fx, fy, cx, cy = small_world().intrinsics
    poses = arkit_poses()[: len(pictures)]
    if turns == 1:
        # A phone held upright: its sensor's x axis points down.
        poses = poses @ np.array([[0.0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        fx, fy, cx, cy = fy, fx, cy, SIZE[0] - cx
    size = SIZE[::-1] if turns else SIZE
    quaternions = Rotation.from_matrix(poses[:, :3, :3]).as_quat()
    content = {
        "w": size[0], "h": size[1], "dw": size[0] // 2, "dh": size[1] // 2, "fps": 10,
        "K": [fx, 0, 0, 0, fy, 0, cx, cy, 1],
        "poses": np.column_stack([quaternions, poses[:, :3, 3]]).tolist(),
        "initPose": [0, 0, 0, 1, 5, 5, 5],
        **fields,
    }  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata", json.dumps(content))
        for i, picture in enumerate(pictures):
            file = BytesIO()
            Image.fromarray(sensor(picture.colour, turns)).save(file, "JPEG", quality=95)
            archive.writestr(f"rgbd/{i}.jpg", file.getvalue())
            depth = sensor(picture.depth, turns)[::2, ::2].astype("<f4")
            archive.writestr(f"rgbd/{i}.depth", pack(np.ascontiguousarray(depth).tobytes()))


def write_roomplan(path: Path, *, plain: bool = False) -> None:
    """The things of the world as objects, its floor as a polygon in its own frame, whose z axis is its normal."""
    path.parent.mkdir(parents=True)
    objects = []
    for thing in small_world().wanted:
        matrix = np.eye(4)
        matrix[:3, :3] = TO_Y_UP @ np.array(thing.box.axes).T
        matrix[:3, 3] = TO_Y_UP @ np.array(thing.box.center)
        objects.append({
            "identifier": f"id-{thing.id}", "category": thing.category if plain else {thing.category: {}},
            "confidence": {"high": {}}, "dimensions": list(thing.box.extents),
            "transform": matrix.T.ravel().tolist(), "attributes": {},
        })  # fmt: skip
    floor = np.eye(4)
    floor[:3, :3] = TO_Y_UP
    x, y, _ = ROOM
    corners = [[0, 0, 0], [x, 0, 0], [x, y, 0], [0, y, 0]]
    floors = [
        {
            "category": {"floor": {}},
            "transform": floor.T.ravel().tolist(),
            "dimensions": [x, y, 0],
            "polygonCorners": corners,
        }
    ]
    content = {
        "version": 2,
        "story": 0,
        "walls": [],
        "doors": [],
        "windows": [],
        "openings": [],
        "floors": floors,
        "objects": objects,
        "sections": [],
    }
    path.write_text(json.dumps(content))
