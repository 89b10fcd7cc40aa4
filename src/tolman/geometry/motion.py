"""Sensor motion, with the offset between two clocks, and the consistency of cameras and surfaces of one scan.

Two sensors on one rig turn together: however they are mounted, their angular velocities have the same magnitude at the
same instant. So the lag at which the two signals correlate best is the offset of their clocks (Furrer et al. 2017 do so
for hand-eye calibration). The best lag is refined below the sampling by a parabola, and then by least squares on the
signals themselves.

Each statistic of the consistency of cameras, masks, depth, boxes and surfaces is a share between 0 and 1. It is high
for a scan whose conventions (axes, direction of poses, focal lengths) are read as they were written. Otherwise it is
low, so that readings can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import Tree


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


GROWN = 0.02
"""Metres by which boxes are grown on each side: annotators draw them tightly."""
RELATIVE, ABSOLUTE = 0.05, 0.02
"""Depths agree that differ by less than this share and as many metres."""
MIN_RAYS = 4
"""Rays that must meet a box in a frame for it to be in view."""
LEAST_IN_VIEW = 0.2
"""Share of a frame in view of another one below which their agreement counts less."""
MIN_YAW_SCATTER = 0.03
"""Second eigenvalue of the cameras' x axes from which they turn enough (10°) to say where up is."""
MAX_ROLL_SCATTER = 0.12
"""Largest mean square of the cameras' x axes along the vertical: a roll of about 20°."""


@dataclass(frozen=True)
class CameraView:
    """One camera at one time.

    Attributes:
        pose: camera → scene, looking along +z with y down, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels, shape (4,).
    """

    pose: Floats
    intrinsics: Floats

    def rays(self, pixels: Floats) -> Floats:
        """Rays through pixels of shape (n, 2), 1 m ahead each, in the scene's coordinates, shape (n, 3)."""
        fx, fy, cx, cy = self.intrinsics
        local = np.column_stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy, np.ones(len(pixels))])
        return np.asarray(local @ self.pose[:3, :3].T)


@dataclass(frozen=True)
class MaskSample:
    """Some pixels of one object's mask in one frame.

    Attributes:
        view: the number of the frame's View.
        box: the number of the object's box.
        inside: pixels of the mask, shape (n, 2).
        outside: pixels of the same picture that aren't the object's, shape (m, 2).
    """

    view: int
    box: int
    inside: Floats
    outside: Floats


@dataclass(frozen=True)
class DepthSample:
    """Some pixels of one frame with their depths.

    Attributes:
        pixels: shape (n, 2).
        depths: metres along the view, shape (n,).
    """

    pixels: Floats
    depths: Floats


def box_spans(origin: Floats, rays: Floats, boxes: Boxes, box: int, grown: float = GROWN) -> tuple[Floats, Floats]:
    """Entry and exit of rays in a box, in lengths of the rays, by the slab method; entry > exit for those that miss.

    Args:
        origin: of all rays, metres, shape (3,).
        rays: shape (n, 3).
        boxes, box: the box is boxes' own of that number.
        grown: metres on each side.

    Returns:
        Entries and exits, shape (n,) each.
    """
    half = boxes.extents[box] / 2 + grown
    local = boxes.axes[box] @ (origin - boxes.centers[box])
    along = rays @ boxes.axes[box].T
    safe = np.where(np.abs(along) < 1e-12, 1e-12, along)
    a, b = (-half - local) / safe, (half - local) / safe
    return np.minimum(a, b).max(1), np.maximum(a, b).min(1)


def mask_agreement(samples: Sequence[MaskSample], views: Sequence[CameraView], boxes: Boxes) -> float:
    """Return the share of mask pixels whose rays meet the object's box, above that of the picture's other pixels.

    As Cohen's kappa: 1 where all of a mask's rays meet its box, 0 where they do so no more often than those of the
    rest of the picture; so a wall's box that covers the picture says nothing.
    """
    above = possible = 0.0
    for sample in samples:
        view = views[sample.view]
        met = []
        for pixels in (sample.inside, sample.outside):
            entry, leaving = box_spans(view.pose[:3, 3], view.rays(pixels), boxes, sample.box)
            met.append(float(((entry <= leaving) & (leaving > 0)).mean()))
        above, possible = above + met[0] - met[1], possible + 1 - met[1]
    return max(0.0, above / possible) if possible > 0 else 0.0


def surface_agreement(samples: Sequence[DepthSample], views: Sequence[CameraView], tree: Tree) -> float:
    """The share of depth readings at which the surface is where they say; one sample for each view."""
    close = count = 0
    for sample, view in zip(samples, views, strict=True):
        rays = view.rays(sample.pixels)
        faces, depths = tree.cast(np.tile(view.pose[:3, 3], (len(rays), 1)), rays)
        # The mesh is itself made of noisy depths, so it may be off by more than two readings are.
        near = np.abs(depths - sample.depths) < RELATIVE * sample.depths + 2 * ABSOLUTE
        close, count = close + int((near & (faces >= 0)).sum()), count + len(rays)
    return close / count if count else 0.0


def frame_agreement(
    samples: Sequence[DepthSample], views: Sequence[CameraView], maps: Sequence[Floats], size: tuple[int, int]
) -> float:
    """The share of depth readings of a frame that the next frames measure at the same place, a mean over pairs.

    Args:
        samples, views: of the frames.
        maps: their depths in metres, 0 for no reading, shape (height, width) at any resolution.
        size: of the pictures that the intrinsics belong to.
    """
    found = []
    for i in range(len(views)):
        sample, points = samples[i], views[i].rays(samples[i].pixels) * samples[i].depths[:, None]
        points = points + views[i].pose[:3, 3]
        for j in (i - 1, i + 1):
            if not 0 <= j < len(views) or not len(sample.depths):
                continue
            local = (points - views[j].pose[:3, 3]) @ views[j].pose[:3, :3]
            fx, fy, cx, cy = views[j].intrinsics
            ahead = np.where(local[:, 2] > 0.05, local[:, 2], np.nan)
            shares = np.column_stack(
                [(fx * local[:, 0] / ahead + cx) / size[0], (fy * local[:, 1] / ahead + cy) / size[1]]
            )
            with np.errstate(invalid="ignore"):
                seen = np.flatnonzero(((shares >= 0) & (shares < 1)).all(1))
            height, width = maps[j].shape
            cells = (shares[seen] * (width, height)).astype(np.int64)
            measured = maps[j][cells[:, 1], cells[:, 0]]
            depth = local[seen, 2]
            read = measured > 0
            if not read.any():
                found.append(0.0)
                continue
            close = np.abs(depth - measured)[read] < RELATIVE * depth[read] + ABSOLUTE
            found.append(float(close.mean()) * min(1.0, len(seen) / len(local) / LEAST_IN_VIEW))
    return float(np.mean(found)) if found else 0.0


def box_agreement(samples: Sequence[DepthSample], views: Sequence[CameraView], boxes: Boxes) -> float | None:
    """Return the share of boxes with a measured surface inside, among those and the ones that a camera sees through.

    Rays through the inner half of a box's extents are looked at, since a thing seldom fills its box's corners. Boxes
    that are occluded in every frame aren't counted.

    Returns:
        None where too few boxes (4, and a fifth of all) are counted.
    """
    inside, through = np.zeros(len(boxes)), np.zeros(len(boxes))
    inner = Boxes(boxes.centers, boxes.axes, boxes.extents * 0.5)
    for sample, view in zip(samples, views, strict=True):
        rays = view.rays(sample.pixels)
        for i in range(len(boxes)):
            entry, leaving = box_spans(view.pose[:3, 3], rays, inner, i, 0.0)
            hit = np.flatnonzero((entry <= leaving) & (entry > 0))
            if len(hit) < MIN_RAYS:
                continue
            near, far = box_spans(view.pose[:3, 3], rays[hit], boxes, i, 2 * GROWN)
            depths = sample.depths[hit]
            inside[i] = max(inside[i], ((depths >= near) & (depths <= far)).mean())
            through[i] = max(through[i], (depths > far).mean())
    counted = (inside >= 0.5) | (through >= 0.5)
    if counted.sum() < max(4, len(boxes) / 5):
        return None
    return float((inside[counted] >= 0.5).mean())


@dataclass(frozen=True)
class CamerasUp:
    """Up direction of cameras.

    Attributes:
        mean: of their up directions, shape (3,); short where they differ.
        vertical: the axis about which they turn, towards their mean up, shape (3,); None where they turn too little,
            or roll.
    """

    mean: Floats
    vertical: Floats | None


def cameras_up(poses: Floats) -> CamerasUp:
    """The mean of the cameras' up directions, and the axis that is at right angles to all their x axes.

    A camera that is held level has its x axis level, however it is pitched; so the smallest eigenvector of Σ x xᵀ is
    the vertical, for head-mounted cameras that look down too.

    Args:
        poses: camera → scene, x right, y down, shape (n, 4, 4), all finite.
    """
    mean = -poses[:, :3, 1].mean(0)
    across = poses[:, :3, 0]
    values, vectors = np.linalg.eigh(across.T @ across / len(across))
    turning = values[1] > MIN_YAW_SCATTER and values[0] < MAX_ROLL_SCATTER and values[0] < values[1] / 4
    vertical = vectors[:, 0] * (1 if vectors[:, 0] @ mean >= 0 else -1)
    return CamerasUp(mean, vertical if turning and len(poses) >= 4 and abs(vertical @ mean) > 0.2 else None)


def path_length(poses: Floats) -> float:
    """The way of the cameras' centres, metres; poses have shape (n, 4, 4)."""
    return float(np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1).sum())


def floor_share(heights: Floats, width: float = 0.04) -> float:
    """Return the largest share of heights within one band in the lowest quarter of their range.

    Args:
        heights: along some direction, shape (n,).
        width: of the band, metres.
    """
    if not len(heights):
        return 0.0
    rising = np.sort(heights)
    low = rising[: np.searchsorted(rising, rising[0] + (rising[-1] - rising[0]) / 4, side="right")]
    ends = np.searchsorted(rising, low + width, side="right")
    return float((ends - np.arange(len(low))).max() / len(rising))


def in_frames(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """At most `count` of some frames' numbers, evenly chosen."""
    if not len(numbers):
        return numbers
    return np.asarray(numbers[np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))])
