"""The small world in ScanNet's layout on disk, in a frame of its own."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image
from plyfile import PlyData, PlyElement

from ingest.worlds import SIZE, small_world, transform
from tolman.simulate.render import Frame

ALIGNMENT = transform(z=-37.0, shift=(1.5, -2.25, -0.08))
"""The scan's frame → the world's."""
LABELS = {"chair": "office chair", "sofa": "couch", "cabinet": "bookshelf"}
"""What the annotators called things."""
NAMES = {"office chair": "chair", "couch": "sofa"}
LOST = 5
DEPTH_SHIFT = 1000.0


def write_ply(path: Path, points: np.ndarray, faces: np.ndarray, **vertex: np.ndarray) -> None:
    """A binary mesh whose properties stand in an unusual order."""
    fields = [("red", "u1"), ("z", "f4"), ("x", "f4"), ("y", "f4"), *((name, "i4") for name in vertex)]
    rows = np.zeros(len(points), dtype=fields)
    for i, axis in enumerate("xyz"):
        rows[axis] = points[:, i]
    for name, values in vertex.items():
        rows[name] = values
    cells = np.zeros(len(faces), dtype=[("vertex_indices", "i4", (3,))])
    cells["vertex_indices"] = faces
    PlyData([PlyElement.describe(rows, "vertex"), PlyElement.describe(cells, "face")]).write(str(path))


def segments_of(numbers: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Segments that no two things share, several for each, with gaps in their numbers."""
    return numbers * 40 + (points[:, 2] > 0.5).astype(int) * 7 + 3


def jpeg(picture: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def png(picture: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()


def intrinsic() -> np.ndarray:
    fx, fy, cx, cy = small_world().intrinsics
    return np.array([[fx, 0, cx, 0], [0, fy, cy, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def sens_bytes(frames: Sequence[Frame], poses: np.ndarray, times: np.ndarray, imu: int | None = 2) -> bytes:
    """A .sens file of version 4."""
    name = b"StructureSensor"
    out = [struct.pack("<IQ", 4, len(name)), name]
    for matrix in (intrinsic(), np.eye(4), intrinsic(), np.eye(4)):
        out.append(matrix.astype("<f4").tobytes())
    out.append(struct.pack("<2i4If", 2, 1, *SIZE, *SIZE, DEPTH_SHIFT))
    out.append(struct.pack("<Q", len(frames)))
    for frame, pose, time in zip(frames, poses, times, strict=True):
        color = jpeg(frame.colour)
        depth = zlib.compress(np.round(frame.depth * DEPTH_SHIFT).astype("<u2").tobytes())
        out.append(pose.astype("<f4").tobytes())
        out.append(struct.pack("<4Q", int(time * 1e6), int(time * 1e6), len(color), len(depth)))
        out += [color, depth]
    if imu is not None:
        out.append(struct.pack("<Q", imu) + bytes(128 * imu))
    return b"".join(out)


def write_scannet(
    root: Path,
    frames: Sequence[Frame] | None,
    name: str = "scene0000_00",
    *,
    masks: bool = True,
    exported: bool = False,
    aligned: bool = True,
) -> Path:
    """One scan; frame LOST has no pose. Without frames it is a mesh with its annotation."""
    world = small_world().moved(np.linalg.inv(ALIGNMENT))
    folder = root / name
    folder.mkdir(parents=True)
    numbers = world.vertex_numbers
    write_ply(folder / f"{name}_vh_clean_2.ply", world.points, world.faces)
    segments = segments_of(numbers, world.points)
    (folder / f"{name}_vh_clean_2.0.010000.segs.json").write_text(
        json.dumps({"params": {"kThresh": "0.0001"}, "sceneId": name, "segIndices": segments.tolist()})
    )
    groups = [
        {
            "id": i,
            "objectId": i,
            "segments": sorted({int(s) for s in segments[numbers == i + 1]}),
            "label": LABELS.get(thing.category, thing.category),
        }
        for i, thing in enumerate(world.objects)
    ]
    (folder / f"{name}.aggregation.json").write_text(
        json.dumps(
            {
                "sceneId": f"scannet.{name}",
                "appId": "x",
                "segGroups": groups,
                "segmentsFile": f"scannet.{name}_vh_clean_2.0.010000.segs.json",
            }
        )
    )
    text = f"axisAlignment = {' '.join(f'{v:.17g}' for v in ALIGNMENT.ravel())}\n" if aligned else ""
    (folder / f"{name}.txt").write_text(f"{text}colorHeight = {SIZE[1]}\ncolorWidth = {SIZE[0]}\nsceneType = Office\n")
    if frames is None:
        return folder
    poses = world.poses[: len(frames)].copy()
    poses[LOST : LOST + 1] = -np.inf
    times = 5.0 + np.arange(len(frames)) / 24
    if exported:
        for part in ("color", "pose", "intrinsic"):
            (folder / part).mkdir()
        for i, frame in enumerate(frames):
            (folder / "color" / f"{i}.jpg").write_bytes(jpeg(frame.colour))
            (folder / "pose" / f"{i}.txt").write_text("\n".join(" ".join(f"{v:f}" for v in row) for row in poses[i]))
        (folder / "intrinsic" / "intrinsic_color.txt").write_text(
            "\n".join(" ".join(f"{v:.9f}" for v in row) for row in intrinsic())
        )
    else:
        (folder / f"{name}.sens").write_bytes(sens_bytes(frames, poses, times))
    if masks:
        with zipfile.ZipFile(folder / f"{name}_2d-instance-filt.zip", "w") as archive:
            for i, frame in enumerate(frames):
                archive.writestr(f"instance-filt/{i}.png", png(frame.instances.astype(np.uint8)))
    return folder
