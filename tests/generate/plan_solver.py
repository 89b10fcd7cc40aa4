"""A solver that reads questions of SITE's and SpatialBench's families and answers from the simulator's state.

It knows boxes, tracks and poses, reads the questions' words itself, and shares no code with the families: ways are
walked in small steps, distances are those of convex hulls, directions are dot products.
"""

import itertools
import re

import numpy as np
import shapely

from simulate.solver import _between as hull_distance
from tolman.items import Item
from tolman.scenes import Capture, Scene, SceneObject

SERVES = {
    "leave the room": {"door"},
    "throw something away": {"trash can"},
    "keep food cold": {"refrigerator"},
    "wash your hands": {"sink", "bidet"},
    "make coffee": {"coffee maker"},
    "write something down for everybody to see": {"whiteboard"},
    "put your clothes away on hangers": {"wardrobe"},
    "make music": {"piano", "guitar"},
    "put out a small fire by hand": {"fire extinguisher"},
    "lie down to sleep": {"bed", "crib", "sofa", "bench"},
    "sit down": {
        *("chair", "sofa", "armchair", "stool", "bench", "piano bench", "bed", "toilet", "picnic table"),
        *("car", "van", "bicycle", "rocking horse", "bus stop"),
    },
    "post a letter": {"mailbox"},
    "pay for parking": {"parking meter"},
    "wait for a bus": {"bus stop"},
    "connect a hose of the fire brigade": {"fire hydrant"},
    "travel without an engine": {"bicycle"},
    "carry a whole family's luggage to another town": {"car", "van"},
}


def corners(thing: SceneObject, point: int | None = None) -> np.ndarray:
    """The eight corners of a thing, at first or at a point of its track."""
    at = thing.box if point is None else thing.track[point]
    half = np.array(thing.box.extents) / 2
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return np.array(at.center) + (signs * half) @ np.array(at.axes)


class PlanSolver:
    """The state of one scene."""

    def __init__(self, scene: Scene, captures: list[Capture]) -> None:
        self.scene, self.captures = scene, {capture.id: capture for capture in captures}

    def all(self, name: str) -> list[SceneObject]:
        found = [thing for thing in self.scene.objects if thing.category == name]
        assert found, name
        return found

    def one(self, name: str) -> SceneObject:
        (thing,) = self.all(name)
        return thing

    def spot(self, name: str) -> np.ndarray:
        return corners(self.one(name)).mean(0)[:2]

    def apart(self, a: SceneObject, b: SceneObject) -> float:
        return hull_distance(corners(a), corners(b))

    def nearest(self, kind: str, landmark: str) -> SceneObject:
        return min(self.all(kind), key=lambda thing: self.apart(thing, self.one(landmark)))

    @staticmethod
    def side(here: np.ndarray, ahead: np.ndarray, there: np.ndarray) -> tuple[float, float]:
        """How far ahead and how far to the left, as parts of the distance."""
        forward = (ahead - here) / np.linalg.norm(ahead - here)
        way = (there - here) / np.linalg.norm(there - here)
        return float(forward @ way), float(np.array([-forward[1], forward[0]]) @ way)

    def quadrant(self, here: np.ndarray, ahead: np.ndarray, there: np.ndarray) -> str:
        front, left = self.side(here, ahead, there)
        return f"{'front' if front > 0 else 'back'}-{'left' if left > 0 else 'right'}"

    def bump(self, start: np.ndarray, way: np.ndarray, half: float, skip: list[SceneObject]) -> str:
        """Walk on in steps of a centimetre until the front edge touches something."""
        across = np.array([-way[1], way[0]]) * half
        solid = [
            (thing.category, shapely.convex_hull(shapely.multipoints(corners(thing)[:, :2])))
            for thing in self.scene.objects
            if thing not in skip
            and not thing.track
            and corners(thing)[:, 2].min() < 1.9
            and corners(thing)[:, 2].max() > 0.05
        ]
        for step in np.arange(0, 20, 0.01):
            edge = shapely.LineString([start + step * way - across, start + step * way + across])
            for name, outline in solid:
                if outline.intersects(edge):
                    return name
        raise AssertionError("nothing")

    def edge(self, thing: SceneObject, way: np.ndarray) -> np.ndarray:
        """Where the ray from a thing's middle leaves it."""
        outline = shapely.convex_hull(shapely.multipoints(corners(thing)[:, :2]))
        here = corners(thing).mean(0)[:2]
        inside = outline.intersection(shapely.LineString([here, here + 50 * way]))
        return here + inside.length * way

    def answer(self, item: Item) -> str:
        """The text of the option, a number's text, or a letter where the options are pictures."""
        q, options = item.question, item.options
        if "in the same place?" in q:
            return self.associated(item)
        if "In which order were they taken" in q:
            return self.reordered(item)
        if m := re.match(r"Which of the following is there the (most|fewest) of", q):
            how_many = {name: len(self.all(name)) for name in options if not name.startswith("Several")}
            wanted = (max if m[1] == "most" else min)(how_many.values())
            (first, *more) = (name for name, number in how_many.items() if number == wanted)
            return "Several of them equally" if more else first
        if m := re.match(r"If you move in a straight line from the (.+) to the (.+), in which order do you pass", q):
            way = self.spot(m[2]) - self.spot(m[1])
            return " -> ".join(sorted(options[0].split(" -> "), key=lambda name: self.spot(name) @ way))
        if m := re.match(r"Which of the following is closest to the (.+) that is closest to the (.+)\?", q):
            hop = self.nearest(m[1], m[2])
            return min(options, key=lambda name: self.apart(hop, self.one(name)))
        if m := re.match(
            r"If you stand at the (.+) that is closest to the (.+) and face the (.+), in .* the (.+)\?", q
        ):
            here = corners(self.nearest(m[1], m[2])).mean(0)[:2]
            return self.quadrant(here, self.spot(m[3]), self.spot(m[4]))
        if m := re.match(r"You stand at the (.+), face the (.+), and want to (.+)\. In", q):
            (meant,) = [thing for thing in self.scene.objects if thing.category in SERVES[m[3]]]
            return self.quadrant(self.spot(m[1]), self.spot(m[2]), corners(meant).mean(0)[:2])
        if m := re.match(r"A robot is to pass through the gap between the (.+) and the (.+)\. Which", q):
            flat = [shapely.multipoints(corners(self.one(name))[:, :2]).convex_hull for name in m.groups()]
            gap = 100 * flat[0].distance(flat[1])
            return max((o for o in options if int(o.split()[0]) <= gap), key=lambda o: int(o.split()[0]))
        if m := re.match(
            r"If a robot has the (.+) straight ahead and the (.+) (on its left|on its right|behind it)", q
        ):

            def fits(option: str) -> float:
                front, left = self.side(*(self.spot(n) for n in (option.removeprefix("At the "), m[1], m[2])))
                return {"on its left": left, "on its right": -left, "behind it": -front}[m[3]]

            return max(options, key=fits)
        return self.moved(item)

    def moved(self, item: Item) -> str:
        q, options = item.question, item.options
        if m := re.match(r"If a person walks from the (.+) straight towards the (.+) without looking", q):
            ends = [self.one(name) for name in m.groups()]
            way = self.spot(m[2]) - self.spot(m[1])
            way = way / np.linalg.norm(way)
            return self.bump(self.edge(ends[0], way), way, 0.25, ends)
        if m := re.match(r"If the (car|van)( that is closest to the (.+))? suddenly (\w+)", q):
            thing = self.nearest(m[1], m[3]) if m[3] else self.one(m[1])
            way = np.array(thing.box.axes[1][:2]) * (1 if m[4] == "accelerates" else -1)
            way = way / np.linalg.norm(way)
            start = corners(thing).mean(0)[:2] + way * thing.box.extents[1] / 2
            return self.bump(start, way, thing.box.extents[0] / 2, [thing])
        if m := re.match(r"A person carries the (.+) to another place\. (If nobody|Because)", q):
            thing = corners(self.one(m[1]), 0 if m[2] == "If nobody" else -1)
            return min(options, key=lambda name: hull_distance(thing, corners(self.one(name))))
        if m := re.match(r"Follow this command: 'Walk from the (.+) to the (.+), turn (left|right) by", q):
            way = self.spot(m[2]) - self.spot(m[1])
            way = way / np.linalg.norm(way)
            way = np.array([-way[1], way[0]]) if m[3] == "left" else np.array([way[1], -way[0]])
            return self.bump(self.edge(self.one(m[2]), way), way, 0.25, [self.one(m[2])])
        if m := re.match(r"Where the video ends, which command makes the camera look at the (.+)\?", q):
            capture = next(c for c in self.captures.values() if c.media == self.scene.video)
            pose = np.array(capture.poses[-1]).reshape(4, 4)
            front, left = self.side(pose[:2, 3], pose[:2, 3] + pose[:2, 2], self.spot(m[1]))
            if abs(front) > abs(left):
                return "Keep looking straight ahead" if front > 0 else "Turn around"
            return "Turn left" if left > 0 else "Turn right"
        if m := re.match(
            r"You are a robot at the (.+?) and face.*until the (.+), \[1\].*the (.+), \[2\].*the (.+)\.'", q
        ):
            stops = [self.spot(name) for name in m.groups()]
            lefts = [self.side(b, b + (b - a), c)[1] for a, b, c in zip(stops, stops[1:], stops[2:], strict=False)]
            return ", ".join(f"[{i}] turn {'left' if left > 0 else 'right'}" for i, left in enumerate(lefts, start=1))
        raise AssertionError(q)

    def shown(self, item: Item) -> list[tuple[Capture, int]]:
        return [(self.captures[capture], frame) for capture, frame, _ in item.evidence["shots"]]

    def walker(self, thing: SceneObject, capture: Capture, frame: int) -> np.ndarray:
        """Where something that moves is at a frame: middle and the way it faces."""
        now = capture.times[frame] + capture.offset
        point = min(thing.track, key=lambda p: abs(p.seconds - now))
        return np.array([*point.center[:2], *point.axes[1][:2]])

    def camera(self, capture: Capture, frame: int) -> np.ndarray:
        pose = np.array(capture.poses[frame]).reshape(4, 4)
        ahead = pose[:2, 2] / np.linalg.norm(pose[:2, 2])
        return np.array([*pose[:2, 3], *ahead])

    def associated(self, item: Item) -> str:
        """The option in which the camera is where the wearer is, looking the same way."""
        wearer = next(thing for thing in self.scene.objects if thing.id == "wearer")
        given, *others = self.shown(item)

        def off(other: tuple[Capture, int]) -> float:
            fixed, worn = (given, other) if other[0].role == "ego" else (other, given)
            return float(np.linalg.norm(self.walker(wearer, *fixed) - self.camera(*worn)))

        return item.letters[min(range(len(others)), key=lambda i: off(others[i]))]

    def reordered(self, item: Item) -> str:
        """The order in which whatever moves most steadily from beginning to end comes by."""
        best: tuple[float, list[int]] = (-1.0, [])
        first, last, *four = self.shown(item)
        for thing in (thing for thing in self.scene.objects if thing.track):
            begin, end = self.walker(thing, *first)[:2], self.walker(thing, *last)[:2]
            way = (end - begin) / max(1e-9, float(np.linalg.norm(end - begin)))
            done = [float((self.walker(thing, *shot)[:2] - begin) @ way) for shot in four]
            steps = np.diff([0.0, *sorted(done), float((end - begin) @ way)])
            if steps.min() > best[0]:
                best = float(steps.min()), [int(i) for i in np.argsort(done)]
        return ", ".join(str(i + 1) for i in best[1])
