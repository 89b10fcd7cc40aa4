"""Writes a small world as ARKitScenes lays a recording on disk."""

import json
from pathlib import Path

import numpy as np
from PIL import Image
from plyfile import PlyData, PlyElement
from scipy.spatial.transform import Rotation

from ingest.worlds import SmallWorld
from tolman.simulate.render import Frame

ID = "41069025"
START = 1627.681


def stamps(count: int) -> list[float]:
    """The times of frames: not round, as a phone's clock gives them."""
    return [round(START + 0.1 * i + 0.001 * (i % 3), 3) for i in range(count)]


def write_arkit(
    root: Path,
    world: SmallWorld,
    pictures: tuple[Frame, ...],
    *,
    sky: str = "Left",
    raw: bool = False,
    stream: str = "vga_wide",
) -> Path:
    """A recording under 3dod/ or raw/; the phone was turned by a quarter, so that its pictures have the sky on a side.

    Args:
        world: in the scan's own frame, z up.
        pictures: upright ones.
        sky: where the pictures on disk have it; 'NA' writes them as 'Left' and doesn't say so.
    """
    dataset = root / ("raw" if raw else "3dod")
    folder = dataset / "Training" / ID
    frames = folder if raw else folder / f"{ID}_frames"
    frames.mkdir(parents=True)
    (dataset / "metadata.csv").write_text(
        "video_id,visit_id,fold,sky_direction,is_in_upsampling,has_laser_scanner_point_clouds\n"
        f"40753679,NA,Training,Up,False,True\n{ID},381412,Training,{sky},False,True\n"
    )
    data = [
        {
            "uid": f"u{thing.id}", "label": thing.category, "modelId": "", "children": [], "objectId": i, "hierarchy": {},
            "isInGroup": False, "labelType": "ManualLabel", "attributes": {},
            "segments": {"obbAligned": {
                "centroid": thing.box.center, "axesLengths": thing.box.extents,
                "normalizedAxes": np.array(thing.box.axes).ravel().tolist(),
            }},
        }
        for i, thing in enumerate(world.objects)
    ]  # fmt: skip
    annotation = {"data": data, "stats": {}, "comment": "", "confirm": True, "skipped": False}
    (folder / f"{ID}_3dod_annotation.json").write_text(json.dumps(annotation))
    write_ply(folder / f"{ID}_3dod_mesh.ply", world.points, world.faces)
    turned = {"Up": 0, "Left": 1, "Down": 2, "Right": 3, "NA": 1}[sky]
    times = stamps(len(pictures))
    lines = []
    (frames / stream).mkdir()
    (frames / f"{stream}_intrinsics").mkdir()
    for i, (time, picture, pose) in enumerate(zip(times, pictures, world.poses, strict=True)):
        # Clockwise quarter turns make the picture upright: on disk it lies as many quarter turns back.
        lying = np.rot90(picture.colour, turned)
        Image.fromarray(lying).save(frames / stream / f"{ID}_{time:.3f}.png", compress_level=1)
        own, (fx, fy, cx, cy) = lying_camera(pose, world.intrinsics, picture.colour.shape[1::-1], turned)
        # The name of a .pincam may be a millisecond off.
        (frames / f"{stream}_intrinsics" / f"{ID}_{time + 0.001 * (i % 2):.3f}.pincam").write_text(
            f"{lying.shape[1]} {lying.shape[0]} {fx!r} {fy!r} {cx!r} {cy!r}\n"
        )
        extrinsic = np.linalg.inv(own)
        turn = Rotation.from_matrix(extrinsic[:3, :3]).as_rotvec()
        numbers = [*turn.tolist(), *extrinsic[:3, 3].tolist()]
        lines.append(f"{time + 0.0001:.8f} " + " ".join(repr(number) for number in numbers))
    (frames / "lowres_wide.traj").write_text("\n".join(lines) + "\n")
    return folder


def lying_camera(
    pose: np.ndarray, intrinsics: tuple[float, float, float, float], size: tuple[int, int], turned: int
) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """The camera whose pictures, turned clockwise so many quarters, are those of an upright one.

    It is found by where the corners of the upright picture lie in the other: written without the code under test.
    """
    fx, fy, cx, cy = intrinsics
    width, height = size
    turn = Rotation.from_euler("z", 90 * turned, degrees=True).as_matrix()
    own = pose.copy()
    # Turning the phone clockwise about its view turns the picture in it counter-clockwise.
    own[:3, :3] = pose[:3, :3] @ turn
    lying = {
        0: (fx, fy, cx, cy),
        1: (fy, fx, cy, width - cx),
        2: (fx, fy, width - cx, height - cy),
        3: (fy, fx, height - cy, cx),
    }[turned]
    return own, lying


def write_ply(path: Path, points: np.ndarray, faces: np.ndarray, **extra: np.ndarray) -> None:
    """A binary mesh with doubles, colours, and further properties of its faces."""
    vertices = np.zeros(len(points), dtype=[("red", "u1"), ("x", "f8"), ("y", "f8"), ("z", "f8")])
    for axis, name in enumerate("xyz"):
        vertices[name] = points[:, axis]
    fields = [("vertex_indices", "i4", (3,)), *((name, "i4") for name in extra)]
    table = np.zeros(len(faces), dtype=fields)
    table["vertex_indices"] = faces
    for name, values in extra.items():
        table[name] = values
    PlyData([PlyElement.describe(vertices, "vertex"), PlyElement.describe(table, "face")]).write(str(path))
