"""Networks in ONNX that detect objects in pictures: Tolman's own, or a detector that the user names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.extras import needs


@dataclass(frozen=True)
class Detection:
    """An object in a picture.

    Attributes:
        category: of the object.
        score: how sure the network is, 0–1.
        box: left, top, right and bottom of the visible part, in shares of the picture's width and height.
        middle: the middle of the object seen from the camera: right, down and ahead, metres.
        size: width, depth and height in metres.
    """

    category: str
    score: float
    box: tuple[float, float, float, float]
    middle: tuple[float, float, float]
    size: tuple[float, float, float]

    @property
    def area(self) -> float:
        """Share of the picture that the box covers."""
        left, top, right, bottom = self.box
        return max(0.0, right - left) * max(0.0, bottom - top)


def overlap(a: Detection, b: Detection) -> float:
    """Intersection over union of two boxes."""
    wide = min(a.box[2], b.box[2]) - max(a.box[0], b.box[0])
    high = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    shared = max(0.0, wide) * max(0.0, high)
    return shared / (a.area + b.area - shared) if shared else 0.0


def without_repeats(found: list[Detection], *, same: float = 0.5, other: float = 0.8) -> list[Detection]:
    """Non-maximum suppression, the surest first.

    Args:
        found: in one picture.
        same, other: from which overlap on a less sure one of the same, or of another category is left out.
    """
    kept: list[Detection] = []
    for one in sorted(found, key=lambda one: -one.score):
        if all(overlap(one, better) < (same if one.category == better.category else other) for better in kept):
            kept.append(one)
    return kept


HALF_ANGLE = np.radians(36.0)
"""Half of the horizontal angle of view that is assumed of every camera: that of Tolman's simulated ones."""
LEAST_SCORE = 0.1
MOST_FOUND = 60
"""Peaks that are looked at in a picture, at most."""
PLAIN = 3.0
"""A picture whose brightness varies by a smaller standard deviation, of 255, shows nothing."""
_OWN_INPUTS, _OWN_OUTPUTS = {"pictures"}, {"heat", "values"}
_OTHER_INPUTS, _OTHER_OUTPUTS = {"images", "orig_target_sizes"}, {"labels", "boxes", "scores"}
_FORM = (
    "give a detector whose outputs are labels, boxes and scores (as RT-DETR and D-FINE export them), with its "
    'categories as a JSON list in its metadata under "names", or in --body under "names"'
)
_USUAL_SIZE = (0.5, 0.5, 0.8)
_PIXELS = (160, 120)


class DetectorNetwork:
    """A detector that is loaded.

    Args:
        path: an ONNX file; None for the one that ships with Tolman.
        names: categories of a file that doesn't hold them, in the order of its labels.

    Raises:
        InputError: the file is missing, or no detector of a form that is known.
        MissingExtraError: onnxruntime is not installed.
    """

    def __init__(self, path: Path | None = None, names: Sequence[str] = ()) -> None:
        with needs("build", "Detecting objects"):
            import onnxruntime
        self._path = path or Path("rooms.onnx")
        try:
            content = path.read_bytes() if path else (files("tolman.models.detector") / "rooms.onnx").read_bytes()
        except OSError as error:
            raise InputError(self._path, f"can't be read ({error.strerror})", fix="name an ONNX file") from None
        self.digest = hashlib.sha256(content).hexdigest()[:16]
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # threads sleep while they wait
        try:
            self._session: Any = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions have no common class
            said = " ".join(str(error).split())[:200]
            raise InputError(self._path, f"is no network that onnxruntime reads ({said})", fix=_FORM) from None
        kept = self._session.get_modelmeta().custom_metadata_map
        self.names = list(names) or self._list(kept.get("names", "[]"))
        self._sizes = self._table(kept.get("sizes", "{}"))
        self._inputs = {one.name: one for one in self._session.get_inputs()}
        outputs = {one.name for one in self._session.get_outputs()}
        self._is_own = set(self._inputs) == _OWN_INPUTS and outputs == _OWN_OUTPUTS
        if not self._is_own and not (outputs >= _OTHER_OUTPUTS and "images" in self._inputs):
            raise InputError(self._path, f"has the outputs {', '.join(sorted(outputs))}", fix=_FORM)
        if set(self._inputs) - _OWN_INPUTS - _OTHER_INPUTS:
            raise InputError(self._path, f"has the inputs {', '.join(sorted(self._inputs))}", fix=_FORM)
        if not self.names:
            raise InputError(self._path, "doesn't say what its labels mean", fix=_FORM)

    def detect(self, path: str) -> list[Detection]:
        """Objects in a picture's file, the surest first; none in one of a single colour.

        Raises:
            OSError: it can't be read.
        """
        with needs("build", "Reading pictures"):
            from PIL import Image
        with Image.open(path) as opened:
            picture = opened.convert("RGB")
        if np.asarray(picture.convert("L").resize((64, 64), Image.Resampling.BOX)).std() < PLAIN:
            return []
        return without_repeats(self._own(picture) if self._is_own else self._other(picture))

    def _own(self, picture: Any) -> list[Detection]:
        from PIL import Image

        small = np.asarray(picture.resize(_PIXELS, Image.Resampling.BOX), dtype=np.float32)
        heat, values = self._session.run(["heat", "values"], {"pictures": small.transpose(2, 0, 1)[None]})
        return self.decode(1 / (1 + np.exp(-heat[0])), values[0])

    def decode(self, heat: NDArray[np.float32], values: NDArray[np.float32]) -> list[Detection]:
        """Read the network's maps.

        Args:
            heat: probability that a category's object has its middle in a cell, shape (categories, 30, 40).
            values: see `training/detector/network.py`, shape (8, 30, 40).
        """
        around = np.pad(heat, ((0, 0), (1, 1), (1, 1)))
        lines, columns = heat.shape[1:]
        highest = np.max([around[:, y : y + lines, x : x + columns] for y in range(3) for x in range(3)], axis=0)
        peaks = np.argwhere((heat >= highest) & (heat >= LEAST_SCORE))
        peaks = peaks[np.argsort(-heat[tuple(peaks.T)], kind="stable")][:MOST_FOUND]
        found = []
        for number, line, column in peaks.tolist():
            u, v, wide, high, depth, right, down, longest = values[:, line, column].astype(float)
            ahead, length = float(np.exp(np.clip(depth, -1.5, 3.5))), float(np.exp(np.clip(longest, -4, 3)))
            width, height = np.exp(np.clip([wide, high], -2, 4)) / (columns, lines)
            x, y = (column + u) / columns, (line + v) / lines
            focal = columns / 2 / np.tan(HALF_ANGLE)
            middle = (
                (column + 4 * right - columns / 2) / focal * ahead,
                (line + 4 * down - lines / 2) / focal * ahead,
                ahead,
            )
            box = _within(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            name = self.names[number]
            size = np.array(self._sizes.get(name, _USUAL_SIZE))
            size = size * length / size.max()
            found.append(Detection(name, float(heat[number, line, column]), box, middle, _triple(size)))
        return found

    def _other(self, picture: Any) -> list[Detection]:
        """Boxes of a detector of another make; how far away things are follows from how large their kind is."""
        from PIL import Image

        shape = self._inputs["images"].shape
        high, wide = (side if isinstance(side, int) else 640 for side in shape[-2:])
        small = np.asarray(picture.resize((wide, high), Image.Resampling.BILINEAR), dtype=np.float32) / 255
        given: dict[str, Any] = {"images": small.transpose(2, 0, 1)[None]}
        if "orig_target_sizes" in self._inputs:
            given["orig_target_sizes"] = np.array([[wide, high]], dtype=np.int64)
        labels, boxes, scores = (np.asarray(one) for one in self._session.run(["labels", "boxes", "scores"], given))
        found = []
        rows = zip(labels.ravel(), boxes.reshape(-1, 4), scores.ravel(), strict=True)
        for label, box, score in rows:
            if score < LEAST_SCORE or not 0 <= int(label) < len(self.names):
                continue
            left, top, right, bottom = _within(*(box / (wide, high, wide, high)))
            name = self.names[int(label)]
            size = self._sizes.get(name, _USUAL_SIZE)
            ratio = picture.height / picture.width
            tall = max((bottom - top) * ratio, 1e-3)
            ahead = size[2] / 2 / np.tan(HALF_ANGLE) / tall
            across = 2 * np.tan(HALF_ANGLE) * ahead
            middle = (((left + right) / 2 - 0.5) * across, ((top + bottom) / 2 - 0.5) * ratio * across, ahead)
            found.append(Detection(name, float(score), (left, top, right, bottom), _triple(np.array(middle)), size))
        return sorted(found, key=lambda one: -one.score)[:MOST_FOUND]

    def _list(self, text: str) -> list[str]:
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise InputError(self._path, 'has no list of names under "names" in its metadata', fix=_FORM)
        return found

    def _table(self, text: str) -> Mapping[str, tuple[float, float, float]]:
        try:
            return {str(name): _triple(np.array(size, dtype=float)) for name, size in json.loads(text).items()}
        except (ValueError, AttributeError, TypeError):
            fix = "write it as a JSON object of [width, depth, height] in metres"
            raise InputError(self._path, 'has no table of sizes under "sizes" in its metadata', fix=fix) from None


def _within(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    low, high = np.clip([left, top], 0, 1), np.clip([right, bottom], 0, 1)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _triple(values: NDArray[Any]) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return float(x), float(y), float(z)
