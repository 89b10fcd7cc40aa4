#!/bin/sh
# In a Croissant FileSet, mlcroissant's `*` crosses folders: `media/*.txt` also fits `media/deep/b.txt`.
#
# The pattern goes through fnmatch, not through a glob, so a set for each folder holds the files of nested folders twice,
# and `**/*.txt` leaves out files that are in no folder. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check mlcroissant==1.1.1
mkdir -p "$place/data/media/deep"
cd "$place/data"
echo top > top.txt
echo a > media/a.txt
echo b > media/deep/b.txt
"$place/venv/bin/python" - <<'PYTHON'
import json
import logging
import sys
from importlib.metadata import version
from pathlib import Path

logging.disable(logging.WARNING)
import mlcroissant as mlc

found = {}
for pattern in ("media/*.txt", "**/*.txt"):
    described = mlc.Metadata(
        name="stars",
        distribution=[
            mlc.FileObject(id="folder", name="folder", content_url=".", encoding_formats=["inode/directory"],
                           sha256="https://github.com/mlcommons/croissant/issues/80"),
            mlc.FileSet(id="files", name="files", contained_in=["folder"], encoding_formats=["text/plain"],
                        includes=[pattern]),
        ],
        record_sets=[
            mlc.RecordSet(id="texts", name="texts", fields=[
                mlc.Field(id="texts/path", name="path", data_types=mlc.DataType.TEXT,
                          source=mlc.Source(file_set="files",
                                            extract=mlc.Extract(file_property=mlc.FileProperty.fullpath))),
            ])
        ],
    )
    Path("croissant.json").write_text(json.dumps(described.to_json(), default=str))
    dataset = mlc.Dataset("croissant.json")
    found[pattern] = sorted(str(row["texts/path"], "utf-8") if isinstance(row["texts/path"], bytes)
                            else str(row["texts/path"]) for row in dataset.records("texts"))
    own = sorted(path.as_posix() for path in Path(".").glob(pattern))
    print(f"{pattern}: mlcroissant {found[pattern]}, pathlib {own}")
print("mlcroissant", version("mlcroissant"))
sys.exit(0 if found == {"media/*.txt": ["media/a.txt", "media/deep/b.txt"],
                        "**/*.txt": ["media/a.txt", "media/deep/b.txt"]} else 1)
PYTHON
