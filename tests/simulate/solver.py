"""A second solver: answers from what was recorded alone.

It reads a folder of depth pictures, instance pictures, poses and intrinsics, and the names of the instances. It knows
nothing of layouts, boxes or sightings, shares no code with the question families, and reads the questions' words itself.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import shapely
from PIL import Image
from scipy.optimize import nnls
from scipy.spatial import ConvexHull, Delaunay

from tolman.items import Item

SEEN = 200
HALF = 1 << 19


@dataclass
class Thing:
    """One instance: its recorded surface's hull, its first frame, its pixels there."""

    name: str
    hull: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    pixels: list[int] = field(default_factory=list)

    def add(self, points: np.ndarray) -> None:
        joined = np.concatenate([self.hull, points])
        try:
            joined = joined[ConvexHull(joined).vertices]
        except Exception:  # all in one plane so far: keep some
            joined = joined[:: max(1, len(joined) // 400)]
        self.hull = joined

    @property
    def footprint(self) -> shapely.Polygon:
        return shapely.minimum_rotated_rectangle(shapely.multipoints(self.hull[:, :2]))

    @property
    def middle(self) -> np.ndarray:
        return np.array(self.footprint.centroid.coords[0])

    @property
    def longest(self) -> float:
        corners = np.array(self.footprint.exterior.coords)
        sides = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        return float(max(sides.max(), np.ptp(self.hull[:, 2])))


class Solver:
    """What a recording shows.

    Args:
        folder: holds depth/NAME and instances/NAME.
        name: of the recording.
        poses: camera → scene, shape (n, 4, 4).
        intrinsics: fx, fy, cx, cy.
        times: of the frames in seconds.
        names: instance number → category.
    """

    def __init__(self, folder: Path, name: str, poses: np.ndarray, intrinsics, times, names: dict[int, str]) -> None:
        self.times = times
        self.things = {number: Thing(category) for number, category in names.items()}
        fx, fy, cx, cy = intrinsics
        floor: set[tuple[int, int]] = set()
        for i, pose in enumerate(poses):
            depth = np.asarray(Image.open(folder / "depth" / name / f"{i:06d}.png")).astype(float) / 1000
            ids = np.asarray(Image.open(folder / "instances" / name / f"{i:06d}.png"))
            v, u = np.mgrid[0 : depth.shape[0], 0 : depth.shape[1]] + 0.5
            local = np.stack([(u - cx) / fx * depth, (v - cy) / fy * depth, depth, np.ones_like(depth)], -1)
            world = (local @ pose.T)[..., :3]
            x, y = (world[depth > 0][:, :2] / 0.05).round().astype(int).T
            cells = np.divmod(np.unique((x << 20) + y + HALF), 1 << 20)
            floor.update(zip(*(part.tolist() for part in cells), strict=True))
            counts = np.bincount(ids.ravel(), minlength=max(names) + 1)
            ids = np.where(depth > 0, ids, 0)
            for number, thing in self.things.items():
                thing.pixels.append(int(counts[number]))
                if counts[number]:
                    thing.add(world[ids == number])
        self.floor = (np.array(sorted(floor)) - (0, HALF)) * 0.05

    def of(self, name: str) -> list[Thing]:
        return [thing for thing in self.things.values() if thing.name == name and max(thing.pixels) > 0]

    def one(self, name: str) -> Thing:
        (thing,) = self.of(name)
        return thing

    def distance(self, a: str, b: str) -> float:
        return min(_between(x.hull, y.hull) for x in self.of(a) for y in self.of(b))

    def bearing(self, here: str, facing: str, there: str) -> float:
        """Degrees to the left of the way one faces, 0 … 360."""
        o, f, q = (self.one(name).middle for name in (here, facing, there))
        return math.degrees(math.atan2(*(q - o)[::-1]) - math.atan2(*(f - o)[::-1])) % 360

    def area(self) -> float:
        triangles = self.floor[Delaunay(self.floor).simplices]
        a, b, c = (np.linalg.norm(triangles[:, i] - triangles[:, (i + 1) % 3], axis=1) for i in range(3))
        s = (a + b + c) / 2
        area = np.sqrt(np.maximum(s * (s - a) * (s - b) * (s - c), 0))
        small = triangles[(area > 0) & (a * b * c < 4 * 0.2 * area)]
        # Floor that furniture hides is a hole in what was recorded, and still floor.
        parts = shapely.get_parts(shapely.union_all(shapely.polygons(small)))
        return float(shapely.area(shapely.polygons(shapely.get_exterior_ring(parts))).sum())

    def first(self, name: str) -> float:
        together = np.sum([thing.pixels for thing in self.of(name)], axis=0)
        return float(self.times[int(np.argmax(together >= SEEN))])

    def answer(self, item: Item) -> float | str:
        """The number, or the text of the option."""
        q = item.question
        if m := re.match(r"How many (.+)\(s\)", q):
            return sum(max(thing.pixels) >= SEEN for thing in self.of(m[1]))
        if m := re.search(r"distance between the (.+) and the (.+) \(in meters", q):
            return self.distance(m[1], m[2])
        if m := re.search(r"longest dimension .* of the (.+), measured", q):
            return 100 * self.one(m[1]).longest
        if q.startswith("What is the size of this room"):
            return self.area()
        if m := re.search(r"is the closest to the (.+)\?", q):
            return min(item.options, key=lambda option: self.distance(option, m[1]))
        if m := re.search(r"standing by the (.+) and facing the (.+), is the (.+) to ", q):
            angle = self.bearing(m[1], m[2], m[3])
            if "front-left" in q:
                return ("front-" if angle < 90 or angle > 270 else "back-") + ("left" if angle < 180 else "right")
            if "back?" in q:
                return "back" if 135 <= angle < 225 else "left" if angle < 135 else "right"
            return "left" if angle < 180 else "right"
        if "first-time appearance order" in q:
            return ", ".join(sorted(item.options[0].split(", "), key=self.first))
        if q.startswith("You are a robot"):
            start, ahead = re.search(r"beginning at the (.+) facing the (.+?)\. You", q).groups()
            stops = [start, *re.findall(r"forward until the (.+?)(?: \d\.|\. You)", q)]
            assert stops[1] == ahead
            turns = []
            for a, b, c in zip(stops, stops[1:], stops[2:], strict=False):
                back = self.bearing(b, a, c)  # 180 is straight on
                turns.append("Turn Back" if back < 45 or back > 315 else "Turn Left" if back > 180 else "Turn Right")
            return ", ".join(turns)
        raise AssertionError(q)


def _between(p: np.ndarray, q: np.ndarray) -> float:
    """The distance of two convex hulls."""
    weight = 1e3
    whole, none = (np.repeat([[weight], [0.0]], [len(p)], axis=1), np.repeat([[0.0], [weight]], [len(q)], axis=1))
    system = np.concatenate([np.concatenate([p.T, whole]), np.concatenate([-q.T, none])], axis=1)
    shares, _ = nnls(system, np.array([0, 0, 0, weight, weight]))
    a, b = shares[: len(p)], shares[len(p) :]
    return float(np.linalg.norm(a @ p / a.sum() - b @ q / b.sum()))
