"""Supports: which parts of a model carry it, and on which of its surfaces other things can stand.

A model's box says little about either: a desk with a raised part is as high as its box in one corner only, and a
built-in oven touches the floor with a strip of its front. So the triangles decide, by rays from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tolman.geometry.boxes import Floats
from tolman.geometry.casting import Tree
from tolman.simulate.mesh import Mesh

if TYPE_CHECKING:
    from shapely import Polygon

GRID_STEP = 0.02
"""Metres between rays."""
CONTACT_DEPTH = 0.01
"""Metres above a model's lowest point within which it touches what is below."""
LEVEL_TOLERANCE = 0.003
"""Metres by which heights on one surface differ at most."""
UPRIGHT_NORMAL = 0.95
"""Least vertical part of the normal of a surface on which things stand."""


@dataclass(frozen=True)
class Support:
    """Support of a model, and surfaces on it, in the model's own coordinates (metres, on z = 0).

    Attributes:
        base: convex hull of what touches the ground, shape (k, 2).
        stable: whether the middle of the model's surface lies above its base.
        corner: the place of the first ray, x and y.
        heights: of what rays from above meet first, -inf where they meet nothing, shape (columns, rows), x first.
        level: where that surface is horizontal, shape (columns, rows).
    """

    base: Floats
    stable: bool
    corner: tuple[float, float]
    heights: Floats
    level: NDArray[np.bool_]

    def height_under(self, center: tuple[float, float], yaw: float, size: tuple[float, float], gap: float) -> float:
        """The height of the horizontal surface that carries all of a rectangle.

        Args:
            center: of the rectangle, metres.
            yaw: counter-clockwise, radians.
            size: width and depth, metres.
            gap: metres around the rectangle in which nothing is higher than the surface.

        Returns:
            Metres; -inf where the surface ends, is not horizontal, or something stands on it.
        """
        inside, around = self._cells(center, yaw, size, 0.0), self._cells(center, yaw, size, gap)
        # A model thinner than the grid has no cell of its own.
        own = self.heights[inside]
        if not len(own) or not self.level[inside].all():
            return -np.inf
        height = float(own.max())
        if height - own.min() > LEVEL_TOLERANCE or self.heights[around].max() > height + LEVEL_TOLERANCE:
            return -np.inf
        # Rays are cast in single precision; a plan is the same on every machine.
        return round(height, 4)

    def _cells(
        self, center: tuple[float, float], yaw: float, size: tuple[float, float], gap: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rays on a rectangle: points spread over it to its edges, each moved to the nearest ray."""
        width, depth = size[0] + 2 * gap, size[1] + 2 * gap
        across, along = (
            np.linspace(-0.5, 0.5, max(3, int(np.ceil(length / GRID_STEP)) + 1)) * length for length in (width, depth)
        )
        x, y = (grid.ravel() for grid in np.meshgrid(across, along))
        c, s = np.cos(yaw), np.sin(yaw)
        columns = np.round((center[0] + c * x - s * y - self.corner[0]) / GRID_STEP).astype(np.intp)
        rows = np.round((center[1] + s * x + c * y - self.corner[1]) / GRID_STEP).astype(np.intp)
        # Rays at the edge of the grid meet nothing, so what lies beyond it is like them.
        return np.clip(columns, 0, self.heights.shape[0] - 1), np.clip(rows, 0, self.heights.shape[1] - 1)


def support_of(mesh: Mesh) -> Support:
    """Find a model's support, and surfaces on it.

    Args:
        mesh: standing on z = 0.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    import shapely

    low, high = mesh.bounds
    corners = mesh.points[mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    middle = (corners.mean(1)[:, :2] * areas[:, None]).sum(0) / areas.sum()
    touching = mesh.points[mesh.faces.ravel()]
    touching = touching[touching[:, 2] < low[2] + CONTACT_DEPTH, :2]
    hull = cast("Polygon", shapely.convex_hull(shapely.multipoints(touching)))
    ends = [np.arange(low[i] - 1.5 * GRID_STEP, high[i] + 1.5 * GRID_STEP, GRID_STEP) for i in range(2)]
    x, y = np.meshgrid(*ends, indexing="ij")
    above = high[2] + 1.0
    origins = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, above)])
    faces, distances = Tree(mesh.points, mesh.faces, "simulate").cast(origins, np.tile([0.0, 0.0, -1.0], (x.size, 1)))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    upright = np.abs(normals[:, 2]) > UPRIGHT_NORMAL * np.where(areas > 0, areas, 1.0)
    return Support(
        base=np.asarray(shapely.get_coordinates(hull)),
        stable=bool(hull.buffer(1e-6).contains(shapely.Point(middle))),
        corner=(float(ends[0][0]), float(ends[1][0])),
        heights=np.where(faces >= 0, above - distances, -np.inf).reshape(x.shape),
        level=(upright[faces] & (faces >= 0)).reshape(x.shape),
    )


def base_outline(support: Support, center: tuple[float, float], yaw: float) -> Polygon:
    """The base of a model in its place, on the floor plan."""
    import shapely

    c, s = np.cos(yaw), np.sin(yaw)
    points = support.base @ np.array([[c, s], [-s, c]]) + np.asarray(center)
    return cast("Polygon", shapely.convex_hull(shapely.multipoints(points)))
