#!/bin/sh
# In a polars table made from rows, scores of 1 and 0 for 100 rows turn a score of 0.65 in row 101 into 0.
#
# `DataFrame` and `from_dicts` take types and columns from the first 100 rows. A later fraction in a column of whole
# numbers loses its fraction, and a column that begins later is dropped, although `strict=True` promises an error;
# `read_ndjson` raises one for the same rows. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
"$place/venv/bin/python" - <<'PYTHON'
import io
import json
import sys

import polars as pl

# A benchmark of 100 choices, each right or wrong, and 100 estimates with graded scores and a unit.
rows = [{"id": i, "score": i % 2} for i in range(100)]
rows += [{"id": i, "score": 0.65, "unit": "m"} for i in range(100, 200)]
mean = sum(row["score"] for row in rows) / len(rows)
right = round(mean, 3) == 0.575
for make in (pl.DataFrame, pl.from_dicts):
    for strict in (None, True):
        frame = make(rows) if strict is None else make(rows, strict=True)
        print(f"{make.__name__}, strict={'default' if strict is None else strict}: mean {frame['score'].mean():.3f} "
              f"instead of {mean:.3f}; row 101 is {frame.row(100, named=True)}")
        right &= frame.row(100, named=True) == {"id": 100, "score": 0}
whole = pl.DataFrame(rows, infer_schema_length=None)
print(f"infer_schema_length=None: mean {whole['score'].mean():.3f}; row 101 is {whole.row(100, named=True)}")
right &= whole.row(100, named=True) == rows[100]
try:
    pl.read_ndjson(io.BytesIO("\n".join(json.dumps(row) for row in rows).encode()))
except pl.exceptions.ComputeError as error:
    print("read_ndjson:", str(error).splitlines()[0])
else:
    right = False
print("polars", pl.__version__)
sys.exit(0 if right else 1)
PYTHON
