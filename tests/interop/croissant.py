"""Reads a folder as mlcroissant and `datasets` do; runs in an environment that has them and not Tolman.

Prints JSON: errors and warnings of the metadata, the rows of each record set, and those of the data set.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mlcroissant
from datasets import load_dataset


def plain(value: Any) -> Any:
    """A value as JSON has it; of an image its size."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list) or type(value).__name__ == "ndarray":
        return [plain(one) for one in value]
    if hasattr(value, "size") and hasattr(value, "getpixel"):
        return list(value.size)
    return value.item() if hasattr(value, "item") else value


folder, cache = sys.argv[1:]
dataset = mlcroissant.Dataset(str(Path(folder) / "croissant.json"))
issues = dataset.metadata.ctx.issues
records = {
    records.uuid: [
        {key.partition("/")[2]: plain(value) for key, value in row.items()} for row in dataset.records(records.uuid)
    ]
    for records in dataset.metadata.record_sets
}
rows = load_dataset(folder, cache_dir=cache)["test"]
print(
    json.dumps(
        {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "records": records, "rows": list(rows)}
    )
)
