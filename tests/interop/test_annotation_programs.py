"""Label Studio and CVAT, in environments of their own (`make test-interop`), take marks in and give them back."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from interop.released import source_of
from review.exchange.picture_sets import ONE, marks, receiver, shapes
from tolman.review.exchange import annotation_programs

VARIABLE = "TOLMAN_ANNOTATING"
SOURCES = "opencv/cvat"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs Label Studio and CVAT's SDK"),
]


def _run(script: str, *arguments: Path) -> dict[str, Any]:
    python = Path(os.environ[VARIABLE]).resolve() / "bin" / "python"
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [python, Path(__file__).with_name(script), *arguments], capture_output=True, text=True, check=False, env=bare
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_label_studio_imports_and_exports_what_was_written(tmp_path: Path) -> None:
    for name, text in annotation_programs.write_pictures(ONE).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "data").mkdir()
    found = _run("annotating.py", tmp_path, tmp_path / "data")
    assert found["wrong"] == []
    taken = found["taken"]
    assert (taken["task_count"], taken["annotation_count"], taken["prediction_count"]) == (1, 1, 1)
    back = json.dumps(found["exported"]).encode()
    assert shapes(annotation_programs.read_pictures(back, receiver(ONE, "Ann"))) == marks(ONE, "Ann")
    assert shapes(annotation_programs.read_pictures(back, receiver(ONE, "Bob"))) == marks(ONE, "Bob")


def _backup() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in annotation_programs.write(ONE).items():
            archive.writestr(name, text)
        for one in ONE.pictures:
            archive.writestr(f"{annotation_programs.PICTURES}/{one.picture.file}", b"")
    return out.getvalue()


def test_the_sdk_of_cvat_takes_every_label_and_annotation(tmp_path: Path) -> None:
    (tmp_path / "backup.zip").write_bytes(_backup())
    assert _run("backing.py", tmp_path / "backup.zip", tmp_path / "out.zip")["checked"] == 6


def test_the_server_of_cvat_reads_a_backup_and_writes_it_again(tmp_path: Path) -> None:
    (tmp_path / "backup.zip").write_bytes(_backup())
    (tmp_path / "sources").mkdir()
    for name in ("backup.py", "serializers.py", "models.py"):
        text = source_of(SOURCES, f"cvat/apps/engine/{name}")
        (tmp_path / "sources" / name).write_text(text, encoding="utf-8")
    found = _run("backing.py", tmp_path / "backup.zip", tmp_path / "out.zip", tmp_path / "sources")
    assert found["segments"] == [1, 0]
    back = annotation_programs.read((tmp_path / "out.zip").read_bytes(), receiver(ONE, "Ann"))
    assert shapes(back) == marks(ONE, "Ann")
    assert [one.chosen for one in back.values()] == [dict(one.chosen)["Ann"] for one in ONE.pictures]
