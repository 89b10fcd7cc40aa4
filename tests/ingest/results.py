"""What every format's tests hold a collection to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.worlds import SmallWorld, same_box
from tolman.scene_table import read_collection
from tolman.scenes import Capture, Scene
from tolman.simulate.render import Frame


@dataclass(frozen=True)
class Got:
    """A scene as it was written, with its captures."""

    scene: Scene
    captures: tuple[Capture, ...]


def collection(out: Path) -> dict[str, Got]:
    """The scenes of a folder by their ids."""
    return {part.scene.id: Got(part.scene, part.captures) for part in read_collection(out)}


def box_error(scene: Scene, world: SmallWorld, names: Mapping[str, str] | None = None) -> float:
    """The most that a corner of a box is off, metres; objects are paired by category, the nearest with each other.

    Args:
        scene: as it came back.
        world: the truth in the same frame.
        names: category that is asked about → the world's, where they differ; what isn't in it is left out.
    """
    worst = 0.0
    found: dict[str, list[object]] = defaultdict(list)
    for thing in scene.objects:
        found[(names or {}).get(thing.category, thing.category)].append(thing.box)
    truth: dict[str, list[object]] = defaultdict(list)
    for thing in world.wanted:
        truth[thing.category].append(thing.box)
    for category, boxes in found.items():
        assert len(boxes) == len(truth[category]), category
        for box in boxes:
            worst = max(worst, min(same_box(box, true) for true in truth[category]))  # type: ignore[arg-type]
    return worst


def pixel_error(capture: Capture, frames: Sequence[Frame], number_of: Mapping[str, int]) -> float:
    """The greatest difference of an object's pixels from the rendered mask's, as a share of the picture.

    Args:
        capture: as it came back, with one frame for each of `frames`, or fewer.
        frames: as rendered.
        number_of: object's id → its number in the frames.
    """
    assert capture.size is not None
    seen = {(one.frame, one.object): one.pixels for one in capture.sightings}
    worst = 0.0
    for index in range(len(capture.times)):
        mask = frames[index].instances
        for identity, number in number_of.items():
            true = float((mask == number).mean())
            worst = max(worst, abs(seen.get((index, identity), 0) / np.prod(capture.size) - true))
    return worst
