#!/bin/sh
# pye57 writes points in single precision, so that survey coordinates come back up to 25 cm off.
#
# `write_scan_raw` takes arrays of doubles and declares the columns as E57_SINGLE. UTM northings of 5,411,234 m then have
# steps of 0.5 m: a wall 12 cm thick becomes 0 or 50 cm thick. The same points under a translation of the scan hold to
# 1e-5 m. No warning is given. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pye57==0.4.19 numpy==2.4.6
cd "$place"
"$place/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pye57

# Both faces of a wall 12 cm thick, and another point, in UTM zone 32 north.
points = np.array([[445_123.40, 5_411_234.00, 312.0], [445_123.40, 5_411_234.12, 312.0], [445_125.00, 5_411_236.20, 312.1]])


def read_back(shift):
    with pye57.E57("survey.e57", mode="w") as file:
        own = points - shift
        columns = {f"cartesian{axis}": own[:, i].copy() for i, axis in enumerate("XYZ")}
        file.write_scan_raw(columns, rotation=np.array([1.0, 0, 0, 0]), translation=shift)
    with pye57.E57("survey.e57") as file:
        found = file.read_scan(0, ignore_missing_fields=True)
    return np.column_stack([found[f"cartesian{axis}"] for axis in "XYZ"])


plain, moved = read_back(np.zeros(3)), read_back(np.array([445_000.0, 5_411_000.0, 0.0]))
print("pye57", version("pye57"))
print("written:          ", points[:, 1].tolist())
print("read:             ", plain[:, 1].tolist(), f"{np.abs(plain - points).max():.3f} m off")
print("with a translation:", moved[:, 1].round(6).tolist(), f"{np.abs(moved - points).max():.1e} m off")
thick = plain[1, 1] - plain[0, 1]
print(f"the wall is {thick:.2f} m thick instead of 0.12 m")
sys.exit(0 if abs(thick - 0.12) > 0.1 and np.abs(moved - points).max() < 1e-4 else 1)
PYTHON
