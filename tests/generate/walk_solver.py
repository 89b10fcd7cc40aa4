"""A solver of questions about a walk, and of routes: from poses, sightings and boxes, and the question's words alone.

It shares no code with the families. Places on the floor plan are complex numbers.
"""

import cmath
import math
import re

import numpy as np

from tolman.items import Item
from tolman.scenes import Capture, Scene


class WalkSolver:
    """A scene and its recordings."""

    def __init__(self, scene: Scene, captures: list[Capture]) -> None:
        self.scene, self.captures = scene, {capture.id: capture for capture in captures}

    def answer(self, item: Item) -> str | float:
        """The text of the option, or the number."""
        q = item.question
        if m := re.search(r"first-time appearance order of the following categories in the video: (.+)\?", q):
            return ", ".join(sorted(m[1].split(", "), key=self.first_seen))
        if q.startswith("You are a robot beginning at"):
            return self.turns(q)
        shots = item.evidence["shots"]
        if "In which order were they taken" in q:
            frames = [frame for _, frame, _ in shots[2:]]
            return ", ".join(str(1 + frames.index(frame)) for frame in sorted(frames))
        ((capture, first, last),) = shots
        rows = np.array(self.captures[capture].poses[first : last + 1])
        way = complex(*(rows[-1] - rows[0])[[3, 7]]) / complex(*rows[0, [2, 6]])
        if q.startswith("How far is the camera at the end"):
            return math.dist(rows[0, [3, 7, 11]], rows[-1, [3, 7, 11]])
        if "At what average speed" in q:
            times = np.array(self.captures[capture].times[first : last + 1])
            moments = np.arange(times[0], times[-1] + 1e-9, 0.5)
            at = np.array([np.interp(moments, times, rows[:, column]) for column in (3, 7, 11)])
            speed = float(np.linalg.norm(np.diff(at), axis=0).sum() / (moments[-1] - moments[0]))
            return min(item.options, key=lambda option: abs(math.log(float(option.split()[0]) / speed)))
        assert q.startswith("Seen from the camera's viewpoint at the start"), q
        degrees = math.degrees(cmath.phase(way))
        if abs(degrees) < 45 or abs(degrees) > 135:
            return "Forward" if abs(degrees) < 45 else "Backward"
        return "To the left" if degrees > 0 else "To the right"

    def first_seen(self, name: str) -> int:
        """The first frame with 200 pixels of a category."""
        own = {thing.id for thing in self.scene.of(name)}
        (capture,) = (one for one in self.captures.values() if one.media == self.scene.video)
        pixels: dict[int, int] = {}
        for seen in capture.sightings:
            if seen.object in own:
                pixels[seen.frame] = pixels.get(seen.frame, 0) + seen.pixels
        return min(frame for frame, count in pixels.items() if count >= 200)

    def turns(self, question: str) -> str:
        """The turns of a route, each to the nearest of 120° to the left, to the right, and back."""
        begin = re.search(r"beginning at the (.+?) facing the (.+?)\. You", question)
        assert begin
        names = [begin[1], *re.findall(r"Go forward until the (.+?)(?= \d+\. |\. You have reached)", question)]
        places = [complex(*self.scene.of(name)[0].box.center[:2]) for name in names]
        found = []
        for a, b, c in zip(places, places[1:], places[2:], strict=False):
            degrees = math.degrees(cmath.phase((c - b) / (b - a)))
            found.append("Turn Back" if abs(degrees) > 135 else "Turn Left" if degrees > 0 else "Turn Right")
        return ", ".join(found)
