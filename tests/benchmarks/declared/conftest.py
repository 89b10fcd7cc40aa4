"""What the tests of benchmarks that are data files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from released_rows import WRITERS
from tolman.items import Item


@pytest.fixture
def items(request: pytest.FixtureRequest, tmp_path: Path) -> list[Item]:
    """The items of the module's `BENCHMARK`, of its first subset, from rows in the released shape in `tmp_path`."""
    benchmark = request.module.BENCHMARK
    WRITERS[benchmark.name](tmp_path)
    found: list[Item] = benchmark.load(tmp_path, next(iter(benchmark.subsets)))
    return found
