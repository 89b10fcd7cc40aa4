"""The public API as a user's type checker sees it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tolman

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.full
def test_a_type_checker_accepts_the_documentation_and_sees_every_public_name_and_no_other(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    names = [name for name in tolman.__all__ if name != "__version__"]
    snippet = tmp_path / "snippet.py"
    lines = ["import tolman", *(f"reveal_type(tolman.{name})" for name in names), "tolman.evalute"]
    snippet.write_text("\n".join(lines) + "\n")
    options = "-m mypy --strict --config-file pyproject.toml tests/typed/api_usage.py"
    command = [sys.executable, *options.split(), str(snippet)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    seen = dict(re.findall(r"snippet\.py:(\d+): note: Revealed type is \"(.*)\"", said))
    types = {name: seen[str(line)] for line, name in enumerate(names, start=2)}
    assert [name for name, kind in types.items() if not re.match(r"(?:Overload\()?def \(", kind)] == []
    (wrong,) = re.findall(r"(\w+)\.py:(\d+): error: (.*)", said)
    assert wrong[:2] == ("snippet", str(len(lines)))
    assert wrong[2].startswith('Module has no attribute "evalute"')
