"""A sweep: what a LiDAR gives at a time, whatever the format; and errors of readers as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, TolmanError
from tolman.geometry.boxes import Floats

MOST_POINTS = 100_000_000
"""A file or message that promises more in one sweep is taken for broken."""
_INTENSITY = ("intensity", "intensities", "i", "reflectivity", "remission")
_TIME = ("time", "t", "timestamp", "time_stamp", "offset_time", "gps_time", "point_time_offset")
_SHORT = 3600.0
_EPOCH = 1e8


@dataclass(frozen=True)
class PointTime:
    """Meaning of the time of each point.

    Attributes:
        kind: 'relative' to the sweep's stamp, 'absolute' by the sensor's clock, 'none' to leave it, or 'auto': a field
            whose values stay below an hour while the stamp is a date, or of 32 bits, is relative; others are absolute.
        unit: 's', 'ms', 'us', 'ns', or 'auto': whole numbers are nanoseconds; dates tell by their size.
        field: its name; None looks for time, t, timestamp, time_stamp, offset_time.
    """

    kind: Literal["auto", "relative", "absolute", "none"] = "auto"
    unit: Literal["auto", "s", "ms", "us", "ns"] = "auto"
    field: str | None = None


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
AUTO = PointTime()


@dataclass(frozen=True)
class Sweep:
    """One turn of a LiDAR, one message, or one part of a larger file.

    Attributes:
        stamp: when, by the sensor's own clock, seconds; None where the file doesn't say.
        points: metres, in the coordinates of the file, shape (n, 3); all finite.
        intensity: as the sensor gives it, shape (n,); None where it doesn't.
        times: of each point by the sensor's own clock, seconds, shape (n,); None where the file doesn't say.
    """

    stamp: float | None
    points: Floats
    intensity: Floats | None = None
    times: Floats | None = None

    @property
    def span(self) -> tuple[float, float]:
        """When its first and its last point were measured.

        Raises:
            ValueError: nothing tells.
        """
        if self.times is not None and len(self.times):
            return float(self.times.min()), float(self.times.max())
        if self.stamp is None:
            raise ValueError("a sweep without any time")
        return self.stamp, self.stamp


def sweep_of(path: Path, columns: dict[str, NDArray[Any]], stamp: float | None, rule: PointTime = AUTO) -> Sweep:
    """A sweep from the columns of a file or message; returns that have no place are left out.

    Args:
        path: where they come from.
        columns: by the names of fields, shape (n,) each.
        stamp: of the file or message, seconds.
        rule: for the time of points.

    Raises:
        InputError: there are no coordinates, or no such time field.
    """
    missing = [axis for axis in "xyz" if axis not in columns]
    if missing:
        known = ", ".join(columns) or "none"
        raise InputError(path, f"its points have no field '{missing[0]}' (fields: {known})")
    points = np.column_stack([np.asarray(columns[axis], dtype=np.float64) for axis in "xyz"])
    good = np.isfinite(points).all(1)
    # Sensors write a return that never came as the origin.
    good &= (points != 0).any(1)
    intensity = next((columns[name] for name in _INTENSITY if name in columns), None)
    times = _point_times(path, columns, stamp, rule)
    if times is not None:
        good &= np.isfinite(times)
    return Sweep(
        stamp,
        points[good],
        None if intensity is None else np.asarray(intensity, dtype=np.float64)[good],
        None if times is None else times[good],
    )


def _point_times(path: Path, columns: dict[str, NDArray[Any]], stamp: float | None, rule: PointTime) -> Floats | None:
    if rule.kind == "none":
        return None
    if rule.field is not None and rule.field not in columns:
        raise InputError(path, f"its points have no field '{rule.field}' (fields: {', '.join(columns)})")
    name = rule.field or next((name for name in _TIME if name in columns), None)
    if name is None:
        return None
    column = np.asarray(columns[name])
    whole = column.dtype.kind in "ui"
    values = column.astype(np.float64)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    values = values * (_SECONDS[rule.unit] if rule.unit != "auto" else _unit(whole, largest))
    kind = rule.kind
    if kind == "auto":
        short = float(np.nanmax(np.abs(values), initial=0.0)) < _SHORT
        date = stamp is not None and abs(stamp) > _EPOCH
        kind = "relative" if column.dtype.itemsize <= 4 or (short and date) else "absolute"
    if kind == "absolute":
        return values
    if stamp is None:
        # Times that count from an unknown beginning tell nothing.
        return None
    return values + stamp


def _unit(whole: bool, largest: float) -> float:
    """Seconds of one unit: a date of this century tells by its size; else whole numbers are nanoseconds."""
    for least, seconds in ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3)):
        if largest > least:
            return seconds
    return 1e-9 if whole else 1.0


def checked_count(path: Path, count: int, width: int, held: int, offset: int) -> int:
    """The number of points of a file, if it can hold them.

    Args:
        path: the file.
        count: what its header says.
        width: bytes of each.
        held: bytes that are there for them.
        offset: of the first of these bytes.

    Raises:
        InputError: it can't.
    """
    if not 0 <= count <= MOST_POINTS or width <= 0:
        raise InputError(path, f"its header can't be right: {count:,} points of {width} bytes")
    if count * width > held:
        raise InputError(
            path,
            f"is cut off: from byte {offset:,} on, {count:,} points of {width} bytes should follow, "
            f"and {max(held, 0):,} bytes do",
            fix="copy it again",
        )
    return count


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Whatever goes wrong in a reader of files becomes one sentence that names the file.

    Args:
        path: the file.
        what: it should be, 'a LAS file'.

    Raises:
        InputError: in place of any other exception.
    """
    try:
        yield
    except TolmanError:
        raise
    except BaseException as error:
        # A panic of a reader that is written in Rust is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if isinstance(error, OSError) and error.strerror:
            raise InputError(path, f"can't be read ({error.strerror})") from None
        lines = str(error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
        raise InputError(path, f"is no readable {what} ({reason})", fix="copy or record it again") from None
