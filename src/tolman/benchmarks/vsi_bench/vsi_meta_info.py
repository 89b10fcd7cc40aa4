"""VSI-Bench's released scene ground truth: data/meta_info/*_meta_info_val.json of vision-x-nyu/thinking-in-space.

`normalizedAxes` holds the box's axes in its rows; `axesLengths` are full extents in metres; z is up. Boxes that occur
twice in a scene (the printers of ten ScanNet scenes) are taken once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.benchmarks.rows import parse_json
from tolman.errors import InputError, invalid_field
from tolman.geometry.ground_plane import HALVES, QUADRANTS, THIRDS, Sectors
from tolman.scenes import OrientedBox, Scene, SceneObject, Skipped, composed, named

PATTERN = "*meta_info*.json"

DIRECTIONS: dict[str, Sectors] = {
    "object_rel_direction_easy": HALVES,
    "object_rel_direction_medium": THIRDS,
    "object_rel_direction_hard": QUADRANTS,
}
"""The sectors that questions for a relative direction tell apart."""


def read(path: Path) -> Iterator[Scene | Skipped]:
    """Read the scenes of a file, or of all such files in a folder.

    An error in an object is reported in a Skipped next to its scene, which goes on without it. A scene without any
    usable object, or without a required field, is only Skipped.

    Raises:
        InputError: no such file, or a file that is no meta-info.
    """
    files = sorted(path.glob(PATTERN)) if path.is_dir() else [path]
    if not files or not all(file.is_file() for file in files):
        raise InputError(
            path,
            "holds no scenes-*.parquet and no scene meta-info",
            fix=f"give a folder of 'tolman simulate', or that of {PATTERN}",
        )
    for file in files:
        content = parse_json(file, file.read_bytes())
        if not isinstance(content, dict):
            raise InputError(file, "is no object of scenes", fix="give a released *_meta_info_val.json")
        for name, record in content.items():
            yield from _scene(file, str(name), record)


def _scene(file: Path, name: str, record: Any) -> Iterator[Scene | Skipped]:
    try:
        dataset = str(record["dataset"])
        label = f"{dataset}/{name}"
        objects: list[SceneObject] = []
        seen: set[OrientedBox] = set()
        for category, boxes in record["object_bbox"].items():
            for number, raw in enumerate(boxes):
                made = _object(f"{category} {number + 1}", str(category), raw)
                if isinstance(made, str):
                    yield Skipped(label, f"{category} {number + 1}: {made}")
                elif made.box not in seen:
                    seen.add(made.box)
                    objects.append(made)
        if not objects:
            yield Skipped(label, "it has no usable object")
            return
        counts: Counter[str] = Counter()
        for category, count in (record.get("object_counts") or {}).items():
            counts[composed(str(category))] += int(count)
        yield Scene(
            id=label,
            dataset=dataset,
            objects=tuple(objects),
            counts=dict(counts),
            room_area=record.get("room_size"),
            room_center=record.get("room_center"),
            video=f"{label}.mp4",
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            what = f"{'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}"
        yield Skipped(f"{file.name}: {name}", what)


def _object(identity: str, category: str, raw: Any) -> SceneObject | str:
    try:
        axes = [float(value) for value in raw["normalizedAxes"]]
        box = OrientedBox.model_validate(
            {
                "center": raw["centroid"],
                "axes": (axes[0:3], axes[3:6], axes[6:9]),
                "extents": raw["axesLengths"],
            }
        )
        return SceneObject(id=identity, category=composed(named(category)), box=box)
    except KeyError as error:
        return f"lacks {error}"
    except ValidationError as error:
        return invalid_field(error)[1]
    except (TypeError, ValueError) as error:
        return str(error)
