"""The public API as a user's type checker sees it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tolman

ROOT = Path(__file__).resolve().parents[1]


def mypy(*files: Path | str) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", *map(str, files)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_a_type_checker_accepts_what_the_documentation_does() -> None:
    done = mypy("tests/typed/api_usage.py")
    assert done.returncode == 0, done.stdout


@pytest.mark.full
def test_a_type_checker_sees_every_public_name_and_no_other(tmp_path: Path) -> None:
    names = [name for name in tolman.__all__ if name != "__version__"]
    snippet = tmp_path / "snippet.py"
    lines = ["import tolman", *(f"reveal_type(tolman.{name})" for name in names), "tolman.evalute"]
    snippet.write_text("\n".join(lines) + "\n")
    said = mypy(snippet).stdout
    seen = dict(re.findall(r"snippet\.py:(\d+): note: Revealed type is \"(.*)\"", said))
    types = {name: seen[str(line)] for line, name in enumerate(names, start=2)}
    assert [name for name, kind in types.items() if not re.match(r"(?:Overload\()?def \(", kind)] == []
    (wrong,) = re.findall(r"snippet\.py:(\d+): error: (.*)", said)
    assert wrong[0] == str(len(lines))
    assert wrong[1].startswith('Module has no attribute "evalute"')
