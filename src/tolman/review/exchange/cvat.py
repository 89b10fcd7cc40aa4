"""CVAT: pictures with points, lines, boxes and choices as a task's backup, and back.

The format: https://docs.cvat.ai/docs/dataset_management/backup and cvat/apps/engine/backup.py. A backup is a zip file
with `task.json` (labels, data, jobs), `annotations.json` (for each job `tags`, `shapes` and `tracks`, whose labels and
attributes are named) and the pictures in `data/`. It is CVAT's only JSON that makes a whole task, with labels,
attributes and pictures, and comes back whole. Datumaro's needs a task that has all of these before, and loses
attributes that the task lacks.

A point is a shape `points`, a line `polyline`, a box `rectangle`. A choice for a question is a tag of each of its
pictures, one label for each value. The attribute `person` names the author of a shape or tag.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import PurePosixPath
from typing import Any

from tolman.review.exchange import (
    MOST_REGIONS,
    Choices,
    ExchangeError,
    Find,
    NamedPicture,
    PictureFormat,
    PictureSet,
    Receiver,
    Returned,
    Shape,
    read_json,
    read_shapes,
    same_label,
    same_size,
)

VERSION = "1.0"
TASK, ANNOTATIONS, MANIFEST = "task.json", "annotations.json", "data/manifest.jsonl"
GUIDE = "annotation_guide.md"
"""What CVAT shows beside a task."""
PICTURES = "data"
LABEL_LENGTH = 64
"""Characters that a label may have in CVAT."""
MOST_BYTES = 50_000_000
"""Of a JSON file in a backup, unpacked."""
MOST_FILES = 20_000
_BACKUP = "take a task's backup from CVAT (Actions, Backup Task)"
_POINT, _LINE = "evidence point", "evidence line"
_AUTO = "auto"
"""The source of what no person drew."""
_PERSON, _NOTE = "person", "note"
_TYPES = {"point": "points", "line": "polyline", "box": "rectangle"}
_KINDS = {"points": "point", "polyline": "line"}


def write(project: PictureSet) -> dict[str, str]:
    """`task.json` and `annotations.json` of a project, and the questions as the task's guide.

    Raises:
        ExchangeError: two labels are one once they are as short as CVAT wants them.
    """
    values = _value_labels(project.controls)
    shapes = [shape for one in project.pictures for shape in one.shapes]
    things = sorted({_shape_label(shape) for shape in shapes if shape.kind == "box"})
    labels = [
        _label(_POINT, "points", _PERSON, _NOTE),
        _label(_LINE, "polyline", _PERSON, _NOTE),
        *(_label(name, "any") for name in things),
        *(_label(name, "tag", _PERSON) for name in values),
    ]
    last = max(len(project.pictures) - 1, 0)
    task = {
        "name": project.title, "bug_tracker": "", "status": "annotation", "subset": "", "labels": labels,
        "version": VERSION,
        "data": {
            "chunk_size": 36, "image_quality": 95, "start_frame": 0, "stop_frame": last, "chunk_type": "imageset",
            "storage_method": "cache", "storage": "local", "sorting_method": "lexicographical", "deleted_frames": [],
        },
        "jobs": [{"start_frame": 0, "stop_frame": last, "status": "annotation", "type": "annotation"}],
    }  # fmt: skip
    job = {"version": 0, "tags": list(_tags(project)), "shapes": list(_shapes(project)), "tracks": []}
    return {TASK: _json(task), ANNOTATIONS: _json([job]), GUIDE: _guide(project)}


def read(content: bytes, receiver: Receiver) -> dict[str, Returned]:
    """Return key of a picture → a person's marks on it and choices for it, in a task's backup.

    Shapes with another person's name are that person's. Shapes that objects move along (tracks) are not kept.

    Raises:
        ExchangeError: the file is no backup, or has a picture, a label or a mark that can't be.
    """
    with _opened(content) as backup:
        manifest = read_json(_member(backup, TASK), _BACKUP)
        jobs = read_json(_member(backup, ANNOTATIONS), _BACKUP)
        pictures = _pictures(backup, manifest, receiver.find)
    known = _value_labels(receiver.controls)
    found = {picture.key: Returned() for picture in pictures.values()}
    total = 0
    for where, kind, region in _regions(jobs):
        total += 1
        if total > MOST_REGIONS:
            raise ExchangeError(f"The file has more than {MOST_REGIONS:,} annotations: make a task of fewer pictures.")
        number = region.get("frame")
        picture = pictures.get(number) if isinstance(number, int) else None
        if picture is None:
            raise ExchangeError(f"{where} is on frame {str(number)[:12]}, which the backup does not have.")
        attributes = _attributes(region, where)
        if not receiver.takes(attributes.get(_PERSON, ""), where):
            continue
        own, label = found[picture.key], region.get("label")
        if kind == "tag":
            if not isinstance(label, str) or label not in known:
                raise ExchangeError(f"{where} has the label '{str(label)[:80]}', which is no category of this project.")
            group, value = known[label]
            if value not in own.chosen.setdefault(group, []):
                own.chosen[group].append(value)
        elif kind in _KINDS:
            same_label(label, _POINT if kind == "points" else _LINE, where)
            places = _pairs(region.get("points"))
            own.shapes += read_shapes(_KINDS[kind], places, picture, attributes.get(_NOTE), where)
        elif region.get("source") != _AUTO:  # boxes of the scene are ours
            own.left[kind[:40]] += 1
    return found


def _guide(project: PictureSet) -> str:
    told = [f"- {one.picture.key}: {escape(' '.join(one.picture.question.split()))}" for one in project.pictures]
    return "\n".join(["Mark what answers the question of each picture:", "", *told, ""])


def _label(name: str, kind: str, *attributes: str) -> dict[str, Any]:
    texts = [
        {"name": one, "mutable": False, "input_type": "text", "default_value": "", "values": [""]} for one in attributes
    ]
    return {"name": name, "color": "", "type": kind, "attributes": texts, "sublabels": []}


def _value_labels(controls: Sequence[Choices]) -> dict[str, tuple[str, str]]:
    """Return label → its group and value."""
    named = [(_value_label(one, value), (one.name, value)) for one in controls for value in one.values]
    if len(dict(named)) < len(named):
        raise ExchangeError(f"Two categories begin with the same {LABEL_LENGTH} letters, which is all that CVAT keeps.")
    return dict(named)


def _value_label(control: Choices, value: str) -> str:
    return f"{control.name} = {value}"[:LABEL_LENGTH].strip()


def _shape_label(shape: Shape) -> str:
    if shape.kind == "box":
        return f"object: {shape.name}"[:LABEL_LENGTH].strip()
    return _POINT if shape.kind == "point" else _LINE


def _tags(project: PictureSet) -> Iterator[dict[str, Any]]:
    controls = {control.name: control for control in project.controls}
    for frame, one in enumerate(project.pictures):
        for person, groups in one.chosen:
            for group, values in groups.items():
                for value in values:
                    yield {
                        "frame": frame, "label": _value_label(controls[group], value), "group": 0, "source": "manual",
                        "attributes": [{"name": _PERSON, "value": person}],
                    }  # fmt: skip


def _shapes(project: PictureSet) -> Iterator[dict[str, Any]]:
    for frame, one in enumerate(project.pictures):
        for shape in one.shapes:
            is_box = shape.kind == "box"
            told = [] if is_box else [{"name": _PERSON, "value": shape.person}, {"name": _NOTE, "value": shape.note}]
            yield {
                "type": _TYPES[shape.kind], "occluded": False, "outside": False, "z_order": 0, "rotation": 0.0,
                "points": [value for place in shape.points for value in place], "frame": frame, "group": 0,
                "label": _shape_label(shape), "source": _AUTO if is_box else "manual", "attributes": told,
                "elements": [],
            }  # fmt: skip


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"


def _opened(content: bytes) -> zipfile.ZipFile:
    try:
        backup = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        raise ExchangeError(f"The file is no zip file: {_BACKUP}.") from None
    if len(backup.infolist()) > MOST_FILES:
        raise ExchangeError(f"The backup holds more than {MOST_FILES:,} files: make a task of fewer pictures.")
    return backup


def _member(backup: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of a backup, regardless of the size in its header."""
    try:
        with backup.open(name) as member:
            content = member.read(MOST_BYTES + 1)
    except KeyError:
        raise ExchangeError(f"The zip file has no {name}: {_BACKUP}.") from None
    except Exception:  # broken deflate streams, checksums, encryption: zipfile raises almost anything
        raise ExchangeError(f"{name} in the zip file can't be unpacked: {_BACKUP} once more.") from None
    if len(content) > MOST_BYTES:
        raise ExchangeError(f"{name} has more than {MOST_BYTES // 1_000_000} MB: make a task of fewer pictures.")
    return content


def _pictures(backup: zipfile.ZipFile, manifest: Any, find: Find) -> dict[int, NamedPicture]:
    """Frame's number → picture: as CVAT's own list of the data has them, else all pictures by their names.

    The pictures themselves may have been deleted from the zip file where the list is in it.
    """
    names = {one.filename for one in backup.infolist() if not one.is_dir()}
    if MANIFEST in names:
        return dict(_listed(_member(backup, MANIFEST), find))
    data = manifest.get("data") if isinstance(manifest, dict) else None
    if not isinstance(data, dict) or data.get("sorting_method", "lexicographical") != "lexicographical":
        raise ExchangeError(f"The zip file has no {MANIFEST}, which says which frame is which picture: {_BACKUP}.")
    there = sorted(name for name in names if name.startswith(f"{PICTURES}/"))
    return {number: _found(find, name, f"File {name[:80]}") for number, name in enumerate(there)}


def _listed(content: bytes, find: Find) -> Iterator[tuple[int, NamedPicture]]:
    """Rows of `manifest.jsonl`: one for the version, one for the kind of data, then one for each frame."""
    number = 0
    for line, text in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        if not text.strip():
            continue
        row = read_json(text.encode(), f"line {line} of {MANIFEST} can't be read")
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            continue
        where = f"{MANIFEST}, line {line}"
        picture = _found(find, row["name"], where)
        same_size(picture, row.get("width"), row.get("height"), where)
        yield number, picture
        number += 1


def _found(find: Find, name: str, where: str) -> NamedPicture:
    try:
        return find(PurePosixPath(name).stem)
    except ExchangeError as error:
        raise ExchangeError(f"{where}: {error}") from None


def _regions(jobs: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(place in the file, kind of shape or 'tag' or 'track', itself) of all annotations."""
    if not isinstance(jobs, list):
        raise ExchangeError(f"{ANNOTATIONS} holds no list of jobs: {_BACKUP}.")
    for job, given in enumerate(jobs, 1):
        for part in ("tags", "shapes", "tracks"):
            regions = given.get(part, []) if isinstance(given, dict) else None
            if not isinstance(regions, list):
                raise ExchangeError(f"Job {job} in {ANNOTATIONS} has no list of {part}: {_BACKUP}.")
            for number, region in enumerate(regions, 1):
                where = f"{ANNOTATIONS}, job {job}, {part.removesuffix('s')} {number}"
                kind = region.get("type") if isinstance(region, dict) and part == "shapes" else part.removesuffix("s")
                if not isinstance(region, dict) or not isinstance(kind, str):
                    raise ExchangeError(f"{where} is no annotation of CVAT's: {_BACKUP}.")
                yield where, kind, region


def _attributes(region: Mapping[str, Any], where: str) -> dict[str, str]:
    attributes = region.get("attributes", [])
    try:
        return {str(one["name"]): str(one["value"]) for one in attributes}
    except (TypeError, KeyError):
        raise ExchangeError(f"{where} has attributes that are none of CVAT's: {_BACKUP}.") from None


def _pairs(points: Any) -> list[Any] | None:
    """Return the places of a list of x, y, x, y …; None for an invalid list, which `read_shapes` refuses."""
    if not isinstance(points, list) or len(points) % 2:
        return None
    return list(zip(points[::2], points[1::2], strict=True))


CVAT = PictureFormat(
    name="cvat",
    title="CVAT",
    note="The zip is a task's backup: Tasks, +, Create from backup makes a task of it, pictures, labels and all.",
    takes=("a task's backup (Actions, Backup Task)", ".zip"),
    pictures=PICTURES,
    choices=True,
    write=write,
    read=read,
)
