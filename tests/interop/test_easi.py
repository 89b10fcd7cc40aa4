"""EASI's own script reads the archive of a submission, and accepts the payload."""

from __future__ import annotations

import importlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import released_rows
from interop.released import load as released, source_of
from tolman.features.catalogue.compute import export
from tolman.features.catalogue.config import ExportConfig
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load

pytestmark = pytest.mark.interop
EASI = "EvolvingLMMs-Lab/EASI"
SCRIPTS = "scripts/submissions"
ROWS = {
    "viewspatial": released_rows.viewspatial,
    "blink": released_rows.blink,
    "3dsrbench": released_rows.threedsrbench,
    "embspatial": released_rows.embspatial,
    "site": None,
}


def adapter(place: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """EASI's reader of lmms-eval's logs."""
    package = place / "easi_backends"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("base", "lmmseval"):
        (package / f"{name}.py").write_text(source_of(EASI, f"{SCRIPTS}/backends/{name}.py"))
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.delitem(sys.modules, "easi_backends", raising=False)
    return importlib.import_module("easi_backends.lmmseval").LmmsEvalAdapter()


def site_rows(folder: Path) -> None:
    for part in ("image", "video"):
        rows = [
            {
                "question": f"{part} {n}?", "options": ["left", "right", "up"][: 2 + n % 2], "answer": "AB"[n % 2],
                "category": ("counting & existence", "spatial relationship reasoning")[n % 2], "dataset": "d",
                "visual": [f"{part}{n}.{'mp4' if part == 'video' else 'png'}"],
            }
            for n in range(4)
        ]  # fmt: skip
        (folder / f"{part}_test.json").write_text(json.dumps(rows))


def test_easis_script_reads_the_same_figures_from_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = adapter(tmp_path, monkeypatch)
    runs = []
    for name, write in ROWS.items():
        data = tmp_path / f"data-{name}"
        data.mkdir()
        (write or site_rows)(data)
        loaded = load(name, data, None)
        said = [Response(id=one.id, response="A") for one in loaded.items]
        score_outcomes(loaded, [*said], benchmark=name, model="m", model_settings={}, out=tmp_path / name)
        runs.append(str(tmp_path / name))
    settings = ("model=org/name", "type=rl", "precision=float16", "incomplete=mark")
    out = tmp_path / "out"
    export(ExportConfig(source=tuple(runs), form="easi", out=out, settings=settings))
    payload = json.loads((out / "easi_results.json").read_text())
    with zipfile.ZipFile(out / "easi_results.zip") as archive:
        archive.extractall(tmp_path / "read")
    keys = {"viewspatial", "blink", "3dsrbench", "embspatial", "site_image", "site_video"}
    found = reader.extract_scores(tmp_path / "read" / "name", "name", {key: reader.TASK_MAP[key] for key in keys})
    assert {key: one.overall for key, one in found.items()} == payload["scores"]
    assert {key: one.sub_scores for key, one in found.items() if one.sub_scores} == payload["subScores"]
    check = released(EASI, f"{SCRIPTS}/postprocess.py", "MAX_ZIP_SIZE_MB", "validate_payload_for_submit", Path=Path)
    assert check["validate_payload_for_submit"](payload, out / "easi_results.zip") == []
