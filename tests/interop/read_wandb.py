"""What an offline run of W&B holds, as JSON: `python read_wandb.py FILE.wandb`, where wandb is installed.

The file is a log in LevelDB's format: blocks of 32 KiB with records, of which each part has a checksum, a size and a
kind (1 whole, 2 first, 3 middle, 4 last).
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wandb.proto import wandb_internal_pb2

BLOCK, HEAD = 32768, 7


def records(path: Path) -> Iterator[Any]:
    data, at, part = path.read_bytes(), HEAD, b""
    assert data.startswith(b":W&B")
    while at + HEAD <= len(data):
        if BLOCK - at % BLOCK < HEAD:
            at += BLOCK - at % BLOCK
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        part += data[at + HEAD : at + HEAD + size]
        at += HEAD + size
        if kind in (1, 4):
            found = wandb_internal_pb2.Record()
            found.ParseFromString(part)
            part = b""
            yield found


def main(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"config": {}, "summary": {}, "artifacts": {}}
    for record in records(path):
        match record.WhichOneof("record_type"):
            case "run":
                run = record.run
                found |= {"id": run.run_id, "name": run.display_name, "project": run.project, "notes": run.notes}
            case "config":
                found["config"] |= {one.key: json.loads(one.value_json) for one in record.config.update}
            case "summary":
                plain = (one for one in record.summary.update if one.key)
                found["summary"] |= {one.key: json.loads(one.value_json) for one in plain}
            case "artifact":
                entries = record.artifact.manifest.contents
                found["artifacts"][record.artifact.type] = {one.path: one.local_path for one in entries}
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
