"""Matchers of points between two images, by name: a module for each with an object `MATCHER`.

Other packages add theirs, such as learned ones, through the entry point group `tolman.matchers`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import MissingExtraError, UsageError
from tolman.registry import Registry

Pixels = NDArray[np.uint8]
Points = NDArray[np.float64]

_REGISTRY = Registry("matcher", __name__, "MATCHER", "tolman.matchers")
names = _REGISTRY.names


@dataclass(frozen=True)
class Matcher:
    """A way of finding which points of two images show the same place.

    Attributes:
        name: what `--matcher` takes.
        match: (left, right) → (points in left, points in right): RGB arrays of shape (height, width, 3) in, points of
            shape (n, 2) as (x, y) in pixels out, the best first; n may be 0. Equal images give equal points.
        module: what must be importable; None for nothing.
        package, extra: what to install for it.
    """

    name: str
    match: Callable[[Pixels, Pixels], tuple[Points, Points]]
    module: str | None = None
    package: str = ""
    extra: str = ""


def get(name: str) -> Matcher:
    """The matcher of that name, ready to be used.

    Raises:
        UsageError: there is none.
        MissingExtraError: its package is not installed.
    """
    found: Any = _REGISTRY.get(name)
    if not isinstance(found, Matcher):
        raise UsageError(f"what is registered as matcher '{name}' is no tolman.media.matchers.Matcher.")
    # OpenCV puts a module without a spec into its place, and find_spec refuses that.
    if found.module is not None and found.module not in sys.modules and find_spec(found.module) is None:
        raise MissingExtraError(found.package, found.extra, f"Matching points with {name}")
    return found
