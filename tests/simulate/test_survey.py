"""The survey's cells are those that points are over, each once, on a grid or sorted."""

import numpy as np
import pytest

from tolman.simulate import scene_recording


@pytest.mark.parametrize("most", [0, 10**9])
def test_cells_are_each_once_however_they_are_found(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_recording, "_MANY_CELLS", most)
    points = np.random.default_rng(0).normal(0.0, 3.0, (2_000, 3))
    cells = {tuple(cell) for cell in np.floor(points[:, :2] / scene_recording._CELL).astype(int).tolist()}
    numbers = scene_recording._cells_of(points)
    along, across = np.divmod(numbers, 2 * scene_recording._MIDDLE)
    assert len(numbers) == len(cells)
    places = np.column_stack([along, across]) - scene_recording._MIDDLE
    assert {tuple(place) for place in places.tolist()} == cells
    assert not len(scene_recording._cells_of(points[:0]))
