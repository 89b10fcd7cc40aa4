"""Files that other programs wrote, and the items that they are about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from behind_logs import MADE_UP, WRITERS
from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.items import Item
from tolman.plugins import load_plugin


@pytest.fixture
def interchange(shared_data: Path) -> Path:
    folder = shared_data / "interchange"
    if not folder.is_dir():
        pytest.skip(f"no logs of other programs at {folder}")
    return folder


@pytest.fixture
def data_of(interchange: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Name of a benchmark → a folder with the rows behind the logs, in the released shape."""

    def made(name: str) -> Path:
        folder = tmp_path / name
        if not folder.exists():
            folder.mkdir()
            WRITERS[name](interchange, folder)
        return folder

    return made


@pytest.fixture
def benchmark_of() -> Callable[[str], BenchmarkSpec]:
    """Name of a benchmark, made-up ones too → the benchmark."""

    def found(name: str) -> BenchmarkSpec:
        if name in MADE_UP:
            load_plugin(Path(__file__).parent / "made_up" / f"{name}.toml")
        return benchmarks.get(name)

    return found


@pytest.fixture
def items_of(data_of: Callable[[str], Path], benchmark_of: Callable[[str], BenchmarkSpec]) -> Callable[..., list[Item]]:
    """Name of a benchmark and a subset → the items that the logs are about."""

    def loaded(name: str, subset: str = "") -> list[Item]:
        benchmark = benchmark_of(name)
        return benchmark.load(data_of(name), subset or next(iter(benchmark.subsets)))

    return loaded
