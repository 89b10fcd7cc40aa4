"""Timetables: how a vehicle gets along a closed way that others use too, without ever touching what is known to come.

Everything that moves is known for the whole time, so a vehicle never has to guess. Backwards from the end it is found
from which places and speeds one can go on for ever without meeting anything (the viability kernel: Aubin, Viability
Theory, 1991); forwards the vehicle goes as fast as it likes as long as it stays within that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.simulate.lanes import Lane

STEP = 0.5
"""Seconds between changes of speed."""
LEVEL = 0.5
"""Metres a second between speeds: one level more or less in a step is 1 m/s²."""
GRID = STEP * LEVEL / 2
"""Metres between places; each step ends on one."""
LOOKS = 4
"""Times within a step at which places are compared."""
_CHANGES = (1, 0, -1, -2, -3)
"""Levels by which speed changes in a step: it brakes harder than it starts."""


@dataclass(frozen=True)
class Timetable:
    """Metres along a way, and speed, every STEP.

    Attributes:
        along: metres, not wrapped round, shape (k + 1,).
        speeds: metres a second, shape (k + 1,).
    """

    along: Floats
    speeds: Floats

    def at(self, seconds: float) -> float:
        """Metres along the way at a time; at rest before and after."""
        last = len(self.along) - 1
        step = min(max(int(seconds / STEP), 0), last - 1)
        time = min(max(seconds - step * STEP, 0.0), STEP)
        change = (self.speeds[step + 1] - self.speeds[step]) / STEP
        return float(self.along[step] + self.speeds[step] * time + change * time**2 / 2)


def moments(seconds: float) -> Floats:
    """The times at which places are compared, seconds."""
    steps = int(np.ceil(seconds / STEP)) + 1
    return np.arange(steps * LOOKS + 1) * STEP / LOOKS


def places(lane: Lane) -> Floats:
    """Metres along a way of the places that are compared: `GRID` apart, a little more or less, shape (n,)."""
    count = round(lane.length / GRID)
    return np.arange(count) * lane.length / count


def near_discs(lane: Lane, middles: Floats, radius: float) -> NDArray[np.bool_]:
    """Which places of a way are within a radius of something that moves.

    Args:
        lane: the way.
        middles: where it is at each moment, shape (m, 2).
        radius: metres.

    Returns:
        Shape (m, n).
    """
    spots = lane.at(places(lane))
    found = np.zeros((len(middles), len(spots)), dtype=bool)
    low, high = spots.min(0) - radius, spots.max(0) + radius
    for number in np.flatnonzero(((middles > low) & (middles < high)).all(1)):
        found[number] = ((spots - middles[number]) ** 2).sum(1) < radius**2
    return found


def widened(taken: NDArray[np.bool_], reach: float) -> NDArray[np.bool_]:
    """Places at which a vehicle's middle is within `reach` metres along the way of what is taken, shape (m, n)."""
    from scipy.ndimage import maximum_filter1d

    size = 2 * int(np.ceil(reach / GRID)) + 1
    return np.asarray(maximum_filter1d(taken.astype(np.uint8), size, axis=1, mode="wrap").astype(bool))


def draw_timetable(taken: NDArray[np.bool_], wanted: float, generator: np.random.Generator) -> Timetable | None:
    """How a vehicle goes along a way; None where there is no place from which it could.

    Args:
        taken: places at which its middle must not be at each moment of `moments`, shape (m, n).
        wanted: metres a second where nothing is in the way.
        generator: draws where it is at first.
    """
    count = (taken.shape[0] - 1) // LOOKS
    top = max(1, round(wanted / LEVEL))
    free = ~taken
    viable = np.empty((count + 1, top + 1, free.shape[1]), dtype=bool)
    # Where it stands at the end it must be able to stand.
    viable[count] = free[-1]
    for step in range(count - 1, -1, -1):
        for speed in range(top + 1):
            ways = [
                _clear(free, step, speed, change) & np.roll(viable[step + 1, speed + change], -_moved(speed, change))
                for change in _CHANGES
                if 0 <= speed + change <= top
            ]
            viable[step, speed] = np.logical_or.reduce(ways)
    startable = [first for first in (top, top // 2, 0) if viable[0, first].any()]
    if not startable:
        return None
    speed = startable[0]
    place = int(generator.choice(np.flatnonzero(viable[0, speed])))
    along, speeds, size = [place], [speed], free.shape[1]
    for step in range(count):
        for change in _CHANGES:
            if not 0 <= speed + change <= top:
                continue
            there = (place + _moved(speed, change)) % size
            if viable[step + 1, speed + change, there] and _clear(free, step, speed, change)[place]:
                along.append(along[-1] + _moved(speed, change))
                place, speed = there, speed + change
                break
        else:
            raise AssertionError("a viable place without a way on")
        speeds.append(speed)
    return Timetable(np.array(along) * GRID, np.array(speeds) * LEVEL)


def _moved(speed: int, change: int) -> int:
    """Places that it gets on in a step."""
    return 2 * speed + change


def _clear(free: NDArray[np.bool_], step: int, speed: int, change: int) -> NDArray[np.bool_]:
    """Whether nothing is met during a step, from each place, shape (n,)."""
    found: NDArray[np.bool_] = free[step * LOOKS].copy()
    for look in range(1, LOOKS + 1):
        share = look / LOOKS
        moved = round(2 * speed * share + change * share**2)
        found &= np.roll(free[step * LOOKS + look], -moved)
    return found
