"""Writes a small world as Matterport3D lays a house on disk."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from ingest.arkit_writer import write_ply
from ingest.worlds import SmallWorld
from tolman.simulate.render import Frame

HOUSE = "17DRP5sb8fy"
PLACES = ("0f37bd0737e349de9d536263a4bdd60d", "ed6faad9c07e4edb3e5a8a0b8d6a5a07")
DISTORTION = (0.04, -0.02, 0.001, -0.0005, 0.003)
MIXED = {"stool": "seating"}


def shot_of(frame: int, frames: int) -> tuple[str, int, int]:
    """Which place, camera and direction a frame of the world is a picture of."""
    half = frames // 2
    return PLACES[frame // half], (frame % half) // 4, frame % half % 4


def write_matterport(
    root: Path, world: SmallWorld, pictures: tuple[Frame, ...], *, undistorted: bool = True, index: bool = True
) -> Path:
    """A house of two regions: the room, and junk. An object without segments has an empty box."""
    house = root / "v1" / "scans" / HOUSE
    segmentations = house / "house_segmentations"
    regions = house / "region_segmentations"
    for folder in (segmentations, regions):
        folder.mkdir(parents=True)
    # Each object has two segments, by halves of its faces; the shell's belong to none. Ids are no indices.
    halves = np.arange(len(world.faces)) % 2
    segments = 1000 + 10 * world.numbers + halves
    extra = {"material_id": segments, "segment_id": world.numbers - 1, "category_id": np.zeros(len(segments), int)}
    if index:
        (segmentations / f"{HOUSE}.house").write_text(_house(world, segments, len(pictures)))
        write_ply(segmentations / f"{HOUSE}.ply", world.points, world.faces, **extra)
        (segmentations / f"{HOUSE}.fsegs.json").write_text(json.dumps({"segIndices": segments.tolist()}))
    write_ply(regions / "region0.ply", world.points, world.faces, **extra)
    (regions / "region0.fsegs.json").write_text(json.dumps({"segIndices": segments.tolist()}))
    groups = [
        {"id": i, "objectId": i, "label": thing.category, "segments": [1010 + 10 * i, 1011 + 10 * i]}
        for i, thing in enumerate(world.objects)
    ]
    (regions / "region0.semseg.json").write_text(json.dumps({"segGroups": groups}))
    if undistorted:
        _write_undistorted(house, world, pictures)
    else:
        _write_raw(house, world, pictures)
    return house


def _house(world: SmallWorld, segments: np.ndarray, frames: int) -> str:
    low, high = world.points.min(0) - 0.01, world.points.max(0) + 0.01
    bounds = _join([*low, *high])
    names = list(dict.fromkeys(thing.category for thing in world.objects))
    owner = {int(one): (one - 1000) // 10 - 1 for one in np.unique(segments)}
    floor = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    objects = [
        f"O  {i} 0 {names.index(thing.category)}  {_join(thing.box.center)}  {_join(thing.box.axes[0])}  "
        f"{_join(thing.box.axes[1])}  {_join(np.array(thing.box.extents) / 2)}  0 0 0 0 0 0 0 0 "
        for i, thing in enumerate(world.objects)
    ]
    objects.append(f"O  {len(objects)} 0 0  0 0 0  1 0 0  0 1 0  -inf nan -1  0 0 0 0 0 0 0 0 ")
    images = []
    for i in range(frames):
        place, camera, yaw = shot_of(i, frames)
        numbers = _join([*np.eye(4).ravel(), *np.eye(3).ravel()])
        images.append(f"I  {i} {PLACES.index(place)}   {place}  {camera} {yaw}  {numbers}  160 120  0 0 0  0 0 0 0 0 ")
    lines = [
        "ASCII 1.1",
        f"H  {HOUSE}  -  {frames} 2 4 1 {len(owner)} {len(objects)} {len(names)} 2 1  1  0 0 0 0 0 {bounds}  0 0 0 0 0 ",
        f"L  0  0  -  0 0 0  {bounds}  0 0 0 0 0 ",
        f"R  0 0  0 0  k  0 0 0  {bounds}  2.6  0 0 0 0 ",
        "R  1 0  0 0  Z  50 50 0  50 50 0  51 51 2  2.6  0 0 0 0 ",
        f"P  0  0  1  -  {bounds}  0 0 0 0 ",
        f"S  0 0  0  -  0 0 0  0 0 1  {bounds}  0 0 0 0 0 ",
        *(f"V  {i} 0  -  {_join([*place, 0.0])}  0 0 1  0 0 0 " for i, place in enumerate(floor)),
        *(f"P  {name}  {i} 0  0  0 0 0  0 0 0 0 0 " for i, name in enumerate(PLACES)),
        *images,
        *(f"C  {i}  {i + 3} {name}#  {i} {MIXED.get(name, name)}  0 0 0 0 0 " for i, name in enumerate(names)),
        *objects,
        *(f"E  {i} {thing}  {one}  0.5  0 0 0  {bounds}  0 0 0 0 0 " for i, (one, thing) in enumerate(owner.items())),
    ]
    return "\n".join(lines) + "\n"


def _write_undistorted(house: Path, world: SmallWorld, pictures: tuple[Frame, ...]) -> None:
    fx, fy, cx, cy = world.intrinsics
    height = pictures[0].colour.shape[0]
    (house / "undistorted_color_images").mkdir()
    (house / "undistorted_camera_parameters").mkdir()
    # The lower left corner is the origin, so a centre that isn't the middle stands elsewhere.
    lines = [
        "dataset matterport", f"n_images {len(pictures)}", "depth_directory undistorted_depth_images",
        "color_directory undistorted_color_images",
        "", f"intrinsics_matrix {fx!r} 0 {cx!r}  0 {fy!r} {height - cy!r} 0 0 1",
    ]  # fmt: skip
    for i, picture in enumerate(pictures):
        place, camera, yaw = shot_of(i, len(pictures))
        pose = world.poses[i].copy()
        pose[:3, 1:3] *= -1
        name = f"{place}_i{camera}_{yaw}.jpg"
        Image.fromarray(picture.colour).save(house / "undistorted_color_images" / name, quality=90)
        lines.append(f"scan {place}_d{camera}_{yaw}.png {name} {_join(pose.ravel())}")
    (house / "undistorted_camera_parameters" / f"{house.name}.conf").write_text("\n".join(lines) + "\n")


def _write_raw(house: Path, world: SmallWorld, pictures: tuple[Frame, ...]) -> None:
    height, width = pictures[0].colour.shape[:2]
    for part in ("color_images", "camera_poses", "camera_intrinsics"):
        (house / f"matterport_{part}").mkdir()
    for i, picture in enumerate(pictures):
        place, camera, yaw = shot_of(i, len(pictures))
        Image.fromarray(picture.colour).save(house / "matterport_color_images" / f"{place}_i{camera}_{yaw}.jpg")
        rows = "\n".join(_join(row) for row in world.poses[i])
        (house / "matterport_camera_poses" / f"{place}_pose_{camera}_{yaw}.txt").write_text(rows + "\n")
        lens = f"{width} {height} {_join([*world.intrinsics, *DISTORTION])}\n"
        (house / "matterport_camera_intrinsics" / f"{place}_intrinsics_{camera}.txt").write_text(lens)


def _join(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values).ravel())
