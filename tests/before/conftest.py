"""The fixtures as they were when they were made, in a folder of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from before.actors import FIXTURES, unpack


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that a module's tests may change, each its own part."""
    return unpack(tmp_path_factory.mktemp("before") / "fixtures")


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What the version before made of these files."""
    found: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))
    return found
