"""Canvases: where colours are drawn, and where depths and instances are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Canvas:
    """Where colours are drawn.

    Attributes:
        target: what to draw on.
        picture: the texture of its colours.
        size: width and height, pixels.

    Args:
        gl: the context.
        moderngl: its module.
        size: width and height, pixels.
        depths: a buffer of that size that holds what was drawn before; a new one by default.
    """

    def __init__(self, gl: Any, moderngl: Any, size: tuple[int, int], depths: Any = None) -> None:
        self.size = size
        self.picture = gl.texture(size, 4, dtype="f1")
        self.picture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.picture.repeat_x = self.picture.repeat_y = False
        self.target = gl.framebuffer([self.picture], depths or gl.depth_renderbuffer(size))


class Readings:
    """Where depths and instances are drawn, at each pixel's middle.

    Attributes:
        target: what to draw on.
        depths: the buffer by which what is hidden isn't drawn.
        size: width and height, pixels.

    Args:
        gl: the context.
        size: width and height, pixels.
    """

    def __init__(self, gl: Any, size: tuple[int, int]) -> None:
        self.size = size
        # Both as floats, exact up to 2^24: a clear leaves integers undefined.
        self._both = gl.texture(size, 2, dtype="f4")
        self.depths = gl.depth_renderbuffer(size)
        self.target = gl.framebuffer([self._both], self.depths)

    def read(self) -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
        """Depths in metres and numbers of instances, each of shape (height, width); 0 where nothing was drawn."""
        width, height = self.size
        both = np.frombuffer(self._both.read(), dtype=np.float32).reshape(height, width, 2)
        return np.ascontiguousarray(both[..., 0]), both[..., 1].astype(np.uint16)
