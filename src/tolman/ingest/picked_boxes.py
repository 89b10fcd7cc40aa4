"""Boxes that a person picks in the cloud of a scene: fitted to its points, with bounds, and the frames that show them.

The cloud is that of the scene's LiDAR, else the mesh, depth or points of the scan that the scene was ingested from. The
fit and its bounds are those of `tolman.geometry.measuring`, and what a frame shows is found as for ingested boxes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import Tree, pixel_rays, scaled_intrinsics, splat
from tolman.geometry.clouds import Cloud, surface_of, voxel_means
from tolman.geometry.fitting import FitError, fit_box
from tolman.geometry.measuring import Measurement, measure, measure_sides
from tolman.geometry.motion import in_frames
from tolman.geometry.regions import BoxRegion, FrameRegion, Region
from tolman.ingest import formats
from tolman.ingest.build import read_summary
from tolman.ingest.clouds.recording import open_collection
from tolman.ingest.joined_marks import MarkedView
from tolman.ingest.lifted_boxes import measured_cloud
from tolman.ingest.scan_format import RawScene, ScanHints
from tolman.ingest.standard_video import working_size
from tolman.ingest.surfaces import faces_in, spread_points
from tolman.scenes import Capture, OrientedBox

_CELL = 0.01
_WIDER, _WIDER_SHARE = 0.07, 0.05
"""Metres by which the region of two picked corners is wider than they are, as people should draw it; and a share."""
_STEP, _NEXT, _FAR = 15, 0.12, 0.25
"""Degrees between directions that are tried, and metres from a box's corners to the picked ones: so near that no more
directions are tried, and so far that another box is meant."""
_SNAPPED = 0.12
"""Metres by which two points that snap to edges change their distance at most; else they are on one plane."""
_SLACK = 0.01
"""Metres that a box is grown by, but for its bottom, where surfaces are looked for in it."""
_LOOKS, _MOST_LOOKS = 5.0, 600
"""Frames of a second in which picked boxes are looked for, if no others have been looked at; and those of a camera."""
_RAY_FRAMES, _MOST_RAYS = 60, 1_000_000
"""Frames whose rays show free space, and rays of a LiDAR that do."""
_DEPTHS = 200
"""Frames of a camera whose depth is brought together."""
_HOLE, _HOLE_SHARE = 0.03, 0.03
"""A pixel looks between points of what its neighbours show where it is farther: metres, and a share of the depth."""


@dataclass(frozen=True)
class PickedBox:
    """A box, its length, width and height with 95 % bounds, and caveats."""

    box: OrientedBox
    sides: tuple[Measurement, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' × '.join(f'{one.value:.2f} ± {one.error:.2f}' for one in self.sides)} m (95 %)"


@dataclass(frozen=True)
class PickingCloud:
    """The cloud of a scene.

    Attributes:
        cloud: in the scene's frame, thinned to 1 cm.
        captures: of the scene.
        mesh: points and faces, shapes (n, 3) and (m, 3), of a scan that has them.
        lidar: the rays of a LiDAR.
        metric: whether the recording or scan itself is in metres.
    """

    cloud: Cloud
    captures: Sequence[Capture]
    mesh: tuple[Floats, NDArray[np.int64]] | None = None
    lidar: Rays | None = None
    metric: bool = True

    @cached_property
    def tree(self) -> Tree | None:
        """For rays on the mesh."""
        return None if self.mesh is None else Tree(*self.mesh, "build")

    @cached_property
    def points(self) -> Floats:
        """Its points, thinned to 2 cm, metres, shape (n, 3)."""
        return np.asarray(voxel_means(self.cloud, 0.02).points)

    @cached_property
    def turn(self) -> float:
        """The angle of most walls about the vertical, degrees."""
        with suppress(FitError):
            first = fit_box(surface_of(voxel_means(self.points, 0.06), 0.15)).box.axes[0]
            return float(np.degrees(np.arctan2(first[1], first[0])))
        return 0.0

    @cached_property
    def rays(self) -> Rays:
        """From the LiDAR to its returns, else from cameras to what they show."""
        if self.lidar is not None:
            return self.lidar
        found = [np.zeros((2, 0, 3))]
        looks = [look for capture in self.captures for look in _looks(capture)]
        for i in in_frames(np.arange(len(looks)), _RAY_FRAMES).tolist():
            _, pose, camera, size = looks[i]
            ends = self._view(pose, camera, size)[1]
            found.append(np.stack([np.broadcast_to(pose[:3, 3], ends.shape), ends]))
        return Rays(*np.concatenate(found, axis=1))

    def between(self, first: Sequence[float], second: Sequence[float]) -> PickedBox:
        """The box of the object with two opposite corners.

        It is looked for along the walls and in steps of 15° from them. The box with corners next to both is meant.

        Raises:
            FitError: the points there can't be measured; its text goes on from "the points of the region".
        """
        ends = np.array([first, second])
        middle, half = ends.mean(0), np.abs(np.ptp(ends, axis=0)) / 2 + 2 * _WIDER
        half[:2] = np.linalg.norm(np.diff(ends[:, :2], axis=0)) / 2 + 2 * _WIDER
        near = self._near(_box_region(middle - half, middle + half))
        margin = _WIDER + _WIDER_SHARE * np.ptp(ends, axis=0).max()
        best: tuple[float, PickedBox] | None = None
        refused: FitError | None = None
        for degrees in range(0, 90, _STEP):
            c, s = np.cos(np.radians(self.turn + degrees)), np.sin(np.radians(self.turn + degrees))
            turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
            own = ends @ turn.T
            region = _box_region(own.min(0) - margin, own.max(0) + margin)
            try:
                found = _fit(*near, region, turn)
            except FitError as error:
                refused = refused or error
                continue
            corners = Boxes(
                *(np.array([getattr(found.box, name)]) for name in ("center", "axes", "extents"))
            ).vertices()[0]
            off = float(np.linalg.norm(corners - ends[:, None], axis=-1).min(1).max())
            if best is None or off < best[0]:
                best = off, found
            if off < _NEXT:
                break
        if best is None:
            raise refused or FitError("hold no object")
        if best[0] > _FAR:
            raise FitError(
                f"make a box with corners {best[0]:.2f} m from the picked ones, so other things are among them; draw a "
                "rectangle in a frame, or add the object and set its numbers"
            )
        return best[1]

    def in_frame(self, capture: Capture, frame: int, pixels: Sequence[float]) -> PickedBox:
        """The box of the object in front in a rectangle of a frame: two corners, in the capture's pixels.

        Raises:
            FitError: as `between`, or the frame has no pose.
        """
        pose = capture.pose(frame)
        if not capture.intrinsics or not np.isfinite(pose).all():
            raise FitError("aren't known: this frame has no pose, so choose another one")
        (x0, y0), (x1, y1) = np.sort(np.reshape(pixels, (2, 2)), axis=0).tolist()
        if x1 - x0 < 1 or y1 - y0 < 1:
            raise FitError("are none: the rectangle has no area")
        camera = capture.intrinsics[frame if len(capture.intrinsics) > 1 else 0]
        region = FrameRegion((x0, y0, x1, y1), pose, camera)
        return _fit(*self._near(region), region, np.eye(3))

    def _near(self, region: Region) -> tuple[Cloud, Rays | None]:
        """The points around a region, and the rays that passed it."""
        passed = region.crossed(self.rays)
        rays = Rays(self.rays.origins[passed], self.rays.ends[passed])
        return self.cloud.take(region.near(self.cloud.points)), rays if len(rays) else None

    def distance(self, first: Sequence[float], second: Sequence[float]) -> float:
        """The distance of two picked points, each moved to a corner, edge or plane next to it, as measured ones are."""
        direct = float(np.linalg.norm(np.subtract(first, second)))
        with suppress(FitError):
            regions = [BoxRegion.around(tuple(point)) for point in (first, second)]
            snapped = measure(self.points, regions[0], "span", other=regions[1]).value
            if abs(snapped - direct) <= _SNAPPED:
                return snapped
        return direct

    def seen(self, boxes: Sequence[OrientedBox]) -> list[dict[str, Any]]:
        """For each of some boxes, the frames that show it with its pixels, by the captures' ids."""
        grown = [(number, _grown(box)) for number, box in enumerate(boxes, start=1)]
        points, faces = self.mesh or (self.points, np.arange(len(self.points))[:, None])
        numbers = faces_in(points, faces, grown)
        found: list[dict[str, Any]] = [{} for _ in boxes]
        for capture in self.captures:
            for frame, pose, camera, size in _looks(capture):
                shown = numbers[self._view(pose, camera, size)[0]]
                share = np.prod(capture.size or size) / np.prod(size)
                for one, count in zip(found, np.bincount(shown, minlength=len(boxes) + 1)[1:], strict=True):
                    if count:
                        one.setdefault(capture.id, []).append((frame, round(count * share)))
        return [{name: tuple(frames) for name, frames in one.items()} for one in found]

    def _view(self, pose: Floats, camera: Any, size: tuple[int, int]) -> tuple[NDArray[np.int64], Floats]:
        """The faces, or points, that pixels show, and their places, shapes (n,) and (n, 3)."""
        if self.tree is not None:
            rays = pixel_rays(pose, camera, size)
            faces, depths = self.tree.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
            met = faces >= 0
            return faces[met], pose[:3, 3] + rays[met] * depths[met, None]
        depths, hit = splat(self.points, pose, camera, size)
        # Between the points of a thing, pixels look past it: they show what the nearest of their neighbours do.
        window = np.lib.stride_tricks.sliding_window_view
        around, hits = (
            window(np.pad(values, 1, constant_values=fill), (3, 3)).reshape(*hit.shape, 9)
            for values, fill in ((depths, np.inf), (hit, -1))
        )
        at = around.argmin(-1)[..., None]
        depth, nearest = (np.take_along_axis(values, at, -1)[..., 0] for values in (around, hits))
        with np.errstate(invalid="ignore"):
            found = np.where(depths - depth > _HOLE + _HOLE_SHARE * depth, nearest, hit)
        shown = found[found >= 0]
        return shown, self.points[shown]


def _box_region(low: Floats, high: Floats) -> BoxRegion:
    return BoxRegion(tuple(low.tolist()), tuple(high.tolist()))


def _fit(cloud: Cloud, rays: Rays | None, region: Region, turn: Floats) -> PickedBox:
    """The box of a region's object. The region's axes are the rows of `turn`, shape (3, 3)."""
    passed = None if rays is None else Rays(rays.origins @ turn.T, rays.ends @ turn.T)
    sides = measure_sides(Cloud(cloud.points @ turn.T, cloud.weights), region, passed)
    (box,) = sides[0].boxes
    center, axes = np.array(box.center) @ turn, np.array(box.axes) @ turn
    back = {"center": center.tolist(), "axes": axes.tolist(), "extents": box.extents}
    notes = tuple(dict.fromkeys(note for one in sides for note in one.notes))
    return PickedBox(OrientedBox.model_validate(back), sides, notes)


def _grown(box: OrientedBox) -> OrientedBox:
    x, y, z = box.center
    return box.model_copy(
        update={"center": (x, y, z + 2 * _SLACK), "extents": tuple(side + 2 * _SLACK for side in box.extents)}
    )


def _looks(capture: Capture) -> Iterator[tuple[int, Floats, Any, tuple[int, int]]]:
    """Frames of a camera, with pose and intrinsics at the size at which visibility is looked at."""
    if capture.sensor != "camera" or not capture.poses or not capture.intrinsics or capture.size is None:
        return
    looked, count = np.unique([one.frame for one in capture.sightings]).astype(np.int64), len(capture.times)
    steps, often = np.unique(np.diff(looked), return_counts=True)
    rate = (count - 1) / max(capture.times[-1] - capture.times[0], 1e-9)
    step = int(steps[often.argmax()]) if len(steps) else max(1, round(rate / _LOOKS))
    frames = in_frames(np.arange(looked[0] % step if len(looked) else 0, count, step), _MOST_LOOKS)
    size = working_size(capture.size)
    cameras = scaled_intrinsics(np.array(capture.intrinsics), capture.size, size)
    for frame in frames.tolist():
        pose = capture.pose(frame)
        if np.isfinite(pose).all():
            yield frame, pose, tuple(cameras[frame if len(cameras) > 1 else 0].tolist()), size


def open_picking(folder: Path, scene: str, captures: Sequence[Capture], metres: float = 1.0) -> PickingCloud:
    """Open the cloud of a scene.

    Args:
        folder: of the collection.
        scene: its id.
        captures: of the scene.
        metres: of a unit of a scan without a scale.

    Raises:
        InputError: there is none, or the scan that has it is gone or can't be read.
    """
    if any(one.sensor == "lidar" for one in captures):
        found = open_collection(folder, scene).gathered(
            cell=_CELL, crossing=lambda rays: np.ones(len(rays), bool), most_rays=_MOST_RAYS
        )
        return PickingCloud(found.cloud, captures, None, found.rays)
    rows = read_summary(folder).scenes if (folder / "ingest.json").is_file() else ()
    row = next((one for one in rows if one.id == scene and one.there), None)
    if row is None:
        raise InputError(
            folder, f"has no point cloud of '{scene}'", fix="pick in a scene that was ingested, or has LiDAR"
        )
    raw = _read(row.format, Path(row.path), row.hints)
    surface = raw.surface
    metres = 1.0 if raw.metric else metres
    points = _fused(raw) if surface is None else spread_points(surface)
    if not len(points):
        raise InputError(Path(row.path), "has no cloud, mesh or depth to pick in", fix="add one, and ingest it again")
    mesh = None if surface is None or not len(surface.faces) else (surface.points * metres, surface.faces)
    return PickingCloud(voxel_means(points * metres, _CELL), captures, mesh, metric=raw.metric)


def _read(name: str, path: Path, hints: Mapping[str, Any]) -> RawScene:
    """The scan of a path, which may be a folder or a file of one."""
    if not path.exists():
        raise InputError(path, "isn't there any more, and picking needs its cloud", fix="put the scan back")
    kind = formats.get(name)
    given = ScanHints(hints.get("scale"), hints.get("up"), hints.get("rate"))
    for root in (path, path.parent):
        with suppress(InputError):
            for source in kind.find(root):
                if os.path.realpath(source.path) == os.path.realpath(path):
                    return kind.read(replace(source, hints=given))
    raise InputError(path, f"is no scan of the format {name} any more", fix="ingest it again")


def _fused(raw: RawScene) -> Floats:
    """The depth of a scan as points; else its own, metres, shape (n, 3)."""
    views = []
    for one in raw.recordings:
        posed = np.isfinite(one.poses).all((1, 2)) if len(one.poses) and len(one.intrinsics) else np.zeros(0, bool)
        if one.depths is None or one.depth_intrinsics is not None:
            continue
        for frame in in_frames(np.flatnonzero(posed), _DEPTHS).tolist():
            depth = one.depths(frame)
            if depth is not None:
                rows = scaled_intrinsics(one.intrinsics, one.size, depth.shape[::-1])
                camera = tuple(rows[frame if len(rows) > 1 else 0].tolist())
                views.append(MarkedView(one.poses[frame], camera, np.ones(depth.shape, np.int64), depth))
    return measured_cloud(views, np.empty((0, 3))).points if views else raw.points
