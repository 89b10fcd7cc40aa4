#!/bin/sh
# `load_dataset(FOLDER)` joins `test_debiased.jsonl` and `test_pruned.jsonl` and leaves out `full.jsonl`, silently.
#
# Hugging Face datasets looks for words such as train, test, dev or eval in the names of files and folders. If one name
# has one, only such files are read: a file per scene loses all scenes but `test-lab`. Files with the same word become
# one split, so items of overlapping subsets count twice. Exits with 1 where a later version behaves otherwise.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0
cd "$place"
HF_HUB_OFFLINE=1 HF_HOME="$place/cache" "$place/venv/bin/python" - <<'PYTHON'
import json
import sys
from pathlib import Path

import datasets

datasets.disable_progress_bars()


def loaded(folder, sizes):
    """The rows of each split, by the files that they come from."""
    Path(folder).mkdir()
    for name, size in sizes.items():
        Path(folder, name).write_text("".join(json.dumps({"id": i, "file": name}) + "\n" for i in range(size)))
    found = {split: {name: list(rows["file"]).count(name) for name in sorted(set(rows["file"]))}
             for split, rows in datasets.load_dataset(folder).items()}
    print(f"{sizes}\n  -> {found}")
    return found


subsets = loaded("benchmark", {"full.jsonl": 5, "test_debiased.jsonl": 3, "test_pruned.jsonl": 2})
scenes = loaded("scenes", {"kitchen.jsonl": 4, "office.jsonl": 4, "test-lab.jsonl": 2})
plain = loaded("plain", {"kitchen.jsonl": 4, "office.jsonl": 4})
print("datasets", datasets.__version__)
sys.exit(0 if subsets == {"test": {"test_debiased.jsonl": 3, "test_pruned.jsonl": 2}}
         and scenes == {"test": {"test-lab.jsonl": 2}}
         and plain == {"train": {"kitchen.jsonl": 4, "office.jsonl": 4}} else 1)
PYTHON
