"""Simulating as a function: the same as the command, without a terminal."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from folders import contents
from tolman.errors import UsageError
from tolman.features.events import Advanced, Began, Event
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate

SMALL: dict[str, Any] = {
    "scenes": 1,
    "seed": 5,
    "objects": 6,
    "seconds": 1.0,
    "rate": 4,
    "size": "64x48",
    "quality": "fast",
}


@pytest.mark.full
@pytest.mark.usefixtures("needs_egl")
def test_the_function_and_the_command_make_the_same_scenes(
    tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    events: list[Event] = []
    result = simulate(SimulateConfig(out=tmp_path / "one", shapes=("l-shape",), **SMALL), events.append)
    quiet()
    assert events[0] == Began("drawing and recording scenes", 1)
    assert Advanced() in events
    assert [one.id for one in result.scenes] == ["simulated/5-0000"]
    options = [word for name, value in SMALL.items() for word in (f"--{name}", value)]
    done = command("simulate", "--shapes", "l-shape", *options, "--out", "two")
    assert "1 scene with videos: two." in done.stdout
    assert contents(tmp_path / "one") == contents(tmp_path / "two", "tolman.toml")
    # It is whole already, and the same config says so of the same folder.
    done = command("simulate", "--config", "two/tolman.toml")
    assert "1 scene with videos: two." in done.stdout


def test_the_defaults_are_the_simulators() -> None:
    pytest.importorskip("trimesh", reason="simulating needs the extra 'worlds'")
    from tolman.features.scenes.config import CAMERA_WORDS, QUALITIES
    from tolman.features.scenes.simulation import _order
    from tolman.simulate.lighting import LEVELS
    from tolman.simulate.simulated_places import WorldsConfig
    from tolman.simulate.walks import CAMERAS

    assert asdict(_order(SimulateConfig(out=Path("w")))) == asdict(WorldsConfig())
    assert tuple(LEVELS) == QUALITIES
    assert CAMERAS == CAMERA_WORDS


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"shapes": ("l-shap",)}, r"there is no place 'l-shap'; did you mean 'l-shape'\?"),
        ({"shapes": ()}, "--shapes names no place"),
        ({"size": "640"}, "--size takes WIDTHxHEIGHT such as 640x480, each from 16 to 4096, not '640'"),
        ({"size": "8x8"}, "each from 16 to 4096"),
        ({"size": "641x480"}, "--size takes even numbers"),
        ({"quality": "hihg"}, r"there is no quality 'hihg'; did you mean 'high'\?"),
        ({"camera": "robots"}, r"there is no camera 'robots'; did you mean 'robot'\?"),
        ({"camera": "robot", "exo": 1}, "--exo and --differ watched show the person who carries the moving camera"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    pytest.importorskip("trimesh", reason="simulating needs the extra 'worlds'")
    with pytest.raises(UsageError, match=said):
        simulate(SimulateConfig(out=tmp_path / "w", **changes))
    assert not (tmp_path / "w").exists()
