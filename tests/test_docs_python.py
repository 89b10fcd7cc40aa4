"""Every snippet of docs/python.md, one after the other, as a reader types them."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_about_the_python_api_works_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "vsi-bench").mkdir()
    shutil.copy(ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl", tmp_path / "vsi-bench" / "test.jsonl")
    snippets = SNIPPET.findall((ROOT / "docs" / "python.md").read_text(encoding="utf-8"))
    assert len(snippets) >= 8
    names: dict[str, object] = {"__name__": "snippets"}
    for number, snippet in enumerate(snippets, start=1):
        exec(compile(snippet, f"docs/python.md, snippet {number}", "exec"), names)
    assert names["scores"].headline.value == 100  # type: ignore[attr-defined]
    assert (tmp_path / "runs" / "my-model" / "report.html").exists()
