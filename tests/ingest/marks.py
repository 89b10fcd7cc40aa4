"""Writes the objects of rendered frames as people and segmenters mark them."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ingest.arkit_writer import write_ply
from ingest.worlds import CUBOIDS, EXCLUDED, corners
from tolman.geometry.clouds import voxel_means
from tolman.ingest.scan_format import Instance
from tolman.scenes import Capture, OrientedBox, Scene
from tolman.scoring.picture_shapes import encode, shortened
from tolman.simulate.render import Frame

SWITCHED = " again"
NUMBERS = {number: one.label for number, one in enumerate(CUBOIDS, start=1) if one.label != EXCLUDED}


def coco(
    path: Path,
    frames: Sequence[Frame],
    *,
    names: Sequence[str] = (),
    kind: str = "runs",
    tracks: bool = True,
) -> Path:
    """COCO instances: each third mask as lists of runs, the others in the short form; or polygons."""
    categories = sorted(set(NUMBERS.values()))
    content: dict[str, list[dict[str, Any]]] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": i, "name": name} for i, name in enumerate(categories)],
    }
    for i, frame in enumerate(frames):
        height, width = frame.instances.shape
        name = f"{names[i] if names else i}.jpg"
        content["images"].append({"id": i, "file_name": name, "width": width, "height": height})
        for number, label in NUMBERS.items():
            mask = frame.instances == number
            if mask.sum() < 20:
                continue
            rows, columns = np.nonzero(mask)
            left, top = int(columns.min()), int(rows.min())
            one: dict[str, Any] = {
                "id": len(content["annotations"]),
                "image_id": i,
                "category_id": categories.index(label),
                "bbox": [left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top],
                "iscrowd": 0,
            }
            if kind == "runs":
                counts = encode(mask)
                short = one["id"] % 3
                one["iscrowd"] = 1  # as CVAT writes masks
                one["segmentation"] = {"size": [height, width], "counts": shortened(counts) if short else counts}
            elif kind == "polygons":
                one["segmentation"] = _polygons(mask)
            if tracks:  # as several programs write it
                one |= {"track_id": number} if number % 2 else {"attributes": {"occluded": False, "track_id": number}}
            content["annotations"].append(one)
    path.write_text(json.dumps(content))
    return path


def _polygons(mask: np.ndarray) -> list[list[float]]:
    import cv2

    found, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [(one.reshape(-1) + 0.5).tolist() for one in found if len(one) >= 3]


def write_masks(folder: Path, frames: Sequence[Frame], names: Sequence[str], only: int | None = None) -> Path:
    """PNG masks of instance numbers with their table."""
    folder.mkdir()
    table = {number: label for number, label in NUMBERS.items() if only in (None, number)}
    (folder / "categories.json").write_text(json.dumps(table))
    for name, frame in zip(names, frames, strict=True):
        values = np.where(np.isin(frame.instances, list(table)), frame.instances, 0)
        Image.fromarray(values.astype(np.uint8)).save(folder / f"{name}.png")
    return folder


def write_home(
    home: Path,
    scene: Scene,
    camera: Capture,
    folder: Path,
    *,
    measured: str = "depth",
    tracks: bool = True,
    faulty: bool = False,
) -> Path:
    """A recording of a simulated home (with depth and instances) as a nerfstudio folder; the path of its marks.

    Marks are as a segmenter makes them: their edges are off by about 2 pixels, a tenth of the pictures has none, and a
    twentieth of the labels are wrong. Depth is off by 0.5 %, and ends at 5 m.

    Args:
        home: the collection's folder.
        scene, camera: of it.
        folder: written.
        measured: 'depth' or 'cloud' (3 cm between its points).
        tracks: whether marks have an identity.
        faulty: whether masks are wider or narrower by up to 3 pixels, a tenth of them is missing, one picture in five
            has a false one, one in ten two exchanged identities, and a tenth of the things another identity from a
            picture on.
    """
    draw, fault = np.random.default_rng(0), np.random.default_rng(1)
    switched = {one.id: fault.uniform(0.3, 0.7) for one in scene.objects if faulty and fault.random() < 0.1}
    stem = Path(str(camera.media)).stem
    (folder / "images").mkdir(parents=True)
    labels = sorted({one.category for one in scene.objects})
    frames, points = [], []
    fx, fy, cx, cy = camera.intrinsics[0]
    content: dict[str, list[dict[str, Any]]] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": i, "name": name} for i, name in enumerate(labels)],
    }
    for i in range(len(camera.times)):
        Image.new("RGB", camera.size or (1, 1), (128, 128, 128)).save(folder / "images" / f"{i}.jpg")
        pose = camera.pose(i) @ np.diag([1.0, -1.0, -1.0, 1.0])
        frame = {"file_path": f"images/{i}.jpg", "transform_matrix": pose.tolist()}
        read = np.asarray(Image.open(home / "depth" / stem / f"{i:06d}.png"), dtype=np.float64)[::2, ::2]
        read = np.where(read < 5000, read * draw.normal(1, 0.005, read.shape), 0)
        if measured == "depth":
            Image.fromarray(read.astype(np.uint16)).save(folder / f"{i}.png")
            frame["depth_file_path"] = f"{i}.png"
        rows, columns = np.nonzero(read)
        ways = np.column_stack([(2 * columns + 1 - cx) / fx, (2 * rows + 1 - cy) / fy, np.ones(len(rows))])
        points.append((ways * read[rows, columns, None] / 1000) @ camera.pose(i)[:3, :3].T + camera.pose(i)[:3, 3])
        frames.append(frame)
        if draw.random() < 0.1:
            continue
        numbers = rough(np.asarray(Image.open(home / "instances" / stem / f"{i:06d}.png")), draw)
        own: list[dict[str, Any]] = []
        content["images"].append({"id": i, "file_name": f"{i}.jpg"})
        for number, thing in enumerate(scene.objects, start=1):
            mask = numbers == number
            if faulty:
                mask = resized(mask, int(fault.integers(-3, 4)))
            if mask.sum() < 64 or (faulty and fault.random() < 0.1):
                continue
            label = labels.index(thing.category) if draw.random() > 0.05 else int(draw.integers(len(labels)))
            later = i >= switched.get(thing.id, 1.0) * len(camera.times)
            own.append(_annotation(i, label, thing.id, mask, f"{thing.id}{SWITCHED * later}"))
        if faulty and fault.random() < 0.2:
            mask = np.hypot(*(np.indices(numbers.shape).T - fault.uniform(0, numbers.shape)).T) < fault.uniform(15, 60)
            own.append(_annotation(i, int(fault.integers(len(labels))), "", mask, f"false {i}"))
        if faulty and len(own) > 1 and fault.random() < 0.1:
            one, other = (own[k]["attributes"] for k in fault.choice(len(own), 2, replace=False))
            one["track_id"], other["track_id"] = other["track_id"], one["track_id"]
        content["annotations"] += own if tracks else [{**one, "attributes": {}} for one in own]
    capture: dict[str, Any] = {"fl_x": fx, "fl_y": fy, "cx": cx, "cy": cy, "frames": frames}
    if measured == "cloud":
        write_ply(folder / "cloud.ply", voxel_means(np.concatenate(points), 0.03).points, np.empty((0, 3), dtype=int))
        capture["ply_file_path"] = "cloud.ply"
    (folder / "transforms.json").write_text(json.dumps(capture))
    path = folder.with_suffix(".json")
    path.write_text(json.dumps(content))
    return path


def _annotation(picture: int, label: int, thing: str, mask: np.ndarray, track: str) -> dict[str, Any]:
    rows, columns = np.nonzero(mask)
    ends = [int(value) for one in (columns, rows) for value in (one.min(), one.max() + 1)]
    return {
        "image_id": picture,
        "category_id": label,
        "thing": thing,
        "bbox": [ends[0], ends[2], ends[1] - ends[0], ends[3] - ends[2]],
        "segmentation": {"size": list(mask.shape), "counts": encode(mask)},
        "attributes": {"track_id": track},
    }


def resized(mask: np.ndarray, pixels: int) -> np.ndarray:
    """A mask whose edge is moved outwards, or inwards where pixels are negative."""
    from scipy import ndimage

    moved = {True: ndimage.binary_dilation, False: ndimage.binary_erosion}[pixels > 0]
    return np.asarray(moved(mask, iterations=abs(pixels))) if pixels else mask


def lifted_home(
    scene: Scene, marks: Path, found: Sequence[Instance]
) -> tuple[dict[str, float], list[bool], list[float]]:
    """What came of the marks of a home.

    Returns:
        By the id of each thing that is marked in five pictures or more, the overlap with its box, 0 without; for each
        category of them, whether as many were found, with false ones and those without a box; and for each found one, by how much its worst side is farther off
        than it says, metres.
    """
    annotations = json.loads(marks.read_text())["annotations"]
    tracked = bool(annotations[0]["attributes"])
    frames = Counter(one["thing"] for one in annotations)
    known = {one.id: one for one in scene.objects if frames[one.id] >= 5}
    overlaps, excess = dict.fromkeys(known, 0.0), []
    counts: Counter[str] = Counter()
    for one in found:
        if one.box is None:
            counts[one.label] += 1
            continue
        assert one.lifted is not None
        box, center = one.box, one.box.center
        nearest = sorted(scene.objects, key=lambda thing: float(np.linalg.norm(np.subtract(thing.box.center, center))))
        true = max(nearest[:3], key=lambda thing: overlap(box, thing.box))
        if tracked:
            name = one.id.removesuffix(SWITCHED)
            true = next((thing for thing in scene.objects if name.endswith(f" {thing.id}")), true)
        counts[one.label] += true.id in known or overlap(box, true.box) < 0.1
        if true.id in known:
            overlaps[true.id] = max(overlaps[true.id], overlap(box, true.box))
            local = np.abs((corners(box) - true.box.center) @ np.array(true.box.axes).T).max(0)
            off = float(np.abs(local - np.array(true.box.extents) / 2).max())
            excess.append(off - one.lifted.error - one.lifted.unseen)
    wanted = Counter(one.category for one in known.values())
    return overlaps, [counts[name] == count for name, count in wanted.items()], excess


def rough(mask: np.ndarray, draw: np.random.Generator, pixels: float = 2.0) -> np.ndarray:
    """A mask whose edges wander by some pixels (standard deviation), smoothly over 16 pixels."""
    from scipy import ndimage

    height, width = mask.shape
    field = draw.normal(0, pixels, (2, height // 16 + 2, width // 16 + 2))
    rows, columns = (ndimage.zoom(one, 16, order=1)[:height, :width] for one in field)
    at = np.mgrid[:height, :width] + np.round([rows, columns]).astype(int)
    return np.asarray(mask[np.clip(at[0], 0, height - 1), np.clip(at[1], 0, width - 1)])


def overlap(one: OrientedBox, other: OrientedBox) -> float:
    """The intersection over union of two boxes, by 40,000 points."""
    ends = np.concatenate([corners(one), corners(other)])
    points = np.random.default_rng(0).uniform(ends.min(0), ends.max(0), (40_000, 3))
    a, b = (
        (np.abs((points - box.center) @ np.array(box.axes).T) <= np.array(box.extents) / 2).all(1)
        for box in (one, other)
    )
    return float((a & b).sum() / max(1, (a | b).sum()))
