"""A folder or a data file for each benchmark, and the look-up of benchmarks by name.

A folder of this package with an object `BENCHMARK` is a benchmark, and so is each TOML file in `declared`. Other
packages add theirs through the entry point group `tolman.benchmarks`.
"""

from __future__ import annotations

from pathlib import Path

from tolman.benchmarks.benchmark_folder import is_folder, open_folder
from tolman.benchmarks.registered import named, names
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError
from tolman.storage import pull

__all__ = ["BenchmarkSpec", "get", "is_folder", "named", "names", "open_folder"]


def get(name: str) -> BenchmarkSpec:
    """The benchmark of that name, or of the folder at that path.

    Raises:
        UsageError: there is none; the sentence lists those there are, or names the one whose data set it is.
        InputError: the folder is no benchmark's.
    """
    if not is_folder(name):
        return named(name)
    if name.count("/") == 1 and not Path(name).exists():
        for one in map(named, names()):
            if one.hub is not None and one.hub.repository.lower() == name.lower():
                raise UsageError(f"{name} is the data set of the benchmark {one.name}; give that name.")
    return open_folder(pull(name))
