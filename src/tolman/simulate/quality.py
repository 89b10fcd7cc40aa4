"""Quality: how much work a frame's colours are worth. Depth, instances and poses are the same at every level."""

from __future__ import annotations

from dataclasses import dataclass

from tolman.names import unknown
from tolman.simulate.lighting import LightDetail

_FINEST_BIAS = 2048


@dataclass(frozen=True)
class Quality:
    """A level of quality.

    Attributes:
        name: what `--quality` calls it.
        shadows: side of the map of shadows, texels.
        taps: places at which a pixel looks into that map, at most 16.
        samples: colours are drawn so many times as wide and as high, and averaged.
        mirrors: whether mirrors show a reflection.
        crevices: metres of a cell of the grid that tells how near surfaces stand before each other, in rooms whose
            light is baked; 0 for none.
        light: of baked light.
    """

    name: str
    shadows: int
    taps: int
    samples: int
    mirrors: bool
    crevices: float
    light: LightDetail

    @property
    def bias_side(self) -> int:
        """Side of a map of shadows by whose texels surfaces are kept off their own shadow.

        Finer maps than of 2048 texels are looked into as far apart as one of these, so that no less will do.
        """
        return min(self.shadows, _FINEST_BIAS)


FAST = Quality("fast", 1024, 1, 1, mirrors=False, crevices=0.0, light=LightDetail())
DEFAULT = Quality("default", 2048, 4, 2, mirrors=True, crevices=0.04, light=LightDetail())
HIGH = Quality("high", 4096, 16, 3, mirrors=True, crevices=0.03, light=LightDetail(step=0.1, rays=128, bounces=4))
LEVELS = {level.name: level for level in (FAST, DEFAULT, HIGH)}
"""Levels by name."""


def quality_named(name: str) -> Quality:
    """The level of a name.

    Raises:
        UsageError: there is none.
    """
    if name not in LEVELS:
        raise unknown("quality", name, tuple(LEVELS))
    return LEVELS[name]
