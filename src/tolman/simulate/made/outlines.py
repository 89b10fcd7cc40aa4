"""Outlines: flat closed lines that forms are made of, counter-clockwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tolman.geometry.boxes import Floats

Point = tuple[float, float, float]
Outline = Sequence[tuple[float, float]]


def ring(center: Point, radii: tuple[float, float], power: float = 2.0, sides: int = 40) -> Floats:
    """A level superellipse, counter-clockwise, shape (sides, 3): 2 an ellipse, from 4 nearly a rectangle."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    c, s = np.cos(angles), np.sin(angles)
    x = radii[0] * np.sign(c) * np.abs(c) ** (2 / power)
    y = radii[1] * np.sign(s) * np.abs(s) ** (2 / power)
    return np.column_stack([x, y, np.zeros(sides)]) + center


def rounded_rectangle(low: tuple[float, float], high: tuple[float, float], radius: float, steps: int = 5) -> Outline:
    """The corners of a rectangle with round corners, counter-clockwise."""
    radius = min(radius, 0.499 * (high[0] - low[0]), 0.499 * (high[1] - low[1]))
    found = []
    quarters = [(high[0] - radius, high[1] - radius), (low[0] + radius, high[1] - radius)]
    quarters += [(low[0] + radius, low[1] + radius), (high[0] - radius, low[1] + radius)]
    for number, (x, y) in enumerate(quarters):
        for angle in np.linspace(number, number + 1, steps + 1) * np.pi / 2:
            found.append((float(x + radius * np.cos(angle)), float(y + radius * np.sin(angle))))
    return found


def ellipse(center: tuple[float, float], radii: tuple[float, float], sides: int = 32) -> Outline:
    """The corners of an ellipse, counter-clockwise."""
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    return [(float(center[0] + radii[0] * np.cos(a)), float(center[1] + radii[1] * np.sin(a))) for a in angles]
