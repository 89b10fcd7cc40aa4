"""Sensor motion: interpolated poses, deskewed points, and the offset between two clocks.

Two sensors on one rig turn together: however they are mounted, their angular velocities have the same magnitude at the
same instant. So the lag at which the two signals correlate best is the offset of their clocks (Furrer et al. 2017 do
so for hand-eye calibration). The best lag is refined below the sampling by a parabola, and then by least squares on
the signals themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolman.extras import LazyModule
from tolman.geometry.boxes import Floats

if TYPE_CHECKING:
    import scipy
else:
    scipy = LazyModule("scipy")


def poses_at(times: Floats, poses: Floats, seconds: Floats) -> Floats:
    """Interpolate poses: linear positions, slerp of rotations; beyond the ends both go on as in the nearest interval.

    scipy's `Slerp` has the same formula, but refuses times beyond the ends, which recordings have.

    Args:
        times: seconds, rising, shape (n,).
        poses: 4×4 each, shape (n, 4, 4).
        seconds: when, shape (m,).

    Returns:
        Shape (m, 4, 4).
    """
    if len(times) == 1:
        return np.repeat(poses, len(seconds), axis=0)
    before = np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, len(times) - 2)
    share = (seconds - times[before]) / (times[before + 1] - times[before])
    first = scipy.spatial.transform.Rotation.from_matrix(poses[:-1, :3, :3])
    turns = (first.inv() * scipy.spatial.transform.Rotation.from_matrix(poses[1:, :3, :3])).as_rotvec()
    found = np.tile(np.eye(4), (len(seconds), 1, 1))
    found[:, :3, :3] = (
        first[before] * scipy.spatial.transform.Rotation.from_rotvec(turns[before] * share[:, None])
    ).as_matrix()
    start, end = poses[before, :3, 3], poses[before + 1, :3, 3]
    found[:, :3, 3] = start + (end - start) * share[:, None]
    return found


def deskew(points: Floats, fired: Floats, times: Floats, poses: Floats) -> Floats:
    """Deskew points of a moving sensor: move each into the scene by the sensor's pose at its own time.

    Args:
        points: in the sensor's coordinates at their firing, metres, shape (n, 3).
        fired: when, seconds, shape (n,).
        times: of the poses, by the same clock, rising, shape (k,).
        poses: sensor → scene, shape (k, 4, 4).

    Returns:
        Points in the scene, metres, shape (n, 3).
    """
    moments, index = np.unique(fired, return_inverse=True)
    at = poses_at(times, poses, moments)[index]
    return np.asarray(np.einsum("nij,nj->ni", at[:, :3, :3], points) + at[:, :3, 3])


_MOST = 30.0
"""Seconds of the greatest offset that is looked for."""
LEAST_SECONDS = 2.0
LEAST_TURNING = 0.02
"""Standard deviation of the angular speed, in rad/s, below which nothing can be told from noise."""
LEAST_CORRELATION = 0.6
_RIVAL = 0.95


class TooLittleMotionError(ValueError):
    """Signals that don't determine an offset; the text is the reason, as a sentence without its end."""


@dataclass(frozen=True)
class Signal:
    """Angular speed of a sensor.

    Attributes:
        times: by its own clock, seconds, rising, shape (n,).
        speeds: rad/s, shape (n,).
    """

    times: Floats
    speeds: Floats


@dataclass(frozen=True)
class Offset:
    """Offset that is added to one clock to be on another.

    Attributes:
        seconds: the offset.
        error: 95 % bound, seconds.
        correlation: of the two signals at it, -1 … 1.
        residual: root mean square of the difference between the signals, rad/s.
        rival: the best correlation at a lag that is no neighbour of the best; how sure the choice is.
        overlap: seconds that both signals cover.
    """

    seconds: float
    error: float
    correlation: float
    residual: float
    rival: float
    overlap: float


def turning(times: Floats, poses: Floats) -> Signal:
    """Return the angular speed of a trajectory, at the middles of its intervals.

    Args:
        times: seconds, rising, shape (n,).
        poses: shape (n, 4, 4); of any frame of the rigid rig.
    """
    good = np.isfinite(poses).all((1, 2))
    times, poses = times[good], poses[good]
    if len(times) < 3:
        raise TooLittleMotionError("the trajectory has fewer than three poses")
    turned = (
        scipy.spatial.transform.Rotation.from_matrix(poses[:-1, :3, :3]).inv()
        * scipy.spatial.transform.Rotation.from_matrix(poses[1:, :3, :3])
    ).magnitude()
    gaps = np.diff(times)
    if gaps.min() <= 0:
        raise TooLittleMotionError("the trajectory's times don't rise")
    return Signal((times[:-1] + times[1:]) / 2, np.asarray(turned / gaps))


def gyroscope(times: Floats, rates: Floats) -> Signal:
    """Return the angular speed that a gyroscope measures.

    Args:
        times: seconds, rising, shape (n,).
        rates: rad/s about its three axes, shape (n, 3).
    """
    good = np.isfinite(rates).all(1)
    return Signal(times[good], np.linalg.norm(rates[good], axis=1))


def estimate_offset(reference: Signal, other: Signal) -> Offset:
    """Estimate the offset that is added to the clock of `other` to be on that of `reference`.

    Args:
        reference, other: how fast the two sensors turn, each by its own clock.

    Raises:
        TooLittleMotionError: a signal is too short or hardly changes, they don't correlate at any lag, or they do at
            two lags alike.
    """
    for name, signal in (("the first sensor", reference), ("the second sensor", other)):
        _check(name, signal)
    # Dates have no digits left for the small steps by which a derivative is taken.
    start = float(np.floor(reference.times[0]))
    reference, other = (Signal(signal.times - start, signal.speeds) for signal in (reference, other))
    step = min(0.01, *(float(np.median(np.diff(signal.times))) / 2 for signal in (reference, other)))
    wide = max(4 * step, *(float(np.median(np.diff(signal.times))) for signal in (reference, other)))
    a, a0 = _sampled(reference, step, wide)
    b, b0 = _sampled(other, step, wide)
    lags, scores = _correlations(a, b, a0 - b0, step)
    if not len(lags):
        raise TooLittleMotionError(f"no offset up to {_MOST:g} s lets the recordings overlap by {LEAST_SECONDS:g} s")
    best = int(scores.argmax())
    best_lag, best_score = float(lags[best]), float(scores[best])
    if best_score < LEAST_CORRELATION:
        raise TooLittleMotionError(
            f"the turning of the two sensors agrees at no offset up to {_MOST:g} s (best correlation {best_score:.2f})"
        )
    rival = _rival(scores, best)
    if rival > _RIVAL * best_score:
        raise TooLittleMotionError(
            f"the turning of the two sensors agrees at several offsets alike (correlations {best_score:.2f} and "
            f"{rival:.2f}): the motion repeats itself"
        )
    if 0 < best < len(lags) - 1:
        left, middle, right = scores[best - 1 : best + 2]
        bend = left - 2 * middle + right
        if bend < 0:
            best_lag += float(0.5 * (left - right) / bend) * step
    return _refined(reference, other, best_lag, best_score, rival, wide)


def _check(name: str, signal: Signal) -> None:
    if len(signal.times) < 10 or signal.times[-1] - signal.times[0] < LEAST_SECONDS:
        raise TooLittleMotionError(f"{name} recorded less than {LEAST_SECONDS:g} s of motion")
    if np.diff(signal.times).min() <= 0:
        raise TooLittleMotionError(f"the times of {name} don't rise")
    if float(np.std(signal.speeds)) < LEAST_TURNING:
        raise TooLittleMotionError(
            f"{name} turns too evenly (its angular speed varies by {np.std(signal.speeds):.3f} rad/s): "
            "record a part in which the rig is turned to and fro"
        )


def _sampled(signal: Signal, step: float, wide: float) -> tuple[Floats, float]:
    """A signal at even steps, smoothed alike for both sensors, and the time of its first sample."""
    first = float(np.ceil(signal.times[0] / step) * step)
    grid = first + np.arange(int((signal.times[-1] - first) / step + 1e-9) + 1) * step
    return np.asarray(scipy.ndimage.gaussian_filter1d(np.interp(grid, signal.times, signal.speeds), wide / step)), first


def _correlations(a: Floats, b: Floats, apart: float, step: float) -> tuple[Floats, Floats]:
    """The correlation of the overlapping parts at each lag, by Fourier transform of sums and products."""
    least = max(int(LEAST_SECONDS / step), int(0.3 * min(len(a), len(b))))
    ones = [np.ones(len(x)) for x in (a, b)]
    shift = a.mean()
    a, b = a - shift, b - shift
    count = np.rint(scipy.signal.correlate(ones[0], ones[1], method="fft"))
    sums = [scipy.signal.correlate(a, ones[1], method="fft"), scipy.signal.correlate(ones[0], b, method="fft")]
    squares = [scipy.signal.correlate(a**2, ones[1], method="fft"), scipy.signal.correlate(ones[0], b**2, method="fft")]
    products = scipy.signal.correlate(a, b, method="fft")
    # Sample j of b stands at sample j + k of a.
    lags = apart + (np.arange(len(count)) - (len(b) - 1)) * step
    use = (count >= least) & (np.abs(lags) <= _MOST)
    n = np.maximum(count, 1.0)
    spreads = [np.sqrt(np.maximum(q / n - (s / n) ** 2, 0.0)) for q, s in zip(squares, sums, strict=True)]
    below = spreads[0] * spreads[1]
    together = products / n - sums[0] * sums[1] / n**2
    moving = (spreads[0] > LEAST_TURNING / 4) & (spreads[1] > LEAST_TURNING / 4)
    scores = np.where(moving, together / np.where(below > 0, below, 1.0), -1.0)
    return lags[use], scores[use]


def _rival(scores: Floats, best: int) -> float:
    """The best score beyond the peak of the best one, which ends where scores no longer fall."""
    left, right = best, best
    while left > 0 and scores[left - 1] <= scores[left]:
        left -= 1
    while right < len(scores) - 1 and scores[right + 1] <= scores[right]:
        right += 1
    beyond = np.concatenate([scores[:left], scores[right + 1 :]])
    return float(beyond.max()) if len(beyond) else -1.0


def _refined(reference: Signal, other: Signal, lag: float, score: float, rival: float, wide: float) -> Offset:
    """The lag of least squares near a good one, and how sure it is."""
    step = wide / 4
    a, start = _sampled(reference, step, wide)
    grid = start + np.arange(len(a)) * step
    b, b_start = _sampled(other, step, wide)
    b_grid = b_start + np.arange(len(b)) * step
    inner = (grid > b_grid[0] + lag + 2 * wide) & (grid < b_grid[-1] + lag - 2 * wide)
    grid, a = grid[inner], a[inner]

    def off(values: Floats) -> Floats:
        return np.asarray(values[1] * np.interp(grid - values[0], b_grid, b) + values[2] - a)

    found = scipy.optimize.least_squares(
        off,
        np.array([lag, 1.0, 0.0]),
        diff_step=np.full(3, 1e-5),
        x_scale=[wide, 1.0, 1.0],
        bounds=([lag - wide, 0, -5], [lag + wide, 5, 5]),
    )
    residual = float(np.sqrt(np.mean(found.fun**2)))
    # Neighbouring samples share their noise over the width of the smoothing.
    free = max(1.0, len(grid) * step / (2 * wide))
    slope = float(np.mean(np.asarray(found.jac)[:, 0] ** 2))
    error = 1.96 * residual / np.sqrt(max(slope, 1e-12) * free)
    overlap = float(grid[-1] - grid[0]) if len(grid) else 0.0
    return Offset(float(found.x[0]), float(error), score, residual, rival, overlap)
