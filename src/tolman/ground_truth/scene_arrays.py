"""Scenes as arrays, of which everything is computed once, and opening collections of scenes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from tolman.benchmarks.vsi_bench import vsi_meta_info
from tolman.errors import InputError
from tolman.extras import shapely
from tolman.geometry.boxes import Boxes, Floats, grid_points, pairwise_distances_of_scenes, sampled_distance
from tolman.ground_truth.corrections import (
    NAME,
    ORIGINALS,
    correct,
    correct_captures,
    find_unmatched,
    read_corrections,
)
from tolman.scene_table import Parts, has_captures, has_scenes, read_captures, read_scenes
from tolman.scenes import Capture, Recorded, Scene, Skipped

if TYPE_CHECKING:
    from shapely import MultiPolygon, Polygon


ALIASES = {"coat rack": "coat hanger"}
"""Names in released questions that the scenes' ground truth has otherwise."""


SEEN = 200
"""Pixels that an object must show in some frame to be asked about, where it is known what a video shows."""
MOST_UNSEEN = 1.0
"""Seconds from one look at a video to the next, at most, where what both show counts as shown between them."""

DistanceMeasure = Literal["exact", "sampled"]
"""A measure of the distance of two boxes: the exact one, or the released code's between grids of points in them."""


class MissingCategoryError(KeyError):
    """A scene has no object of a category that a question names."""


class SceneGeometry:
    """A scene with its boxes as arrays.

    Args:
        scene: the scene.
        captures: its recordings, for their sightings.
        shown: share of a picture that an object must take up in some frame to be asked about, where that is more than
            `SEEN` pixels.
    """

    def __init__(self, scene: Scene, captures: Sequence[Capture] = (), *, shown: float = 0.0) -> None:
        self.scene = scene
        self.captures = captures
        self.shown = shown
        self.categories = scene.categories
        self.members: dict[str, list[int]] = {}
        for number, thing in enumerate(scene.objects):
            self.members.setdefault(thing.category, []).append(number)
        self._together: Sequence[SceneGeometry] = ()
        self._points: dict[int, Floats] = {}
        self._nearest: dict[tuple[str, str], float] = {}
        self._sampled: dict[tuple[str, str], float] = {}
        self._walkable: dict[float, Polygon | MultiPolygon] = {}
        self.leg_errors: dict[tuple[str, str], float | None] = {}
        self.on_the_way: dict[tuple[str, str, float, float], tuple[str, ...]] = {}

    @cached_property
    def video_capture(self) -> Capture | None:
        """Return the recording that the scene's standard video shows, if its sightings are known."""
        seeing = [c for c in self.captures if c.sensor == "camera" and c.sightings]
        return next((c for c in seeing if c.media == self.scene.video), seeing[0] if seeing else None)

    @cached_property
    def boxes(self) -> Boxes:
        """All boxes, in the order of the scene's objects."""
        boxes = [thing.box for thing in self.scene.objects]
        return Boxes(
            np.array([b.center for b in boxes]), np.array([b.axes for b in boxes]), np.array([b.extents for b in boxes])
        )

    @cached_property
    def footprints(self) -> list[Polygon]:
        """Every box on the floor plan."""
        return [shapely.convex_hull(shapely.multipoints(corners)) for corners in self._vertices[:, :, :2]]

    @cached_property
    def floor(self) -> Polygon:
        """The floor with its holes on the floor plan; empty where it isn't known."""
        return shapely.Polygon(self.scene.floor[0], self.scene.floor[1:]) if self.scene.floor else shapely.Polygon()

    def walkable(self, beyond: float) -> Polygon | MultiPolygon:
        """The floor and so many metres beyond its outline."""
        if beyond not in self._walkable:
            self._walkable[beyond] = self.floor.buffer(beyond)
        return self._walkable[beyond]

    @cached_property
    def _vertices(self) -> Floats:
        """The corners of every box, shape (n, 8, 3)."""
        return self.boxes.vertices()

    @cached_property
    def heights(self) -> Floats:
        """Return the lower and upper end of each box above the ground, metres, shape (n, 2)."""
        levels = self._vertices[:, :, 2]
        return np.stack([levels.min(1), levels.max(1)], axis=1)

    @cached_property
    def unseen(self) -> frozenset[str]:
        """Return the categories with an object that a video with known sightings never shows well enough."""
        if self.video_capture is None:
            return frozenset()
        return frozenset(thing.category for thing in self.scene.objects if thing.id not in self.shown_frames)

    @cached_property
    def shown_frames(self) -> dict[str, list[int]]:
        """By object's id, the video's frames that show it well enough; empty where its sightings aren't known."""
        capture = self.video_capture
        if capture is None:
            return {}
        width, height = capture.size or (0, 0)
        least = max(SEEN, self.shown * width * height)
        found: dict[str, list[int]] = {}
        for sighting in capture.sightings:
            if sighting.pixels >= least:
                found.setdefault(sighting.object, []).append(sighting.frame)
        return found

    def appearances(self, pixels: int) -> dict[str, list[int]]:
        """The video's frames in which each whole category shows at least so many pixels, all its objects together.

        The categories that show up first are at the beginning; none where the video's sightings are unknown.
        """
        capture = self.video_capture
        if capture is None:
            return {}
        category = {thing.id: thing.category for thing in self.scene.objects}
        shown: dict[tuple[int, str], int] = {}
        for sighting in capture.sightings:
            if category[sighting.object] not in self.whole:
                continue
            key = sighting.frame, category[sighting.object]
            shown[key] = shown.get(key, 0) + sighting.pixels
        found: dict[str, list[int]] = {}
        for (frame, name), count in sorted(shown.items()):
            if count >= pixels:
                found.setdefault(name, []).append(frame)
        return found

    @cached_property
    def looked_every(self) -> int:
        """Return the usual number of frames from one examined frame of the video to the next.

        Rays examine five frames a second, and annotations of recordings come at a rate of their own. 1 if all were
        examined, if its sightings are unknown, or if those are too few or too far apart to decide: a video that shows
        something now and then was examined in between.
        """
        capture = self.video_capture
        frames = np.unique([sighting.frame for sighting in capture.sightings]) if capture else np.zeros(0)
        steps, counts = np.unique(np.diff(frames), return_counts=True)
        if capture is None or not len(steps) or 2 * counts.max() < counts.sum():
            return 1
        step = int(steps[counts.argmax()])
        lasts = (capture.times[-1] - capture.times[0]) / (len(capture.times) - 1) * step
        return step if counts.max() > 1 and lasts <= MOST_UNSEEN else 1

    @cached_property
    def recorded(self) -> dict[str, Recorded]:
        """By object's id, how much of it the video shows; empty where that isn't known."""
        capture = self.video_capture
        return {found.object: found for found in capture.recorded} if capture else {}

    def missing(self, category: str) -> float | None:
        """Metres by which the recorded surface of a category's objects falls short of their boxes, at most."""
        found = [self.recorded.get(self.scene.objects[i].id) for i in self.members[category]]
        known = [one.missing for one in found if one is not None]
        return max(known) if len(known) == len(found) else None

    @cached_property
    def whole(self) -> list[str]:
        """The categories whose places can be asked about: a box for each object that is counted, all of them seen and
        none of them moving, and a name that a list of names can hold."""
        return [
            category
            for category, found in self.members.items()
            if len(found) == self.scene.count(category)
            and "," not in category
            and category not in self.unseen
            and not any(self.scene.objects[i].track for i in found)
        ]

    @cached_property
    def unique(self) -> list[str]:
        """The categories with exactly one object and one box."""
        return [c for c in self.whole if len(self.members[c]) == 1]

    def not_one(self, category: str) -> str:
        """Why a category doesn't mean one thing that can be asked about; empty where it does."""
        if category in self.unique:
            return ""
        if len(self.members.get(category, ())) > 1 or self.scene.count(category) > 1:
            return f"{category} is not unique"
        if category in self.unseen:
            return f"the video doesn't show the {category} well enough"
        return f"{category} moves, or its count and boxes disagree"

    @cached_property
    def _distances(self) -> list[list[float]]:
        """The exact distances of all boxes, by their numbers."""
        scenes = [self, *(one for one in self._together if one is not self and "_distances" not in one.__dict__)]
        for one, found in zip(scenes, pairwise_distances_of_scenes([s.boxes for s in scenes]), strict=True):
            one.__dict__["_distances"] = found.tolist()
        self._together = ()
        own: list[list[float]] = self.__dict__["_distances"]
        return own

    def category(self, name: str) -> str:
        """The category that a name in a question means.

        Raises:
            MissingCategoryError: the scene has none.
        """
        for candidate in (name, ALIASES.get(name, name)):
            if candidate in self.members:
                return candidate
        raise MissingCategoryError(name)

    def exact_distance(self, a: str, b: str) -> float:
        """The exact distance of the nearest boxes of two categories, in metres."""
        one, other = self.members[a], self.members[b]
        if len(one) == len(other) == 1:
            return self._distances[one[0]][other[0]]
        if (a, b) not in self._nearest:
            self._nearest[a, b] = min(self._distances[i][j] for i in one for j in other)
        return self._nearest[a, b]

    def exact_distances(self, a: str, others: Iterable[str]) -> dict[str, float]:
        """The exact distances of a category from others, by their names."""
        one = self.members[a]
        if len(one) > 1:
            return {b: self.exact_distance(a, b) for b in others}
        row = self._distances[one[0]]
        return {b: min([row[number] for number in self.members[b]]) for b in others}

    def sampled_distances(self, a: str, others: Iterable[str]) -> dict[str, float]:
        """The same as the released answers have them."""
        return {b: self.sampled_distance(a, b) for b in others}

    def between(self, a: int, b: int) -> float:
        """The exact distance of two objects' boxes, by their numbers in the scene, in metres."""
        return self._distances[a][b]

    def sampled_distance(self, a: str, b: str) -> float:
        """The same as the released answers have it, between grids of points."""
        if (a, b) not in self._sampled:
            one, other = ([self._grid(number) for number in self.members[name]] for name in (a, b))
            self._sampled[a, b] = min(sampled_distance(x, y) for x in one for y in other)
        return self._sampled[a, b]

    def center(self, category: str) -> Floats:
        """The centre of a category's one box."""
        return np.asarray(self.boxes.centers[self.members[category][0]])

    def vertices(self, category: str) -> Floats:
        """The corners of a category's one box, shape (8, 3)."""
        return np.asarray(self._vertices[self.members[category][0]])

    def _grid(self, number: int) -> Floats:
        if number not in self._points:
            self._points[number] = grid_points(self.boxes, number)
        return self._points[number]


def measure_together(scenes: Sequence[SceneGeometry]) -> None:
    """Let the first of some scenes whose distances are asked for compute those of all that are still in the list.

    In arrays that fit a single scene's few boxes, most of the time would be the calls'.
    """
    for one in scenes:
        one._together = scenes


def geometries_by_id(folder: Path) -> dict[str, SceneGeometry]:
    """Read the usable scenes of a collection.

    Raises:
        InputError: it is none, or holds no usable scene.
    """
    return {one.scene.id: one for one in open_collection(folder) if isinstance(one, SceneGeometry)}


def open_collection(path: Path) -> Iterator[SceneGeometry | Skipped]:
    """Open the corrected scenes of a folder of Parquet shards with captures, or of VSI-Bench's released meta-info.

    Captures are in the order of their scenes, so both are read side by side and nothing is held in memory. The folder's
    `corrections.json` is applied; corrections of scenes and objects that aren't there are Skipped.

    Raises:
        InputError: it is neither, or holds no usable scene.
    """
    corrections = read_corrections(path) if path.is_dir() else ()
    corrected = dict.fromkeys(one.scene for one in corrections)
    sharded = path.is_dir() and has_scenes(path)
    captures = read_captures(path) if sharded and has_captures(path) else iter(())
    waiting = next(captures, None)
    usable = 0
    seen: set[str] = set()
    for found in read_scenes(path) if sharded else vsi_meta_info.read(path):
        if not isinstance(found, Scene):
            yield found
            continue
        own: list[Capture] = []
        while waiting is not None and waiting.scene == found.id:
            own.append(waiting)
            waiting = next(captures, None)
        if found.id in seen:
            yield Skipped(found.id, "another scene has the same id")
            continue
        seen.add(found.id)
        known = {thing.id for thing in found.objects}
        for capture in own:
            strange = next((s.object for s in capture.sightings if s.object not in known), None)
            if strange is not None:
                yield Skipped(found.id, f"its capture {capture.id} sees '{strange}', which it doesn't have")
                own = [one for one in own if one is not capture]
        usable += 1
        if found.id in corrected:
            original = Parts(path, ORIGINALS).read(found.id)  # ingest may have applied the corrections already
            for unmatched in find_unmatched(found if original is None else original.scene, corrections):
                yield Skipped(found.id, unmatched)
            if original is not None and not original.scene.metric:  # its scale may have been declared again
                found, own = original.scene, list(original.captures)
        scene = correct(found, corrections)
        yield SceneGeometry(scene, correct_captures(own, found, scene, corrections))
    if waiting is not None:
        raise InputError(path, f"holds a capture of '{waiting.scene}' out of the order of the scenes")
    for lost in (one for one in corrected if one not in seen):
        yield Skipped(lost, f"{NAME} corrects it, and it isn't there")
    if not usable:
        raise InputError(path, "holds no usable scene")


def digest_of(path: Path) -> str:
    """A hash of the tables, meta-info and corrections that `open_collection` reads; media have no part in it.

    Raises:
        OSError: a file can't be read.
    """
    patterns = ("scenes-*.parquet", "captures-*.parquet") if has_scenes(path) else (vsi_meta_info.PATTERN,)
    found = hashlib.sha256()
    for file in sorted(one for pattern in (*patterns, NAME) for one in path.glob(pattern)) if path.is_dir() else [path]:
        with file.open("rb") as opened:
            found.update(hashlib.file_digest(opened, "sha256").digest())
    return found.hexdigest()
