"""Shader programs of the folder `glsl`: a depth map from the light, pictures with depth and instances, mirrors, smooth
edges.

Those for places outdoors draw sun with soft shadows, sky light, panes that mirror the sky, haze and clouds. There, the
fourth number of a vertex's colour is its material: up to `GLOSS` varnish, up to `GLASS` a pane. Above that it shines by
itself, as in rooms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np


@cache
def source(name: str) -> str:
    """Return a file of the folder `glsl`, with those that it includes."""
    text = files("tolman.simulate").joinpath("glsl", name).read_text(encoding="utf-8")
    return re.sub(r'#include "(.+)"\n', lambda found: source(found[1]), text)


_TAPS = (
    (-0.61, -0.37), (0.17, -0.76), (0.71, -0.11), (0.36, 0.62), (-0.29, 0.85), (-0.87, 0.32), (0.05, 0.11),
    (-0.2, -0.12),
)  # fmt: skip
"""Places on a disc, at which the map of shadows is looked into."""


def tap_places(taps: int, samples: int) -> str:
    """Return lines of a program: `COUNT`, `TAPS`, so many places on a disc, and `turned()`, by which a sample turns
    them.

    Args:
        taps: number of places at which a sample looks into a map of shadows; 1 is the middle.
        samples: a pixel has so many across and so many down: each turns the places by another part of a circle, so that
            the edge of a shadow has more shades than one sample gives.
    """
    if taps == 1:
        places: list[tuple[float, float]] = [(0.0, 0.0)]
    elif taps == len(_TAPS):
        places = list(_TAPS)
    else:
        turns = np.arange(taps) * np.pi * (3 - np.sqrt(5))
        radii = np.sqrt((np.arange(taps) + 0.5) / taps)
        places = list(zip((radii * np.cos(turns)).tolist(), (radii * np.sin(turns)).tolist(), strict=True))
    parts = 2 * np.pi * np.arange(samples**2) / samples**2
    ways = list(zip(np.cos(parts).tolist(), np.sin(parts).tolist(), strict=True))
    turned = source("turned.glsl").replace("SIDE", str(samples))
    return f"#define COUNT {taps}\n{_array('TAPS', places)}{_array('WAYS', ways)}{turned}"


def _array(name: str, values: Sequence[tuple[float, float]]) -> str:
    listed = ", ".join(f"vec2({x!r}, {y!r})" for x, y in values)
    return f"const vec2 {name}[{len(values)}] = vec2[]({listed});\n"


def fragment(taps: int, samples: int, *, crevices: float = 0.0) -> str:
    """Return the program of a pixel.

    Args:
        taps, samples: of `tap_places`.
        crevices: the density of surfaces at the brightest texel of `crevices`; 0 to leave it out.
    """
    defined = f"#define CREVICES\n#define FULL {crevices!r}\n" if crevices else ""
    return f"#version 330\n{defined}{tap_places(taps, samples)}{source('room.frag')}"


GLOSS, GLASS = 0.06, 0.27


def outdoor_fragment(taps: int, samples: int) -> str:
    """Return the program of a pixel.

    Args:
        taps: number of places at which a sample looks into the map of near shadows; 1 is the middle.
        samples: a pixel has so many across and so many down.
    """
    return f"#version 330\n{tap_places(taps, samples)}{source('outdoor.frag')}"
