"""A folder of scans through the whole ingest, and what came of it held to the world."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ingest.worlds import SmallWorld, same_box
from tolman.ingest.build import Order, ingest
from tolman.ingest.categories import of_dataset
from tolman.scene_table import read_captures, read_scenes
from tolman.scenes import Capture, Scene
from tolman.simulate.render import Frame


def ingested(format: str, path: Path, out: Path) -> tuple[Scene, Capture]:
    """The first scene and its capture.

    Raises:
        AssertionError: none is new.
    """
    result = ingest(Order(format, path), out, 1)
    assert result.of("new"), result.scenes
    return next(read_scenes(out)), next(read_captures(out))


def hold(
    world: SmallWorld, dataset: str, scene: Scene, capture: Capture, pictures: tuple[Frame, ...], *, boxes: float = 1e-6
) -> None:
    """Boxes, counts, poses and what is visible, as the world has them."""
    lists = of_dataset(dataset)
    wanted = {f"{i}": thing for i, thing in enumerate(world.objects) if lists.category(thing.category) is not None}
    pairs = match(scene, list(wanted.values()))
    assert max(same_box(found.box, true.box) for found, true in pairs) < boxes
    names = [lists.category(thing.category) for thing in wanted.values()]
    assert scene.counts == {name: names.count(name) for name in names}
    assert len(scene.objects) == len(wanted)
    ids = {found.id: world.objects.index(true) + 1 for found, true in pairs}
    assert capture.size is not None
    share = capture.size[0] * capture.size[1] / pictures[0].instances.size
    seen: dict[tuple[int, int], int] = {}
    for one in capture.sightings:
        seen[one.frame, ids[one.object]] = one.pixels
    every = pictures[0].instances.size
    frames = frames_of(capture, world)
    for frame, true in frames:
        assert np.abs(capture.pose(frame) - world.poses[true]).max() < 1e-6
        for number in ids.values():
            pixels = int((pictures[true].instances == number).sum())
            assert abs(seen.get((frame, number), 0) / share - pixels) <= 0.01 * every


def match(scene: Scene, objects: list) -> list:  # type: ignore[type-arg]
    """Each object of the scene with the nearest of the world that has its centre."""
    return [
        (one, min(objects, key=lambda true, own=one: np.linalg.norm(np.subtract(true.box.center, own.box.center))))  # type: ignore[misc]
        for one in scene.objects
    ]


def frames_of(capture: Capture, world: SmallWorld) -> list[tuple[int, int]]:
    """Frames of a video with the frame of the world that each shows, where it shows one at its own time."""
    times = np.array(capture.times) * (world.times[-1] / max(capture.times[-1], 1e-9))
    near = np.abs(times[:, None] - world.times[None]).argmin(1)
    first: dict[int, int] = {}
    for frame, true in enumerate(near.tolist()):
        first.setdefault(true, frame)
    return [(frame, true) for true, frame in first.items()]
