"""Summaries: the key of repairs in files is the one that earlier versions wrote."""

from __future__ import annotations

import json
from pathlib import Path

from tolman.ingest.build import NAME, Summary, read_summary, write_summary


def test_repairs_keep_their_key_in_files(tmp_path: Path) -> None:
    row = {"id": "d/a", "format": "generic", "path": "a", "state": "new", "mended": ["a.json: no axis alignment"]}
    (tmp_path / NAME).write_text(json.dumps({"scenes": [row]}))
    summary = read_summary(tmp_path)
    assert summary.scenes[0].repaired == ("a.json: no axis alignment",)
    write_summary(tmp_path, Summary(scenes=summary.scenes))
    assert json.loads((tmp_path / NAME).read_text())["scenes"][0]["mended"] == row["mended"]
    assert read_summary(tmp_path).scenes == summary.scenes
