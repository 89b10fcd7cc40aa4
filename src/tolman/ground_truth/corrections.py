"""Corrections: errors that people found in scenes, as a small file next to a collection's scenes.

Each correction is a fact about a scene, not a change: applying it twice has the effect of applying it once. So the file
can be applied at every ingest and whenever the collection is opened. The later one of two facts about the same thing
holds.

```json
{"version": 1, "corrections": [
  {"fact": "category", "scene": "scannet/scene0000_00", "object": "4", "category": "armchair"},
  {"fact": "absent", "scene": "scannet/scene0000_00", "object": "9", "note": "a mirror image"},
  {"fact": "box", "scene": "…", "object": "51", "category": "lamp", "box": {"center": …, "axes": …, "extents": …}},
  {"fact": "count", "scene": "…", "category": "chair", "count": 6}
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
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, composed, named

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

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    """There is an object with this box: a known one whose box was wrong, or one that the data set lacks."""

    fact: Literal["box"] = "box"
    object: str = Field(min_length=1)
    category: _Category
    box: OrientedBox


class CountIs(_Fact):
    """So many objects of a category are there, regardless of the number of boxes."""

    fact: Literal["count"] = "count"
    category: _Category
    count: int = Field(ge=0, strict=True)


Correction = Annotated[CategoryIs | Absent | BoxIs | CountIs, Field(discriminator="fact")]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

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
        place = [part for part in first["loc"] if part not in ("category", "absent", "box", "count") or part == "count"]
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
    merged = merge(read_corrections(folder), new)
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
        elif one.object not in known:
            found.append(f"{UNMATCHED} '{one.fact}' is about object '{one.object}', which isn't in the scene")
    return list(dict.fromkeys(found))


def _about(one: Correction) -> tuple[str, ...]:
    """Subject of a fact. Existence and place of an object are one subject."""
    if isinstance(one, CountIs):
        return "count", one.scene, one.category
    if isinstance(one, CategoryIs):
        return "category", one.scene, one.object
    return "object", one.scene, one.object
