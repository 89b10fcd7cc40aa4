"""Files that several analyses write."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tolman.files import write_text


def write_ids(path: Path, ids: Iterable[str]) -> None:
    """Write a list of ids that --ids and --exclude take."""
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def write_json(path: Path, content: Any) -> None:
    """Write JSON with unrounded figures."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
