"""What the tests of benchmarks that are data files share."""

from pathlib import Path

import pytest

from newer_rows import WRITERS
from tolman.items import Item


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of the module's `BENCHMARK` in the released shape, not to be changed."""
    place = tmp_path_factory.mktemp("released")
    WRITERS[request.module.BENCHMARK.name](place)
    return place


@pytest.fixture(scope="module")
def items(request: pytest.FixtureRequest, folder: Path) -> list[Item]:
    """The items of the module's `BENCHMARK`, of its first subset."""
    benchmark = request.module.BENCHMARK
    found: list[Item] = benchmark.load(folder, next(iter(benchmark.subsets)))
    return found
