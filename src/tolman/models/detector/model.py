"""`baseline/detector`: answers from the frames that it is sent, and without looking where these don't suffice.

It detects objects in each frame and puts them on one map (`mapping`). The question's family answers from that map as
from a scene with known truth. A question that no family knows, or whose objects it hasn't seen, gets the answer of the
blind baseline `baseline/best-constant`; so does every question about blank frames. Its notes say which. Where the
prompt offers "can't tell", these questions get that answer instead.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from tolman.benchmarks.spec import BenchmarkSpec, as_it_is
from tolman.errors import UsageError
from tolman.ground_truth.question_families import recompute
from tolman.items import CANT_TELL, Item
from tolman.messages import Clip, Message, Picture
from tolman.models.detector.landmark_map import DetectedPlace
from tolman.models.detector.network import Detection, DetectorNetwork
from tolman.models.geometric import answer_text, as_generated
from tolman.models.model import CallError, Model, ModelOptions, Request
from tolman.responses import FailureKind, Response

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
