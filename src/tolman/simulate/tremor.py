"""Tremor: what a hand adds to a camera's motion, as noise of three bands of frequencies.

Amplitudes are root mean squares of hand-held shots that were tracked frame by frame: "Walk to the Store" and
"Investigation" of Camera Shakify (EatTheFuture/camera_shakify@a59d9f91, `shake_data.py`, CC0), 123 and 372 frames at 24
frames a second, by Welch's spectrum. In each band the values lie between those of the two shots. Steps are among them:
1 to 3 Hz up and down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.walks import Motion

WAVES = 8
"""Sine waves that make up the noise of one band."""


@dataclass(frozen=True)
class TremorBand:
    """Noise of a band of frequencies.

    Attributes:
        low, high: hertz.
        shift: root mean square of what it adds to x, y and z, metres.
        turn: of what it adds to yaw, pitch and roll, degrees.
    """

    low: float
    high: float
    shift: tuple[float, float, float]
    turn: tuple[float, float, float]


BANDS = (
    TremorBand(0.25, 1.0, (0.008, 0.008, 0.005), (0.5, 0.45, 0.3)),
    TremorBand(1.0, 3.0, (0.002, 0.002, 0.004), (0.22, 0.25, 0.1)),
    TremorBand(3.0, 8.0, (0.0003, 0.0003, 0.0002), (0.04, 0.015, 0.02)),
)


def most(rms: float) -> float:
    """The greatest amplitude that noise of a root mean square can have."""
    return float(rms * np.sqrt(2 * WAVES))


def with_tremor(motion: Motion, times: Floats, seed: str) -> Motion:
    """A camera's motion in a hand.

    The noise is a function of time: other rates show the same motion.

    Args:
        motion: of the camera.
        times: of its frames, seconds, shape (n,).
        seed: of the noise.
    """
    generator = np.random.default_rng(np.frombuffer(f"tremor:{seed}".encode(), dtype=np.uint8))
    added = np.zeros((6, len(times)))
    for band in BANDS:
        for row, rms in enumerate((*band.shift, *np.radians(band.turn))):
            # Evenly over the logarithm of frequency: a hand's spectrum falls steeply.
            pitch = np.exp(generator.uniform(np.log(band.low), np.log(band.high), WAVES))
            phase = generator.uniform(0, 2 * np.pi, WAVES)
            waves = np.sin(2 * np.pi * pitch[:, None] * times + phase[:, None])
            added[row] += rms * np.sqrt(2 / WAVES) * waves.sum(0)
    return replace(
        motion,
        places=motion.places + added[:3].T,
        yaw=motion.yaw + added[3],
        pitch=motion.pitch + added[4],
        roll=motion.roll + added[5],
    )
