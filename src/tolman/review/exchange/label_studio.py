"""Label Studio: choices, and marks on pictures, as its JSON of annotated tasks, and back.

The format: https://labelstud.io/guide/task_format. A question with choices is a task whose `data.id` is its key here. A
person's labels are an annotation with one result of the type `choices` for each group. The configuration of a project
that has them is written as well.

A picture is a task whose `data.id` is the picture's key. Places are in per cent of the picture's width and height. A
point is a region of the type `keypointlabels` (https://labelstud.io/tags/keypointlabels), a line `vectorlabels`, whose
path is open (https://labelstud.io/tags/vectorlabels; a polygon's is closed), a box `rectanglelabels`. Marks are
annotations, one of each person, whose name is the regions' `meta.person`; boxes are a prediction, as no person drew
them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tolman.review.exchange import (
    MOST_REGIONS,
    AnnotatedPicture,
    Choices,
    ExchangeError,
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
