"""Boxes seen from above."""

from __future__ import annotations

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.scenes import OrientedBox


def outline(box: OrientedBox) -> Floats:
    """A box's shadow on the floor, counter-clockwise, shape (6, 2): the sum of its three edges seen from above."""
    edges = np.array(box.axes)[:, :2] * np.array(box.extents)[:, None]
    edges = np.where((edges[:, 1] < 0) | ((edges[:, 1] == 0) & (edges[:, 0] < 0)), -1.0, 1.0)[:, None] * edges
    edges = edges[np.argsort(np.arctan2(edges[:, 1], edges[:, 0]))]
    corners = np.cumsum(np.vstack([-edges.sum(0) / 2, edges, -edges[:-1]]), axis=0)
    return np.asarray(corners + np.array(box.center)[:2])
