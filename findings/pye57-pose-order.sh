#!/bin/sh
# pye57 reads the pose of an E57 scan by the order of its elements, so that a valid file puts a scan in a wrong place.
#
# A pose's rotation has the elements w, x, y, z, found by name; libE57Format says that "the order of children is not
# specified" (StructureNode.cpp). pye57 takes them in the file's order: with x, y, z, w a quarter turn about z becomes
# a half turn about another axis, and the point is metres off. `read_scan` gives no warning. Exits with 1 where a later version
# behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pye57==0.4.19 numpy==2.4.6
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import pye57
from pye57 import libe57

# A scanner at (10, 0, 3), turned by 90° about z; a point 1 m along its x axis is at (10, 1, 3).
POSE = {"rotation": {"w": math.sqrt(0.5), "x": 0.0, "y": 0.0, "z": math.sqrt(0.5)},
        "translation": {"x": 10.0, "y": 0.0, "z": 3.0}}


def read_back(orders):
    with pye57.E57("scan.e57", mode="w") as file:
        image = file.image_file
        scan, pose, point = (libe57.StructureNode(image) for _ in range(3))
        scan.set("guid", libe57.StringNode(image, "{1}"))
        for part, order in orders.items():
            node = libe57.StructureNode(image)
            for name in order:
                node.set(name, libe57.FloatNode(image, POSE[part][name]))
            pose.set(part, node)
        scan.set("pose", pose)
        for axis in "XYZ":
            point.set(f"cartesian{axis}", libe57.FloatNode(image, 0.0, libe57.E57_DOUBLE, -1e6, 1e6))
        cloud = libe57.CompressedVectorNode(image, point, libe57.VectorNode(image, True))
        scan.set("points", cloud)
        file.data3d.append(scan)
        columns, buffers = file.make_buffers([f"cartesian{axis}" for axis in "XYZ"], 1)
        columns["cartesianX"][:], columns["cartesianY"][:], columns["cartesianZ"][:] = 1, 0, 0
        writer = cloud.writer(buffers)
        writer.write(1)
        writer.close()
    with pye57.E57("scan.e57") as file:
        found = file.read_scan(0, ignore_missing_fields=True)
        by_name = {part: {name: file.data3d[0]["pose"][part][name].value() for name in values}
                   for part, values in POSE.items()}
    assert by_name == POSE  # libE57Format itself finds every number by its name
    return [round(float(found[f"cartesian{axis}"][0]), 6) for axis in "XYZ"]


usual = read_back({"rotation": "wxyz", "translation": "xyz"})
turned = read_back({"rotation": "xyzw", "translation": "xyz"})
moved = read_back({"rotation": "wxyz", "translation": "zyx"})
print("pye57", version("pye57"))
print("elements w x y z, x y z:", usual)
print("elements x y z w, x y z:", turned)
print("elements w x y z, z y x:", moved)
sys.exit(0 if usual == [10, 1, 3] and turned != usual and moved != usual else 1)
PYTHON
