"""CVAT's own code reads a task's backup, and writes its annotations again; runs in an environment with cvat-sdk and DRF.

    python backing.py BACKUP OUT [SOURCES]

The SDK's models, which are made from the server's interface, check labels and annotations. SOURCES is a folder with
`backup.py`, `serializers.py` and `models.py` of CVAT's server (cvat/apps/engine): of these the classes that read and write a
backup's JSON are executed, with Django REST framework and without a database. OUT becomes the backup that they write.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import zipfile
from collections import OrderedDict
from enum import Enum
from pathlib import Path
from typing import Any

from cvat_sdk import models as sdk

WRITERS = ("AttributeValSerializer", "AnnotationSerializer", "LabeledImageSerializer", "OptimizedFloatListField",
           "ShapeSerializer", "SubLabeledShapeSerializer", "LabeledShapeSerializer", "TrackedShapeSerializer",
           "SubLabeledTrackSerializer", "LabeledTrackSerializer", "LabeledDataSerializer")  # fmt: skip


def classes(path: Path, names: tuple[str, ...], **known: Any) -> dict[str, Any]:
    """Classes of a file and what they use."""
    body = [node for node in ast.parse(path.read_text("utf-8")).body if getattr(node, "name", "") in names]
    exec(compile(ast.Module(body=body, type_ignores=[]), str(path), "exec"), known)
    return known


def checked_by_the_sdk(labels: list[dict[str, Any]], jobs: list[dict[str, Any]]) -> int:
    """How many annotations the models of the SDK take; an error names what they don't."""
    for label in labels:
        attributes = [sdk.AttributeRequest(**one) for one in label["attributes"]]
        sdk.PatchedLabelRequest(name=label["name"], type=label["type"], attributes=attributes)
    number = 0
    for job in jobs:
        told = {"tags": [], "shapes": []}
        for part, model in (("tags", sdk.LabeledImageRequest), ("shapes", sdk.LabeledShapeRequest)):
            for region in job[part]:
                rest = {k: v for k, v in region.items() if k not in ("label", "attributes", "type")}
                values = [sdk.AttributeValRequest(spec_id=1, value=one["value"]) for one in region["attributes"]]
                kind = {"type": sdk.ShapeType(region["type"])} if part == "shapes" else {}
                told[part].append(model(label_id=1, attributes=values, **kind, **rest))
                number += 1
        sdk.LabeledDataRequest(version=job["version"], **told)
    return number


def through_the_server(folder: Path, task: dict[str, Any], jobs: list[dict[str, Any]]) -> tuple[list[Any], list[int]]:
    """Annotations as the server's importer takes them and its exporter writes them; and the size and overlap of its jobs."""
    from django.conf import settings

    settings.configure(USE_I18N=False)
    import django

    django.setup()
    from rest_framework import exceptions, serializers

    models = type("models", (), classes(folder / "models.py", ("ShapeType", "JobType"), Enum=Enum))
    backup = classes(
        folder / "backup.py", ("Version", "_BackupBase", "_TaskBackupBase", "_ImporterBase", "TaskImporter"),
        Enum=Enum, os=os, models=models, JobFileMapping=Any, Dict=dict, Any=Any,
    )  # fmt: skip
    writers = classes(
        folder / "serializers.py", WRITERS, serializers=serializers, models=models, exceptions=exceptions,
        OrderedDict=OrderedDict,
    )  # fmt: skip
    importer = backup["TaskImporter"]
    assert importer._read_version(task).value == "1.0"
    base = backup["_TaskBackupBase"]()
    segments = list(importer._calculate_segment_size(task["jobs"]))
    base._prepare_data_meta(task["data"])
    base._prepare_task_meta(task)
    ids, back = {}, {}
    for number, label in enumerate(task["labels"], 1):
        specs = {one["name"]: 100 * number + place for place, one in enumerate(label["attributes"])}
        ids[label["name"]] = {"value": number, "attributes": specs}
        back[number] = {"value": label["name"], "attributes": {spec: name for name, spec in specs.items()}}
    written = []
    for job in jobs:
        writer = writers["LabeledDataSerializer"](data=base._prepare_annotations(job, ids))
        writer.is_valid(raise_exception=True)
        stored = json.loads(json.dumps(writer.data))
        for part in ("tags", "shapes"):
            for region in stored[part]:
                region["attributes"] = region.get("attributes", [])
        written.append(base._prepare_annotations(stored, back))
    return written, segments


source, out, *rest = map(Path, sys.argv[1:])
with zipfile.ZipFile(source) as archive:
    files = {name: archive.read(name) for name in archive.namelist()}
task, jobs = json.loads(files["task.json"]), json.loads(files["annotations.json"])
found: dict[str, Any] = {"checked": checked_by_the_sdk(task["labels"], jobs)}
if rest:
    written, found["segments"] = through_the_server(rest[0], task, jobs)
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in (files | {"annotations.json": json.dumps(written).encode()}).items():
            archive.writestr(name, content)
print(json.dumps(found))
