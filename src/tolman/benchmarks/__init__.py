"""A folder or a data file for each benchmark, and the look-up of benchmarks by name.

A folder of this package with an object `BENCHMARK` is a benchmark, and so is each TOML file in `declared`. Other
packages add theirs through the entry point group `tolman.benchmarks`.
"""

from __future__ import annotations

from tolman.benchmarks.benchmark_folder import is_folder, open_folder
from tolman.benchmarks.registered import named, names
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.storage import pull

__all__ = ["BenchmarkSpec", "get", "is_folder", "named", "names", "open_folder"]


def get(name: str) -> BenchmarkSpec:
    """The benchmark of that name, or of the folder at that path.

    Raises:
        UsageError: there is none; the sentence lists those there are.
        InputError: the folder is no benchmark's.
    """
    return open_folder(pull(name)) if is_folder(name) else named(name)
