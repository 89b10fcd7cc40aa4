"""Occlusion: how dark it is where surfaces stand close before each other, computed once for what stands still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from tolman.geometry.boxes import Floats
from tolman.simulate.mesh import Mesh
from tolman.simulate.world import World

CONTACT = 256
"""Side of the picture of a floor's dimness."""
BLUR = 1.25
"""Standard deviation, in cells, by which surfaces are blurred."""
FULL = 2.0
"""Times the density of a plane at itself that is the greatest density told."""
_SPACING = 0.6
"""Cells between the points with which surfaces are filled."""
_R2 = 0.7548776662466927, 0.5698402909980532
"""Steps of a sequence that fills a square evenly (M. Roberts, "The unreasonable effectiveness of quasirandom
sequences", 2018)."""


@dataclass(frozen=True)
class Crevices:
    """Density of surfaces at places.

    Attributes:
        low: the first cell's middle, metres.
        cell: metres from one to the next.
        density: of surfaces around each cell; 255 is `FULL` times that of a plane at itself, shape (z, y, x).
    """

    low: tuple[float, float, float]
    cell: float
    density: NDArray[np.uint8]


def find_crevices(meshes: Sequence[Mesh], cell: float) -> Crevices:
    """Surfaces as a blurred grid of cells.

    Args:
        meshes: of what stands still.
        cell: metres.
    """
    corners = np.concatenate([mesh.points[mesh.faces] for mesh in meshes])
    points, areas = _filled(corners, _SPACING * cell)
    low = points.min(0) - 3 * cell
    counts = np.ceil((points.max(0) + 3 * cell - low) / cell).astype(np.intp) + 1
    at = (points - low) / cell
    base = np.floor(at).astype(np.intp)
    part = at - base
    filled = np.zeros(int(counts.prod()))
    for corner in np.ndindex(2, 2, 2):
        place = np.ravel_multi_index(tuple((base + corner).T), tuple(counts))
        weight = np.where(np.array(corner, dtype=bool), part, 1 - part).prod(1)
        filled += np.bincount(place, weight * areas, len(filled))
    # Both sides of a board fill its cells once.
    occupied = np.minimum(filled / cell**2, 1.0).reshape(tuple(counts))
    blurred = gaussian_filter(occupied, BLUR) * BLUR * np.sqrt(2 * np.pi)
    density = np.clip(blurred / FULL * 255 + 0.5, 0, 255).astype(np.uint8)
    x, y, z = (float(value) for value in low)
    return Crevices((x, y, z), cell, np.ascontiguousarray(density.transpose(2, 1, 0)))


def _filled(corners: Floats, spacing: float) -> tuple[Floats, Floats]:
    """Points spread evenly over triangles, shape (n, 3), and the square metres for which each stands."""
    edges = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.linalg.norm(np.cross(*edges), axis=1) / 2
    counts = np.maximum(1, np.ceil(areas / spacing**2)).astype(np.intp)
    owner = np.repeat(np.arange(len(corners)), counts)
    step = np.arange(len(owner)) - np.repeat(counts.cumsum() - counts, counts)
    u, v = (0.5 + step * _R2[0]) % 1, (0.5 + step * _R2[1]) % 1
    beyond = u + v > 1
    u, v = np.where(beyond, 1 - u, u)[:, None], np.where(beyond, 1 - v, v)[:, None]
    return corners[owner, 0] + u * edges[0][owner] + v * edges[1][owner], (areas / counts)[owner]


def floor_contact(world: World) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Brightness of the floor between things that stand on it: 255 in the open, darker beside walls and furniture.

    Returns:
        A picture of `CONTACT` pixels a side; and least x and y, and the size, of what it covers: 0 for none.
    """
    if world.contact is None:
        return np.full((CONTACT, CONTACT), 255, dtype=np.uint8), (0.0, 0.0, 0.0, 0.0)
    import shapely

    floor, standing = world.contact
    low_x, low_y, high_x, high_y = floor.buffer(0.3).bounds
    x = low_x + (np.arange(CONTACT) + 0.5) * (high_x - low_x) / CONTACT
    y = low_y + (np.arange(CONTACT) + 0.5) * (high_y - low_y) / CONTACT
    grid_x, grid_y = np.meshgrid(x, y)
    closed = ~shapely.contains_xy(floor, grid_x, grid_y)
    covered = shapely.contains_xy(shapely.union_all(standing), grid_x, grid_y) if standing else np.zeros_like(closed)
    cells_per_metre = CONTACT / max(high_x - low_x, high_y - low_y)
    dim = 0.35 * gaussian_filter(closed.astype(float), 0.22 * cells_per_metre)
    dim += 0.75 * gaussian_filter(covered.astype(float), 0.12 * cells_per_metre)
    bright = np.clip(1.0 - dim, 0.15, 1.0)
    return (bright * 255).astype(np.uint8), (low_x, low_y, high_x - low_x, high_y - low_y)
