"""Formats of other annotation programs.

**Label Studio**: choices, and marks on pictures, as its JSON of annotated tasks, and back.

The format: https://labelstud.io/guide/task_format. A question with choices is a task whose `data.id` is its key here. A
person's labels are an annotation with one result of the type `choices` for each group. The configuration of a project
that has them is written as well.

A picture is a task whose `data.id` is the picture's key. Places are in per cent of the picture's width and height. A
point is a region of the type `keypointlabels` (https://labelstud.io/tags/keypointlabels), a line `vectorlabels`, whose
path is open (https://labelstud.io/tags/vectorlabels; a polygon's is closed), a box `rectanglelabels`. Marks are
annotations, one of each person, whose name is the regions' `meta.person`; boxes are a prediction, as no person drew
them.

**CVAT**: pictures with points, lines, boxes and choices as a task's backup, and back.

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
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tolman.review.exchange import (
    MOST_REGIONS,
    AnnotatedPicture,
    Choices,
    ExchangeError,
    Find,
    NamedPicture,
    PictureFormat,
    PictureSet,
    Place,
    Receiver,
    Returned,
    Shape,
    boxes_on_picture,
    mark_shapes,
    read_json,
    read_shapes,
    same_label,
    same_size,
)

TEXT = "text"
"""Name of the object that choices are about."""
EXPORT = "export it from Label Studio in the format JSON"
"""What to do about another file."""


@dataclass
class LabelledTask:
    """A question with everybody's labels.

    Attributes:
        key: of the task here.
        text: of the question.
        labels: (person, group → values, seconds) of each annotation.
    """

    key: str
    text: str
    labels: list[tuple[str, Mapping[str, Sequence[str]], float | None]] = field(default_factory=list)


def label_config(controls: Sequence[Choices]) -> str:
    """The labelling configuration of a project, as XML."""
    view = Element("View")
    SubElement(view, "Text", name=TEXT, value=f"${TEXT}")
    for control in controls:
        SubElement(view, "Header", value=control.title)
        kind = "multiple" if control.several else "single"
        choices = SubElement(view, "Choices", name=control.name, toName=TEXT, choice=kind, required="true")
        for value in control.values:
            SubElement(choices, "Choice", value=value)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def write_tasks(tasks: Sequence[LabelledTask]) -> str:
    """Return tasks with their annotations, as JSON. Names of people are in each result's `meta.text`, as they have no
    accounts there."""
    told = [
        {
            "data": {"id": one.key, TEXT: one.text},
            "annotations": [
                {
                    "was_cancelled": False, "ground_truth": False, "lead_time": seconds,
                    "result": [
                        {
                            "id": f"{number}-{group}", "type": "choices", "from_name": group, "to_name": TEXT,
                            "value": {"choices": list(values)}, "meta": {"text": [person]},
                        }
                        for group, values in labels.items()
                    ],
                }
                for number, (person, labels, seconds) in enumerate(one.labels, 1)
            ],
        }
        for one in tasks
    ]  # fmt: skip
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


def read_tasks(content: bytes) -> tuple[dict[str, dict[str, list[str]]], int]:
    """Read the last annotation of each task that isn't cancelled; tasks without one are left out.

    Returns:
        Task's key → group → values; and how many annotations are left out, as a later one is on the same task. Those
        that were written here don't count: they went out with a person's name.

    Raises:
        ExchangeError: the file is no JSON of annotated tasks, or a task is named twice or not at all.
    """
    found: dict[str, dict[str, list[str]]] = {}
    left = 0
    for number, (key, given) in enumerate(annotations_in(content), 1):
        try:
            *earlier, last = [one for one in given or [] if not one.get("was_cancelled")] or [None]
            left += sum(not any(_meta(result).get("text") for result in one["result"]) for one in earlier)
            if last is not None:
                found[key] = {
                    str(one["from_name"]): [str(value) for value in one["value"]["choices"]]
                    for one in last["result"]
                    if one["type"] == "choices"
                }
        except (TypeError, KeyError, AttributeError):
            raise ExchangeError(f"The annotations of task {number} are none of Label Studio's.") from None
    return found, left


def annotations_in(content: bytes) -> Iterator[tuple[str, Any]]:
    """`data.id` and annotations of each task of an export, in their order; the annotations are not looked at.

    Raises:
        ExchangeError: the file is no JSON of annotated tasks, or a task is named twice or not at all.
    """
    tasks = read_json(content, EXPORT)
    if not isinstance(tasks, list):
        raise ExchangeError(f"The file holds no list of tasks: {EXPORT}.")
    seen = set()
    for number, task in enumerate(tasks, 1):
        data = task.get("data") if isinstance(task, dict) else None
        key = data.get("id") if isinstance(data, dict) else None
        if not isinstance(key, str):
            raise ExchangeError(f"Task {number} has no data.id: only tasks that were written here can come back.")
        if key in seen:
            raise ExchangeError(f"Task {number} has the id '{key[:80]}' of an earlier one.")
        seen.add(key)
        yield key, task.get("annotations")


IMAGE = "image"
"""Name of the picture that regions are on."""
PICTURES = "pictures"
_POINTS, _LINES, _BOXES = "points", "lines", "boxes"
_POINT_WIDTH = 0.75
"""Of a key point, in per cent of the picture's width."""
_SCENE = "scene"
"""Where predictions come from: the boxes of the scene, which somebody may have taken over into an annotation."""
_KINDS = {"keypointlabels": "point", "keypoint": "point", "vectorlabels": "line", "vector": "line"}
_TYPES = {"point": "keypointlabels", "line": "vectorlabels", "box": "rectanglelabels"}
_CONTROLS = {"point": _POINTS, "line": _LINES, "box": _BOXES}


def picture_config(project: PictureSet) -> str:
    """The labelling configuration of a project, as XML."""
    view = Element("View")
    SubElement(view, "Header", value="$question")
    SubElement(view, "Image", name=IMAGE, value=f"${IMAGE}", zoom="true")
    for tag, name, label in (("KeyPointLabels", _POINTS, "point"), ("VectorLabels", _LINES, "line")):
        control = SubElement(view, tag, name=name, toName=IMAGE)
        SubElement(control, "Label", value=label)
    categories = sorted({box.name for one in project.pictures for box in boxes_on_picture(one)})
    if categories:
        control = SubElement(view, "RectangleLabels", name=_BOXES, toName=IMAGE)
        for category in categories:
            SubElement(control, "Label", value=category)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def write_pictures(project: PictureSet) -> dict[str, str]:
    """`config.xml` and `tasks.json` of a project."""
    told = [_task(project, one) for one in project.pictures]
    tasks = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    return {"config.xml": picture_config(project), "tasks.json": tasks}


def read_pictures(content: bytes, receiver: Receiver) -> dict[str, Returned]:
    """Return key of a picture → a person's marks on it: for each task, those in the last annotation that isn't
    cancelled and holds something of theirs.

    Regions that went out with another person's name are that person's, wherever they are now.

    Raises:
        ExchangeError: the file is no JSON of annotated tasks, or has a picture or a mark that can't be.
    """
    found: dict[str, Returned] = {}
    regions = 0
    for number, (key, given) in enumerate(annotations_in(content), 1):
        where = f"Task {number}"
        try:
            picture = receiver.find(key)
        except ExchangeError as error:
            raise ExchangeError(f"{where}: {error}") from None
        theirs = _last(given, receiver, where)
        regions += len(theirs)
        if regions > MOST_REGIONS:
            raise ExchangeError(f"The file has more than {MOST_REGIONS:,} regions: export fewer tasks at once.")
        found[key] = _returned(theirs, picture, where)
    return found


def _task(project: PictureSet, one: AnnotatedPicture) -> dict[str, Any]:
    picture = one.picture
    # https://labelstud.io/guide/storage: files below the document root of local storage.
    address = f"/data/local-files/?d={project.folder}/{PICTURES}/{picture.file}"
    data = {"id": picture.key, IMAGE: address, "question": picture.question}
    annotations = [
        {
            "was_cancelled": False, "ground_truth": False,
            "result": [_region(f"{number}-{place}", shape, picture) for place, shape in enumerate(shapes, 1)],
        }
        for number, (_, shapes) in enumerate(mark_shapes(one), 1)
    ]  # fmt: skip
    things = [_region(f"box-{place}", box, picture) for place, box in enumerate(boxes_on_picture(one), 1)]
    told: dict[str, Any] = {"data": data, "annotations": annotations}
    return told | {"predictions": [{"model_version": _SCENE, "result": things}]} if things else told


def _region(identity: str, shape: Shape, picture: NamedPicture) -> dict[str, Any]:
    kind = _TYPES[shape.kind]
    meta: dict[str, Any] = {_SCENE: True} if shape.kind == "box" else {"person": shape.person}
    if shape.note:
        meta["text"] = [shape.note]
    return {
        "id": identity, "type": kind, "from_name": _CONTROLS[shape.kind], "to_name": IMAGE,
        "original_width": picture.size[0], "original_height": picture.size[1], "image_rotation": 0,
        "value": _value(shape, picture) | {kind: [shape.name or shape.kind]},
        "meta": meta,
    }  # fmt: skip


def _value(shape: Shape, picture: NamedPicture) -> dict[str, Any]:
    places = [(100 * x / picture.size[0], 100 * y / picture.size[1]) for x, y in shape.points]
    if shape.kind == "point":
        return {"x": places[0][0], "y": places[0][1], "width": _POINT_WIDTH}
    if shape.kind == "line":
        vertices = [
            {"id": f"v{number}", "x": x, "y": y, "isBezier": False, "prevPointId": f"v{number - 1}" if number else None}
            for number, (x, y) in enumerate(places)
        ]
        return {"vertices": vertices, "closed": False}
    (left, top), (right, bottom) = places
    return {"x": left, "y": top, "width": right - left, "height": bottom - top, "rotation": 0}


def _last(annotations: Any, receiver: Receiver, where: str) -> list[dict[str, Any]]:
    try:
        for annotation in reversed([one for one in annotations or [] if not one.get("was_cancelled")]):
            regions = [(number, one, _meta(one)) for number, one in enumerate(annotation["result"], 1)]
            theirs = [
                one
                for number, one, meta in regions
                if _SCENE not in meta and receiver.takes(str(meta.get("person") or ""), f"{where}, region {number}")
            ]
            if theirs:
                return theirs
    except (TypeError, KeyError, AttributeError):
        raise ExchangeError(f"The annotations of {where.lower()} are none of Label Studio's.") from None
    return []


def _meta(region: dict[str, Any]) -> dict[str, Any]:
    meta = region.get("meta")
    return meta if isinstance(meta, dict) else {}


def _returned(regions: Sequence[dict[str, Any]], picture: NamedPicture, where: str) -> Returned:
    """Read the regions of one annotation. Controls that draw without a label have results of their own for it."""
    found = Returned()
    for number, region in enumerate(regions, 1):
        kind, value = region.get("type"), region.get("value")
        if not isinstance(kind, str) or not isinstance(value, dict):
            raise ExchangeError(f"The annotations of {where.lower()} are none of Label Studio's.")
        place = f"{where}, region {number}"
        if kind not in _KINDS:
            found.left[kind.removesuffix("labels")[:40]] += 1
            continue
        same_size(picture, region.get("original_width"), region.get("original_height"), place)
        if kind in value:
            same_label(value[kind], [_KINDS[kind]], place)
        places = [_pixels(one, picture) for one in _vertices(_KINDS[kind], value)]
        found.shapes += read_shapes(_KINDS[kind], places, picture, _note(region), place)
    return found


def _vertices(kind: str, value: dict[str, Any]) -> list[Any]:
    if kind == "point":
        return [value]
    vertices = value.get("vertices")
    path = list(vertices) if isinstance(vertices, list) else []
    return [*path, path[0]] if value.get("closed") and path else path


def _pixels(place: Any, picture: NamedPicture) -> Place | None:
    """Return a place in pixels; None for an invalid one, which `read_shapes` refuses."""
    try:
        return place["x"] / 100 * picture.size[0], place["y"] / 100 * picture.size[1]
    except (TypeError, KeyError, OverflowError):
        return None


def _note(region: dict[str, Any]) -> str:
    text = _meta(region).get("text")
    return " ".join(one for one in text if isinstance(one, str)) if isinstance(text, list) else ""


LABEL_STUDIO = PictureFormat(
    name="label-studio",
    title="Label Studio",
    note="Unpack the zip below the document root of Label Studio's local storage, into a folder of its own name; "
    "config.xml is the configuration of the project there, tasks.json is imported.",
    takes=("exported as JSON", ".json"),
    pictures=PICTURES,
    choices=False,
    write=write_pictures,
    read=read_pictures,
)


VERSION = "1.0"
TASK, ANNOTATIONS, MANIFEST = "task.json", "annotations.json", "data/manifest.jsonl"
GUIDE = "annotation_guide.md"
"""What CVAT shows beside a task."""
_CVAT_PICTURES = "data"
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
_CVAT_TYPES = {"point": "points", "line": "polyline", "box": "rectangle"}
_CVAT_KINDS = {"points": "point", "polyline": "line"}


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
        elif kind in _CVAT_KINDS:
            same_label(label, _POINT if kind == "points" else _LINE, where)
            places = _pairs(region.get("points"))
            own.shapes += read_shapes(_CVAT_KINDS[kind], places, picture, attributes.get(_NOTE), where)
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
                "type": _CVAT_TYPES[shape.kind], "occluded": False, "outside": False, "z_order": 0, "rotation": 0.0,
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
    there = sorted(name for name in names if name.startswith(f"{_CVAT_PICTURES}/"))
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
    pictures=_CVAT_PICTURES,
    choices=True,
    write=write,
    read=read,
)
