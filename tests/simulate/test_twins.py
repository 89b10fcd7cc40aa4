"""Twins: places that differ in one thing, which stands elsewhere in each."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from tolman.errors import UsageError
from tolman.scene_table import read_captures, read_scenes
from tolman.simulate.build import WorldsConfig, simulate, twin_place
from tolman.simulate.twins import APART
from tolman.workflows.simulate import SimulateConfig
from tolman.workflows.simulate import simulate as command

CONFIG = WorldsConfig(scenes=3, seed=5, shapes=("rectangle",), seconds=4, rate=5, made=True, media=False, twins=3,
                      differ=("side",))  # fmt: skip


def test_twins_differ_in_the_place_of_one_thing_and_cameras_are_the_same(tmp_path: Path) -> None:
    simulate(CONFIG, tmp_path, 1)
    scenes, captures = list(read_scenes(tmp_path)), list(read_captures(tmp_path))
    assert len({scene.twins for scene in scenes}) == 1
    assert scenes[0].twins
    assert all(capture.poses == captures[0].poses and capture.times == captures[0].times for capture in captures)
    boxes = [{thing.id: (thing.category, thing.box) for thing in scene.objects} for scene in scenes]
    assert all(own.keys() == boxes[0].keys() for own in boxes)
    for one, other in itertools.combinations(boxes, 2):
        differing = [name for name in one if one[name] != other[name]]
        assert len(differing) == 1
        (moved,) = differing
        assert one[moved][0] == other[moved][0]
        assert one[moved][1].extents == other[moved][1].extents
        away = np.subtract(one[moved][1].center[:2], other[moved][1].center[:2])
        assert np.hypot(*away) >= APART
    assert scenes[0].counts == scenes[1].counts == scenes[2].counts


def test_what_stays_looks_the_same() -> None:
    _, one, _ = twin_place(CONFIG, "rectangle", "d/0", "5:0", 0)
    _, other, _ = twin_place(CONFIG, "rectangle", "d/0", "5:0", 1)
    assert len(one.bodies) == len(other.bodies)
    differing = [
        a.object
        for a, b in zip(
            sorted(one.bodies, key=lambda body: (body.object or "", body.mesh.points.tobytes())),
            sorted(other.bodies, key=lambda body: (body.object or "", body.mesh.points.tobytes())),
            strict=True,
        )
        if a.mesh.points.shape != b.mesh.points.shape or not np.array_equal(a.mesh.points, b.mesh.points)
    ]
    assert len(differing) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scenes": 4, "twins": 3}, "no multiple"),
        ({"scenes": 4, "twins": 2, "actors": 1}, "nothing moves"),
        ({"scenes": 4, "twins": 2, "traffic": 1}, "nothing moves"),
        ({"scenes": 4, "twins": 2, "shapes": ("street",)}, "nothing moves"),
    ],
)
def test_what_can_t_be_twins_is_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        command(SimulateConfig(out=tmp_path / "out", **changes))  # type: ignore[arg-type]
