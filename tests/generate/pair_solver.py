"""A solver of questions about pictures: from the scene's state and the words of the question alone.

It reads boxes, tracks, poses and the numbers of the pictures shown. It shares no code with the question families: it
finds the objects that are meant by how many pixels show them, works with complex numbers on the floor plan, and reads
the words itself.
"""

import cmath
import itertools
import math
import re
from collections.abc import Iterable

import numpy as np
import shapely
from scipy.optimize import nnls

from tolman.items import Item
from tolman.scenes import Capture, Scene, SceneObject

AREAS = {
    "dining area": (("table",), ("chair", "stool"), 1.5),
    "work area": (("desk",), ("chair", "lamp"), 1.2),
    "sleeping area": (("bed", "crib"), ("nightstand",), 1.9),
    "sitting area": (("sofa",), ("armchair",), 2.0),
    "cooking area": (("oven", "refrigerator"), ("coffee maker",), 1.8),
    "washing area": (("sink", "toilet", "bidet", "bathtub", "shower"), (), 2.0),
    "games area": (("pool table", "foosball table"), (), 2.5),
    "entrance": (("door",), (), 1.0),
    "bus stop": (("bus stop",), (), 2.0),
    "picnic area": (("picnic table",), (), 2.0),
}


class Place:
    """A scene with its recordings."""

    def __init__(self, scene: Scene, captures: Iterable[Capture]) -> None:
        self.scene = scene
        self.captures = {capture.id: capture for capture in captures}
        self.pixels = {
            identity: {(s.frame, s.object): s.pixels for s in capture.sightings}
            for identity, capture in self.captures.items()
        }

    def answer(self, item: Item) -> str:
        """The text of the option."""
        shots = [(str(c), int(f)) for c, f, _ in item.evidence["shots"]]
        assert len(shots) == len(item.media)
        q = item.question
        if q.startswith("The two images show the same place") and "where was the camera" in q:
            return self.quarter(self.eye(shots[0]), self.ray(shots[0]), self.eye(shots[1]))
        if m := re.match(r"When I took the (first|second) image, where was the (.+) relative to me", q):
            here = shots[m[1] == "second"]
            return self.quarter(self.eye(here), self.ray(here), self.middle(self.meant(m[2], shots)))
        if m := re.match(r"At the moment of taking the (first|second) image, where was the middle of the (.+) rel", q):
            here = shots[m[1] == "second"]
            return self.quarter(self.eye(here), self.ray(here), self.area(m[2]))
        if m := re.match(r"Suppose that, seen from the (.+), the (.+) is exactly to the north\. .* is the (.+)\?", q):
            o, n, t = (self.middle(self.meant(name, shots)) for name in m.groups())
            return self.compass(o, n - o, t)
        if m := re.match(
            r"Suppose that the (.+) is exactly to the north of the middle of the (.+)\. .* is the (.+)\?", q
        ):
            n, t = (self.middle(self.meant(name, shots)) for name in (m[1], m[3]))
            return self.compass(self.area(m[2]), n - self.area(m[2]), t)
        if m := re.match(
            r"The camera looked exactly north .* first image\. .* of the (.+) is the middle of the (.+)\?", q
        ):
            return self.compass(self.area(m[1]), self.ray(shots[0]), self.area(m[2]))
        if m := re.search(r"About how far apart are the (.+) and the (.+), measured in the same way", q):
            metres = self.gap(*(self.meant(name, shots) for name in m.groups()))
            return min(item.options, key=lambda option: abs(float(option.split()[0]) - metres))
        if m := re.search(
            r"from the middle of the (.+) to the middle of the (.+), and from there .* of the (.+)\. Whe", q
        ):
            a, corner, b = (self.middle(self.meant(name, shots)) for name in m.groups())
            bend = math.degrees(cmath.phase((b - corner) / (corner - a)))
            how = "gently" if abs(bend) < 90 else "sharply"
            return self.option(item, how, "left" if bend > 0 else "right")
        if "how does the camera have to move and turn" in q:
            way = (self.eye(shots[1]) - self.eye(shots[0])) / self.ray(shots[0])
            turn = cmath.phase(self.ray(shots[1]) / self.ray(shots[0]))
            return self.option(item, "forward" if way.real > 0 else "backward", "left" if turn > 0 else "right")
        if m := re.search(r"in which direction did the (.+) move between", q):
            before, after = (self.at(m[1], shot) for shot in shots)
            way = math.degrees(cmath.phase((after - before) / (before - self.eye(shots[0]))))
            if abs(way) < 45:
                return "Away from that viewpoint"
            if abs(way) > 135:
                return "Toward that viewpoint"
            return "To the left" if way > 0 else "To the right"
        if m := re.search(r"line from the (.+) to the (.+) without turning around\. .* where is the (.+) rel", q):
            a, b, c = (self.middle(self.meant(name, shots)) for name in m.groups())
            return self.quarter(b, b - a, c)
        raise AssertionError(q)

    @staticmethod
    def option(item: Item, *words: str) -> str:
        (found,) = [option for option in item.options if all(word in option for word in words)]
        return found

    @staticmethod
    def quarter(here: complex, ahead: complex, there: complex) -> str:
        way = (there - here) / ahead
        return ("Front" if way.real > 0 else "Back") + ("-left" if way.imag > 0 else "-right")

    @staticmethod
    def compass(here: complex, north: complex, there: complex) -> str:
        way = (there - here) / north
        return ("North" if way.real > 0 else "South") + ("west" if way.imag > 0 else "east")

    def eye(self, shot: tuple[str, int]) -> complex:
        row = self.captures[shot[0]].poses[shot[1]]
        return complex(row[3], row[7])

    def ray(self, shot: tuple[str, int]) -> complex:
        row = self.captures[shot[0]].poses[shot[1]]
        return complex(row[2], row[6])

    def shown(self, thing: SceneObject, shots: list[tuple[str, int]]) -> int:
        return max(self.pixels[capture].get((frame, thing.id), 0) for capture, frame in shots)

    def meant(self, name: str, shots: list[tuple[str, int]]) -> SceneObject:
        """Of the things of that name the one that the pictures show; any other shows next to nothing."""
        ranked = sorted(self.scene.of(name), key=lambda thing: -self.shown(thing, shots))
        assert all(self.shown(other, shots) * 10 < self.shown(ranked[0], shots) for other in ranked[1:])
        return ranked[0]

    @staticmethod
    def middle(thing: SceneObject) -> complex:
        return complex(*thing.box.center[:2])

    def at(self, name: str, shot: tuple[str, int]) -> complex:
        """Where a thing that moves is in a picture."""
        capture = self.captures[shot[0]]
        now = capture.times[shot[1]] + capture.offset
        seen = [t for t in self.scene.of(name) if self.pixels[shot[0]].get((shot[1], t.id), 0) > 0]
        track = max(seen, key=lambda t: self.pixels[shot[0]][shot[1], t.id]).track
        for a, b in itertools.pairwise(track):
            if a.seconds <= now <= b.seconds:
                share = (now - a.seconds) / (b.seconds - a.seconds)
                return (1 - share) * complex(*a.center[:2]) + share * complex(*b.center[:2])
        nearest = min(track, key=lambda point: abs(point.seconds - now))
        return complex(*nearest.center[:2])

    def area(self, name: str) -> complex:
        """The middle of a region."""
        anchors, others, reach = AREAS[name]
        found = [thing for thing in self.scene.objects if thing.category in anchors and not thing.track]
        near = [
            thing
            for thing in self.scene.objects
            if thing.category in others
            and not thing.track
            and min(abs(self.middle(thing) - self.middle(anchor)) for anchor in found) <= reach
        ]
        hull = shapely.MultiPoint(np.concatenate([corners(thing)[:, :2] for thing in (*found, *near)])).convex_hull
        return complex(hull.centroid.x, hull.centroid.y)

    @staticmethod
    def gap(a: SceneObject, b: SceneObject) -> float:
        """The distance of two boxes, by least squares over mixtures of their corners."""
        p, q = corners(a), corners(b)
        weight = 1e4
        sums = np.kron(np.eye(2), np.ones(8)) * weight
        system = np.vstack([np.hstack([p.T, -q.T]), sums])
        shares, _ = nnls(system, np.array([0, 0, 0, weight, weight]))
        return float(np.linalg.norm(shares[:8] @ p - shares[8:] @ q))


def corners(thing: SceneObject) -> np.ndarray:
    """Of its box, shape (8, 3)."""
    box = thing.box
    half = np.array(box.extents) / 2
    signs = np.array(list(itertools.product((-1, 1), repeat=3)))
    return np.array(box.center) + (signs * half) @ np.array(box.axes)
