"""The site: every page stands in its navigation, and the build is strict."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT, pages

_ENTRY = re.compile(r":\s+([\w./-]+\.md)\s*$", re.MULTILINE)


def test_the_navigation_names_every_page_once() -> None:
    named = _ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(page.removeprefix("docs/") for page in pages() if page != "README.md")


def test_the_tutorial_comes_before_the_reference() -> None:
    named = _ENTRY.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    order = ["tutorial.md", "runs.md", "extend/index.md", "reference/index.md", "architecture.md"]
    places = [named.index(name) for name in order]
    assert places == sorted(places)


@pytest.mark.full
def test_the_build_is_strict(tmp_path: Path) -> None:
    """Every link leads somewhere, and every name in the reference exists."""
    for package in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(package, reason="the site is built with the extra 'docs'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    functions = (tmp_path / "site" / "reference" / "functions" / "index.html").read_text(encoding="utf-8")
    assert 'id="tolman.evaluate"' in functions
