"""A folder for each benchmark, and the look-up of benchmarks by name.

A folder of this package is a benchmark: it has an object `BENCHMARK`. Other packages add theirs through the entry
point group `tolman.benchmarks`.
"""

from __future__ import annotations

from tolman.benchmarks.base import Benchmark
from tolman.errors import UsageError
from tolman.registry import Registry

_HELPERS = frozenset({"base", "hub", "published", "rows"})
_REGISTRY = Registry("benchmark", __name__, "BENCHMARK", "tolman.benchmarks", _HELPERS)
names = _REGISTRY.names


def get(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    found = _REGISTRY.get(name)
    if not isinstance(found, Benchmark):
        raise UsageError(f"what is registered as benchmark '{name}' is no tolman.benchmarks.base.Benchmark.")
    return found
