"""What `tolman export` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from tolman.workflows.export import ExportResult


def show_export(console: Console, result: ExportResult, *, as_json: bool) -> None:
    """The folder, and how the other program takes it."""
    if as_json:
        record = {"folder": str(result.folder), "use": result.use, "notes": result.notes, "files": result.files}
        console.file.write(json.dumps(record) + "\n")
        return
    console.print(f"{result.folder}: {result.title}, {result.files:,} files", markup=False, highlight=False)
    console.print(result.use, markup=False, highlight=False, soft_wrap=True)
