"""Measuring as a function: the same as the command, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tolman.errors import UsageError
from tolman.features.events import Advanced, Began, Ended, Event
from tolman.features.scenes.compute import measure
from tolman.features.scenes.config import MeasureConfig

HEAD = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT 1\nPOINTS {n}\nDATA ascii\n"


@pytest.fixture
def cloud(tmp_path: Path) -> Path:
    """The surface of a box of 1 m by 0.6 m by 0.8 m, a point every 2 cm."""
    grid = np.stack(np.meshgrid(*(np.arange(0, side + 1e-9, 0.02) for side in (1.0, 0.6, 0.8))), axis=-1).reshape(-1, 3)
    faces = (np.abs(grid) < 1e-6) | (np.abs(grid - (1.0, 0.6, 0.8)) < 1e-6)
    points = grid[faces.any(axis=1)]
    rows = "".join(f"{x:.3f} {y:.3f} {z:.3f}\n" for x, y, z in points)
    (tmp_path / "box.pcd").write_text(HEAD.format(n=len(points)) + rows)
    return tmp_path / "box.pcd"


def test_the_function_and_the_command_measure_the_same(
    cloud: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    events: list[Event] = []
    config = MeasureConfig(recording=cloud, quantity="height", box=(-0.1, -0.1, -0.1, 1.1, 0.7, 0.9))
    result = measure(config, events.append)
    quiet()
    assert result.value == pytest.approx(0.8, abs=0.03)
    assert events == [Began("gathering points"), Advanced(), Ended()]
    told = command("measure", cloud, "height", "--box", "-0.1,-0.1,-0.1,1.1,0.7,0.9", "--json")
    assert json.loads(told.stdout) == json.loads(json.dumps(result.to_dict()))
    told = command("measure", cloud, "span", "--box", "0.01,0.3,0.79", "--to-box", "1,0.32,0.81", "--json")
    assert json.loads(told.stdout)["value"] == pytest.approx(1.0, abs=0.02)
    Path("m.toml").write_text(f'[measure]\nrecording = "{cloud}"\nbox = [-0.1, -0.1, -0.1, 1.1, 0.7, 0.9]\n')
    assert "size: 1.0" in command("measure", "--config", "m.toml").stdout


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"box": (1.0, 2.0)}, "--box takes 6 numbers separated by commas here, not '1,2'"),
        ({"quantity": "span", "box": (1.0, 2.0)}, "--box takes 3 numbers separated by commas here, not '1,2'"),
        ({"pixels": (1.0,)}, "--pixels takes 4 numbers"),
        ({"box": (0.0,) * 6, "between": (4.0, 2.0)}, "--between takes an earlier and a later time, not '4,2'"),
        ({}, "pick a region by --box"),
    ],
)
def test_wrong_numbers_are_told(cloud: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        measure(MeasureConfig(recording=cloud, **changes))
