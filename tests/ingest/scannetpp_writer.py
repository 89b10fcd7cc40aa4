"""The small world in ScanNet++'s layout on disk, turned about the vertical as its scans are."""

import json
import struct
import zlib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import lz4.block
import numpy as np

from ingest.scannet_writer import intrinsic, jpeg, segments_of, write_ply
from ingest.worlds import SIZE, SmallWorld, small_world, transform
from tolman.simulate.render import Frame

FRAME = transform(z=25.0, shift=(-3.0, 1.0, 0.02))
"""The world's frame → the mesh's."""
LABELS = {"chair": "office chair", "sofa": "couch", "cabinet": "bookcase"}
LOST = 6
OTHER = transform(z=80.0, y=10.0, shift=(1, 2, 3))
"""The mesh's frame → ARKit's, in which 'pose' stands."""


def scan_world() -> SmallWorld:
    """The truth in the mesh's frame."""
    return small_world().moved(FRAME)


def depth_bin(count: int, *, framed: bool) -> bytes:
    """Depth pictures of a slope, frame i with i metres more."""
    slope = np.linspace(0.5, 3.0, 256 * 192).reshape(192, 256)
    if not framed:
        packer = zlib.compressobj(wbits=-15)
        pictures = np.stack([slope + i for i in range(count)]).astype("<f4")
        return packer.compress(pictures.tobytes()) + packer.flush()
    blocks = [
        lz4.block.compress(np.round(1000 * (slope + i)).astype("<u2").tobytes(), store_size=False) for i in range(count)
    ]
    return b"".join(struct.pack("<I", len(block)) + block for block in blocks)


def write_mkv(path: Path, pictures: Sequence[np.ndarray], rate: int = 60) -> None:
    import av

    with av.open(str(path), "w", format="matroska") as container:
        stream = container.add_stream("libx264", rate=Fraction(rate))
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"crf": "12", "preset": "veryfast", "threads": "1"}
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def write_scannetpp(
    root: Path, frames: Sequence[Frame] | None, name: str = "0a7cc12c0e", *, unpacked: bool = False
) -> Path:
    """One scan; frame LOST has no pose. The sofa also claims the table's segments, and the table keeps them."""
    world = scan_world()
    folder = root / "data" / name
    (folder / "scans").mkdir(parents=True)
    numbers = world.vertex_numbers
    write_ply(folder / "scans/mesh_aligned_0.05.ply", world.points, world.faces)
    segments = segments_of(numbers, world.points)
    (folder / "scans/segments.json").write_text(json.dumps({"segIndices": segments.tolist()}))
    groups = []
    for index, thing in enumerate(world.objects):
        own = sorted({int(s) for s in segments[numbers == index + 1]})
        if thing.category == "wall":
            own += sorted({int(s) for s in segments[numbers == 1]})
        box = thing.box
        groups.append(
            {
                "index": index, "id": index + 1, "objectId": index + 1, "label": LABELS.get(thing.category, thing.category),
                "segments": own,
                "obb": {
                    "centroid": list(box.center), "axesLengths": list(box.extents),
                    "normalizedAxes": [value for axis in box.axes for value in axis], "min": [0, 0, 0], "max": [1, 1, 1],
                },
            }
        )  # fmt: skip
    (folder / "scans/segments_anno.json").write_text(json.dumps({"segGroups": groups}))
    if frames is None:
        return folder
    (folder / "iphone").mkdir()
    records = {}
    for i, pose in enumerate(world.poses[: len(frames)]):
        record = {
            "timestamp": 100.0 + i / 60, "pose": (OTHER @ pose).tolist(), "aligned_pose": pose.tolist(),
            "intrinsic": intrinsic()[:3, :3].tolist(), "imu": {"rotate_rate": [0, 0, 0]},
        }  # fmt: skip
        if i == LOST:
            del record["aligned_pose"]
        records[f"frame_{i:06d}"] = record
    (folder / "iphone/pose_intrinsic_imu.json").write_text(json.dumps(records))
    (folder / "iphone/depth.bin").write_bytes(depth_bin(len(frames), framed=not unpacked))
    if unpacked:
        (folder / "iphone/rgb").mkdir()
        for i, frame in enumerate(frames):
            (folder / f"iphone/rgb/frame_{i:06d}.jpg").write_bytes(jpeg(frame.colour))
    else:
        write_mkv(folder / "iphone/rgb.mkv", [frame.colour for frame in frames])
    return folder
