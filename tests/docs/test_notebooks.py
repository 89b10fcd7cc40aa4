"""The notebooks are executed from their first cell to the last, in an empty folder, and are committed without outputs."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from docs import hub
from docs.blocks import ROOT
from docs.clerk import clerk
from loopback import serving

NOTEBOOKS = tuple(sorted((ROOT / "notebooks").glob("*.ipynb")))
QUICK = ("evaluate-your-model",)
"""Executed by `make test`; the others by `make test-full`."""
SECONDS = 120
"""The most that one cell may take."""


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=() if p.stem in QUICK else pytest.mark.full) for p in NOTEBOOKS],
)
def test_a_notebook_runs(path: Path, stage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="notebooks are executed with the extra 'dev'")
    nbclient = pytest.importorskip("nbclient", reason="notebooks are executed with the extra 'dev'")
    pytest.importorskip("ipykernel", reason="notebooks are executed with the extra 'dev'")
    notebook = nbformat.read(path, as_version=4)
    if any("meta_info" in cell.source for cell in notebook.cells):
        if not (stage / "meta_info").exists():
            pytest.skip("VSI-Bench's released scenes are not at hand (set TOLMAN_SHARED)")
        (tmp_path / "meta_info").symlink_to((stage / "meta_info").resolve())
    shutil.copytree(stage / "hub", tmp_path / "hub")
    for name, value in hub.environment(tmp_path / "hub").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    with serving(clerk()) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        client = nbclient.NotebookClient(
            notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        )
        client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert shown
    # The hub's client misses a widget for its progress bars.
    assert not [o for o in shown if o.get("name") == "stderr" and "ipywidgets" not in o["text"]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs(path: Path) -> None:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    assert content["cells"][0]["cell_type"] == "markdown"


def test_there_are_six_and_the_docs_name_them() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 6
    assert all(f"`{path.name}`" in page for path in NOTEBOOKS)


def test_notebooks_use_the_public_api_alone() -> None:
    """A notebook's own cells import `tolman`; the file that one writes is a plugin and may import more."""
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and not source.startswith("%%writefile"):
                assert "from tolman" not in source, path.name
                assert "import tolman." not in source, path.name
