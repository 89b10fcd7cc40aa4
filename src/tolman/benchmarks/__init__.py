"""A folder for each benchmark, and the look-up of benchmarks by name.

A folder of this package is a benchmark if it has an object `BENCHMARK`. Other packages add theirs through the
entry point group `tolman.benchmarks`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import entry_points

from tolman.benchmarks.base import Benchmark
from tolman.errors import UsageError

GROUP = "tolman.benchmarks"


def names() -> list[str]:
    """All benchmarks that can be named, own ones first."""
    own = sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__) if info.ispkg)
    return own + sorted({point.name for point in entry_points(group=GROUP)} - set(own))


def get(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    module = name.replace("-", "_")
    if any(info.name == module and info.ispkg for info in pkgutil.iter_modules(__path__)):
        found = import_module(f"{__name__}.{module}").BENCHMARK
    else:
        points = [point for point in entry_points(group=GROUP) if point.name == name]
        if not points:
            raise UsageError(f"there is no benchmark '{name}'; known: {', '.join(names())}.")
        found = points[0].load()
    if not isinstance(found, Benchmark):
        raise UsageError(f"what is registered as benchmark '{name}' is no tolman.benchmarks.base.Benchmark.")
    return found
