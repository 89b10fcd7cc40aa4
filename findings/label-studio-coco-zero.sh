#!/bin/sh
# Label Studio's COCO export numbers annotations from 0, and pycocotools counts a match with number 0 as no match.
#
# A detector that finds each box of the export exactly gets an average precision of 0.25 for two objects, 0.81 for ten.
# pycocotools notes a match by the annotation's number and reads 0 as "none", so the first object is missed and its
# detection a false alarm. Numbers from 1 give 1.0. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check label-studio-sdk==2.1.2 pycocotools==2.0.11
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import contextlib
import io
import json
import logging
import sys
from importlib.metadata import version
from pathlib import Path

from label_studio_sdk.converter import Converter
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

logging.disable(logging.WARNING)
CONFIG = """<View><Image name="image" value="$image"/>
<RectangleLabels name="label" toName="image"><Label value="chair"/></RectangleLabels></View>"""


def exported(count):
    """Label Studio's COCO file of `count` pictures with a chair each."""
    box = {"x": 10, "y": 10, "width": 20, "height": 40, "rotation": 0, "rectanglelabels": ["chair"]}
    region = {"id": "r", "from_name": "label", "to_name": "image", "type": "rectanglelabels",
              "original_width": 200, "original_height": 100, "value": box}
    tasks = [{"id": i, "data": {"image": f"{i}.png"}, "annotations": [{"id": i, "completed_by": 1, "result": [region]}]}
             for i in range(1, count + 1)]
    Path("tasks.json").write_text(json.dumps(tasks))
    converter = Converter(CONFIG, project_dir=None, download_resources=False)
    converter.convert_to_coco("tasks.json", f"coco-{count}", is_dir=False)
    return json.loads(Path(f"coco-{count}", "result.json").read_text())


def precision(dataset):
    """pycocotools' average precision of a detector that repeats the data set's boxes."""
    truth = COCO()
    truth.dataset = dataset
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        found = [{key: one[key] for key in ("image_id", "category_id", "bbox")} | {"score": 0.9 - 0.01 * i}
                 for i, one in enumerate(dataset["annotations"])]
        evaluation = COCOeval(truth, truth.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation.stats[0]


right = True
for count, expected in ((1, 0.0), (2, 0.25), (10, 0.81)):
    dataset = exported(count)
    ids = [one["id"] for one in dataset["annotations"]]
    as_exported = precision(dataset)
    for one in dataset["annotations"]:
        one["id"] += 1
    renumbered = precision(dataset)
    print(f"{count} chairs, numbers {ids[0]} to {ids[-1]}: precision {as_exported:.2f}; "
          f"numbers {ids[0] + 1} to {ids[-1] + 1}: {renumbered:.2f}")
    right &= ids == list(range(count)) and round(as_exported, 2) == expected and round(renumbered, 2) == 1
print("label-studio-sdk", version("label-studio-sdk") + ", pycocotools", version("pycocotools"))
sys.exit(0 if right else 1)
PYTHON
