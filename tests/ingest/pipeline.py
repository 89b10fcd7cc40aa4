"""A folder of scans through the whole ingest, and what came of it held to the world."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ingest.results import collection, pixel_error
from ingest.worlds import SmallWorld, same_box
from tolman.ingest.build import ScansConfig, SummaryRow, ingest
from tolman.ingest.categories import of_dataset
from tolman.ingest.scan_format import ScanHints
from tolman.scenes import Capture, Scene
from tolman.simulate.render import Frame


def made(format: str, path: Path, out: Path, **hints: Any) -> tuple[Scene, Capture, SummaryRow]:
    """The first scene of a folder, with its capture and what the summary says of it."""
    result = ingest(ScansConfig(format, path, hints=ScanHints(**hints)), out, 1)
    assert result.of("new"), result.scenes
    got = next(iter(collection(out).values()))
    return got.scene, got.captures[0], result.scenes[0]


def ingested(format: str, path: Path, out: Path) -> tuple[Scene, Capture]:
    """The same without the summary."""
    return made(format, path, out)[:2]


def refused(format: str, path: Path, out: Path, **hints: Any) -> str:
    """The reason why the only scene of a folder was refused."""
    (row,) = ingest(ScansConfig(format, path, hints=ScanHints(**hints)), out, 1).scenes
    assert row.state == "refused"
    return row.reason or ""


def edit_json(path: Path, change: Callable[[Any], object]) -> None:
    """Change the content of a JSON file."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def hide_behind_link(path: Path, secret: Path) -> None:
    """Put a link to something private in a file's place."""
    secret.write_text("root:hunter2\n" * 3)
    path.unlink()
    path.symlink_to(secret)


def hold(world: SmallWorld, dataset: str, scene: Scene, capture: Capture, pictures: tuple[Frame, ...]) -> None:
    """Boxes and poses to 1e-6, counts exactly, visible pixels within 1 % of the picture, in every frame of the world."""
    lists = of_dataset(dataset)
    wanted = [thing for thing in world.objects if lists.category(thing.category) is not None]
    names = [thing.category for thing in wanted]
    assert scene.counts == {name: names.count(name) for name in names}
    assert len(scene.objects) == len(wanted)
    ids = {}
    for found in scene.objects:
        apart = [np.linalg.norm(np.subtract(true.box.center, found.box.center)) for true in wanted]
        true = wanted[int(np.argmin(apart))]
        assert found.category == lists.category(true.category)
        assert same_box(found.box, true.box) < 1e-6
        ids[found.id] = world.objects.index(true) + 1
    assert len(set(ids.values())) == len(wanted)
    shown = frames_of(capture, world)
    assert len(shown) == len(world.times)
    for frame, pose in zip(shown, world.poses, strict=True):
        assert np.abs(capture.pose(frame) - pose).max() < 1e-6
    own = [one.model_copy(update={"frame": shown.index(one.frame)}) for one in capture.sightings if one.frame in shown]
    few = capture.model_copy(update={"times": tuple(world.times), "sightings": tuple(own)})
    assert pixel_error(few, pictures, ids) < 0.01


def frames_of(capture: Capture, world: SmallWorld) -> list[int]:
    """The frame of a video that shows each of the world's at about its own time; the video may have more of them."""
    times = np.array(capture.times) * (world.times[-1] / capture.times[-1])
    return [int(np.abs(times - time).argmin()) for time in world.times]
