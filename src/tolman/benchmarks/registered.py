"""The look-up of benchmarks by name: this package's folders and TOML files, and those of other packages."""

from __future__ import annotations

from tolman.benchmarks.declaring import declared_benchmark, declared_names
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError, unknown
from tolman.registry import Registry

_REGISTRY = Registry("benchmark", "tolman.benchmarks", "BENCHMARK", "tolman.benchmarks")


def names() -> list[str]:
    """All that can be named, in alphabetical order."""
    return sorted({*_REGISTRY.names(), *declared_names()})


def named(name: str) -> BenchmarkSpec:
    """Return the registered benchmark of that name, ignoring folders.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    found = _REGISTRY.find(name)
    if found is None and name in declared_names():
        return declared_benchmark(name)
    if found is None:
        raise unknown("benchmark", name, names(), other="what a file of yours declares (--plugin FILE)")
    if not isinstance(found, BenchmarkSpec):
        raise UsageError(f"the object registered as benchmark '{name}' is no tolman.benchmarks.spec.BenchmarkSpec.")
    return found
