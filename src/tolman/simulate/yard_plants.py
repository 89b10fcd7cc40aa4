"""Flower beds, made in code."""

from __future__ import annotations

import numpy as np

from tolman.simulate.mesh import Mesh, block, flat_shaded, joined

_FLOWERS = (
    (0.82, 0.2, 0.26),
    (0.92, 0.74, 0.18),
    (0.72, 0.4, 0.74),
    (0.92, 0.9, 0.86),
    (0.9, 0.5, 0.2),
    (0.4, 0.36, 0.75),
)


def flower_bed(generator: np.random.Generator) -> Mesh:
    """Flowers in rows within an edging of stone or wood."""
    edge = np.array([(0.6, 0.58, 0.54), (0.45, 0.32, 0.2)][int(generator.integers(2))])
    parts = [
        block((-1.1, -0.5, 0), (1.1, 0.5, 0.16), edge),
        block((-1.02, -0.42, 0.16), (1.02, 0.42, 0.175), (0.2, 0.14, 0.1)),
    ]
    tones = [np.array(_FLOWERS[int(i)]) for i in generator.permutation(len(_FLOWERS))[:3]]
    leaves, blossoms, greens, colours = [], [], [], []
    for x in np.arange(-0.94, 0.95, 0.13):
        for row, y in enumerate(np.arange(-0.34, 0.35, 0.17)):
            place = np.array([x, y, 0.17]) + generator.uniform(-0.03, 0.03, 3) * (1, 1, 0)
            high = float(generator.uniform(0.16, 0.3))
            for _ in range(5):
                angle, lean = generator.uniform(0, 2 * np.pi), generator.uniform(0.04, 0.1)
                way = np.array([np.cos(angle), np.sin(angle), 0.0])
                side = np.array([-way[1], way[0], 0.0]) * 0.02
                leaves.append([place - side, place + side, place + way * lean + np.array([0, 0, high * 0.7])])
                greens.append(np.array([0.24, 0.4, 0.16]) * generator.uniform(0.7, 1.2))
            top = place + np.array([0, 0, high])
            for angle in np.arange(6) * np.pi / 3 + generator.uniform(0, 1):
                a, b = (np.array([np.cos(angle + d), np.sin(angle + d), 0.35]) * 0.05 for d in (-0.42, 0.42))
                blossoms.append([top, top + a, top + b])
                colours.append(tones[row % 3] * generator.uniform(0.85, 1.1))
    for corners, shades in ((leaves, greens), (blossoms, colours)):
        mesh = flat_shaded(np.array(corners))
        mesh.tints[:, :3] = np.repeat(np.clip(shades, 0, 1), 3, axis=0)
        # Lit as the bed that they cover.
        mesh.normals[:] = (0.0, 0.0, 1.0)
        parts.append(mesh)
    return joined(parts)
