"""The site: every page stands in its navigation, and the build is strict."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT, blocks, pages

_ENTRY = re.compile(r":\s+([\w./-]+\.md)\s*$", re.MULTILINE)


def test_the_navigation_names_every_page_once() -> None:
    named = _ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(page.removeprefix("docs/") for page in pages() if page != "README.md")


def test_the_tutorial_comes_before_the_reference() -> None:
    named = _ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    order = ["tutorial.md", "runs.md", "extend/index.md", "reference/index.md", "architecture.md"]
    places = [named.index(name) for name in order]
    assert places == sorted(places)


def test_the_reference_has_what_extensions_declare() -> None:
    """A reader of 'Extend Tolman' finds every class that the examples make an object of."""
    told = "\n".join(
        (ROOT / page).read_text(encoding="utf-8") for page in pages() if page.startswith("docs/reference/")
    )
    listed = set(re.findall(r"^::: [\w.]+\.(\w+)$", told, re.MULTILINE))
    declared = {
        node.value.func.id
        for page in pages()
        if page.startswith("docs/extend/")
        for block in blocks(page)
        if block.language == "python"
        for node in ast.parse(block.text).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
        if node.value.func.id[0].isupper()
    }
    assert {"Analysis", "BenchmarkSpec", "Family", "ItemKind", "Metric", "Stage"} <= declared
    assert not declared - listed - {"Path"}


@pytest.mark.full
def test_the_build_is_strict(tmp_path: Path) -> None:
    """Every link leads somewhere, and every name in the reference exists."""
    for package in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(package, reason="the site is built with the extra 'docs'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    reference = (tmp_path / "site" / "reference" / "index.html").read_text(encoding="utf-8")
    assert 'id="tolman.evaluate"' in reference
