"""Files that several analyses write, and parts of their JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.files import write_text

if TYPE_CHECKING:
    from tolman.benchmarks.published_tables import PublishedTable


def write_ids(path: Path, ids: Iterable[str]) -> None:
    """Write a list of ids that --ids and --exclude take."""
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def write_json(path: Path, content: Any) -> None:
    """Write JSON with unrounded figures."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def to_plain_tables(tables: Iterable[PublishedTable]) -> list[dict[str, Any]]:
    """Published tables for JSON: benchmark, source, about, columns, rows and printed coefficients."""
    return [table.model_dump(mode="json", exclude={"analyses", "taxonomy"}, exclude_defaults=True) for table in tables]
