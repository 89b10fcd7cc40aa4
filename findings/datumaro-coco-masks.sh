#!/bin/sh
# Datumaro's COCO export calls each mask a crowd, and pycocotools leaves crowds out of the score.
#
# A segmenter that finds each mask of the export exactly gets an average precision of -1, "nothing to score". The same shapes
# drawn as polygons are exported with "iscrowd": 0 and give 1.0. Annotation tools that export by way of Datumaro hand on
# the flag. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check datumaro==1.13.12 pycocotools==2.0.11
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import contextlib
import io
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from datumaro import Dataset
from datumaro.components.annotation import Mask, Polygon
from datumaro.components.dataset_base import DatasetItem
from datumaro.components.media import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

SHAPE = np.zeros((40, 60), bool)
SHAPE[10:30, 10:40] = True
OUTLINE = [10, 10, 40, 10, 40, 30, 10, 30]


def exported(kind):
    """Datumaro's COCO file of three pictures with a chair each, as a mask or as a polygon."""
    items = []
    for number in range(1, 4):
        chair = Mask(SHAPE, label=0, id=number) if kind == "masks" else Polygon(OUTLINE, label=0, id=number)
        picture = Image.from_numpy(np.zeros((*SHAPE.shape, 3), np.uint8))
        items.append(DatasetItem(id=str(number), media=picture, annotations=[chair]))
    Dataset.from_iterable(items, categories=["chair"]).export(kind, "coco_instances", save_media=False)
    return json.loads(next(Path(kind).rglob("*.json")).read_text())


def precision(dataset):
    """pycocotools' average precision of a segmenter that repeats the data set's shapes."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = dataset
        truth.createIndex()
        found = [
            {"image_id": a["image_id"], "category_id": a["category_id"], "segmentation": truth.annToRLE(a), "score": 0.9}
            for a in dataset["annotations"]
        ]
        scored = COCOeval(truth, truth.loadRes(found), "segm")
        scored.evaluate()
        scored.accumulate()
        scored.summarize()
    return round(float(scored.stats[0]), 3)


seen = {}
for kind in ("masks", "polygons"):
    dataset = exported(kind)
    seen[kind] = [a["iscrowd"] for a in dataset["annotations"]], precision(dataset)
print(f"datumaro {version('datumaro')}, pycocotools {version('pycocotools')}")
for kind, (crowds, score) in seen.items():
    print(f"three {kind}: iscrowd {crowds}, average precision {score} of an exact segmenter")
sys.exit(seen != {"masks": ([1, 1, 1], -1.0), "polygons": ([0, 0, 0], 1.0)})
PYTHON
