"""Looking at a world by rays: what a camera would show of each object, without a picture being drawn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.simulate.casting import Caster
from tolman.simulate.render import Frame
from tolman.simulate.world import World

STRIDE = 4
"""Pixels of a picture from one ray to the next, in rows and in columns."""


class RayView:
    """A camera in a world, of whose pixels every `STRIDE`-th in rows and columns is looked along.

    Args:
        world: what is looked at.
        size: width and height of the pictures that are not drawn, pixels.

    Raises:
        MissingExtraError: embreex is not installed.
    """

    def __init__(self, world: World, size: tuple[int, int]) -> None:
        self._caster = Caster(world)
        self._shape = (max(1, size[1] // STRIDE), max(1, size[0] // STRIDE))

    @staticmethod
    def intrinsics(whole: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """The intrinsics of `frame`, from those of the whole picture."""
        fx, fy, cx, cy = whole
        return fx / STRIDE, fy / STRIDE, cx / STRIDE, cy / STRIDE

    def frame(self, pose: Floats, intrinsics: tuple[float, float, float, float], seconds: float = 0.0) -> Frame:
        """Depth and instances of a picture that is `STRIDE` times smaller; its colours are black.

        Args:
            pose: camera → scene, shape (4, 4); the camera looks along +z with y down.
            intrinsics: fx, fy, cx, cy of the small picture, pixels.
            seconds: when; it matters where something moves.
        """
        directions = _ways(intrinsics, self._shape) @ pose[:3, :3].T
        hits = self._caster.cast(np.broadcast_to(pose[:3, 3], directions.shape), directions, seconds)
        depth = np.where(np.isfinite(hits.distances), hits.distances, 0.0).astype(np.float32)
        return Frame(
            np.zeros((*self._shape, 3), dtype=np.uint8),
            depth.reshape(self._shape),
            hits.numbers.astype(np.uint16).reshape(self._shape),
        )


@lru_cache(maxsize=1)
def _ways(intrinsics: tuple[float, float, float, float], shape: tuple[int, int]) -> Floats:
    """The rays' directions in the camera's coordinates: of length 1 along the view, so that distances are depths."""
    fx, fy, cx, cy = intrinsics
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.stack([(columns + 0.5 - cx) / fx, (rows + 0.5 - cy) / fy, np.ones(shape)], axis=-1).reshape(-1, 3)
