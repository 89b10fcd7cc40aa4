"""A folder or a data file for each benchmark, and the look-up of benchmarks by name.

A folder of this package with an object `BENCHMARK` is a benchmark, and so is each TOML file in `declared`. Other
packages add theirs through the entry point group `tolman.benchmarks`.
"""

from __future__ import annotations

from tolman.benchmarks.base import BenchmarkSpec
from tolman.benchmarks.declaring import declared_benchmark, declared_names
from tolman.benchmarks.folder import is_folder, open_folder
from tolman.errors import UsageError
from tolman.names import unknown
from tolman.registry import Registry
from tolman.storage import pull

_REGISTRY = Registry("benchmark", __name__, "BENCHMARK", "tolman.benchmarks")


def names() -> list[str]:
    """All that can be named, in alphabetical order."""
    return sorted({*_REGISTRY.names(), *declared_names()})


def get(name: str) -> BenchmarkSpec:
    """The benchmark of that name, or of the folder at that path.

    Raises:
        UsageError: there is none; the sentence lists those there are.
        InputError: the folder is no benchmark's.
    """
    return open_folder(pull(name)) if is_folder(name) else named(name)


def named(name: str) -> BenchmarkSpec:
    """The benchmark of that name, whatever folders there are.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    registered = _REGISTRY.names()
    if name not in registered and name in declared_names():
        return declared_benchmark(name)
    if name not in registered:
        raise unknown("benchmark", name, names(), other="what a file of yours declares (--plugin FILE)")
    found = _REGISTRY.get(name)
    if not isinstance(found, BenchmarkSpec):
        raise UsageError(f"what is registered as benchmark '{name}' is no tolman.benchmarks.base.BenchmarkSpec.")
    return found
