"""The offset of a LiDAR's clock: as a rig says it, or estimated from how fast its sensors turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.geometry.synchronisation import Offset, Signal, TooLittleMotionError, estimate_offset
from tolman.ingest.readers.rig_file import RigClock
from tolman.scenes import Clock

_WIDTH = 96


@dataclass(frozen=True)
class Synchronised:
    """An offset and how it was found.

    Attributes:
        offset: what is added to the sensor's clock, seconds.
        clock: method and residual.
        found: what the estimate came to, where one was made.
    """

    offset: float
    clock: Clock
    found: Offset | None = None


def said(clock: RigClock) -> Synchronised:
    """Offset that a rig declares, without estimating."""
    return Synchronised(clock.offset or 0.0, Clock(method=clock.method, residual=clock.residual))


def estimate_clock(path: Path, reference: Signal, other: Signal) -> Synchronised:
    """The offset of a sensor's clock to the reference's.

    Args:
        path: of the recording, for messages.
        reference: how fast the sensor turns whose clock is the time line.
        other: how fast the other does.

    Raises:
        InputError: the motion can't tell.
    """
    try:
        # Clocks that count from different days differ by more than any search: their beginnings are laid together.
        apart = float(reference.times[0] - other.times[0]) if len(reference.times) and len(other.times) else 0.0
        apart = apart if abs(apart) > 3600 else 0.0
        found = estimate_offset(reference, Signal(other.times + apart, other.speeds))
    except TooLittleMotionError as error:
        raise InputError(
            path, f"the offset of its clocks can't be estimated: {error}", fix="give 'offset' with method 'manual'"
        ) from None
    return Synchronised(found.seconds + apart, Clock(method="estimated", residual=found.error), found)


def pictures_turning(frames: Iterable[tuple[float, NDArray[np.uint8]]], focal: float) -> Signal:
    """Estimate a camera's angular speed from the shift of its pictures (phase correlation, Kuglin and Hines 1975).

    A shift tells turning about the two axes across the view; rolling and walking past near things disturb it, so it
    serves where the camera has neither poses nor an inertial unit.

    Args:
        frames: times, seconds, and pictures, shape (height, width, 3).
        focal: of the pictures, pixels.
    """
    times: list[float] = []
    speeds: list[float] = []
    before: tuple[float, Floats] | None = None
    for seconds, picture in frames:
        step = max(1, round(picture.shape[1] / _WIDTH))
        small = _shrunk(picture, step)
        if before is not None and seconds > before[0] and small.shape == before[1].shape:
            shift = np.hypot(*_shift(before[1], small)) * step
            times.append((seconds + before[0]) / 2)
            speeds.append(float(np.arctan(shift / focal)) / (seconds - before[0]))
        before = (seconds, small)
    return Signal(np.array(times), np.array(speeds))


def _shrunk(picture: NDArray[np.uint8], step: int) -> Floats:
    """Grey means of squares of pixels."""
    height, width = (n // step * step for n in picture.shape[:2])
    grey = picture[:height, :width].astype(np.float64).mean(2)
    return np.asarray(grey.reshape(height // step, step, width // step, step).mean((1, 3)))


def _shift(first: Floats, second: Floats) -> tuple[float, float]:
    """By how many pixels the second picture lies off the first, down and to the right, to a fraction of one."""
    window = np.outer(np.hanning(first.shape[0]), np.hanning(first.shape[1]))
    spectra = [np.fft.rfft2((picture - picture.mean()) * window) for picture in (first, second)]
    cross = spectra[1] * np.conj(spectra[0])
    peaks = np.fft.irfft2(cross / np.maximum(np.abs(cross), 1e-9), s=first.shape)
    found = []
    place = np.unravel_index(int(peaks.argmax()), peaks.shape)
    for axis, size in enumerate(peaks.shape):
        line = np.take(peaks, place[1 - axis], axis=1 - axis)
        at = int(place[axis])
        left, middle, right = line[at - 1], line[at], line[(at + 1) % size]
        bend = left - 2 * middle + right
        fine = at + (0.5 * (left - right) / bend if bend < 0 else 0.0)
        found.append(float(fine - size if fine > size / 2 else fine))
    return found[0], found[1]
