"""Writes a small world as a folder with scene.json, in units and axes of another program."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ingest.arkit_writer import write_ply
from ingest.worlds import SmallWorld
from tolman.simulate.render import Frame

TO_Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def write_generic(
    folder: Path,
    world: SmallWorld,
    pictures: tuple[Frame, ...],
    *,
    boxes: bool = True,
    labels: bool = True,
    masks: bool = False,
    depth: bool = False,
    mesh: bool = True,
) -> dict[str, Any]:
    """Centimetres, y up, cameras that look along −z with y up, poses scene → camera: nothing is as it is wanted.

    Returns:
        What scene.json holds.
    """
    folder.mkdir(parents=True)
    (folder / "frames").mkdir()
    for i, picture in enumerate(pictures):
        Image.fromarray(picture.colour).save(folder / "frames" / f"{i}.jpg", quality=90)
    if masks:
        (folder / "masks").mkdir()
        for i, picture in enumerate(pictures):
            Image.fromarray(picture.instances.astype(np.uint16)).save(folder / "masks" / f"{i}.png")
    if depth:
        (folder / "depth").mkdir()
        for i, picture in enumerate(pictures):
            Image.fromarray(np.round(picture.depth * 1000).astype(np.uint16)).save(folder / "depth" / f"{i}.png")
    extra = {"object": world.numbers} if labels else {}
    if mesh:
        write_ply(folder / "mesh.ply", 100 * world.points @ TO_Y_UP.T, world.faces, **extra)
    objects = []
    for i, thing in enumerate(world.objects):
        entry: dict[str, Any] = {"id": f"{thing.category} {thing.id}", "label": thing.category}
        if labels or masks:
            entry["number"] = i + 1
        if boxes:
            entry["box"] = {
                "center": (100 * TO_Y_UP @ thing.box.center).tolist(),
                "extents": (100 * np.array(thing.box.extents)).tolist(),
                "axes": (np.array(thing.box.axes) @ TO_Y_UP.T).tolist(),
            }
        objects.append(entry)
    content: dict[str, Any] = {
        "tolman_scene": 1, "unit": "cm", "up": "y", "objects": objects,
        **({"mesh": {"file": "mesh.ply", **({"labels": "object"} if labels else {})}} if mesh else {}),
        "room_area": world.area * 1e4,
        "cameras": [{
            "name": "ego", "frames": "frames", "rate": 10, "axes": "opengl", "direction": "scene_to_camera",
            "poses": "poses.txt", "intrinsics": world.intrinsics, "standard": [160, 120, 10],
            **({"masks": "masks"} if masks else {}), **({"depth": "depth"} if depth else {}),
        }],
    }  # fmt: skip
    lines = []
    for pose in world.poses:
        own = pose.copy()
        own[:3, 1:3] *= -1
        own[:3] = TO_Y_UP @ own[:3]
        own[:3, 3] *= 100
        lines.append(" ".join(repr(float(value)) for value in np.linalg.inv(own)[:3].ravel()))
    (folder / "poses.txt").write_text("\n".join(lines) + "\n")
    (folder / "scene.json").write_text(json.dumps(content))
    return content
