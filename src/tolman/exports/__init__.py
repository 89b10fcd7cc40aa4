"""Exports: a benchmark or results as other programs read them, a module or package for each target.

Each declares `EXPORT`, a `BenchmarkExport` or a `RunsExport`, or several by name in `EXPORTS`; plugins and other
packages (entry point group `tolman.exports`) add theirs by the same name.
"""

from __future__ import annotations

from tolman.exports.exporters import BenchmarkExport, Export, RunsExport
from tolman.registry import Registry


def _problem(thing: object) -> str:
    known = isinstance(thing, BenchmarkExport | RunsExport)
    return "" if known else "is no BenchmarkExport and no RunsExport of tolman.exports.exporters"


REGISTRY = Registry("export", __name__, "EXPORT", "tolman.exports", "EXPORTS", check=_problem)
names = REGISTRY.names


def export_named(name: str) -> Export:
    """The export of that name.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    found: Export = REGISTRY.get(name)
    return found
