"""Functions that lists of commands name as text, so that nothing heavy is imported."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import tolman
from tolman.features.analyses import ANALYSES
from tolman.features.figures import FIGURES

WRITTEN = {
    name
    for path in Path(tolman.__file__).parent.rglob("*.py")
    for name in re.findall(r'later\(\s*"([\w.]+:\w+)"', path.read_text(encoding="utf-8"))
}
ROWS = [one for found in (ANALYSES, FIGURES) for name in found.names() for one in vars(found.get(name)).values()]
NAMED = sorted(WRITTEN | {one.__qualname__ for one in ROWS if callable(one) and ":" in one.__qualname__})


def test_there_are_some() -> None:
    assert len(NAMED) > 40


@pytest.mark.parametrize("name", NAMED)
def test_every_named_function_exists(name: str) -> None:
    module, _, function = name.partition(":")
    try:
        found = import_module(module)
    except ImportError as error:
        if str(error.name).startswith("tolman"):
            raise
        pytest.skip(f"{error.name} isn't installed")
    assert callable(getattr(found, function, None))
