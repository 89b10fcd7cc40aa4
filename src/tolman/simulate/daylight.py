"""Daylight: the sun, sky and haze over places outdoors, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tolman.simulate.world import Light


@dataclass(frozen=True)
class Daylight(Light):
    """Light of a place outdoors, which is drawn by `outdoor_shaders`.

    Attributes:
        cover: share of the sky that clouds hide, 0 … 1.
        drift: where the clouds are, metres in their own plane.
        haze: share of a surface's light that is lost in a metre of air.
        exposure: by which light is multiplied before it is mapped to a picture's tones.
        shadow: how sharp shadows are: 1 under a clear sky, less under clouds.
    """

    cover: float = 0.4
    drift: tuple[float, float] = (0.0, 0.0)
    haze: float = 0.0025
    exposure: float = 1.0
    shadow: float = 1.0


_WEATHERS = (
    # share, sun, sky, ground, zenith, horizon, cover, haze, exposure
    (
        0.34,
        (2.6, 2.4, 2.1),
        (0.62, 0.74, 0.97),
        (0.36, 0.34, 0.3),
        (0.2, 0.42, 0.78),
        (0.7, 0.83, 0.95),
        0.36,
        0.0018,
        0.6,
    ),
    (
        0.28,
        (2.35, 2.2, 2.0),
        (0.72, 0.8, 0.94),
        (0.36, 0.35, 0.32),
        (0.27, 0.47, 0.78),
        (0.77, 0.86, 0.94),
        0.6,
        0.0026,
        0.61,
    ),
    (
        0.2,
        (2.6, 2.05, 1.45),
        (0.62, 0.67, 0.84),
        (0.36, 0.31, 0.27),
        (0.27, 0.44, 0.74),
        (0.93, 0.85, 0.72),
        0.45,
        0.003,
        0.63,
    ),
    (
        0.18,
        (0.7, 0.69, 0.67),
        (1.1, 1.15, 1.22),
        (0.46, 0.45, 0.43),
        (0.62, 0.68, 0.75),
        (0.84, 0.87, 0.9),
        0.95,
        0.0034,
        0.76,
    ),
)
"""Clear, fair, a low warm sun, overcast: shares and colours."""
_WARM, _OVERCAST = 2, 3


def draw_daylight(generator: np.random.Generator, ahead: float, spread: float) -> Daylight:
    """The light of a day.

    Args:
        generator: what is drawn comes from it.
        ahead: the middle of the directions from which the sun may shine, counter-clockwise from +x, radians.
        spread: the most that it may be off that, radians.
    """
    shares = np.array([weather[0] for weather in _WEATHERS])
    kind = int(generator.choice(len(_WEATHERS), p=shares / shares.sum()))
    _, sun, sky, ground, zenith, horizon, cover, haze, exposure = _WEATHERS[kind]
    angle = ahead + float(generator.uniform(-spread, spread))
    height = np.radians(float(generator.uniform(*((24, 34) if kind == _WARM else (36, 58)))))
    toward = (float(np.cos(angle) * np.cos(height)), float(np.sin(angle) * np.cos(height)), float(np.sin(height)))
    return Daylight(
        toward=toward,
        sun=sun,
        sky=sky,
        ground=ground,
        background=zenith,
        horizon=horizon,
        cover=float(np.clip(cover + generator.uniform(-0.12, 0.12), 0, 1)),
        drift=(float(generator.uniform(0, 50)), float(generator.uniform(0, 50))),
        haze=haze,
        exposure=exposure,
        shadow=0.35 if kind == _OVERCAST else 1.0,
    )
