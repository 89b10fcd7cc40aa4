"""Corrections: errors that people found in scenes, as a small file next to a collection's scenes.

Each correction is a fact about a scene, not a change: applying it twice has the effect of applying it once. So the file
can be applied at every ingest and whenever the collection is opened. The later one of two facts about the same thing
holds.

```json
{"version": 1, "corrections": [
  {"fact": "category", "scene": "scannet/scene0000_00", "object": "4", "category": "armchair"},
  {"fact": "absent", "scene": "scannet/scene0000_00", "object": "9", "note": "a mirror image"},
  {"fact": "box", "scene": "…", "object": "51", "category": "lamp", "box": {"center": …, "axes": …, "extents": …}},
  {"fact": "count", "scene": "…", "category": "chair", "count": 6},
  {"fact": "scale", "scene": "…", "metres": 1.37}
]}
```
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from tolman.benchmarks.rows import parse_json
from tolman.errors import InputError, nearest
from tolman.files import write_text
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting, Vector, composed, named

NAME = "corrections.json"
UNMATCHED = "the correction"
"""Beginning of the note about a correction that matches nothing."""
ORIGINALS = ".originals"
"""Folder of scenes as they were before ingest corrected them: a correction may be taken back."""
_VERSION = 1
_Category = Annotated[str, AfterValidator(composed), AfterValidator(named)]


class _Fact(BaseModel):
    """Attributes:
    scene: its id.
    note: why, or who says so; free text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    scene: str = Field(min_length=1)
    note: str = ""


class CategoryIs(_Fact):
    """An object has this category."""

    fact: Literal["category"] = "category"
    object: str = Field(min_length=1)
    category: _Category


class Absent(_Fact):
    """An object doesn't exist."""

    fact: Literal["absent"] = "absent"
    object: str = Field(min_length=1)


class BoxIs(_Fact):
    """There is an object with this box: a known one whose box was wrong, or one that the data set lacks.

    Attributes:
        seen: by the captures' ids, the frames that show it, each with the pixels; empty where that isn't known.
    """

    fact: Literal["box"] = "box"
    object: str = Field(min_length=1)
    category: _Category
    box: OrientedBox
    seen: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict)


class CountIs(_Fact):
    """So many objects of a category are there, regardless of the number of boxes."""

    fact: Literal["count"] = "count"
    category: _Category
    count: int = Field(ge=0, strict=True)


class ScaleIs(_Fact):
    """A unit of length of a scene without a scale is so many metres; boxes of its other facts are in metres."""

    fact: Literal["scale"] = "scale"
    metres: float = Field(gt=0, allow_inf_nan=False)


Correction = Annotated[CategoryIs | Absent | BoxIs | CountIs | ScaleIs, Field(discriminator="fact")]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)

    version: Literal[1]
    corrections: tuple[Correction, ...]


def read_corrections(path: Path) -> tuple[Correction, ...]:
    """The corrections of a file, or of a collection's folder; none where the folder has no such file.

    Raises:
        InputError: the file holds something else; names the correction and the field.
    """
    file = path / NAME if path.is_dir() else path
    if path.is_dir() and not file.exists():
        return ()
    try:
        content = parse_json(file, file.read_bytes())
    except OSError as error:
        raise InputError(file, f"can't be read ({error.strerror})") from None
    try:
        return _File.model_validate(content).corrections
    except ValidationError as error:
        first = error.errors()[0]
        place = [
            part
            for part in first["loc"]
            if part not in ("category", "absent", "box", "count", "scale") or part == "count"
        ]
        row = next((part + 1 for part in place if isinstance(part, int)), None)
        field = ".".join(str(part) for part in first["loc"][3:] or first["loc"][-1:])
        what = first["msg"].removeprefix("Value error, ")
        raise InputError(file, what, row=row, field=field, fix=f"see '{NAME}' in the documentation") from None


def append_corrections(folder: Path, new: Iterable[Correction]) -> int:
    """Add corrections to a collection's file; one about the same thing takes the older one's place.

    Returns:
        How many the file holds then.

    Raises:
        InputError: the file that is there holds something else.
    """
    return _write(folder, merge(read_corrections(folder), new))


def declare_scale(folder: Path, scene: str, metres: float, note: str = "") -> int:
    """Add the scale of a scene to a collection's file, and bring its boxes that are there to that scale.

    Args:
        folder: of the collection.
        scene: its id.
        metres: of a unit of length of the scene, as the corrections that are there say it.
        note: why.

    Returns, Raises:
        As `append_corrections`.
    """
    old = read_corrections(folder)
    before = next((one.metres for one in old if isinstance(one, ScaleIs) and one.scene == scene), 1.0)
    moved = [
        one.model_copy(update={"box": _scaled_box(one.box, metres)})
        if isinstance(one, BoxIs) and one.scene == scene
        else one
        for one in old
    ]
    return _write(folder, merge(moved, [ScaleIs(scene=scene, metres=before * metres, note=note)]))


def _write(folder: Path, merged: Sequence[Correction]) -> int:
    content = [one.model_dump(mode="json", exclude_defaults=True) | {"fact": one.fact} for one in merged]
    write_text(folder / NAME, json.dumps({"version": _VERSION, "corrections": content}, indent=1) + "\n")
    return len(merged)


def merge(old: Iterable[Correction], new: Iterable[Correction]) -> tuple[Correction, ...]:
    """Both, where of two that speak of the same thing the later one stays, at its own place."""
    kept: dict[tuple[str, ...], Correction] = {}
    for one in (*old, *new):
        kept.pop(_about(one), None)
        kept[_about(one)] = one
    return tuple(kept.values())


def correct(scene: Scene, corrections: Sequence[Correction]) -> Scene:
    """A scene as the corrections about it say; facts about objects that it doesn't have change nothing.

    Counts follow the boxes: a category that gains or loses an object gains or loses one, before counts are set.
    """
    own = merge((), (one for one in corrections if one.scene == scene.id))
    if not own:
        return scene
    scale = next((one.metres for one in own if isinstance(one, ScaleIs)), None)
    if scale is not None and not scene.metric:
        scene = _scaled(scene, scale)
    objects = {thing.id: thing for thing in scene.objects}
    counts = dict(scene.counts)
    for one in own:
        if isinstance(one, Absent):
            objects.pop(one.object, None)
        elif isinstance(one, BoxIs):
            known = objects.get(one.object)
            if known is None or known.box != one.box:
                objects[one.object] = SceneObject(id=one.object, category=one.category, box=one.box)
            else:
                objects[one.object] = known.model_copy(update={"category": one.category, "lifted": None})
        elif isinstance(one, CategoryIs) and one.object in objects:
            objects[one.object] = objects[one.object].model_copy(update={"category": one.category})
    before, after = (Counter(thing.category for thing in some) for some in (scene.objects, objects.values()))
    for category in dict.fromkeys([*before, *after]):
        if category in counts or (scene.counts and after[category]):
            counts[category] = max(0, counts.get(category, 0) + after[category] - before[category])
            if not counts[category]:
                del counts[category]
    counts |= {one.category: one.count for one in own if isinstance(one, CountIs)}
    return Scene.model_validate(scene.model_dump() | {"objects": tuple(objects.values()), "counts": counts})


def _scaled(scene: Scene, factor: float) -> Scene:
    """A scene without a scale in metres, one unit being so many."""

    def far(place: Sequence[float]) -> Vector:
        x, y, z = place
        return factor * x, factor * y, factor * z

    objects = tuple(
        thing.model_copy(
            update={
                "box": _scaled_box(thing.box, factor),
                "track": tuple(point.model_copy(update={"center": far(point.center)}) for point in thing.track),
                "lifted": thing.lifted
                and thing.lifted.model_copy(
                    update={"error": factor * thing.lifted.error, "unseen": factor * thing.lifted.unseen}
                ),
            }
        )
        for thing in scene.objects
    )
    changes = {
        "objects": objects,
        "room_area": None if scene.room_area is None else factor**2 * scene.room_area,
        "room_center": None if scene.room_center is None else far(scene.room_center),
        "floor": tuple(tuple((factor * x, factor * y) for x, y in ring) for ring in scene.floor),
        "metric": True,
    }
    return scene.model_copy(update=changes)


def _scaled_box(box: OrientedBox, factor: float) -> OrientedBox:
    scaled = {name: tuple(factor * value for value in getattr(box, name)) for name in ("center", "extents")}
    return box.model_copy(update=scaled)


def correct_captures(
    captures: Iterable[Capture], before: Scene, scene: Scene, corrections: Sequence[Correction]
) -> list[Capture]:
    """Captures as the corrections say: by the scale, with the sightings of boxes, and without those of absent objects.

    Args:
        captures: of the scene as it was.
        before, scene: as it was, and as `correct` has it.
        corrections: of any scenes.
    """
    own = merge((), (one for one in corrections if one.scene == scene.id))
    there = {thing.id for thing in scene.objects}
    boxes = [one for one in own if isinstance(one, BoxIs) and one.seen and one.object in there]
    scale = next((one.metres for one in own if isinstance(one, ScaleIs)), None)
    found = without_absent(captures, scene)
    if scale is not None and not before.metric:
        found = [_scaled_capture(capture, scale) for capture in found]
    if not boxes:
        return found
    named = {one.object for one in boxes}
    return [_seeing(capture, [s for s in capture.sightings if s.object not in named], boxes) for capture in found]


def _seeing(capture: Capture, others: list[Sighting], boxes: Sequence[BoxIs]) -> Capture:
    more = [
        Sighting(frame=frame, object=one.object, pixels=pixels)
        for one in boxes
        for frame, pixels in one.seen.get(capture.id, ())
        if 0 <= frame < len(capture.times)
    ]
    return capture.model_copy(update={"sightings": tuple(sorted(others + more, key=lambda one: one.frame))})


def _scaled_capture(capture: Capture, factor: float) -> Capture:
    poses = tuple(tuple(factor * v if i in (3, 7, 11) else v for i, v in enumerate(p)) for p in capture.poses)
    seen = tuple(
        one if one.depth is None else one.model_copy(update={"depth": factor * one.depth}) for one in capture.sightings
    )
    shown = tuple(
        one.model_copy(
            update={"missing": factor * one.missing, "longest": (factor * one.longest[0], factor * one.longest[1])}
        )
        for one in capture.recorded
    )
    area = None if capture.recorded_area is None else factor**2 * capture.recorded_area
    return capture.model_copy(update={"poses": poses, "sightings": seen, "recorded": shown, "recorded_area": area})


def without_absent(captures: Iterable[Capture], scene: Scene) -> list[Capture]:
    """Captures without the sightings of objects that a corrected scene doesn't have any more."""
    known = {thing.id for thing in scene.objects}
    found = []
    for capture in captures:
        if {*(one.object for one in capture.sightings), *(one.object for one in capture.recorded)} <= known:
            found.append(capture)
            continue
        left = {
            "sightings": tuple(one for one in capture.sightings if one.object in known),
            "recorded": tuple(one for one in capture.recorded if one.object in known),
        }
        found.append(capture.model_copy(update=left))
    return found


def find_unmatched(scene: Scene, corrections: Sequence[Correction]) -> list[str]:
    """Find corrections of a scene about objects that neither it nor an earlier correction has; a phrase each.

    A count may be of a category without boxes. It is found where the scene has a category of a similar name instead.
    """
    own = [one for one in corrections if one.scene == scene.id]
    known = {thing.id for thing in scene.objects}
    categories = {*scene.categories, *(one.category for one in own if isinstance(one, CategoryIs | BoxIs))}
    found = []
    for one in own:
        if isinstance(one, CountIs):
            near = [] if one.category in categories else nearest(one.category, sorted(categories))
            if near:
                meant = " or ".join(f"'{name}'" for name in near)
                found.append(f"{UNMATCHED} 'count' is about '{one.category}', which the scene lacks; it has {meant}")
        elif isinstance(one, BoxIs):
            known.add(one.object)
        elif isinstance(one, ScaleIs):
            continue
        elif one.object not in known:
            found.append(f"{UNMATCHED} '{one.fact}' is about object '{one.object}', which isn't in the scene")
    return list(dict.fromkeys(found))


def _about(one: Correction) -> tuple[str, ...]:
    """Subject of a fact. Existence and place of an object are one subject."""
    if isinstance(one, CountIs):
        return "count", one.scene, one.category
    if isinstance(one, ScaleIs):
        return "scale", one.scene
    if isinstance(one, CategoryIs):
        return "category", one.scene, one.object
    return "object", one.scene, one.object
