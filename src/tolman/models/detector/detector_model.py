"""`baseline/detector`: answers from the frames that it is sent, and without looking where these don't suffice.

It detects objects in each frame and puts them on one map. The question's family answers from that map as
from a scene with known truth. A question that no family knows, or whose objects it hasn't seen, gets the answer of the
blind baseline `baseline/best-constant`; so does every question about blank frames. Its notes say which. Where the
prompt offers "can't tell", these questions get that answer instead.

Mapping finds where the camera was at each frame, and which detections are one object. Each frame is registered to the
landmarks of those before it. The turn and the step are chosen that bring most of its objects onto landmarks of their
category. This is correlative scan matching (Olson 2009) on objects, within the limits of a walker. The camera is
assumed to be carried upright, level but for a fixed pitch. Question families can be asked about the resulting scene.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.benchmarks.spec import BenchmarkSpec, as_it_is
from tolman.errors import UsageError
from tolman.ground_truth.question_families import recompute
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import CANT_TELL, Item
from tolman.messages import Clip, Message, Picture
from tolman.models.detector.network import Detection, DetectorNetwork
from tolman.models.geometric import answer_text, as_generated
from tolman.models.model import CallError, Model, ModelOptions, Request
from tolman.responses import FailureKind, Response
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting

Floats = NDArray[np.float64]
PITCH = np.radians(13.0)
"""By which a camera looks down: as in Tolman's walks."""
EYE = 1.5
"""Its height, metres."""
SPEED, TURN = 1.2, np.radians(80.0)
"""The fastest that it goes and turns, metres and radians a second."""
USUAL_STEP = 0.25
"""Seconds between pictures that have no times."""
SURE = 0.35
"""From which score on a detection counts; where a category has none so sure, four fifths of its surest."""
NEAR, NEARER = 0.25, 0.12
"""Standard deviation of a place: metres, and metres for each metre away."""
REACH = 2.5
"""Standard deviations within which a detection belongs to a landmark."""


@dataclass
class Landmark:
    """An object on the map.

    Attributes:
        category: of the object.
        place: x, y and height of its middle, metres.
        size: width, depth and height in metres.
        frames: those that show it.
        support: the sum of its detections' scores.
        certainty: the sum of their weights.
    """

    category: str
    place: Floats
    size: Floats
    frames: list[int] = field(default_factory=list)
    support: float = 0.0
    certainty: float = 0.0

    def add(self, frame: int, place: Floats, size: Floats, score: float, weight: float) -> None:
        """Take in one more detection of it."""
        self.certainty += weight
        self.place = self.place + (place - self.place) * weight / self.certainty
        self.size = self.size + (size - self.size) * weight / self.certainty
        self.support += score
        self.frames.append(frame)


def sure(frames: Sequence[Sequence[Detection]]) -> list[list[Detection]]:
    """The detections that count, see `SURE`."""
    best: dict[str, float] = {}
    for one in (one for found in frames for one in found):
        best[one.category] = max(best.get(one.category, 0.0), one.score)
    return [[one for one in found if one.score >= min(SURE, 0.8 * best[one.category])] for found in frames]


def find_landmarks(frames: Sequence[Sequence[Detection]], seconds: Sequence[float] = ()) -> list[Landmark]:
    """Find the objects that some pictures of a place show, the best supported first.

    Args:
        frames: detections of each picture, in the order of time.
        seconds: when each was taken; empty where that isn't known.
    """
    landmarks: list[Landmark] = []
    pose = np.zeros(3)
    last = 0
    for number, found in enumerate(frames):
        if not found:
            continue
        places = np.array([_level(one) for one in found])
        spread = NEAR + NEARER * np.linalg.norm(places[:, :2], axis=1)
        if landmarks:
            passed = seconds[number] - seconds[last] if seconds else USUAL_STEP * (number - last)
            pose = _registered(pose, max(float(passed), 0.04), found, places, spread, landmarks)
        last = number
        _take_in(number, found, _moved(places, pose), spread, landmarks)
    return sorted(_merged(landmarks), key=lambda one: -one.support)


def _level(one: Detection) -> tuple[float, float, float]:
    """A detection's middle ahead of the camera, to its left, and above the floor; metres."""
    right, down, ahead = one.middle
    forward = ahead * np.cos(PITCH) - down * np.sin(PITCH)
    below = ahead * np.sin(PITCH) + down * np.cos(PITCH)
    return float(forward), -right, float(EYE - below)


def _moved(places: Floats, pose: Floats) -> Floats:
    """Places seen from a pose (x, y, yaw) on the map, shape (n, 3)."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    moved = places.copy()
    moved[:, :2] = places[:, :2] @ np.array([[c, s], [-s, c]]) + pose[:2]
    return moved


def _registered(
    pose: Floats, passed: float, found: Sequence[Detection], places: Floats, spread: Floats, landmarks: list[Landmark]
) -> Floats:
    """Return the pose that aligns most detections with landmarks, near the pose before."""
    same = np.array([[one.category == mark.category for mark in landmarks] for one in found])
    if not same.any():
        return pose
    known = np.array([mark.place for mark in landmarks])
    scores = np.array([one.score for one in found])
    turn, step = TURN * passed, SPEED * passed
    yaws = pose[2] + np.linspace(-turn, turn, 2 * max(4, round(np.degrees(turn) / 2)) + 1)
    c, s = np.cos(yaws), np.sin(yaws)
    turned = np.einsum("ni,yij->ynj", places[:, :2], np.array([[c, s], [-s, c]]).transpose(2, 0, 1))
    which, mark = np.nonzero(same)
    steps = known[mark][None, :, :2] - turned[:, which] - pose[:2]
    steps = np.concatenate([steps, np.zeros((len(yaws), 1, 2))], axis=1)
    length = np.linalg.norm(steps, axis=-1, keepdims=True)
    steps = steps * np.minimum(1.0, step / np.maximum(length, 1e-9))
    # yaws × steps × detections × landmarks
    moved = turned[:, None] + pose[:2] + steps[:, :, None]
    squares = ((moved[:, :, :, None] - known[:, :2]) ** 2).sum(-1)
    squares = squares + (places[:, 2, None] - known[:, 2]) ** 2
    fit = np.where(same, np.exp(-squares / (2 * spread[:, None] ** 2)), 0.0).max(-1) @ scores
    effort = 0.1 * np.abs(yaws - pose[2])[:, None] / turn + 0.1 * np.linalg.norm(steps, axis=-1) / step
    best = np.unravel_index(np.argmax(fit - effort), fit.shape)
    return np.array([*(pose[:2] + steps[best]), yaws[best[0]]])


def _take_in(
    number: int, found: Sequence[Detection], places: Floats, spread: Floats, landmarks: list[Landmark]
) -> None:
    """Give each detection to the nearest landmark of its category, one to one, or make it a new one."""
    pairs = sorted(
        (float(np.linalg.norm(places[i] - mark.place)) / spread[i], i, j)
        for i, one in enumerate(found)
        for j, mark in enumerate(landmarks)
        if one.category == mark.category
    )
    given: dict[int, int] = {}
    for distance, i, j in pairs:
        if distance <= REACH and i not in given and j not in given.values():
            given[i] = j
    for i, one in enumerate(found):
        if i in given:
            mark = landmarks[given[i]]
        else:
            mark = Landmark(one.category, places[i], np.array(one.size))
            landmarks.append(mark)
        mark.add(number, places[i], np.array(one.size), one.score, one.score / spread[i] ** 2)


def _merged(landmarks: list[Landmark]) -> list[Landmark]:
    """Join landmarks of a category that overlap and are never seen together."""
    kept: list[Landmark] = []
    for mark in sorted(landmarks, key=lambda one: -one.support):
        for other in kept:
            near = max(NEAR * 2, float(max(mark.size.max(), other.size.max())) / 2)
            apart = float(np.linalg.norm(mark.place - other.place))
            if mark.category == other.category and apart < near and not set(mark.frames) & set(other.frames):
                total = mark.certainty + other.certainty
                other.place = (other.place * other.certainty + mark.place * mark.certainty) / total
                other.certainty = total
                other.support += mark.support
                other.frames = sorted(other.frames + mark.frames)
                break
        else:
            kept.append(mark)
    return kept


SIZE = (640, 480)
"""Pictures of this size are what thresholds of pixels in questions are about."""
FILLED = 0.6
"""Share of its box that an object fills, about."""
SUPPORT = 1.0
"""The least sum of scores that makes a landmark count, where another of its category has as much."""
_UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_LEAST_EXTENT = 0.02


class DetectedPlace:
    """A place as detected in some pictures.

    Args:
        frames: detections of each picture.
        seconds: when each was taken; empty where that isn't known.

    Attributes:
        counted: the scene with every landmark.
        single: the scene with the best supported one of each category, for questions about *the* chair.
    """

    def __init__(self, frames: Sequence[Sequence[Detection]], seconds: Sequence[float] = ()) -> None:
        taken = sure(frames)
        landmarks = find_landmarks(taken, seconds)
        best: dict[str, Landmark] = {}
        for mark in landmarks:
            best.setdefault(mark.category, mark)
        standing = [m for m in landmarks if m is best[m.category] or m.support >= SUPPORT]
        self.counted = SceneGeometry(_scene(standing))
        first = list(best.values())
        times = tuple(seconds) or tuple(map(float, range(len(frames))))
        self.single = SceneGeometry(_scene(first), (_capture(first, taken, times),))

    def __bool__(self) -> bool:
        """Check whether anything was seen."""
        return bool(self.single.scene.objects)


def _scene(landmarks: Sequence[Landmark]) -> Scene:
    things = []
    for number, mark in enumerate(landmarks):
        # Which way a thing is turned isn't known: its sides are made alike.
        side = max((float(mark.size[0]) + float(mark.size[1])) / 2, _LEAST_EXTENT)
        extents = (side, side, max(float(mark.size[2]), _LEAST_EXTENT))
        x, y, z = map(float, mark.place)
        box = OrientedBox(center=(x, y, z), axes=_UPRIGHT, extents=extents)
        things.append(SceneObject(id=f"{mark.category}-{number}", category=mark.category, box=box))
    return Scene(id="detected", dataset="detected", objects=tuple(things), video="detected")


def _capture(first: Sequence[Landmark], frames: Sequence[Sequence[Detection]], times: tuple[float, ...]) -> Capture:
    """Return which category is seen when, each category's object representing all of them."""
    names = {mark.category: f"{mark.category}-{number}" for number, mark in enumerate(first)}
    seen = []
    for frame, found in enumerate(frames):
        pixels: dict[str, float] = {}
        for one in found:
            pixels[one.category] = pixels.get(one.category, 0.0) + one.area * FILLED * SIZE[0] * SIZE[1]
        seen += [Sighting(frame=frame, object=names[name], pixels=round(area)) for name, area in pixels.items()]
    return Capture(
        id="detected",
        scene="detected",
        sensor="camera",
        media="detected",
        size=SIZE,
        times=times,
        sightings=tuple(seen),
    )


NAME = "baseline/detector"
BLIND = "answered without looking"
"""What is noted of an answer that isn't from the frames."""
MOST_PLACES = 64
"""Sets of pictures of which is kept what they show: the questions about one follow each other."""
MOST_PICTURES = 4096
"""Pictures of which is kept what they show: questions may be about different frames of one video."""
COUNTING = "how many"
"""How a question begins that is about all objects of a category."""


class Sees(Protocol):
    """Something that finds objects in a picture's file."""

    def detect(self, path: str) -> list[Detection]:
        """Objects in a picture."""
        ...


class BlindFallback(Model, Protocol):
    """A model that answers without looking."""

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Look at all items of the subset before the first is asked."""
        ...


class DetectorModel:
    """The baseline that sees.

    Args:
        blind: model that answers where the frames don't suffice.
        network: that finds objects.
        settings: all that determines its answers.
    """

    name = NAME
    remote = True
    """It is sent pictures."""
    stored = False
    """Its blind answers depend on the benchmark, its own take no time."""
    takes_clips = True
    concurrency = 1

    def __init__(self, blind: BlindFallback, network: Sees, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self._blind, self._network = blind, network
        self._written: Callable[[Item, str], str] = as_it_is
        self._places: dict[tuple[Any, ...], DetectedPlace] = {}
        self._detections: dict[str, list[Detection]] = {}

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Let the blind baseline look at all items of the subset."""
        self._blind.prepare(benchmark, items)
        self._written = benchmark.written

    async def answer(self, request: Request) -> Response:
        """Answer from the pictures in the messages.

        Raises:
            CallError: a picture can't be read.
        """
        text = await asyncio.to_thread(self._seen, request)
        if text is None and any(CANT_TELL in message.text for message in request.messages):
            text = request.item.letters[-1] if CANT_TELL in request.item.options else CANT_TELL
        if text is None:
            found = await self._blind.answer(request)
            return found.model_copy(update={"notes": {**found.notes, BLIND: 1}})
        return Response(id=request.item.id, response=self._written(request.item, text), repeat=request.repeat)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _seen(self, request: Request) -> str | None:
        """The answer that the pictures give; None where they give none."""
        pictures = pictures_of(request.messages)
        try:
            place = self._place(pictures)
        except OSError as error:
            raise CallError(FailureKind.REFUSED, f"a frame can't be read: {error}", retry=False) from None
        return answer_from(place, as_generated(request.item)) if place else None

    def _place(self, pictures: Sequence[tuple[Picture, float | None]]) -> DetectedPlace:
        key = tuple((picture.sha256, seconds) for picture, seconds in pictures)
        if key not in self._places:
            frames = [self._detected(picture) for picture, _ in pictures]
            times = [seconds for _, seconds in pictures if seconds is not None]
            if len(self._places) >= MOST_PLACES:
                self._places.pop(next(iter(self._places)))
            self._places[key] = DetectedPlace(frames, times if _rise(times, len(frames)) else ())
        return self._places[key]

    def _detected(self, picture: Picture) -> list[Detection]:
        if picture.sha256 not in self._detections:
            if len(self._detections) >= MOST_PICTURES:
                self._detections.pop(next(iter(self._detections)))
            self._detections[picture.sha256] = self._network.detect(picture.path)
        return self._detections[picture.sha256]


def pictures_of(messages: Sequence[Message]) -> list[tuple[Picture, float | None]]:
    """The pictures of messages with their times in seconds, None for images."""
    found: list[tuple[Picture, float | None]] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, Picture):
            found.append((part, part.seconds))
        elif isinstance(part, Clip):
            found += [(frame, tick / part.fps) for frame, tick in zip(part.frames, part.ticks, strict=True)]
    return found


def answer_from(place: DetectedPlace, item: Item) -> str | None:
    """The answer that a detected place gives by the question's family; None where it gives none."""
    geometry = place.counted if item.question.lower().startswith(COUNTING) else place.single
    try:
        found = recompute(geometry, item, released=False)
        if "first_seen" in found.evidence and item.options:
            found = _nearest_order(item, found)
        return answer_text(item, found)
    except (KeyError, ValueError):
        return None


def _nearest_order(item: Item, found: Any) -> Any:
    """The option that agrees best with the times at which things were seen first, as these are never exact."""
    first: Mapping[str, float] = found.evidence["first_seen"]

    def agreement(option: str) -> float:
        times = [first[name] for name in option.split(", ")]
        pairs = [(a, b) for i, a in enumerate(times) for b in times[i + 1 :]]
        return sum(max(-1.0, min(1.0, b - a)) for a, b in pairs)

    return replace(found, exact=max(item.options, key=agreement))


def _rise(times: Sequence[float], count: int) -> bool:
    return len(times) == count and all(b > a for a, b in itertools.pairwise(times))


def create_detector(blind: BlindFallback, options: ModelOptions) -> DetectorModel:
    """The model with the network that ships with Tolman, or the one of `--body '{"weights": FILE}'`.

    Raises:
        UsageError: --body holds something else.
        InputError: the file is missing, or no detector of a form that is known.
        MissingExtraError: onnxruntime is not installed.
    """
    weights, names = options.body.get("weights"), options.body.get("names", [])
    if set(options.body) - {"weights", "names"} or not isinstance(weights, str | None) or not _are_names(names):
        raise UsageError(
            f'{NAME} takes --body \'{{"weights": FILE, "names": [CATEGORY, …]}}\': an ONNX file, and what its labels '
            "mean where the file doesn't say."
        )
    network = DetectorNetwork(Path(weights) if weights else None, names)
    return DetectorModel(blind, network, {"weights": network.digest, "categories": len(network.names)})


def _are_names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(name, str) for name in given)
