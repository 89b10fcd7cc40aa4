"""Label Studio: choices as its JSON of annotated tasks, and back; with the configuration of a project that has them.

The format: https://labelstud.io/guide/task_format. A question is a task whose `data.id` is its key here; a person's
labels are an annotation with one result of the type `choices` for each group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tolman.review.exchange.annotated import Choices, ExchangeError, read_json

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


def config(controls: Sequence[Choices]) -> str:
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
    """Tasks with their annotations, as JSON. Names of people stand in each result's `meta.text`: their accounts are no
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


def read_tasks(content: bytes) -> dict[str, dict[str, list[str]]]:
    """Task's key → group → values, of the last annotation of each task that isn't cancelled; tasks without one are left
    out.

    Raises:
        ExchangeError: the file is no JSON of annotated tasks, or a task is named twice or not at all.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for number, (key, given) in enumerate(annotations_in(content), 1):
        labels = _labels(given, number)
        if labels is not None:
            found[key] = labels
    return found


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


def _labels(annotations: Any, number: int) -> dict[str, list[str]] | None:
    try:
        standing = [one for one in annotations or [] if not one.get("was_cancelled")]
        if not standing:
            return None
        results = [one for one in standing[-1]["result"] if one["type"] == "choices"]
        labels = {str(one["from_name"]): [str(value) for value in one["value"]["choices"]] for one in results}
    except (TypeError, KeyError, AttributeError):
        raise ExchangeError(f"The annotations of task {number} are none of Label Studio's.") from None
    return labels
